"""A limit on the concurrent reads of a Neo4j that runs on this machine."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from graph_memory.settings.base import Settings


@dataclass(frozen=True, slots=True)
class Call:
    """The tool call of a read: its place in the order of calls, and when it began.

    Attributes:
        tag: The lower, the earlier; `server/turns` gives it.
        began: Seconds of `time.monotonic`.
    """

    tag: float
    began: float


#: The call that the server runs. Without it, each read counts as a call of its own.
current_call: ContextVar[Call | None] = ContextVar("current_call", default=None)

#: Seconds after which a waiting read proceeds without a slot: slow reads must not block fast ones.
_MAX_WAIT_SECONDS = 1.0


class _Slots:
    """A number of slots. The waiting task with the lowest tag is next, then the earliest."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = count()

    async def acquire(self, tag: float) -> None:
        """Take a slot, or wait for one.

        Args:
            tag: The lower, the earlier.
        """
        if self._free:
            self._free -= 1
            return
        slot: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (tag, next(self._numbers), slot))
        try:
            await slot
        except asyncio.CancelledError:
            if not slot.cancelled():  # the slot was handed over just before the cancellation
                self.release()
            raise

    def release(self) -> None:
        """Hand a slot to the first waiting task that is not cancelled, or free it."""
        while self._waiting:
            *_, slot = heappop(self._waiting)
            if not slot.done():
                slot.set_result(None)
                return
        self._free += 1


class ReadLimiter:
    """At most `neo4j_concurrent_reads` reads at a time, in the order of their calls.

    A Neo4j at a loopback address shares the processors of this machine. More concurrent reads than
    processors slow each other down and cost up to twice the work. Any other Neo4j is limited only
    by `neo4j_concurrent_reads`.

    The call decides the order, because a call runs several reads: in the order of arrival, the last
    read of an old call would wait behind the first reads of all new calls.
    """

    def __init__(self, settings: Settings) -> None:
        default = (os.cpu_count() or 1) if settings.neo4j_is_here else settings.neo4j_pool_size
        self._slots = _Slots(settings.neo4j_concurrent_reads or default)
        self._tag = 0.0  # the highest tag of a read that got a slot

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
                self._slots.release()

    async def _acquire(self) -> None:
        tag = self._tag_of_read()
        await self._slots.acquire(tag)
        self._tag = max(self._tag, tag)

    def _tag_of_read(self) -> float:
        """Return the tag of the current call; a read without a call, or of a long one, is new."""
        call = current_call.get()
        if call and time.monotonic() - call.began < _MAX_WAIT_SECONDS:
            return call.tag
        # A long call, for example one that waits for a job, must not precede all others.
        return max(self._tag, call.tag if call else 0.0)
