"""The admin toolset: tools for a whole tenant."""

from typing import Annotated

from pydantic import Field

from graph_memory.api.service import GraphMemory
from graph_memory.api.types import Scope
from graph_memory.server import parameters
from graph_memory.server.tool import DESTROYS, READS, SETS, WRITES, Toolset
from graph_memory.server.views.base import BackupView, GroupDeletionView
from graph_memory.server.views.stats import HealthView, RebuildView, StatsView

toolset = Toolset(Scope.ADMIN)

#: Tools that only read, which every caller may use.
looking = Toolset()


@looking.tool("Report health", READS)
async def get_knowledge_health(
    memory: GraphMemory, group_id: parameters.GroupId = None
) -> HealthView:
    """Report states, mean scores and waiting work when something seems wrong."""
    return HealthView.of(await memory.health(group_id))


@looking.tool("Count memories", READS)
async def memory_stats(memory: GraphMemory, group_id: parameters.GroupId = None) -> StatsView:
    """Count memories by type and tag, and relations, when a user asks what is stored."""
    return StatsView.of(await memory.stats(group_id))


@toolset.tool("Rebuild embeddings", SETS)
async def rebuild_embeddings(
    memory: GraphMemory,
    dry_run: Annotated[bool, Field(description="Only count.")] = True,
    only_missing: Annotated[bool, Field(description="False: all memories.")] = True,
    group_id: parameters.GroupId = None,
) -> RebuildView:
    """Embed memories again when vectors are missing."""
    group = memory.group(group_id)
    report = await memory.embeddings.rebuild(
        only_missing=only_missing, dry_run=dry_run, group_id=group
    )
    return RebuildView.of(report)


@toolset.tool("Delete all memories", DESTROYS)
async def delete_all_memories(
    memory: GraphMemory,
    confirm: Annotated[str, Field(description="DELETE ALL, once the user agrees.")] = "",
    permanent: parameters.Permanent = False,
    group_id: parameters.GroupId = None,
) -> GroupDeletionView:
    """Delete all memories of the tenant when the user asks for it, after a backup."""
    gone = await memory.delete_all(
        confirm=confirm,
        permanent=permanent,
        backed_up=memory.settings.backup_auto,
        group_id=group_id,
    )
    path = str(gone.backup_path) if gone.backup_path else None
    return GroupDeletionView(deleted=gone.deleted, backup_path=path)


@toolset.tool("Back up", WRITES)
async def create_backup(memory: GraphMemory) -> BackupView:
    """Back up the memories of all tenants before a risky change, to the server's disk."""
    home, *others = await memory.backups.create_all()
    return BackupView(
        backup_path=str(home.backup_path),
        other_backup_paths=[str(other.backup_path) for other in others],
        memories_backed_up=sum(each.memories_backed_up for each in (home, *others)),
        timestamp=home.timestamp,
    )
