"""Undo of a maintenance run: restore each memory, unless it was changed after the run."""

from collections import defaultdict
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.database.lease import Lease
from graph_memory.decay import policies
from graph_memory.domain.encoding import StoredContent
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.errors import UndoRefusedError
from graph_memory.learning.unlearn import unlearn
from graph_memory.maintenance import records
from graph_memory.maintenance.compression import compress_contents
from graph_memory.maintenance.records import RunStatus
from graph_memory.memories.tombstones import check_each
from graph_memory.settings.base import Settings

_BATCH = 500

#: The most refusals that a report lists; it counts all of them.
LISTED = 100


@dataclass(frozen=True, slots=True)
class UndoRefusal:
    """A memory that was not restored, and the reason."""

    memory_id: str
    reason: str


@dataclass(slots=True)
class UndoReport:
    """The result of an undo, in memories; `refusals` are the first of the `refused` memories."""

    run_id: str
    held_until: Instant | None  #: runs leave the restored memories alone until then
    restored: int = 0
    unlearned: int = 0  #: proposals, decisions and learned values that were taken back
    held: int = 0  #: of the `unlearned`, memories that runs leave alone until `held_until` too
    refused: int = 0
    refusals: list[UndoRefusal] = field(default_factory=list[UndoRefusal])

    @property
    def changed(self) -> bool:
        """Return True if the undo changed anything."""
        return bool(self.restored or self.unlearned)

    @property
    def explanation(self) -> str:
        """The counts, and what the next runs will do, in sentences."""
        unlearned = f"{self.unlearned} learned changes taken back, " if self.unlearned else ""
        counts = (
            f"Run {self.run_id}: {self.restored} memories as before, {unlearned}"
            f"{self.refused} refused."
        )
        if not self.restored and not self.held:
            return counts
        if self.held_until is None:
            return f"{counts} The next run applies the rules to them again; pause maintenance."
        return (
            f"{counts} Runs leave the restored ones alone until {self.held_until:%Y-%m-%d %H:%M} "
            "UTC, then the rules apply again. Before that, change the rules, or use or preserve "
            "the memories."
        )


@dataclass(frozen=True, slots=True)
class _Restored:
    memory_id: str
    refused: str | None


@dataclass(frozen=True, slots=True)
class _Returning:
    memory_id: str
    group_id: str
    content: StoredContent


async def undo(
    graph: Graph, settings: Settings, run_id: str, *, group_id: str | None = None, now: datetime
) -> UndoReport:
    """Restore what a run changed: states, dates, tags, contents, purged memories, what it learned.

    The restored memories are held: until `undo_hold_days` have passed, no run changes them.

    A memory that was changed after the run stays as it is, and the report names it. As long as such
    a memory remains, the run can be undone again. An interrupted undo goes on where it stopped.

    Args:
        graph: The database.
        settings: The decay rules, how long runs can be undone, and how long an undo holds.
        run_id: The run.
        group_id: Undo only the changes of this tenant; the other changes can be undone later.
        now: The caller's clock.

    Raises:
        UndoRefusedError: The run is unknown, did not treat the group, has been undone, or its
            records are erased.
        RunLockedError: A run is in progress, or took over because this call was held up.
    """
    async with Lease(graph, settings) as lease:
        return await undo_held(lease, settings, run_id, group_id=group_id, now=now)


async def undo_held(
    lease: Lease, settings: Settings, run_id: str, *, group_id: str | None = None, now: datetime
) -> UndoReport:
    """Undo a run as `undo` does, under a lease of the caller."""
    graph = lease.graph
    run = await _undoable_run(graph, settings, run_id, group_id, now)
    held = now + timedelta(days=settings.undo_hold_days) if settings.undo_hold_days else None
    undone = UndoReport(run_id, held)
    at = {
        "now": instant(now),
        "decay": policies.parameters(settings, by=f"undo of run {run_id}"),
        "held_until": instant(held) if held else None,
    }
    async for row in _restore(lease, settings, run_id, group_id, at):
        _count(undone, row)
    await lease.require_held()
    unlearned = await unlearn(graph, run_id, now, group_id)
    undone.unlearned = unlearned.count
    if held and unlearned.revived:
        ids = sorted(unlearned.revived)
        await graph.run("maintenance/undo/hold", memory_ids=ids, **at)
        undone.held = len(ids)
    for kept in unlearned.kept:
        _count(undone, _Restored(kept.memory_id, kept.refused))
    groups = run.groups if group_id is None else [group_id]
    async for _ in compress_contents(graph, groups=groups, canary=100):
        pass
    if groups == run.groups and undone.changed and not undone.refused:
        await records.mark(graph, run_id, "undone")
    return undone


async def _undoable_run(
    graph: Graph, settings: Settings, run_id: str, group_id: str | None, now: datetime
) -> RunStatus:
    """Return a run that can be undone, or raise `UndoRefusedError`."""
    kept = f"runs are remembered for {settings.undo_retention_days:g} days only"
    run = await records.find(graph, run_id)
    if run is None or not _has_treated(run, group_id):
        raise UndoRefusedError(
            run_id, f"there is no such run; a dry run changes nothing, and {kept}"
        )
    if run.status == "undone":
        raise UndoRefusedError(run_id, "it has been undone already")
    if now - run.now > timedelta(days=settings.undo_retention_days):
        raise UndoRefusedError(run_id, kept)
    return run


def _has_treated(run: RunStatus, group_id: str | None) -> bool:
    """Check that a run treated a group; for members of other groups the run does not exist."""
    return group_id is None or run.groups is None or group_id in run.groups


async def _restore(
    lease: Lease, settings: Settings, run_id: str, group_id: str | None, at: dict[str, Any]
) -> AsyncGenerator[_Restored]:
    """Restore the memories that a run changed, a batch at a time, in the order of their ids.

    Deleted memories whose statement was rejected or erased since, as another memory, stay deleted.
    """
    graph, after_id = lease.graph, ""
    while ids := await graph.rows(
        "maintenance/undo/changed",
        str,
        run_id=run_id,
        group_id=group_id,
        after_id=after_id,
        limit=_BATCH,
    ):
        await lease.require_held()
        await graph.run("maintenance/undo/revive", run_id=run_id, memory_ids=ids)
        refused = await _rejected_since(graph, settings, run_id, ids)
        for each in refused.values():
            yield each
        rest = [each for each in ids if each not in refused]
        for row in await graph.rows(
            "maintenance/undo/restore", _Restored, run_id=run_id, memory_ids=rest, **at
        ):
            yield row
        after_id = ids[-1]


async def _rejected_since(
    graph: Graph, settings: Settings, run_id: str, memory_ids: list[str]
) -> dict[str, _Restored]:
    """Return the memories that a run deleted and whose statement was rejected or erased since."""
    by_group: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for each in await graph.rows(
        "maintenance/undo/returning", _Returning, run_id=run_id, memory_ids=memory_ids
    ):
        by_group[each.group_id][each.memory_id] = each.content
    refused: dict[str, _Restored] = {}
    for group_id, contents in by_group.items():
        errors = await check_each(graph, settings, group_id, list(contents.values()))
        for memory_id, error in zip(contents, errors, strict=True):
            if error:
                reason = f"its statement was {error.reason} at {error.at}"
                refused[memory_id] = _Restored(memory_id, reason)
    return refused


def _count(undone: UndoReport, row: _Restored) -> None:
    if row.refused is None:
        undone.restored += 1
        return
    undone.refused += 1
    if len(undone.refusals) < LISTED:
        undone.refusals.append(UndoRefusal(row.memory_id, row.refused))
