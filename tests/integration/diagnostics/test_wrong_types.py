"""A memory with a property of another type, as someone may set it in Neo4j Browser, stops nothing.

It is read as far as possible, or left out of lists and searches; `verify` names it.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.database.graph import Graph
from graph_memory.diagnostics.repair import repair
from graph_memory.diagnostics.verify import verify
from graph_memory.domain.models import Memory, SortOrder
from graph_memory.domain.properties import MEMORY_PROPERTIES
from graph_memory.errors import GraphMemoryError
from graph_memory.ranking.profiles import Profile
from graph_memory.transfer.import_export import export_lines
from tests.conftest import Clock
from tests.integration.diagnostics import test_metrics

#: Width of the vectors of the default model.
DIMENSIONS = 384

#: Properties with values of other types.
WRONG: tuple[tuple[str, Any], ...] = (
    ("tags", [5, 7]),
    ("tags", [1.5]),
    ("tags", [True]),
    ("tags", [date(2026, 1, 1)]),
    ("tags", 5),
    ("tags", "pinned"),
    ("content", 5),
    ("importance", "8"),
    ("importance", "high"),
    ("importance", [5]),
    ("stability", "3"),
    ("stability", 2.5),
    ("stability", "firm"),
    ("confidence", "0.5"),
    ("confidence", "sure"),
    ("decay_score", "0.5"),
    ("decay_score", "gone"),
    ("decay_rate", "fast"),
    ("decay_policy", 5),
    ("access_count", "3"),
    ("access_count", "often"),
    ("created_at", "2026-01-01T00:00:00.000Z"),
    ("created_at", 5),
    ("updated_at", "yesterday"),
    ("updated_at", 5),
    ("updated_at", datetime(2026, 1, 1, tzinfo=UTC)),
    ("last_accessed_at", "yesterday"),
    ("last_accessed_at", datetime(2026, 1, 1, tzinfo=UTC)),
    ("preserve_until", "for ever"),
    ("preserve_until", date(2030, 1, 1)),
    ("unprotected_at", 5),
    ("held_until", "tomorrow"),
    ("obsolete_at", "then"),
    ("soft_deleted_at", "then"),
    ("confidence_decayed_at", "then"),
    ("valid_at", 5),
    ("memory_type", 5),
    ("memory_type", "rumour"),
    ("source", "robot"),
    ("metadata_json", 5),
    ("metadata_json", "{"),
    ("attachments_json", 5),
    ("attachments_json", "["),
    ("lifecycle_state", 5),
    ("project_id", 5),
    ("conversation_id", 5),
    ("importance_source", 5),
    ("name", 5),
    ("summary", 5),
    ("state_history", "never"),
    ("state_history", [5]),
    ("edit_history", [5]),
    ("next_due_at", 5),
    ("last_decay_update", "then"),
    ("embedding", "near"),
    ("embedding", 5),
    ("embedding", ["a", "b"]),
    ("embedding", [1.0, 2.0]),
    ("embedding", [0.0] * DIMENSIONS),
    ("embedding", [float("nan")] * DIMENSIONS),
)

INSTANTS = [name for name, kind in MEMORY_PROPERTIES.items() if kind.startswith("instant")]

#: The words in which `verify` names a property.
SAID = dict.fromkeys(INSTANTS, "an instant") | {
    "lifecycle_state": "unknown state",
    "memory_type": "unknown type",
    "metadata_json": "metadata",
    "attachments_json": "attachments",
}

SOUND = "Ada keeps her bees on the roof"


async def test_no_read_and_no_run_stops_at_properties_of_another_type(
    memory: GraphMemory, driver: AsyncDriver, clock: Clock, group: str
) -> None:
    sound = await memory.add(SOUND, tags=["bees"])
    bees = [{"content": f"{SOUND}, hive {n}", "confidence": 0.9} for n in range(len(WRONG))]
    ids = [outcome.memory_id or "" for outcome in await memory.add_many(bees)]
    for id_ in ids:
        await memory.relations.add(sound.memory_id, id_)
    clock.advance(days=40)
    wrong = {id_: (name, value) for id_, (name, value) in zip(ids, WRONG, strict=True)}
    for id_, (name, value) in wrong.items():
        await driver.execute_query(
            "MATCH (m:Memory {uuid: $id}) SET m += $set", id=id_, set={name: value}
        )

    async def reads() -> dict[str, Memory]:
        """Read in every way, and return the memories that lists show, by id."""
        listed: dict[str, Memory] = {}
        for sort in SortOrder:
            cursor = None
            while True:
                page = await memory.list(sort=sort, limit=50, cursor=cursor)
                listed |= {m.memory_id: m for m in page.memories}
                if not (cursor := page.next_cursor):
                    break
        assert sound.memory_id in {m.memory_id for m in (await memory.list(tags=["bees"])).memories}
        found = await memory.search(SOUND, limit=50, counted=False)
        assert sound.memory_id in {hit.memory.memory_id for hit in found}
        given = await memory.retrieve(SOUND, counted=False)
        assert sound.memory_id in {one.memory.memory_id for one in given.memories}
        lines = [line async for line in export_lines(memory)]
        assert sum(SOUND in line for line in lines) > len(WRONG) / 2
        return listed

    listed = await reads()
    unlisted = [case for id_, case in wrong.items() if id_ not in listed]
    found = await verify(memory.context.graph, memory.settings, group)
    problems = " ".join(problem.problem for problem in found[group])
    assert [case for case in unlisted if SAID.get(case[0], case[0]) not in problems] == []
    for id_, (name, value) in wrong.items():
        if name == "tags" and isinstance(value, list):
            assert listed[id_].tags == [str(tag) for tag in value]
    learning = memory.settings.model_copy(update={"learn": ("proposals",)})
    learner = GraphMemory.over(memory.context.graph, memory.context.embedder, learning, clock=clock)
    assert (await learner.maintenance.run(groups=[group], stages=["proposals"])).completed
    for full in (False, True):
        foreseen = await memory.maintenance.dry_run(groups=[group], full=full)
        assert foreseen.transitioned["ACTIVE>DORMANT"] >= 1
    report = await memory.maintenance.run(groups=[group])
    assert report.completed  # it skips the memories that it cannot treat
    assert 0 < report.errors < len(WRONG) / 2
    assert (await memory.get(sound.memory_id, counted=False)).lifecycle_state == "DORMANT"
    await reads()
    await memory.delete_all(confirm="DELETE ALL", permanent=True)


async def replace(driver: AsyncDriver, memory_id: str, name: str, value: Any) -> Any:
    """Set a property as another client does, and return its value before."""
    changed = await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) WITH m, m[$name] AS before SET m[$name] = $value "
        "RETURN before",
        id=memory_id,
        name=name,
        value=value,
    )
    return changed.records[0]["before"]


async def _search(
    memory: GraphMemory, profile: Profile, known_at: datetime | None = None
) -> set[str]:
    hits = await memory.search(SOUND, profile=profile, limit=50, counted=False, known_at=known_at)
    return {hit.memory.memory_id for hit in hits}


async def _retrieve(memory: GraphMemory, profile: Profile) -> set[str]:
    given = await memory.retrieve(SOUND, profile=profile, counted=False)
    return {one.memory.memory_id for one in given.memories}


async def _walk(memory: GraphMemory, start: str, known_at: datetime | None = None) -> set[str]:
    walk = await memory.relations.traverse(start, max_depth=3, counted=False, known_at=known_at)
    return {start, *(node.memory_id for node in walk.nodes)}


async def _analyze(memory: GraphMemory, start: str, known_at: datetime | None = None) -> set[str]:
    analyses = [await memory.relations.analyze(id_, known_at=known_at) for id_ in (None, start)]
    return set.intersection(*({one.memory_id for one in a.top_connectors} for a in analyses))


async def _forecast(memory: GraphMemory, start: str) -> None:
    forecast = await memory.lifecycle.forecast(days=365)
    assert forecast.transitions["ACTIVE>DORMANT"] >= 2


async def _measure(memory: GraphMemory, start: str) -> None:
    averages = (await memory.health()).averages
    assert averages.importance == pytest.approx(6, abs=1)
    assert 0 < (averages.decay_score or 0) < 1


Read = Callable[[GraphMemory, str], Awaitable[set[str] | None]]

#: Reads that return ids, or check their answer themselves; the second argument is a memory.
READS: dict[str, Read] = {
    "weighted": lambda memory, _: _search(memory, Profile.WEIGHTED),
    "weighted at": lambda memory, _: _search(memory, Profile.WEIGHTED, known_at=memory.clock()),
    "weighted retrieval": lambda memory, _: _retrieve(memory, Profile.WEIGHTED),
    "hybrid": lambda memory, _: _search(memory, Profile.HYBRID),
    "hybrid at": lambda memory, _: _search(memory, Profile.HYBRID, known_at=memory.clock()),
    "recall": lambda memory, _: _search(memory, Profile.RECALL),
    "recall retrieval": lambda memory, _: _retrieve(memory, Profile.RECALL),
    "recall at": lambda memory, _: _search(memory, Profile.RECALL, known_at=memory.clock()),
    "walk": _walk,
    "walk at": lambda memory, start: _walk(memory, start, known_at=memory.clock()),
    "analysis": _analyze,
    "analysis at": lambda memory, start: _analyze(memory, start, known_at=memory.clock()),
    "forecast": _forecast,
    "health": _measure,
}


@pytest.mark.parametrize("read", READS)
async def test_a_read_passes_each_property_of_another_type(
    read: str, memory: GraphMemory, driver: AsyncDriver, clock: Clock
) -> None:
    outcomes = await memory.add_many([{"content": f"{SOUND}, hive {n}"} for n in range(3)])
    start, damaged, end = (outcome.memory_id or "" for outcome in outcomes)
    for from_id, to_id in ((start, damaged), (damaged, end), (start, end)):
        await memory.relations.add(from_id, to_id)
    clock.advance(days=1)
    failures: list[str] = []
    for name, value in WRONG:
        before = await replace(driver, damaged, name, value)
        try:
            found = await READS[read](memory, start)
            assert found is None or {start, end} <= found
        except (AssertionError, GraphMemoryError) as error:
            failures.append(f"{name}={value!r}: {type(error).__name__} {str(error)[:200]}")
        await replace(driver, damaged, name, before)
    await memory.delete_all(confirm="DELETE ALL", permanent=True)
    assert failures == []


async def test_an_access_is_counted_beside_a_damaged_memory(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    outcomes = await memory.add_many([{"content": f"{SOUND}, hive {n}"} for n in range(5)])
    ids = [outcome.memory_id or "" for outcome in outcomes]
    await replace(driver, ids[2], "obsolete_at", "then")
    memory.context.count_accesses(memory.context.scope(None), ids)
    await memory.context.accesses.flush()
    counts = [(await memory.get(id_, counted=False)).access_count for id_ in ids]
    assert counts == [1, 1, 0, 1, 1]


async def test_verify_names_each_property_of_another_type(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    damaged = (await memory.add(SOUND)).memory_id
    unnamed: list[tuple[str, Any]] = []
    for name, value in WRONG:
        before = await replace(driver, damaged, name, value)
        problems = (await verify(memory.context.graph, memory.settings, group)).get(group, [])
        said = " ".join(problem.problem for problem in problems)
        if SAID.get(name, name) not in said:
            unnamed.append((name, value))
        await replace(driver, damaged, name, before)
    await memory.delete_all(confirm="DELETE ALL", permanent=True)
    assert unnamed == []


async def test_a_tag_that_is_a_number_protects_and_filters_as_its_text(
    memory: GraphMemory, driver: AsyncDriver, clock: Clock, group: str
) -> None:
    settings = memory.settings.model_copy(update={"protected_tags": ("5",)})
    ruled = GraphMemory.over(memory.context.graph, memory.context.embedder, settings, clock=clock)
    numbered = await ruled.add("a memory with a number")
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) SET m.tags = [5]", id=numbered.memory_id
    )
    (listed,) = (await ruled.list(tags=["5"])).memories
    assert (listed.tags, listed.protection) == (["5"], "tag")
    await ruled.lifecycle.preserve(numbered.memory_id, group_id=group)
    kept = await ruled.get(numbered.memory_id, group_id=group)
    assert kept.tags == ["5", "preserved"]


async def test_counts_pass_properties_of_another_type(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    outcomes = await memory.add_many([{"content": f"{SOUND}, hive {n}"} for n in range(len(WRONG))])
    wrong = zip(outcomes, WRONG, strict=True)
    rows = [{"id": outcome.memory_id, "set": {name: value}} for outcome, (name, value) in wrong]
    await driver.execute_query(
        "UNWIND $rows AS row MATCH (m:Memory {uuid: row.id}) SET m += row.set", rows=rows
    )
    try:
        counted = await memory.stats()
        assert sum(counted.by_type.values()) >= len(WRONG) - 1  # one has no state
        with test_metrics.scraping(memory) as scrape:
            found = await scrape()
        assert test_metrics.value(found, "knowledge_memories_by_state", state="ACTIVE") > 0
    finally:
        await memory.delete_all(confirm="DELETE ALL", permanent=True)


async def test_each_property_of_another_type_is_repaired(
    memory: GraphMemory, graph: Graph, driver: AsyncDriver, group: str
) -> None:
    damaged = (await memory.add(SOUND, tags=["bees"], confidence=0.9)).memory_id
    failures: list[tuple[str, Any, object]] = []
    for name, value in WRONG:
        await replace(driver, damaged, name, value)
        mended = await repair(graph, memory.settings, memory.clock(), group)
        left = (await verify(graph, memory.settings, group)).get(group, [])
        if [problem for problem in left if "embedding" not in problem.problem]:
            failures.append((name, value, left))
        if name not in {each.what for each in mended}:
            failures.append((name, value, mended))
        await memory.get(damaged, counted=False)
        await memory.lifecycle.preserve(damaged)
        await memory.lifecycle.history(damaged)
        await memory.maintenance.run(groups=[group])
        assert await verify(graph, memory.settings, group) == {}, (name, value)
    assert failures == []


#: Calls that read or change one memory.
CALLS: dict[str, Callable[[GraphMemory, str], Awaitable[object]]] = {
    "get": lambda memory, id_: memory.get(id_),
    "status": lambda memory, id_: memory.lifecycle.status(id_),
    "history": lambda memory, id_: memory.lifecycle.history(id_),
    "preserve": lambda memory, id_: memory.lifecycle.preserve(id_),
    "update": lambda memory, id_: memory.update(id_, importance=6),
    "obsolete": lambda memory, id_: memory.lifecycle.mark_obsolete(id_, reason="sold"),
    "delete": lambda memory, id_: memory.delete(id_),
}


@pytest.mark.parametrize("call", CALLS)
async def test_an_error_about_a_damaged_memory_names_the_remedy(
    call: str, memory: GraphMemory, driver: AsyncDriver
) -> None:
    unclear: list[str] = []
    for name, value in WRONG:
        damaged = (await memory.add(SOUND)).memory_id
        await replace(driver, damaged, name, value)
        try:
            await CALLS[call](memory, damaged)
        except GraphMemoryError as error:
            if "run `graph-memory verify --repair`" not in str(error):
                unclear.append(f"{name}={value!r}: {type(error).__name__} {str(error)[:200]}")
        await memory.delete_all(confirm="DELETE ALL", permanent=True)
    assert unclear == []


#: Properties of a relation with values of other types.
WRONG_OF_RELATIONS: tuple[tuple[str, Any], ...] = (
    ("strength", "strong"),
    ("strength", [1]),
    ("strength", 5.0),
    ("strength", float("nan")),
    ("learned_strength", "strong"),
    ("learned_strength", -1),
    ("use_count", "many"),
    ("last_used_at", 5),
    ("past_uses", [1]),
    ("past_used_at", 5),
    ("metadata_json", 5),
    ("metadata_json", "{"),
    ("name", 5),
    ("fact", 5),
    ("created_at", "yesterday"),
    ("created_at", 5),
    ("valid_at", "then"),
    ("valid_at", "2026-01-31T12:00:00.000Z"),
    ("invalid_at", "then"),
    ("expired_at", "then"),
)


async def _read_relations(memory: GraphMemory, first: str, third: str) -> None:
    """Read relations in every way; all find the sound relation between two memories."""
    assert third in {one.to_id for one in await memory.relations.list(first)}
    walk = await memory.relations.traverse(first, counted=False)
    assert third in {node.memory_id for node in walk.nodes}
    for start in (None, first):
        assert await memory.relations.analyze(start)
    assert await memory.stats()
    assert await memory.lifecycle.history(first)
    for profile in Profile:
        assert await memory.search(SOUND, profile=profile, counted=False)
    assert [line async for line in export_lines(memory)]


async def test_a_relation_of_other_types_stops_nothing_is_named_and_is_repaired(
    memory: GraphMemory, graph: Graph, driver: AsyncDriver, group: str
) -> None:
    outcomes = await memory.add_many([{"content": f"{SOUND}, hive {n}"} for n in range(3)])
    first, second, third = (outcome.memory_id or "" for outcome in outcomes)
    failures: list[str] = []
    for name, value in WRONG_OF_RELATIONS:
        for to_id in (second, third):
            await memory.relations.add(first, to_id, "causes")
        await driver.execute_query(
            "MATCH (:Memory {uuid: $a})-[r:RELATES_TO]->(:Memory {uuid: $b}) SET r[$name] = $value",
            a=first,
            b=second,
            name=name,
            value=value,
        )
        try:
            await _read_relations(memory, first, third)
            await memory.maintenance.run(groups=[group])
            assert (await verify(graph, memory.settings, group))[group]
            assert await repair(graph, memory.settings, memory.clock(), group)
            left = (await verify(graph, memory.settings, group)).get(group, [])
            assert name == "name" or left == []
        except (AssertionError, GraphMemoryError, KeyError) as error:
            failures.append(f"{name}={value!r}: {type(error).__name__} {str(error)[:300]}")
        await driver.execute_query(
            "MATCH (:Memory {uuid: $a})-[r:RELATES_TO]->() DELETE r", a=first
        )
    assert failures == []
