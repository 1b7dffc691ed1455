"""Several Neo4j servers behind one `Graph`: a statement goes to the server of its group."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from copy import copy
from dataclasses import replace
from typing import Any, Self

from neo4j.exceptions import DriverError, Neo4jError

from graph_memory.database.graph import HOME, Graph
from graph_memory.database.moves import GroupMove, Moves, Phase
from graph_memory.database.placement import GroupPlace, Placement, Server, hash_of
from graph_memory.database.statements import Statement
from graph_memory.domain.timestamps import instant
from graph_memory.errors import (
    GraphMemoryError,
    GraphOverloadedError,
    GraphUnavailableError,
    SettingsError,
)
from graph_memory.settings.base import Settings

#: Work on a database before its first use: check the server, migrate the schema.
Prepare = Callable[[Graph], Awaitable[None]]

#: Seconds after a failed preparation in which calls fail at once.
_PAUSE_SECONDS = 1.0

_log = logging.getLogger(__name__)


class _Gate:
    """The preparation of a server before its first use, and again after it was lost."""

    def __init__(self, prepare: Prepare | None) -> None:
        self._prepare = prepare
        self._open = prepare is None
        self._lock = asyncio.Lock()
        self._failed_at = -float("inf")
        self._error: GraphMemoryError | None = None

    def close(self) -> None:
        """Let the next call prepare the server again."""
        self._open = self._prepare is None

    async def enter(self, graph: Graph) -> None:
        """Wait until the server is prepared.

        Raises:
            GraphMemoryError: The server cannot be prepared; other servers are not affected.
        """
        if self._open:
            return
        async with self._lock:
            if self._open or self._prepare is None:
                return
            if self._error and time.monotonic() - self._failed_at < _PAUSE_SECONDS:
                raise self._error.with_traceback(None)
            try:
                await self._prepare(graph)
            except GraphMemoryError as error:
                self._error, self._failed_at = error, time.monotonic()
                raise
            self._open = True


class ServerGraph(Graph):
    """A database of the placement file; until it answers, only calls for its groups fail."""

    _server: Server
    _file: str
    _gate: _Gate | None = None

    @classmethod
    @asynccontextmanager
    async def serving(
        cls, name: str, placement: Placement, settings: Settings, prepare: Prepare | None
    ) -> AsyncGenerator[Self]:
        """Make the driver of a server, which may not answer yet.

        Args:
            name: Name of the server.
            placement: The placement file.
            settings: The settings of the service.
            prepare: The preparation before the first use; None for none.
        """
        server = placement.servers[name]
        async with cls.connect(server.over(settings, name)) as graph:
            graph.name, graph._server, graph._file = name, server, str(placement.path)
            graph._gate = _Gate(prepare)
            yield graph

    @property
    def shown(self) -> str:
        """The address with the name of the server."""
        return f"{self.address} (server '{self.name}')"

    def with_settings(self, settings: Settings) -> Self:
        """Return the same database with other settings, but with the connection of the server."""
        return super().with_settings(self.own(settings))

    def own(self, settings: Settings) -> Settings:
        """Return settings with the connection and the backup folder of the server."""
        server = self._server
        if (settings.neo4j_uri, settings.neo4j_database) == (
            server.neo4j_uri,
            server.neo4j_database,
        ):
            return settings  # they are its own already
        return server.over(settings, self.name)

    async def ready(self) -> None:
        """Prepare the server unless it is prepared.

        Raises:
            GraphMemoryError: It does not answer, or its schema is not usable.
        """
        if self._gate:
            ungated = copy(self)
            ungated._gate = None
            await self._gate.enter(ungated)

    async def stream(self, name: str, /, **parameters: Any) -> AsyncGenerator[list[list[Any]]]:
        """Run a statement and yield its rows, as `Graph.stream`."""
        await self.ready()
        async for block in super().stream(name, **parameters):
            yield block

    async def _retry(
        self, statement: Statement, parameters: dict[str, Any], seconds: float | None = None
    ) -> list[list[Any]]:
        await self.ready()
        return await super()._retry(statement, parameters, seconds)

    def _translate(self, error: Neo4jError | DriverError, statement: Statement) -> GraphMemoryError:
        translated = super()._translate(error, statement)
        overloaded = isinstance(translated, GraphOverloadedError)
        if self._gate and isinstance(translated, GraphUnavailableError) and not overloaded:
            self._gate.close()
        if isinstance(translated, SettingsError):
            where = f"The placement file {self._file} sets them in [servers.{self.name}]."
            return SettingsError(f"{translated} {where}")
        return translated


class PlacedGraph(Graph):
    """The configured database, which sends the statements of other groups to their servers.

    A statement with the parameter `group_id` goes to the server of the group, and any other to
    the configured database. Features on all groups take `servers` one by one.

    Attributes:
        placement: The placement file.
        moves: The moves of groups, which override its rules.
    """

    def __init__(
        self, home: Graph, others: Sequence[Graph], placement: Placement, moves: Moves
    ) -> None:
        super().__init__(
            home._driver,
            home._settings,
            home.address,
            home._on_lost,
            home._before_write,
            home.password,
            home._read_limiter,
        )
        self.placement = placement
        self.moves = moves
        self._home = home
        self._others = {each.name: each for each in others}

    @property
    def servers(self) -> Sequence[Graph]:
        """The databases that share the groups, the configured one first."""
        return (self._home, *self._others.values())

    def of(self, group_id: str) -> Graph:
        """Return the database that has a group.

        Raises:
            SettingsError: The group was moved to a server that the placement file lacks.
        """
        move = self.moves.find(group_id)
        return self.server(move.server if move else self.placement.server_of(group_id), group_id)

    def server(self, name: str, group_id: str) -> Graph:
        """Return the database of a server, which has or gets a group.

        Raises:
            SettingsError: The placement file lacks the server.
        """
        if name == HOME:
            return self._home
        if name not in self._others:
            raise SettingsError(
                f"Group '{group_id}' was moved to server '{name}', which the placement file "
                f"{self.placement.path} lacks. Add [servers.{name}] again, and restart."
            )
        return self._others[name]

    def is_moving(self, group_id: str) -> bool:
        """Return whether a group takes no writes, because it is being moved to another server."""
        move = self.moves.find(group_id)
        return bool(move and move.phase is Phase.COPYING)

    def old_copy(self, group_id: str) -> Graph | None:
        """Return the database with a copy from before a move of a group; None if none waits."""
        move = self.moves.find(group_id)
        waits = move and move.phase in (Phase.SWITCHED, Phase.KEPT)
        return self.server(move.from_server, group_id) if move and waits else None

    def with_settings(self, settings: Settings) -> "PlacedGraph":
        """Return the same databases with other settings."""
        others = [each.with_settings(settings) for each in self._others.values()]
        home = self._home.with_settings(settings)
        return PlacedGraph(home, others, self.placement, self.moves)

    def stream(self, name: str, /, **parameters: Any) -> AsyncGenerator[list[list[Any]]]:
        """Run a statement on the server of its group, as `Graph.stream`."""
        return self._target(parameters).stream(name, **parameters)

    async def run_within(
        self, transaction: Any, name: str, /, **parameters: Any
    ) -> list[list[Any]]:
        """Run a statement in a transaction of the caller, as `Graph.run_within`."""
        return await self._target(parameters).run_within(transaction, name, **parameters)

    async def _retry(
        self, statement: Statement, parameters: dict[str, Any], seconds: float | None = None
    ) -> list[list[Any]]:
        return await self._target(parameters)._retry(statement, parameters, seconds)

    def _target(self, parameters: dict[str, Any]) -> Graph:
        group_id = parameters.get("group_id")
        return self.of(group_id) if isinstance(group_id, str) else self._home


def place_of(graph: Graph, group_id: str) -> GroupPlace:
    """Return the server of a group, with the move or the rule that places it there."""
    if isinstance(graph, PlacedGraph):
        found = graph.placement.explain(group_id)
        move = graph.moves.find(group_id)
        return replace(found, server=move.server, move=_shown(move)) if move else found
    return GroupPlace(group_id, graph.name, hash_of(group_id), None)


def _shown(move: GroupMove) -> str:
    where = f"from {move.from_server} to {move.to_server}"
    return f"{move.phase}: {where}, begun at {instant(move.started_at)}"


@asynccontextmanager
async def open_servers(
    home: Graph, placement: Placement, settings: Settings, prepare: Prepare | None
) -> AsyncGenerator[PlacedGraph]:
    """Open the servers of a placement file beside the configured database.

    A server that cannot be prepared is tried again by the calls for its groups.
    """
    async with AsyncExitStack() as stack:
        others = [
            await stack.enter_async_context(ServerGraph.serving(name, placement, settings, prepare))
            for name in placement.servers
        ]
        await asyncio.gather(*map(_try, others))
        moves = Moves(home, others)
        for graph in (home, *others):
            graph.guard(moves.require_writable)
        async with moves.watching():
            yield PlacedGraph(home, others, placement, moves)


async def _try(server: ServerGraph) -> None:
    try:
        await server.ready()
    except GraphMemoryError as error:
        _log.warning("The groups of server '%s' wait: %s", server.name, error)
