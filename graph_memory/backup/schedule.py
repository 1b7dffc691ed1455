"""Automatic backups after saves, one at a time over all replicas."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta

from graph_memory.backup.create import claim, create, status
from graph_memory.context import Context
from graph_memory.errors import GraphMemoryError
from graph_memory.settings.base import Settings

_PATIENCE = 0.5  #: longest wait of writers, as a share of the query timeout
_REST = 100  #: shortest pause after a backup, as a multiple of the time that writers waited
_TRY_AGAIN = timedelta(hours=1)  #: time after which a failed backup is tried again

_log = logging.getLogger(__name__)


def is_due(
    hours_since_last: float | None,
    memory_count: int,
    settings: Settings,
    saved: int = 1,
    held_seconds: float = 0.0,
) -> bool:
    """Return True if a backup is due after a save.

    Args:
        hours_since_last: Hours since the latest backup; None if there is none.
        memory_count: Memories in the database, including those just saved.
        settings: `backup_interval_hours`, which must be exceeded, and `backup_every_n`.
        saved: Memories just saved; a backup is due if they reached a multiple of
            `backup_every_n`.
        held_seconds: Seconds that writers waited for the latest backup; backups by number take at
            most a hundredth of the writers' time.
    """
    every = settings.backup_every_n
    reached = memory_count // every > (memory_count - saved) // every
    overdue = hours_since_last is None or hours_since_last > settings.backup_interval_hours
    rested = hours_since_last is None or hours_since_last * 3600 >= _REST * held_seconds
    return memory_count > 0 and (overdue or (reached and rested))


class AutoBackup:
    """A background task that makes a backup after saves when one is due."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._saved = 0
        self._task: asyncio.Task[None] | None = None

    def saved(self, count: int) -> None:
        """Count saved memories, and start a backup in the background if one is due."""
        self._saved += count
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._back_up_if_due())

    async def wait(self) -> None:
        """Wait until a running backup is complete."""
        while self._task is not None and not self._task.done():
            await self._task

    async def _back_up_if_due(self) -> None:
        while self._saved:
            saved, self._saved = self._saved, 0
            try:
                if await self._is_due(saved):
                    settings = self._context.settings
                    patience = settings.query_timeout_seconds * _PATIENCE
                    await create(self._context.graph, settings, hold_seconds=patience)
            except GraphMemoryError as error:
                # The save succeeded; the claim keeps other replicas from trying at once.
                _log.warning("The backup after a save failed: %s", error)

    async def _is_due(self, saved: int) -> bool:
        graph, now = self._context.graph, datetime.now(UTC)
        found = await status(graph)
        # A wrong clock may have dated the latest backup into the future: use the distance.
        hours = abs(now - found.at) / timedelta(hours=1) if found.at else None
        if not is_due(hours, found.memories, self._context.settings, saved, found.held_seconds):
            return False
        return await claim(graph, now=now, until=now + _TRY_AGAIN, seen=found.at)


@contextlib.asynccontextmanager
async def automatic_backups(context: Context) -> AsyncGenerator[None]:
    """Make backups after saves while the context is open, if `backup_auto` is set."""
    if not context.settings.backup_auto:
        yield
        return
    backups = AutoBackup(context)
    context.on_saved = backups.saved
    try:
        yield
    finally:
        await backups.wait()
