"""Passages of long memories: stored, found, delivered, replaced and erased."""

from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.database import data_migrations, embedding_record
from graph_memory.database.graph import Graph
from graph_memory.domain.passages import split
from tests.conftest import Clock

SUBJECTS = (
    "The boiler in the cellar was replaced by a heat pump from a Danish maker.",
    "Grandmother's recipe for plum dumplings needs curd, flour and a pinch of salt.",
    "The choir meets every second Thursday in the hall behind the library.",
    "Tomatoes on the balcony want water in the morning and shade after noon.",
    "The passport of the youngest daughter expires in the spring of next year.",
)


def report(*subjects: str) -> str:
    """Return a text with a passage of its own for each subject, most of them beyond the window."""
    filler = "Minutes were taken, and the next meeting of the house is in May. "
    return "\n\n".join(f"## Part {n}\n{text} {filler * 8}" for n, text in enumerate(subjects))


LONG = report(*SUBJECTS)
OTHERS = [f"Item {n} on the shopping list is cheaper at the market" for n in range(30)]


async def stored(driver: AsyncDriver, memory_id: str) -> list[dict[str, Any]]:
    found = await driver.execute_query(
        "MATCH (m {uuid: $id})-[:HAS_PASSAGE]->(p:Passage) RETURN p {.*} AS p ORDER BY p.start",
        id=memory_id,
    )
    return [record["p"] for record in found.records]


@pytest.mark.parametrize("filters", [{}, {"memory_types": ["general"]}], ids=["all", "filtered"])
async def test_a_long_memory_is_found_and_quoted_by_the_passage_that_answers(
    memory: GraphMemory, filters: dict[str, Any]
) -> None:
    await memory.add_many([{"content": text} for text in OTHERS])
    long = await memory.add(LONG)
    for question, answer in (
        ("which heat pump is in the cellar?", "heat pump"),
        ("what do plum dumplings need?", "curd"),
        ("whose passport expires next year?", "passport"),
    ):
        best = (await memory.search(question, limit=3, **filters))[0]
        assert best.memory.memory_id == long.memory_id
        assert best.memory.content == LONG
        passage = best.passage
        assert passage is not None
        assert answer in passage.text
        assert LONG[passage.start : passage.end] == passage.text


async def test_a_short_memory_has_no_passage(memory: GraphMemory, driver: AsyncDriver) -> None:
    short = await memory.add("Ada drinks green tea")
    assert await stored(driver, short.memory_id) == []
    assert (await memory.search("what does Ada drink?"))[0].passage is None
    (given,) = (await memory.retrieve("what does Ada drink?")).memories
    assert given.passage is None


async def test_retrieval_spends_its_budget_on_passages(memory: GraphMemory) -> None:
    long = await memory.add(LONG)
    await memory.add_many([{"content": text} for text in OTHERS[:5]])
    given = await memory.retrieve("which heat pump is in the cellar?", max_tokens=300)
    first = next(m for m in given.memories if m.memory.memory_id == long.memory_id)
    assert "heat pump" in first.memory.content
    assert first.passage is not None
    assert (
        first.memory.content
        == first.passage.text
        == LONG[first.passage.start :][: len(first.passage.text)]
    )
    assert first.tokens <= 260
    assert given.tokens_used <= 300


async def test_a_long_neighbour_is_delivered_by_its_passage(memory: GraphMemory) -> None:
    bill = await memory.add("The installer sent the bill for the cellar")
    long = await memory.add(LONG)
    await memory.add_many([{"content": text} for text in OTHERS])
    await memory.relations.add(bill.memory_id, long.memory_id, "references")
    given = await memory.retrieve("who sent the bill for the cellar?", max_tokens=400)
    neighbour = next(m for m in given.memories if m.memory.memory_id == long.memory_id)
    assert neighbour.passage is not None
    assert neighbour.tokens <= 260
    assert "cellar" in neighbour.memory.content


