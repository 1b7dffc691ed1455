"""Graphiti itself, without a language model, reads and searches what this service wrote."""

import os
import warnings
from collections.abc import AsyncIterator
from copy import deepcopy
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings
from graph_memory.inference.embedder import Embedder
from tests.conftest import TODAY

USED = {
    "Graphiti": "graphiti_core",
    "CrossEncoderClient": "graphiti_core.cross_encoder.client",
    "Neo4jDriver": "graphiti_core.driver.neo4j_driver",
    "EntityEdge": "graphiti_core.edges",
    "EmbedderClient": "graphiti_core.embedder.client",
    "LLMClient": "graphiti_core.llm_client.client",
    "LLMConfig": "graphiti_core.llm_client.config",
    "EntityNode": "graphiti_core.nodes",
    "EDGE_HYBRID_SEARCH_RRF": "graphiti_core.search.search_config_recipes",
    "NODE_HYBRID_SEARCH_RRF": "graphiti_core.search.search_config_recipes",
}


@pytest.fixture(scope="module")
def graphiti_core() -> SimpleNamespace:
    """Graphiti's modules; it reads these variables when it is imported."""
    os.environ |= {"GRAPHITI_TELEMETRY_ENABLED": "false", "EMBEDDING_DIM": "384"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: getattr(import_module(module), name) for name, module in USED.items()}
    return SimpleNamespace(**found)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def graphiti(
    graphiti_core: SimpleNamespace, settings: Settings, embedder: Embedder
) -> AsyncIterator[Any]:
    """Graphiti on the shared database, with our model and no language model."""

    class Local(graphiti_core.EmbedderClient):
        async def create(self, input_data: Any) -> list[float]:
            text = input_data if isinstance(input_data, str) else input_data[0]
            return (await embedder.embed_query(text)).tolist()

    class Silent(graphiti_core.LLMClient):
        async def _generate_response(self, *_: Any, **__: Any) -> dict[str, Any]:
            raise AssertionError("no language model is needed")

    class NoReranker(graphiti_core.CrossEncoderClient):
        async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
            raise AssertionError("no reranker is needed")

    driver = graphiti_core.Neo4jDriver(
        settings.neo4j_uri, settings.neo4j_user, settings.neo4j_password.get_secret_value()
    )
    opened = graphiti_core.Graphiti(
        graph_driver=driver,
        llm_client=Silent(graphiti_core.LLMConfig()),
        embedder=Local(),
        cross_encoder=NoReranker(),
    )
    before = await _indexes(driver)
    await driver._init_task  # it builds them on its own as well
    await opened.build_indices_and_constraints()
    await driver.execute_query("CALL db.awaitIndexes(60)")
    yield opened
    for name in await _indexes(driver) - before:
        await driver.execute_query(f"DROP INDEX {name} IF EXISTS")
    await opened.close()


async def _indexes(driver: Any) -> set[str]:
    records, _, _ = await driver.execute_query("SHOW INDEXES YIELD name")
    return {record["name"] for record in records}


async def found(graphiti: Any, recipe: Any, query: str, group: str) -> Any:
    return await graphiti.search_(query, config=deepcopy(recipe), group_ids=[group])


async def test_graphiti_reads_what_was_written(
    memory: GraphMemory, graphiti: Any, graphiti_core: SimpleNamespace, group: str
) -> None:
    tea = await memory.add("Ada prefers green tea", tags=["ada"], importance=7)
    trip = await memory.add("Ada spent a year in Kyoto")
    await memory.relations.add(
        tea.memory_id,
        trip.memory_id,
        "caused_by",
        strength=0.8,
        valid_at=TODAY,
        fact="Ada's taste for tea comes from Kyoto",
    )
    node = await graphiti_core.EntityNode.get_by_uuid(graphiti.driver, tea.memory_id)
    assert (node.name, node.group_id, node.created_at) == ("Ada prefers green tea", group, TODAY)
    assert "Memory" in node.labels
    assert node.attributes["importance"] == 7
    (edge,) = await graphiti_core.EntityEdge.get_by_group_ids(graphiti.driver, [group])
    same = await graphiti_core.EntityEdge.get_by_uuid(graphiti.driver, edge.uuid)
    assert (same.source_node_uuid, same.target_node_uuid) == (tea.memory_id, trip.memory_id)
    assert (same.name, same.fact, same.valid_at) == (
        "caused_by",
        "Ada's taste for tea comes from Kyoto",
        TODAY,
    )
    assert same.attributes["strength"] == 0.8
    await memory.relations.remove(tea.memory_id, trip.memory_id)
    ended = await graphiti_core.EntityEdge.get_by_uuid(graphiti.driver, edge.uuid)
    assert (ended.invalid_at, ended.expired_at) == (TODAY, TODAY)


