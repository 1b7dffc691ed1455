"""What a stock Graphiti damages is found, mended and told."""

from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.database.graph import Graph
from graph_memory.diagnostics.repair import repair
from graph_memory.diagnostics.verify import verify
from tests.conftest import TODAY


async def saved_by_stock(driver: AsyncDriver, memory_id: str) -> None:
    """Write an entity and its relations as Graphiti does that holds a copy without attributes."""
    await driver.execute_query(
        "MATCH (n:Entity {uuid: $id}) SET n = n {.uuid, .name, .group_id, .summary, .created_at} "
        "WITH n MATCH (n)-[r:RELATES_TO]->() SET r = r {.uuid, .name, .fact, .group_id, "
        ".episodes, .created_at, .valid_at}",
        id=memory_id,
    )


async def problems(memory: GraphMemory, group: str) -> list[Any]:
    found = await verify(memory.context.graph, memory.settings)
    return [p for p in found.get(group, []) if "embedding" not in p.problem]


async def test_what_graphiti_erased_is_given_back_as_far_as_it_is_known(
    memory: GraphMemory, graph: Graph, driver: AsyncDriver, group: str
) -> None:
    tea = await memory.add("Ada prefers green tea, and takes it without sugar", importance=9)
    trip = await memory.add("Ada spent a year in Kyoto")
    await memory.relations.add(tea.memory_id, trip.memory_id, "caused_by", strength=0.9)
    assert await problems(memory, group) == []
    await saved_by_stock(driver, tea.memory_id)
    assert await problems(memory, group)

    mended = {
        m.what: m.count
        for m in await repair(graph, memory.settings, memory.clock())
        if m.group_id == group
    }
    assert mended["lifecycle_state"] == mended["content"] == mended["relation"] == 1
    assert await problems(memory, group) == []
    again = await repair(graph, memory.settings, memory.clock())
    assert [m for m in again if m.group_id == group] == []
    back = await memory.get(tea.memory_id)
    assert back.content == "Ada prefers green tea, and takes it without sugar"
    assert (back.importance, back.importance_source) == (6.0, "fallback")
    await memory.relations.add(tea.memory_id, trip.memory_id, "caused_by", strength=0.7)
    (relation,) = await memory.relations.list(tea.memory_id)
    assert relation.strength == 0.7  # the same relation, not a second one


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ({"last_accessed_at": "yesterday"}, "an instant that is no text as"),
        ({"last_decay_update": TODAY}, "an instant that is no text as"),
        ({"created_at": "2026-01-31T12:00:00.000Z"}, "no created_at"),
    ],
)
async def test_a_time_that_another_writer_damaged_is_named(
    memory: GraphMemory, driver: AsyncDriver, group: str, damage: dict[str, Any], said: str
) -> None:
    tea = await memory.add("Ada prefers green tea")
    assert await problems(memory, group) == []
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) SET m += $damage", id=tea.memory_id, damage=damage
    )
    (problem,) = await problems(memory, group)
    assert said in problem.problem
    assert problem.example == tea.memory_id


async def test_one_group_is_judged_and_repaired_alone(
    memory: GraphMemory, graph: Graph, driver: AsyncDriver, group: str
) -> None:
    """The damage of another tenant is not that of this one."""
    await memory.add("Ada prefers green tea")
    theirs = await memory.add("Bob prefers coffee", group_id=f"{group}_2")
    await saved_by_stock(driver, theirs.memory_id)
    await driver.execute_query(
        "CREATE (:MemoryVersion {uuid: $id, group_id: $group})",
        id=f"{group}-orphan",
        group=f"{group}_2",
    )
    assert (await verify(graph, memory.settings, group)).get(f"{group}_2") is None
    assert await repair(graph, memory.settings, memory.clock(), group) == []
    found = await verify(graph, memory.settings, f"{group}_2")
    assert any("belongs to no memory" in problem.problem for problem in found[f"{group}_2"])
    mended = await repair(graph, memory.settings, memory.clock(), f"{group}_2")
    assert {each.group_id for each in mended} == {f"{group}_2"}
    assert {"orphan", "content"} <= {each.what for each in mended}


async def test_a_relation_without_a_key_gets_it_back(
    memory: GraphMemory, graph: Graph, driver: AsyncDriver, group: str
) -> None:
    """As after the undo of a purge by a version that did not lay keys aside."""
    tea = await memory.add("Ada prefers green tea")
    trip = await memory.add("Ada spent a year in Kyoto")
    await memory.relations.add(tea.memory_id, trip.memory_id, "caused_by")
    await driver.execute_query(
        "MATCH ({uuid: $id})-[r:RELATES_TO]->() REMOVE r.edge_key", id=tea.memory_id
    )
    (problem,) = await problems(memory, group)
    assert "can be made twice" in problem.problem
    mended = await repair(graph, memory.settings, memory.clock())
    assert [(m.what, m.count) for m in mended if m.group_id == group] == [("relation", 1)]
    assert await problems(memory, group) == []
    (again,) = await memory.relations.add(tea.memory_id, trip.memory_id, "caused_by", strength=0.7)
    assert not again.created


