"""A database that Graphiti made becomes ours in place, and Graphiti's again."""

import json
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.adopt import adopt, release, survey
from graph_memory.rebuild import rebuild_embeddings
from tests.conftest import Clock

#: Entities and facts as Graphiti stores them; one with attributes of its own under our names.
STOCK = """
UNWIND range(1, $count) AS n
CREATE (e:Entity {
  uuid: $group + '-' + toString(1000000 + n), name: 'Entity ' + toString(n), group_id: $group,
  summary: CASE n % 3 WHEN 0 THEN '' ELSE 'It is number ' + toString(n) END,
  created_at: datetime('2025-01-01T10:00:00.123456Z'), labels: ['Entity']
})
SET e:Person
WITH e, n
CALL db.create.setNodeVectorProperty(e, 'name_embedding', [x IN range(1, $width) | 0.1 * (n % 7)])
WITH collect(e) AS es
UNWIND range(0, size(es) - 2) AS i
WITH es[i] AS a, es[i + 1] AS b, i
CREATE (a)-[:RELATES_TO {
  uuid: a.uuid + '>', name: 'KNOWS', fact: a.name + ' knows ' + b.name, group_id: $group,
  episodes: ['x'], created_at: datetime('2025-01-01T10:00:00Z'), source_node_uuid: a.uuid
}]->(b)
"""


async def stock(driver: AsyncDriver, group: str, count: int = 9, width: int = 384) -> None:
    await driver.execute_query(STOCK, group=group, count=count, width=width)


async def exported(driver: AsyncDriver, group: str) -> bytes:
    """Return everything there is of a group, byte by byte."""
    nodes, _, _ = await driver.execute_query(
        "MATCH (n) WHERE n.group_id = $group "
        "RETURN elementId(n) AS id, labels(n) AS labels, properties(n) AS properties ORDER BY id",
        group=group,
    )
    edges, _, _ = await driver.execute_query(
        "MATCH (a)-[r]->(b) WHERE a.group_id = $group RETURN elementId(r) AS id, type(r) AS type, "
        "elementId(a) AS a, elementId(b) AS b, properties(r) AS properties ORDER BY id",
        group=group,
    )
    rows = [{**row.data(), "labels": sorted(row.get("labels") or [])} for row in [*nodes, *edges]]
    return json.dumps(rows, sort_keys=True, default=str).encode()


async def test_entities_become_memories_and_entities_again(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    await stock(driver, group)
    await driver.execute_query(
        "MATCH (n:Entity {uuid: $id}) SET n.importance = 0.95, n.content = 'mine', n.tags = 'a', "
        "n:Memory WITH n MATCH (n)-[r:RELATES_TO]->() SET r.strength = 'strong'",
        id=f"{group}-1000001",
    )
    before = await exported(driver, group)
    told = [s for s in await survey(memory) if s.group_id == group]
    assert sum(s.entities for s in told) == 9
    assert sum(s.with_ours for s in told) == 1
    assert await exported(driver, group) == before  # a survey changes nothing

    done = await adopt(memory, [group])
    assert (done.entities, done.facts) == (9, 8)
    once = await exported(driver, group)
    again = await adopt(memory, [group])
    assert (again.entities, again.facts) == (0, 0)
    assert await exported(driver, group) == once

    assert (await rebuild_embeddings(memory, group, only_missing=True)).rebuilt == 9
    found = await memory.search("Entity number 4", states=["ACTIVE"])
    four = next(hit.memory for hit in found if hit.memory.content.startswith("Entity 4"))
    assert four.content == "Entity 4: It is number 4"
    assert (four.importance, four.stability, four.importance_source) == (6.0, 3, "fallback")
    assert four.tags == ["person"]
    assert four.last_accessed_at == four.created_at.replace(microsecond=123000)
    reached = await memory.traverse(four.memory_id, max_depth=1)
    assert {edge.relation_type for edge in reached.edges} == {"KNOWS"}
    await memory.accesses.settled()
    clock.advance(days=40)
    report = await memory.maintain(groups=[group])
    assert report.transitioned == {"ACTIVE>DORMANT": 9}

    gone = await release(memory, [group])
    assert (gone.entities, gone.facts) == (9, 8)
    await driver.execute_query(
        "MATCH (c:MaintenanceChange {group_id: $group}) DELETE c", group=group
    )
    assert await exported(driver, group) == before


async def test_only_some_labels_are_adopted(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await stock(driver, group, 3)
    await driver.execute_query(
        "MATCH (n:Entity {uuid: $id}) SET n:Place REMOVE n:Person", id=f"{group}-1000002"
    )
    assert (await adopt(memory, [group], ["Place"])).entities == 1
    assert (await adopt(memory, [group])).entities == 2


async def test_what_cannot_be_adopted_is_told_and_left(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await stock(driver, group, 5, width=16)
    await driver.execute_query(
        "MATCH (n:Entity {uuid: $id}) REMOVE n.created_at, n.summary", id=f"{group}-1000001"
    )
    (told,) = [s for s in await survey(memory, [group]) if s.group_id == group]
    assert (told.entities, told.unusable, told.other_width, told.no_summary) == (5, 1, 5, 1)
    assert (await adopt(memory, [group])).entities == 4
    hyphened = f"{group}-x"
    await stock(driver, hyphened, 2)
    (told,) = await survey(memory, [hyphened])
    assert not told.adoptable
    await driver.execute_query("MATCH (n {group_id: $g}) DETACH DELETE n", g=hyphened)


@pytest.mark.parametrize("bad", ["a-b", "", "a b"])
async def test_a_group_that_cannot_be_a_tenant_is_refused(memory: GraphMemory, bad: Any) -> None:
    from graph_memory.errors import InvalidArgumentError

    with pytest.raises(InvalidArgumentError):
        await adopt(memory, [bad])
