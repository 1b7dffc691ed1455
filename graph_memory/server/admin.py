"""The admin toolset: what concerns a whole group."""

from typing import Annotated

from pydantic import Field

from graph_memory import backup
from graph_memory.api import GraphMemory
from graph_memory.server import parameters as p
from graph_memory.server.tools import DESTROYS, WRITES, Toolset
from graph_memory.server.views import BackedUp, DeletedAll
from graph_memory.tokens import Scope

toolset = Toolset(Scope.ADMIN)


@toolset.tool("Delete all memories", DESTROYS)
async def delete_all_memories(
    memory: GraphMemory,
    confirm: Annotated[str, Field(description="'DELETE ALL', after the user agreed.")] = "",
    permanent: p.Forever = False,
    group_id: p.Group = None,
) -> DeletedAll:
    """Delete every memory of the tenant; recoverable unless permanent."""
    deleted = await memory.delete_all(confirm=confirm, permanent=permanent, group_id=group_id)
    return DeletedAll(deleted=deleted)


@toolset.tool("Back up", WRITES)
async def create_backup(memory: GraphMemory) -> BackedUp:
    """Back up all tenants."""
    memory.grant.require_every_group("a backup")
    made = await backup.create(memory.graph, memory.settings)
    return BackedUp(
        backup_path=str(made.backup_path),
        memories_backed_up=made.memories_backed_up,
        timestamp=made.timestamp,
    )
