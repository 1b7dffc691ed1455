"""Who uses the local Neo4j: a file per process, so that a process that died is noticed.

Every function here wants the folder's lock to be held by its caller, except `registered`.
"""

import os
from pathlib import Path

import psutil

from graph_memory import processes
from graph_memory.local_neo4j.folder import Folder, write_private


def register(folder: Folder) -> None:
    """Count one more use by this process."""
    _write(_own_file(folder), _own_count(folder) + 1)


def unregister(folder: Folder) -> None:
    """Count one use less by this process; with the last one it is no user any more."""
    remaining = _own_count(folder) - 1
    if remaining > 0:
        _write(_own_file(folder), remaining)
    else:
        _own_file(folder).unlink(missing_ok=True)


def registered(folder: Folder) -> list[int]:
    """Return the pids of the living processes that use the instance."""
    if not folder.users.is_dir():
        return []
    return sorted(int(file.name) for file in folder.users.glob("[0-9]*") if _lives(file))


def prune(folder: Folder) -> None:
    """Forget the processes that died without saying so."""
    for file in folder.users.iterdir():
        if not (file.name.isdigit() and _lives(file)):
            file.unlink(missing_ok=True)


def _own_file(folder: Folder) -> Path:
    return folder.users / str(os.getpid())


def _own_count(folder: Folder) -> int:
    file = _own_file(folder)
    # The file may be that of a dead process which had the same pid.
    return _read(file)[1] if file.is_file() and _lives(file) else 0


def _write(file: Path, count: int) -> None:
    write_private(file, f"{processes.started_at(psutil.Process())} {count}")


def _read(file: Path) -> tuple[float, int]:
    since, count = file.read_text(encoding="utf-8").split()
    return float(since), int(count)


def _lives(file: Path) -> bool:
    try:
        return processes.is_alive(int(file.name), _read(file)[0])
    except (OSError, ValueError):
        return False
