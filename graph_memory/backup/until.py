"""The instant to which a backup is restored, and what is taken back for it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from graph_memory.backup.files import Manifest
from graph_memory.database.lease import Lease
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.errors import BackupError
from graph_memory.settings.base import Settings


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The numbers of memories, relations and runs that a restore to an instant took back."""

    until: Instant
    memories: int  #: memories that existed at the instant, deleted ones included
    removed: int = 0  #: memories that were created later
    set_back: int = 0  #: memories that were changed later
    relations_removed: int = 0  #: relations that were created later
    relations_reopened: int = 0  #: relations that ended later
    runs_undone: int = 0  #: maintenance runs, decisions and actions of that time
    refused: int = 0  #: of `set_back`, memories with a statement that was rejected or erased later
    incomplete: int = 0  #: of `set_back`, memories whose history does not reach back to the instant


#: A function that takes back what a restored database holds of the time after an instant, under the
#: lease of the restore.
TakeBack = Callable[[Lease, Settings, datetime], Awaitable[TakenBack]]


@dataclass(frozen=True, slots=True)
class Rewind:
    """An instant, and the function that takes back what is dated after it."""

    until: datetime
    how: TakeBack

    def check(self, path: Path, manifest: Manifest) -> None:
        """Check that a backup was made at the instant or later.

        Raises:
            BackupError: It was made before.
        """
        if instant(self.until) > manifest.created_at:
            raise BackupError(
                f"{path} was made at {manifest.created_at}, before {instant(self.until)}. "
                "Name a later backup."
            )
