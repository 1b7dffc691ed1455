"""What the database knows of maintenance runs: who runs, who paused them, how far each has come."""

import asyncio
import contextlib
import json
import os
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import psutil
from pydantic import BeforeValidator

from graph_memory import metrics, processes
from graph_memory.errors import (
    GraphMemoryError,
    GraphUnavailableError,
    RunLockedError,
    RunsPausedError,
)
from graph_memory.graph import Graph
from graph_memory.memories import Instant, JsonObject, instant
from graph_memory.settings import Settings

#: Failures that a run lists; all are counted.
_LISTED = 20

#: Who of this process holds the lease, or asks for it.
_held: set[str] = set()


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
    """What a run did, in memories."""

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
class LeaseState:
    """Who runs, and when that is over unless it goes on."""

    owner: str
    expires_at: Instant


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether a run still holds its lease, and whether somebody wants it to pause."""

    held: bool
    paused: bool


@dataclass(frozen=True, slots=True)
class RunStatus:
    """What there is to know about a run by its id."""

    status: str
    now: Instant
    groups: list[str] | None


class Lease:
    """The right to be the only run; over when it is not renewed.

    It goes by the wall clock. A holder on this machine that is gone is no obstacle: its process
    ended, or the database was away when it wanted to give the lease back.
    """

    _beating: asyncio.Task[None]

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self._graph = graph
        self._span = timedelta(seconds=settings.maintenance_lease_seconds)
        process = psutil.Process()
        self.owner = "/".join(
            (_machine(), str(process.pid), str(processes.begun(process)), secrets.token_hex(4))
        )  # fmt: skip

    async def __aenter__(self) -> "Lease":
        """Take it.

        Raises:
            RunLockedError: Another run holds it.
        """
        _held.add(self.owner)
        try:
            await self._take()
        except BaseException:
            _held.discard(self.owner)
            raise
        self._beating = asyncio.create_task(self._beat())
        return self

    async def _take(self) -> None:
        holder = await lease_state(self._graph)
        owner = await self._graph.one(
            "run_record/take_lease",
            str,
            owner=self.owner,
            gone=holder.owner if holder and _is_gone(holder.owner) else None,
            now=instant(datetime.now(UTC)),
            expires_at=self._expiry(),
        )
        if owner != self.owner:
            raise RunLockedError

    async def __aexit__(self, *_: object) -> None:
        """Give it back; if Neo4j is away, the next of this machine takes it, or it runs out."""
        self._beating.cancel()
        _held.discard(self.owner)
        with contextlib.suppress(GraphUnavailableError):
            await self._graph.run("run_record/release_lease", owner=self.owner)

    async def _beat(self) -> None:
        """Renew it while the run works, however long a batch takes."""
        while True:
            await asyncio.sleep(self._span.total_seconds() / 4)
            with contextlib.suppress(GraphMemoryError):
                await self._graph.run(
                    "run_record/renew_lease", owner=self.owner, expires_at=self._expiry()
                )

    def _expiry(self) -> str:
        return instant(datetime.now(UTC) + self._span)


async def begin(graph: Graph, run: Run) -> None:
    """Record that a run begins."""
    await graph.run(
        "run_record/begin",
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


async def save(graph: Graph, run: Run, lease: Lease) -> Standing:
    """Record how far a run has come, as long as it holds the lease."""
    standing = await graph.one(
        "run_record/save",
        Standing,
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
    return standing or Standing(held=False, paused=False)


async def add_totals(graph: Graph, run: Run) -> None:
    """Add an ended run to the totals over all runs."""
    totals: dict[str, float] = {
        f"runs:{run.status}": 1,
        **metrics.run_totals(run.duration_seconds),
        **_fields(run.counts),
        **{f"transitioned:{arrow}": count for arrow, count in run.transitioned.items()},
    }
    await add(graph, totals)


async def add(graph: Graph, totals: Mapping[str, float]) -> None:
    """Add to totals that never fall, by name."""
    rows = [{"name": name, "value": totals[name]} for name in sorted(totals) if totals[name]]
    await graph.run("run_record/add_totals", totals=rows)


async def runs(graph: Graph, status: str | None = None, limit: int = 10) -> list[Run]:
    """List runs, the latest first."""
    return await graph.rows("run_record/runs", Run, status=status, limit=limit)


async def scheduled_otherwise(graph: Graph, run: Run) -> bool:
    """Tell whether another process has scheduled memories of a run by other rules."""
    return bool(
        await graph.one("run_record/scheduled_otherwise", bool, groups=run.groups, rules=run.rules)
    )


async def find(graph: Graph, run_id: str) -> RunStatus | None:
    """Find a run."""
    return await graph.one("run_record/run", RunStatus, run_id=run_id)


async def mark(graph: Graph, run_id: str, status: str) -> None:
    """Give a run another status."""
    await graph.run("run_record/mark", run_id=run_id, status=status)


async def lease_state(graph: Graph) -> LeaseState | None:
    """Tell who holds the lease."""
    return await graph.one("run_record/lease", LeaseState)


async def paused(graph: Graph) -> Pause | None:
    """Tell why and since when runs are paused."""
    return await graph.one("run_record/paused", Pause)


async def refuse_if_paused(graph: Graph) -> None:
    """Raise if runs are paused.

    Raises:
        RunsPausedError: It has the reason.
    """
    if pause := await paused(graph):
        raise RunsPausedError(pause.reason, instant(pause.since))


async def pause(graph: Graph, reason: str) -> Pause | None:
    """Keep runs from beginning, and stop the present one after its next batch."""
    return await graph.one("run_record/pause", Pause, reason=reason, now=instant(datetime.now(UTC)))


async def resume(graph: Graph) -> Pause | None:
    """Let runs begin again; return what kept them, if anything did."""
    return await graph.one("run_record/resume", Pause)


def _machine() -> str:
    """Name this machine; containers may share its name, but each counts its processes by itself."""
    namespace = Path("/proc/self/ns/pid")
    return f"{socket.gethostname()}/{namespace.stat().st_ino if namespace.exists() else ''}"


def _is_gone(owner: str) -> bool:
    """Tell a holder of this machine that is no more."""
    machine, pid, since, _ = owner.rsplit("/", 3)
    if machine != _machine():
        return False
    if int(pid) == os.getpid():
        return owner not in _held
    return not processes.lives(int(pid), float(since))


def _fields(value: Any) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__slots__}
