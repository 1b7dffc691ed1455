"""Fixtures: a second Neo4j, and a placement file that places groups on it."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from neo4j import AsyncDriver, AsyncGraphDatabase

from graph_memory import GraphMemory, Settings, local_neo4j, read_settings
from graph_memory.local_neo4j import LocalNeo4j

#: A group of each server.
HOME, EAST = "placed_home", "east_placed"


@pytest.fixture(scope="package")
def own(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The settings of the second Neo4j, which these tests start and kill."""
    return read_settings(
        data_dir=tmp_path_factory.mktemp("east"),
        local_fast_start=True,
        local_heap_mebibytes=512,
        local_linger_seconds=0,
    )


@pytest.fixture(scope="package")
def east(own: Settings) -> Iterator[LocalNeo4j]:
    yield local_neo4j.acquire(own)
    local_neo4j.release(own)


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
