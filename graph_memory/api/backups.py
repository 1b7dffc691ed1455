"""Backups of the whole database."""

import asyncio
import secrets
from pathlib import Path

from graph_memory.backup import archives
from graph_memory.backup.archives import StoredBackup
from graph_memory.backup.create import Backup, create
from graph_memory.backup.encryption import key_of
from graph_memory.context import Context
from graph_memory.errors import BackupError, GraphMemoryError

_KEY_BYTES = 32


def new_key() -> tuple[str, str]:
    """Return a new random key for backups, and its id."""
    key = secrets.token_urlsafe(_KEY_BYTES)
    return key, key_of(key).id


class BackupsApi:
    """The backups of a `GraphMemory`: `memory.backups`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def create(self) -> Backup:
        """Write all groups into a new folder; the database can be in use at the same time.

        The backup is encrypted if the setting `backup_key` is set.

        Raises:
            BackupError: The folder cannot be written, or a placement file names several servers.
            ForbiddenError: The caller's grant is not for all groups.
        """
        self._context.grant.require_every_group("a backup")
        if len(self._context.servers) > 1:
            raise BackupError(
                "One backup cannot hold the groups of several servers. Run `graph-memory backup`, "
                "or call `backups.create_all()`: it makes a backup of each server."
            )
        return await create(self._context.graph, self._context.settings)

    async def create_all(self) -> list[Backup]:
        """Write a backup of each server of the placement file; without a file it is one backup.

        The backups of a server are in the folder `backups/NAME`, those of the configured database
        in `backups`. If a server does not answer, the others are backed up first.

        Raises:
            BackupError: The folder cannot be written.
            ForbiddenError: The caller's grant is not for all groups.
            GraphUnavailableError: A server does not answer.
        """
        self._context.grant.require_every_group("a backup")
        made, failed = list[Backup](), list[GraphMemoryError]()
        for each in self._context.servers:
            try:
                made.append(await create(each.graph, each.settings))
            except GraphMemoryError as error:
                failed.append(error)
        if failed:
            raise failed[0]
        return made

    async def encrypt(self) -> list[Path]:
        """Encrypt the backups in clear, and those of earlier keys, with the present key.

        Each has been read back before it takes the place of the old one.

        Returns:
            The folders of the backups that were encrypted.

        Raises:
            BackupError: No key is set, a backup cannot be read, or its folder cannot be written.
            ForbiddenError: The caller's grant is not for all groups.
        """
        self._context.grant.require_every_group("rewriting backups")
        folders = [each.settings for each in self._context.servers]
        done = [await asyncio.to_thread(archives.encrypt_all, each) for each in folders]
        return [path for paths in done for path in paths]

    async def list(self) -> list[StoredBackup]:
        """List the backups, the oldest first; encrypted ones without their key as well.

        Raises:
            ForbiddenError: The caller's grant is not for all groups.
        """
        self._context.grant.require_every_group("a list of backups")
        folders = [each.settings for each in self._context.servers]
        found = [await asyncio.to_thread(archives.stored_backups, each) for each in folders]
        return [one for stored in found for one in stored]
