"""A call whose lease another one has taken erases and writes nothing any more."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.backup import group_copy, restore
from graph_memory.database.graph import Graph
from graph_memory.database.lease import Lease
from graph_memory.domain.timestamps import instant
from graph_memory.errors import LeaseLostError
from graph_memory.maintenance import records
from graph_memory.maintenance.records import Run
from graph_memory.maintenance.undo import undo_held
from tests.conftest import Clock
from tests.integration.graphiti.test_adoption import exported
from tests.integration.learning.test_clusters import stored
from tests.integration.maintenance.test_run import run


@asynccontextmanager
async def lost_lease(memory: GraphMemory, driver: AsyncDriver) -> AsyncIterator[Lease]:
    """Take a lease, and let another call take it over."""
    async with Lease(memory.context.graph, memory.settings) as lease:
        await take_over(driver)
        try:
            yield lease
        finally:
            await set_free(driver)


async def take_over(driver: AsyncDriver) -> None:
    """Take the lease as another call does."""
    await driver.execute_query(
        "MATCH (c:Control {key: 'maintenance'}) SET c.owner = $owner, c.expires_at = $until",
        owner="elsewhere/1/2/3/4",
        until=instant(datetime.now(UTC) + timedelta(minutes=1)),
    )


async def set_free(driver: AsyncDriver) -> None:
    await driver.execute_query(
        "MATCH (c:Control {key: 'maintenance'}) SET c.owner = null, c.expires_at = null"
    )


async def write_node(lease: Lease, group: str) -> None:
    node = {"id": 1, "labels": ["Session"], "properties": {"group_id": group}}
    await restore.write(lease.graph, [node], {}, lease)


async def write_edge(lease: Lease, group: str) -> None:
    edge = {"id": 2, "from": 1, "to": 1, "type": "NEXT", "properties": {"group_id": group}}
    await restore.write(lease.graph, [edge], {1: "none"}, lease)


@pytest.mark.parametrize(
    "act",
    [group_copy.erase, group_copy.set_aside, write_node, write_edge],
    ids=lambda a: a.__name__,
)
async def test_without_its_lease_a_call_changes_nothing(
    memory: GraphMemory,
    driver: AsyncDriver,
    group: str,
    act: Callable[[Lease, str], Awaitable[None]],
) -> None:
    await memory.add("stays as it is")
    before = await exported(driver, group)
    async with lost_lease(memory, driver) as lost:
        with pytest.raises(LeaseLostError, match="another run took over"):
            await act(lost, group)
    assert await exported(driver, group) == before


async def test_without_its_lease_an_undo_restores_nothing_and_can_be_repeated(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    for content in ("fades first", "fades second"):
        await memory.add(content, importance=2)
    clock.advance(days=365)
    run = await memory.maintenance.run(groups=[group])
    before = await exported(driver, group)
    async with lost_lease(memory, driver) as lost:
        with pytest.raises(LeaseLostError, match="another run took over"):
            await undo_held(lost, memory.settings, run.run_id, now=clock.now)
    assert await exported(driver, group) == before
    assert (await memory.maintenance.undo(run.run_id)).restored == 2


async def accept(memory: GraphMemory) -> Any:
    return await memory.proposals.accept(min_score=0.0)


async def reject(memory: GraphMemory) -> Any:
    return await memory.proposals.reject(min_score=0.0)


async def tag(memory: GraphMemory) -> Any:
    cluster, *_ = (await memory.clusters.list()).clusters
    return await memory.clusters.tag(cluster.cluster_id, "music")


async def revoke(memory: GraphMemory) -> Any:
    return await memory.maintenance.revoke_source(since="2020-01-01")


@pytest.mark.parametrize("decide", [accept, reject, tag, revoke], ids=lambda a: a.__name__)
async def test_a_decision_that_loses_its_lease_changes_nothing_and_can_be_repeated(
    memory: GraphMemory,
    driver: AsyncDriver,
    group: str,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    decide: Callable[[GraphMemory], Awaitable[Any]],
) -> None:
    await stored(memory, clock)
    await run(memory, stages=["proposals", "clusters"])
    before = await exported(driver, group)
    begin = records.begin

    async def begin_and_lose(graph: Graph, record: Run) -> None:
        await begin(graph, record)
        await take_over(driver)

    with monkeypatch.context() as held_up:
        held_up.setattr(records, "begin", begin_and_lose)
        with pytest.raises(LeaseLostError, match="another run took over"):
            await decide(memory)
    assert await exported(driver, group) == before
    await set_free(driver)
    assert (await decide(memory)).run_id
    assert await exported(driver, group) != before
