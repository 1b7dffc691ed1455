"""The processes that use the local Neo4j, a file for each, so that dead ones are noticed.

The caller must hold the lock of the folder, except for `registered`.
"""

import os
from pathlib import Path

import psutil

from graph_memory import processes
from graph_memory.local_neo4j.folder import Folder, write_private


def register(folder: Folder) -> None:
    """Add one use by this process."""
    _write(_own_file(folder), _own_count(folder) + 1)


def unregister(folder: Folder) -> None:
    """Subtract one use by this process; the last one removes it from the users."""
    remaining = _own_count(folder) - 1
    if remaining > 0:
        _write(_own_file(folder), remaining)
    else:
        _own_file(folder).unlink(missing_ok=True)


def registered(folder: Folder) -> list[int]:
    """Return the pids of the running processes that use the instance."""
    if not folder.users.is_dir():
        return []
    return sorted(int(file.name) for file in folder.users.glob("[0-9]*") if _is_alive(file))


def prune(folder: Folder) -> None:
    """Remove the processes that ended without unregistering."""
    for file in folder.users.iterdir():
        if not (file.name.isdigit() and _is_alive(file)):
            file.unlink(missing_ok=True)


def _own_file(folder: Folder) -> Path:
    return folder.users / str(os.getpid())


def _own_count(folder: Folder) -> int:
    file = _own_file(folder)
    # The file may belong to a dead process with the same pid.
    return _read(file)[1] if file.is_file() and _is_alive(file) else 0


def _write(file: Path, count: int) -> None:
    write_private(file, f"{processes.started_at(psutil.Process())} {count}")


def _read(file: Path) -> tuple[float, int]:
    since, count = file.read_text(encoding="utf-8").split()
    return float(since), int(count)


def _is_alive(file: Path) -> bool:
    try:
        return processes.is_alive(int(file.name), _read(file)[0])
    except (OSError, ValueError):
        return False
