"""Write behind the calls: they do not wait, and what comes together is written together."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress


class WriteBehind:
    """Runs a writer behind the calls that leave it something to write.

    One runs at a time. What is left for it meanwhile, and in the pauses that it makes, goes
    together into its next statement; so it looks for more until there is none.
    """

    def __init__(self, write: Callable[[], Awaitable[None]]) -> None:
        self._write = write
        self._running: asyncio.Task[None] | None = None
        self._hurry = asyncio.Event()
        self._next_at = -math.inf

    def wake(self) -> None:
        """Have what was left written, soon."""
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())

    def hurry(self) -> None:
        """Leave out the pauses until all that was left is written."""
        self._hurry.set()

    async def settled(self) -> None:
        """Have everything that was left written, now."""
        while self._running is not None and not self._running.done():
            self.hurry()
            await asyncio.shield(self._running)  # who gives up waiting must not stop it

    def rest(self, seconds: float) -> None:
        """Let the next pause last so long from now."""
        self._next_at = time.monotonic() + seconds

    async def pause(self) -> None:
        """Let more collect, unless somebody is in a hurry."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._next_at - time.monotonic()):
                await self._hurry.wait()

    async def _run(self) -> None:
        await self._write()
        self._hurry.clear()
