"""The instance of one folder: find, start and stop it.

The caller of `ensure_running` and `end` must hold the lock of the folder.
"""

import json
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from graph_memory.errors import LocalNeo4jError
from graph_memory.local_neo4j import process
from graph_memory.local_neo4j.cancellation import StartCancelledError
from graph_memory.local_neo4j.configuration import (
    LOOPBACK,
    Memory,
    command_line,
    ensure_password,
    heap_argument,
    read_password,
    render_conf,
)
from graph_memory.local_neo4j.folder import Folder, write_private
from graph_memory.local_neo4j.jars import NEO4J_VERSION, distrust_jars, ensure_jars
from graph_memory.local_neo4j.java import Java, find_java
from graph_memory.local_neo4j.progress import start_progress

if TYPE_CHECKING:
    from graph_memory.settings.base import Settings


@dataclass(frozen=True, slots=True)
class LocalNeo4j:
    """A running instance with its address and credentials."""

    uri: str
    user: str
    password: str = field(repr=False)
    database: str
    pid: int
    version: str
    java: str
    home: Path
    started_at: str


@dataclass(frozen=True, slots=True)
class _Record:
    """The content of `instance.json`: the running or last process."""

    pid: int
    port: int
    version: str
    java: str
    started_at: str


def find_running(folder: Folder) -> LocalNeo4j | None:
    """Return the instance if its process is alive."""
    record = _find_live(folder)
    return _described(folder, record) if record else None


def is_running(folder: Folder) -> bool:
    """Check whether the process of the instance is alive."""
    return _find_live(folder) is not None


def is_outdated(folder: Folder, settings: "Settings") -> bool:
    """Check whether the instance runs with another version or memory than a start would use."""
    record = _read_record(folder)
    running = process.find(record.pid, folder.home) if record else None
    if record is None or running is None:
        return False
    memory = Memory.of(settings)
    conf = folder.conf.read_text(encoding="utf-8") if folder.conf.is_file() else ""
    configured = conf == render_conf(record.port, memory)
    same_heap = heap_argument(memory) in running.cmdline()
    return not (record.version == NEO4J_VERSION and configured and same_heap)


def ensure_running(folder: Folder, settings: "Settings") -> LocalNeo4j:
    """Start the instance unless it runs, and return it when it answers.

    Raises:
        LocalNeo4jError: The instance cannot be started, or does not answer in time.
    """
    record = _find_live(folder)
    # It may still be starting after the death of its starter, or be ending after a kill.
    if record is None or not _await_ready(folder, record, settings):
        record = _start(folder, settings)
    return _described(folder, record)


def end(folder: Folder, *, broken: bool = False) -> bool:
    """Stop the instance, or kill a `broken` one; return False if it did not run."""
    record = _read_record(folder)
    running = process.find(record.pid, folder.home) if record else None
    running = running or process.find_stray(folder.home)
    if running is None:
        return False
    process.end(running, folder.home, broken=broken)
    return True


def _start(folder: Folder, settings: "Settings") -> _Record:
    end(folder)  # an unrecorded process would lock the data
    record = _launch(folder, settings)
    try:
        with start_progress(NEO4J_VERSION):
            while not _await_ready(folder, record, settings):
                if process.is_free(record.port):
                    log = process.log_excerpt(folder.console_log)
                    raise LocalNeo4jError(f"Neo4j ended while it was starting. {log}")
                # Another process took the chosen port before Neo4j could.
                record = _launch(folder, settings)
    except StartCancelledError:
        raise  # the caller decides whether Neo4j stays
    except BaseException:
        end(folder)
        distrust_jars(settings)
        raise
    return record


def _launch(folder: Folder, settings: "Settings") -> _Record:
    folder.check_version()
    java, jars = find_java(settings), ensure_jars(settings)
    ensure_password(folder)
    last = _read_record(folder)
    port = process.choose_port(last.port if last else None)
    pid = _spawn(folder, settings, java, jars, port)
    started_at = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    record = _Record(pid, port, NEO4J_VERSION, str(java.path), started_at)
    write_private(folder.instance_file, json.dumps(asdict(record)))
    folder.version_file.write_text(NEO4J_VERSION, encoding="utf-8")
    return record


def _spawn(folder: Folder, settings: "Settings", java: Java, jars: Path, port: int) -> int:
    memory = Memory.of(settings)
    folder.conf.write_text(render_conf(port, memory), encoding="utf-8")
    command = command_line(java, jars, folder.home, memory, fast_start=settings.local_fast_start)
    return process.spawn(command, folder.home, folder.console_log)


def _await_ready(folder: Folder, record: _Record, settings: "Settings") -> bool:
    limit = settings.local_start_seconds
    return process.await_ready(record.pid, record.port, folder.console_log, limit)


def _find_live(folder: Folder) -> _Record | None:
    record = _read_record(folder)
    return record if record and process.find(record.pid, folder.home) else None


def _read_record(folder: Folder) -> _Record | None:
    try:
        return _Record(**json.loads(folder.instance_file.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError, ValueError, TypeError):
        return None  # it does not exist or is of another release


def _described(folder: Folder, record: _Record) -> LocalNeo4j:
    return LocalNeo4j(
        uri=f"bolt://{LOOPBACK}:{record.port}",
        user="neo4j",
        password=read_password(folder),
        database="neo4j",
        pid=record.pid,
        version=record.version,
        java=record.java,
        home=folder.home,
        started_at=record.started_at,
    )
