"""Rehearse a maintenance run: at another instant, under another policy or other numbers.

The plan is the run's own, in statements that only read.
"""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, ClassVar

from pydantic import ConfigDict

from graph_memory.context import Context
from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.domain.inputs import Text
from graph_memory.domain.timestamps import SimulatedTime, instant
from graph_memory.maintenance.records import Run
from graph_memory.maintenance.run import DryRunItem, MaintenanceReport, RunRequest, new_run
from graph_memory.maintenance.stages import Stage, ranges
from graph_memory.memories import classification
from graph_memory.memories.confidence import scan_parameters
from graph_memory.settings.base import Settings

#: Memories that a report shows.
_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """What is to be different in a rehearsal; None leaves it as it is."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    now: SimulatedTime | None = None
    policy: Text | None = None  #: a name, or the path of a file
    numbers: Mapping[str, str] = field(default_factory=dict[str, str])  #: settings of decay


@dataclass(frozen=True, slots=True)
class _Planned:
    """What would become of memories of one state."""

    was: str
    becomes: str
    count: int
    examples: list[DryRunItem]


@dataclass(frozen=True, slots=True)
class _Expired:
    """What the scan of confidence would take from what decay makes of memories of one state."""

    was: str
    becomes: str
    count: int


async def simulate(
    context: Context, request: RunRequest, overrides: Overrides
) -> MaintenanceReport:
    """Tell what a run would do, and change nothing, not even a counter.

    Raises:
        InvalidArgumentError: There is no such policy, file or setting.
    """
    started = time.monotonic()
    graph, settings = context.graph, context.settings
    with_settings = overrides.policy is not None or bool(overrides.numbers)
    if with_settings:
        settings = policies.with_overrides(settings, overrides.policy, overrides.numbers)
        graph = graph.with_settings(settings)
        await policies.check_policies(graph, settings)
    run = await new_run(context, request)
    run.now = overrides.now or run.now
    run.full = run.full or with_settings
    planned = await _planned(graph, settings, run) if Stage.DECAY in run.stages else []
    transitions = Counter[str]()
    for plan in planned:
        transitions[f"{plan.was}>{plan.becomes}"] += plan.count if plan.was != plan.becomes else 0
    for expired in await _expired(graph, settings, run):
        transitions[f"{expired.was}>{expired.becomes}"] -= expired.count
        transitions[f"{expired.was}>EXPIRED"] += expired.count
    examples = [example for plan in planned for example in plan.examples]
    examples.sort(key=lambda example: (-example.decay_score, example.memory_id))
    return MaintenanceReport(
        run_id=run.run_id,
        dry_run=True,
        processed=sum(plan.count for plan in planned),
        transitioned={
            transition: count for transition, count in sorted(transitions.items()) if count > 0
        },
        soft_deleted=_becoming(planned, "SOFT_DELETED"),
        purged=await _purged(graph, settings, run),
        compressed=await _compressed(graph, run, planned),
        classified=await _classified(context, run),
        embedded=await _embedded(graph, run),
        errors=0,
        duration_seconds=round(time.monotonic() - started, 3),
        completed=True,
        now=run.now,
        stages=run.stages,
        full=run.full,
        truncated=False,
        paused=False,
        resumed=[],
        failed=[],
        would_go_first=examples[:_SHOWN],
    )


async def _planned(graph: Graph, settings: Settings, run: Run) -> list[_Planned]:
    """Return what would become of all memories, by ranges of ids."""
    parameters: dict[str, Any] = {
        "now": instant(run.now),
        "decay": policies.parameters(settings, run.run_id),
        **_scope(run),
    }
    found: list[_Planned] = []
    async for ids in ranges(graph):
        found += await graph.rows(
            "maintenance/dry_run/plan", _Planned, full=run.full, limit=_SHOWN, **parameters, **ids
        )
    return found


async def _expired(graph: Graph, settings: Settings, run: Run) -> list[_Expired]:
    """Return what the stage `confidence` would make obsolete, by what decay makes of it."""
    if Stage.CONFIDENCE not in run.stages or not settings.confidence_scan_in_maintenance:
        return []
    parameters: dict[str, Any] = {
        "now": instant(run.now),
        "decay": policies.parameters(settings, run.run_id),
        "scan": scan_parameters(settings, in_run=True),
        "decays": Stage.DECAY in run.stages,
        **_scope(run),
    }
    found: list[_Expired] = []
    async for ids in ranges(graph):
        found += await graph.rows(
            "maintenance/dry_run/expire", _Expired, full=run.full, **parameters, **ids
        )
    return found


def _becoming(planned: list[_Planned], state: str) -> int:
    return sum(plan.count for plan in planned if plan.becomes == state != plan.was)


async def _purged(graph: Graph, settings: Settings, run: Run) -> int:
    if Stage.PURGE not in run.stages:
        return 0
    before = _ago(run.now, settings.soft_delete_retention_days)
    return (
        await graph.one(
            "maintenance/dry_run/count_purged", int, deleted_before=before, **_scope(run)
        )
        or 0
    )


async def _compressed(graph: Graph, run: Run, planned: list[_Planned]) -> int:
    if Stage.COMPRESS not in run.stages:
        return 0
    waiting = await graph.one("maintenance/dry_run/count_unpacked", int, **_scope(run)) or 0
    return waiting + _becoming(planned, "ARCHIVED")


async def _classified(context: Context, run: Run) -> int:
    settings = context.settings
    if Stage.CLASSIFICATION not in run.stages or not settings.classifies:
        return 0
    queue = await classification.process_queue(
        context.graph, settings, None, groups=run.groups, now=run.now
    )
    return min(queue.pending, settings.classification_budget)


async def _embedded(graph: Graph, run: Run) -> int:
    if Stage.EMBEDDINGS not in run.stages:
        return 0
    return await graph.one("maintenance/dry_run/count_unembedded", int, groups=run.groups) or 0


def _scope(run: Run) -> dict[str, Any]:
    return {"groups": run.groups, "canary": run.canary}


def _ago(now: datetime, days: float) -> str:
    return instant(now - timedelta(days=days))
