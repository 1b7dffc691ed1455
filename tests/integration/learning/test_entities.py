"""Runs link memories to the entities that they mention, and an undo takes the links back."""

from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.diagnostics.verify import verify
from graph_memory.errors import InvalidArgumentError
from tests.integration.maintenance.test_run import run
from tests.support.dump import dump

TEXTS = (
    "Alice Smith keeps the notes of 2026-05-03 in docs/plan.md.",
    "Ask Alice Smith (alice@example.org) about get_user() and ticket ABC-123.",
    "The ferry to the island leaves at seven.",
)


async def stored(memory: GraphMemory) -> list[str]:
    return [(await memory.add(text)).memory_id for text in TEXTS]


async def learn(memory: GraphMemory, **options: Any) -> Any:
    return await run(memory, stages=["entities"], **options)


async def links(driver: AsyncDriver, group: str) -> list[tuple[str, str, str, list[int]]]:
    found, _, _ = await driver.execute_query(
        "MATCH (m:Memory {group_id: $group})-[r:HAS_MENTION]->(e:NamedEntity {group_id: $group}) "
        "RETURN m.uuid AS memory, e.kind AS kind, e.key AS key, r.starts AS starts "
        "ORDER BY memory, starts",
        group=group,
    )
    return [(r["memory"], r["kind"], r["key"], r["starts"]) for r in found]


