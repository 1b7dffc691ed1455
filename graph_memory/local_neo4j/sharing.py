"""One Neo4j per data root, shared by every process that wants it.

    acquire   register this process, start what does not run, wait until it answers
    release   unregister; the last one out stops it
    start     bring it up without registering; `keep` lets it stay up without users
    stop      stop it whoever uses it

A lock file makes each of them one step, and whoever dies in between is noticed by the next one.
"""

import contextlib
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from graph_memory.errors import LocalNeo4jError
from graph_memory.local_neo4j import process, users
from graph_memory.local_neo4j.folder import Folder
from graph_memory.local_neo4j.instance import LocalNeo4j, end, ensure_running, find_running
from graph_memory.local_neo4j.jars import NEO4J_VERSION, jars_folder, missing_jars
from graph_memory.settings.base import Settings

# Whoever holds the lock may be downloading, besides starting.
_DOWNLOAD_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class LocalNeo4jStatus:
    """What is known about the instance of a data root, running or not."""

    running: bool
    pid: int | None
    uri: str | None
    version: str
    data_version: str | None
    java: str | None
    started_at: str | None
    users: list[int]
    keep: bool
    data_dir: Path
    data_bytes: int
    jars_dir: Path
    jars_missing: int
    log_file: Path


def acquire(settings: Settings) -> LocalNeo4j:
    """Use the local Neo4j, starting it if it does not run; blocks until it answers.

    Each call counts, within one process too, and wants its `release`. A process that finds the
    instance dead brings it back by `start`, at the same address unless its port was taken.

    Raises:
        LocalNeo4jError: It cannot be provided; the message holds the log's tail and a remedy.
    """
    folder = Folder.of(settings)
    with _locked(folder, settings):
        users.prune(folder)
        users.register(folder)
        try:
            return ensure_running(folder, settings)
        except BaseException:
            users.unregister(folder)
            raise


def release(settings: Settings) -> None:
    """Undo one `acquire` of this process; the last one out stops the instance unless it is kept."""
    folder = Folder.of(settings)
    if not folder.root.is_dir():
        return
    with _locked(folder, settings):
        users.unregister(folder)
        users.prune(folder)
        if not users.registered(folder) and not folder.keep_marker.exists():
            end(folder)


def start(settings: Settings, *, keep: bool = False) -> LocalNeo4j:
    """Bring the instance up without registering this process.

    With `keep` it stays up when its last user is gone, until `stop`.

    Raises:
        LocalNeo4jError: It cannot be provided.
    """
    folder = Folder.of(settings)
    with _locked(folder, settings):
        instance = ensure_running(folder, settings)
        if keep:
            folder.keep_marker.touch()
        return instance


def stop(settings: Settings) -> bool:
    """Stop the instance, whoever uses it; False when none ran."""
    folder = Folder.of(settings)
    if not folder.root.is_dir():
        return False
    with _locked(folder, settings):
        folder.keep_marker.unlink(missing_ok=True)
        return end(folder)


def running(settings: Settings) -> LocalNeo4j | None:
    """Return the live instance, or None; starts nothing and waits for nothing."""
    return find_running(Folder.of(settings))


def status(settings: Settings) -> LocalNeo4jStatus:
    """Describe the instance; starts nothing and waits for nothing."""
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
        data_dir=folder.root,
        data_bytes=folder.bytes_used(),
        jars_dir=jars_folder(settings),
        jars_missing=missing_jars(settings),
        log_file=folder.console_log,
    )


def log_tail(settings: Settings, lines: int = 50) -> str:
    """Return the last lines of what the instance printed; empty before its first start."""
    return process.tail(Folder.of(settings).console_log, lines)


@contextlib.contextmanager
def _locked(folder: Folder, settings: Settings) -> Generator[None]:
    folder.create()
    limit = settings.local_start_seconds + _DOWNLOAD_SECONDS
    lock = FileLock(folder.lock_file, timeout=limit)
    try:
        lock.acquire()
    except Timeout as error:
        raise LocalNeo4jError(
            f"Another process has held {folder.lock_file} for {limit:g} s. "
            "End that process, then try again."
        ) from error
    try:
        yield
    finally:
        lock.release()
