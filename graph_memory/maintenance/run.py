"""A maintenance run: what fades, fades on; what is due, happens; and every change is recorded.

A run works at one instant. It goes in batches, most overdue first, and between them it looks
whether somebody wants it to pause and whether its time is up. One that was killed or ran out of
time is finished by the next, at the instant it began with.
"""

import logging
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, ConfigDict, Field

from graph_memory.context import Context
from graph_memory.database.lease import Lease
from graph_memory.decay import policies
from graph_memory.domain.inputs import GroupId
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.errors import GraphUnavailableError
from graph_memory.maintenance import records
from graph_memory.maintenance.records import Failure, Run
from graph_memory.maintenance.stages import (
    DECAY_STAGES,
    Progress,
    RunOptions,
    RunState,
    RunStopped,
    Stage,
)
from graph_memory.settings.base import Settings

_log = logging.getLogger(__name__)

#: Runs among which the last one that treated the same memories is looked for.
_REMEMBERED = 1000

StageName = Annotated[
    Stage, BeforeValidator(lambda v: v.strip().lower() if isinstance(v, str) else v)
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """The options of a run; None means the setting."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", allow_inf_nan=False)

    groups: tuple[GroupId, ...] | None = None  #: None: all that the settings let runs touch
    stages: Annotated[tuple[StageName, ...], Field(min_length=1)] | None = None
    full: bool = False  #: treat every memory, not only those that are due
    batch_size: Annotated[int, Field(ge=1, le=100_000)] | None = None
    concurrency: Annotated[int, Field(ge=1, le=32)] | None = None
    max_seconds: Annotated[float, Field(gt=0, le=86_400)] | None = None
    canary_percent: Annotated[int, Field(ge=0, le=100)] | None = None


@dataclass(frozen=True, slots=True)
class DryRunItem:
    """A memory that a run would move, for a dry run to show."""

    memory_id: str
    lead: str  #: the beginning of its content
    was: str
    becomes: str
    decay_score: float


@dataclass(frozen=True, slots=True)
class MaintenanceReport:
    """What a run did, or would do."""

    run_id: str
    dry_run: bool
    processed: int
    transitioned: Mapping[str, int]  #: by "FROM>TO"
    soft_deleted: int
    purged: int
    compressed: int
    classified: int
    embedded: int
    errors: int
    duration_seconds: float
    completed: bool
    now: Instant
    stages: list[str]
    full: bool  #: every memory was treated, not only those that were due
    truncated: bool  #: it ran into its time limit
    paused: bool  #: it was paused on its way
    resumed: list[str]  #: earlier runs that it finished first
    failed: list[Failure]  #: the first memories it could not treat
    would_go_first: list[DryRunItem] = field(default_factory=list[DryRunItem])


async def maintain(
    context: Context, request: RunRequest, on_progress: Progress = lambda done, of: None
) -> MaintenanceReport:
    """Run maintenance, after finishing what earlier runs left of the groups open to the caller.

    Args:
        context: Whose database, settings and clock.
        request: What to run, and how.
        on_progress: Called after each batch.

    Raises:
        RunsPausedError: Maintenance is paused.
        RunLockedError: Another run is on its way.
        GraphUnavailableError: Neo4j went away; the next run goes on from here.
    """
    graph, settings = context.graph, context.settings
    await records.refuse_if_paused(graph)
    options = _options(settings, request, on_progress)
    async with Lease(graph, settings) as lease:
        resumed: list[str] = []
        for left in await _unfinished(context):
            state = RunState(context, left, lease, options)
            resumed.append(left.run_id)
            if stopped := await _finish(state):
                return _report(left, resumed, stopped)
        run = await new_run(context, request)
        await records.begin(graph, run)
        stopped = await _finish(RunState(context, run, lease, options))
    return _report(run, resumed, stopped)


async def _finish(state: RunState) -> RunStopped | None:
    """Do what is left of a run, and record how it ended; tell what stopped it, if anything did."""
    run, stopped = state.run, None
    try:
        run.status, run.truncated = "running", False
        await state.go()
        run.status = "done"
    except RunStopped as early:
        stopped, run.status, run.truncated = early, "stopped", early.truncated
    except GraphUnavailableError:
        raise  # nothing can be recorded: it stays as it is, and the next run finishes it
    except BaseException:
        run.status = "failed"
        await _close(state)
        raise
    await _close(state)
    return stopped


async def _close(state: RunState) -> None:
    """Record how a run ended."""
    graph, run = state.context.graph, state.run
    transitions = await graph.rows("maintenance/run/transitions", _Transition, run_id=run.run_id)
    run.transitioned = {
        f"{transition.was}>{transition.became}": transition.count for transition in transitions
    }
    run.counts.soft_deleted = sum(a.count for a in transitions if a.became == "SOFT_DELETED")
    await state.save()
    if run.status != "stopped":  # what is stopped goes on, and is counted then
        await records.add_totals(graph, run)
    level = logging.WARNING if run.counts.errors else logging.INFO
    _log.log(level, "Run %s %s: %s", run.run_id, run.status, run.counts)


@dataclass(frozen=True, slots=True)
class _Transition:
    was: str
    became: str
    count: int


async def _unfinished(context: Context) -> list[Run]:
    """Return the runs to finish, the oldest first; those of other rules are given up.

    Whoever may touch some groups only has nothing to do with runs that touch others.
    """
    theirs = context.grant.groups
    found = [
        run
        for status in ("running", "stopped")
        for run in await records.runs(context.graph, status, _REMEMBERED)
        if _covers(theirs, run.groups)
    ]
    rules = policies.rules_hash(context.settings)
    for run in found:
        if run.rules != rules:
            await records.mark(context.graph, run.run_id, "failed")
    return sorted((r for r in found if r.rules == rules), key=lambda run: run.started_at)


async def new_run(context: Context, request: RunRequest) -> Run:
    """Return the run that was asked for, as it is before it begins."""
    settings = context.settings
    wanted = request.stages or tuple(Stage)
    canary = request.canary_percent
    run = Run(
        run_id=str(uuid.uuid4()),
        now=context.clock(),
        started_at=datetime.now(UTC),
        status="running",
        stages=[
            s for s in Stage if s in wanted and (settings.decay_enabled or s not in DECAY_STAGES)
        ],
        groups=_groups(settings, request),
        canary=settings.decay_canary_percent if canary is None else canary,
        full=request.full,
        rules=policies.rules_hash(settings),
        policy=settings.decay_policy,
    )
    earlier = await _earlier(context, run)
    if _rules_changed(run, earlier) or await records.scheduled_otherwise(context.graph, run):
        run.full, run.now = True, _untaken(run, earlier)
    return run


async def _earlier(context: Context, run: Run) -> list[Run]:
    """Return the runs that may have treated memories of a run, however they ended; latest first."""
    found = await records.runs(context.graph, limit=_REMEMBERED)
    return [
        earlier
        for earlier in found
        if Stage.DECAY in earlier.stages and not _disjoint(run.groups, earlier.groups)
    ]


def _rules_changed(run: Run, earlier: list[Run]) -> bool:
    """Tell whether some memories of a run were last treated by other rules, or never.

    What a run leaves undone, or is undone, does not matter as long as the rules are the same; but
    one that was to treat all and failed has left some out.
    """
    for one in earlier:
        if one.rules != run.rules or (one.full and one.status == "failed"):
            return True
        if (
            one.status in ("done", "undone")
            and one.canary >= run.canary
            and _covers(one.groups, run.groups)
        ):
            return False
    return True


def _untaken(run: Run, earlier: list[Run]) -> datetime:
    """Return the first instant from the run's on at which none of other rules has treated memories.

    What was treated at the instant of a run is not treated again.
    """
    now, taken = run.now, {instant(one.now) for one in earlier if one.rules != run.rules}
    while instant(now) in taken:
        now += timedelta(milliseconds=1)
    return now


def _disjoint(some: Sequence[str] | None, others: Sequence[str] | None) -> bool:
    return some is not None and others is not None and not set(some) & set(others)


def _covers(some: Sequence[str] | None, others: Sequence[str] | None) -> bool:
    return some is None or (others is not None and set(others) <= set(some))


def _groups(settings: Settings, request: RunRequest) -> list[str] | None:
    """Return the groups to touch; None for all."""
    enabled = settings.decay_enabled_groups
    if request.groups is None:
        return list(enabled) or None
    return [group for group in request.groups if not enabled or group in enabled]


def _options(settings: Settings, request: RunRequest, on_progress: Progress) -> RunOptions:
    seconds = request.max_seconds or settings.maintenance_max_seconds
    return RunOptions(
        batch_size=request.batch_size or settings.maintenance_batch_size,
        concurrency=request.concurrency or settings.maintenance_concurrency,
        deadline=time.monotonic() + seconds,
        on_progress=on_progress,
    )


def _report(run: Run, resumed: list[str], stopped: RunStopped | None) -> MaintenanceReport:
    counts: Any = run.counts
    return MaintenanceReport(
        run_id=run.run_id,
        dry_run=False,
        **{name: getattr(counts, name) for name in counts.__slots__},
        transitioned=run.transitioned,
        duration_seconds=run.duration_seconds,
        completed=run.status == "done",
        now=run.now,
        stages=run.stages,
        full=run.full,
        truncated=run.truncated,
        paused=stopped is not None and not stopped.truncated,
        resumed=resumed,
        failed=run.failed,
    )
