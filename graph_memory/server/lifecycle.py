"""The lifecycle toolset: what becomes of memories."""

from typing import Annotated

from pydantic import Field

from graph_memory.api import GraphMemory
from graph_memory.arguments import Line, MemoryId
from graph_memory.server import parameters as p
from graph_memory.server.graph_views import ObsoleteMemory
from graph_memory.server.tools import DESTROYS, Toolset

toolset = Toolset()


@toolset.tool("Mark a memory obsolete", DESTROYS)
async def mark_memory_obsolete(
    memory: GraphMemory,
    memory_id: p.Id,
    reason: Annotated[Line, Field(description="Why; shown in its history.")],
    superseded_by: Annotated[
        MemoryId | None, Field(description="Id of the memory that holds instead.")
    ] = None,
    group_id: p.Group = None,
) -> ObsoleteMemory:
    """Expire a memory that no longer holds; searches leave it out, as_of still finds it."""
    marked = await memory.mark_obsolete(
        memory_id, reason, superseded_by=superseded_by, group_id=group_id
    )
    return ObsoleteMemory.of(marked)
