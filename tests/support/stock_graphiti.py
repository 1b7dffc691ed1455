"""Graphiti as others run it: its own driver, without our writes and searches."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from graph_memory import GraphMemory, Settings


@asynccontextmanager
async def stock_graphiti(memory: GraphMemory, settings: Settings) -> AsyncGenerator[Any]:
    """Open it on the database of `settings`, with the models of `memory`."""
    from graphiti_core import Graphiti
    from graphiti_core.driver.neo4j_driver import Neo4jDriver

    from graph_memory.graphiti.client import GraphitiEmbedder, GraphitiLlm, NoReranker

    assert memory.context.chat is not None
    driver = Neo4jDriver(
        settings.neo4j_uri or "",
        settings.neo4j_user,
        settings.neo4j_password.get_secret_value(),
    )
    opened = Graphiti(
        graph_driver=driver,
        llm_client=GraphitiLlm(memory.context.chat),
        embedder=GraphitiEmbedder(memory.context.embedder),
        cross_encoder=NoReranker(),
    )
    await driver._init_task  # type: ignore[attr-defined]
    await driver.execute_query("CALL db.awaitIndexes(60)")
    try:
        yield opened
    finally:
        await opened.close()
