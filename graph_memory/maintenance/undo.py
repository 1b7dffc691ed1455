"""Undo a maintenance run: every memory as it was before, unless it was changed since."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from graph_memory.database.graph import Graph
from graph_memory.database.lease import Lease
from graph_memory.decay import policies
from graph_memory.domain.timestamps import instant
from graph_memory.errors import UndoRefusedError
from graph_memory.maintenance import records
from graph_memory.maintenance.compression import compress_contents
from graph_memory.maintenance.records import RunStatus
from graph_memory.settings.base import Settings

_BATCH = 500

#: Refusals that a report lists; all are counted.
_LISTED = 100


@dataclass(frozen=True, slots=True)
class UndoRefusal:
    """A memory that stays as it is, and why."""

    memory_id: str
    reason: str


@dataclass(slots=True)
class UndoReport:
    """What became of an undo, in memories; `refusals` are the first of `refused`."""

    run_id: str
    restored: int = 0
    refused: int = 0
    refusals: list[UndoRefusal] = field(default_factory=list[UndoRefusal])


@dataclass(frozen=True, slots=True)
class _Restored:
    memory_id: str
    refused: str | None


async def undo(
    graph: Graph, settings: Settings, run_id: str, *, group_id: str | None = None, now: datetime
) -> UndoReport:
    """Put back what a run changed: states, dates, tags, contents, and what it purged.

    With a group only what it changed of that; the rest of the run can be undone later.

    A memory that was changed since stays as it is, and is named; as long as there is one, the run
    can be undone again. An undo that was interrupted goes on where it stopped.

    Raises:
        UndoRefusedError: There is no such run, or not for the group, or it has been undone, or its
            records are gone.
        RunLockedError: A run is on its way.
    """
    async with Lease(graph, settings):
        kept = f"runs are remembered for {settings.undo_retention_days:g} days only"
        run = await records.find(graph, run_id)
        if run is None or not _concerns(run, group_id):
            raise UndoRefusedError(
                run_id, f"there is no such run; a dry run changes nothing, and {kept}"
            )
        if run.status == "undone":
            raise UndoRefusedError(run_id, "it has been undone already")
        if now - run.now > timedelta(days=settings.undo_retention_days):
            raise UndoRefusedError(run_id, kept)
        undone = UndoReport(run_id)
        at = {"now": instant(now), "decay": policies.parameters(settings)}
        after_id = ""
        while ids := await graph.rows(
            "maintenance/undo/changed",
            str,
            run_id=run_id,
            group_id=group_id,
            after_id=after_id,
            limit=_BATCH,
        ):
            await graph.run("maintenance/undo/revive", run_id=run_id, memory_ids=ids)
            for row in await graph.rows(
                "maintenance/undo/restore", _Restored, run_id=run_id, memory_ids=ids, **at
            ):
                _count(undone, row)
            after_id = ids[-1]
        touched = run.groups if group_id is None else [group_id]
        async for _ in compress_contents(graph, groups=touched, canary=100):
            pass
        whole = group_id is None or run.groups == [group_id]
        if whole and undone.restored and not undone.refused:
            await records.mark(graph, run_id, "undone")
    return undone


def _concerns(run: RunStatus, group_id: str | None) -> bool:
    """Tell whether a run was for a group, too; of others its members learn nothing."""
    return group_id is None or run.groups is None or group_id in run.groups


def _count(undone: UndoReport, row: _Restored) -> None:
    if row.refused is None:
        undone.restored += 1
        return
    undone.refused += 1
    if len(undone.refusals) < _LISTED:
        undone.refusals.append(UndoRefusal(row.memory_id, row.refused))