async def test_of_relations_alike_without_a_key_one_gets_it(
    memory: GraphMemory, graph: Graph, driver: AsyncDriver, group: str
) -> None:
    """One refused all others of the database what they lacked."""
    tea = await memory.add("Ada prefers green tea")
    trip = await memory.add("Ada spent a year in Kyoto")
    await memory.relations.add(tea.memory_id, trip.memory_id, "caused_by")
    await driver.execute_query(
        "MATCH (tea {uuid: $id})-[r:RELATES_TO]->(trip) REMOVE r.edge_key "
        "CREATE (tea)-[later:RELATES_TO]->(trip) SET later = r, later.uuid = 'later', "
        "later.created_at = r.created_at + duration('PT1S')",
        id=tea.memory_id,
    )
    mended = await repair(graph, memory.settings, memory.clock())
    assert [(m.what, m.count) for m in mended if m.group_id == group] == [("relation", 2)]
    assert await problems(memory, group) == []
    records, _, _ = await driver.execute_query(
        "MATCH ({uuid: $id})-[r:RELATES_TO]->() RETURN r.uuid = 'later' AS is_later, "
        "r.edge_key IS NULL AS keyless, r.adopted_at IS NOT NULL AS adopted",
        id=tea.memory_id,
    )
    assert sorted(record.values() for record in records) == [
        [False, False, False],
        [True, True, True],
    ]


async def test_relations_are_repaired_in_pages(
    memory: GraphMemory, graph: Graph, driver: AsyncDriver, group: str
) -> None:
    tea = await memory.add("Ada prefers green tea")
    trip = await memory.add("Ada spent a year in Kyoto")
    await memory.relations.add(tea.memory_id, trip.memory_id, "caused_by")
    await driver.execute_query(
        "MATCH (tea {uuid: $id})-[r:RELATES_TO]->(trip) UNWIND range(1, 1100) AS i "
        "CREATE (tea)-[other:RELATES_TO]->(trip) "
        "SET other = r {.*, uuid: r.uuid + i, edge_key: null, strength: '0.7'}",
        id=tea.memory_id,
    )
    mended = await repair(graph, memory.settings, memory.clock(), group)
    assert [(m.what, m.count) for m in mended] == [("relation", 1100), ("strength", 1100)]
    assert await repair(graph, memory.settings, memory.clock(), group) == []
    assert await problems(memory, group) == []


async def test_what_is_whole_is_left_alone(
    memory: GraphMemory, graph: Graph, driver: AsyncDriver, group: str
) -> None:
    one = await memory.add("Ada prefers green tea")
    await memory.delete(one.memory_id)
    await memory.add("Ada spent a year in Kyoto")
    mended = await repair(graph, memory.settings, memory.clock())
    assert [m for m in mended if m.group_id == group] == []


async def test_what_belongs_to_no_memory_is_told_and_removed(
    memory: GraphMemory, graph: Graph, driver: AsyncDriver, group: str
) -> None:
    kept, lost = await memory.add("Ada prefers green tea"), await memory.add("Ada likes Kyoto")
    for stored in (kept, lost):
        await memory.update(stored.memory_id, content=f"{stored.content}, she says")
    await driver.execute_query(
        "CREATE (:EntityBefore {uuid: $id, group_id: $group, was_memory: false}) "
        "CREATE (:EntityBefore {uuid: $kept, group_id: $group, was_memory: false}) "
        "WITH 1 AS one MATCH (n:Entity {uuid: $id}) DETACH DELETE n",
        id=lost.memory_id,
        kept=kept.memory_id,
        group=group,
    )
    orphans = {p.problem: p.count for p in await problems(memory, group)}
    assert orphans == {
        f"a node {label} belongs to no memory": 1
        for label in ("EntityBefore", "MemoryVersion", "WordVectors")
    }
    mended = {
        m.what: m.count
        for m in await repair(graph, memory.settings, memory.clock())
        if m.group_id == group
    }
    assert mended == {"orphan": 3}
    assert await problems(memory, group) == []
    left = "MATCH (n:MemoryVersion|WordVectors|EntityBefore {group_id: $group}) RETURN n"
    assert len((await driver.execute_query(left, group=group)).records) == 3


async def test_what_is_erased_takes_along_what_it_was_before_it_was_adopted(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    one, two = await memory.add("one"), await memory.add("two")
    for stored in (one, two):
        await driver.execute_query(
            "CREATE (:EntityBefore {uuid: $id, group_id: $group, was_memory: false})",
            id=stored.memory_id,
            group=group,
        )
    left = "MATCH (n:EntityBefore {group_id: $group}) RETURN count(n) AS n"
    await memory.delete(one.memory_id, permanent=True)
    assert (await driver.execute_query(left, group=group)).records[0]["n"] == 1
    await memory.delete_all(confirm="DELETE ALL", permanent=True)
    assert (await driver.execute_query(left, group=group)).records[0]["n"] == 0


async def test_of_two_parents_the_later_stays(
    memory: GraphMemory, graph: Graph, driver: AsyncDriver, group: str
) -> None:
    old, new = await memory.add("an old parent"), await memory.add("a new parent")
    child = await memory.add("a child", parent_id=old.memory_id)
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $child}), (p:Memory {uuid: $new}) "
        "CREATE (m)-[:HAS_PARENT {created_at: datetime('2027-01-01')}]->(p)",
        child=child.memory_id,
        new=new.memory_id,
    )
    (problem,) = await problems(memory, group)
    assert (problem.problem, problem.example) == ("a memory has two parents", child.memory_id)
    await repair(graph, memory.settings, memory.clock())
    assert await problems(memory, group) == []
    assert (await memory.get(child.memory_id)).parent_id == new.memory_id
