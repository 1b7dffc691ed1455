"""Take back what is dated after an instant, in a database that was restored from a backup.

The backup was made at the instant or later. Runs are undone first, the latest first, because undo
restores what has no history: purged memories, and what was learned. Then what was created later
goes, and the histories of the memories give back the values of that time. Statements that were
rejected or erased since do not come back.
"""

from collections import defaultdict
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import UTC, datetime

from graph_memory.backup.until import TakenBack
from graph_memory.database.graph import Graph
from graph_memory.database.lease import Lease
from graph_memory.database.ranges import id_ranges
from graph_memory.decay import policies
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.learning.review import KEPT
from graph_memory.maintenance.compression import compress_contents
from graph_memory.maintenance.earlier import Earlier, StoredMemory, earlier
from graph_memory.maintenance.undo import undo_held
from graph_memory.memories.embeddings import groups
from graph_memory.memories.tombstones import check_each
from graph_memory.memories.update import erase
from graph_memory.settings.base import Settings

#: Memories that are read and written in one transaction.
_PAGE = 500

#: Memories among which one statement looks for changed ones.
_RANGE = 10_000

#: Nodes or relations that are erased in one transaction.
_BATCH = 2000


@dataclass(frozen=True, slots=True)
class _Run:
    run_id: str
    now: Instant
    status: str


async def take_back(lease: Lease, settings: Settings, until: datetime) -> TakenBack:
    """Take back what is dated after an instant.

    Args:
        lease: The lease of the restored database, which nothing else uses.
        settings: The decay rules, and the key of tombstones.
        until: The instant; what is dated at it stays.
    """
    graph, at = lease.graph, instant(until)
    undone = await _undo_runs(lease, settings, at)
    removed = await graph.one("maintenance/rewind/remove_relations", int, until=at, batch=_BATCH)
    memories = await _remove_memories(graph, at)
    await _remove_others(graph, at)
    reopened = await graph.one("maintenance/rewind/reopen_relations", int, until=at, batch=_BATCH)
    counts = await _set_back(graph, settings, at)
    return TakenBack(
        until=until,
        memories=await graph.one("maintenance/rewind/count", int) or 0,
        removed=memories,
        set_back=counts.set_back,
        relations_removed=removed or 0,
        relations_reopened=reopened or 0,
        runs_undone=undone,
        refused=counts.refused,
        incomplete=counts.incomplete,
    )


async def _undo_runs(lease: Lease, settings: Settings, until: str) -> int:
    """Undo the runs after an instant, the latest first, and erase their records.

    Undo refuses a memory that was changed after the run; its own history sets it back later. Each
    run is undone as of its own instant, because its records do not grow old in a backup.
    """
    free, undone = settings.model_copy(update={"undo_hold_days": 0.0}), 0
    graph = lease.graph
    for run in await graph.rows("maintenance/rewind/runs", _Run, until=until):
        if run.status == "undone":
            continue
        await undo_held(lease, free, run.run_id, now=run.now)
        undone += 1
    await graph.run("maintenance/rewind/forget_runs", until=until, batch=_BATCH)
    return undone


async def _remove_memories(graph: Graph, until: str) -> int:
    """Erase the memories that were created after an instant, without tombstones."""
    removed = 0
    for group_id in await groups(graph):
        while ids := await graph.rows(
            "maintenance/rewind/new_memories", str, group_id=group_id, until=until, limit=_PAGE
        ):
            removed += len(await erase(graph, group_id, ids))
    return removed


async def _remove_others(graph: Graph, until: str) -> None:
    """Erase other nodes and links of the time after an instant, and end conversations earlier."""
    common = {"until": until, "batch": _BATCH}
    await graph.run("maintenance/rewind/reopen_proposals", kept=list(KEPT), **common)
    await graph.run("maintenance/rewind/remove_links", **common)
    await graph.run("maintenance/rewind/remove_nodes", **common)
    await graph.run("maintenance/rewind/sessions", **common)
    await graph.run("maintenance/rewind/conversations", batch=_BATCH)


@dataclass(slots=True)
class _Counts:
    set_back: int = 0
    refused: int = 0
    incomplete: int = 0


async def _set_back(graph: Graph, settings: Settings, until: str) -> _Counts:
    """Set memories back that were changed after an instant, a page at a time."""
    counts, longest = _Counts(), settings.state_history_length
    async for page in _changed(graph, until):
        found = [earlier(each, until, longest) for each in page]
        counts.set_back += len(found)
        counts.incomplete += sum(each.incomplete for each in found)
        counts.refused += await _refuse(graph, settings, page, found)
        await graph.run(
            "maintenance/rewind/set_back",
            until=until,
            memories=[each.parameters() for each in found],
            now=instant(datetime.now(UTC)),
            decay=policies.parameters(settings),
        )
    await graph.run("maintenance/rewind/give_keys", batch=_BATCH)
    async for _ in compress_contents(graph, groups=None, canary=100):
        pass
    return counts


async def _changed(graph: Graph, until: str) -> AsyncGenerator[list[StoredMemory]]:
    """Yield the memories that were changed after an instant, in pages."""
    async for span in id_ranges(graph, limit=_RANGE):
        while page := await graph.rows(
            "maintenance/rewind/changed", StoredMemory, until=until, limit=_PAGE, **span
        ):
            yield page
            span["after_id"] = page[-1].memory_id


async def _refuse(
    graph: Graph, settings: Settings, page: list[StoredMemory], found: list[Earlier]
) -> int:
    """Keep texts from coming back that were rejected or erased since; return their number.

    Such a memory keeps its present text, and stays deleted if it is.
    """
    returning: defaultdict[str, list[tuple[StoredMemory, Earlier]]] = defaultdict(list)
    for stored, each in zip(page, found, strict=True):
        if each.returns:
            returning[stored.group_id].append((stored, each))
    refused = 0
    for group_id, pairs in returning.items():
        contents = [each.content for _, each in pairs]
        errors = await check_each(graph, settings, group_id, contents)
        for (stored, each), error in zip(pairs, errors, strict=True):
            if error:
                each.refuse(stored.stored)
                refused += 1
    return refused
