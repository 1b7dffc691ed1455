"""While the configured database does not answer, groups on other servers are served whole."""

import asyncio
import gc
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from graph_memory import GraphMemory, Settings
from graph_memory.auth.grants import Scope
from graph_memory.database import moves
from graph_memory.database.graph import Graph
from graph_memory.database.moves import VIEW_SECONDS, Moves
from graph_memory.errors import GraphUnavailableError, GroupMovingError
from tests.integration.placement.conftest import EAST, HOME
from tests.support.fault_proxy import Fault, FaultProxy, fault_proxy
from tests.support.mcp_client import bearing, call, refused, serving

pytestmark = [pytest.mark.timeout(600), pytest.mark.usefixtures("no_tokens")]


@pytest_asyncio.fixture
async def proxy(placed: Settings) -> AsyncIterator[FaultProxy]:
    """A proxy in front of the configured database."""
    async with fault_proxy(placed.neo4j_uri or "") as opened:
        yield opened


@pytest_asyncio.fixture
async def other_replica(quick: Settings) -> AsyncIterator[GraphMemory]:
    """A replica that reaches all servers."""
    async with GraphMemory.open(quick) as opened:
        yield opened


@pytest_asyncio.fixture
async def replica(quick: Settings, proxy: FaultProxy) -> AsyncIterator[GraphMemory]:
    """A replica that reaches the configured database through the proxy."""
    changed = {"neo4j_uri": f"bolt://127.0.0.1:{proxy.port}"}
    async with GraphMemory.open(quick.model_copy(update=changed)) as opened:
        yield opened
        proxy.heal()


async def lose(proxy: FaultProxy) -> None:
    """Lose the configured database, and wait until the view of its moves is old."""
    proxy.arm(Fault.REFUSE)
    proxy.cut()
    await asyncio.sleep(VIEW_SECONDS + 1)


async def test_groups_of_other_servers_are_read_and_written(
    service: GraphMemory, replica: GraphMemory, proxy: FaultProxy
):
    first = await replica.add("Ada drinks tea", group_id=EAST)
    await lose(proxy)
    second = await replica.add("Ada grows tea", group_id=EAST)
    await replica.relations.add(first.memory_id, second.memory_id, "supports", group_id=EAST)
    await replica.update(first.memory_id, importance=7, group_id=EAST)
    retrieved = await replica.retrieve("what does Ada drink?", group_id=EAST)
    assert "Ada drinks tea" in {each.memory.content for each in retrieved.memories}
    await replica.delete(second.memory_id, group_id=EAST)
    for group_id, verb in ((HOME, replica.add), (HOME, replica.search)):
        with pytest.raises(GraphUnavailableError):
            await verb("Ada sleeps", group_id=group_id)
    proxy.heal()
    assert (await replica.add("Ada sleeps", group_id=HOME)).memory_id
    assert (await service.get(first.memory_id, group_id=EAST)).importance == 7


async def test_a_replica_without_home_writes_nothing_to_a_group_that_leaves(
    other_replica: GraphMemory, replica: GraphMemory, proxy: FaultProxy
):
    leaving = f"{EAST}_leaving"
    stored = await other_replica.add("Ada drinks tea", group_id=leaving)
    await lose(proxy)
    await replica.add("Ada grows tea", group_id=leaving)
    moving = asyncio.create_task(other_replica.groups.move("home", group_id=leaving))
    acknowledged = 1
    while not moving.done():
        try:
            await replica.add(f"note {acknowledged}", group_id=leaving)
            acknowledged += 1
        except GroupMovingError:
            break
        await asyncio.sleep(0.2)
    moved = await moving
    assert moved.memories == 1 + acknowledged
    with pytest.raises(GroupMovingError):
        await replica.add("too late", group_id=leaving)
    await other_replica.groups.finish_move(group_id=leaving)
    with pytest.raises(GroupMovingError):
        await replica.add("too late", group_id=leaving)
    assert (await replica.add("Bob drinks beer", group_id=EAST)).memory_id
    proxy.heal()
    await asyncio.sleep(VIEW_SECONDS)
    assert (await replica.get(stored.memory_id, group_id=leaving)).memory_id == stored.memory_id
    assert (await replica.add("in time", group_id=leaving)).memory_id
    await other_replica.groups.move("east", group_id=leaving)
    await other_replica.groups.finish_move(group_id=leaving)
    await lose(proxy)
    assert (await replica.add("at home in the east", group_id=leaving)).memory_id


async def test_a_view_that_closes_while_home_is_lost_leaves_no_socket_open(
    quick: Settings, proxy: FaultProxy, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(moves, "_PAUSE_SECONDS", 0.0)
    changed = {"neo4j_uri": f"bolt://127.0.0.1:{proxy.port}"}
    async with Graph.open(quick.model_copy(update=changed)) as graph:
        for number in range(50):
            async with Moves(graph).watching():
                proxy.arm(Fault.REFUSE)
                proxy.cut()
                await asyncio.sleep(0.001 * number)
            proxy.heal()
    gc.collect()  # a socket that was left open is a warning, and a warning is an error


async def test_a_token_that_was_checked_before_is_accepted(
    service: GraphMemory, replica: GraphMemory, proxy: FaultProxy
):
    secrets = [
        (await service.tokens.create(name, scope=Scope.WRITE, groups=(EAST, HOME)))[1]
        for name in ("seen", "new")
    ]
    async with (
        serving(replica, require_tokens=True) as url,
        bearing(url, secrets[0]) as seen,
    ):
        await call(seen, "list_memories", group_id=EAST)
        await lose(proxy)  # takes longer than `token_cache_seconds`
        added = await call(seen, "add_memory", content="Ada drinks water", group_id=EAST)
        assert added["memory_id"]
        async with bearing(url, secrets[1]) as new:
            for client, group_id in ((seen, HOME), (new, EAST)):
                _, data = await refused(client, "list_memories", group_id=group_id)
                assert data["code"] == "unavailable"
