"""Clocks that jump: nothing fails, nothing is lost, and what was written later counts as later."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.database.lease import Lease
from graph_memory.diagnostics.verify import verify
from graph_memory.domain.timestamps import instant
from graph_memory.errors import RunLockedError
from graph_memory.memories.history import texts_of
from tests.conftest import Clock
from tests.integration.maintenance.test_run import run

JUMPS = [timedelta(hours=5), timedelta(hours=-5), timedelta(days=400), timedelta(days=-400)]


@pytest.mark.parametrize("jump", JUMPS, ids=str)
async def test_a_jump_between_writes_loses_nothing(
    memory: GraphMemory, clock: Clock, group: str, jump: timedelta
) -> None:
    tide = (await memory.add("The tide turns at noon")).memory_id
    boat = (await memory.add("A green boat lies at anchor")).memory_id
    clock.now += jump
    await memory.update(tide, content="The tide turns at one")
    await memory.touch(boat)
    await memory.relations.add(boat, tide, "references")
    session = await memory.retrieve("When does the tide turn?", session_id="s")
    assert session.memories
    clock.now -= jump
    await memory.update(tide, content="The tide turns at two")
    await memory.touch(tide)
    stored = await texts_of(memory.context.graph, tide, group_id=group)
    texts = [each.text for each in stored]
    assert texts == ["The tide turns at noon", "The tide turns at one", "The tide turns at two"]
    assert (await memory.search("When does the tide turn?"))[0].memory.content == texts[-1]
    given = await memory.retrieve("When does the tide turn?", session_id="s")
    assert given.memories[0].memory.content == texts[-1]
    for memory_id in (tide, boat):
        assert 0 <= (await memory.get(memory_id)).decay_score <= 1
    assert [each.memory_id for each in (await memory.relations.traverse(boat)).nodes] == [tide]
    assert await verify(memory.context.graph, memory.settings, group) == {}


@pytest.mark.parametrize("jump", [timedelta(hours=5), timedelta(hours=-5)], ids=str)
async def test_a_run_during_a_jump_moves_what_is_due_and_is_undone(
    memory: GraphMemory, clock: Clock, group: str, jump: timedelta
) -> None:
    ids = [(await memory.add(f"note {n}", importance=2)).memory_id for n in range(3)]
    clock.advance(days=40)
    clock.now += jump
    moved = await run(memory)
    clock.now -= jump
    assert (moved.processed, moved.errors) == (3, 0)
    assert (await run(memory)).processed == 0
    undone = await memory.maintenance.undo(moved.run_id)
    assert (undone.restored, undone.refused) == (3, 0)
    assert {(await memory.get(each)).lifecycle_state.value for each in ids} == {"ACTIVE"}
    assert await verify(memory.context.graph, memory.settings, group) == {}


async def test_hours_are_counted_across_the_end_of_summer_time(
    memory: GraphMemory, clock: Clock
) -> None:
    berlin = ZoneInfo("Europe/Berlin")
    clock.now = datetime(2026, 10, 25, 1, 30, tzinfo=berlin)
    before = (await memory.add("before the change")).memory_id
    clock.now = datetime(2026, 10, 25, 2, 30, tzinfo=berlin, fold=1)  # two hours later
    after = (await memory.add("after the change")).memory_id
    first, second = [(await memory.get(each)).created_at for each in (before, after)]
    assert second - first == timedelta(hours=2)
    between = datetime(2026, 10, 25, 2, 15, tzinfo=berlin)  # summer time, the first quarter past
    found = await memory.list(date_to=between)
    assert [each.memory_id for each in found.memories] == [before]


@pytest_asyncio.fixture
async def leased(driver: AsyncDriver) -> AsyncIterator[None]:
    yield
    await driver.execute_query(
        "MATCH (c:Control {key: 'maintenance'}) SET c.owner = null, c.expires_at = null"
    )


@pytest.mark.parametrize(
    ("left", "free"),
    [(timedelta(minutes=30), False), (timedelta(hours=5), True), (timedelta(seconds=-1), True)],
    ids=str,
)
async def test_a_lease_of_a_clock_that_was_ahead_is_taken_over(
    memory: GraphMemory, driver: AsyncDriver, leased: None, left: timedelta, free: bool
) -> None:
    await driver.execute_query(
        "MERGE (c:Control {key: 'maintenance'}) SET c.owner = $owner, c.expires_at = $until",
        owner="elsewhere/1/2/3/4",
        until=instant(datetime.now(UTC) + left),
    )
    lease = Lease(memory.context.graph, memory.settings)
    if free:
        async with lease:
            pass
    else:
        with pytest.raises(RunLockedError):
            await lease.__aenter__()
