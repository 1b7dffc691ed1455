"""What an undo puts back is what was there, to the last property, whoever made it."""

from typing import Any, LiteralString

from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.diagnostics.verify import verify
from tests.conftest import Clock
from tests.integration.maintenance.test_run import run

RELATIONS: LiteralString = """
MATCH (a {group_id: $group})-[r:RELATES_TO]->(b)
RETURN a.uuid AS a, b.uuid AS b, r {.*} AS r ORDER BY r.uuid
"""

#: Two facts of one name between two entities, as Graphiti has them: without a key of ours.
FACTS: LiteralString = """
MATCH (a:Memory {uuid: $a}), (b:Memory {uuid: $b})
UNWIND ['Ada lived in Rome', 'Ada lives in Rome'] AS fact
CREATE (a)-[:RELATES_TO {uuid: randomUUID(), group_id: a.group_id, name: 'LIVES_IN', fact: fact,
  strength: 0.5, adopted_at: '', created_at: datetime('2026-01-01'), episodes: []}]->(b)
"""


async def relations(driver: AsyncDriver, group: str) -> list[dict[str, Any]]:
    records, _, _ = await driver.execute_query(RELATIONS, group=group)
    return [record.data() for record in records]


async def test_undo_of_a_purge_gives_back_relations_as_they_were(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    ada, rome, tea = [(await memory.add(text)).memory_id for text in ("Ada", "Rome", "tea")]
    await driver.execute_query(FACTS, a=ada, b=rome)
    await memory.relations.add(ada, tea, "supports")
    await memory.relations.add(ada, tea, "causes")
    await memory.relations.remove(ada, tea, "causes")
    await memory.relations.add(tea, rome, "supports")
    before = await relations(driver, group)
    await memory.delete(ada)
    await memory.delete(rome)
    clock.advance(days=1)
    await memory.delete(tea)
    clock.advance(days=89, hours=1)
    both = await run(memory)
    clock.advance(days=1)
    last = await run(memory)
    assert (both.purged, last.purged) == (2, 1)
    for purge in (last, both):  # the relations to tea have one end back after the first
        undone = await memory.maintenance.undo(purge.run_id)
        assert (undone.restored, undone.refused) == (purge.purged, 0)
    assert await relations(driver, group) == before
    assert group not in await verify(memory.context.graph, memory.settings)
