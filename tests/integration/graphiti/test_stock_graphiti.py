"""A stock Graphiti reads, searches and writes beside us; repair restores what it erases."""

from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings
from graph_memory.diagnostics.repair import repair
from graph_memory.diagnostics.verify import verify
from graph_memory.graphiti.adoption import adopt
from graph_memory.maintenance.reembedding import rebuild_embeddings
from tests.conftest import TODAY, Clock
from tests.integration.conftest import Make
from tests.integration.database.test_data_migrations import archived, two_times
from tests.support.graphiti_script import GraphitiScript
from tests.support.scripted_llm import ScriptedLlm, prompt_of, schema_of
from tests.support.stock_graphiti import stock_graphiti

pytestmark = pytest.mark.usefixtures("imported")

QUESTION = "what does Ada Lovelace drink?"


async def read(graphiti: Any, text: str, group: str) -> None:
    await graphiti.add_episode(
        name="stock",
        episode_body=text,
        source_description="",
        group_id=group,
        reference_time=datetime.now(UTC),
    )


async def plain_memories(memory: GraphMemory, clock: Clock) -> None:
    """Store memories of all forms: ended, compressed, related, deleted."""
    await two_times(memory)
    await archived(memory, clock)
    ada = await memory.add("Ada Lovelace likes tea", title="Ada Lovelace", valid_at=TODAY)
    tea = await memory.add("Tea is a drink of leaves", title="Tea")
    await memory.relations.add(
        ada.memory_id, tea.memory_id, "causes", fact="Ada Lovelace drinks tea"
    )
    gone = await memory.add("Ada Lovelace likes coffee")
    await memory.delete(gone.memory_id)


async def adopted(memory: GraphMemory, settings: Settings, script: GraphitiScript) -> None:
    """Have Graphiti make entities, and adopt them."""
    script.entities = ["Ada Lovelace", "Tea"]
    script.facts = [("Ada Lovelace", "DRINKS", "Tea", "Ada Lovelace drinks tea")]
    group = memory.settings.group_id
    async with stock_graphiti(memory, settings) as graphiti:
        await read(graphiti, "Ada Lovelace drinks tea.", group)
    assert (await adopt(memory.context, [group])).entities == 2
    await rebuild_embeddings(memory.context, group, only_missing=True)


async def problems(memory: GraphMemory) -> list[str]:
    found = await verify(memory.context.graph, memory.settings)
    return [each.problem for each in found.get(memory.settings.group_id, [])]


async def test_attachments_stay_when_graphiti_saves_what_it_read(
    make: Make, settings: Settings
) -> None:
    from graphiti_core.nodes import EntityNode

    memory = make(graphiti_vectors=True)
    stored = await memory.add("Ada likes tea", attachments=["https://example.com/tea.png"])
    async with stock_graphiti(memory, settings) as graphiti:
        node = await EntityNode.get_by_uuid(graphiti.driver, stored.memory_id)
        await node.load_name_embedding(graphiti.driver)
        node.summary = "Ada likes tea a lot"
        await node.save(graphiti.driver)
    assert (await memory.get(stored.memory_id)).attachments == stored.attachments


