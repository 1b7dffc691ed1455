"""Dry run of maintenance: the expected result, perhaps at another instant or under other rules.

Its statements plan with the fragments of a run, but only read.
"""

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, ClassVar

from pydantic import ConfigDict

from graph_memory.context import Context
from graph_memory.database.graph import Graph
from graph_memory.database.ranges import id_ranges
from graph_memory.decay import policies
from graph_memory.decay.protected import count_protected
from graph_memory.domain.inputs import Text
from graph_memory.domain.timestamps import SimulatedTime, instant
from graph_memory.errors import SchemaError
from graph_memory.maintenance import learning
from graph_memory.maintenance.briefs import expect_briefs
from graph_memory.maintenance.clusters import expect_clusters
from graph_memory.maintenance.entities import expect_entities
from graph_memory.maintenance.planning import common_groups, new_run, runs_to_finish
from graph_memory.maintenance.records import Counts, Run
from graph_memory.maintenance.report import (
    DryRunItem,
    MaintenanceReport,
    UnfinishedRun,
    report_of,
)
from graph_memory.maintenance.request import RunRequest, Stage
from graph_memory.maintenance.slots import expect_slots
from graph_memory.maintenance.strengths import expect_strengths
from graph_memory.maintenance.weights import expect_weights
from graph_memory.memories import classification
from graph_memory.memories.confidence import scan_parameters
from graph_memory.settings.base import Settings

#: The most memories that a report shows.
_SHOWN = 20

