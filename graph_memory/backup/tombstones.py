"""Tombstones in a restore: those of the database stay, and apply to what is restored."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

from graph_memory.database.graph import Graph
from graph_memory.domain.encoding import StoredContent
from graph_memory.domain.scope import CallScope
from graph_memory.memories import tombstones
from graph_memory.memories.tombstones import Cause
from graph_memory.memories.update import erase
from graph_memory.settings.base import Settings

_BATCH = 500


@dataclass(frozen=True, slots=True)
class Applied:
    """The numbers of restored memories that tombstones of the database delete and erase."""

    rejected: int
    erased: int


@dataclass(frozen=True, slots=True)
class _Restored:
    memory_id: str
    content: StoredContent


async def set_aside(graph: Graph) -> None:
    """Set the tombstones aside, so that the restore does not erase them."""
    await graph.run("backup/tombstones/set_aside")


async def bring_back(graph: Graph, settings: Settings) -> Applied:
    """Bring the tombstones back beside those of the backup, and apply them to its memories.

    A rejected memory is soft-deleted, an erased one is erased again. The keys of the hashes stay
    side by side if the backup is of another database.
    """
    await graph.run("backup/tombstones/keys", fresh=str(uuid.uuid4()))
    rejected = erased = 0
    for group_id in await graph.rows("backup/tombstones/bring_back", str):
        scope = CallScope(group_id, datetime.now(UTC))
        after_id = ""
        while page := await graph.rows(
            "backup/tombstones/memories",
            _Restored,
            group_id=group_id,
            after_id=after_id,
            limit=_BATCH,
        ):
            applied = await _apply(graph, settings, scope, page)
            rejected += applied.rejected
            erased += applied.erased
            after_id = page[-1].memory_id
    return Applied(rejected, erased)


async def _apply(
    graph: Graph, settings: Settings, scope: CallScope, page: list[_Restored]
) -> Applied:
    contents = [each.content for each in page]
    errors = await tombstones.check_each(graph, settings, scope.group_id, contents)
    ids: dict[str, list[str]] = {cause: [] for cause in Cause}
    for each, error in zip(page, errors, strict=True):
        if error:
            ids[error.reason].append(each.memory_id)
    gone = await tombstones.delete_rejected(graph, settings, scope, ids[Cause.REJECTED])
    erased = await erase(graph, scope.group_id, ids[Cause.ERASED]) if ids[Cause.ERASED] else []
    return Applied(len(gone), len(erased))
