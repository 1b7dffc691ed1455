"""Restoring a backup: all of it, checked before and after, or a database that says it is not."""

import gzip
import json
import zlib
from collections.abc import Callable, Generator
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graph_memory.backup import create, dump
from graph_memory.backup.create import Manifest
from graph_memory.database import indexes, schema
from graph_memory.database.graph import Graph
from graph_memory.database.lease import Lease
from graph_memory.domain.batching import batched
from graph_memory.domain.timestamps import instant
from graph_memory.errors import BackupError, GraphMemoryError
from graph_memory.settings.base import Settings

_BATCH = 500
_ERASED = 2000
_INDEX_SECONDS = 3600

Progress = Callable[[int, int | None], None]


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored, and where what was there before is."""

    path: Path
    memories: int
    nodes: int
    edges: int
    backup_before: Path | None


@dataclass(frozen=True, slots=True)
class UnfinishedRestore:
    """A restoring that was begun: of which backup, and where what was there before is."""

    path: str
    before: str | None


@dataclass(frozen=True, slots=True)
class _Made:
    id: int
    element_id: str


async def restore(
    graph: Graph,
    settings: Settings,
    path: Path,
    *,
    replace: bool = False,
    on_progress: Progress = lambda done, of: None,
) -> Restored:
    """Make the database what a backup says, and read it back to see that it is.

    Everything that is there is erased; of memories that are there a backup is made first. While
    this goes on no service opens the database, and if it is interrupted none does until it is
    repeated. Old backups beyond `backup_keep` go when all is done; never these two.

    Args:
        graph: The database to restore into, its schema up; nobody else may be using it.
        settings: Where the backup of what is there goes.
        path: The folder of the backup.
        replace: Whether memories that are there may be replaced.
        on_progress: Called with the nodes and relationships written since, and with all there are.

    Raises:
        BackupError: The backup is damaged, memories are there, or the result is not the backup.
        RunLockedError: Maintenance is on its way.
    """
    manifest = read_manifest(path)
    _check(path, manifest)
    async with Lease(graph, settings):
        begun = await unfinished(graph)
        there = (await create.status(graph)).memories if begun is None else 0
        if there and not replace:
            raise BackupError(
                f"There are {there} memories in this database. Restore into an empty one, or add "
                "--replace: they are then backed up and erased."
            )
        before = Path(begun.before) if begun and begun.before else None
        if there:
            before = (await create.create(graph, settings, keep_all=True)).backup_path
        try:
            await _replace(graph, path, manifest, before, on_progress)
        except GraphMemoryError as error:
            raise BackupError(f"{error}{_describe_previous(before)}") from error
    if before:
        create.prune(settings, spared=(path, before))
    return Restored(path, manifest.memories, manifest.nodes, manifest.edges, before)


async def unfinished(graph: Graph) -> UnfinishedRestore | None:
    """Return which restoring was interrupted, if one was."""
    return await graph.one("backup/restore/unfinished", UnfinishedRestore)


async def refuse_unfinished(graph: Graph) -> None:
    """Refuse a database that holds only a part of a backup.

    Raises:
        BackupError: Its restoring was interrupted.
    """
    if begun := await unfinished(graph):
        raise BackupError(
            f"The restoring of {begun.path} into this database was interrupted. Repeat "
            f"`graph-memory restore {begun.path}`; until then nothing is served from it."
            f"{_describe_previous(begun.before)}"
        )


def read_manifest(path: Path) -> Manifest:
    """Read what a backup says of itself.

    Raises:
        BackupError: It is none, or of a format that is not known here.
    """
    try:
        said = json.loads((path / create.MANIFEST).read_text(encoding="utf-8"))
        manifest = Manifest(**{field.name: said[field.name] for field in fields(Manifest)})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BackupError(
            f"{path} is no backup: {create.MANIFEST} cannot be read ({error}). Name a folder "
            "backup_... that `graph-memory backup` made."
        ) from error
    if manifest.format != create.FORMAT:
        raise BackupError(
            f"{path} is a backup of format {manifest.format}, and this version of graph-memory "
            f"reads {create.FORMAT}. Install the version that made it."
        )
    return manifest


def _records(path: Path) -> Generator[dict[str, Any]]:
    try:
        with gzip.open(path / create.GRAPH, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise BackupError(f"{path / create.GRAPH} is damaged ({error}). Use another.") from error


def _check(path: Path, manifest: Manifest) -> None:
    """Compare a backup with what it says of itself, before anything is changed."""
    checksum = dump.Checksum()
    for record in _records(path):
        if "labels" in record:
            checksum.node(record)
        else:
            checksum.edge(record)
    if problem := _difference(checksum, manifest):
        raise BackupError(f"{path} is damaged: {problem}. Nothing was changed; use another.")


async def _replace(
    graph: Graph, path: Path, manifest: Manifest, before: Path | None, on_progress: Progress
) -> None:
    """Erase what is there, and write and compare what the backup holds."""
    await graph.run(
        "backup/restore/begin",
        path=_absolute(path),
        before=str(before) if before else None,
        now=instant(datetime.now(UTC)),
    )
    await graph.run("backup/restore/erase", batch=_ERASED)
    await _load(graph, path, manifest, on_progress)
    await indexes.await_indexes(graph, _INDEX_SECONDS)
    await _compare(graph, manifest)
    await schema.upgrade_stored_data(graph)
    await graph.run("backup/restore/end")


def _absolute(path: Path) -> str:
    """Return a path as whoever repeats the restoring finds it, from whatever folder."""
    return str(path.absolute())


def _describe_previous(before: Path | str | None) -> str:
    """Say where what was there before is, if anything was."""
    if before is None:
        return ""
    return f" What was there before is in {before}, to be restored in the same way."


async def _compare(graph: Graph, manifest: Manifest) -> None:
    """Compare what is in the database with the backup."""
    if problem := _difference(await create.checksum(graph), manifest):
        raise BackupError(
            f"What was restored is not the backup: {problem}. Stop whatever else uses the database "
            "and repeat it; until then nothing is served from it."
        )


def _difference(found: dump.Checksum, manifest: Manifest) -> str | None:
    for what, is_there, said in (
        ("nodes", found.nodes, manifest.nodes),
        ("relationships", found.edges, manifest.edges),
        ("checksum", found.hexdigest(), manifest.checksum),
    ):
        if is_there != said:
            return f"{what} {is_there}, not {said}"
    return None


async def _load(graph: Graph, path: Path, manifest: Manifest, on_progress: Progress) -> None:
    total = manifest.nodes + manifest.edges
    on_progress(0, total)
    made: dict[int, str] = {}
    for batch in batched(_records(path), _BATCH):
        nodes = [
            {"id": record["id"], "labels": record["labels"], **dump.parameters(record)}
            for record in batch
            if "labels" in record
        ]
        if nodes:
            rows = await graph.rows("backup/restore/nodes", _Made, nodes=nodes)
            made |= {row.id: row.element_id for row in rows}
        edges = [
            {
                "from_id": made[record["from"]],
                "to_id": made[record["to"]],
                "type": record["type"],
                **dump.parameters(record),
            }
            for record in batch
            if "labels" not in record
        ]
        if edges:
            await graph.run("backup/restore/edges", edges=edges)
        on_progress(len(batch), None)
