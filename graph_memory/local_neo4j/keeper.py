"""The keeper: a small process that stops the local Neo4j after its linger time without a user.

It is started together with Neo4j: `python -m graph_memory.local_neo4j.keeper FOLDER`. It also stops
an instance whose users were killed. It imports psutil and filelock only, for a small memory. At its
end it creates the startup cache.

It creates nothing in the folder, because someone may be deleting the data.
"""

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from graph_memory.errors import GraphMemoryError
from graph_memory.local_neo4j import instance, lingering, users
from graph_memory.local_neo4j.folder import Folder

_POLL_SECONDS = 2.0


def main() -> None:
    """Watch the folder of the command line until its Neo4j has ended."""
    folder = Folder(Path(sys.argv[1]))
    watch = _Watch(folder)
    while not (watch.is_over() and _ended(folder, watch)):
        time.sleep(_POLL_SECONDS)
    _create_startup_cache()


class _Watch:
    """Observation of the users of a folder, by a clock that no change of the time moves."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._used = False
        self._last_use: float | None = None
        self._unused_since = time.monotonic()

    def is_over(self) -> bool:
        """Check whether the instance has ended, or its linger time has passed."""
        if self.is_used():
            self._unused_since = time.monotonic()
        idle = time.monotonic() - self._unused_since
        ended = not instance.is_running(self._folder)
        return ended or idle >= lingering.linger_seconds(self._folder)

    def is_used(self) -> bool:
        """Check whether the instance has users or is kept, or was used since the last check."""
        folder, before = self._folder, self._last_use
        used = bool(users.registered(folder)) or folder.keep_marker.exists()
        if self._used and not used and lingering.last_use(folder) == before:
            with suppress(OSError):
                os.utime(folder.linger_file)  # the last user was killed
        self._used, self._last_use = used, lingering.last_use(folder)
        return used or self._last_use != before


def _ended(folder: Folder, watch: _Watch) -> bool:
    """Stop the instance unless it is in use again; return True if it runs no more."""
    try:
        with _locked(folder):
            if watch.is_used() and instance.is_running(folder):
                return False
            instance.end(folder)
            lingering.leave_as_keeper(folder)
            return True
    except FileNotFoundError:  # the data was deleted, or is being deleted
        return instance.end(folder) or True
    except (Timeout, OSError):  # a process is starting or stopping it
        return False


def _create_startup_cache() -> None:
    """Create the startup cache now that Neo4j is not needed, unless the settings forbid it."""
    # The imports take ten times the memory of a keeper that watches.
    from graph_memory.local_neo4j.jars import missing_jars
    from graph_memory.local_neo4j.startup_cache import create_startup_cache
    from graph_memory.settings.base import read_settings

    with suppress(GraphMemoryError, OSError):  # without a cache all works, but more slowly
        settings = read_settings()
        if settings.local_startup_cache and not missing_jars(settings):
            create_startup_cache(settings)


@contextmanager
def _locked(folder: Folder) -> Generator[None]:
    """Hold the lock of a folder, unless its file is gone: `FileLock` creates the file again.

    Raises:
        FileNotFoundError: The lock file does not exist.
        OSError: Another process holds the lock.
    """
    if sys.platform == "win32":
        folder.lock_file.stat()
        with FileLock(folder.lock_file, timeout=0):
            yield
        return
    import fcntl  # Windows has none

    descriptor = os.open(folder.lock_file, os.O_RDWR)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # as `FileLock` does
        yield
    finally:
        os.close(descriptor)


if __name__ == "__main__":
    main()
