"""Connection to the configured database, or to the managed local one."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import partial
from threading import Event

from graph_memory import local_neo4j
from graph_memory.database.disk_space import check_space
from graph_memory.database.graph import Graph
from graph_memory.database.placed_graph import Prepare, open_servers
from graph_memory.database.placement import read_placement
from graph_memory.errors import (
    DatabaseStoppedError,
    GraphMemoryError,
    GraphUnavailableError,
)
from graph_memory.local_neo4j import LocalNeo4j
from graph_memory.settings.base import Settings

_log = logging.getLogger(__name__)


@asynccontextmanager
async def open_database(
    settings: Settings, prepare: Prepare | None = None
) -> AsyncGenerator[Graph]:
    """Open the configured database, and the servers of the placement file if there is one.

    Without a URI, the local database is started and held.

    Args:
        settings: Settings of the database, and the placement file.
        prepare: Work on each database before its first use; None for none.

    Raises:
        GraphUnavailableError: The configured database does not answer.
        LocalNeo4jError: The local Neo4j cannot be started.
        SettingsError: Neo4j refuses the user, password or database, or the placement file is
            malformed.
    """
    placement = read_placement(settings)
    async with _open_home(settings) as home:
        if prepare:
            await prepare(home)
        if placement is None:
            yield home
            return
        async with open_servers(home, placement, settings, prepare) as graph:
            yield graph


@asynccontextmanager
async def _open_home(settings: Settings) -> AsyncGenerator[Graph]:
    """Open the configured database; without a URI, start the local one and hold it."""
    if settings.neo4j_uri:
        async with Graph.open(settings) as graph:
            yield graph
        return
    instance = await _acquire_local(settings)
    restarter = _Restarter(settings, instance)
    try:
        async with Graph.open(
            settings,
            uri=instance.uri,
            password=instance.password,
            on_lost=restarter.schedule,
            before_write=partial(check_space, settings),
        ) as graph:
            yield graph
    finally:
        await restarter.finish()
        await asyncio.to_thread(local_neo4j.release, settings)


async def _acquire_local(settings: Settings) -> LocalNeo4j:
    """Acquire the local Neo4j in a thread; give it up at once if the caller is cancelled."""
    cancelled = Event()
    acquiring = asyncio.create_task(asyncio.to_thread(local_neo4j.acquire, settings, cancelled))
    try:
        return await asyncio.shield(acquiring)
    except asyncio.CancelledError:
        cancelled.set()
        with contextlib.suppress(GraphMemoryError):
            await acquiring
            await asyncio.to_thread(local_neo4j.release, settings)
        raise


class _Restarter:
    """Restarts of a lost local Neo4j, one attempt at a time, in the background."""

    def __init__(self, settings: Settings, instance: LocalNeo4j) -> None:
        self._settings = settings
        self._pid = instance.pid
        self._attempt: asyncio.Task[None] | None = None

    def schedule(self, error: GraphUnavailableError) -> None:
        if self._attempt is None or self._attempt.done():
            broken = isinstance(error, DatabaseStoppedError)
            self._attempt = asyncio.create_task(self._restart(broken=broken))

    async def finish(self) -> None:
        if self._attempt:
            await self._attempt

    async def _restart(self, *, broken: bool) -> None:
        try:
            instance = await asyncio.to_thread(self._start, broken=broken)
            self._pid = instance.pid
        except (GraphMemoryError, OSError) as error:
            _log.warning("The local Neo4j could not be restarted: %s", error)

    def _start(self, *, broken: bool) -> LocalNeo4j:
        # One that closed its database still answers, but only with errors.
        if broken:
            return local_neo4j.replace(self._settings, self._pid)
        return local_neo4j.start(self._settings)
