"""The startup cache of the JVM: the classes of Neo4j as loaded and linked, and method profiles.

With it Neo4j starts in two thirds of the time. The JVM writes it when a Neo4j ends that was started
for this purpose, with an empty database of its own and at the lowest priority. A cache serves one
build of Java and one set of jars; the JVM ignores one that does not fit.

Source: JEP 483, JEP 514 and JEP 515.
"""

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from filelock import FileLock

from graph_memory.errors import LocalNeo4jError
from graph_memory.local_neo4j import process
from graph_memory.local_neo4j.configuration import (
    Memory,
    cache_file,
    command_line,
    ensure_password,
    render_conf,
)
from graph_memory.local_neo4j.folder import Folder
from graph_memory.local_neo4j.jars import ensure_jars
from graph_memory.local_neo4j.java import Java, find_java

if TYPE_CHECKING:
    from graph_memory.settings.base import Settings

_TRAINING_PREFIX = ".startup-"
_LOWEST_PRIORITY = 19
_END_SECONDS = 900.0  # 20 s of processor time, but other processes come first
_POLL_SECONDS = 0.2


def create_startup_cache(settings: "Settings") -> Path | None:
    """Create the cache unless it exists, and return its file; None if this Java cannot have one.

    Missing jars are downloaded first. The creation takes half a minute of an idle machine.

    Raises:
        LocalNeo4jError: No Java was found, a jar cannot be fetched, or no cache is written.
    """
    java, jars = find_java(settings), ensure_jars(settings)
    file = cache_file(java, jars)
    if file is None or file.is_file():
        return file
    with FileLock(jars / ".startup.lock"):
        if not file.is_file():  # another process may have created it
            _remove_leftovers(jars.parent)
            _create(settings, java, jars, file)
    return file


def _create(settings: "Settings", java: Java, jars: Path, file: Path) -> None:
    with tempfile.TemporaryDirectory(prefix=_TRAINING_PREFIX, dir=jars.parent) as root:
        folder, written = Folder(Path(root)), Path(root, file.name)
        memory = Memory.of(settings)
        command = command_line(
            java, jars, folder.home, memory, fast_start=False, cache_output=written
        )
        _run(folder, memory, command, settings.local_start_seconds)
        if not _is_usable(command):
            log = process.log_excerpt(folder.console_log)
            raise LocalNeo4jError(f"{java.path} wrote no usable startup cache. {log}")
        os.replace(written, file)


def _run(folder: Folder, memory: Memory, command: list[str], start_seconds: float) -> None:
    """Start Neo4j with an empty database in `folder`, wait until it answers, and end it."""
    folder.create()
    ensure_password(folder)
    port = process.free_port()
    folder.conf.write_text(render_conf(port, memory), encoding="utf-8")
    pid = process.spawn(command, folder.home, folder.console_log)
    with contextlib.suppress(psutil.NoSuchProcess):  # it ended early, without a usable cache
        jvm = psutil.Process(pid)
        try:
            jvm.nice(_LOWEST_PRIORITY)
            process.await_ready(pid, port, folder.console_log, start_seconds)
        finally:
            _end(jvm)


def _end(jvm: psutil.Process) -> None:
    """Terminate the JVM, and wait while it writes the cache; kill it after a quarter of an hour."""
    jvm.terminate()
    deadline = time.monotonic() + _END_SECONDS
    while process.is_alive(jvm.pid):
        if time.monotonic() > deadline:
            for each in (*jvm.children(recursive=True), jvm):
                each.kill()
        time.sleep(_POLL_SECONDS)


def _is_usable(command: list[str]) -> bool:
    """Check that the JVM starts with the cache that `command` has written."""
    main = next(at for at, part in enumerate(command) if part.startswith("org.neo4j."))
    options = [part.replace("-XX:AOTCacheOutput=", "-XX:AOTCache=") for part in command[1:main]]
    checked = [command[0], "-XX:AOTMode=on", *options, "-version"]
    return subprocess.run(checked, capture_output=True, check=False).returncode == 0


def _remove_leftovers(folder: Path) -> None:
    """End and delete what a killed creation has left."""
    for root in folder.glob(f"{_TRAINING_PREFIX}*"):
        if jvm := process.find_stray(Folder(root).home):
            process.end(jvm, Folder(root).home, broken=True)
        shutil.rmtree(root, ignore_errors=True)
