"""Tools for a conversation: what it is given, what it has, and what helped."""

from typing import Annotated

from pydantic import Field

from graph_memory.api.service import GraphMemory
from graph_memory.auth.grants import Scope
from graph_memory.domain.inputs import Question
from graph_memory.ranking.profiles import Profile
from graph_memory.search.retrieval import (
    Budget,
    ConversationTokens,
    SearchDepth,
    SessionId,
    Threshold,
)
from graph_memory.server import parameters
from graph_memory.server.tool import READS, Toolset
from graph_memory.server.views.retrieval import Context, FeedbackView, RetrieveView

toolset = Toolset()
judging = Toolset(Scope.WRITE)  # what is learned moves what others find

Talk = Annotated[SessionId | None, Field(description="Of an earlier answer.")]


@toolset.tool("Retrieve for a conversation", READS)
async def retrieve_memories(
    memory: GraphMemory,
    query: parameters.Query,
    max_tokens: Annotated[
        Budget | None, Field(description="Default 2000."), parameters.NUMBER
    ] = None,
    search_depth: Annotated[
        SearchDepth | None,
        Field(description="Relations walked, 0-5; default 2."),
        parameters.NUMBER,
    ] = None,
    staleness_threshold: Annotated[
        Threshold | None, Field(description="Default 4096 tokens."), parameters.NUMBER
    ] = None,
    session_id: Talk = None,
    conversation_tokens: Annotated[
        ConversationTokens | None, Field(description="Conversation so far."), parameters.NUMBER
    ] = None,
    memory_types: parameters.Types = None,
    tags: parameters.AnyTag = None,
    project_id: parameters.Project = None,
    states: parameters.Living = None,
    profile: Annotated[
        parameters.Ranking, Field(description="As in search_memory."), parameters.WORD
    ] = Profile.RECALL,
    weights: parameters.Weights = None,
    as_of: parameters.AsOf = None,
    known_at: parameters.KnownAt = None,
    group_id: parameters.Group = None,
) -> RetrieveView:
    """Find what answers and what is related, in full, within a token budget.

    Pass session_id on: what you have is not repeated until stale; what changed since is named.
    """
    retrieved = await memory.retrieve(
        query,
        group_id=group_id,
        max_tokens=max_tokens,
        search_depth=search_depth,
        staleness_threshold=staleness_threshold,
        session_id=session_id,
        conversation_tokens=conversation_tokens,
        profile=profile,
        weights=weights,
        memory_types=memory_types,
        tags=tags,
        project_id=project_id,
        states=states,
        as_of=as_of,
        known_at=known_at,
    )
    return RetrieveView.of(retrieved)


@toolset.tool("What a conversation has", READS)
async def get_context_state(
    memory: GraphMemory,
    session_id: Talk = None,
    reset: Annotated[bool, Field(description="Forget it all first.")] = False,
    group_id: parameters.Group = None,
) -> Context:
    """What retrieve_memories gave a conversation, and what is stale."""
    state = await memory.context_state(session_id, reset=reset, group_id=group_id)
    return Context.of(state)


@judging.tool("Judge a memory", READS)
async def memory_feedback(
    memory: GraphMemory,
    memory_id: parameters.Id,
    useful: Annotated[bool, Field(description="Whether it helped.")],
    query: Annotated[Question | None, Field(description="What it was found by.")] = None,
    group_id: parameters.Group = None,
) -> FeedbackView:
    """Say whether a memory helped; ranking may learn from it."""
    learned = await memory.give_feedback(memory_id, useful, query=query, group_id=group_id)
    return FeedbackView.of(memory_id, learned)
