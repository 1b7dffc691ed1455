"""A snapshot of the local database to read a backup from, while writers go on.

Neo4j Community has no backup of a running database. `local_neo4j` opens a copy of its files in a
second Neo4j; see `local_neo4j.store_copy` for why such a copy stands at one instant.
"""

import asyncio
import contextlib
import secrets
from collections.abc import AsyncGenerator
from threading import Event

from graph_memory import local_neo4j
from graph_memory.database.graph import Graph
from graph_memory.database.schema import drop_indexes
from graph_memory.errors import GraphMemoryError, LocalNeo4jError
from graph_memory.local_neo4j import LocalNeo4j, Snapshot


def local_instance(graph: Graph) -> LocalNeo4j | None:
    """Return the local Neo4j of this release behind a graph; None for any other one."""
    found = local_neo4j.running(graph.settings)
    if found is None or found.version != local_neo4j.NEO4J_VERSION:
        return None
    same = (found.uri, found.database) == (graph.address, graph.settings.neo4j_database)
    return found if same else None


@contextlib.asynccontextmanager
async def open_snapshot(graph: Graph, instance: LocalNeo4j) -> AsyncGenerator[Graph]:
    """Open a copy of the local database at one instant, without indexes; remove it afterwards.

    All that was acknowledged before the call is in it.

    Raises:
        LocalNeo4jError: The copy cannot be made or opened.
        OSError: The files cannot be copied.
        GraphUnavailableError: A Neo4j does not answer.
    """
    mark = secrets.token_hex(8)
    await graph.run("backup/snapshot/mark", mark=mark)
    snapshot = await _take(graph, instance)
    try:
        own = {"neo4j_user": instance.user, "neo4j_database": instance.database}
        settings = graph.settings.model_copy(update=own)
        async with Graph.open(settings, uri=snapshot.uri, password=snapshot.password) as copy:
            # Neo4j would go on building them while they are of no use.
            await drop_indexes(copy)
            if not await copy.one("backup/snapshot/marked", bool, mark=mark):
                raise LocalNeo4jError("The copy of the database is incomplete. Try again.")
            yield copy
    finally:
        await asyncio.shield(asyncio.to_thread(snapshot.remove))


async def _take(graph: Graph, instance: LocalNeo4j) -> Snapshot:
    """Take a snapshot in a thread; give it up at once if the caller is cancelled."""
    cancelled = Event()
    taking = asyncio.create_task(
        asyncio.to_thread(local_neo4j.take_snapshot, graph.settings, instance, cancelled)
    )
    try:
        return await asyncio.shield(taking)
    except asyncio.CancelledError:
        cancelled.set()
        with contextlib.suppress(GraphMemoryError, OSError):
            (await taking).remove()
        raise
