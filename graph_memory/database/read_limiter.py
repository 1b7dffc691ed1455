"""A limit on the concurrent reads of a Neo4j that runs on this machine."""

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

#: The start of the current call in seconds of `time.monotonic`. The server sets it for each tool
#: call; without it, each read counts as a call of its own.
call_started_at: ContextVar[float] = ContextVar("call_started_at")

#: The waiting reads as a heap: start of the call, number of the read, and its slot.
_Queue = list[tuple[float, int, asyncio.Future[None]]]

#: Seconds after which a waiting read proceeds without a slot: slow reads must not block fast ones.
_MAX_WAIT_SECONDS = 1.0


class ReadLimiter:
    """At most `neo4j_concurrent_reads` reads at a time, the oldest call first.

    A Neo4j at a loopback address shares the processors of this machine. More concurrent reads than
    processors slow each other down and cost up to twice the work. Any other Neo4j is limited only
    by `neo4j_concurrent_reads`.

    The age of the call decides the order, because a call runs several reads: in the order of
    arrival, the last read of an old call would wait behind the first reads of all new calls.
    """

    def __init__(self, settings: Settings) -> None:
        is_local = settings.neo4j_uri is None or is_loopback(host_of(settings.neo4j_uri))
        default = (os.cpu_count() or 1) if is_local else settings.neo4j_pool_size
        self._free_slots = settings.neo4j_concurrent_reads or default
        self._queue: _Queue = []
        self._numbers = count()

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[None]:
        """Hold a slot; after a second of waiting, continue without one."""
        try:
            async with asyncio.timeout(_MAX_WAIT_SECONDS):
                await self._acquire()
            acquired = True
        except TimeoutError:
            acquired = False
        try:
            yield
        finally:
            if acquired:
                self._release()

    async def _acquire(self) -> None:
        if self._free_slots:
            self._free_slots -= 1
            return
        slot: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        now = time.monotonic()
        started_at = call_started_at.get(now)
        # A long call, for example one that waits for a job, must not precede all others.
        priority = started_at if now - started_at < _MAX_WAIT_SECONDS else now
        heappush(self._queue, (priority, next(self._numbers), slot))
        try:
            await slot
        except asyncio.CancelledError:
            if not slot.cancelled():  # the slot was handed over just before the cancellation
                self._release()
            raise

    def _release(self) -> None:
        """Hand the slot to the first waiting read that is not cancelled, or free it."""
        while self._queue:
            *_, slot = heappop(self._queue)
            if not slot.done():
                slot.set_result(None)
                return
        self._free_slots += 1
