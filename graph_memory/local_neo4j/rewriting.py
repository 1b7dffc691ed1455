"""A rewrite of the local database: a second instance beside it, into which the caller copies."""

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import psutil

from graph_memory.errors import LocalNeo4jError
from graph_memory.local_neo4j import instance, lingering, sharing, swap, users
from graph_memory.local_neo4j.configuration import ensure_password
from graph_memory.local_neo4j.folder import Folder, write_private
from graph_memory.local_neo4j.instance import LocalNeo4j

if TYPE_CHECKING:
    from graph_memory.settings.base import Settings

#: Characters of a command line that an error shows.
_SHOWN = 60


class Rewriting:
    """The local database and an empty one beside it, both running, for this caller alone.

    Other processes wait for the lock of the folder. If this process is killed, keepers stop both
    instances, and the next start removes the second one.

    Attributes:
        old: The database.
        new: The empty one, with the same password.
    """

    def __init__(self, settings: "Settings") -> None:
        """Take the lock, and start both instances.

        Raises:
            LocalNeo4jError: Other processes use the database, or an instance cannot be started.
        """
        self._settings = settings
        self._folder = Folder.of(settings)
        self._copy = Folder(self._folder.rewrite)
        with contextlib.ExitStack() as stack:
            stack.enter_context(sharing.locked(self._folder, settings))
            _refuse_users(users.registered(self._folder))
            self.bytes_before = self._folder.bytes_used()
            stack.callback(self._leave)
            lingering.record_use(self._folder, settings.local_linger_seconds)
            lingering.ensure_keeper(self._folder)
            self.old = instance.ensure_running(self._folder, settings)
            self.new = self._start_copy()
            self._stack = stack.pop_all()

    @property
    def bytes_now(self) -> int:
        """The size of the files on disk in bytes."""
        return self._folder.bytes_used()

    def finish(self) -> None:
        """Stop both instances, and replace the files of the database by the new ones."""
        instance.end(self._copy)
        instance.end(self._folder)
        swap.replace(self._folder, self._copy)
        swap.discard(self._copy)

    def close(self) -> None:
        """Remove the second instance, and release the lock; a kept database runs again."""
        self._stack.close()

    def _start_copy(self) -> LocalNeo4j:
        with sharing.locked(self._copy, self._settings):  # else its keeper ends it at once
            write_private(self._copy.password_file, self.old.password)
            ensure_password(self._copy)
            # The keeper ends it as soon as this process is gone.
            users.register(self._copy)
            lingering.record_use(self._copy, 0)
            lingering.ensure_keeper(self._copy)
            return instance.ensure_running(self._copy, self._settings)

    def _leave(self) -> None:
        swap.discard(self._copy)
        if self._folder.keep_marker.exists():
            instance.ensure_running(self._folder, self._settings)
        else:
            instance.end(self._folder)


def _refuse_users(pids: Sequence[int]) -> None:
    if not pids:
        return
    named = ", ".join(f"{pid} ({_command(pid)})" for pid in pids)
    raise LocalNeo4jError(
        f"The local Neo4j is used by process {named}. A rewrite needs it alone: end each, then "
        "repeat the command. Nothing was changed."
    )


def _command(pid: int) -> str:
    with contextlib.suppress(psutil.Error):
        return " ".join(psutil.Process(pid).cmdline())[:_SHOWN]
    return "unknown"
