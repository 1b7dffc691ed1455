"""A rewrite of the local database into new files, which hold nothing of what was deleted.

Every node and relationship is copied into a second Neo4j, tokens and records included. That one is
read back. Only if its checksum is that of the original, its files replace the old ones.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

from graph_memory import local_neo4j
from graph_memory.backup import dump, restore
from graph_memory.backup.restore import Progress
from graph_memory.database import indexes, schema
from graph_memory.database.embedding_record import stored_embedding
from graph_memory.database.graph import Graph
from graph_memory.errors import BackupError, LocalNeo4jError
from graph_memory.settings.base import Settings

_CLEARED = 1000


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A completed rewrite.

    Attributes:
        nodes: Number of nodes.
        edges: Number of relationships.
        checksum: The checksum of both, hexadecimal; the same before and after.
        bytes_before: Size of the files on disk before, in bytes.
        bytes_after: Size of the files on disk after, in bytes.
        left_out: Indexes that others have made by hand, and that the new files lack.
    """

    nodes: int
    edges: int
    checksum: str
    bytes_before: int
    bytes_after: int
    left_out: tuple[str, ...]


async def rewrite(settings: Settings, on_progress: Progress = lambda done, of: None) -> Rewritten:
    """Write the local database into new files, and delete the old ones.

    Until the new files are complete and checked, the old ones stay as they are. A call that was
    killed has changed nothing, or is finished by the next start.

    Args:
        settings: The data root.
        on_progress: Called with the number of nodes and relationships copied since the last call,
            and once with the total.

    Raises:
        BackupError: A restore is unfinished, the copy differs from the original, or another client
            has added or deleted something during the call.
        LocalNeo4jError: `neo4j_uri` names another database, or other processes use the local one.
        SchemaError: A newer version of this service has written the database.
    """
    if settings.neo4j_uri:
        raise LocalNeo4jError(
            f"GRAPH_MEMORY_NEO4J_URI={settings.neo4j_uri} is used instead of a local Neo4j, and "
            "only the files of the local one can be rewritten. There, restore a new backup into an "
            "empty database. `neo4j-admin database dump` and `load` copy the files with the bytes "
            "of deleted records."
        )
    async with _rewriting(settings) as stage:
        async with _opened(settings, stage.old) as old, _opened(settings, stage.new) as new:
            await restore.refuse_unfinished(old)
            await schema.migrate_up(old, settings)
            await _make_schema(old, new, settings)
            copied = await _copy(old, new, on_progress)
            left_out = sorted(await indexes.index_names(old) - await indexes.index_names(new))
            await indexes.await_indexes(new)
            await _compare(new, copied)
            await _require_unchanged(old, copied)
        await _to_its_end(stage.finish)
        counts = copied.nodes, copied.edges, copied.hexdigest()
        return Rewritten(*counts, stage.bytes_before, stage.bytes_now, tuple(left_out))


@contextlib.asynccontextmanager
async def _rewriting(settings: Settings) -> AsyncGenerator[local_neo4j.Rewriting]:
    """Start both instances in a thread, and end them in one, also if the caller is cancelled."""
    opening = asyncio.create_task(asyncio.to_thread(local_neo4j.Rewriting, settings))
    try:
        stage = await asyncio.shield(opening)
    except asyncio.CancelledError:
        with contextlib.suppress(LocalNeo4jError):
            await asyncio.to_thread((await opening).close)
        raise
    try:
        yield stage
    finally:
        await _to_its_end(stage.close)


async def _to_its_end(work: Callable[[], None]) -> None:
    """Run `work` in a thread; a cancellation takes effect after it."""
    task = asyncio.create_task(asyncio.to_thread(work))
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


def _opened(
    settings: Settings, instance: local_neo4j.LocalNeo4j
) -> contextlib.AbstractAsyncContextManager[Graph]:
    return Graph.open(settings, uri=instance.uri, password=instance.password)


async def _make_schema(old: Graph, new: Graph, settings: Settings) -> None:
    """Make the indexes and constraints of the original, and leave no node."""
    if stored := await stored_embedding(old):
        settings = settings.model_copy(update={"embedding_dimensions": stored.dimensions})
    await schema.migrate_up(new, settings)
    await new.run("backup/rewrite/clear", batch=_CLEARED)


async def _copy(old: Graph, new: Graph, on_progress: Progress) -> dump.Checksum:
    """Copy all nodes, then all relationships, and return the checksum of what was read."""
    seen, made = dump.Checksum(), dict[int, str]()
    on_progress(0, await old.one("backup/rewrite/count", int))
    async for block in old.stream("backup/rewrite/nodes"):
        nodes = [dump.node(*row) for row in block]
        for each in nodes:
            seen.node(each)
        await restore.write(new, nodes, made)
        on_progress(len(block), None)
    async for block in old.stream("backup/rewrite/edges"):
        edges = [dump.edge(*row) for row in block]
        for each in edges:
            seen.edge(each)
        await restore.write(new, edges, made)
        on_progress(len(block), None)
    return seen


async def _require_unchanged(old: Graph, copied: dump.Checksum) -> None:
    """Check that no client that registers nowhere, such as Neo4j Browser, has added something."""
    if await old.one("backup/rewrite/count", int) != copied.nodes + copied.edges:
        raise BackupError(
            "Another client has changed the database during the rewrite. The database stays as it "
            "is; close Neo4j Browser and other clients, then repeat the rewrite."
        )


async def _compare(new: Graph, copied: dump.Checksum) -> None:
    """Read the copy back, and compare its checksum with that of the original."""
    found = dump.Checksum()
    async for block in new.stream("backup/rewrite/nodes"):
        for row in block:
            found.node(dump.node(*row))
    async for block in new.stream("backup/rewrite/edges"):
        for row in block:
            found.edge(dump.edge(*row))
    if found.hexdigest() != copied.hexdigest():
        raise BackupError(
            f"The copy differs from the database: {found.nodes} nodes and {found.edges} "
            f"relationships instead of {copied.nodes} and {copied.edges}. The database stays as "
            "it is; run `graph-memory verify`, then repeat the rewrite."
        )
