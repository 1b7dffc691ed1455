"""The turns of tool calls: so many at once, and shared fairly among the tenants.

A tenant with hundreds of calls must not make the others wait. So each call gets a tag, the later of
the tag of the call that began last and the one after the last call of its tenant. The call with the
lowest tag is next, and reads of the database go in the same order. A tenant with few calls is
therefore next as soon as a place is free, and two busy tenants alternate.

Where calls share the processors with Neo4j and the embedding model, each tenant also has a share of
as many places as processors, while several call.

Source: start-time fair queueing (Goyal, Vin and Cheng, 1996), all calls with the same cost.
"""

import asyncio
import os
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Self

from graph_memory import metrics
from graph_memory.database.read_limiter import Call, current_call
from graph_memory.errors import TooManyCallsError
from graph_memory.settings.base import Settings

#: Seconds for which a call waits for its turn, at most.
_MAX_WAIT_SECONDS = 10.0

#: Seconds after which a running call leaves its place to another, and goes on.
_MAX_TURN_SECONDS = 1.0

#: Seconds after its latest call for which a tenant counts as one that calls.
_RECENT_SECONDS = 1.0

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

    def __init__(self, at_once: int, shared: int | None = None) -> None:
        """Begin without calls.

        Args:
            at_once: Calls at a time.
            shared: Calls at a time while several tenants call, each with the same share and at
                least one; None for no other limit than `at_once`.
        """
        self._at_once, self._shared = at_once, shared
        self._running = Counter[str]()
        self._waiting: dict[str, deque[tuple[float, asyncio.Future[None]]]] = {}
        self._called: dict[str, float] = {}  # the latest call of a tenant, `time.monotonic`
        self._tag = 0.0  # that of the call that began last
        self._next: dict[str, float] = {}  # the lowest tag of a tenant's next call
        self._many = _MANY_TENANTS

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Return the turns for `concurrent_calls`.

        With Neo4j and the embedding model on this machine, calls at a time share its processors. So
        a tenant with many calls gets fewer places while others call.
        """
        here = settings.neo4j_is_here and settings.embedding_url is None
        return cls(settings.concurrent_calls, (os.cpu_count() or 1) if here else None)

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
                    await self._enter(tenant, tag)
        except TimeoutError:
            raise TooManyCallsError(int(_MAX_WAIT_SECONDS)) from None
        current_call.set(Call(tag, time.monotonic()))
        self._tag = max(self._tag, tag)
        place = _Place(lambda: self._leave(tenant))
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

    async def _enter(self, tenant: str, tag: float) -> None:
        if self._may_run(tenant, self._share(tenant)):
            self._running[tenant] += 1
            return
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(tenant, deque()).append((tag, place))
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():  # the place was handed over just before
                self._leave(tenant)
            raise

    def _may_run(self, tenant: str, share: int) -> bool:
        """Return whether a tenant may run one more call."""
        return self._running.total() < self._at_once and self._running[tenant] < share

    def _share(self, calling: str | None = None) -> int:
        """Return the number of calls that each tenant may run at a time; note one that calls."""
        if self._shared is None:
            return self._at_once
        if calling is not None:
            self._called[calling] = time.monotonic()
        since = time.monotonic() - _RECENT_SECONDS
        self._called = {key: at for key, at in self._called.items() if at > since}
        tenants = self._called.keys() | self._running.keys() | self._waiting.keys()
        return max(1, self._shared // len(tenants)) if len(tenants) > 1 else self._at_once

    def _leave(self, tenant: str) -> None:
        """End a call, and let waiting ones run: of the tenants that may, the lowest tag first."""
        self._running[tenant] -= 1
        self._running += Counter()  # keeps the tenants with running calls only
        share = self._share()
        while ready := [key for key in self._waiting if self._may_run(key, share)]:
            first = min(ready, key=lambda key: self._waiting[key][0][0])
            _, place = self._waiting[first].popleft()
            if not self._waiting[first]:
                del self._waiting[first]
            if not place.done():
                self._running[first] += 1
                place.set_result(None)
