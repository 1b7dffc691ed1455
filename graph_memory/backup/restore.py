"""Restore of a backup: complete and checked, or the database is marked as unfinished."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graph_memory.backup import create, dump, tombstones
from graph_memory.backup.files import BackupReader, Keyring, Manifest
from graph_memory.backup.tombstones import Applied
from graph_memory.backup.until import Rewind, TakenBack
from graph_memory.backup.validation import check_line
from graph_memory.database import indexes, schema
from graph_memory.database.graph import Graph
from graph_memory.database.lease import Lease
from graph_memory.domain.batching import batched
from graph_memory.domain.timestamps import instant
from graph_memory.errors import BackupError, GraphMemoryError
from graph_memory.settings.base import Settings

_BATCH = 500
_ERASED = 2000

Progress = Callable[[int, int | None], None]


@dataclass(frozen=True, slots=True)
class Restored:
    """A completed restore, and the backup of the previous data."""

    path: Path
    memories: int
    nodes: int
    edges: int
    backup_before: Path | None
    rejected: int = 0  #: memories that tombstones of the database have deleted again
    erased: int = 0  #: memories that tombstones of the database have erased again
    waiting: int = 0  #: memories with a rejected value in other words, which wait for a review
    facts: int = 0  #: relations that lost a fact by tombstones of the database
    taken_back: TakenBack | None = None  #: what was taken back, with `until`


@dataclass(frozen=True, slots=True)
class UnfinishedRestore:
    """An interrupted restore: its backup, the backup of the previous data, and its instant."""

    path: str
    before: str | None
    until: str | None

    @property
    def command(self) -> str:
        """The command that repeats the restore."""
        until = f" --until {self.until}" if self.until else ""
        return f"graph-memory restore {self.path}{until}"


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
    rewind: Rewind | None = None,
    on_progress: Progress = lambda done, of: None,
) -> Restored:
    """Replace the database by a backup, and read it back to compare checksums.

    All existing data is erased but tombstones; existing memories are backed up first. Tombstones
    apply to what is restored. Services refuse to open the
    database during a restore, and after an interrupted one until it is repeated. Old backups beyond
    `backup_keep` are deleted at the end, except these two.

    Args:
        graph: The database, with its schema; no other process may use it.
        settings: The folder for the backup of existing memories.
        path: The folder of the backup.
        replace: True to replace existing memories.
        rewind: The instant to restore to, and how to take back what is dated after it.
        on_progress: Called with the number of nodes and relationships written since the last call,
            and once with the total.

    Raises:
        BackupError: The backup is damaged, its key is not set, it was made before the instant,
            memories exist, or the result differs from the backup.
        RunLockedError: A maintenance run is in progress.
    """
    backup = BackupReader(path, Keyring.of(settings))
    if rewind:
        rewind.check(path, backup.manifest())
    manifest = check(backup)
    async with Lease(graph, settings) as lease:
        interrupted = await unfinished(graph)
        existing = (await create.status(graph)).memories if interrupted is None else 0
        if existing and not replace:
            raise BackupError(
                f"This database holds {existing} memories. Restore into an empty one, or add "
                "--replace to back them up and erase them."
            )
        before = Path(interrupted.before) if interrupted and interrupted.before else None
        if existing:
            before = (await create.create(graph, settings, keep_all=True)).backup_path
        try:
            applied, taken_back = await _replace(
                lease, settings, backup, manifest, before, rewind, on_progress
            )
        except GraphMemoryError as error:
            raise BackupError(f"{error}{_describe_previous(before)}") from error
    if before:
        create.prune(settings, spared=(path, before))
    counts = (manifest.memories, manifest.nodes, manifest.edges)
    return Restored(path, *counts, before, **asdict(applied), taken_back=taken_back)


async def unfinished(graph: Graph) -> UnfinishedRestore | None:
    """Return the interrupted restore, if there is one."""
    return await graph.one("backup/restore/unfinished", UnfinishedRestore)


async def refuse_unfinished(graph: Graph) -> None:
    """Check that the database is not the result of an interrupted restore.

    Raises:
        BackupError: A restore was interrupted.
    """
    if interrupted := await unfinished(graph):
        raise BackupError(
            f"The restore of {interrupted.path} into this database was interrupted. Repeat "
            f"`{interrupted.command}`; until then the database is not served."
            f"{_describe_previous(interrupted.before)}"
        )


def check(backup: BackupReader) -> Manifest:
    """Check the form of each line of a backup, and compare them with its manifest.

    Returns:
        The manifest.

    Raises:
        BackupError: The backup is damaged, or was changed, or its key is not set.
    """
    manifest, checksum = backup.manifest(), dump.Checksum()
    with backup.damage():
        for line in backup.lines():
            record = json.loads(line)
            check_line(line, record, checksum)
            (checksum.node if "labels" in record else checksum.edge)(record)
    if problem := _difference(checksum, manifest):
        raise BackupError(
            f"{backup.path} is damaged: {problem}. Nothing was changed; use another backup."
        )
    return manifest


async def _replace(
    lease: Lease,
    settings: Settings,
    backup: BackupReader,
    manifest: Manifest,
    before: Path | None,
    rewind: Rewind | None,
    on_progress: Progress,
) -> tuple[Applied, TakenBack | None]:
    """Erase the database, write the backup, compare, take back, and apply the tombstones."""
    graph = lease.graph
    await graph.run(
        "backup/restore/begin",
        path=_absolute(backup.path),
        before=str(before) if before else None,
        until=instant(rewind.until) if rewind else None,
        now=instant(datetime.now(UTC)),
    )
    await tombstones.set_aside(graph)
    await graph.run("backup/restore/erase", batch=_ERASED, owner=lease.owner)
    await lease.require_held()
    await _load(lease, backup, manifest, on_progress)
    await indexes.await_indexes(graph)
    await _compare(graph, manifest)
    await lease.require_held()
    await schema.upgrade_stored_data(graph)
    taken_back = await rewind.how(lease, settings, rewind.until) if rewind else None
    applied = await tombstones.bring_back(graph, settings)
    await graph.run("backup/restore/end")
    return applied, taken_back


def _absolute(path: Path) -> str:
    """Return an absolute path, because the restore may be repeated from another folder."""
    return str(path.absolute())


def _describe_previous(before: Path | str | None) -> str:
    """Return a sentence that names the backup of the previous data, or an empty text."""
    if before is None:
        return ""
    return f" The previous data is in {before}; restore it in the same way."


async def _compare(graph: Graph, manifest: Manifest) -> None:
    """Compare the database with the backup."""
    if problem := _difference(await create.checksum(graph), manifest):
        raise BackupError(
            f"The restored database differs from the backup: {problem}. Stop all other processes "
            "that use the database, and repeat the restore; until then it is not served."
        )


def _difference(found: dump.Checksum, manifest: Manifest) -> str | None:
    for what, actual, expected in (
        ("nodes", found.nodes, manifest.nodes),
        ("relationships", found.edges, manifest.edges),
        ("checksum", found.hexdigest(), manifest.checksum),
    ):
        if actual != expected:
            return f"{what} {actual} instead of {expected}"
    return None


async def _load(
    lease: Lease, backup: BackupReader, manifest: Manifest, on_progress: Progress
) -> None:
    total = manifest.nodes + manifest.edges
    on_progress(0, total)
    made: dict[int, str] = {}
    for batch in batched(backup.records(), _BATCH):
        await write(lease.graph, batch, made, lease)
        on_progress(len(batch), None)


async def write(
    graph: Graph,
    batch: Sequence[dict[str, Any]],
    made: dict[int, str],
    lease: Lease | None = None,
) -> None:
    """Write nodes and relationships, as `dump` describes them, nodes first.

    A process may pause for longer than its lease lasts, and another call take over. So each
    statement checks the lease, in its transaction.

    Args:
        graph: The database.
        batch: The records.
        made: The element ids of the nodes written, by the ids of the original database.
        lease: The lease of the database; None if no other call knows the database.

    Raises:
        LeaseLostError: Another call has taken the lease; nothing was written since.
    """
    owner = lease.owner if lease else None
    nodes = [
        {"id": record["id"], "labels": record["labels"], **dump.parameters(record)}
        for record in batch
        if "labels" in record
    ]
    if nodes:
        rows = await graph.rows("backup/restore/nodes", _Made, nodes=nodes, owner=owner)
        if lease and len(rows) < len(nodes):
            await lease.require_held()
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
        written = await graph.one("backup/restore/edges", int, edges=edges, owner=owner)
        if lease and (written or 0) < len(edges):
            await lease.require_held()
