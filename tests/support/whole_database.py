"""A whole database that a test has for its own."""

from graph_memory import Settings
from graph_memory.database.graph import Graph
from graph_memory.database.schema import migrate_up


async def empty(graph: Graph, settings: Settings) -> None:
    """Migrate a database up, and erase all that a backup holds."""
    await migrate_up(graph, settings)
    await graph.run("backup/restore/end")
    await graph.run("backup/restore/erase", batch=1000, owner=None)
