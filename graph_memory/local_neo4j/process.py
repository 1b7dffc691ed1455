"""The JVM as a process: start it on its own, know it again, wait until it answers, end it."""

import contextlib
import os
import socket
import subprocess
import time
from pathlib import Path

import psutil

from graph_memory.errors import LocalNeo4jError
from graph_memory.local_neo4j.configuration import LOOPBACK, home_argument

DEFAULT_PORT = 7687

# Bolt's magic number and the versions 5.8 to 5.0 and 4.0; every Neo4j answers with four bytes.
_HANDSHAKE = bytes.fromhex("6060b017 00080805 00000004 00000000 00000000")
_POLL_SECONDS = 0.1
_PROBE_SECONDS = 2.0
_STOP_SECONDS = 60.0
_LINGER_SECONDS = 3.0
_SHOWN_LINES = 20


def spawn(command: list[str], home: Path, log: Path) -> int:
    """Start the JVM so that it outlives this process; returns its pid.

    It has a session of its own, so Ctrl-C on the terminal does not reach it, and writes to `log`;
    the log of the run before is kept beside it.
    """
    if log.exists():
        os.replace(log, log.with_name(f"{log.name}.1"))
    with log.open("wb") as output:
        child = subprocess.Popen(
            command,
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    # From here on psutil waits for it by its pid; Popen would warn that it still runs.
    child.returncode = 0
    return child.pid


def find(pid: int, home: Path) -> psutil.Process | None:
    """Return the process if it lives and is the JVM of `home`."""
    if not is_alive(pid):
        return None
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        # The command line survives what a creation time does not: a step of the clock.
        if home_argument(home) in process.cmdline():
            return process
    return None


def is_alive(pid: int) -> bool:
    """Tell whether a process lives; one that died as a child of ours is reaped."""
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        if process.status() != psutil.STATUS_ZOMBIE:
            return True
        process.wait(timeout=0)
    return False


def find_stray(home: Path) -> psutil.Process | None:
    """Return a JVM of `home` that nobody wrote down, because its starter was killed too soon."""
    return next((found for pid in psutil.pids() if (found := find(pid, home))), None)


def end(process: psutil.Process, home: Path) -> None:
    """Stop the JVM in order, by force after a minute, and wait until it is gone."""
    for signal in (process.terminate, process.kill):
        with contextlib.suppress(psutil.NoSuchProcess):
            signal()
        # Not psutil's wait: to us the JVM is gone even while its parent has yet to reap it.
        deadline = time.monotonic() + _STOP_SECONDS
        while time.monotonic() < deadline:
            if find(process.pid, home) is None:
                return
            time.sleep(_POLL_SECONDS)
    raise LocalNeo4jError(f"Neo4j, process {process.pid}, cannot be ended. End it by hand.")


def await_ready(pid: int, port: int, log: Path, seconds: float) -> bool:
    """Block until the JVM answers by Bolt; False when it ends before it does.

    Raises:
        LocalNeo4jError: It does not answer in time; with the tail of `log`.
    """
    deadline = time.monotonic() + seconds
    while not (answers(port) and _listens(pid, port)):
        # Not `find`: just after a start, the kernel may not show the command line yet.
        if not is_alive(pid):
            return False
        if time.monotonic() > deadline:
            raise LocalNeo4jError(
                f"Neo4j did not answer on port {port} within {seconds:g} s; a busy machine may "
                f"need more: raise GRAPH_MEMORY_LOCAL_START_SECONDS. {end_of(log)}"
            )
        time.sleep(_POLL_SECONDS)
    return True


def answers(port: int) -> bool:
    """Tell whether something on the loopback port speaks Bolt."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=_PROBE_SECONDS) as connection:
            connection.sendall(_HANDSHAKE)
            return len(connection.recv(4)) == 4
    except OSError:
        return False


def _listens(pid: int, port: int) -> bool:
    """Tell whether a process, or a child as which a launcher runs it, is who listens on a port.

    It may be another's Neo4j: two that start at once can choose the same port.
    """
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
        connections = [c for each in family for c in each.net_connections("tcp")]
    except psutil.AccessDenied:
        return True  # not told here
    except psutil.NoSuchProcess:
        return False
    return any(c.status == psutil.CONN_LISTEN and c.laddr.port == port for c in connections)


def tail(log: Path, lines: int) -> str:
    """Return the last lines of a log; empty when there is none."""
    if not log.is_file():
        return ""
    text = log.read_text(encoding="utf-8", errors="replace")
    return "\n".join(text.splitlines()[-lines:])


def end_of(log: Path) -> str:
    """Return the last lines of a log as part of an error's message."""
    return f"Its log, {log}, ends:\n{tail(log, _SHOWN_LINES) or '(nothing)'}"


def choose_port(previous: int | None) -> int:
    """Return the port that was used before if it is free, else Neo4j's own, else any free one."""
    if previous and _becomes_free(previous):
        return previous
    if is_free(DEFAULT_PORT):
        return DEFAULT_PORT
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return probe.getsockname()[1]


def _becomes_free(port: int) -> bool:
    # A JVM that was killed counts as dead before the last of its threads lets go of the port.
    deadline = time.monotonic() + _LINGER_SECONDS
    while not is_free(port):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def is_free(port: int) -> bool:
    """Tell whether nothing listens on the loopback port."""
    with socket.socket() as probe:
        if os.name == "posix":  # else the connections of a killed JVM would occupy it for a minute
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True
