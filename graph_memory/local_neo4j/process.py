"""The process of the JVM: start, find, wait until it answers, end."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import psutil

from graph_memory.errors import LocalNeo4jError
from graph_memory.local_neo4j import cancellation
from graph_memory.local_neo4j.configuration import LOOPBACK, home_argument

DEFAULT_PORT = 7687

# The magic number of Bolt and the versions 5.8 to 5.0 and 4.0; Neo4j answers with four bytes.
_HANDSHAKE = bytes.fromhex("6060b017 00080805 00000004 00000000 00000000")
_POLL_SECONDS = 0.1
_PROBE_SECONDS = 2.0
_STOP_SECONDS = 60.0
_LINGER_SECONDS = 3.0
_SHOWN_LINES = 20


def spawn(
    command: list[str], folder: Path, log: Path, environment: Mapping[str, str] | None = None
) -> int:
    """Start a process in `folder` so that it outlives this one, and return its pid.

    It has a session of its own, so that Ctrl-C on the terminal does not reach it. It writes to
    `log`; the previous log is renamed to `LOG.1`.
    """
    if log.exists():
        os.replace(log, log.with_name(f"{log.name}.1"))
    with log.open("wb") as output:
        child = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    # psutil waits for the process by its pid; Popen would warn that it still runs.
    child.returncode = 0
    return child.pid


def module_command(module: str, argument: str) -> tuple[list[str], dict[str, str]]:
    """Return the command that runs a module of this package, and its environment.

    The new process finds this package in the same way as this one does.
    """
    path = os.pathsep.join(os.path.abspath(each) for each in sys.path)
    return [sys.executable, "-P", "-m", module, argument], os.environ | {"PYTHONPATH": path}


def find(pid: int, home: Path) -> psutil.Process | None:
    """Return the process if it is alive and the JVM of `home`."""
    if not is_alive(pid):
        return None
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        # A change of the clock alters the creation time, but not the command line.
        if home_argument(home) in process.cmdline():
            return process
    return None


def is_alive(pid: int) -> bool:
    """Check whether a process is alive; reap it if it was our child and has ended."""
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        if process.status() != psutil.STATUS_ZOMBIE:
            return True
        process.wait(timeout=0)
    return False


def find_stray(home: Path) -> psutil.Process | None:
    """Return a JVM of `home` without a record: its starter was killed before it wrote one."""
    return next((found for pid in psutil.pids() if (found := find(pid, home))), None)


def end(process: psutil.Process, home: Path, *, broken: bool = False) -> None:
    """Terminate the JVM, kill it after a minute, and wait until it has ended.

    One that is `broken` is killed at once: without a healthy database it has nothing to save.

    Raises:
        LocalNeo4jError: The process is still alive a minute after the kill.
    """
    for signal in (process.kill,) if broken else (process.terminate, process.kill):
        with contextlib.suppress(psutil.NoSuchProcess):
            signal()
        # Not psutil's wait: the JVM has ended even if its parent has not reaped it yet.
        deadline = time.monotonic() + _STOP_SECONDS
        while time.monotonic() < deadline:
            if find(process.pid, home) is None:
                return
            time.sleep(_POLL_SECONDS)
    raise LocalNeo4jError(f"Neo4j, process {process.pid}, cannot be ended. End it by hand.")


def await_ready(pid: int, port: int, log: Path, seconds: float) -> bool:
    """Wait until the JVM answers by Bolt; return False if it ends before.

    Raises:
        LocalNeo4jError: It does not answer in time; the message holds the tail of `log`.
        StartCancelledError: The start was cancelled.
    """
    deadline = time.monotonic() + seconds
    while not (answers(port) and _listens(pid, port)):
        # Not `find`: the command line may not be visible yet just after a start.
        if not is_alive(pid):
            return False
        cancellation.check()
        if time.monotonic() > deadline:
            raise LocalNeo4jError(
                f"Neo4j did not answer on port {port} within {seconds:g} s; a busy machine may "
                f"need more: raise GRAPH_MEMORY_LOCAL_START_SECONDS. {log_excerpt(log)}"
            )
        time.sleep(_POLL_SECONDS)
    return True


def answers(port: int) -> bool:
    """Check whether a process on the loopback port speaks Bolt."""
    try:
        with socket.create_connection((LOOPBACK, port), timeout=_PROBE_SECONDS) as connection:
            connection.sendall(_HANDSHAKE)
            return len(connection.recv(4)) == 4
    except OSError:
        return False


def _listens(pid: int, port: int) -> bool:
    """Check whether a process, or a child of it, listens on a port.

    Two instances that start at once can choose the same port, so another Neo4j may answer there.
    """
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
        connections = [c for each in family for c in each.net_connections("tcp")]
    except psutil.AccessDenied:
        return True  # this platform does not show connections
    except psutil.NoSuchProcess:
        return False
    return any(c.status == psutil.CONN_LISTEN and c.laddr.port == port for c in connections)


def tail(log: Path, lines: int) -> str:
    """Return the last lines of a log, or an empty text without one."""
    if not log.is_file():
        return ""
    text = log.read_text(encoding="utf-8", errors="replace")
    return "\n".join(text.splitlines()[-lines:])


def log_excerpt(log: Path) -> str:
    """Return the last lines of a log for an error message."""
    return f"Its log, {log}, ends:\n{tail(log, _SHOWN_LINES) or '(nothing)'}"


def choose_port(previous: int | None) -> int:
    """Return the previous port if it is free, else the default port, else any free port."""
    if previous and _becomes_free(previous):
        return previous
    return DEFAULT_PORT if is_free(DEFAULT_PORT) else free_port()


def free_port() -> int:
    """Return any free loopback port."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return probe.getsockname()[1]


def _becomes_free(port: int) -> bool:
    # A killed JVM counts as dead before its last thread releases the port.
    deadline = time.monotonic() + _LINGER_SECONDS
    while not is_free(port):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def is_free(port: int) -> bool:
    """Check whether the loopback port is free."""
    with socket.socket() as probe:
        if os.name == "posix":  # else connections of a killed JVM occupy it for a minute
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
        return True
