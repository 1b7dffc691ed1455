"""The integration suite on the oldest Neo4j that the service accepts, and on the newest."""

import asyncio

import pytest
from neo4j import AsyncGraphDatabase

from graph_memory.database.schema import OLDEST_NEO4J
from graph_memory.local_neo4j import NEO4J_VERSION
from tests.support.given_neo4j import LOCKS, run_tests, running


def numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def test_the_oldest_version_that_is_accepted_has_a_lock():
    assert min(map(numbers, LOCKS))[:2] == OLDEST_NEO4J
    assert max(map(numbers, LOCKS)) == numbers(NEO4J_VERSION)


@pytest.mark.stress
@pytest.mark.timeout(3 * 3600)
@pytest.mark.parametrize("version", sorted(LOCKS, key=numbers))
async def test_the_integration_suite_passes(version: str, tmp_path):
    with running(version, tmp_path) as given:
        auth = ("neo4j", given["GRAPH_MEMORY_TEST_NEO4J_PASSWORD"])
        async with AsyncGraphDatabase.driver(given["GRAPH_MEMORY_TEST_NEO4J_URI"], auth=auth) as db:
            found = await db.execute_query("CALL dbms.components() YIELD versions RETURN versions")
        assert found.records[0]["versions"] == [version]
    chosen = ("tests/integration", "-m", "not bench and not stress")
    assert await asyncio.to_thread(run_tests, version, *chosen) == 0
