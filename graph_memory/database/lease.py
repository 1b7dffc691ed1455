"""database.lease."""

import asyncio
import contextlib
import os
import secrets
import socket
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil

from graph_memory import processes
from graph_memory.database.graph import Graph
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.errors import GraphMemoryError, GraphUnavailableError, RunLockedError
from graph_memory.settings.base import Settings

#: Who of this process holds the lease, or asks for it.
_held: set[str] = set()


@dataclass(frozen=True, slots=True)
class LeaseState:
    """Who runs, and when that is over unless it goes on."""

    owner: str
    expires_at: Instant


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
        )

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
            "database/lease/take",
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
            await self._graph.run("database/lease/release", owner=self.owner)

    async def _beat(self) -> None:
        """Renew it while the run works, however long a batch takes."""
        while True:
            await asyncio.sleep(self._span.total_seconds() / 4)
            with contextlib.suppress(GraphMemoryError):
                await self._graph.run(
                    "database/lease/renew", owner=self.owner, expires_at=self._expiry()
                )

    def _expiry(self) -> str:
        return instant(datetime.now(UTC) + self._span)


async def lease_state(graph: Graph) -> LeaseState | None:
    """Tell who holds the lease."""
    return await graph.one("database/lease/holder", LeaseState)


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
