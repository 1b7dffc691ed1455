"""Automatic backups after saves, one at a time over all replicas."""

import asyncio
import contextlib
import logging
import math
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta

from graph_memory.backup.create import BackupStatus, claim, create, status
from graph_memory.context import Context
from graph_memory.errors import GraphMemoryError
from graph_memory.settings.base import Settings

_PATIENCE = 0.5  #: longest wait of writers, as a share of the query timeout
_REST = 100  #: shortest pause after a backup, as a multiple of the time that writers waited
_REST_OF_WORK = 10  #: the same, as a multiple of the time that a backup worked beside writers
_END_SECONDS = 30.0  #: longest wait for a running backup at the end of a server
_TRY_AGAIN = timedelta(hours=1)  #: time after which a failed backup is tried again

_log = logging.getLogger(__name__)


def seconds_until_due(latest: BackupStatus, now: datetime, settings: Settings, saved: int) -> float:
    """Return the seconds until a backup is due after a save; infinity if none is due.

    A backup is due once the latest one is older than `backup_interval_hours`. It is also due once
    the number of memories has reached a multiple of `backup_every_n` since the latest one. Backups
    by number take at most a hundredth of the writers' time, and work beside writers for at most a
    tenth of the time; until then they are put off.

    Args:
        latest: The latest backup, and the memories in the database.
        now: The present.
        settings: `backup_interval_hours` and `backup_every_n`.
        saved: Memories just saved.
    """
    if not latest.memories:
        return math.inf
    if latest.at is None:
        return 0.0
    # A wrong clock may have dated the latest backup into the future: use the distance.
    age = abs(now - latest.at)
    if age > timedelta(hours=settings.backup_interval_hours):
        return 0.0
    every = settings.backup_every_n
    before = latest.memories - saved
    if latest.backed_up is not None:
        before = min(before, latest.backed_up)
    if latest.memories // every <= before // every:
        return math.inf
    rest = max(_REST * latest.held_seconds, _REST_OF_WORK * latest.busy_seconds)
    return max(0.0, rest - age.total_seconds())


class AutoBackup:
    """A background task that makes a backup after saves when one is due."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._saved = 0
        self._task: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    def saved(self, count: int, _: str = "") -> None:
        """Count saved memories, and start a backup in the background if one is due."""
        self._saved += count
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._back_up_if_due())

    async def wait(self) -> None:
        """Wait for a running backup, but give up one that takes long.

        One that is put off is left to the next save.
        """
        self._closing.set()
        if self._task is not None and not self._task.done():
            _, running = await asyncio.wait([self._task], timeout=_END_SECONDS)
            for task in running:
                _log.warning("The backup after a save is given up, because the server ends.")
                task.cancel()
                await asyncio.wait([task])
        self._closing.clear()

    async def _back_up_if_due(self) -> None:
        while self._saved:
            saved, self._saved = self._saved, 0
            try:
                await self._put_off(saved)
                if await self._claim(saved):
                    settings = self._context.settings
                    patience = settings.query_timeout_seconds * _PATIENCE
                    await create(self._context.graph, settings, hold_seconds=patience)
            except GraphMemoryError as error:
                # The save succeeded; the claim keeps other replicas from trying at once.
                _log.warning("The backup after a save failed: %s", error)

    async def _put_off(self, saved: int) -> None:
        """Wait until a backup that comes too soon after the latest may be made, or until `wait`."""
        latest, now = await status(self._context.graph), datetime.now(UTC)
        seconds = seconds_until_due(latest, now, self._context.settings, saved)
        if 0 < seconds < math.inf:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), seconds)

    async def _claim(self, saved: int) -> bool:
        graph, now = self._context.graph, datetime.now(UTC)
        latest = await status(graph)
        if seconds_until_due(latest, now, self._context.settings, saved) > 0:
            return False
        return await claim(graph, now=now, until=now + _TRY_AGAIN, seen=latest.at)


@contextlib.asynccontextmanager
async def automatic_backups(context: Context) -> AsyncGenerator[None]:
    """Make backups after saves while the context is open, if `backup_auto` is set."""
    if not context.settings.backup_auto:
        yield
        return
    backups = {each.graph.name: AutoBackup(each) for each in context.servers}

    def saved(count: int, group_id: str) -> None:
        """Count memories that were saved on the server of a group."""
        backups[context.of(group_id).graph.name].saved(count)

    context.on_saved = saved
    try:
        yield
    finally:
        await asyncio.gather(*(each.wait() for each in backups.values()))
