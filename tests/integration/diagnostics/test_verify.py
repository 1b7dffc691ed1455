"""`verify` reads a group in pages: their length changes no finding, and bounds each statement."""

from collections.abc import AsyncIterator, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, LiteralString, cast

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.api.database import Database
from graph_memory.database.statements import statements
from graph_memory.diagnostics.verify import Problem, verify

#: The statements that read a page.
PAGE_STATEMENTS = ("diagnostics/verify/memories", "diagnostics/verify/relations")

#: The problems of the damaged group, with the number of their cases.
PROBLEMS = {
    "a memory can be stored twice (dedup_key)": 2,
    "a memory has importance beyond 1..10": 5,
    "a memory has two parents": 1,
    "a memory is in an unknown state": 3,
    "a memory lacks the summary that Graphiti has saved since": 2,
    "a node MemoryVersion belongs to no memory": 1,
    "a relation can be made twice (edge_key)": 2,
    "a relation has no strength": 4,
    "a relation is of an unknown type": 2,
    "a relation leads into another group": 1,
}

DAMAGE = """
CYPHER 25 UNWIND range(0, size($ids) - 1) AS i
MATCH (m:Memory {uuid: $ids[i]})
FOREACH (_ IN CASE WHEN i < 5 THEN [1] ELSE [] END | SET m.importance = 11)
FOREACH (_ IN CASE WHEN i % 3 = 0 THEN [1] ELSE [] END | SET m.lifecycle_state = 'GONE')
FOREACH (_ IN CASE WHEN i IN [2, 6] THEN [1] ELSE [] END | SET m.dedup_key = 'damaged-' + m.uuid)
FOREACH (_ IN CASE WHEN i IN [1, 5] THEN [1] ELSE [] END |
  SET m.adopted_at = '2026-01-31T12:00:00.000Z', m.adopted_hash = m.content_hash,
      m.summary = 'what Graphiti has saved since')
"""
CONNECT = """
CYPHER 25 UNWIND $edges AS edge
MATCH (a:Memory {uuid: edge[0]})
MATCH (b:Memory {uuid: edge[2]})
CREATE (a)-[r:$(edge[1])]->(b)
SET r = edge[3]
"""


@pytest.fixture
async def damaged(memory: GraphMemory, driver: AsyncDriver, group: str) -> AsyncIterator[list[str]]:
    """Damage seven memories of a group, and yield their ids."""
    stored = await memory.add_many([{"content": f"Ada keeps hive {n}"} for n in range(7)])
    ids = [str(outcome.memory_id) for outcome in stored]
    other = await memory.add("Bob keeps bees", group_id=f"{group}_2")
    await driver.execute_query(DAMAGE, ids=ids)
    await driver.execute_query(CONNECT, edges=edges(ids, str(other.memory_id)))
    await driver.execute_query(
        "CREATE (:MemoryVersion {uuid: $id + '-version', group_id: $group})", id=ids[0], group=group
    )
    yield ids
    await driver.execute_query(
        "MATCH (n) WHERE n.group_id IN $groups DETACH DELETE n", groups=[group, f"{group}_2"]
    )


def edges(ids: list[str], other: str) -> list[list[Any]]:
    """Return the damaged relationships: start, type, end and properties."""
    unknown = {"name": "likes", "expired_at": datetime(2026, 1, 1, tzinfo=UTC)}
    return [
        [ids[3], "HAS_PARENT", ids[0], {}],
        [ids[3], "HAS_PARENT", ids[1], {}],
        [ids[0], "RELATES_TO", ids[6], unknown],
        [ids[6], "RELATES_TO", ids[0], unknown],
        [ids[2], "RELATES_TO", ids[5], {"name": "supports"}],
        [ids[4], "RELATES_TO", other, {"name": "supports"}],
    ]


async def found(memory: GraphMemory, group: str) -> list[Problem]:
    return (await verify(memory.context.graph, memory.settings, group)).get(group, [])


async def test_the_length_of_a_page_changes_no_finding(
    damaged: list[str], memory: GraphMemory, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = await found(memory, group)
    assert {each.problem: each.count for each in whole} == PROBLEMS
    assert len(whole) == len(PROBLEMS)
    for rows, ids in ((1, 1), (1, 2), (3, 1), (2, 3)):
        monkeypatch.setattr("graph_memory.database.graph._BLOCK", rows)
        monkeypatch.setattr("graph_memory.diagnostics.verify._IDS", ids)
        assert await found(memory, group) == whole
    examples = {each.problem: each.example for each in whole}
    assert examples["a memory has importance beyond 1..10"] == min(damaged[:5])
    assert examples["a memory has two parents"] == damaged[3]


async def test_a_memory_without_an_id_is_named_by_that_of_neo4j(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    stored = await memory.add("Ada keeps bees")
    records, _, _ = await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) SET m.importance = 11 REMOVE m.uuid "
        "RETURN elementId(m) AS id",
        id=stored.memory_id,
    )
    try:
        problems = await found(memory, group)
        assert [each.example for each in problems] == [records[0]["id"]]
    finally:
        await driver.execute_query(
            "MATCH (m:Memory {group_id: $group}) SET m.uuid = $id", group=group, id=stored.memory_id
        )


async def test_progress_counts_the_memories_of_the_group(
    damaged: list[str], memory: GraphMemory, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph_memory.database.graph._BLOCK", 1)
    monkeypatch.setattr("graph_memory.diagnostics.verify._IDS", 3)
    done: list[int] = []
    async with Database.open(memory.settings) as database:
        assert await database.verify(group, on_progress=done.append)
    assert done == [3, 3, 1]


def leaves(plan: Mapping[str, Any]) -> Iterator[str]:
    """Yield the operators of a plan that read from no other one."""
    children = plan.get("children", [])
    for child in children:
        yield from leaves(child)
    if not children:
        yield plan["operatorType"].split("@")[0]


def page_statement(name: str, group: str, ids: list[str]) -> tuple[LiteralString, dict[str, Any]]:
    """Return the text and the parameters of a statement that reads a page."""
    statement = statements()[name]
    others: dict[str, Any] = {key: [] for key in statement.parameters}
    given = others | {"group_id": group, "ids": ids, "kinds": {}}
    return cast("LiteralString", statement.packed), statement.pack(given)


@pytest.mark.parametrize("name", PAGE_STATEMENTS)
async def test_a_page_is_read_by_its_nodes_alone(
    name: str, damaged: list[str], driver: AsyncDriver, group: str
) -> None:
    text, given = page_statement(name, group, ["4:0:0"])
    plan = (await driver.execute_query("EXPLAIN " + text, given)).summary.plan
    assert set(leaves(plan or {})) == {"Unwind", "NodeByElementIdSeek"}


@pytest.mark.parametrize("name", PAGE_STATEMENTS)
async def test_a_page_has_only_memories_of_its_group(
    name: str, damaged: list[str], driver: AsyncDriver, group: str
) -> None:
    records, _, _ = await driver.execute_query(
        "MATCH (m:Memory {group_id: $group}) RETURN collect(elementId(m)) AS ids", group=group
    )
    for group_id, has_problems in ((group, True), (f"{group}_2", False)):
        text, given = page_statement(name, group_id, records[0]["ids"])
        rows = (await driver.execute_query(text, given)).records[0][0]
        assert bool(rows) == has_problems
