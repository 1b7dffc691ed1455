"""Backups of the whole database."""

import asyncio
import secrets
from pathlib import Path

from graph_memory.backup import archives
from graph_memory.backup.archives import StoredBackup
from graph_memory.backup.create import Backup, create
from graph_memory.backup.encryption import key_of
from graph_memory.context import Context

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
            BackupError: The folder cannot be written.
            ForbiddenError: The caller's grant is not for all groups.
        """
        self._context.grant.require_every_group("a backup")
        return await create(self._context.graph, self._context.settings)

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
        return await asyncio.to_thread(archives.encrypt_all, self._context.settings)

    async def list(self) -> list[StoredBackup]:
        """List the backups, the oldest first; encrypted ones without their key as well.

        Raises:
            ForbiddenError: The caller's grant is not for all groups.
        """
        self._context.grant.require_every_group("a list of backups")
        return await asyncio.to_thread(archives.stored_backups, self._context.settings)