@pytest.mark.parametrize("whose", ["ours", "adopted"])
async def test_a_stock_graphiti_works_and_its_damage_is_mended(
    make: Make,
    script: GraphitiScript,
    llm: ScriptedLlm,
    settings: Settings,
    group: str,
    clock: Clock,
    whose: str,
) -> None:
    from graphiti_core.nodes import EntityNode
    from graphiti_core.search.search_config_recipes import NODE_HYBRID_SEARCH_RRF

    memory = make(graphiti_vectors=True)
    if whose == "ours":
        await plain_memories(memory, clock)
    else:
        await adopted(memory, settings, script)
    assert await problems(memory) == []
    llm.asked.clear()
    # A name that is nearly known: the model is shown all that there is of what it may be.
    script.entities = ["Ada King Lovelace", "Tea", "Acme"]
    script.facts = [("Ada King Lovelace", "LIKES", "Tea", "Ada King Lovelace likes tea a lot")]
    async with stock_graphiti(memory, settings) as graphiti:
        await read(graphiti, "Ada King Lovelace likes tea a lot.", group)
        asked = [prompt_of(body) for body in llm.asked if schema_of(body) == "NodeResolutions"]
        assert any("Ada Lovelace" in prompt and "importance" in prompt for prompt in asked)

        facts = await graphiti.search(QUESTION, group_ids=[group])
        assert "Ada Lovelace drinks tea" in [fact.fact for fact in facts]
        recipe = deepcopy(NODE_HYBRID_SEARCH_RRF)
        hits = await graphiti.search_("Ada Lovelace", config=recipe, group_ids=[group])
        assert "Ada Lovelace" in [node.name for node in hits.nodes]
        nodes = await EntityNode.get_by_group_ids(graphiti.driver, [group])
        assert {"Ada Lovelace", "Ada King Lovelace", "Tea", "Acme"} <= {n.name for n in nodes}
        for node in nodes:
            assert node.model_dump_json()

        # It saves what it read: nothing is lost. It saves a copy of its own: all of ours is.
        (ada,) = (node for node in nodes if node.name == "Ada Lovelace")
        await ada.load_name_embedding(graphiti.driver)
        await ada.save(graphiti.driver)
        # An entity that was adopted without a summary has its first one.
        first = ["a memory lacks the summary that Graphiti has saved since"]
        assert await problems(memory) == (first if whose == "adopted" else [])
        kept = {key: getattr(ada, key) for key in ("uuid", "name", "group_id", "created_at")}
        bare = EntityNode(**kept, summary=ada.summary, name_embedding=ada.name_embedding)
        await bare.save(graphiti.driver)
    assert "a memory is in an unknown state" in await problems(memory)

    mended = await repair(memory.context.graph, memory.settings, clock(), group)
    assert {"lifecycle_state", "content"} <= {m.what for m in mended if m.group_id == group}
    await rebuild_embeddings(memory.context, group, only_missing=True)
    assert await problems(memory) == []
    again = await memory.get(ada.uuid)
    assert "Ada Lovelace" in again.content
    assert (again.lifecycle_state, again.importance) == ("ACTIVE", 6.0)
    assert (await adopt(memory.context, [group])).entities == 2  # what it has found since
    await rebuild_embeddings(memory.context, group, only_missing=True)
    assert await problems(memory) == []


async def test_a_fact_that_graphiti_finds_again_gets_its_strength_back(
    make: Make, script: GraphitiScript, settings: Settings, group: str, clock: Clock
) -> None:
    memory = make()
    await adopted(memory, settings, script)
    script.facts = [("Ada Lovelace", "DRINKS", "Tea", "Ada Lovelace has tea every day")]
    script.duplicates = [0]
    async with stock_graphiti(memory, settings) as graphiti:
        await read(graphiti, "Ada Lovelace has tea every day.", group)
    assert "a relation has no strength" in await problems(memory)
    mended = await repair(memory.context.graph, memory.settings, clock(), group)
    assert [(m.what, m.count) for m in mended if m.group_id == group] == [("relation", 1)]
    assert await problems(memory) == []


SAID = "Ada Lovelace and Charles Babbage met in 1833."


async def a_whole_graph(graphiti: Any, memory: GraphMemory, group: str) -> dict[str, str]:
    """Write one of each thing that Graphiti knows, by its own models; return ids by names."""
    from graphiti_core.edges import (
        CommunityEdge,
        EntityEdge,
        EpisodicEdge,
        HasEpisodeEdge,
        NextEpisodeEdge,
    )
    from graphiti_core.nodes import (
        CommunityNode,
        EntityNode,
        EpisodeType,
        EpisodicNode,
        SagaNode,
    )

    driver, now = graphiti.driver, datetime.now(UTC)
    said = {"source": EpisodeType.text, "source_description": "", "valid_at": now}
    one = EpisodicNode(name="one", group_id=group, content=SAID, **said)
    two = EpisodicNode(name="two", group_id=group, content="They wrote letters.", **said)
    ada = EntityNode(name="Ada Lovelace", group_id=group, labels=["Person"], summary="Wrote notes")
    charles = EntityNode(name="Charles Babbage", group_id=group, labels=["Person"], summary="")
    circle = CommunityNode(name="The circle", group_id=group, summary="Who met in London")
    saga = SagaNode(name="career", group_id=group, created_at=now)
    for node in (ada, charles, circle):
        await node.generate_name_embedding(graphiti.embedder)
    for node in (one, two, ada, charles, circle, saga):
        await node.save(driver)
    met = EntityEdge(
        source_node_uuid=ada.uuid,
        target_node_uuid=charles.uuid,
        name="MET",
        group_id=group,
        fact="Ada Lovelace met Charles Babbage",
        episodes=[one.uuid],
        created_at=now,
    )
    await met.generate_embedding(graphiti.embedder)
    ends = {"group_id": group, "created_at": now}
    for edge in (
        met,
        EpisodicEdge(source_node_uuid=one.uuid, target_node_uuid=ada.uuid, **ends),
        EpisodicEdge(source_node_uuid=one.uuid, target_node_uuid=charles.uuid, **ends),
        CommunityEdge(source_node_uuid=circle.uuid, target_node_uuid=ada.uuid, **ends),
        CommunityEdge(source_node_uuid=circle.uuid, target_node_uuid=charles.uuid, **ends),
        HasEpisodeEdge(source_node_uuid=saga.uuid, target_node_uuid=one.uuid, **ends),
        HasEpisodeEdge(source_node_uuid=saga.uuid, target_node_uuid=two.uuid, **ends),
        NextEpisodeEdge(source_node_uuid=one.uuid, target_node_uuid=two.uuid, **ends),
    ):
        await edge.save(driver)
    return {node.name: node.uuid for node in (ada, charles, circle, saga, one, two)}


