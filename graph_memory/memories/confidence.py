"""Confidence scans: lower the confidence in unused memories, step by step."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.domain.scope import CallScope
from graph_memory.engine import Engine
from graph_memory.memories.relations import require_all
from graph_memory.settings.base import Settings

#: Memories per statement.
_BATCH = 1000

#: Actions listed in a report; all are counted.
_LISTED = 1000


@dataclass(frozen=True, slots=True)
class Action:
    """The action of a scan on one memory, with its reason."""

    memory_id: str
    kind: Literal["skip", "decay", "obsolete"]
    #: One of protected, held, no_confidence, in_score, fresh, at_floor, recent_step, unused,
    #: aged_out.
    reason: str
    delta: float | None
    current_confidence: float | None
    proposed_confidence: float | None
    age_days: float
    access_count: int


@dataclass(slots=True)
class Scan:
    """The result of a scan, or of a dry run of it."""

    dry_run: bool
    scanned: int = 0
    applied: int = 0
    failed: list[str] = field(default_factory=list[str])  #: ids that changed under the scan
    by_kind: dict[str, int] = field(default_factory=dict[str, int])
    actions: list[Action] = field(default_factory=list[Action])  #: changes first; at most 1,000
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class _Applied:
    memory_id: str
    kind: str


async def scan(
    engine: Engine,
    scope: CallScope,
    *,
    memory_ids: Sequence[str] | None = None,
    project_id: str | None = None,
    dry_run: bool = True,
    run_id: str | None = None,
    canary: int = 100,
) -> Scan:
    """Lower the confidence of memories unused for long, and mark the least trusted obsolete.

    Args:
        engine: The database; the settings hold ages, steps and the floor.
        scope: The tenant, and the instant up to which ages are counted.
        memory_ids: The memories to scan; None for all.
        project_id: The project to scan; None for all.
        dry_run: True to report the actions without applying them.
        run_id: The maintenance run that scans. It leaves `confidence_min_step_interval_days`
            between two steps, skips memories that are `adaptive` or held after an undo, and can be
            undone.
        canary: Share of the memories to scan, 1 to 100 percent.

    Raises:
        NotFoundError: Some of `memory_ids` are not in the group; the error names them.

    Source: `cypher/fragments/maintenance/confidence_step.cypher`.
    """
    graph = engine.graph
    if memory_ids is not None:
        await require_all(graph, memory_ids, group_id=scope.group_id)
    parameters: dict[str, Any] = {
        **scope.parameters(),
        "decay": policies.parameters(
            engine.settings, run_id, by="confidence scan" if run_id else None
        ),
        "scan": scan_parameters(engine.settings, in_run=run_id is not None),
    }
    which = {
        "memory_ids": None if memory_ids is None else list(memory_ids),
        "project_id": project_id,
        "canary": canary,
    }
    report = Scan(dry_run)
    skips: list[Action] = []
    async for actions in _proposed(graph, {**which, **parameters}):
        for action in actions:
            report.by_kind[action.kind] = report.by_kind.get(action.kind, 0) + 1
            (skips if action.kind == "skip" else report.actions).append(action)
        report.scanned += len(actions)
        wanted = sorted(action.memory_id for action in actions if action.kind != "skip")
        if wanted and not dry_run:
            done = await graph.rows(
                "memories/confidence/apply", _Applied, memory_ids=wanted, **parameters
            )
            report.applied += len(done)
            report.failed += sorted(set(wanted) - {row.memory_id for row in done})
        del skips[_LISTED:], report.actions[_LISTED:]
    report.truncated = report.scanned > _LISTED
    report.actions = [*report.actions, *skips][:_LISTED]
    return report


async def _proposed(graph: Graph, parameters: dict[str, Any]) -> AsyncGenerator[list[Action]]:
    after_id = ""
    while True:
        actions = await graph.rows(
            "memories/confidence/scan", Action, after_id=after_id, limit=_BATCH, **parameters
        )
        yield actions
        if len(actions) < _BATCH:
            return
        after_id = actions[-1].memory_id


def scan_parameters(settings: Settings, *, in_run: bool) -> dict[str, Any]:
    """Return the map `$scan` of the statements."""
    return {
        "in_run": in_run,
        "min_age_days": settings.confidence_min_age_days,
        "obsolete_age_days": settings.confidence_obsolete_age_days,
        "floor": settings.confidence_floor,
        "delta_max": settings.confidence_delta_max,
        "delta_min": settings.confidence_delta_min,
        "access_cap": settings.confidence_access_cap,
        "step_per_access": settings.confidence_step_per_access,
        "protected_importance": settings.confidence_protected_importance,
        "min_step_interval_days": settings.confidence_min_step_interval_days if in_run else 0.0,
        # The score of this policy includes the confidence already.
        "passed_over_policy": "adaptive" if in_run else None,
    }
