"""A call whose lease another one has taken erases and writes nothing any more."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.backup import group_copy, restore
from graph_memory.database.lease import Lease
from graph_memory.domain.timestamps import instant
from graph_memory.errors import LeaseLostError
from graph_memory.maintenance.undo import undo_held
from tests.conftest import Clock
from tests.integration.graphiti.test_adoption import exported


@asynccontextmanager
async def lost_lease(memory: GraphMemory, driver: AsyncDriver) -> AsyncIterator[Lease]:
    """Take a lease, and let another call take it over."""
    async with Lease(memory.context.graph, memory.settings) as lease:
        await driver.execute_query(
            "MATCH (c:Control {key: 'maintenance'}) SET c.owner = $owner, c.expires_at = $until",
            owner="elsewhere/1/2/3/4",
            until=instant(datetime.now(UTC) + timedelta(minutes=1)),
        )
        try:
            yield lease
        finally:
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