async def beside_entities(driver: AsyncDriver, group: str) -> list[Any]:
    """Return all that Graphiti has in a group besides entities and facts."""
    records, _, _ = await driver.execute_query(
        "MATCH (n:Episodic|Community|Saga {group_id: $group}) OPTIONAL MATCH (n)-[r]->(to) "
        "WITH n, r, to ORDER BY r.uuid RETURN labels(n) AS labels, n {.*} AS n, "
        "collect([type(r), r {.*}, to.uuid]) AS edges ORDER BY n.uuid",
        group=group,
    )
    return [record.data() for record in records]


async def test_episodes_communities_and_sagas_are_read_and_not_broken(
    make: Make,
    script: GraphitiScript,
    llm: ScriptedLlm,
    settings: Settings,
    driver: AsyncDriver,
    group: str,
    clock: Clock,
) -> None:
    from graphiti_core.nodes import CommunityNode, EpisodicNode, SagaNode
    from graphiti_core.search.search_config_recipes import COMMUNITY_HYBRID_SEARCH_RRF

    memory = make()
    async with stock_graphiti(memory, settings) as graphiti:
        ids = await a_whole_graph(graphiti, memory, group)
    before = await beside_entities(driver, group)

    assert (await adopt(memory.context, [group])).entities == 2
    await rebuild_embeddings(memory.context, group, only_missing=True)
    clock.now = datetime.now(UTC)
    await memory.maintenance.run(groups=[group], full=True)
    await repair(memory.context.graph, memory.settings, clock(), group)
    assert await problems(memory) == []
    assert await beside_entities(driver, group) == before
    (ada, *_) = await memory.facts.search_entities("who wrote notes?")
    assert (ada.entity_id, "Person" in ada.labels) == (ids["Ada Lovelace"], True)
    walked = await memory.relations.traverse(ids["Ada Lovelace"])
    assert [node.memory_id for node in walked.nodes] == [ids["Charles Babbage"]]

    # The previous episode is read with the new one; saga and community continue.
    llm.asked.clear()
    script.entities = ["Ada Lovelace"]
    script.facts = []
    told = await memory.episodes.add(
        "She translated a paper.", wait=True, saga="career", update_communities=True
    )
    assert told.status == "done", told.error
    assert any(SAID in prompt_of(body) for body in llm.asked)

    await memory.delete(ids["Charles Babbage"])
    assert await memory.delete(ids["Charles Babbage"], permanent=True)
    await memory.maintenance.run(groups=[group], full=True)
    assert await problems(memory) == []
    async with stock_graphiti(memory, settings) as graphiti:
        (saga,) = await SagaNode.get_by_group_ids(graphiti.driver, [group])
        episodes = await EpisodicNode.get_by_group_ids(graphiti.driver, [group])
        (circle,) = await CommunityNode.get_by_group_ids(graphiti.driver, [group])
        recipe = deepcopy(COMMUNITY_HYBRID_SEARCH_RRF)
        found = await graphiti.search_("who belongs together", config=recipe, group_ids=[group])
    assert (saga.uuid, len(episodes)) == (ids["career"], 3)
    assert (circle.uuid, circle.name) == (ids["The circle"], "Who belongs together")
    assert [community.uuid for community in found.communities] == [circle.uuid]
    edges = [
        (kind, to)
        for thing in await beside_entities(driver, group)
        for kind, _, to in thing["edges"]
    ]
    assert sorted(kind for kind, _ in edges if kind) == [
        "HAS_EPISODE",
        "HAS_EPISODE",
        "HAS_EPISODE",
        "HAS_MEMBER",
        "MENTIONS",
        "MENTIONS",
        "NEXT_EPISODE",
        "NEXT_EPISODE",
    ]
    assert ("HAS_MEMBER", ids["Ada Lovelace"]) in edges
