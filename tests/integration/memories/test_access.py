"""Access is use: which reads and writes count one, by each way in."""

from collections.abc import Callable
from datetime import timedelta
from operator import attrgetter
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.transfer.demo import GROUP, QUESTIONS, delete_story, store_story
from tests.conftest import TODAY, Clock
from tests.support.mcp_client import call, inside

TEA = "Ada prefers green tea"

#: The reads of Python, their arguments, and whether they count by default; ID is the memory's.
READS: tuple[tuple[str, tuple[Any, ...], bool], ...] = (
    ("get", ("ID",), True),
    ("search", (TEA,), True),
    ("retrieve", (TEA,), True),
    ("list", (), False),
    ("relations.traverse", ("ID",), False),
    ("facts.search", (TEA,), True),
    ("facts.search_entities", (TEA,), True),
)

#: Calls without `counted`, and whether they count.
OTHERS: tuple[tuple[str, tuple[Any, ...], bool], ...] = (
    ("touch", ("ID",), True),
    ("feedback.add", ("ID", True), True),
    ("feedback.add", ("ID", False), False),
    ("count", (), False),
    ("stats", (), False),
    ("health", (), False),
    ("relations.analyze", ("ID",), False),
    ("relations.list", ("ID",), False),
    ("lifecycle.status", ("ID",), False),
    ("lifecycle.history", ("ID",), False),
)

#: The reads of MCP, their arguments, and whether they count by default.
TOOLS: tuple[tuple[str, dict[str, Any], bool], ...] = (
    ("get_memory", {"memory_id": "ID"}, True),
    ("search_memory", {"query": TEA}, True),
    ("retrieve_memories", {"query": TEA}, True),
    ("list_memories", {}, False),
    ("memory_traverse", {"start_memory_id": "ID"}, False),
    ("search_facts", {"query": TEA}, True),
    ("search_nodes", {"query": TEA}, True),
)


@pytest.fixture
def accesses(memory: GraphMemory, driver: AsyncDriver) -> Callable[..., Any]:
    """Return the accesses of each memory of a group, by id, once all are counted."""

    async def read(group: str | None = None) -> dict[str, int]:
        await memory.context.accesses.flush()
        records, _, _ = await driver.execute_query(
            "MATCH (m:Memory {group_id: $group}) RETURN m.uuid AS id, m.access_count AS count",
            group=group or memory.settings.group_id,
        )
        return {record["id"]: record["count"] for record in records}

    return read


async def related(memory: GraphMemory) -> str:
    """Store a memory with a relation, and return its id."""
    tea, why = await memory.add(TEA), await memory.add("Ada spent a year in Kyoto")
    await memory.relations.add(tea.memory_id, why.memory_id, "caused_by", fact=TEA)
    return tea.memory_id


@pytest.mark.parametrize("counted", [None, True, False])
@pytest.mark.parametrize("case", READS, ids=lambda case: case[0])
async def test_a_read_counts_by_its_default_or_as_asked(
    memory: GraphMemory, accesses: Any, case: Any, counted: bool | None
) -> None:
    path, given, by_default = case
    tea = await related(memory)
    arguments = [tea if each == "ID" else each for each in given]
    keywords = {} if counted is None else {"counted": counted}
    await attrgetter(path)(memory)(*arguments, **keywords)
    counts = await accesses()
    assert counts[tea] == int(by_default if counted is None else counted)
    if not counts[tea]:
        assert set(counts.values()) == {0}


@pytest.mark.parametrize("case", OTHERS, ids=lambda case: f"{case[0]}-{case[2]}")
async def test_a_call_without_a_choice_counts_if_it_is_use(
    memory: GraphMemory, accesses: Any, case: Any
) -> None:
    path, given, counts = case
    tea = await related(memory)
    await attrgetter(path)(memory)(*[tea if each == "ID" else each for each in given])
    assert (await accesses())[tea] == int(counts)


@pytest.mark.parametrize("case", TOOLS, ids=lambda case: case[0])
async def test_a_tool_counts_by_its_default_or_as_asked(
    memory: GraphMemory, accesses: Any, case: Any
) -> None:
    tool, given, by_default = case
    tea = await related(memory)
    arguments = {name: tea if each == "ID" else each for name, each in given.items()}
    expected = 0
    for counted in (False, None, True):
        chosen = {} if counted is None else {"counted": counted}
        async with inside(memory, toolsets=("core", "graph", "graphiti")) as client:
            await call(client, tool, **arguments, **chosen)
        expected += by_default if counted is None else counted
        assert (await accesses())[tea] == expected, counted


async def test_a_look_at_a_faded_memory_does_not_wake_it(
    memory: GraphMemory, accesses: Any, clock: Clock, group: str
) -> None:
    tea = await related(memory)
    clock.advance(days=40)
    await memory.maintenance.run(groups=[group])
    await memory.list(states=["DORMANT"])
    await memory.relations.traverse(tea)
    await accesses()
    assert (await memory.get(tea, counted=False)).lifecycle_state == "DORMANT"
    await memory.list(states=["DORMANT"], counted=True)
    await accesses()
    woken = await memory.get(tea, counted=False)
    assert (woken.lifecycle_state, woken.last_accessed_at) == (
        "ACTIVE",
        TODAY + timedelta(days=40),
    )


async def test_a_question_keeps_of_the_demo_what_answers_it_and_no_other(
    memory: GraphMemory, accesses: Any
) -> None:
    await delete_story(memory)
    await store_story(memory)

    async def faded() -> float:
        await memory.context.accesses.flush()
        return round((await memory.health(GROUP)).averages.decay_score or 0, 3)

    before, counts = await faded(), await accesses(GROUP)
    assert before > 0
    for read in (memory.retrieve, memory.search):
        await read("lattice quantum chromodynamics gluon", group_id=GROUP)
    assert await accesses(GROUP) == counts
    assert await faded() == before

    least = memory.settings.access_min_relevance
    for question in QUESTIONS:
        given = (await memory.retrieve(question, group_id=GROUP)).memories
        used = {m.memory.memory_id for m in given if (m.relevance or 0) >= least}
        assert given[0].memory.memory_id in used
        for memory_id in used:
            counts[memory_id] += 1
        assert await accesses(GROUP) == counts, question
    await delete_story(memory)
