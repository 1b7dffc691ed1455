"""Reads of a database on this machine take turns."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from heapq import heappop, heappush
from itertools import count

from graph_memory.settings.base import Settings
from graph_memory.settings.hosts import host_of, is_loopback

#: When the call came that is being answered, as `time.monotonic` has it; if nobody says so, each
#: read counts for itself.
came: ContextVar[float] = ContextVar("came")

#: Those who wait, as a heap: since when their calls do, and in which order they asked.
_Line = list[tuple[float, int, asyncio.Future[None]]]

#: Who has waited for so long goes ahead: slow reads must not keep out the quick.
_SECONDS = 1.0


class ReadLimiter:
    """Lets `neo4j_concurrent_reads` be under way at once.

    A Neo4j on this machine, as the local one is and any at a loopback address, shares its
    processors: more reads at once than it has make each of them slower and none sooner, and cost
    up to twice the work. Another is not limited unless told so.
    Whose call came first goes first: a call under way is not kept waiting by those that begin.
    """

    def __init__(self, settings: Settings) -> None:
        beside = settings.neo4j_uri is None or is_loopback(host_of(settings.neo4j_uri))
        by_default = (os.cpu_count() or 1) if beside else settings.neo4j_pool_size
        self._free = settings.neo4j_concurrent_reads or by_default
        self._waiting: _Line = []
        self._numbers = count()

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        """Wait one's turn, but not for long, and hold it."""
        try:
            async with asyncio.timeout(_SECONDS):
                await self._take()
            holds = True
        except TimeoutError:
            holds = False
        try:
            yield
        finally:
            if holds:
                self._give()

    async def _take(self) -> None:
        if self._free:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        now = time.monotonic()
        began = came.get(now)
        # A call that takes long, as one with a job behind it, is not to be ahead of all others.
        since = began if now - began < _SECONDS else now
        heappush(self._waiting, (since, next(self._numbers), turn))
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # given, and given up, at the same moment
                self._give()
            raise

    def _give(self) -> None:
        """Hand a turn to one who waits and has not given up, or keep it for who comes."""
        while self._waiting:
            *_, turn = heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
