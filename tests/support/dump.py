"""A dump of all that a group has in the database, to compare before and after."""

from typing import Any, LiteralString

from neo4j import AsyncDriver

_NODES: LiteralString = """
MATCH (n) WHERE n.group_id = $group AND NOT n:MaintenanceRun
RETURN labels(n) AS labels, n {.*, embedding: null} AS properties
ORDER BY labels, n.uuid, n.memory_id
"""
_EDGES: LiteralString = """
MATCH (a {group_id: $group})-[r]->(b)
RETURN a.uuid AS start, type(r) AS type, b.uuid AS end, r {.*} AS properties
ORDER BY start, type, end, r.uuid
"""


async def dump(driver: AsyncDriver, group: str) -> list[dict[str, Any]]:
    """Return every node, relationship and property of a group, without records of runs."""
    nodes, _, _ = await driver.execute_query(_NODES, group=group)
    edges, _, _ = await driver.execute_query(_EDGES, group=group)
    return [record.data() for record in (*nodes, *edges)]
