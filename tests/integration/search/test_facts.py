"""Search of facts and entities by meaning, by words and by the time at which they hold."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.errors import InvalidArgumentError
from graph_memory.graphiti.adoption import adopt
from graph_memory.maintenance.reembedding import rebuild_embeddings
from tests.support.mcp_client import call, inside

FACTS = (
    ("Bob", "WORKS_AT", "Acme", "Bob works at Acme", "2020-01-01", "2024-01-01"),
    ("Bob", "WORKS_AT", "Globex", "Bob is employed by Globex", "2024-01-01", None),
    ("Bob", "LIKES", "Tea", "Bob drinks green tea every morning", "2021-05-01", None),
)


async def filled(memory: GraphMemory, driver: AsyncDriver, group: str) -> None:
    """Store entities and facts as Graphiti does, and adopt them."""
    names = sorted({end for fact in FACTS for end in (fact[0], fact[2])})
    await driver.execute_query(
        "UNWIND $names AS name CREATE (n:Entity {uuid: $group + name, name: name, summary: '', "
        "group_id: $group, created_at: datetime('2024-01-01T00:00:00Z')}) "
        "FOREACH (_ IN CASE name WHEN 'Bob' THEN [1] ELSE [] END | SET n:Person)",
        names=names,
        group=group,
    )
    vectors = await memory.context.embedder.embed([fact[3] for fact in FACTS])
    rows = [
        {
            "a": group + a,
            "b": group + b,
            "name": name,
            "fact": fact,
            "from": since,
            "to": until,
            "vector": np.asarray(vector).tolist(),
            "uuid": f"{group}{number}",
        }
        for number, ((a, name, b, fact, since, until), vector) in enumerate(
            zip(FACTS, vectors, strict=True)
        )
    ]
    await driver.execute_query(
        "UNWIND $rows AS row MATCH (a:Entity {uuid: row.a}), (b:Entity {uuid: row.b}) "
        "CREATE (a)-[r:RELATES_TO {uuid: row.uuid, name: row.name, fact: row.fact, "
        "group_id: $group, episodes: ['e'], created_at: datetime('2024-01-01T00:00:00Z'), "
        "valid_at: datetime(row.from), invalid_at: datetime(row.to)}]->(b) WITH r, row "
        "CALL db.create.setRelationshipVectorProperty(r, 'fact_embedding', row.vector)",
        rows=rows,
        group=group,
    )
    await adopt(memory.context, [group])
    await rebuild_embeddings(memory.context, group, only_missing=True)
    await driver.execute_query("CALL db.awaitIndexes(60)")
    await driver.execute_query("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")


async def test_facts_are_found_by_meaning_by_words_and_by_time(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await filled(memory, driver, group)
    (best, *_) = await memory.facts.search("Which hot drink does he have at breakfast?")
    assert best.fact == "Bob drinks green tea every morning"
    assert (best.source_name, best.name, best.target_name) == ("Bob", "LIKES", "Tea")
    assert best.valid_at == datetime(2021, 5, 1, tzinfo=UTC)
    (best, *_) = await memory.facts.search("Globex")
    assert best.target_name == "Globex"
    assert 0 < best.score <= 1

    async def targets(**filters: Any) -> set[str]:
        return {fact.target_name for fact in await memory.facts.search("employer", **filters)}

    assert await targets() == {"Acme", "Globex", "Tea"}
    assert await targets(as_of="2022-01-01") == {"Acme", "Tea"}
    assert await targets(as_of="2025-01-01") == {"Globex", "Tea"}
    assert await targets(valid_after="2023-01-01") == {"Globex"}
    assert await targets(valid_before="2020-12-31") == {"Acme"}
    assert await targets(invalid_after="2023-01-01") == {"Acme"}
    assert await targets(invalid_before="2023-01-01") == set()
    assert await targets(names=["WORKS_AT"]) == {"Acme", "Globex"}
    assert await targets(entity_id=f"{group}Tea") == {"Tea"}
    assert await targets(group_id=f"{group}_b") == set()


async def test_relations_of_memories_are_facts_too(memory: GraphMemory) -> None:
    one, two = await memory.add("Kyoto is old"), await memory.add("Ada likes tea")
    await memory.relations.add(
        one.memory_id, two.memory_id, "causes", fact="A year in Kyoto made tea dear"
    )
    (found,) = await memory.facts.search("Kyoto")
    assert (found.name, found.source_id) == ("causes", one.memory_id)
    await memory.context.accesses.flush()
    assert (await memory.get(two.memory_id, counted=False)).access_count == 1
    await memory.delete(two.memory_id)
    assert await memory.facts.search("Kyoto") == []


async def test_entities_are_found_by_name_and_kind(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await filled(memory, driver, group)
    (best, *_) = await memory.facts.search_entities("Globex")
    assert best.name == "Globex"
    people = await memory.facts.search_entities("somebody", entity_types=["Person"])
    assert [(node.name, set(node.labels)) for node in people] == [
        ("Bob", {"Entity", "Memory", "Person"})
    ]
    assert await memory.facts.search_entities("Globex", group_id=f"{group}_b") == []


async def test_a_rare_kind_of_entity_is_found_among_many_that_answer_better(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await filled(memory, driver, group)
    await memory.add_many([{"content": f"Green tea is good, reason {n}"} for n in range(120)])
    people = await memory.facts.search_entities("why is green tea good?", entity_types=["Person"])
    assert [node.name for node in people] == ["Bob"]


async def test_the_tools_answer_and_know_the_names_of_graphitis_server(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await filled(memory, driver, group)
    async with inside(memory, toolsets=("graphiti",)) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {
            "search_facts",
            "search_nodes",
        }  # without a language model no episode is read
        facts = await call(client, "search_facts", query="tea", max_facts=1, edge_types=["LIKES"])
        assert [fact["name"] for fact in facts["facts"]] == ["LIKES"]
        nodes = await call(client, "search_nodes", query="Acme", max_nodes=1)
        assert [node["name"] for node in nodes["nodes"]] == ["Acme"]
    async with inside(memory, llm_url="http://127.0.0.1:9/v1") as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"add_episode", "episode_status", "search_facts", "search_nodes"} < names
        job = await call(client, "add_episode", content="Bob likes tea")
        assert job["status"] == "queued"
        told = await call(client, "episode_status", job_id=job["job_id"])
        assert told["status"] == "queued"
    await driver.execute_query("MATCH (j:EpisodeJob {group_id: $g}) DELETE j", g=group)


@pytest.mark.parametrize(
    "ask",
    [
        lambda m: m.facts.search(" "),
        lambda m: m.facts.search("tea", limit=0),
        lambda m: m.facts.search("tea", as_of="soon"),
        lambda m: m.facts.search("tea", colour="green"),
        lambda m: m.facts.search_entities("tea", limit=51),
        lambda m: m.facts.search_entities("tea", entity_types=[""]),
    ],
)
async def test_bad_questions_are_refused(memory: GraphMemory, ask: Callable[[Any], Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        await ask(memory)


async def test_questions_are_no_lucene(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await filled(memory, driver, group)
    for query in ("?!", "fact:* OR group_key:[0 TO 9]", '"', "tea) OR (name:*", "AND OR NOT"):
        assert isinstance(await memory.facts.search(query), list)
        assert isinstance(await memory.facts.search_entities(query), list)
