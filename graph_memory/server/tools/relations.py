"""The graph toolset: relations and what was true when."""

from typing import Annotated

from pydantic import Field

from graph_memory.api.service import GraphMemory
from graph_memory.domain.inputs import MemoryId, RelationName, Unit
from graph_memory.memories.lifecycle import Resolution
from graph_memory.server import parameters
from graph_memory.server.tool import PURE_READS, WRITES, Toolset
from graph_memory.server.views.relations import History, Relations, Unrelated

toolset = Toolset()

_From = Annotated[MemoryId, Field(description="Where it starts.")]
_To = Annotated[MemoryId, Field(description="Where it ends.")]


@toolset.tool("Relate memories", WRITES)
async def memory_relate(
    memory: GraphMemory,
    from_id: _From,
    to_id: _To,
    relation_type: Annotated[RelationName, Field(description="How from_id bears on to_id.")],
    strength: Annotated[Unit, Field(description="0 to 1.")] = 0.5,
    bidirectional: Annotated[bool, Field(description="Also back, by the inverse type.")] = False,
    metadata: parameters.Details = {},  # noqa: B006 - never changed
    fact: Annotated[str | None, Field(description="As a sentence.")] = None,
    valid_at: parameters.TrueFrom = None,
    invalid_at: parameters.TrueUntil = None,
    resolve: Annotated[
        Resolution | None,
        Field(description="Of contradicts: who supersedes."),
    ] = None,
    group_id: parameters.Group = None,
) -> Relations:
    """Relate two memories; repeating it updates strength and metadata."""
    made = await memory.relate(
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
    return Relations.of(made)


@toolset.tool("End relations", WRITES)
async def memory_unrelate(
    memory: GraphMemory,
    from_id: _From,
    to_id: _To,
    relation_type: Annotated[
        RelationName | None, Field(description="Default: every type."), parameters.WORD
    ] = None,
    both_directions: Annotated[bool, Field(description="Also those back.")] = False,
    group_id: parameters.Group = None,
) -> Unrelated:
    """End relations between two memories; as_of still shows them."""
    removed = await memory.unrelate(
        from_id, to_id, relation_type, both_directions=both_directions, group_id=group_id
    )
    return Unrelated(removed=removed)


@toolset.tool("History of a memory", PURE_READS)
async def memory_history(
    memory: GraphMemory, memory_id: parameters.Id, group_id: parameters.Group = None
) -> History:
    """Tell what became of a memory: texts, states with reasons, relations."""
    return History.of(memory_id, await memory.history(memory_id, group_id=group_id))
