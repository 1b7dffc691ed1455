"""Backups: the whole database at one instant, written to one folder while reads continue.

`backup_<instant>/` holds `graph/` and `parts.json` (the complete graph for a restore: see `dump`
and `parts`), `memories.json` (`{export_timestamp, memories, total_memories}`, for people and
programs) and `manifest.json`, encrypted if a key is set: see `files`. The folder gets its name once
it is complete. Parts that are in an earlier backup are linked.

A large local database is read from a snapshot, a copy of its files at one instant, so no writer
waits; see `snapshot`. In any other case writers wait while the database is read: index definitions
that are never committed hold the schema locks that every writer of memories and relations needs.
Sessions and counters are not locked, because they are not memories.

There, rows are spooled as they are, and converted after the locks are released. Rows of a snapshot
are converted while the next ones are read.
"""

import asyncio
import contextlib
import json
import logging
import pickle
import random
import re
import time
from collections.abc import AsyncGenerator, Collection, Generator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from graph_memory.backup import dump, partials
from graph_memory.backup.files import (
    MANIFEST,
    MEMORIES,
    BackupReader,
    BackupWriter,
    Keyring,
    Manifest,
    complete_backups,
)
from graph_memory.backup.parts import PartsWriter
from graph_memory.backup.snapshot import local_instance, open_snapshot
from graph_memory.database.graph import HOME, Graph
from graph_memory.domain.attachments import stored_fields
from graph_memory.domain.encoding import decompress
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.errors import (
    BackupError,
    GraphMemoryError,
    GraphUnavailableError,
    LocalNeo4jError,
    LockTimeoutError,
)
from graph_memory.local_neo4j import LocalNeo4j
from graph_memory.settings.base import Settings

_SPOOL = "spool"

_LOCKS = (
    "backup/create/hold_memories",
    "backup/create/hold_entities",
    "backup/create/hold_relations",
    "backup/create/hold_parents",
)
_NODES, _EDGES = "backup/create/nodes", "backup/create/edges"
_ATTEMPTS = 5

#: Memories from which on a local database is read from a snapshot. Writers would wait for about
#: half a second to read fewer, and a snapshot takes a Neo4j of its own for ten seconds or more.
SNAPSHOT_FROM = 2_000

#: Time of an attempt to hold writers, who wait behind it, and of all attempts together. A run of
#: maintenance or an import has the locks until the batch at which it works has ended.
_ATTEMPT_SECONDS = 1.0
_PATIENCE_SECONDS = 900.0
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0
_HELD = (
    f"Other operations have held the database for {_PATIENCE_SECONDS / 60:g} minutes. Run "
    "`graph-memory backup` again when no maintenance and no import is running."
)
_NAMED = re.compile(r"backup_\d{8}T\d{6}Z(_\d+)?")

