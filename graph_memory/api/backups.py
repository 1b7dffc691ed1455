"""Backups of the whole database."""

from graph_memory.backup.create import Backup, create
from graph_memory.context import Context


class BackupsApi:
    """The backups of a `GraphMemory`: `memory.backups`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def create(self) -> Backup:
        """Write all groups into a new folder; the database can be in use at the same time.

        Raises:
            BackupError: The folder cannot be written.
            ForbiddenError: The caller's grant is not for all groups.
        """
        self._context.grant.require_every_group("a backup")
        return await create(self._context.graph, self._context.settings)