async def test_graphiti_searches_by_words_and_with_vectors_by_meaning(
    memory: GraphMemory, graphiti: Any, graphiti_core: SimpleNamespace, group: str
) -> None:
    tea = await memory.add("Ada prefers green tea")
    trip = await memory.add("Her stay in Kyoto lasted a year")
    await memory.relations.add(
        tea.memory_id, trip.memory_id, "caused_by", fact="Kyoto made her like tea"
    )
    by_node, by_edge = graphiti_core.NODE_HYBRID_SEARCH_RRF, graphiti_core.EDGE_HYBRID_SEARCH_RRF
    nodes = (await found(graphiti, by_node, "green tea", group)).nodes
    assert [node.uuid for node in nodes] == [tea.memory_id]
    edges = (await found(graphiti, by_edge, "Kyoto", group)).edges
    assert [edge.fact for edge in edges] == ["Kyoto made her like tea"]

    question = "which hot drink does she like?"
    assert not (await found(graphiti, by_node, question, group)).nodes
    with_vectors = GraphMemory.over(
        memory.context.graph,
        memory.context.embedder,
        memory.settings.model_copy(update={"graphiti_vectors": True}),
        clock=memory.clock,
    )
    await with_vectors.update(tea.memory_id, content="Ada prefers a cup of jasmine tea")
    nodes = (await found(graphiti, by_node, question, group)).nodes
    assert [node.uuid for node in nodes] == [tea.memory_id]


async def test_graphiti_is_shown_no_fact_of_what_was_deleted(
    memory: GraphMemory, graphiti_core: SimpleNamespace, driver: AsyncDriver, group: str
) -> None:
    from graphiti_core.search.search_filters import SearchFilters

    from graph_memory.graphiti.search import IndexedSearch

    tea, trip = await memory.add("Ada prefers green tea"), await memory.add("Ada lived in Kyoto")
    await memory.relations.add(
        tea.memory_id, trip.memory_id, "caused_by", fact="Kyoto made her like tea"
    )
    vector = (await memory.context.embedder.embed_query("Kyoto and tea")).tolist()
    await driver.execute_query(
        "MATCH ()-[r:RELATES_TO {group_id: $group}]->() "
        "CALL db.create.setRelationshipVectorProperty(r, 'fact_embedding', $vector) "
        "RETURN count(*)",
        group=group,
        vector=vector,
    )
    search, anything = IndexedSearch(graph=memory.context.graph), SearchFilters()
    ends = SearchFilters(
        edge_source_node_uuids=[tea.memory_id], edge_target_node_uuids=[trip.memory_id]
    )

    async def shown() -> list[int]:
        found = [
            await search.edge_fulltext_search(None, "Kyoto", anything, [group]),
            await search.edge_fulltext_search(None, "Kyoto", ends, [group]),
            await search.edge_similarity_search(None, vector, None, None, anything, [group]),
        ]
        return [len(edges) for edges in found]

    assert await shown() == [1, 1, 1]
    await memory.delete(trip.memory_id)
    assert await shown() == [0, 0, 0]
    await memory.lifecycle.recover(trip.memory_id)
    await memory.delete(tea.memory_id)
    assert await shown() == [0, 0, 0]
