"""The database in use: the configured one, or a local one that is held while it is used."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from graph_memory import local_neo4j
from graph_memory.database.graph import Graph
from graph_memory.errors import GraphMemoryError
from graph_memory.local_neo4j import LocalNeo4j
from graph_memory.settings.base import Settings

_log = logging.getLogger(__name__)


@asynccontextmanager
async def open_database(settings: Settings) -> AsyncGenerator[Graph]:
    """Open the configured database, or hold the local one for as long as it is used."""
    if settings.neo4j_uri:
        async with Graph.open(settings) as graph:
            yield graph
        return
    instance = await _acquired(settings)
    revival = _Revival(settings)
    try:
        async with Graph.open(
            settings,
            uri=instance.uri,
            password=instance.password,
            on_lost=revival.begin,
        ) as graph:
            yield graph
    finally:
        await revival.finished()
        await asyncio.to_thread(local_neo4j.release, settings)


async def _acquired(settings: Settings) -> LocalNeo4j:
    """Use the local Neo4j; who is cancelled meanwhile gives back what the thread has taken."""
    acquiring = asyncio.create_task(asyncio.to_thread(local_neo4j.acquire, settings))
    try:
        return await asyncio.shield(acquiring)
    except asyncio.CancelledError:
        with contextlib.suppress(GraphMemoryError):
            await acquiring
            await asyncio.to_thread(local_neo4j.release, settings)
        raise


class _Revival:
    """Restarts the local Neo4j when it was lost; one attempt at a time, behind the callers."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._attempt: asyncio.Task[None] | None = None

    def begin(self) -> None:
        if self._attempt is None or self._attempt.done():
            self._attempt = asyncio.create_task(self._restart())

    async def finished(self) -> None:
        if self._attempt:
            await self._attempt

    async def _restart(self) -> None:
        try:
            await asyncio.to_thread(local_neo4j.start, self._settings)
        except GraphMemoryError as error:
            _log.warning("The local Neo4j could not be restarted: %s", error)