def without_records(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a dump without the records of what runs learned."""
    return [each for each in found if each.get("labels") != ["LearningChange"]]


async def test_a_run_links_memories_to_the_entities_of_their_texts(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    first, second, _ = await stored(memory)
    report = await learn(memory)
    assert report.learned == 2
    found = await links(driver, group)
    assert {each[1:3] for each in found if each[0] == first} == {
        ("name", "alice smith"),
        ("date", "2026-05-03"),
        ("path", "docs/plan.md"),
    }
    assert {each[1:3] for each in found if each[0] == second} == {
        ("name", "alice smith"),
        ("mail", "alice@example.org"),
        ("code", "get_user"),
        ("identifier", "abc-123"),
    }
    for memory_id, _, key, starts in found:
        text = TEXTS[0] if memory_id == first else TEXTS[1]
        assert text.casefold().startswith(key, starts[0])


async def test_one_run_or_ten_give_the_same_graph(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await stored(memory)
    await learn(memory)
    once = await dump(driver, group)
    for _ in range(3):
        assert (await learn(memory)).learned == 0
    assert await dump(driver, group) == once


async def test_an_undone_run_leaves_the_group_as_it_was(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    first, *_ = await stored(memory)
    before = await dump(driver, group)
    report = await learn(memory)
    assert await dump(driver, group) != before
    undone = await memory.maintenance.undo(report.run_id)
    assert (undone.unlearned, undone.refused) == (3, 0)
    assert await dump(driver, group) == before

    await learn(memory)
    await memory.update(first, content="Bob Jones keeps the notes.")
    changed = await dump(driver, group)
    report = await learn(memory)
    assert report.learned == 1
    assert ("name", "bob jones") in {each[1:3] for each in await links(driver, group)}
    assert ("path", "docs/plan.md") not in {each[1:3] for each in await links(driver, group)}
    await memory.maintenance.undo(report.run_id)
    assert await dump(driver, group) == changed


async def test_entities_go_with_the_last_memory_that_mentions_them(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    first, second, _ = await stored(memory)
    await learn(memory)
    await memory.delete(first, permanent=True)
    assert {each[2] for each in await links(driver, group)} == {
        "alice smith",
        "alice@example.org",
        "get_user",
        "abc-123",
    }
    left, _, _ = await driver.execute_query(
        "MATCH (e:NamedEntity {group_id: $group}) RETURN count(e) AS count", group=group
    )
    assert left[0]["count"] == 4
    assert "plan.md" not in str(await dump(driver, group))
    await memory.delete(second, permanent=True)
    assert "alice" not in str(await dump(driver, group)).lower()
    found = await verify(memory.context.graph, memory.settings)
    assert found.get(group, []) == []


async def test_callers_list_entities_and_the_memories_of_one(memory: GraphMemory) -> None:
    first, second, _ = await stored(memory)
    await learn(memory)
    found = await memory.entities.list()
    assert (found.total, found.entities[0].name, found.entities[0].memories) == (
        6,
        "Alice Smith",
        2,
    )
    (alice,) = (await memory.entities.list("ALICE smith")).entities
    assert {each.memory_id for each in alice.mentions} == {first, second}
    by_memory = await memory.entities.list(memory_id=second, kinds=["code", "mail"])
    assert {each.name for each in by_memory.entities} == {"get_user", "alice@example.org"}
    (code,) = (await memory.entities.list(memory_id=second, kinds=["code"])).entities
    (mention,) = code.mentions
    assert TEXTS[1][mention.starts[0] : mention.ends[0]] == "get_user"
    assert (await memory.entities.list(kinds=["url"])).entities == []
    await memory.delete(first)
    (alice,) = (await memory.entities.list("alice smith")).entities
    assert [each.memory_id for each in alice.mentions] == [second]
    with pytest.raises(InvalidArgumentError, match="but not both"):
        await memory.entities.list("alice", memory_id=second)


async def test_the_entity_of_graphiti_is_the_entity(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    first, second, _ = await stored(memory)
    await learn(memory)
    apart = await dump(driver, group)
    await driver.execute_query(
        "CREATE (:Entity {uuid: $group + '-alice', group_id: $group, name: 'Alice Smith', "
        "summary: '', created_at: datetime()})",
        group=group,
    )
    before = await dump(driver, group)
    report = await learn(memory)
    assert report.learned == 2
    assert "alice smith" not in {each[2] for each in await links(driver, group)}
    (alice,) = (await memory.entities.list("alice smith")).entities
    assert (alice.entity_id, alice.name, alice.memories) == (group + "-alice", "Alice Smith", 2)
    assert {each.memory_id for each in alice.mentions} == {first, second}
    assert (await learn(memory)).learned == 0
    await memory.maintenance.undo(report.run_id)
    assert await dump(driver, group) == before

    await learn(memory)
    await driver.execute_query(
        "MATCH (e:Entity {uuid: $group + '-alice'}) DETACH DELETE e", group=group
    )
    assert (await learn(memory)).learned == 2
    assert without_records(await dump(driver, group)) == without_records(apart)


async def test_a_dry_run_shows_the_entities_and_writes_nothing(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    first, *_ = await stored(memory)
    before = await dump(driver, group)
    report = await memory.maintenance.dry_run(groups=[group], stages=["entities"])
    assert report.learned == 2
    change = next(each for each in report.would_learn if each.memory_id == first)
    assert change.becomes == "mentions 'Alice Smith', '2026-05-03', 'docs/plan.md'"
    assert (change.was, change.reason) == (None, "its text was not read yet")
    assert await dump(driver, group) == before


async def test_groups_have_entities_of_their_own(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    second = f"{group}_b"
    await memory.add("They met Alice Smith.")
    await memory.add("They met Alice Smith.", group_id=second)
    await run(memory, stages=["entities"])
    await memory.maintenance.run(groups=[second], stages=["entities"])
    for each in (group, second):
        (alice,) = (await memory.entities.list("alice smith", group_id=each)).entities
        assert alice.memories == 1
    await memory.delete_all(confirm="DELETE ALL", permanent=True, group_id=second)
    assert await dump(driver, second) == []
    assert len(await links(driver, group)) == 1


async def test_released_memories_keep_no_mentions(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await driver.execute_query(
        "CREATE (:Entity {uuid: $group + '-plan', group_id: $group, name: 'Plan', "
        "summary: 'They met Alice Smith.', created_at: datetime()})",
        group=group,
    )
    before = await dump(driver, group)
    await memory.adoption.adopt([group])
    await learn(memory)
    assert [each[2] for each in await links(driver, group)] == ["alice smith"]
    await memory.adoption.release([group])
    assert without_records(await dump(driver, group)) == before
