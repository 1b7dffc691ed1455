"""Counters in the database, shared by all replicas."""

from collections.abc import Mapping

from graph_memory.database.graph import Graph


async def add(graph: Graph, totals: Mapping[str, float]) -> None:
    """Add to the counters of these names; counters only grow."""
    rows = [{"name": name, "value": totals[name]} for name in sorted(totals) if totals[name]]
    await graph.run("database/counters/add", totals=rows)
