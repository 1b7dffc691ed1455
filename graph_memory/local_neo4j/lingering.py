"""The time that the local Neo4j stays after its last use, and the keeper that stops it then.

The caller must hold the lock of the folder, except for `seconds_left`.
"""

import contextlib
import logging
import os
import time
from pathlib import Path

import psutil

from graph_memory import processes
from graph_memory.local_neo4j import process, users
from graph_memory.local_neo4j.folder import Folder, write_private

_log = logging.getLogger(__name__)


def record_use(folder: Folder, seconds: float) -> None:
    """Store the linger time of the latest user, and the present as the time of the last use."""
    write_private(folder.linger_file, f"{seconds}")


def linger_seconds(folder: Folder) -> float:
    """Return the linger time of the latest user; 0 if no user has stored one."""
    try:
        return float(folder.linger_file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return 0.0


def last_use(folder: Folder) -> float | None:
    """Return the time of the last use in seconds since 1970, or None before the first."""
    try:
        return folder.linger_file.stat().st_mtime
    except OSError:
        return None


def seconds_left(folder: Folder) -> float | None:
    """Return the time until an unused instance is stopped, ≥ 0; None while it is used or kept."""
    used = last_use(folder)
    if used is None or folder.keep_marker.exists() or users.registered(folder):
        return None
    return max(0.0, used + linger_seconds(folder) - time.time())


def ensure_keeper(folder: Folder) -> bool:
    """Start the keeper unless it runs; return False if it cannot be started."""
    if _keeper_is_alive(folder):
        return True
    try:
        pid = _spawn(folder)
        since = processes.started_at(psutil.Process(pid))
    except (OSError, psutil.Error) as error:
        _log.warning("The keeper of the local Neo4j cannot be started: %s", error)
        return False
    write_private(folder.keeper_file, f"{pid} {since}")
    return True


def leave_as_keeper(folder: Folder) -> None:
    """Remove the record of this process as the keeper; the next user starts another keeper."""
    with contextlib.suppress(OSError, ValueError):
        if _recorded_keeper(folder)[0] == os.getpid():
            folder.keeper_file.unlink()


def _keeper_is_alive(folder: Folder) -> bool:
    try:
        return processes.is_alive(*_recorded_keeper(folder))
    except (OSError, ValueError):
        return False


def _recorded_keeper(folder: Folder) -> tuple[int, float]:
    pid, since = folder.keeper_file.read_text(encoding="utf-8").split()
    return int(pid), float(since)


def _spawn(folder: Folder) -> int:
    command, environment = process.module_command(
        "graph_memory.local_neo4j.keeper", str(folder.root)
    )
    root = Path(folder.root.anchor)  # in the data folder it would keep a disk busy
    return process.spawn(command, root, folder.keeper_log, environment)
