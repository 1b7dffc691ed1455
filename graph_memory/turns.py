"""Reads of a database, and the model that works beside it, take turns: first come, first served."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from graph_memory.settings import Settings

#: Who has waited for so long goes ahead: slow reads must not keep out the quick.
_SECONDS = 1.0


class Turns:
    """Lets `neo4j_concurrent_reads` be under way at once.

    A Neo4j on this machine shares its processors: more reads at once than it has make each of them
    slower and none sooner, and cost up to twice the work. Another is not limited unless told so. A
    model that waits for its turn gathers questions meanwhile, and reads several in one pass.
    """

    def __init__(self, settings: Settings) -> None:
        by_default = settings.neo4j_pool_size if settings.neo4j_uri else os.cpu_count() or 1
        self._free = asyncio.Semaphore(settings.neo4j_concurrent_reads or by_default)

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        """Wait one's turn, but not for long, and hold it."""
        try:
            async with asyncio.timeout(_SECONDS):
                await self._free.acquire()
            holds = True
        except TimeoutError:
            holds = False
        try:
            yield
        finally:
            if holds:
                self._free.release()
