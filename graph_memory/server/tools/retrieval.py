"""Tools for a conversation: retrieval, context state and feedback."""

from typing import Annotated

from pydantic import Field

from graph_memory.api.service import GraphMemory
from graph_memory.api.types import (
    Budget,
    ConversationTokens,
    Profile,
    Scope,
    SearchDepth,
    Threshold,
)
from graph_memory.domain.inputs import Question
from graph_memory.domain.models import ResultOrder
from graph_memory.server import parameters
from graph_memory.server.schemas import UNLISTED, Unlisted
from graph_memory.server.tool import READS, WRITES, Toolset
from graph_memory.server.views.lean import Detail, FullView, LeanRetrieval, LeanView
from graph_memory.server.views.retrieval import ContextView, FeedbackView, RetrieveView

toolset = Toolset()
sessions = Toolset()
judging = Toolset(Scope.WRITE)  # feedback changes the ranking of other callers


@toolset.tool("Retrieve memories", READS)
async def retrieve_memories(
    memory: GraphMemory,
    query: parameters.Query,
    max_tokens: Annotated[
        Budget | None,
        Field(description="Most tokens; default: 2000."),
        parameters.NUMBER,
    ] = None,
    search_depth: Annotated[
        SearchDepth | None,
        Field(description="Relations to follow, 0 to 5; default: 2."),
        parameters.NUMBER,
        UNLISTED,
    ] = None,
    staleness_threshold: Annotated[
        Threshold | None,
        Field(description="Tokens after which a memory may repeat; default: 4096."),
        parameters.NUMBER,
        UNLISTED,
    ] = None,
    session_id: parameters.Session = None,
    conversation_tokens: Annotated[
        ConversationTokens | None,
        Field(description="Length of the conversation in tokens."),
        parameters.NUMBER,
        UNLISTED,
    ] = None,
    memory_types: Unlisted[parameters.MemoryTypes] = None,
    tags: parameters.AnyTags = None,
    project_id: Unlisted[parameters.ProjectId] = None,
    min_authority: Unlisted[parameters.MinAuthority] = None,
    states: Unlisted[parameters.States] = None,
    profile: Annotated[
        parameters.ProfileName,
        Field(description="Ranking, as in search_memory."),
        parameters.WORD,
        UNLISTED,
    ] = Profile.RECALL,
    weights: Unlisted[parameters.Weights] = None,
    min_relevance: Unlisted[parameters.MinRelevance] = None,
    counted: Unlisted[parameters.Counted] = True,
    sort: Unlisted[
        Annotated[ResultOrder | None, Field(description="Order; default: by the query.")]
    ] = None,
    as_of: parameters.AsOf = None,
    known_at: Unlisted[parameters.KnownAt] = None,
    detail: Unlisted[parameters.DetailName] = Detail.LEAN,
    group_id: parameters.GroupId = None,
) -> LeanView:
    """Fetch memories for a question when a conversation is long, within a token budget.

    Pass session_id on: what you have is not repeated; changes are listed.
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
        min_relevance=min_relevance,
        counted=counted,
        sort=sort,
        memory_types=memory_types,
        tags=tags,
        project_id=project_id,
        min_authority=min_authority,
        states=states,
        as_of=as_of,
        known_at=known_at,
        budget_of="answer",
    )
    lean = LeanRetrieval(retrieved)
    return lean if detail is Detail.LEAN else FullView(lean, RetrieveView.of(retrieved))


@sessions.tool("Show the context", READS)
async def get_context_state(
    memory: GraphMemory,
    session_id: parameters.Session = None,
    reset: Annotated[bool, Field(description="Clear the list first.")] = False,
    group_id: parameters.GroupId = None,
) -> ContextView:
    """List what retrieve_memories gave a conversation when you ask which memories are stale."""
    state = await memory.sessions.state(session_id, reset=reset, group_id=group_id)
    return ContextView.of(state)


@judging.tool("Judge a memory", WRITES)
async def memory_feedback(
    memory: GraphMemory,
    memory_id: parameters.MemoryId,
    useful: Annotated[bool, Field(description="True if it helped.")],
    query: Annotated[Question | None, Field(description="Query that found it.")] = None,
    session_id: Unlisted[parameters.Session] = None,
    group_id: parameters.GroupId = None,
) -> FeedbackView:
    """Report whether a memory helped, after you used it."""
    learned = await memory.feedback.add(
        memory_id, useful, query=query, session_id=session_id, group_id=group_id
    )
    return FeedbackView.of(memory_id, learned)
