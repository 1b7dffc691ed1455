"""Records of maintenance runs: the present run, pauses, and the progress of each."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BeforeValidator

from graph_memory import metrics
from graph_memory.database.counters import add
from graph_memory.database.graph import Graph
from graph_memory.database.lease import Lease
from graph_memory.domain.encoding import JsonObject
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.errors import RunsPausedError

#: Failures that a run lists; all are counted.
_LISTED = 20


@dataclass(frozen=True, slots=True)
class Failure:
    """A memory that a run could not treat, and why."""

    memory_id: str
    reason: str


Failures = Annotated[
    list[Failure], BeforeValidator(lambda v: json.loads(v) if isinstance(v, str) else v)
]


@dataclass(slots=True)
class Counts:
    """The counts of memories that a run changed."""

    processed: int = 0
    soft_deleted: int = 0
    purged: int = 0
    compressed: int = 0
    classified: int = 0
    embedded: int = 0
    errors: int = 0


@dataclass(slots=True)
class Run:
    """A maintenance run."""

    run_id: str
    now: Instant  #: the instant it works at
    started_at: Instant
    status: str  #: running, done, stopped, failed or undone
    stages: list[str]
    groups: list[str] | None  #: None: all
    canary: int  #: percent of the memories
    full: bool
    rules: str  #: hash of the policies and their numbers
    policy: str
    stages_done: list[str] = field(default_factory=list[str])
    counts: Counts = field(default_factory=Counts)
    transitioned: JsonObject = field(default_factory=dict[str, int])
    failed: Failures = field(default_factory=list[Failure])  #: the first of them
    duration_seconds: float = 0.0
    truncated: bool = False  #: it ran into its time limit

    def fail(self, memory_id: str, reason: str) -> None:
        """Count a memory that could not be treated."""
        self.counts.errors += 1
        if len(self.failed) < _LISTED:
            self.failed.append(Failure(memory_id, reason))


@dataclass(frozen=True, slots=True)
class Pause:
    """Why runs are paused, and since when."""

    reason: str
    since: Instant


@dataclass(frozen=True, slots=True)
class RunControl:
    """The lease of a run, held or lost, and a request to pause it."""

    held: bool
    paused: bool


@dataclass(frozen=True, slots=True)
class RunStatus:
    """The record of a run."""

    status: str
    now: Instant
    groups: list[str] | None


async def begin(graph: Graph, run: Run) -> None:
    """Record that a run begins."""
    await graph.run(
        "maintenance/records/begin",
        run_id=run.run_id,
        now=instant(run.now),
        started_at=instant(run.started_at),
        stages=run.stages,
        groups=run.groups,
        canary=run.canary,
        full=run.full,
        rules=run.rules,
        policy=run.policy,
    )


async def save(graph: Graph, run: Run, lease: Lease) -> RunControl:
    """Record how far a run has come, as long as it holds the lease."""
    control = await graph.one(
        "maintenance/records/save",
        RunControl,
        run_id=run.run_id,
        owner=lease.owner,
        status=run.status,
        stages_done=run.stages_done,
        counts=_fields(run.counts),
        transitioned=json.dumps(run.transitioned),
        failed=json.dumps([_fields(failure) for failure in run.failed]),
        duration_seconds=run.duration_seconds,
        truncated=run.truncated,
    )
    return control or RunControl(held=False, paused=False)


async def add_totals(graph: Graph, run: Run) -> None:
    """Add an ended run to the totals over all runs."""
    totals: dict[str, float] = {
        f"runs:{run.status}": 1,
        **metrics.run_totals(run.duration_seconds),
        **_fields(run.counts),
        **{f"transitioned:{transition}": count for transition, count in run.transitioned.items()},
    }
    await add(graph, totals)


async def runs(graph: Graph, status: str | None = None, limit: int = 10) -> list[Run]:
    """List runs, the latest first."""
    return await graph.rows("maintenance/records/runs", Run, status=status, limit=limit)


async def scheduled_otherwise(graph: Graph, run: Run) -> bool:
    """Check whether another process scheduled memories of a run by other rules."""
    return bool(
        await graph.one(
            "maintenance/records/scheduled_otherwise", bool, groups=run.groups, rules=run.rules
        )
    )


async def find(graph: Graph, run_id: str) -> RunStatus | None:
    """Find a run."""
    return await graph.one("maintenance/records/run", RunStatus, run_id=run_id)


async def mark(graph: Graph, run_id: str, status: str) -> None:
    """Give a run another status."""
    await graph.run("maintenance/records/mark", run_id=run_id, status=status)


async def paused(graph: Graph) -> Pause | None:
    """Return the reason and the start of the pause of runs, or None."""
    return await graph.one("maintenance/records/paused", Pause)


async def refuse_if_paused(graph: Graph) -> None:
    """Raise if runs are paused.

    Raises:
        RunsPausedError: It has the reason.
    """
    if pause := await paused(graph):
        raise RunsPausedError(pause.reason, instant(pause.since))


async def pause(graph: Graph, reason: str) -> Pause | None:
    """Keep runs from beginning, and stop the present one after its next batch."""
    return await graph.one(
        "maintenance/records/pause", Pause, reason=reason, now=instant(datetime.now(UTC))
    )


async def resume(graph: Graph) -> Pause | None:
    """Let runs begin again; return what kept them, if anything did."""
    return await graph.one("maintenance/records/resume", Pause)


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__slots__}
