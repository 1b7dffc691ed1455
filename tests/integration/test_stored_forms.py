"""No entity has what Graphiti cannot put into its prompts; what had it is rewritten, or mended."""

from datetime import timedelta
from typing import Any

from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.graph import Graph
from graph_memory.repair import repair
from graph_memory.stored_forms import bring_down, bring_up
from graph_memory.verify import verify
from tests.conftest import TODAY, Clock

LONG = "Ada keeps bees, and writes down what they do. " * 40


async def properties(driver: AsyncDriver, group: str) -> dict[str, dict[str, Any]]:
    """Return all that each entity of a group has, purged ones included."""
    records, _, _ = await driver.execute_query(
        "MATCH (n:Entity|PurgedMemory {group_id: $group}) RETURN n.uuid AS id, n {.*} AS n",
        group=group,
    )
    return {record["id"]: record["n"] for record in records}


async def two_times(memory: GraphMemory) -> tuple[str, str]:
    """Store a memory that has ended, and the one that holds since."""
    rome = await memory.add("Ada lives in Rome", valid_at=TODAY - timedelta(days=900))
    turin = await memory.add("Ada lives in Turin", valid_at=TODAY - timedelta(days=90))
    await memory.mark_obsolete(rome.memory_id, "moved", superseded_by=turin.memory_id)
    return rome.memory_id, turin.memory_id


async def archived(memory: GraphMemory, clock: Clock) -> str:
    stored = await memory.add(LONG)
    for days in (40, 60):
        clock.advance(days=days)
        report = await memory.maintain(groups=[memory.settings.group_id])
    assert report.compressed
    return stored.memory_id


async def test_what_was_stored_otherwise_is_rewritten_and_back(
    memory: GraphMemory, graph: Graph, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    rome, turin = await two_times(memory)
    packed = await archived(memory, clock)
    await memory.delete(turin)
    clock.advance(days=100)
    await memory.maintain(groups=[group])
    before = await properties(driver, group)
    lived = TODAY - timedelta(days=500)

    await bring_down(graph)
    native = await properties(driver, group)
    assert native[rome]["valid_at"].to_native() == TODAY - timedelta(days=900)
    assert native[rome]["invalid_at"].to_native() == TODAY - timedelta(days=90)
    assert native[turin]["valid_at"].to_native() == TODAY - timedelta(days=90)
    assert "purged_at" in native[turin]
    assert native[packed]["content_gz"][:2] == b"\x1f\x8b"
    problems = (await verify(graph, memory.settings))[group]
    assert "a memory has an instant that is no text (valid_at, invalid_at)" in {
        problem.problem for problem in problems
    }

    for _ in range(2):
        await bring_up(graph)
        assert await properties(driver, group) == before
    page = await memory.list(as_of=lived, states=["EXPIRED"])
    assert [each.memory_id for each in page.memories] == [rome]
    assert (await memory.get(packed)).content == LONG


async def test_a_repair_makes_text_of_what_another_version_wrote(
    memory: GraphMemory, graph: Graph, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    rome, turin = await two_times(memory)
    before = await properties(driver, group)
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) SET m.invalid_at = datetime(m.invalid_at)", id=rome
    )
    mended = await repair(graph, memory.settings, clock())
    assert [(m.what, m.count) for m in mended if m.group_id == group] == [("invalid_at", 1)]
    after = await properties(driver, group)
    for name in ("valid_at", "invalid_at"):
        assert after[rome].get(name) == before[rome].get(name)
        assert after[turin].get(name) == before[turin].get(name)
    assert (await memory.get(turin)).invalid_at is None