async def test_a_conversation_gets_each_passage_once(memory: GraphMemory) -> None:
    long = await memory.add(LONG)
    heating = await memory.retrieve("which heat pump is in the cellar?")
    session = heating.session_id
    again = await memory.retrieve("which heat pump is in the cellar?", session_id=session)
    assert again.memories == []
    assert again.changed == []
    travel = await memory.retrieve("whose passport expires next year?", session_id=session)
    (given,) = travel.memories
    assert given.memory.memory_id == long.memory_id
    assert given.status == "new"
    assert "passport" in given.memory.content
    await memory.update(long.memory_id, content=LONG.replace("spring", "autumn"))
    changed = await memory.retrieve("whose passport expires next year?", session_id=session)
    assert [c.reason for c in changed.changed] == ["updated"]
    assert "autumn" in changed.memories[0].memory.content
    assert changed.memories[0].status == "changed"


async def test_passages_follow_the_content(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    long = await memory.add(LONG)
    before = await stored(driver, long.memory_id)
    assert [(p["start"], p["end"]) for p in before] == [(p.start, p.end) for p in split(LONG)]
    assert all(len(p["embedding"]) == 384 and p["word_vectors"] for p in before)
    assert {p["group_id"] for p in before} == {group}
    await memory.update(long.memory_id, tags=["home"])
    assert await stored(driver, long.memory_id) == before
    await memory.update(long.memory_id, content=report(*SUBJECTS[:2]))
    assert len(await stored(driver, long.memory_id)) == len(split(report(*SUBJECTS[:2])))
    await memory.update(long.memory_id, content="All of it was wrong")
    assert await stored(driver, long.memory_id) == []


async def test_the_text_of_the_past_is_delivered_whole(memory: GraphMemory, clock: Clock) -> None:
    long = await memory.add(LONG)
    clock.advance(days=1)
    past = clock.now
    clock.advance(days=1)
    await memory.update(long.memory_id, content=report(*SUBJECTS[2:]))
    (hit,) = await memory.search("which heat pump is in the cellar?", known_at=past)
    assert hit.memory.content == LONG
    assert hit.passage is None


@pytest.mark.parametrize("way", ["delete", "delete_group"])
async def test_passages_are_erased_with_their_memory(
    memory: GraphMemory, driver: AsyncDriver, group: str, way: str
) -> None:
    long = await memory.add(LONG)
    if way == "delete":
        await memory.delete(long.memory_id, permanent=True)
    else:
        await memory.delete_all(confirm="DELETE ALL", permanent=True)
    left = "MATCH (p:Passage {group_id: $group}) RETURN p"
    assert not (await driver.execute_query(left, group=group)).records


async def test_a_deleted_memory_is_not_found_by_its_passages(memory: GraphMemory) -> None:
    long = await memory.add(LONG)
    await memory.delete(long.memory_id)
    assert await memory.search("which heat pump is in the cellar?") == []


async def test_another_group_does_not_find_the_passages(memory: GraphMemory) -> None:
    await memory.add(LONG)
    other = "other_" + memory.settings.group_id
    assert await memory.search("which heat pump is in the cellar?", group_id=other) == []


async def test_a_store_of_an_earlier_version_gets_its_passages(
    memory: GraphMemory, driver: AsyncDriver, graph: Graph
) -> None:
    long = await memory.add(LONG)
    short = await memory.add("A line beyond two hundred characters. " * 6)
    before = await stored(driver, long.memory_id)
    await data_migrations.delete_passages(graph)
    try:
        assert await stored(driver, long.memory_id) == []
        assert not await embedding_record.has_passages(graph)
        # Until the passages are there, a memory is found by its beginning.
        assert await memory.search("when is the next meeting of the house?")
        assert (await memory.embeddings.missing(group_id=memory.settings.group_id)).rebuilt == 2
    finally:
        await embedding_record.record_embedding(graph, memory.settings)
    assert await stored(driver, long.memory_id) == before
    counts = await driver.execute_query(
        "MATCH (m:Memory) WHERE m.uuid IN $ids RETURN m.uuid AS id, m.passage_count AS count",
        ids=[long.memory_id, short.memory_id],
    )
    assert {r["id"]: r["count"] for r in counts.records} == {
        long.memory_id: len(before),
        short.memory_id: 0,
    }
