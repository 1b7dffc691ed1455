"""Partial folders, in which backups are written until they are complete.

A process holds the lock of the folder that it writes. So the next backup finds out which ones were
killed: it links their parts instead of writing them, and removes them. Where files cannot be
locked, a partial folder is removed once it has not changed for a day. A process id would not help,
because another host may write to the same folder.
"""

import contextlib
import logging
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from graph_memory.backup.files import MANIFEST

_PREFIX = ".partial_"
_LOCK = "lock"
_ABANDONED_SECONDS = 24 * 3600

_log = logging.getLogger(__name__)


class Partial:
    """A partial folder of this process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(mode=0o700)
        self._lock = FileLock(path / _LOCK, timeout=0, thread_local=False)
        try:
            self._lock.acquire()
        except (OSError, NotImplementedError):
            self.unlock()

    def unlock(self) -> None:
        """Release the lock and remove its file; do so before the folder gets its name.

        A folder with a manifest is not taken for one of a killed backup.
        """
        self._lock.release()
        (self.path / _LOCK).unlink(missing_ok=True)


@contextmanager
def partial_folder(folder: Path, name: str) -> Generator[Partial]:
    """Make a partial folder, and remove it after the block, unless it has another name by then.

    Raises:
        OSError: The folder cannot be made.
    """
    partial = Partial(folder / f"{_PREFIX}{os.getpid()}_{name}")
    try:
        yield partial
    finally:
        if partial.path.exists():
            partial.unlock()
            shutil.rmtree(partial.path, ignore_errors=True)


@contextmanager
def abandoned(folder: Path) -> Generator[list[Path]]:
    """Yield the partial folders of killed backups; remove them after the block if it succeeds."""
    locks: dict[Path, FileLock] = {}
    try:
        for partial in folder.glob(f"{_PREFIX}*"):
            if lock := _take_over(partial):
                locks[partial] = lock
        yield list(locks)
        for partial, lock in locks.items():
            lock.release()
            remove(partial)
    finally:
        for lock in locks.values():
            lock.release()


def _take_over(partial: Path) -> FileLock | None:
    """Acquire the lock of the folder of a killed backup; return None for any other folder."""
    lock = FileLock(partial / _LOCK, timeout=0, thread_local=False)
    if not (partial / _LOCK).exists():
        return None
    try:
        lock.acquire()
    except (Timeout, OSError, NotImplementedError):
        return None
    if (partial / MANIFEST).exists():
        lock.release()
        return None
    return lock


def clear(folder: Path, now: datetime) -> None:
    """Remove the partial folders that have not changed for a day."""
    for partial in folder.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # its process has completed it in between
            written = max(path.stat().st_mtime for path in (partial, *partial.rglob("*")))
            if now.timestamp() - written > _ABANDONED_SECONDS:
                remove(partial)


def remove(path: Path) -> None:
    """Remove a folder; a failure is logged, because it does not affect other backups."""
    try:
        shutil.rmtree(path)
    except OSError as error:
        _log.warning("Cannot remove %s: %s", path, error)
