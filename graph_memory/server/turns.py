"""The turns of tool calls: so many at once, and shared fairly among the tenants.

A tenant with hundreds of calls must not make the others wait. So each call gets a tag, the later of
the tag of the call that began last and the one after the last call of its tenant. The call with the
lowest tag is next, and reads of the database go in the same order. A tenant with few calls is
therefore next as soon as a place is free, and two busy tenants alternate.

Source: start-time fair queueing (Goyal, Vin and Cheng, 1996), all calls with the same cost.
"""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Self

from graph_memory import metrics
from graph_memory.database.read_limiter import Call, current_call
from graph_memory.database.slots import Slots
from graph_memory.errors import TooManyCallsError
from graph_memory.settings.base import Settings

#: Seconds for which a call waits for its turn, at most.
_MAX_WAIT_SECONDS = 10.0

#: Seconds after which a running call leaves its place to another, and goes on.
_MAX_TURN_SECONDS = 1.0

#: Calls that run at once where a call waits for other machines more than it computes.
_CALLS_AT_ONCE = 16

#: Number of tenants from which the ones without recent calls are forgotten.
_MANY_TENANTS = 1000


class _Place:
    """The place of a running call, which is left once: at its end, or when it takes long."""

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave: Callable[[], None] | None = leave
        self._timer = asyncio.get_running_loop().call_later(_MAX_TURN_SECONDS, self.leave)

    def leave(self) -> None:
        """Leave the place, unless it is left already."""
        self._timer.cancel()
        leave, self._leave = self._leave, None
        if leave:
            leave()


class Turns:
    """At most `at_once` calls at a time; the others wait for ten seconds at most."""

    def __init__(self, at_once: int) -> None:
        self._places = Slots(at_once)
        self._tag = 0.0  # that of the call that began last
        self._next: dict[str, float] = {}  # the lowest tag of a tenant's next call
        self._many = _MANY_TENANTS

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return the turns for `concurrent_calls`.

        With Neo4j and the embedding model on this machine, more calls than two for each processor
        answer no faster in all, and each of them takes longer, also that of a tenant with few.
        """
        here = settings.neo4j_is_here and settings.embedding_url is None
        default = 2 * (os.cpu_count() or 1) if here else _CALLS_AT_ONCE
        return cls(settings.concurrent_calls or default)

    @asynccontextmanager
    async def turn(self, tenant: str) -> AsyncGenerator[None]:
        """Wait for the turn of a call, and hold it.

        Args:
            tenant: The group of the call.

        Raises:
            TooManyCallsError: The turn did not come in time.
        """
        tag = self._tag_of(tenant)
        try:
            with metrics.waiting_calls.track_inprogress():
                async with asyncio.timeout(_MAX_WAIT_SECONDS):
                    await self._places.acquire(tag)
        except TimeoutError:
            raise TooManyCallsError(int(_MAX_WAIT_SECONDS)) from None
        current_call.set(Call(tag, time.monotonic()))
        self._tag = max(self._tag, tag)
        place = _Place(self._places.release)
        try:
            yield
        finally:
            place.leave()

    def _tag_of(self, tenant: str) -> float:
        """Return the tag of a new call of a tenant."""
        if len(self._next) >= self._many:
            self._next = {key: tag for key, tag in self._next.items() if tag > self._tag}
            self._many = max(_MANY_TENANTS, 2 * len(self._next))
        tag = max(self._tag, self._next.get(tenant, 0.0))
        self._next[tenant] = tag + 1
        return tag
