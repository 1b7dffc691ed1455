"""The part of the graph toolset for relations and the history of a memory."""

from typing import Annotated

from pydantic import Field

from graph_memory.api.service import GraphMemory
from graph_memory.api.types import Resolution
from graph_memory.domain.inputs import MemoryId, RelationName, Unit
from graph_memory.server import parameters
from graph_memory.server.tool import PURE_READS, WRITES, Toolset
from graph_memory.server.views.relations import EndedRelationsView, HistoryView, RelationsView

toolset = Toolset()

_From = Annotated[MemoryId, Field(description="Id of the memory at the start.")]
_To = Annotated[MemoryId, Field(description="Id of the memory at the end.")]


@toolset.tool("Relate memories", WRITES)
async def memory_relate(
    memory: GraphMemory,
    from_id: _From,
    to_id: _To,
    relation_type: Annotated[
        RelationName, Field(description="Type of the relation from from_id to to_id.")
    ],
    strength: Annotated[Unit | None, Field(description="Strength, 0 to 1; default: 0.5.")] = None,
    bidirectional: Annotated[bool, Field(description="True: also the inverse relation.")] = False,
    metadata: parameters.NewMetadata = None,
    fact: Annotated[str | None, Field(description="The relation as a sentence.")] = None,
    valid_at: parameters.ValidAt = None,
    invalid_at: parameters.InvalidAt = None,
    resolve: Annotated[
        Resolution | None,
        Field(description="For contradicts: the memory that supersedes."),
    ] = None,
    group_id: parameters.GroupId = None,
) -> RelationsView:
    """Relate two memories, or change what you give. supersedes makes to_id obsolete."""
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


@toolset.tool("End relations", WRITES)
async def memory_unrelate(
    memory: GraphMemory,
    from_id: _From,
    to_id: _To,
    relation_type: Annotated[
        RelationName | None, Field(description="Type of relation; default: all."), parameters.WORD
    ] = None,
    both_directions: Annotated[
        bool, Field(description="True: also relations from to_id to from_id.")
    ] = False,
    group_id: parameters.GroupId = None,
) -> EndedRelationsView:
    """End relations between two memories. Reads with as_of still show them."""
    removed = await memory.relations.remove(
        from_id, to_id, relation_type, both_directions=both_directions, group_id=group_id
    )
    return EndedRelationsView(removed=removed)


@toolset.tool("History of a memory", PURE_READS)
async def memory_history(
    memory: GraphMemory, memory_id: parameters.MemoryId, group_id: parameters.GroupId = None
) -> HistoryView:
    """List what happened to a memory: versions, changes with causes, relations."""
    return HistoryView.of(memory_id, await memory.lifecycle.history(memory_id, group_id=group_id))
