"""Write-behind: calls queue their writes and return; one task writes them in batches."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress


class WriteBehind:
    """One task at a time that runs a writer behind the calls that queue work for it.

    The writer takes whatever is queued and repeats until the queue is empty. It may wait between
    two batches (a cooldown), so that more work collects for the next one.
    """

    def __init__(self, write: Callable[[], Awaitable[None]]) -> None:
        self._write = write
        self._task: asyncio.Task[None] | None = None
        self._expedited = asyncio.Event()
        self._cooldown_ends_at = -math.inf

    def schedule(self) -> None:
        """Start the writer unless it is already running."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())

    def expedite(self) -> None:
        """Skip every cooldown until the queue is empty."""
        self._expedited.set()

    async def flush(self) -> None:
        """Wait until everything that is queued is written, without cooldowns."""
        while self._task is not None and not self._task.done():
            self.expedite()
            await asyncio.shield(self._task)  # cancelling the caller must not stop the writer

    def start_cooldown(self, seconds: float) -> None:
        """Let the next `wait_for_cooldown` last until `seconds` from now."""
        self._cooldown_ends_at = time.monotonic() + seconds

    async def wait_for_cooldown(self) -> None:
        """Wait until the cooldown ends or the writer is expedited."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._cooldown_ends_at - time.monotonic()):
                await self._expedited.wait()

    async def _run(self) -> None:
        await self._write()
        self._expedited.clear()
