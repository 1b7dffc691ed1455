"""One Neo4j per data root, shared by all processes that use it.

    acquire   register this process, start Neo4j unless it runs, wait until it answers
    release   unregister this process; the last one leaves Neo4j to its keeper
    start     start Neo4j without registering; with `keep` it stays up without users
    replace   restart a Neo4j that closed its database after a failure
    stop      stop Neo4j, even if it has users

A lock file makes each of them atomic. The keeper notices processes that died in between, and stops
an instance that had no user for `local_linger_seconds`.
"""

import contextlib
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from graph_memory.errors import LocalNeo4jError
from graph_memory.local_neo4j import cancellation, lingering, process, swap, users
from graph_memory.local_neo4j.cancellation import cancelled_by
from graph_memory.local_neo4j.folder import Folder
from graph_memory.local_neo4j.instance import (
    LocalNeo4j,
    end,
    ensure_running,
    find_running,
    is_outdated,
    is_running,
)
from graph_memory.local_neo4j.jars import NEO4J_VERSION, jars_folder, missing_jars

if TYPE_CHECKING:
    from graph_memory.settings.base import Settings

# The holder of the lock may be downloading before it starts Neo4j.
_DOWNLOAD_SECONDS = 600.0
_LOCK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class LocalNeo4jStatus:
    """The status of the instance of a data root, running or not.

    `stops_in_seconds` is the time until its keeper stops an unused instance; None while it is used
    or kept.
    """

    running: bool
    pid: int | None
    uri: str | None
    version: str
    data_version: str | None
    java: str | None
    started_at: str | None
    users: list[int]
    keep: bool
    stops_in_seconds: float | None
    data_dir: Path
    data_bytes: int
    jars_dir: Path
    jars_missing: int
    log_file: Path


def acquire(settings: "Settings", cancelled: Event | None = None) -> LocalNeo4j:
    """Register this process as a user, start the instance unless it runs, and wait for it.

    Each call counts, also within one process, and needs a `release`. `start` restarts an instance
    that has ended, at the same address unless another process uses its port.

    Once `cancelled` is set, the call ends within a second. An instance that is starting is then
    left to its keeper, like one that is released.

    Raises:
        LocalNeo4jError: The instance cannot be started; the message holds the log and a remedy.
        StartCancelledError: `cancelled` was set before the instance answered.
    """
    folder = Folder.of(settings)
    with cancelled_by(cancelled), locked(folder, settings):
        users.prune(folder)
        _prepare(folder, settings)
        users.register(folder)
        try:
            return ensure_running(folder, settings)
        except BaseException:
            _leave(folder, settings)
            raise


def release(settings: "Settings") -> None:
    """Undo one `acquire` of this process.

    The last user leaves the instance to its keeper for `local_linger_seconds`; with 0 it stops the
    instance, unless that is kept.
    """
    folder = Folder.of(settings)
    if not folder.root.is_dir():
        return
    with locked(folder, settings):
        _leave(folder, settings)


def start(settings: "Settings", *, keep: bool = False) -> LocalNeo4j:
    """Start the instance without registering this process.

    With `keep` it stays up without users until `stop`, else for `local_linger_seconds`.

    Raises:
        LocalNeo4jError: The instance cannot be started.
    """
    folder = Folder.of(settings)
    with locked(folder, settings):
        _prepare(folder, settings)
        instance = ensure_running(folder, settings)
        if keep:
            folder.keep_marker.touch()
        return instance


def replace(settings: "Settings", pid: int) -> LocalNeo4j:
    """Kill the instance if it still has this pid, start it again, and return it.

    Of several processes that find the instance broken, the first one replaces it.

    Raises:
        LocalNeo4jError: The instance cannot be started.
    """
    folder = Folder.of(settings)
    with locked(folder, settings):
        broken = find_running(folder)
        if broken and broken.pid == pid:
            end(folder, broken=True)
        return ensure_running(folder, settings)


def stop(settings: "Settings") -> bool:
    """Stop the instance, even if it has users; return False if it did not run."""
    folder = Folder.of(settings)
    if not folder.root.is_dir():
        return False
    with locked(folder, settings):
        folder.keep_marker.unlink(missing_ok=True)
        return end(folder)


def running(settings: "Settings") -> LocalNeo4j | None:
    """Return the running instance, or None; start nothing and do not wait."""
    return find_running(Folder.of(settings))


def status(settings: "Settings") -> LocalNeo4jStatus:
    """Return the status of the instance; start nothing and do not wait."""
    folder = Folder.of(settings)
    instance = find_running(folder)
    return LocalNeo4jStatus(
        running=instance is not None,
        pid=instance.pid if instance else None,
        uri=instance.uri if instance else None,
        version=instance.version if instance else NEO4J_VERSION,
        data_version=folder.data_version(),
        java=instance.java if instance else None,
        started_at=instance.started_at if instance else None,
        users=users.registered(folder),
        keep=folder.keep_marker.exists(),
        stops_in_seconds=lingering.seconds_left(folder) if instance else None,
        data_dir=folder.root,
        data_bytes=folder.bytes_used(),
        jars_dir=jars_folder(settings),
        jars_missing=missing_jars(settings),
        log_file=folder.console_log,
    )


def log_tail(settings: "Settings", lines: int = 50) -> str:
    """Return the last lines of the output of the instance; empty before its first start."""
    return process.tail(Folder.of(settings).console_log, lines)


def _leave(folder: Folder, settings: "Settings") -> None:
    """Unregister this process; the last one leaves the instance to its keeper, or stops it."""
    users.unregister(folder)
    users.prune(folder)
    seconds = settings.local_linger_seconds
    lingering.record_use(folder, seconds)
    if users.registered(folder) or folder.keep_marker.exists():
        return
    if not (seconds and is_running(folder) and lingering.ensure_keeper(folder)):
        end(folder)


def _prepare(folder: Folder, settings: "Settings") -> None:
    """Stop an unused instance that differs from the settings, and start the keeper."""
    unused = not users.registered(folder) and not folder.keep_marker.exists()
    if unused and is_outdated(folder, settings):
        end(folder)
    lingering.record_use(folder, settings.local_linger_seconds)
    # Before Neo4j: this process may be killed while Neo4j starts.
    lingering.ensure_keeper(folder)


@contextlib.contextmanager
def locked(folder: Folder, settings: "Settings") -> Generator[None]:
    """Hold the lock of a folder, and finish or undo a rewrite that was killed.

    Any thread may end the block.

    Raises:
        LocalNeo4jError: Another process does not release it.
        StartCancelledError: The start was cancelled.
    """
    folder.create()
    limit = settings.local_start_seconds + _DOWNLOAD_SECONDS
    deadline = time.monotonic() + limit
    lock = FileLock(folder.lock_file, timeout=_LOCK_SECONDS, thread_local=False)
    while not _try(lock):
        cancellation.check()
        if time.monotonic() > deadline:
            raise LocalNeo4jError(
                f"Another process has held {folder.lock_file} for {limit:g} s. "
                "End that process, then try again."
            )
    try:
        swap.settle(folder)
        yield
    finally:
        lock.release()


def _try(lock: FileLock) -> bool:
    """Acquire the lock, unless another process holds it for longer than a moment."""
    try:
        lock.acquire()
    except Timeout:
        return False
    return True
