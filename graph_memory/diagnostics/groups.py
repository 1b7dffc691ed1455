"""The groups of a database, with their numbers of memories and their servers."""

from dataclasses import dataclass

from graph_memory.context import Context
from graph_memory.database.graph import Graph


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
        placed: Whether the placement file places the group there.
    """

    group_id: str
    server: str
    memories: int
    placed: bool = True


async def counts(graph: Graph) -> list[GroupCount]:
    """Count the memories of each group of one database."""
    return await graph.rows("diagnostics/groups/count", GroupCount)


async def placed_groups(context: Context) -> list[PlacedGroup]:
    """List the groups of all servers that have memories, by id."""
    found = [
        PlacedGroup(
            each.group_id,
            server.graph.name,
            each.memories,
            context.of(each.group_id).graph.name == server.graph.name,
        )
        for server in context.servers
        for each in await counts(server.graph)
    ]
    return sorted(found, key=lambda each: (each.group_id, each.server))
