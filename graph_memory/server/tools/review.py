"""Tools for the review of writes that wait, for callers with the scope admin."""

from typing import Annotated, Literal

from pydantic import Field

from graph_memory.api.service import GraphMemory
from graph_memory.api.types import Scope
from graph_memory.domain.inputs import AuthorityName, Line, MemoryId
from graph_memory.server import parameters
from graph_memory.server.tool import DESTROYS, ON_PAGE, READS, Toolset
from graph_memory.server.views.review import PendingView, ReviewedView

toolset = Toolset(Scope.ADMIN)


@toolset.tool("List waiting writes", READS, meta=ON_PAGE)
async def list_pending(
    memory: GraphMemory,
    kinds: Annotated[
        tuple[Literal["add", "update", "episode"], ...] | None,
        Field(description="Kinds: add, update or episode; default: all."),
        parameters.WORDS,
    ] = None,
    authorities: Annotated[
        tuple[AuthorityName, ...] | None,
        Field(description="Authorities of the texts; default: all."),
        parameters.WORDS,
    ] = None,
    ways: Annotated[
        tuple[Line, ...] | None,
        Field(description="Tools or commands by which they came; default: all."),
    ] = None,
    limit: parameters.Limit = 20,
    group_id: parameters.GroupId = None,
) -> PendingView:
    """List the writes that wait for a review when a user wants to settle them."""
    found = await memory.pending.list(
        kinds=kinds, authorities=authorities, ways=ways, limit=limit, group_id=group_id
    )
    return PendingView.of(found)


@toolset.tool("Decide on waiting writes", DESTROYS)
async def decide_pending(
    memory: GraphMemory,
    decision: Annotated[
        Literal["accept", "reject"],
        Field(description="Decision: accept or reject."),
        parameters.WORD,
    ],
    pending_ids: Annotated[
        tuple[MemoryId, ...], Field(min_length=1, description="Ids of writes."), parameters.WORDS
    ],
    reason: Annotated[Line | None, Field(description="Reason of a rejection.")] = None,
    group_id: parameters.GroupId = None,
) -> ReviewedView:
    """Accept or reject writes that wait, after a user has decided on each.

    A rejected statement is refused from then on.
    """
    if decision == "accept":
        return ReviewedView.of(await memory.pending.accept(pending_ids, group_id=group_id))
    done = await memory.pending.reject(pending_ids, reason=reason, group_id=group_id)
    return ReviewedView.of(done)
