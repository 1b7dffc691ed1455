"""Neo4j runs out of memory: that of its transactions, and that of the JVM, which then ends."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import LiteralString

import pytest
from neo4j import AsyncDriver, AsyncGraphDatabase
from neo4j.exceptions import DriverError, TransientError

from graph_memory import GraphMemory, local_neo4j, read_settings
from graph_memory.diagnostics.verify import verify
from graph_memory.errors import GraphMemoryError, GraphOverloadedError, GraphUnavailableError
from graph_memory.local_neo4j import LocalNeo4j
from tests.integration.faults.test_disk import until_back

HEAP_MEBIBYTES = 256

#: All transactions together may use 70 % of the heap, and each takes 2 MiB of that at once.
MOST_TRANSACTIONS = HEAP_MEBIBYTES // 2

#: A text that is larger than the heap; Neo4j does not count it as memory of a transaction.
TOO_LONG: LiteralString = "RETURN size(reduce(t = 'x', _ IN range(1, 29) | t + t)) AS size"

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
async def memory(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[GraphMemory]:
    """A service with a database of its own, which has little memory."""
    settings = read_settings(
        data_dir=tmp_path_factory.mktemp("heap"),
        local_fast_start=True,
        local_heap_mebibytes=HEAP_MEBIBYTES,
        local_linger_seconds=0,
        retry_seconds=0.5,
        backup_auto=False,
    )
    async with GraphMemory.open(settings) as opened:
        yield opened


def instance_of(memory: GraphMemory) -> LocalNeo4j:
    instance = local_neo4j.running(memory.settings)
    assert instance is not None
    return instance


@pytest.fixture
async def client(memory: GraphMemory) -> AsyncIterator[AsyncDriver]:
    """A driver of another client of the same database."""
    instance = instance_of(memory)
    auth = ("neo4j", instance.password)
    async with AsyncGraphDatabase.driver(
        instance.uri, auth=auth, max_connection_pool_size=2 * MOST_TRANSACTIONS
    ) as opened:
        yield opened


@asynccontextmanager
async def no_memory_left(client: AsyncDriver) -> AsyncIterator[None]:
    """Keep transactions open until Neo4j has no memory for another one."""
    async with AsyncExitStack() as stack:
        for _ in range(MOST_TRANSACTIONS):
            session = await stack.enter_async_context(client.session())
            transaction = await session.begin_transaction()
            try:
                await (await transaction.run("RETURN 1")).consume()
            except TransientError:
                break
        yield


async def stored(memory: GraphMemory, name: str) -> list[str]:
    notes = [{"content": f"{name}, number {n}"} for n in range(20)]
    return [str(each.memory_id) for each in await memory.add_many(notes)]


async def check(memory: GraphMemory, client: AsyncDriver, acknowledged: list[str]) -> None:
    """Check that all acknowledged memories are there, once each, and that the graph is sound."""
    found, _, _ = await client.execute_query("MATCH (m:Memory) RETURN m.uuid AS id, m.content AS c")
    assert set(acknowledged) <= {each["id"] for each in found}
    assert len({each["c"] for each in found}) == len(found)
    assert await verify(memory.context.graph, memory.settings) == {}


async def test_without_memory_for_a_transaction_a_call_is_refused_and_can_be_repeated(
    memory: GraphMemory, client: AsyncDriver
) -> None:
    acknowledged, before = await stored(memory, "before"), instance_of(memory)
    async with no_memory_left(client):
        with pytest.raises(GraphOverloadedError, match="a larger heap"):
            await memory.add("refused at first")
        with pytest.raises(GraphOverloadedError, match="a larger heap"):
            await memory.get(acknowledged[0], counted=False)
    added = await memory.add("refused at first")
    assert instance_of(memory) == before
    await check(memory, client, [*acknowledged, str(added.memory_id)])


async def test_a_jvm_without_memory_ends_and_is_started_again(
    memory: GraphMemory, client: AsyncDriver
) -> None:
    acknowledged, before = await stored(memory, "before the end"), instance_of(memory)
    errors: list[GraphMemoryError] = []
    writing = asyncio.create_task(write_until_lost(memory, acknowledged, errors))
    async with client.session() as session:
        with pytest.raises(DriverError):
            await (await session.run(TOO_LONG)).consume()
    await writing
    assert [type(each) for each in errors] == [GraphUnavailableError]
    await until_back(memory, acknowledged[0])
    assert instance_of(memory).pid != before.pid
    await check(memory, client, acknowledged + await stored(memory, "after the end"))


async def write_until_lost(
    memory: GraphMemory, acknowledged: list[str], errors: list[GraphMemoryError]
) -> None:
    for turn in range(1000):
        try:
            acknowledged.append((await memory.add(f"written in turn {turn}")).memory_id)
        except GraphMemoryError as error:
            errors.append(error)
            return
