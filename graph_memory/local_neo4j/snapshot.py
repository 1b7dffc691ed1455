"""A snapshot: the local database at one instant, in a second Neo4j on a copy of its files.

The first Neo4j and its users go on. The second one belongs to its maker alone, and lasts as long as
it: a guard ends it and removes the copy, even after a kill of the maker. See `snapshot_guard`.
"""

import contextlib
import json
import shutil
import subprocess
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import IO, TYPE_CHECKING, cast

import psutil
from filelock import FileLock, Timeout

from graph_memory.errors import LocalNeo4jError
from graph_memory.local_neo4j import cancellation, process
from graph_memory.local_neo4j.cancellation import cancelled_by
from graph_memory.local_neo4j.configuration import (
    LOOPBACK,
    Memory,
    command_line,
    ensure_password,
    read_password,
    render_conf,
)
from graph_memory.local_neo4j.folder import Folder
from graph_memory.local_neo4j.instance import LocalNeo4j
from graph_memory.local_neo4j.jars import ensure_jars
from graph_memory.local_neo4j.java import find_java
from graph_memory.local_neo4j.store_copy import copy_database

if TYPE_CHECKING:
    from graph_memory.settings.base import Settings

#: Memory of the second Neo4j, for one reader of everything.
_MEMORY = Memory(heap=512, page_cache=128)

#: Memory of the whole process, with its code, threads and buffers.
_NEEDED_BYTES = 2**30

#: Seconds until it answers, beside those of each start: Neo4j counts what is in the stores.
_RECOVERY_SECONDS = 1800.0
_LOCK_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A second Neo4j with the database at one instant; the caller calls `remove`."""

    uri: str
    password: str = field(repr=False)
    _stack: contextlib.ExitStack = field(repr=False)

    def remove(self) -> None:
        """End the second Neo4j, and remove its files."""
        self._stack.close()


def take_snapshot(
    settings: "Settings", instance: LocalNeo4j, cancelled: Event | None = None
) -> Snapshot:
    """Copy the files of the running instance, and open them in a second Neo4j.

    All that was committed before the call is in the snapshot. One snapshot of a data root exists at
    a time; a second call waits. Once `cancelled` is set, the call ends, and leaves nothing.

    Raises:
        LocalNeo4jError: Disk space or memory is short, the instance ended, or the second Neo4j does
            not start.
        StartCancelledError: `cancelled` was set.
        OSError: The files cannot be copied.
    """
    root = Folder.of(settings).root / "snapshot"
    with cancelled_by(cancelled), contextlib.ExitStack() as stack:
        stack.enter_context(_alone(root.with_name("snapshot.lock")))
        folder = stack.enter_context(_removed_after(root))
        guard = stack.enter_context(_guarded(folder))
        _check_memory()
        copy_database(instance.home, folder.home)
        if process.find(instance.pid, instance.home) is None:
            raise LocalNeo4jError("Neo4j ended while its files were copied. Try again.")
        port = _open(guard, folder, settings)
        return Snapshot(f"bolt://{LOOPBACK}:{port}", read_password(folder), stack.pop_all())


def _check_memory() -> None:
    """Check that a second Neo4j does not take the memory that the first one needs."""
    free = psutil.virtual_memory().available
    if free < _NEEDED_BYTES:
        raise LocalNeo4jError(
            f"A second Neo4j for a backup needs {_NEEDED_BYTES / 2**20:,.0f} MiB of memory, and "
            f"{free / 2**20:,.0f} MiB are free. Free memory."
        )


@contextlib.contextmanager
def _alone(lock_file: Path) -> Generator[None]:
    """Hold the lock of the snapshots of a data root; whatever is there then is left over."""
    lock = FileLock(lock_file, timeout=_LOCK_SECONDS, thread_local=False)
    while True:
        cancellation.check()
        with contextlib.suppress(Timeout):
            lock.acquire()
            break
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _removed_after(root: Path) -> Generator[Folder]:
    folder = Folder(root)
    _remove(folder)
    folder.create()
    try:
        yield folder
    finally:
        _remove(folder)


def _remove(folder: Folder) -> None:
    """End a Neo4j of the folder that lost its guard, and remove its files."""
    if folder.root.exists():
        if stray := process.find_stray(folder.home):
            process.end(stray, folder.home)
        shutil.rmtree(folder.root, ignore_errors=True)


@contextlib.contextmanager
def _guarded(folder: Folder) -> Generator["subprocess.Popen[str]"]:
    """Run a guard of the folder; it ends the second Neo4j when its input is closed."""
    command, environment = process.module_command(
        "graph_memory.local_neo4j.snapshot_guard", str(folder.root)
    )
    with subprocess.Popen(
        command,
        cwd=folder.root.anchor,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as guard:  # the end of the block closes its input, and waits for it
        yield guard


def _open(guard: "subprocess.Popen[str]", folder: Folder, settings: "Settings") -> int:
    """Start the second Neo4j, and return its port when it answers."""
    port = process.free_port()
    ensure_password(folder)
    folder.conf.write_text(render_conf(port, _MEMORY), encoding="utf-8")
    java, jars = find_java(settings), ensure_jars(settings)
    command = command_line(java, jars, folder.home, _MEMORY, fast_start=True)
    pid = _launch(guard, command)
    limit = settings.local_start_seconds + _RECOVERY_SECONDS
    if not process.await_ready(pid, port, folder.console_log, limit):
        raise LocalNeo4jError(
            "The Neo4j on the copy of the database ended while it was starting. "
            f"{process.log_excerpt(folder.console_log)}"
        )
    return port


def _launch(guard: "subprocess.Popen[str]", command: list[str]) -> int:
    """Let the guard start a command, and return its pid."""
    to_guard, from_guard = cast("IO[str]", guard.stdin), cast("IO[str]", guard.stdout)
    try:
        to_guard.write(json.dumps(command) + "\n")
        to_guard.flush()
        return int(from_guard.readline())
    except (OSError, ValueError) as error:  # the guard was killed, or could not start Java
        raise LocalNeo4jError(
            "The second Neo4j for a backup cannot be started. Try again."
        ) from error
