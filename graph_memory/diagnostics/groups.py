"""The groups of a database, with their numbers of memories and their servers."""

from dataclasses import dataclass

from graph_memory.context import Context
from graph_memory.database.graph import Graph
from graph_memory.database.moves import Phase
from graph_memory.database.placed_graph import PlacedGraph


@dataclass(frozen=True, slots=True)
class GroupCount:
    """A group and the number of its memories, deleted ones included."""

    group_id: str
    memories: int


@dataclass(frozen=True, slots=True)
class PlacedGroup:
    """A group with memories on a server.

    Attributes:
        group_id: The tenant.
        server: The server that has the memories; `home` is the configured database.
        memories: Number of memories there, deleted ones included.
        placed: Whether the placement file, or a move, places the group there.
        moving: Whether a move that has not ended made or left them there.
    """

    group_id: str
    server: str
    memories: int
    placed: bool = True
    moving: bool = False

    @property
    def reason(self) -> str:
        """The reason for memories on a server that does not have their group."""
        return "copy of a move that has not ended" if self.moving else "no rule places it here"


async def counts(graph: Graph) -> list[GroupCount]:
    """Count the memories of each group of one database."""
    return await graph.rows("diagnostics/groups/count", GroupCount)


async def placed_groups(context: Context) -> list[PlacedGroup]:
    """List the groups of all servers that have memories, by id."""
    found = [
        _placed(context.graph, server.graph, each)
        for server in context.servers
        for each in await counts(server.graph)
    ]
    return sorted(found, key=lambda each: (each.group_id, each.server))


def has_unended_move(graph: Graph, group_id: str) -> bool:
    """Return whether two servers may show the group, because a move of it has not ended."""
    standing = graph.moves.find(group_id) if isinstance(graph, PlacedGraph) else None
    return standing is not None and standing.phase in (Phase.COPYING, Phase.SWITCHED)


def _placed(graph: Graph, server: Graph, found: GroupCount) -> PlacedGroup:
    placed = graph.of(found.group_id).name == server.name
    moving = not placed and has_unended_move(graph, found.group_id)
    return PlacedGroup(found.group_id, server.name, found.memories, placed, moving)