#: What the stages of learning would change.
_LEARNING: dict[Stage, Callable[[Context, Run, int], Awaitable[learning.Expected]]] = {
    Stage.ENTITIES: expect_entities,
    Stage.SLOTS: expect_slots,
    Stage.PROPOSALS: learning.expect_proposals,
    Stage.STRENGTHS: expect_strengths,
    Stage.CENTRALITY: learning.expect_centrality,
    Stage.CLUSTERS: expect_clusters,
    Stage.WEIGHTS: expect_weights,
    Stage.BRIEFS: expect_briefs,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """The assumptions of a dry run; None keeps the present value."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    now: SimulatedTime | None = None
    policy: Text | None = None  #: the name of a policy, or the path of a file
    numbers: Mapping[str, Any] = field(default_factory=dict[str, Any])  #: decay settings by name


@dataclass(frozen=True, slots=True)
class _Planned:
    """The memories of one state that decay would take to another state, or leave in it."""

    was: str
    becomes: str
    count: int
    examples: list[DryRunItem]
    moved: list[str]


@dataclass(frozen=True, slots=True)
class _Expired:
    """The memories that decay would take to `becomes`, but that the confidence scan lets expire."""

    was: str
    becomes: str
    count: int


@dataclass(frozen=True, slots=True)
class _DryRun:
    """A run that is not carried out, with the assumed settings."""

    graph: Graph
    settings: Settings
    run: Run
    rest: bool = False  #: the run was interrupted, and only what is left counts
    unsound: tuple[str, ...] = ()  #: ids that a run would skip

    @property
    def scope(self) -> dict[str, Any]:
        """The parameters that select groups and the share of their memories."""
        return {"groups": self.run.groups, "canary": self.run.canary}


async def simulate(
    context: Context, request: RunRequest, overrides: Overrides
) -> MaintenanceReport:
    """Return the report that a run would have, and change nothing, not even a counter.

    A run first finishes the runs that were interrupted. The report lists them with what is left of
    each; its own counts are those of the run that follows.

    Raises:
        InvalidArgumentError: No such policy, file or setting exists.
    """
    started = time.monotonic()
    dry_run = await _prepare(context, request, overrides)
    run = dry_run.run
    decay = policies.parameters(dry_run.settings, run.run_id)
    left = await _left(context, dry_run)
    runs = [*left, dry_run]
    try:
        *rests, planned = await _planned(runs, decay)
    except SchemaError:  # another client has stored properties of other types
        unsound = await context.graph.rows("maintenance/dry_run/unsound", str)
        if not unsound:
            raise
        *left, dry_run = [replace(each, unsound=tuple(unsound)) for each in runs]
        *rests, planned = await _planned([*left, dry_run], decay)
    unfinished = [
        await _unfinished(each, rest, decay) for each, rest in zip(left, rests, strict=True)
    ]
    run.transitioned = _transitions(planned, await _expired(dry_run, decay))
    expected = await _learned(context, run)
    run.counts = Counts(
        processed=sum(plan.count for plan in planned),
        soft_deleted=_becoming(planned, "SOFT_DELETED"),
        purged=await _purged(dry_run) - sum([await _purged(each, dry_run) for each in left]),
        compressed=await _compressed(dry_run, planned),
        classified=await _classified(context, run),
        embedded=await _embedded(dry_run),
        learned=expected.count,
    )
    run.status, run.duration_seconds = "done", round(time.monotonic() - started, 3)
    protected = await count_protected(dry_run.graph, dry_run.settings, run.now, run.groups)
    return report_of(
        run,
        protected,
        resumed=[each.run for each in left],
        dry_run=True,
        would_go_first=_most_faded([plan for plans in (*rests, planned) for plan in plans]),
        unfinished=unfinished,
        would_learn=expected.changes,
    )


async def _prepare(context: Context, request: RunRequest, overrides: Overrides) -> _DryRun:
    """Apply the overrides; other rules let the run treat every memory."""
    graph, settings = context.graph, context.settings
    other_rules = overrides.policy is not None or bool(overrides.numbers)
    if other_rules:
        settings = policies.with_overrides(settings, overrides.policy, overrides.numbers)
        graph = graph.with_settings(settings)
        await policies.check_policies(graph, settings)
    run = await new_run(context, request, policies.rules_hash(context.settings))
    run.now = overrides.now or run.now
    run.full = run.full or other_rules
    return _DryRun(graph, settings, run)


async def _left(context: Context, dry_run: _DryRun) -> list[_DryRun]:
    """Return what is left of the runs that would be finished first; under other rules, nothing."""
    if dry_run.settings is not context.settings:
        return []
    found = await runs_to_finish(context, dry_run.run.rules)
    return [_DryRun(dry_run.graph, dry_run.settings, run, rest=True) for run in found]


async def _unfinished(
    left: _DryRun, planned: list[_Planned], decay: dict[str, Any]
) -> UnfinishedRun:
    """Return what is left of an interrupted run."""
    return UnfinishedRun(
        run_id=left.run.run_id,
        now=left.run.now,
        groups=left.run.groups,
        stages=left.run.stages,
        processed=sum(plan.count for plan in planned),
        transitioned=_transitions(planned, await _expired(left, decay)),
        purged=await _purged(left),
    )


async def _planned(dry_runs: Sequence[_DryRun], decay: dict[str, Any]) -> list[list[_Planned]]:
    """Return the states to which decay would take the memories, for runs that follow each other.

    It takes ranges of ids. A memory that one of the runs moves is left out of those after it.
    """
    found: list[list[_Planned]] = [[] for _ in dry_runs]
    async for ids in id_ranges(dry_runs[-1].graph):
        moved = list(dry_runs[-1].unsound)
        for place, each in enumerate(dry_runs):
            if Stage.DECAY not in each.run.stages:
                continue
            plans = await each.graph.rows(
                "maintenance/dry_run/plan",
                _Planned,
                now=instant(each.run.now),
                decay=decay,
                full=each.run.full,
                rest=each.rest,
                treated_to=each.run.treated_to,
                moved=moved,
                finished=[instant(earlier.run.now) for earlier in dry_runs[:place]],
                limit=_SHOWN,
                **each.scope,
                **ids,
            )
            found[place] += plans
            moved = moved + [memory_id for plan in plans for memory_id in plan.moved]
    return found


async def _expired(dry_run: _DryRun, decay: dict[str, Any]) -> list[_Expired]:
    """Return the memories that the stage `confidence` would make obsolete, by ranges of ids."""
    run, settings = dry_run.run, dry_run.settings
    if Stage.CONFIDENCE not in run.stages or not settings.confidence_scan_in_maintenance:
        return []
    parameters: dict[str, Any] = {
        "now": instant(run.now),
        "decay": decay,
        "scan": scan_parameters(settings, in_run=True),
        "decays": Stage.DECAY in run.stages,
        "full": run.full,
        "unsound": list(dry_run.unsound),
        **dry_run.scope,
    }
    found: list[_Expired] = []
    async for ids in id_ranges(dry_run.graph):
        found += await dry_run.graph.rows(
            "maintenance/dry_run/expire", _Expired, **parameters, **ids
        )
    return found


def _transitions(planned: list[_Planned], expired: list[_Expired]) -> dict[str, int]:
    """Count the changes of state by "FROM>TO"."""
    counts = Counter[str]()
    for plan in planned:
        counts[f"{plan.was}>{plan.becomes}"] += plan.count if plan.was != plan.becomes else 0
    for each in expired:
        counts[f"{each.was}>{each.becomes}"] -= each.count
        counts[f"{each.was}>EXPIRED"] += each.count
    return {transition: count for transition, count in sorted(counts.items()) if count > 0}


def _becoming(planned: list[_Planned], state: str) -> int:
    return sum(plan.count for plan in planned if plan.becomes == state != plan.was)


def _most_faded(planned: list[_Planned]) -> list[DryRunItem]:
    examples = [example for plan in planned for example in plan.examples]
    examples.sort(key=lambda example: (-example.decay_score, example.memory_id))
    return examples[:_SHOWN]


async def _purged(dry_run: _DryRun, within: _DryRun | None = None) -> int:
    """Count the memories that a run would purge, of all or of those that another run would."""
    run = dry_run.run
    if Stage.PURGE not in run.stages or (within and Stage.PURGE not in within.run.stages):
        return 0
    scope = dry_run.scope
    if within:
        scope["groups"] = common_groups(run.groups, within.run.groups)
        scope["canary"] = min(run.canary, within.run.canary)
    retention = timedelta(days=dry_run.settings.soft_delete_retention_days)
    found = await dry_run.graph.one(
        "maintenance/dry_run/count_purged",
        int,
        now=instant(run.now),
        deleted_before=instant(run.now - retention),
        **scope,
    )
    return found or 0


async def _compressed(dry_run: _DryRun, planned: list[_Planned]) -> int:
    if Stage.COMPRESS not in dry_run.run.stages:
        return 0
    waiting = await dry_run.graph.one("maintenance/dry_run/count_unpacked", int, **dry_run.scope)
    return (waiting or 0) + _becoming(planned, "ARCHIVED")


async def _classified(context: Context, run: Run) -> int:
    settings = context.settings
    if Stage.CLASSIFICATION not in run.stages or not settings.classifies:
        return 0
    queue = await classification.process_queue(context.engine, None, groups=run.groups, now=run.now)
    return min(queue.pending, settings.classification_budget)


async def _learned(context: Context, run: Run) -> learning.Expected:
    """Return what each stage of learning would change, without what other stages of the run do."""
    expected = learning.Expected(0, [])
    for stage, expect in _LEARNING.items():
        if stage in run.stages:
            found = await expect(context, run, _SHOWN)
            expected.count += found.count
            expected.changes += found.changes
    del expected.changes[_SHOWN:]
    return expected


async def _embedded(dry_run: _DryRun) -> int:
    if Stage.EMBEDDINGS not in dry_run.run.stages:
        return 0
    found = await dry_run.graph.one(
        "maintenance/dry_run/count_unembedded", int, groups=dry_run.run.groups
    )
    return found or 0