#: Properties left out of `memories.json`: keys, derived texts and internal values.
_OMITTED = (
    "uuid",
    "metadata_json",
    "attachments_json",
    "content_gz",
    "is_compressed",
    "dedup_key",
    "group_key",
    "name",
    "summary",
    "next_due_at",
    "packing_due",
    "proposed_hash",
    "mention_count",
    "mentions_hash",
    "near_json",
    "brief_json",
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Backup:
    """A completed backup."""

    backup_path: Path
    memories_backed_up: int
    timestamp: Instant
    key_id: str | None = None  #: key with which it is encrypted; None if it is in clear
    server: str = HOME  #: the server of the placement file; home without one
    bytes: int = 0  #: size of its files
    new_bytes: int = 0  #: size of the files that the backup before it does not share


@dataclass(frozen=True, slots=True)
class BackupStatus:
    """The latest backup, and the number of memories now."""

    at: Instant | None  #: time of the latest backup
    held_seconds: float  #: time that writers waited for it
    backed_up: int | None  #: memories in it; None if an earlier version made it
    memories: int
    busy_seconds: float = 0.0  #: time that it worked beside writers, on a snapshot


async def create(
    graph: Graph,
    settings: Settings,
    *,
    hold_seconds: float | None = None,
    keep_all: bool = False,
    snapshot_from: int = SNAPSHOT_FROM,
) -> Backup:
    """Make a backup of all groups, and delete the oldest beyond `backup_keep`.

    Args:
        graph: The database.
        settings: The folder, and the number of backups kept.
        hold_seconds: Maximum time that writers wait; None for no limit. Without a limit writers
            wait also where a snapshot is due and fails.
        keep_all: True to keep the oldest as well, until the caller calls `prune`.
        snapshot_from: Number of memories from which on a local database is not held.

    Raises:
        BackupError: The folder cannot be written, or writers would wait longer than allowed.
        GraphUnavailableError: The connection to Neo4j was lost; no partial backup is left.
    """
    key = await asyncio.to_thread(Keyring.of(settings).present)
    now, started = datetime.now(UTC), time.monotonic()
    try:
        folder = folder_of(settings)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        partials.clear(folder, now)
        earlier = complete_backups(folder)
        instance = await _copied(graph, snapshot_from)
        source = _Source(graph, instance, hold_seconds)
        with (
            partials.abandoned(folder) as killed,
            partials.partial_folder(folder, f"{now:%Y%m%dT%H%M%S%fZ}") as partial,
        ):
            files = BackupWriter(partial.path, key, [*killed, *reversed(earlier)])
            manifest = await source.write(files, now)
            partial.unlock()
            path = _rename_into_place(partial.path, folder / f"backup_{now:%Y%m%dT%H%M%SZ}")
        await graph.run(
            "backup/create/record",
            at=instant(now),
            held_seconds=source.held_seconds,
            busy_seconds=0.0 if source.held_seconds else time.monotonic() - started,
            memories=manifest.memories,
        )
    except OSError as error:
        raise BackupError(
            f"The backup failed: {error}. Free disk space, or set GRAPH_MEMORY_BACKUP_PATH to a "
            "writable folder."
        ) from error
    previous = earlier[-1] if earlier else None
    sizes = await asyncio.to_thread(_sizes, BackupReader(path), previous)
    _log.info("Backup of %d memories in %s", manifest.memories, path)
    if not keep_all:
        prune(settings)
    return Backup(path, manifest.memories, now, key.id if key else None, graph.name, *sizes)


def folder_of(settings: Settings) -> Path:
    """Return the folder of all backups."""
    return settings.backup_folder.absolute()


def prune(settings: Settings, *, spared: Collection[Path] = ()) -> None:
    """Delete the oldest backups beyond `backup_keep`, except those in `spared`.

    A failure is logged and not raised, because the new backup is complete.
    """
    try:
        complete = [
            path
            for path in folder_of(settings).iterdir()
            if _NAMED.fullmatch(path.name) and (path / MANIFEST).is_file()
        ]
        oldest_first = sorted(complete, key=lambda path: (path / MANIFEST).stat().st_mtime)
    except OSError as error:  # the folder was replaced, or another process prunes as well
        _log.warning("Cannot delete old backups: %s", error)
        return
    kept = {path.resolve() for path in spared}
    for path in oldest_first[: -settings.backup_keep]:
        if path.resolve() not in kept:
            partials.remove(path)


async def status(graph: Graph) -> BackupStatus:
    """Return the latest backup, and the number of memories now."""
    return await graph.one("backup/create/standing", BackupStatus) or BackupStatus(
        None, 0.0, None, 0
    )


async def claim(graph: Graph, *, now: datetime, until: datetime, seen: datetime | None) -> bool:
    """Claim the backup after the one `seen` until an instant; return True if it succeeded."""
    given = {"now": instant(now), "until": instant(until), "seen": instant(seen) if seen else None}
    return await graph.one("backup/create/claim", bool, **given) or False


async def checksum(graph: Graph) -> dump.Checksum:
    """Read the database as a backup would, and return its checksum."""
    result = dump.Checksum()
    async for block in graph.stream(_NODES):
        for row in block:
            result.node(dump.node(*row))
    async for block in graph.stream(_EDGES):
        for row in block:
            result.edge(dump.edge(*row))
    return result


async def _copied(graph: Graph, snapshot_from: int) -> LocalNeo4j | None:
    """Return the local Neo4j to copy; None if writers are held instead."""
    instance = local_instance(graph)
    many = instance and (await status(graph)).memories >= snapshot_from
    return instance if many else None


class _Source:
    """The database at one instant: a snapshot of a local instance, or the graph itself, held."""

    def __init__(
        self, graph: Graph, instance: LocalNeo4j | None, hold_seconds: float | None
    ) -> None:
        self.held_seconds = 0.0  #: time that writers waited
        self._graph = graph
        self._instance = instance
        self._hold_seconds = hold_seconds

    async def write(self, files: BackupWriter, now: datetime) -> Manifest:
        """Write the files of a backup, and return its manifest.

        Raises:
            BackupError: The snapshot failed, or writers would wait longer than allowed.
        """
        if self._instance:
            try:
                return await self._write_snapshot(self._instance, files, now)
            except (LocalNeo4jError, GraphUnavailableError, OSError) as error:
                self._check_may_hold(error)
        return await self._write_held(files, now)

    async def _write_snapshot(
        self, instance: LocalNeo4j, files: BackupWriter, now: datetime
    ) -> Manifest:
        async with open_snapshot(self._graph, instance) as copy:
            with _writing(files, now) as writer:
                await _write_rows(copy, writer)
        return writer.manifest

    def _check_may_hold(self, error: GraphMemoryError | OSError) -> None:
        """Check that writers may wait instead, because this backup was asked for.

        Raises:
            BackupError: It is an automatic one.
        """
        if self._hold_seconds is not None:
            raise BackupError(
                "No snapshot of the database could be taken. Run `graph-memory backup`, which then "
                f"lets writers wait. The cause: {error}"
            ) from error
        _log.warning("No snapshot could be taken, so writers wait for this backup: %s", error)

    async def _write_held(self, files: BackupWriter, now: datetime) -> Manifest:
        """Spool the rows without conversion, to hold writers as briefly as possible."""
        with files.writing(_SPOOL) as spool:
            async with _hold_writers(self._graph):
                started = time.monotonic()
                await _spool_rows(self._graph, spool, self._hold_seconds)
            self.held_seconds = time.monotonic() - started
        with _writing(files, now) as writer:
            await asyncio.to_thread(_write_spooled, files, writer)
        files.remove(_SPOOL)
        return writer.manifest


async def _write_rows(graph: Graph, writer: "_Writer") -> None:
    """Write the rows of all nodes and relationships, a block while the next one is read."""
    writing: asyncio.Task[None] | None = None
    try:
        for what in (_NODES, _EDGES):
            async for block in graph.stream(what):
                if writing:
                    await asyncio.shield(writing)
                writing = asyncio.create_task(asyncio.to_thread(writer.write, what, block))
        if writing:
            await asyncio.shield(writing)
    finally:
        if writing:  # its thread uses the files, also after a cancellation
            await asyncio.gather(writing, return_exceptions=True)


async def _spool_rows(graph: Graph, spool: BinaryIO, seconds: float | None) -> None:
    """Write the rows of all nodes and relationships to a file.

    Raises:
        BackupError: It takes longer than `seconds`.
    """
    started = time.monotonic()
    for what in (_NODES, _EDGES):
        async for block in graph.stream(what):
            await asyncio.to_thread(pickle.dump, (what, block), spool)
            if seconds is not None and time.monotonic() - started > seconds:
                raise BackupError(
                    f"Writers have waited for {seconds:g} s. Set "
                    "GRAPH_MEMORY_BACKUP_AUTO=false, and run `graph-memory backup` at a "
                    "quiet hour."
                )


def _write_spooled(files: BackupWriter, writer: "_Writer") -> None:
    """Write the spooled rows, nodes first."""
    with files.reading(_SPOOL) as spool, contextlib.suppress(EOFError):
        while True:
            writer.write(*pickle.load(spool))  # noqa: S301 - written by this process


@contextlib.asynccontextmanager
async def _hold_writers(graph: Graph) -> AsyncGenerator[None]:
    """Hold the locks that writers need; retry after a deadlock, and while a batch has them.

    Raises:
        BackupError: Batches have had the locks for `_PATIENCE_SECONDS`.
        GraphUnavailableError: Neo4j does not answer.
    """
    async with contextlib.AsyncExitStack() as stack:
        started, pause_seconds, failures = time.monotonic(), _FIRST_PAUSE_SECONDS, 0
        while True:
            try:
                locks = graph.holding_schema_locks(*_LOCKS, seconds=_ATTEMPT_SECONDS)
                await stack.enter_async_context(locks)
                break
            except GraphUnavailableError:
                failures += 1
                if failures == _ATTEMPTS:
                    raise
            except LockTimeoutError as error:
                if time.monotonic() - started > _PATIENCE_SECONDS:
                    raise BackupError(_HELD) from error
            await asyncio.sleep(pause_seconds * random.uniform(0.5, 1.5))  # noqa: S311
            pause_seconds = min(2 * pause_seconds, _LONGEST_PAUSE_SECONDS)
        yield


@contextlib.contextmanager
def _writing(files: BackupWriter, now: datetime) -> Generator["_Writer"]:
    """Yield a writer of rows; after the block the files are complete, with the manifest."""
    with files.writing_graph() as graph, files.writing_text(MEMORIES) as readable:
        writer = _Writer(graph, readable)
        readable.write(f'{{"export_timestamp": {json.dumps(instant(now))}, "memories": [')
        yield writer
        readable.write(f'\n], "total_memories": {writer.memories}}}\n')
    writer.finish(files, now)


class _Writer:
    """The writer of the files of a backup, one block of rows at a time, nodes first."""

    manifest: Manifest  #: once it has finished

    def __init__(self, graph: PartsWriter, readable: TextIO) -> None:
        self.memories = 0
        self._checksum = dump.Checksum()
        self._graph = graph
        self._readable = readable

    def write(self, what: str, block: list[list[Any]]) -> None:
        """Write a block of nodes or relationships."""
        (self._nodes if what == _NODES else self._edges)(block)

    def finish(self, files: BackupWriter, now: datetime) -> None:
        """Write the manifest."""
        found = self._checksum
        counts = self.memories, found.nodes, found.edges
        self.manifest = Manifest(files.format, instant(now), *counts, found.hexdigest())
        files.write_manifest(self.manifest)

    def _nodes(self, block: list[list[Any]]) -> None:
        for element_id, labels, properties in block:
            record = dump.node(element_id, labels, properties)
            self._checksum.node(record)
            self._graph.add(record)
            if "Memory" in labels:
                self._readable.write(",\n" if self.memories else "\n")
                self._readable.write(dump.to_line(_describe_memory(record, properties)))
                self.memories += 1

    def _edges(self, block: list[list[Any]]) -> None:
        for row in block:
            record = dump.edge(*row)
            # Sessions are not locked: skip the edges of one written after the nodes were read.
            if self._checksum.has(record["from"]) and self._checksum.has(record["to"]):
                self._checksum.edge(record)
                self._graph.add(record)


def _describe_memory(record: dict[str, Any], properties: dict[str, Any]) -> dict[str, Any]:
    """Return a memory as an object for people and other programs."""
    plain: dict[str, Any] = record["properties"]
    times = {key: text for key, (_, text) in record.get("temporals", {}).items()}
    packed = properties.get("content_gz")
    whole = {"content": decompress(packed)} if packed else {}
    return {
        "memory_id": plain.get("uuid"),
        **{key: value for key, value in (plain | times | whole).items() if key not in _OMITTED},
        "metadata": json.loads(plain.get("metadata_json") or "{}"),
        "attachments": stored_fields(plain.get("attachments_json")),
    }


def _sizes(backup: BackupReader, earlier: Path | None) -> tuple[int, int]:
    """Return the size of a backup, and the size of what the one before it does not share."""
    return backup.size(), backup.new_bytes(earlier)


def _rename_into_place(partial: Path, path: Path) -> Path:
    """Rename a folder to its final name, with a number if the name is taken."""
    for number in range(1000):
        wanted = path if number == 0 else path.with_name(f"{path.name}_{number}")
        if not wanted.exists():
            partial.rename(wanted)
            return wanted
    raise BackupError(f"There are too many backups with the name {path}. Try again in a second.")
