"""The part of the graph toolset for relations and the history of a memory."""

from typing import Annotated

from pydantic import Field

from graph_memory.api.service import GraphMemory
from graph_memory.api.types import Resolution
from graph_memory.domain.inputs import MemoryId, RelationName, Unit
from graph_memory.server import parameters
from graph_memory.server.schemas import UNLISTED, Unlisted
from graph_memory.server.tool import READS, SETS, Toolset
from graph_memory.server.views.relations import EndedRelationsView, HistoryView, RelationsView

toolset = Toolset()

_From = Annotated[MemoryId, Field(description="Id of the start.")]
_To = Annotated[MemoryId, Field(description="Id of the end.")]


@toolset.tool("Relate memories", SETS)
async def memory_relate(
    memory: GraphMemory,
    from_id: _From,
    to_id: _To,
    relation_type: Annotated[RelationName, Field(description="Type, read from start to end.")],
    strength: Annotated[Unit | None, Field(description="Strength; default: 0.5.")] = None,
    bidirectional: Annotated[
        bool, Field(description="True: also the inverse relation."), UNLISTED
    ] = False,
    metadata: Unlisted[parameters.NewMetadata] = None,
    fact: Annotated[str | None, Field(description="The relation as a sentence."), UNLISTED] = None,
    valid_at: Unlisted[parameters.ValidAt] = None,
    invalid_at: Unlisted[parameters.InvalidAt] = None,
    resolve: Annotated[
        Resolution | None,
        Field(description="For contradicts: the memory that supersedes."),
        UNLISTED,
    ] = None,
    group_id: parameters.GroupId = None,
) -> RelationsView:
    """Relate two memories when one causes, supports, contradicts or replaces the other.

    With supersedes, to_id becomes obsolete.
    """
    made = await memory.relations.add(
        from_id,
        to_id,
        relation_type,
        strength=strength,
        bidirectional=bidirectional,
        metadata=metadata,
        fact=fact,
        valid_at=valid_at,
        invalid_at=invalid_at,
        resolve=resolve,
        group_id=group_id,
    )
    return RelationsView.of(made)


@toolset.tool("End relations", SETS)
async def memory_unrelate(
    memory: GraphMemory,
    from_id: _From,
    to_id: _To,
    relation_type: Annotated[
        RelationName | None, Field(description="Type of relation; default: all."), parameters.WORD
    ] = None,
    both_directions: Annotated[
        bool, Field(description="True: also relations from to_id to from_id."), UNLISTED
    ] = False,
    group_id: parameters.GroupId = None,
) -> EndedRelationsView:
    """End relations between two memories when they no longer hold."""
    removed = await memory.relations.remove(
        from_id, to_id, relation_type, both_directions=both_directions, group_id=group_id
    )
    return EndedRelationsView(removed=removed)


@toolset.tool("Show the history", READS)
async def memory_history(
    memory: GraphMemory, memory_id: parameters.MemoryId, group_id: parameters.GroupId = None
) -> HistoryView:
    """List what happened to a memory when you ask why it changed."""
    return HistoryView.of(memory_id, await memory.lifecycle.history(memory_id, group_id=group_id))
