"""A `GraphMemory` that opens while the server already listens."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Protocol, Self, cast

from graph_memory import local_neo4j
from graph_memory.api.service import GraphMemory
from graph_memory.errors import GraphMemoryError, StartError
from graph_memory.server.turns import Turns
from graph_memory.settings.base import Settings

_PROGRESS_SECONDS = 1.0

_log = logging.getLogger(__name__)

Check = Callable[[GraphMemory], Awaitable[None]]


class Reporter(Protocol):
    """A request whose client may ask for progress notifications."""

    async def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Notify the client of progress, if it asked for that."""
        ...


class _Attempt:
    """An attempt to open the service: its end, and the service or the error."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self.memory: GraphMemory | None = None
        self.error: StartError | None = None
        self.began = time.monotonic()


class Opening:
    """A service that may still be opening; calls wait for it.

    Attributes:
        settings: Settings of the service.
        warmed: Set once the models were loaded and searches were tried.
        session_id: Over stdio, the session of the last answer that has one.
        turns: The turns of the tool calls.
    """

    def __init__(self, settings: Settings, check: Check | None = None) -> None:
        """Prepare to open a service.

        Args:
            settings: Settings of the service.
            check: Check of the open service; its error ends the attempt.
        """
        self.settings = settings
        self.warmed = asyncio.Event()
        self.session_id: str | None = None
        self.turns = Turns.of(settings)
        self._check = check
        self._attempt = _Attempt()
        self._wanted = asyncio.Event()
        self._first_step = "Neo4j is starting"

    @classmethod
    def of(cls, memory: GraphMemory) -> Self:
        """Return the opening of a service that is open already."""
        opening = cls(memory.settings)
        opening.warmed.set()
        opening._attempt.memory = memory
        opening._attempt.ended.set()
        return opening

    async def memory(self) -> GraphMemory:
        """Return the service once it is open. After a failed attempt, ask for another.

        Raises:
            StartError: The attempt failed.
        """
        if self._attempt.error:
            self._attempt = _Attempt()
            self._wanted.set()
        attempt = self._attempt
        await attempt.ended.wait()
        if attempt.error:
            raise attempt.error
        return cast(GraphMemory, attempt.memory)

    async def missing(self) -> dict[str, Any]:
        """Return what keeps the service from answering, with the reason; empty when it is ready."""
        attempt = self._attempt
        if attempt.memory is None:
            return {"neo4j": str(attempt.error or self.step())}
        missing = await attempt.memory.serving.missing()
        if not missing and (step := self.step()):
            return {"searches": step}
        return missing

    async def unavailable_servers(self) -> dict[str, str]:
        """Return the servers of the placement file that cannot be used, with the reasons."""
        memory = self._attempt.memory
        return await memory.serving.unavailable_servers() if memory else {}

    def step(self) -> str | None:
        """Return what calls are waiting for, and for how long; None if nothing."""
        attempt = self._attempt
        seconds = f"({time.monotonic() - attempt.began:.0f} s)"
        if attempt.memory is None:
            return f"{self._first_step} {seconds}"
        if self.warmed.is_set():
            return None
        if attempt.memory.context.embedder.loaded:
            return f"The first searches are being prepared {seconds}"
        return f"The embedding model is loading {seconds}"

    @asynccontextmanager
    async def reporting_to(self, client: Reporter) -> AsyncGenerator[None]:
        """Notify the client of each second within the block, and of what it waits for."""
        began, reports = time.monotonic(), list[asyncio.Task[None]]()

        def start() -> None:
            reports.append(asyncio.create_task(self._report(client, began)))

        # Most calls end before the timer; a task for each would cost more.
        delay = 0 if self.step() else _PROGRESS_SECONDS
        timer = asyncio.get_running_loop().call_later(delay, start)
        try:
            yield
        finally:
            timer.cancel()
            for report in reports:
                report.cancel()
            if reports:
                await asyncio.wait(reports)

    async def _report(self, client: Reporter, began: float) -> None:
        while True:
            seconds = time.monotonic() - began
            message = self.step() or f"The call is running ({seconds:.0f} s)"
            await client.report_progress(seconds, message=message)
            await asyncio.sleep(_PROGRESS_SECONDS)

    async def run(self, *, retry: bool) -> None:
        """Open the service, and hold it until this task is cancelled.

        Args:
            retry: After a failure, wait for a call that asks for another attempt.

        Raises:
            GraphMemoryError: The service cannot be opened; only without `retry`.
        """
        while True:
            try:
                async with self._opened() as memory:
                    self._attempt.memory = memory
                    self._attempt.ended.set()
                    await asyncio.Event().wait()
            except (GraphMemoryError, OSError) as error:
                if self._attempt.memory or not retry:
                    raise
                await self._fail(error)

    async def _fail(self, error: Exception) -> None:
        """Report a failure to the calls that wait, and wait for the next call."""
        _log.warning("The memory cannot be opened: %s", error)
        self._wanted.clear()
        self._attempt.error = StartError(str(error))
        self._attempt.ended.set()
        await self._wanted.wait()

    @asynccontextmanager
    async def _opened(self) -> AsyncGenerator[GraphMemory]:
        self._first_step = _first_step(self.settings)
        async with AsyncExitStack() as stack:
            memory = await stack.enter_async_context(GraphMemory.open(self.settings, preload=True))
            await stack.enter_async_context(memory.episodes.processing())
            if self._check:
                await self._check(memory)
            preparing = asyncio.create_task(self._prepare(memory))
            stack.push_async_callback(_cancel, preparing)
            await stack.enter_async_context(memory.serving.automatic_backups())
            await stack.enter_async_context(memory.serving.database_metrics())
            yield memory

    async def _prepare(self, memory: GraphMemory) -> None:
        await memory.serving.warm_up()
        self.warmed.set()
        await memory.serving.add_passages()


def _first_step(settings: Settings) -> str:
    if settings.neo4j_uri or local_neo4j.running(settings):
        return "The database is opening"
    if local_neo4j.missing_jars(settings):
        return "Neo4j is being downloaded and started"
    return "Neo4j is starting"


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
