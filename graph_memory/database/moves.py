"""Moves of groups between servers: a table in the configured database, which all replicas read.

A move overrides the rules of the placement file. Each replica reads the table again every second.
A write needs a view of at most `VIEW_SECONDS`, so a change of the table holds for all writes of all
replicas soon after. Writes cost no round trip for it.

The two servers of a move hold a copy of its row. So writes to their groups go on while the
configured database does not answer: the server of a group knows whether the group leaves it.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, cast

from graph_memory.database.graph import HOME, Graph
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.errors import GraphMemoryError, GroupMovingError

#: Seconds between two reads of the table, and the greatest age of a view that a write may use.
_PAUSE_SECONDS = 1.0
VIEW_SECONDS = 3.0

#: The longest wait for a read that goes on when a process closes the view.
_CLOSE_SECONDS = 1.0

_log = logging.getLogger(__name__)


class Phase(StrEnum):
    """The phase of a move."""

    COPYING = "copying"  #: the source has the group, which takes no writes
    SWITCHED = "switched"  #: the target has the group; the source still shows its copy
    KEPT = "kept"  #: the copy of the source is set aside, and waits until it is erased
    DONE = "done"  #: no copy is left


@dataclass(frozen=True, slots=True)
class GroupMove:
    """A move of a group from one server to another.

    Attributes:
        group_id: The tenant.
        from_server: The server that had the group before.
        to_server: The server that gets it.
        phase: `copying`: the group takes no writes. `switched`, `kept`: the group is on
            `to_server`, and its old copy waits to be erased. `done`: no copy is left.
        started_at: The start of the move.
    """

    group_id: str
    from_server: str
    to_server: str
    phase: Phase
    started_at: Instant

    @property
    def server(self) -> str:
        """The server that has the group now."""
        return self.from_server if self.phase is Phase.COPYING else self.to_server


@dataclass(slots=True)
class _View:
    """The table of a server as it was read last."""

    by_group: dict[str, GroupMove] = field(default_factory=dict[str, GroupMove])
    read_at: float = -float("inf")  #: of the monotonic clock
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def is_old(self) -> bool:
        """True if a write needs a later view."""
        return time.monotonic() - self.read_at > VIEW_SECONDS


class Moves:
    """The table of moves in the configured database, and the view of this process of it."""

    def __init__(self, home: Graph, others: Sequence[Graph] = ()) -> None:
        self._servers = {each.name: each.unguarded() for each in (home, *others)}
        self._views = {name: _View() for name in self._servers}

    def find(self, group_id: str) -> GroupMove | None:
        """Return the move of a group as this process knows it, or None."""
        return self._views[HOME].by_group.get(group_id)

    async def all(self) -> list[GroupMove]:
        """Read the table, and return all moves by group."""
        await self.refresh()
        by_group = self._views[HOME].by_group
        return [by_group[each] for each in sorted(by_group)]

    async def refresh(self, server: str = HOME) -> None:
        """Read the table, or the copies of a server."""
        began, view = time.monotonic(), self._views[server]
        found = await self._servers[server].rows("database/moves/all", GroupMove)
        if began > view.read_at:  # a later reading may have ended first
            view.by_group, view.read_at = {each.group_id: each for each in found}, began

    @contextlib.asynccontextmanager
    async def watching(self) -> AsyncGenerator[None]:
        """Read the table again and again while the context is open."""
        await self.refresh()
        closing = asyncio.Event()
        task = asyncio.create_task(self._watch(closing))
        try:
            yield
        finally:
            closing.set()
            # The driver leaves the socket open if it is cancelled while it connects.
            await asyncio.wait([task], timeout=_CLOSE_SECONDS)
            task.cancel()
            await asyncio.wait([task])

    async def _watch(self, closing: asyncio.Event) -> None:
        while not await _is_set_within(closing, _PAUSE_SECONDS):
            try:
                await self.refresh()
            except GraphMemoryError as error:  # a write asks again, and fails if it must
                _log.debug("The moves of groups cannot be read: %s", error)

    async def require_writable(self, server: str, parameters: Mapping[str, Any]) -> None:
        """Check that a server takes the writes of a statement.

        Args:
            server: Name of the server.
            parameters: The parameters of the statement, which name its groups.

        Raises:
            GroupMovingError: A group is being moved, or is on another server by now.
            GraphUnavailableError: Neither the configured database nor the server answers.
        """
        view = self._views[HOME]
        by_group = view.by_group
        if view.is_old:
            by_group = by_group | await self._own(server)
        if not by_group:
            return
        for group_id in _groups(parameters):
            move = by_group.get(group_id)
            if move and (move.phase is Phase.COPYING or move.to_server != server):
                raise GroupMovingError(group_id, move.from_server, move.to_server)

    async def _own(self, server: str) -> dict[str, GroupMove]:
        """Return the moves that a server holds; read them again if they are old."""
        view = self._views[server]
        async with view.reading:
            if view.is_old:
                await self.refresh(server)
        return view.by_group

    async def begin(self, group_id: str, from_server: str, to_server: str) -> None:
        """Record that a group is being moved; from now on it takes no writes."""
        ends = {"from_server": from_server, "to_server": to_server}
        now = instant(datetime.now(UTC))
        for graph in self._holders(from_server, to_server):
            await graph.run("database/moves/begin", group_id=group_id, now=now, **ends)
        await self.refresh()

    async def note(self, group_id: str, phase: Phase) -> None:
        """Record how far a move has come."""
        for graph in self._holders(*self._ends(group_id)):
            await graph.run("database/moves/note", group_id=group_id, phase=phase)
        await self.refresh()

    async def end(self, group_id: str, server: str, by_rule: str) -> None:
        """Record that a group stays on a server, and that no copy is left elsewhere.

        The copies of the row stay: a replica may not have read the table since before the move.

        Args:
            group_id: The tenant.
            server: The server that has it.
            by_rule: The server that the placement file names for it; the same needs no row in the
                table.
        """
        for graph in self._holders(*self._ends(group_id)):
            if graph.name == HOME and server == by_rule:
                await graph.run("database/moves/forget", group_id=group_id)
            else:
                await graph.run("database/moves/stay", group_id=group_id, server=server)
        await self.refresh()

    def _ends(self, group_id: str) -> tuple[str, ...]:
        """Return the two servers of the move of a group."""
        move = self.find(group_id)
        return (move.from_server, move.to_server) if move else ()

    def _holders(self, *ends: str) -> list[Graph]:
        """Return the databases that hold a move between two servers, the table first."""
        return [self._servers[name] for name in dict.fromkeys((HOME, *ends))]


async def _is_set_within(event: asyncio.Event, seconds: float) -> bool:
    """Wait until an event is set, for `seconds` at most; return whether it is."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()


def _groups(parameters: Mapping[str, Any]) -> Iterator[str]:
    """Yield the groups that the parameters of a statement name, also in rows."""
    group_id = parameters.get("group_id")
    if isinstance(group_id, str):
        yield group_id
        return
    for value in parameters.values():
        if not isinstance(value, list):
            continue
        for row in cast("list[object]", value):
            if not isinstance(row, dict):
                break
            named = cast("dict[str, object]", row).get("group_id")
            if not isinstance(named, str):
                break
            yield named
