"""Tools for a conversation: what it is given, what it has, and what helped."""

from typing import Annotated

from pydantic import Field

from graph_memory.api import GraphMemory
from graph_memory.arguments import Question
from graph_memory.profiles import Profile
from graph_memory.retrieve import (
    Budget,
    ConversationTokens,
    SearchDepth,
    SessionId,
    Threshold,
)
from graph_memory.server import parameters as p
from graph_memory.server.retrieval_views import Context, Given, Judged
from graph_memory.server.tools import READS, Toolset
from graph_memory.tokens import Scope

toolset = Toolset()
judging = Toolset(Scope.WRITE)  # what is learned moves what others find

Talk = Annotated[SessionId | None, Field(description="Of an earlier answer.")]


@toolset.tool("Retrieve for a conversation", READS)
async def retrieve_memories(
    memory: GraphMemory,
    query: p.Query,
    max_tokens: Annotated[Budget | None, Field(description="Default 2000."), p.NUMBER] = None,
    search_depth: Annotated[
        SearchDepth | None, Field(description="Relations walked, 0-5; default 2."), p.NUMBER
    ] = None,
    staleness_threshold: Annotated[
        Threshold | None, Field(description="Default 4096 tokens."), p.NUMBER
    ] = None,
    session_id: Talk = None,
    conversation_tokens: Annotated[
        ConversationTokens | None, Field(description="Conversation so far."), p.NUMBER
    ] = None,
    memory_types: p.Types = None,
    tags: p.AnyTag = None,
    project_id: p.Project = None,
    states: p.Living = None,
    profile: Annotated[
        p.Ranking, Field(description="As in search_memory."), p.WORD
    ] = Profile.RECALL,
    weights: p.Weights = None,
    as_of: p.AsOf = None,
    known_at: p.KnownAt = None,
    group_id: p.Group = None,
) -> Given:
    """Find what answers and what is related, in full, within a token budget.

    Pass session_id on: what you have is not repeated until stale; what changed since is named.
    """
    retrieved = await memory.retrieve(
        query, group_id=group_id, max_tokens=max_tokens, search_depth=search_depth,
        staleness_threshold=staleness_threshold, session_id=session_id,
        conversation_tokens=conversation_tokens, profile=profile, weights=weights,
        memory_types=memory_types, tags=tags, project_id=project_id, states=states,
        as_of=as_of, known_at=known_at,
    )  # fmt: skip
    return Given.of(retrieved)


@toolset.tool("What a conversation has", READS)
async def get_context_state(
    memory: GraphMemory,
    session_id: Talk = None,
    reset: Annotated[bool, Field(description="Forget it all first.")] = False,
    group_id: p.Group = None,
) -> Context:
    """What retrieve_memories gave a conversation, and what is stale."""
    state = await memory.context_state(session_id, reset=reset, group_id=group_id)
    return Context.of(state)


@judging.tool("Judge a memory", READS)
async def memory_feedback(
    memory: GraphMemory,
    memory_id: p.Id,
    useful: Annotated[bool, Field(description="Whether it helped.")],
    query: Annotated[Question | None, Field(description="What it was found by.")] = None,
    group_id: p.Group = None,
) -> Judged:
    """Say whether a memory helped; ranking may learn from it."""
    learned = await memory.give_feedback(memory_id, useful, query=query, group_id=group_id)
    return Judged.of(memory_id, learned)
