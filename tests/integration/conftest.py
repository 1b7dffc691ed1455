"""Fixtures for episodes: the real graphiti-core, and a language model that follows a script."""

import warnings
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.database.graph import Graph
from tests.support.graphiti_script import GraphitiScript
from tests.support.scripted_llm import ScriptedLlm, scripted_llm

Make = Callable[..., GraphMemory]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def imported(graph: Graph, driver: AsyncDriver) -> AsyncIterator[None]:
    """Import Graphiti without its warnings, and take its indexes away in the end."""
    from graph_memory.graphiti.worker import _import_client, _prepare_import

    _prepare_import(384)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _import_client()
    names = "SHOW INDEXES YIELD name RETURN collect(name) AS names"
    before = set((await driver.execute_query(names)).records[0]["names"])
    yield
    for name in set((await driver.execute_query(names)).records[0]["names"]) - before:
        await driver.execute_query(f"DROP INDEX {name} IF EXISTS")  # type: ignore[arg-type]


@pytest.fixture
def llm() -> Iterator[ScriptedLlm]:
    with scripted_llm() as running:
        yield running


@pytest_asyncio.fixture
async def script(llm: ScriptedLlm) -> GraphitiScript:
    return GraphitiScript(
        entities=["Bob", "Acme"],
        facts=[("Bob", "WORKS_AT", "Acme", "Bob works at Acme")],
        valid_at="2020-01-01T00:00:00Z",
    ).attach(llm)


@pytest_asyncio.fixture
async def make(memory: GraphMemory, llm: ScriptedLlm) -> AsyncIterator[Make]:
    """Open the same database with the scripted model, and with other settings if wanted."""
    opened: list[GraphMemory] = []

    def other(**changed: Any) -> GraphMemory:
        quick = {"llm_url": llm.url, "episode_retry_seconds": 0.0, "llm_breaker_failures": 100}
        settings = memory.settings.model_copy(update={**quick, **changed})
        opened.append(
            GraphMemory.over(
                memory.context.graph, memory.context.embedder, settings, clock=memory.clock
            )
        )
        return opened[-1]

    yield other
    for each in opened:
        await each.close()
