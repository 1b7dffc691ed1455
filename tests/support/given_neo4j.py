"""A Neo4j of a given version, and pytest against it.

    python -m tests.support.given_neo4j 2026.07.1 tests/integration/search

The version is that of a lock, `tests/data/neo4j-VERSION.lock`, or the one that the service runs.
Further arguments are those of pytest. Tests that start a local Neo4j of their own run the version
of the service.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from graph_memory import read_settings
from graph_memory.local_neo4j import process
from graph_memory.local_neo4j.configuration import (
    LOOPBACK,
    Memory,
    command_line,
    ensure_password,
    read_password,
    render_conf,
)
from graph_memory.local_neo4j.folder import Folder
from graph_memory.local_neo4j.jars import NEO4J_VERSION, ensure_jars
from graph_memory.local_neo4j.java import find_java
from graph_memory.local_neo4j.lock_file import LOCK_FILE

ROOT = Path(__file__).parents[2]
LOCKS = {
    **{file.stem.removeprefix("neo4j-"): file for file in ROOT.glob("tests/data/neo4j-*.lock")},
    NEO4J_VERSION: LOCK_FILE,
}
_START_SECONDS = 300.0


@contextmanager
def running(version: str, root: Path) -> Iterator[dict[str, str]]:
    """Run Neo4j with its data below a folder; yield the environment of tests that use it."""
    settings = read_settings(data_dir=root)
    folder, memory, port = Folder.of(settings), Memory.of(settings), process.free_port()
    java, jars = find_java(settings), ensure_jars(settings, LOCKS[version], version)
    folder.create()
    ensure_password(folder)
    folder.conf.write_text(render_conf(port, memory), encoding="utf-8")
    command = command_line(java, jars, folder.home, memory, fast_start=False)
    pid = process.spawn(command, folder.home, folder.console_log)
    try:
        assert process.await_ready(pid, port, folder.console_log, _START_SECONDS), (
            process.log_excerpt(folder.console_log)
        )
        yield {
            "GRAPH_MEMORY_TEST_NEO4J_URI": f"bolt://{LOOPBACK}:{port}",
            "GRAPH_MEMORY_TEST_NEO4J_PASSWORD": read_password(folder),
        }
    finally:
        if found := process.find(pid, folder.home):
            process.end(found, folder.home)


def run_tests(version: str, *arguments: str) -> int:
    """Run pytest against a version, in one process; return its exit code."""
    with (
        tempfile.TemporaryDirectory(prefix=f"neo4j_{version}_") as root,
        running(version, Path(root)) as environment,
    ):
        command = [sys.executable, "-m", "pytest", "-n", "0", "-q", *arguments]
        return subprocess.run(command, env=os.environ | environment, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(run_tests(*sys.argv[1:]))
