"""A copy of the files of a Neo4j that goes on writing, which a second Neo4j opens as after a crash.

The stores are copied page by page while they change, so they mix instants. That does no harm: Neo4j
writes each change to its transaction log before it changes a store, and each log entry holds whole
records. Recovery takes back and repeats all that came after a checkpoint. So a copy is sound if

    1  it holds a checkpoint that was complete before the first store was copied,
    2  it holds the log from that checkpoint to an instant after the last store was copied,
    3  the end of the log is one that a crash could have left: a prefix of what was written.

The copy then stands at the instant of 3. Range indexes, counts and free ids are trees that recovery
does not repair. They are left out, and Neo4j builds them again. See `lucene_copy` for the others.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from graph_memory.errors import LocalNeo4jError
from graph_memory.local_neo4j import cancellation
from graph_memory.local_neo4j.lucene_copy import link_indexes

_DATABASE = "neo4j"
_LOGS = "neostore.transaction.db.*"
_CHECKPOINTS = "checkpoint.*"

#: Stores that Neo4j builds again, in the version of the lock file.
_REBUILT = (".id", ".counts.db", ".degrees.db", ".indexstats.db")

#: Bytes after which the copy waits for the disk: more at once would delay the commits of writers.
_BLOCK = 16 * 2**20

#: Bytes beside the copy that the second Neo4j writes: logs of its own, counts and free ids.
_SPARE = 512 * 2**20


def copy_database(home: Path, target: Path) -> None:
    """Copy the database `neo4j` of the running Neo4j in `home` to the home `target`.

    Neo4j deletes old logs after each checkpoint. Hard links keep them until they are copied. The
    copied logs share nothing with the live ones, because the second Neo4j writes to them. The files
    of vector and full-text indexes are shared, because it writes to none of them.

    Raises:
        LocalNeo4jError: The disk has too little space, or a log was deleted before it was linked.
        StartCancelledError: The work was cancelled.
        OSError: A file cannot be read, linked or written.
    """
    logs, links = _transactions(home), target / "links"
    stores, copies = _stores(home), _transactions(target)
    for folder in (links, copies, _store_folder(target)):
        folder.mkdir(parents=True)

    def keep_logs() -> None:
        _link_new(logs, links)

    keep_logs()
    _check_space(target, [*stores, *links.iterdir()])
    for log in _newest_first(logs, _CHECKPOINTS):
        _copy_log(log, copies)
    for store in stores:
        _copy(store, _store_folder(target) / store.name, store.stat().st_size, keep_logs)
    keep_logs()
    link_indexes(_store_folder(home), _store_folder(target))
    for log in _without_gap(_newest_first(links, _LOGS)):
        _copy_log(log, copies)
    shutil.rmtree(links)


def _store_folder(home: Path) -> Path:
    return home / "data" / "databases" / _DATABASE


def _transactions(home: Path) -> Path:
    return home / "data" / "transactions" / _DATABASE


def _stores(home: Path) -> list[Path]:
    found = _store_folder(home).glob("neostore*")
    return sorted(each for each in found if not each.name.endswith(_REBUILT))


def _check_space(target: Path, files: list[Path]) -> None:
    needed = sum(each.stat().st_size for each in files) + _SPARE
    free = shutil.disk_usage(target).free
    if free < needed:
        raise LocalNeo4jError(
            f"A copy of the database needs {needed / 2**20:,.0f} MiB in {target.parent}, and the "
            f"disk has {free / 2**20:,.0f} MiB. Free disk space."
        )


def _link_new(logs: Path, links: Path) -> None:
    for log in logs.glob(_LOGS):
        link = links / log.name
        if not link.exists():
            with suppress(FileNotFoundError):  # deleted since the folder was listed
                link.hardlink_to(log)


def _newest_first(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(pattern), key=_number, reverse=True)


def _number(log: Path) -> int:
    return int(log.suffix[1:])


def _without_gap(logs: list[Path]) -> Iterator[Path]:
    """Yield logs, the newest first; an older one is complete once a newer one exists.

    Raises:
        LocalNeo4jError: A log between two others is missing.
    """
    for previous, log in zip([None, *logs], logs, strict=False):
        if previous and _number(log) != _number(previous) - 1:
            raise LocalNeo4jError(
                f"Neo4j deleted the log before {previous.name} while it was copied. Try again when "
                "fewer memories are written."
            )
        yield log


def _copy_log(log: Path, folder: Path) -> None:
    """Copy what is written of a log to a file of the same size.

    Neo4j reserves a log with zeros, and appends. All before the last byte that was written when the
    log is looked through is complete; what follows later is left out.
    """
    copy = folder / log.name
    _copy(log, copy, _written(log))
    os.truncate(copy, log.stat().st_size)


def _written(log: Path) -> int:
    """Return the number of bytes up to the last one that is not zero."""
    position = last = 0
    with log.open("rb") as file:
        while block := file.read(2**20):
            if used := len(block.rstrip(b"\0")):
                last = position + used
            position += len(block)
    return last


def _copy(source: Path, copy: Path, size: int, between: Callable[[], None] = lambda: None) -> None:
    """Copy the first bytes of a file, and call `between` after each block."""
    with source.open("rb", buffering=0) as file, copy.open("xb", buffering=0) as written:
        while size and (block := file.read(min(size, _BLOCK))):
            cancellation.check()
            written.write(block)
            os.fsync(written.fileno())
            size -= len(block)
            between()
