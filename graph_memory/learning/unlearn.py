"""Undo of learning: take back what a run proposed, decided and noted."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.domain.scope import CallScope
from graph_memory.learning import acting
from graph_memory.learning.entities import ReadMemory, links_from_json, store_mentions
from graph_memory.learning.review import KEPT
from graph_memory.learning.slots import DECIDED_BY

_BATCH = 500

#: The properties that show whether a superseded memory was changed later.
_COMPARED = ("lifecycle_state", "state_changed_at", "obsolete_at", "invalid_at", "edit_history")

#: Those that show whether a memory of a cluster was changed after an action.
_COMPARED_ACTS = (*_COMPARED, "tags", "preserve_until")

_CHANGED = "it was changed or erased since"
_CLUSTERED_AGAIN = "its cluster was computed again since; undo the later run first"

#: Statements that restore learned values, and the reason why a value stays.
_RESTORING = {
    "learning/unlearn/restore_centrality": (
        "its centrality was computed again since; undo the later run first"
    ),
    "learning/unlearn/restore_strengths": (
        "the strength of a relation from it was learned again or given since; "
        "undo the later run first"
    ),
    "learning/unlearn/restore_ended": ("a relation from it was erased since, or has a successor"),
    "learning/unlearn/restore_briefs": (
        "its brief was computed again since; undo the later run first"
    ),
    "learning/unlearn/restore_weights": (
        "the weights of this group were learned again or reset since; undo the later run first"
    ),
}


@dataclass(frozen=True, slots=True)
class Kept:
    """A memory whose learned change stays, and the reason."""

    memory_id: str
    refused: str


@dataclass(slots=True)
class Unlearned:
    """The changes that were taken back, and those that stay.

    Attributes:
        count: Number of changes that were taken back.
        kept: Those that stay.
        revived: Ids of memories that a run had superseded by the settings of their group.
    """

    count: int = 0
    kept: list[Kept] = field(default_factory=list[Kept])
    revived: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True)
class _ReadByRun:
    tenant: str
    memory_ids: list[str]
    before: list[str]
    after: list[str]
    earlier: list[str]

    def restored(self) -> list[ReadMemory]:
        """Return the memories with the mentions that they had before the run."""
        rows = zip(self.memory_ids, self.after, self.before, self.earlier, strict=True)
        return [ReadMemory(*row[:3], [], links_from_json(row[3])) for row in rows]


@dataclass(frozen=True, slots=True)
class Reopened:
    """A proposal whose decision was taken back, unless there is a reason why it stays."""

    proposal_id: str
    memory_id: str | None  #: its second memory or entity
    decided_by: str
    refused: str | None


@dataclass(frozen=True, slots=True)
class _Restored:
    restored: int
    kept: list[str]


async def unlearn(
    graph: Graph, run_id: str, now: datetime, group_id: str | None = None
) -> Unlearned:
    """Take back what a run learned, unless it was changed since.

    Args:
        graph: The database.
        run_id: The run.
        now: The instant of the undo.
        group_id: Only the changes of this tenant; None for all.
    """
    undone = Unlearned()
    await _reopen(graph, run_id, group_id, undone)
    of_run = {"run_id": run_id, "group_id": group_id}
    undone.kept += await graph.rows("learning/unlearn/kept_proposals", Kept, **of_run)
    erased = await graph.one("learning/unlearn/erase_proposals", int, batch=_BATCH, **of_run)
    noted = await graph.one("learning/unlearn/restore_compared", int, **of_run)
    undone.count += (erased or 0) + (noted or 0)
    for statement, reason in _RESTORING.items():
        values = await graph.one(statement, _Restored, **of_run) or _Restored(0, [])
        undone.count += values.restored
        undone.kept += [Kept(each, reason) for each in values.kept]
    await _restore_clusters(graph, of_run, undone)
    await _restore_acts(graph, of_run, undone)
    undone.count += await _restore_mentions(graph, run_id, group_id, now)
    return undone


async def reopen(
    graph: Graph, proposal_ids: Sequence[str], run_id: str | None = None
) -> list[Reopened]:
    """Take back the decisions on proposals; open ones are left out.

    Args:
        graph: The database.
        proposal_ids: The proposals, sorted.
        run_id: Only decisions of this run; None for all.
    """
    return await graph.rows(
        "learning/unlearn/reopen",
        Reopened,
        run_id=run_id,
        proposal_ids=list(proposal_ids),
        kept=list(KEPT),
        compared=list(_COMPARED),
    )


async def forget(
    graph: Graph, *, groups: Sequence[str] | None, before: str, run_id: str, batch: int
) -> None:
    """Erase the records of learned changes that can no longer be undone.

    Args:
        graph: The database.
        groups: The tenants; None for all.
        before: The instant up to which changes are erased, ISO 8601.
        run_id: The present run, whose records stay.
        batch: Records in one transaction.
    """
    common = {
        "groups": None if groups is None else list(groups),
        "changed_before": before,
        "batch": batch,
    }
    await graph.run("learning/unlearn/forget_changes", run_id=run_id, **common)
    await graph.run("learning/unlearn/forget_decisions", kept=list(KEPT), **common)


async def _reopen(graph: Graph, run_id: str, group_id: str | None, undone: Unlearned) -> None:
    """Take back the decisions of a run, a batch at a time, in the order of their ids."""
    after_id = ""
    while ids := await graph.rows(
        "learning/unlearn/decided",
        str,
        run_id=run_id,
        group_id=group_id,
        after_id=after_id,
        limit=_BATCH,
    ):
        for row in await reopen(graph, ids, run_id):
            if row.refused is None:
                undone.count += 1
                if row.memory_id and row.decided_by.startswith(DECIDED_BY):
                    undone.revived.append(row.memory_id)
            else:
                undone.kept.append(Kept(row.memory_id or "", row.refused))
        after_id = ids[-1]


async def _restore_clusters(graph: Graph, of_run: dict[str, Any], undone: Unlearned) -> None:
    """Restore the clusters of memories from before a run, and what they noted for it."""
    clusters = await graph.one("learning/unlearn/restore_clusters", _Restored, **of_run)
    if clusters:
        undone.count += clusters.restored
        undone.kept += [Kept(each, _CLUSTERED_AGAIN) for each in clusters.kept]
    undone.count += await graph.one("learning/unlearn/restore_near", int, **of_run) or 0


async def _restore_acts(graph: Graph, of_run: dict[str, Any], undone: Unlearned) -> None:
    """Restore the memories of a cluster from before an action on them."""
    acts = await graph.one(
        "learning/unlearn/restore_acts",
        _Restored,
        kept=list(acting.KEPT),
        compared=list(_COMPARED_ACTS),
        batch=_BATCH,
        **of_run,
    )
    if acts:
        undone.count += acts.restored
        undone.kept += [Kept(each, _CHANGED) for each in acts.kept]


async def _restore_mentions(graph: Graph, run_id: str, group_id: str | None, now: datetime) -> int:
    """Restore the mentions from before a run, and return the number of memories."""
    restored = 0
    of_run = {"run_id": run_id, "group_id": group_id}
    while batch := await graph.one("learning/unlearn/read_by_run", _ReadByRun, **of_run):
        scope = CallScope(batch.tenant, now)
        restored += await store_mentions(graph, scope, batch.restored(), None)
        await graph.run(
            "learning/unlearn/forget_read",
            run_id=run_id,
            group_id=batch.tenant,
            memory_ids=batch.memory_ids,
        )
    return restored
