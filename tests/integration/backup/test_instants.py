"""The instants of a backup: their text is the same, whether Neo4j or the driver formats them."""

from typing import LiteralString, cast

import pytest
from neo4j import AsyncDriver

from graph_memory.backup import dump
from graph_memory.database.statements import spliced

VALUES = (
    "datetime('2026-01-01T00:00:00Z')",
    "datetime('2026-01-01T00:00Z')",
    "datetime('0001-01-01T23:59:59.000000001Z')",
    "datetime('9999-12-31T23:59:59.999999999Z')",
    "datetime('2026-01-01T00:00:00.795Z')",
    "datetime('2026-01-01T00:00:00.795+00:00')",
    "datetime('2026-01-01T00:00:00.795[UTC]')",
    "datetime('2026-01-01T00:00:00.5-05:30')",
    "datetime('2026-07-01T00:00:00.123456789[Europe/Paris]')",
    "localdatetime('2026-01-01T00:00:00.795')",
    "date('2026-01-01')",
    "'2026-01-01T00:00:00.795Z'",
    "7",
    "[datetime('2026-01-01T00:00:00.795Z')]",
    "null",
)


@pytest.mark.parametrize("value", VALUES)
async def test_an_instant_has_the_text_that_the_driver_gives_it(driver: AsyncDriver, value: str):
    names = ("created_at", "valid_at", "invalid_at", "expired_at")
    given = ", ".join(f"{name}: {value}" for name in names)
    query = f"""
        CYPHER 25 CREATE (n:Odd {{{given}}})-[r:ODD {{{given}}}]->(n)
        WITH n, r
        RETURN n {{.*}} AS node, r {{.*}} AS edge,
        // include fragments/backup/node_properties
        AS fast_node,
        // include fragments/backup/edge_properties
        AS fast_edge
    """
    async with driver.session() as session:
        transaction = await session.begin_transaction()
        result = await transaction.run(cast(LiteralString, spliced(query)))
        found = await result.single(strict=True)
        await transaction.rollback()
    node, edge, fast_node, fast_edge = found
    assert dump.node("0:1", [], fast_node) == dump.node("0:1", [], node)
    assert dump.edge("0:1", "0:1", "ODD", fast_edge) == dump.edge("0:1", "0:1", "ODD", edge)
