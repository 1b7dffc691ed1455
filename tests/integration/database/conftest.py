"""Fixture: the shared database for tests that migrate it down."""

from collections.abc import AsyncIterator

import pytest_asyncio

from graph_memory import Settings
from graph_memory.database import embedding_record, schema
from graph_memory.database.graph import Graph


@pytest_asyncio.fixture
async def restored(graph: Graph, settings: Settings) -> AsyncIterator[Graph]:
    """The shared database, with its schema and its record of vectors back in place afterwards.

    A migration down deletes the passages of all memories, and records that they are missing.
    """
    yield graph
    await schema.migrate_up(graph, settings)
    await embedding_record.record_embedding(graph, settings)
