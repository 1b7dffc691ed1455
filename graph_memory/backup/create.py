"""Backups: the whole database as one folder, as it was at one instant, while others go on reading.

`backup_<instant>/` holds `graph.jsonl.gz` (everything, to be restored: see `dump`), `memories.json`
(`{export_timestamp, memories, total_memories}`, to be read) and `manifest.json`. The folder has
its name only once it is complete.

While the database is read whoever writes waits: schema locks, which every writer of memories and
relations needs, are held by index definitions that are never committed. What is read is put aside
as it is, and made into files afterwards. Sessions and counters, nobody's knowledge, go on.
"""

import asyncio
import contextlib
import gzip
import json
import logging
import os
import pickle
import re
import shutil
import time
from collections.abc import AsyncGenerator, Collection
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from graph_memory.backup import dump
from graph_memory.database.graph import Graph
from graph_memory.domain.encoding import decompress
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.errors import BackupError, GraphUnavailableError
from graph_memory.settings.base import Settings

FORMAT = 1
GRAPH = "graph.jsonl.gz"
MEMORIES = "memories.json"
MANIFEST = "manifest.json"

_LOCKS = (
    "backup/create/hold_memories",
    "backup/create/hold_entities",
    "backup/create/hold_relations",
    "backup/create/hold_parents",
)
_NODES, _EDGES = "backup/create/nodes", "backup/create/edges"
_ATTEMPTS = 5
_PARTIAL = ".partial_"
_ABANDONED_SECONDS = 24 * 3600
_NAMED = re.compile(r"backup_\d{8}T\d{6}Z(_\d+)?")

