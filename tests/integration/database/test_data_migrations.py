"""No entity has what Graphiti cannot put into its prompts; what had it is rewritten, or mended."""

import json
from datetime import timedelta
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.database.data_migrations import downgrade, upgrade
from graph_memory.database.graph import Graph
from graph_memory.diagnostics.repair import repair
from graph_memory.diagnostics.verify import verify
from graph_memory.graphiti.adoption import adopt
from graph_memory.maintenance.reembedding import rebuild_embeddings
from graph_memory.transfer.import_export import export_lines, import_lines
from tests.conftest import TODAY, Clock
from tests.integration.conftest import Make
from tests.integration.graphiti.test_adoption import stock
from tests.support.graphiti_script import GraphitiScript

LONG = "Ada keeps bees, and writes down what they do. " * 40

#: What Graphiti knows of a fact, and takes as an instant of Neo4j.
TIMES = {"created_at", "valid_at", "invalid_at", "expired_at", "reference_time"}


async def properties(driver: AsyncDriver, group: str) -> dict[str, dict[str, Any]]:
    """Return all that each entity of a group has, purged ones included."""
    records, _, _ = await driver.execute_query(
        "MATCH (n:Entity|PurgedMemory {group_id: $group}) RETURN n.uuid AS id, n {.*} AS n",
        group=group,
    )
    return {record["id"]: record["n"] for record in records}


async def relations(driver: AsyncDriver, group: str) -> list[dict[str, Any]]:
    records, _, _ = await driver.execute_query(
        "MATCH ()-[r:RELATES_TO {group_id: $group}]->() RETURN r {.*} AS r", group=group
    )
    return [record["r"] for record in records]


async def two_times(memory: GraphMemory) -> tuple[str, str]:
    """Store a memory that has ended, and the one that holds since."""
    rome = await memory.add("Ada lives in Rome", valid_at=TODAY - timedelta(days=900))
    turin = await memory.add("Ada lives in Turin", valid_at=TODAY - timedelta(days=90))
    await memory.lifecycle.mark_obsolete(rome.memory_id, "moved", superseded_by=turin.memory_id)
    return rome.memory_id, turin.memory_id


async def archived(memory: GraphMemory, clock: Clock) -> str:
    stored = await memory.add(LONG)
    for days in (40, 60):
        clock.advance(days=days)
        report = await memory.maintenance.run(groups=[memory.settings.group_id])
    assert report.compressed
    return stored.memory_id


@pytest.mark.usefixtures("imported")
async def test_graphiti_can_put_every_entity_into_a_prompt(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    """Walk through all that writes memories; of none may anything be left that JSON cannot hold."""
    memory = make(graphiti_vectors=True)
    await two_times(memory)
    packed = await archived(memory, clock)
    tea = await memory.add(
        "Ada likes tea",
        title="Tea",
        tags=["Tea"],
        confidence=0.9,
        conversation_id="c",
        project_id="p",
        decay_policy="adaptive",
        metadata={"cup": 1},
        parent_id=packed,
    )
    jam, *_ = await memory.add_many(
        {"content": text, "conversation_id": "c"} for text in ("Ada likes jam", "Bob likes ham")
    )
    assert jam.memory_id
    await memory.relations.add(
        tea.memory_id,
        jam.memory_id,
        "causes",
        valid_at="2020-01-01",
        invalid_at="2021-01-01",
        metadata={"since": 1},
        bidirectional=True,
    )
    await memory.relations.remove(tea.memory_id, jam.memory_id)
    await memory.update(tea.memory_id, content="Ada loves tea", importance=7)
    await memory.lifecycle.preserve(jam.memory_id, until="2040-01-01")
    await memory.retrieve("tea", session_id="s")
    await memory.feedback.add(tea.memory_id, True, query="what does Ada drink?")
    await memory.delete(tea.memory_id)
    await memory.lifecycle.recover(tea.memory_id)
    await memory.touch(tea.memory_id)
    await memory.episodes.add("Bob works at Acme.", wait=True)
    await stock(driver, group, 3)
    await adopt(memory.context, [group])
    await rebuild_embeddings(memory.context, group, only_missing=True)
    await memory.maintenance.classify(groups=[group])
    lines = [line async for line in export_lines(memory)]
    await import_lines(memory, lines, f"{group}_copy")
    clock.advance(days=400)
    await memory.lifecycle.scan_confidence(dry_run=False)
    await memory.maintenance.run(groups=[group, f"{group}_copy"], full=True)
    await memory.delete(jam.memory_id)
    clock.advance(days=400)
    purging = await memory.maintenance.run(groups=[group], full=True)
    await memory.context.accesses.flush()

    found = await properties(driver, group) | await properties(driver, f"{group}_copy")
    assert len(found) == 22
    assert {key for n in found.values() for key in n} > {
        "valid_at",
        "invalid_at",
        "content_gz",
        "preserve_until",
        "obsolete_at",
        "purged_at",
        "soft_deleted_at",
        "confidence_decayed_at",
        "adopted_at",
        "next_due_at",
        "updated_at",
    }
    for node in found.values():
        json.dumps({key: value for key, value in node.items() if key != "created_at"})
    for edge in await relations(driver, group):
        json.dumps({key: value for key, value in edge.items() if key not in TIMES})
    assert purging.purged
    await memory.maintenance.undo(purging.run_id)
    for node in (await properties(driver, group)).values():
        json.dumps({key: value for key, value in node.items() if key != "created_at"})


async def test_what_was_stored_otherwise_is_rewritten_and_back(
    memory: GraphMemory, graph: Graph, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    rome, turin = await two_times(memory)
    packed = await archived(memory, clock)
    await memory.delete(turin)
    clock.advance(days=100)
    await memory.maintenance.run(groups=[group])
    before = await properties(driver, group)
    lived = TODAY - timedelta(days=500)

    await downgrade(graph)
    native = await properties(driver, group)
    assert native[rome]["valid_at"].to_native() == TODAY - timedelta(days=900)
    assert native[rome]["invalid_at"].to_native() == TODAY - timedelta(days=90)
    assert native[turin]["valid_at"].to_native() == TODAY - timedelta(days=90)
    assert "purged_at" in native[turin]
    assert native[packed]["content_gz"][:2] == b"\x1f\x8b"
    problems = (await verify(graph, memory.settings))[group]
    assert "a memory has an instant that is no text as 2026-01-31T12:00:00.000Z" in {
        problem.problem for problem in problems
    }

    for _ in range(2):
        await upgrade(graph)
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
    mended = await repair(graph, memory.settings, clock(), group)
    assert [(m.what, m.count) for m in mended if m.group_id == group] == [("invalid_at", 1)]
    after = await properties(driver, group)
    for name in ("valid_at", "invalid_at"):
        assert after[rome].get(name) == before[rome].get(name)
        assert after[turin].get(name) == before[turin].get(name)
    assert (await memory.get(turin)).invalid_at is None
