"""Lease: at most one maintenance run at a time."""

import asyncio
import contextlib
import os
import secrets
import socket
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import psutil

from graph_memory import processes
from graph_memory.database.graph import Graph
from graph_memory.domain.batching import batched
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.errors import GraphMemoryError, LeaseLostError, RunLockedError
from graph_memory.settings.base import Settings

T = TypeVar("T")

#: Twice the longest lease that a setting allows.
_LONGEST = timedelta(hours=2)

#: Owners in this process that hold the lease or are taking it.
_local_owners: set[str] = set()


@dataclass(frozen=True, slots=True)
class LeaseState:
    """The owner of the lease and the instant it expires."""

    owner: str
    expires_at: Instant


class Lease:
    """The right to be the only run; it expires unless a heartbeat renews it.

    Expiry is in wall-clock time. The lease of a dead owner on this machine is taken over at once:
    its process has ended, or it could not release the lease because Neo4j did not answer. A lease
    that lasts longer than any setting allows was taken by a clock that was ahead, and is free.
    """

    _renewal: asyncio.Task[None]

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self.graph = graph
        self._duration = timedelta(seconds=settings.maintenance_lease_seconds)
        process = psutil.Process()
        self.owner = "/".join(
            (_machine(), str(process.pid), str(processes.started_at(process)), secrets.token_hex(4))
        )

    async def __aenter__(self) -> "Lease":
        """Take the lease.

        Raises:
            RunLockedError: Another run holds the lease.
        """
        _local_owners.add(self.owner)
        try:
            await self._take()
        except BaseException:
            _local_owners.discard(self.owner)
            raise
        self._renewal = asyncio.create_task(self._heartbeat())
        return self

    async def _take(self) -> None:
        holder = await lease_state(self.graph)
        owner = await self.graph.one(
            "database/lease/take",
            str,
            owner=self.owner,
            gone=holder.owner if holder and _is_dead(holder.owner) else None,
            now=instant(datetime.now(UTC)),
            expires_at=self._expiry(),
            latest=instant(datetime.now(UTC) + _LONGEST),
        )
        if owner != self.owner:
            raise RunLockedError

    async def __aexit__(self, *_: object) -> None:
        """Release the lease; if that fails, it stays until it expires or is taken over.

        A failed release does not make an error of work that is done.
        """
        self._renewal.cancel()
        _local_owners.discard(self.owner)
        with contextlib.suppress(GraphMemoryError):
            await self.graph.run("database/lease/release", owner=self.owner)

    async def require_held(self) -> None:
        """Check that the lease has not expired and been taken over, as after a long pause.

        Raises:
            LeaseLostError: Another run has taken it.
        """
        holder = await lease_state(self.graph)
        if holder is None or holder.owner != self.owner:
            raise LeaseLostError

    async def batches(self, items: Iterable[T], size: int) -> AsyncGenerator[list[T]]:
        """Yield items in batches of a size, each after a check that the lease is held.

        Raises:
            LeaseLostError: Another run has taken it.
        """
        for batch in batched(items, size):
            await self.require_held()
            yield batch

    async def _heartbeat(self) -> None:
        """Renew the lease four times in its duration, until the run ends."""
        while True:
            await asyncio.sleep(self._duration.total_seconds() / 4)
            with contextlib.suppress(GraphMemoryError):
                await self.graph.run(
                    "database/lease/renew", owner=self.owner, expires_at=self._expiry()
                )

    def _expiry(self) -> str:
        return instant(datetime.now(UTC) + self._duration)


async def lease_state(graph: Graph) -> LeaseState | None:
    """Return the current lease, or None."""
    return await graph.one("database/lease/holder", LeaseState)


def _machine() -> str:
    """Return the host name and the PID namespace: containers may share a host name."""
    namespace = Path("/proc/self/ns/pid")
    return f"{socket.gethostname()}/{namespace.stat().st_ino if namespace.exists() else ''}"


def _is_dead(owner: str) -> bool:
    """Check whether an owner ran on this machine and has ended."""
    machine, pid, since, _ = owner.rsplit("/", 3)
    if machine != _machine():
        return False
    if int(pid) == os.getpid():
        return owner not in _local_owners
    return not processes.is_alive(int(pid), float(since))