#: What `memories.json` leaves out: keys, derived texts, and what only the service understands.
_OMITTED = (
    "uuid",
    "metadata_json",
    "content_gz",
    "is_compressed",
    "dedup_key",
    "group_key",
    "name",
    "summary",
    "next_due_at",
    "packing_due",
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup that was made."""

    backup_path: Path
    memories_backed_up: int
    timestamp: Instant


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says of itself; restoring checks all of it."""

    format: int
    created_at: str
    memories: int
    nodes: int
    edges: int
    checksum: str


@dataclass(frozen=True, slots=True)
class BackupStatus:
    """When the latest backup was made, and how many memories there are now."""

    at: Instant | None
    held_seconds: float  #: how long writers waited for it
    memories: int


async def create(
    graph: Graph, settings: Settings, *, hold_seconds: float | None = None, keep_all: bool = False
) -> Backup:
    """Make a backup of all groups, and delete the oldest beyond `backup_keep`.

    Args:
        graph: What to back up.
        settings: Where to, and how many are kept.
        hold_seconds: How long writers may be kept waiting; None for as long as it takes.
        keep_all: Whether the oldest stay as well, until the caller calls `prune`.

    Raises:
        BackupError: The folder cannot be written, or writers would have to wait for longer.
        GraphUnavailableError: Neo4j went away; nothing is left behind.
    """
    now = datetime.now(UTC)
    try:
        folder = folder_of(settings)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _clear(folder, now)
        partial = folder / f"{_PARTIAL}{os.getpid()}_{now:%Y%m%dT%H%M%S%fZ}"
        partial.mkdir(mode=0o700)
        try:
            manifest, held_seconds = await _write_files(graph, partial, now, hold_seconds)
            path = _rename_into_place(partial, folder / f"backup_{now:%Y%m%dT%H%M%SZ}")
        finally:
            shutil.rmtree(partial, ignore_errors=True)
        await graph.run("backup/create/record", at=instant(now), held_seconds=held_seconds)
    except OSError as error:
        raise BackupError(
            f"No backup: {error}. Make room, or set GRAPH_MEMORY_BACKUP_PATH to a folder that can "
            "be written."
        ) from error
    _log.info("Backup of %d memories in %s", manifest.memories, path)
    if not keep_all:
        prune(settings)
    return Backup(path, manifest.memories, now)


def folder_of(settings: Settings) -> Path:
    """Return where backups are."""
    return (settings.backup_path or settings.data_dir / "backups").absolute()


def prune(settings: Settings, *, spared: Collection[Path] = ()) -> None:
    """Delete the oldest backups beyond `backup_keep`, but none that is to be spared.

    Where that cannot be done it is logged: what was made, or restored, is there all the same.
    """
    try:
        complete = [
            path
            for path in folder_of(settings).iterdir()
            if _NAMED.fullmatch(path.name) and (path / MANIFEST).is_file()
        ]
        oldest_first = sorted(complete, key=lambda path: (path / MANIFEST).stat().st_mtime)
    except OSError as error:  # the folder is another than it was, or somebody else prunes
        _log.warning("No old backup was deleted: %s", error)
        return
    kept = {path.resolve() for path in spared}
    for path in oldest_first[: -settings.backup_keep]:
        if path.resolve() not in kept:
            _remove(path)


async def status(graph: Graph) -> BackupStatus:
    """Tell when the latest backup was made, and how many memories there are now."""
    return await graph.one("backup/create/standing", BackupStatus) or BackupStatus(None, 0.0, 0)


async def claim(graph: Graph, *, now: datetime, until: datetime, seen: datetime | None) -> bool:
    """Claim the backup after the one `seen` until an instant; tell whether nobody else has."""
    given = {"now": instant(now), "until": instant(until), "seen": instant(seen) if seen else None}
    return await graph.one("backup/create/claim", bool, **given) or False


async def checksum(graph: Graph) -> dump.Checksum:
    """Read the database as a backup would, and return the checksum of that."""
    reckoned = dump.Checksum()
    async for block in graph.stream(_NODES):
        for row in block:
            reckoned.node(dump.node(*row))
    async for block in graph.stream(_EDGES):
        for row in block:
            reckoned.edge(dump.edge(*row))
    return reckoned


async def _write_files(
    graph: Graph, folder: Path, now: datetime, hold_seconds: float | None
) -> tuple[Manifest, float]:
    """Write the files of a backup; return what it says of itself, and how long writers waited."""
    with (
        gzip.open(folder / GRAPH, "wt", encoding="utf-8", compresslevel=1) as lines,
        (folder / MEMORIES).open("w", encoding="utf-8") as readable,
    ):
        writer = _Writer(lines, readable)
        readable.write(f'{{"export_timestamp": {json.dumps(instant(now))}, "memories": [')
        spool = folder / "spool"
        held_seconds = await _spool(graph, spool, hold_seconds)
        await asyncio.to_thread(writer.write, spool)
        spool.unlink()
        readable.write(f'\n], "total_memories": {writer.memories}}}\n')
    found = writer.checksum
    manifest = Manifest(
        FORMAT, instant(now), writer.memories, found.nodes, found.edges, found.hexdigest()
    )
    (folder / MANIFEST).write_text(json.dumps(asdict(manifest), indent=2) + "\n", encoding="utf-8")
    return manifest, held_seconds


async def _spool(graph: Graph, path: Path, hold_seconds: float | None) -> float:
    """Read everything into a file as it is: what writers wait for is that, and no JSON.

    Returns the seconds they waited.
    """
    with path.open("wb") as spool:
        async with _hold_writers(graph):
            started = time.monotonic()
            for what in (_NODES, _EDGES):
                async for block in graph.stream(what):
                    await asyncio.to_thread(pickle.dump, (what, block), spool)
                    if hold_seconds is not None and time.monotonic() - started > hold_seconds:
                        raise BackupError(
                            f"Writers have waited for {hold_seconds:g} s. Make backups at a quiet "
                            "hour, with `graph-memory backup`, and set "
                            "GRAPH_MEMORY_BACKUP_AUTO=false."
                        )
        return time.monotonic() - started


@contextlib.asynccontextmanager
async def _hold_writers(graph: Graph) -> AsyncGenerator[None]:
    """Hold what writers need; of a writer and us who wait for each other, one has to try again."""
    async with contextlib.AsyncExitStack() as stack:
        for attempt in range(_ATTEMPTS):
            try:
                await stack.enter_async_context(graph.holding_schema_locks(*_LOCKS))
                break
            except GraphUnavailableError:
                if attempt == _ATTEMPTS - 1:
                    raise
                await asyncio.sleep(0.1 * 2**attempt)
        yield


class _Writer:
    """Writes what was read of the database, a block at a time."""

    def __init__(self, lines: TextIO, readable: TextIO) -> None:
        self.checksum = dump.Checksum()
        self.memories = 0
        self._lines = lines
        self._readable = readable

    def write(self, path: Path) -> None:
        """Write what was spooled, nodes first."""
        with path.open("rb") as spool, contextlib.suppress(EOFError):
            while True:
                what, block = pickle.load(spool)  # noqa: S301 - written just now, by us
                (self._nodes if what == _NODES else self._edges)(block)

    def _nodes(self, block: list[list[Any]]) -> None:
        for element_id, labels, properties in block:
            record = dump.node(element_id, labels, properties)
            self.checksum.node(record)
            self._lines.write(dump.to_line(record) + "\n")
            if "Memory" in labels:
                self._readable.write(",\n" if self.memories else "\n")
                self._readable.write(dump.to_line(_describe_memory(record, properties)))
                self.memories += 1

    def _edges(self, block: list[list[Any]]) -> None:
        for row in block:
            record = dump.edge(*row)
            # Sessions go on being written: one that came after the nodes were read is left out.
            if self.checksum.has(record["from"]) and self.checksum.has(record["to"]):
                self.checksum.edge(record)
                self._lines.write(dump.to_line(record) + "\n")


def _describe_memory(record: dict[str, Any], properties: dict[str, Any]) -> dict[str, Any]:
    """Return a memory as people and other programs read it."""
    plain: dict[str, Any] = record["properties"]
    times = {key: text for key, (_, text) in record.get("temporals", {}).items()}
    packed = properties.get("content_gz")
    whole = {"content": decompress(packed)} if packed else {}
    return {
        "memory_id": plain.get("uuid"),
        **{key: value for key, value in (plain | times | whole).items() if key not in _OMITTED},
        "metadata": json.loads(plain.get("metadata_json") or "{}"),
    }


def _rename_into_place(partial: Path, path: Path) -> Path:
    """Give a folder its name; another of the same second gets a number."""
    for number in range(1000):
        wanted = path if number == 0 else path.with_name(f"{path.name}_{number}")
        if not wanted.exists():
            partial.rename(wanted)
            return wanted
    raise BackupError(f"There are too many backups of one second beside {path}.")


def _clear(folder: Path, now: datetime) -> None:
    """Remove what killed backups left: half-made folders into which nothing was written for a day.

    Another host may be writing to the same folder, so a process id would say nothing.
    """
    for partial in folder.glob(f"{_PARTIAL}*"):
        with contextlib.suppress(OSError):  # its maker has ended it meanwhile
            written = max(path.stat().st_mtime for path in (partial, *partial.iterdir()))
            if now.timestamp() - written > _ABANDONED_SECONDS:
                _remove(partial)


def _remove(path: Path) -> None:
    """Remove a folder; one that cannot be removed spoils no backup that was made."""
    try:
        shutil.rmtree(path)
    except OSError as error:
        _log.warning("%s stays: %s", path, error)
