"""Fixtures: a second Neo4j, and a placement file that places groups on it."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from neo4j import AsyncDriver, AsyncGraphDatabase

from graph_memory import GraphMemory, Settings
from graph_memory.database.graph import Graph
from graph_memory.local_neo4j import LocalNeo4j
from tests.support.whole_database import empty

#: A group of each server.
HOME, EAST = "placed_home", "east_placed"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def east(second_neo4j: LocalNeo4j, own_settings: Settings) -> LocalNeo4j:
    """The second Neo4j, empty, which these tests kill as well."""
    async with Graph.open(own_settings) as graph:
        await empty(graph, own_settings)
    return second_neo4j


@pytest.fixture(scope="module")
def placed(
    settings: Settings, east: LocalNeo4j, tmp_path_factory: pytest.TempPathFactory
) -> Settings:
    """The settings of a service over both; groups that begin with east_ are on the second."""
    folder = tmp_path_factory.mktemp("placed")
    (folder / "placement.toml").write_text(
        f"""
[servers.east]
neo4j_uri = "{east.uri}"
neo4j_password = "{east.password}"

[[rules]]
server = "east"
groups = ["east_*"]
""",
        encoding="utf-8",
    )
    changed = {
        "placement_file": folder / "placement.toml",
        "backup_path": folder / "backups",
        "query_timeout_seconds": 300.0,  # a cold Neo4j on a busy machine plans slowly
    }
    return settings.model_copy(update={**changed, "group_id": HOME})


@pytest.fixture
def quick(placed: Settings) -> Settings:
    """Settings with which a move waits less for connections."""
    return placed.model_copy(update={"connect_timeout_seconds": 2.0})


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def service(placed: Settings) -> AsyncIterator[GraphMemory]:
    async with GraphMemory.open(placed) as opened:
        yield opened
        for group in (HOME, EAST):
            await opened.delete_all(
                confirm="DELETE ALL", permanent=True, backed_up=False, group_id=group
            )


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def there(east: LocalNeo4j) -> AsyncIterator[AsyncDriver]:
    """A driver of our own to the second server."""
    async with AsyncGraphDatabase.driver(east.uri, auth=("neo4j", east.password)) as opened:
        yield opened
