"""Adoption of a database that Graphiti made, in place, and its release."""

import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from graph_memory import Authority, GraphMemory, Origin
from graph_memory.diagnostics.repair import repair
from graph_memory.diagnostics.verify import verify
from graph_memory.errors import InvalidArgumentError
from graph_memory.graphiti.adoption import adopt, count_adoptable, release
from graph_memory.graphiti.rename_group import GroupRename, plan_renames
from graph_memory.maintenance.reembedding import rebuild_embeddings
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


#: What else Graphiti makes in a group.
MORE = """
MATCH (n:Entity {uuid: $id})
CREATE (e:Episodic {uuid: $id + 'e', name: 'one', group_id: $group, source: 'text', content: 'x',
  source_description: '', entity_edges: [], created_at: datetime(), valid_at: datetime()})
CREATE (f:Episodic {uuid: $id + 'f', name: 'two', group_id: $group, source: 'text', content: 'y',
  source_description: '', entity_edges: [], created_at: datetime(), valid_at: datetime()})
CREATE (s:Saga {uuid: $id + 's', name: 'saga', group_id: $group, created_at: datetime()})
CREATE (c:Community {uuid: $id + 'c', name: 'all', group_id: $group, summary: 'All',
  created_at: datetime()})
CREATE (e)-[:MENTIONS {uuid: $id + '1', group_id: $group, created_at: datetime()}]->(n)
CREATE (s)-[:HAS_EPISODE {uuid: $id + '2', group_id: $group, created_at: datetime()}]->(e)
CREATE (e)-[:NEXT_EPISODE {uuid: $id + '3', group_id: $group, created_at: datetime()}]->(f)
CREATE (c)-[:HAS_MEMBER {uuid: $id + '4', group_id: $group, created_at: datetime()}]->(n)
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
    told = [s for s in await count_adoptable(memory.context) if s.group_id == group]
    assert sum(s.entities for s in told) == 9
    assert sum(s.with_ours for s in told) == 1
    assert await exported(driver, group) == before  # a survey changes nothing

    done = await adopt(memory.context, [group])
    assert (done.entities, done.facts) == (9, 8)
    once = await exported(driver, group)
    again = await adopt(memory.context, [group])
    assert (again.entities, again.facts) == (0, 0)
    assert await exported(driver, group) == once

    assert (await rebuild_embeddings(memory.context, group, only_missing=True)).rebuilt == 9
    found = await memory.search("Entity number 4", states=["ACTIVE"])
    four = next(hit.memory for hit in found if hit.memory.content.startswith("Entity 4"))
    assert four.content == "Entity 4: It is number 4"
    assert (four.importance, four.stability, four.importance_source) == (6.0, 3, "fallback")
    assert four.tags == ["person"]
    assert four.last_accessed_at == four.created_at.replace(microsecond=123000)
    reached = await memory.relations.traverse(four.memory_id, max_depth=1)
    assert {edge.relation_type for edge in reached.edges} == {"KNOWS"}
    facts = await memory.relations.list(four.memory_id)
    assert {each.origin for each in facts} == {Origin("Python", "local", Authority.DERIVED)}
    await memory.context.accesses.flush()
    clock.advance(days=40)
    report = await memory.maintenance.run(groups=[group])
    assert report.transitioned == {"ACTIVE>DORMANT": 9}

    gone = await release(memory.context, [group])
    assert (gone.entities, gone.facts) == (9, 8)
    await driver.execute_query(
        "MATCH (c:MaintenanceChange {group_id: $group}) DELETE c", group=group
    )
    assert await exported(driver, group) == before


#: What Graphiti's clients do when they have found a new summary.
SAVED = "MATCH (n:Entity {uuid: $id}) SET n.summary = $summary"


async def lacking(memory: GraphMemory, group: str) -> dict[str, str]:
    """Return the memories that `verify` counts for their summary, by group."""
    found = await verify(memory.context.graph, memory.settings)
    return {
        each.example: each.problem
        for each in found.get(group, [])
        if "summary" in each.problem and each.count == 1
    }


@pytest.mark.parametrize("how", ["repair", "run"])
async def test_a_rejected_statement_does_not_come_back_as_a_summary(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock, how: str
) -> None:
    await stock(driver, group, 2)
    await adopt(memory.context, [group])
    first, second = (f"{group}-{1000000 + n}" for n in (1, 2))
    before = (await memory.get(first)).content
    wrong = await memory.add("Entity 1: She keeps bees in Kyoto")
    await memory.lifecycle.reject(wrong.memory_id)
    clock.advance(hours=1)
    await driver.execute_query(SAVED, id=first, summary="She keeps bees in Kyoto")
    await driver.execute_query(SAVED, id=second, summary="She sold the hives")
    clock.advance(hours=1)
    if how == "repair":
        await repair(memory.context.graph, memory.settings, clock.now, group)
    else:
        await memory.maintenance.run(groups=[group])
    assert (await memory.get(first)).content == before
    assert (await memory.get(second)).content == "Entity 2: She sold the hives"


@pytest.mark.parametrize("known", [True, False], ids=["now", "adopted by an earlier version"])
@pytest.mark.parametrize("how", ["repair", "run"])
async def test_a_summary_that_graphiti_saves_later_becomes_the_content(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock, how: str, known: bool
) -> None:
    await stock(driver, group, 3)
    await adopt(memory.context, [group])
    await rebuild_embeddings(memory.context, group, only_missing=True)
    if not known:
        await driver.execute_query(
            "MATCH (n:Memory {group_id: $group}) REMOVE n.adopted_hash", group=group
        )
    followed, edited, titled = (f"{group}-{1000000 + n}" for n in (1, 2, 3))
    await memory.update(edited, content="Written by hand")
    await driver.execute_query("MATCH (n {uuid: $id}) SET n.name = 'Named by hand'", id=titled)
    assert await lacking(memory, group) == {}

    async def mend() -> None:
        if how == "repair":
            await repair(memory.context.graph, memory.settings, clock.now, group)
            await rebuild_embeddings(memory.context, group, only_missing=True)
        else:
            await memory.maintenance.run(groups=[group])

    clock.advance(hours=1)
    for said in ("She keeps bees in Kyoto", "She sold the bees"):
        for entity in (followed, edited):
            await driver.execute_query(SAVED, id=entity, summary=said)
        assert [*await lacking(memory, group)] == [followed]
        clock.advance(hours=1)
        await mend()
        assert await lacking(memory, group) == {}
        assert (await memory.get(followed)).content == f"Entity 1: {said}"
        assert (await memory.search(said))[0].memory.memory_id == followed
        again = await repair(memory.context.graph, memory.settings, clock.now, group)
        assert again == []
    events = await memory.lifecycle.history(followed)
    assert [event.detail for event in events if event.kind == "rewritten"] == [
        "Entity 1: It is number 1",
        "Entity 1: She keeps bees in Kyoto",
    ]
    by = {event.kind: event.by for event in events}
    assert by.pop("created") == "Python"
    first, *_, last = [
        each.origin for each in await memory.lifecycle.origins(followed) if each.origin
    ]
    assert (first.way_in, first.caller, first.authority) == ("Python", "local", "derived")
    assert (last.way_in, last.caller, last.authority) == ("Graphiti", "graph-memory", "derived")
    causes = {(cause or "").rstrip("-0123456789abcdef") for cause in by.values() if cause}
    assert causes == {"Graphiti, Python" if how == "repair" else "Graphiti, run "}
    assert (await memory.get(edited)).content == "Written by hand"
    assert (await memory.get(titled)).content == "Entity 3"


async def test_a_memory_adopted_without_a_summary_follows_its_first_one(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    await stock(driver, group, 3)
    await adopt(memory.context, [group])
    untold = f"{group}-1000003"
    assert (await memory.get(untold)).content == "Entity 3"
    await driver.execute_query(SAVED, id=untold, summary="She keeps bees in Kyoto")
    assert [*await lacking(memory, group)] == [untold]
    clock.advance(hours=1)
    await repair(memory.context.graph, memory.settings, clock.now, group)
    assert await lacking(memory, group) == {}
    assert (await memory.get(untold)).content == "Entity 3: She keeps bees in Kyoto"


async def test_a_compressed_content_follows_its_summary(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    await stock(driver, group, 1)
    entity = f"{group}-1000001"
    long = "It is about bees. " * 60
    await driver.execute_query(SAVED, id=entity, summary=long)
    await adopt(memory.context, [group])
    clock.advance(days=100)
    for _ in range(2):
        await memory.maintenance.run(groups=[group])
        clock.advance(days=1)
    packed = "MATCH (m:Memory {uuid: $id}) RETURN m.is_compressed AS packed"
    assert (await driver.execute_query(packed, id=entity)).records[0]["packed"]
    assert await lacking(memory, group) == {}
    await driver.execute_query(SAVED, id=entity, summary="The bees are gone")
    assert [*await lacking(memory, group)] == [entity]
    await memory.maintenance.run(groups=[group])
    assert (await memory.get(entity, counted=False)).content == "Entity 1: The bees are gone"
    (event,) = [e for e in await memory.lifecycle.history(entity) if e.kind == "rewritten"]
    assert event.detail == f"Entity 1: {long}"


async def test_only_some_labels_are_adopted(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await stock(driver, group, 3)
    await driver.execute_query(
        "MATCH (n:Entity {uuid: $id}) SET n:Place REMOVE n:Person", id=f"{group}-1000002"
    )
    assert (await adopt(memory.context, [group], ["Place"])).entities == 1
    assert (await adopt(memory.context, [group])).entities == 2


async def test_what_cannot_be_adopted_is_told_and_left(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await stock(driver, group, 5, width=16)
    await driver.execute_query(
        "MATCH (n:Entity {uuid: $id}) REMOVE n.created_at, n.summary", id=f"{group}-1000001"
    )
    (told,) = [s for s in await count_adoptable(memory.context, [group]) if s.group_id == group]
    assert (told.entities, told.unusable, told.other_width, told.no_summary) == (5, 1, 5, 1)
    assert (await adopt(memory.context, [group])).entities == 4


async def test_an_entity_that_was_rejected_as_a_memory_is_not_adopted(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await stock(driver, group, 3)
    await adopt(memory.context, [group])
    (gone, *_) = (await memory.list()).memories
    stored = await memory.add(f"{gone.content}!")
    await release(memory.context, [group])
    await memory.lifecycle.reject(stored.memory_id)
    adopted = await adopt(memory.context, [group])
    assert (adopted.entities, adopted.rejected) == (2, 1)


@pytest.mark.parametrize(("bad", "like"), [("a-b", "a-b=a_b"), ("", "'=main'"), ("a b", "=a_b")])
async def test_a_group_that_cannot_be_a_tenant_is_refused_with_what_to_type(
    memory: GraphMemory, bad: str, like: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=f"--rename .*{like}"):
        await adopt(memory.context, [bad])


@pytest_asyncio.fixture(params=["", "-x"])
async def foreign(
    driver: AsyncDriver, group: str, request: pytest.FixtureRequest
) -> AsyncIterator[str]:
    """A group of Graphiti whose id is empty, or has a hyphen; with episodes and all that."""
    name = request.param and group + request.param
    erase = "MATCH (n {group_id: $group}) DETACH DELETE n"
    await driver.execute_query(erase, group=name)
    await stock(driver, name)
    await driver.execute_query(MORE, group=name, id=f"{name}-1000001")
    yield name
    await driver.execute_query(erase, group=name)


async def test_a_group_gets_an_id_that_can_be_a_tenant_s_and_its_old_one_back(
    memory: GraphMemory, driver: AsyncDriver, group: str, foreign: str
) -> None:
    before = await exported(driver, foreign)
    (told,) = await count_adoptable(memory.context, [foreign])
    assert not told.adoptable
    (planned,) = await plan_renames(memory.context.graph, {foreign: group})
    assert planned == GroupRename(foreign, group, 9, 8, 2, 1, 1)
    assert await exported(driver, foreign) == before  # a survey changes nothing

    done = await adopt(memory.context, [group], renames={foreign: group})
    assert (done.entities, done.facts, done.renamed) == (9, 8, [planned])
    assert await exported(driver, foreign) == b"[]"
    records, _, _ = await driver.execute_query(
        "MATCH (n {group_id: $group})-[r]->() RETURN type(r) AS type, collect(DISTINCT r.group_id) "
        "AS groups ORDER BY type",
        group=group,
    )
    kinds = ["HAS_EPISODE", "HAS_MEMBER", "MENTIONS", "NEXT_EPISODE", "RELATES_TO"]
    assert [(r["type"], r["groups"]) for r in records] == [(kind, [group]) for kind in kinds]
    once = await exported(driver, group)
    again = await adopt(memory.context, [group], renames={foreign: group})
    assert (again.entities, again.facts) == (0, 0)
    assert await exported(driver, group) == once

    mine = await memory.add("A memory of ours")
    await memory.relations.add(mine.memory_id, f"{foreign}-1000001", "references")
    await memory.relations.remove(mine.memory_id, f"{foreign}-1000001")
    gone = await release(memory.context, [group])
    assert (gone.entities, gone.facts) == (9, 8)
    assert [(each.old, each.new) for each in gone.renamed] == [(group, foreign)]
    assert (await memory.get(mine.memory_id)).content == "A memory of ours"
    await memory.delete(mine.memory_id, permanent=True, tombstone=False)
    await memory.context.accesses.flush()
    assert await exported(driver, foreign) == before
    assert await exported(driver, group) == b"[]"
    assert (await release(memory.context, [group])).renamed == []


async def test_what_was_written_under_the_old_id_since_is_taken_along(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    old = f"{group}-x"
    await stock(driver, old, 2)
    await adopt(memory.context, [group], renames={old: group})
    await driver.execute_query(
        "CREATE (:Entity {uuid: $id, group_id: $old, name: 'New', created_at: datetime()})",
        id=f"{old}-new",
        old=old,
    )
    done = await adopt(memory.context, [group], renames={old: group})
    assert (done.entities, done.renamed[0].entities) == (1, 1)
    assert (await release(memory.context, [group])).entities == 3
    assert len(json.loads(await exported(driver, old))) == 3 + 1


async def test_a_rename_that_would_mix_groups_is_refused(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    old, other = f"{group}-x", f"{group}-y"
    await stock(driver, old, 2)
    await stock(driver, other, 2)
    before = await exported(driver, old), await exported(driver, other)
    await memory.add("Somebody is here", group_id=f"{group}_full")
    wrongs: dict[str, dict[str, str]] = {
        "is in use": {old: f"{group}_full"},
        "can be adopted as it is": {f"{group}_full": group},
        "has no entities": {f"{old}-nowhere": group},
        "two groups cannot get the same id": {old: group, other: group},
        "a tenant id has": {old: "a-b"},
    }
    for told, wrong in wrongs.items():
        with pytest.raises(InvalidArgumentError, match=told):
            await adopt(memory.context, renames=wrong)
    assert (await exported(driver, old), await exported(driver, other)) == before
    await adopt(memory.context, [group], renames={old: group})
    with pytest.raises(InvalidArgumentError, match="was renamed"):
        await adopt(memory.context, renames={other: group})


async def test_vectors_are_ours_only_where_graphiti_is_to_have_them_and_are_given_back(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await stock(driver, group, 4, width=16)
    before = await exported(driver, group)
    await adopt(memory.context, [group])
    assert (await rebuild_embeddings(memory.context, group)).rebuilt == 4  # of memories, no other
    sharing = GraphMemory.over(
        memory.context.graph,
        memory.context.embedder,
        memory.settings.model_copy(update={"graphiti_vectors": True}),
        clock=memory.clock,
    )
    missing = await rebuild_embeddings(sharing.context, group, only_missing=True)
    assert (missing.candidates, missing.rebuilt, missing.failed) == (7, 7, 0)  # 4 names, 3 facts
    assert (await rebuild_embeddings(sharing.context, group, only_missing=True)).candidates == 0
    records, _, _ = await driver.execute_query(
        "MATCH (n:Entity {group_id: $group}) OPTIONAL MATCH (n)-[r:RELATES_TO]->() "
        "RETURN n.name AS name, n.name_embedding AS of_name, n.embedding AS of_content, "
        "r.fact AS fact, r.fact_embedding AS of_fact ORDER BY name",
        group=group,
    )
    for record in records[:3]:
        texts = [record["name"], record["fact"]]
        name, fact = await memory.context.embedder.embed(texts)
        assert record["of_name"] == pytest.approx(list(name), abs=1e-5)
        assert record["of_fact"] == pytest.approx(list(fact), abs=1e-5)
    assert any(record["of_name"] != record["of_content"] for record in records)
    (best, *_) = await memory.facts.search("Entity 2 is acquainted with Entity 3")
    assert best.fact == "Entity 2 knows Entity 3"
    await memory.context.accesses.flush()
    await release(memory.context, [group])
    assert await exported(driver, group) == before
