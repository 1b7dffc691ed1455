"""Records of maintenance runs in the database: their progress, their end, and the pause."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Annotated

from pydantic import BeforeValidator

from graph_memory.database.graph import Graph
from graph_memory.domain.encoding import JsonObject
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.errors import RunsPausedError
from graph_memory.memories import read

#: The most failures that a run lists; it counts all of them.
_LISTED = 20


@dataclass(frozen=True, slots=True)
class Failure:
    """A memory that a run could not treat, and the reason."""

    memory_id: str
    reason: str


FailureList = Annotated[
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
    learned: int = 0  #: proposals made and accepted, and learned values
    errors: int = 0


@dataclass(slots=True)
class Run:
    """A maintenance run."""

    run_id: str
    now: Instant  #: the instant of the run; idle days count up to it
    started_at: Instant
    status: str  #: running, done, stopped, failed or undone
    stages: list[str]
    groups: list[str] | None  #: None: all groups
    canary: int  #: share of the memories to treat, percent
    full: bool  #: it treats every memory, not only the due ones
    rules: str  #: hash of the policies and their numbers
    policy: str
    stages_done: list[str] = field(default_factory=list[str])
    counts: Counts = field(default_factory=Counts)
    transitioned: JsonObject = field(default_factory=dict[str, int])
    failed: FailureList = field(default_factory=list[Failure])  #: the first failures
    duration_seconds: float = 0.0
    truncated: bool = False  #: it stopped at its time limit
    treated_to: str = ""  #: the last id up to which a full run has treated all memories

    def fail(self, memory_id: str, reason: str) -> None:
        """Count a memory that the run could not treat."""
        self.counts.errors += 1
        if len(self.failed) < _LISTED:
            self.failed.append(Failure(memory_id, reason))


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause of all runs: the reason, and the start."""

    reason: str
    since: Instant


@dataclass(frozen=True, slots=True)
class RunControl:
    """The answer to a saved run: whether it holds the lease, and whether runs are paused."""

    held: bool
    paused: bool


@dataclass(frozen=True, slots=True)
class RunStatus:
    """The status, the instant and the groups of a recorded run."""

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


async def save(graph: Graph, run: Run, owner: str) -> RunControl:
    """Save the progress of a run, if `owner` still holds the lease."""
    control = await graph.one(
        "maintenance/records/save",
        RunControl,
        run_id=run.run_id,
        owner=owner,
        status=run.status,
        stages_done=run.stages_done,
        counts=asdict(run.counts),
        transitioned=json.dumps(run.transitioned),
        failed=json.dumps([asdict(failure) for failure in run.failed]),
        duration_seconds=run.duration_seconds,
        truncated=run.truncated,
        treated_to=run.treated_to,
    )
    return control or RunControl(held=False, paused=False)


async def runs(graph: Graph, status: str | None = None, limit: int = 10) -> list[Run]:
    """List runs, the latest first; with a status only the runs that have it."""
    return await graph.rows("maintenance/records/runs", Run, status=status, limit=limit)


async def scheduled_by_other_rules(graph: Graph, run: Run) -> bool:
    """Check whether a process with other rules has scheduled memories of the groups of a run."""
    return bool(
        await graph.one(
            "maintenance/records/scheduled_by_other_rules", bool, groups=run.groups, rules=run.rules
        )
    )


async def find(graph: Graph, run_id: str) -> RunStatus | None:
    """Return the status of a run, or None if no such run is recorded."""
    return await graph.one("maintenance/records/run", RunStatus, run_id=run_id)


async def complete_ids(
    graphs: Sequence[Graph], given: Mapping[str, str], *, group_id: str | None
) -> dict[str, str]:
    """Return the ids of runs that begin with texts, like `read.complete_ids`.

    Args:
        graphs: The databases that may have the runs.
        given: Beginnings of ids, by the names of their arguments.
        group_id: The tenant that the runs treated; None for all runs.

    Raises:
        AmbiguousIdError: Several ids begin with a text, and none is that text.
    """
    return await read.complete_ids(
        graphs, given, group_id=group_id, statement="maintenance/records/ids"
    )


async def mark(graph: Graph, run_id: str, status: str) -> None:
    """Set the status of a run."""
    await graph.run("maintenance/records/mark", run_id=run_id, status=status)


async def paused(graph: Graph) -> Pause | None:
    """Return the reason and the start of the pause of runs, or None."""
    return await graph.one("maintenance/records/paused", Pause)


async def refuse_if_paused(graph: Graph) -> None:
    """Raise if runs are paused.

    Raises:
        RunsPausedError: Runs are paused; the error has the reason and the start.
    """
    if pause := await paused(graph):
        raise RunsPausedError(pause.reason, instant(pause.since))


async def pause(graph: Graph, reason: str) -> Pause | None:
    """Pause runs: none starts, and the run in progress stops after its next batch.

    Returns:
        The pause; an earlier pause, if there is one, keeps its reason.
    """
    return await graph.one(
        "maintenance/records/pause", Pause, reason=reason, now=instant(datetime.now(UTC))
    )


async def resume(graph: Graph) -> Pause | None:
    """Let runs start again, and return the pause that ends, or None."""
    return await graph.one("maintenance/records/resume", Pause)
