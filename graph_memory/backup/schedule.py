"""Backups after saves: when one is due, and one at a time over all replicas."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta

from graph_memory.backup.create import claim, create, status
from graph_memory.context import Context
from graph_memory.errors import GraphMemoryError
from graph_memory.settings.base import Settings

_PATIENCE = 0.5  #: of the time after which a statement is refused
_REST = 100  #: times as long as writers waited, before a number of memories makes them wait again
_TRY_AGAIN = timedelta(hours=1)

_log = logging.getLogger(__name__)


def is_due(
    hours_since_last: float | None,
    memory_count: int,
    settings: Settings,
    saved: int = 1,
    held_seconds: float = 0.0,
) -> bool:
    """Tell whether a backup is due after saving.

    Args:
        hours_since_last: Since the latest backup; None if there is none.
        memory_count: Memories in the database, those just saved included.
        settings: `backup_interval_hours`, which must be exceeded, and `backup_every_n`.
        saved: Memories just saved; one backup is due if their number reached a multiple.
        held_seconds: How long writers waited for the latest one: they wait at most a hundredth of
            the time, however fast memories come.
    """
    every = settings.backup_every_n
    reached = memory_count // every > (memory_count - saved) // every
    overdue = hours_since_last is None or hours_since_last > settings.backup_interval_hours
    rested = hours_since_last is None or hours_since_last * 3600 >= _REST * held_seconds
    return memory_count > 0 and (overdue or (reached and rested))


class AutoBackup:
    """Makes a backup after saves when one is due, one at a time, behind the caller."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._saved = 0
        self._task: asyncio.Task[None] | None = None

    def saved(self, count: int) -> None:
        """Note that memories were saved."""
        self._saved += count
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._back_up_if_due())

    async def settled(self) -> None:
        """Wait until what was begun is done."""
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
                # No save fails by it; the claim that is left keeps others from trying at once.
                _log.warning("No backup after a save: %s", error)

    async def _is_due(self, saved: int) -> bool:
        graph, now = self._context.graph, datetime.now(UTC)
        found = await status(graph)
        # What a clock that was wrong dates into the future would keep the next one off until then.
        hours = abs(now - found.at) / timedelta(hours=1) if found.at else None
        if not is_due(hours, found.memories, self._context.settings, saved, found.held_seconds):
            return False
        return await claim(graph, now=now, until=now + _TRY_AGAIN, seen=found.at)


@contextlib.asynccontextmanager
async def automatic_backups(context: Context) -> AsyncGenerator[None]:
    """Make backups after saves while this lasts, if the settings want them."""
    if not context.settings.backup_auto:
        yield
        return
    backups = AutoBackup(context)
    context.on_saved = backups.saved
    try:
        yield
    finally:
        await backups.settled()
