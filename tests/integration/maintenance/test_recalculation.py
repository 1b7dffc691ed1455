"""A full recalculation writes what differs, locks what it reads, and goes on where it stopped."""

import asyncio

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.domain.timestamps import instant
from graph_memory.maintenance import recalculation
from graph_memory.maintenance.report import MaintenanceReport
from tests.conftest import Clock, RunFragment, some_transaction_waits
from tests.integration.maintenance.test_run import (
    fill,
    look,
    resumed,  # noqa: F401 - a fixture
    run,
)


async def cut_full_run(memory: GraphMemory, limit: int) -> MaintenanceReport:
    """Begin a full run over ranges of `limit` ids, and cut it after the first with own memories."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recalculation, "_TOGETHER", limit)
        cut = await run(memory, full=True, max_seconds=0.001)
        while cut.truncated and not cut.processed:  # ids of other groups may come before
            cut = await run(memory, full=True, max_seconds=0.001)
    assert cut.truncated
    return cut


@pytest.fixture(params=[0, 2], ids=["written at once", "read first"])
def both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat all ranges in one of the two ways, whatever share of their memories has work."""
    monkeypatch.setattr(recalculation, "_FEW", request.param)


@pytest.mark.usefixtures("both_ways")
async def test_only_what_differs_is_written(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    ids = await fill(memory, 5, importance=2)
    clock.advance(days=10)
    await run(memory, full=True)
    before = {each["uuid"]: each for each in await look(driver, group)}
    await driver.execute_query(
        "MATCH (a:Memory {uuid: $score}), (b:Memory {uuid: $due}), (c:Memory {uuid: $state}) "
        "SET a.decay_score = 0.5, b.next_due_at = null, c.lifecycle_state = 'EXPIRED'",
        score=ids[0],
        due=ids[1],
        state=ids[2],
    )
    clock.advance(seconds=1)

    report = await run(memory, full=True)
    assert (report.processed, report.transitioned) == (5, {"EXPIRED>SOFT_DELETED": 1})
    after = {each["uuid"]: each for each in await look(driver, group)}
    for repaired in ids[:2]:
        expected = before[repaired] | {"last_decay_update": instant(clock.now)}
        assert after[repaired] == expected
    assert all(after[unchanged] == before[unchanged] for unchanged in ids[3:])


@pytest.mark.usefixtures("both_ways")
async def test_a_memory_with_a_damaged_date_is_reported_and_left_out(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    damaged, *others = await fill(memory, 5, importance=2)
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) SET m.last_accessed_at = 'yesterday'", id=damaged
    )
    clock.advance(days=1)
    report = await run(memory, full=True)
    assert (report.completed, report.processed, report.errors) == (True, 4, 1)
    assert [failure.memory_id for failure in report.failed] == [damaged]
    treated = {each["uuid"]: each["last_decay_update"] for each in await look(driver, group)}
    assert {treated[each] for each in others} == {instant(clock.now)}


async def test_a_run_that_was_stopped_goes_on_after_its_last_range(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    ids = await fill(memory, 12, importance=2)
    await driver.execute_query(
        "UNWIND range(0, 11) AS i MATCH (m:Memory {uuid: $ids[i]}) "
        "SET m.uuid = '00000000-0000-4000-8000-' + right($group, 10) + right('0' + i, 2)",
        ids=ids,
        group=group,
    )
    clock.advance(days=1)
    stopped = await cut_full_run(memory, limit=4)
    assert stopped.processed < len(ids)

    report = await run(memory)
    assert report.resumed == [stopped.run_id]
    records, _, _ = await driver.execute_query(
        "MATCH (run:MaintenanceRun {run_id: $id}) RETURN run.processed, run.status",
        id=stopped.run_id,
    )
    assert records[0].values() == [len(ids), "done"]


@pytest.mark.usefixtures("both_ways")
async def test_ranges_side_by_side_count_each_memory_once(
    memory: GraphMemory,
    driver: AsyncDriver,
    group: str,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recalculation, "_TOGETHER", 300)
    damaged, *others = await fill(memory, 20, importance=2)
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) SET m.last_accessed_at = 'yesterday'", id=damaged
    )
    clock.advance(days=1)
    report = await run(memory, full=True, concurrency=3, batch_size=2)
    assert (report.completed, report.processed, report.errors) == (True, len(others), 1)
    treated = {each["uuid"]: each["last_decay_update"] for each in await look(driver, group)}
    assert {treated[each] for each in others} == {instant(clock.now)}


async def test_a_locked_memory_makes_writers_wait_and_has_no_more_properties(
    memory: GraphMemory, driver: AsyncDriver, fragment: RunFragment
) -> None:
    memory_id = (await memory.add("held for a moment")).memory_id
    async with driver.session() as session, await session.begin_transaction() as holding:
        await holding.run("MATCH (m:Memory {uuid: $id}) REMOVE m.edge_key", id=memory_id)
        writing = asyncio.ensure_future(
            fragment("fragments/memory/lock", "MATCH (m:Memory {uuid: $id})", id=memory_id)
        )
        await some_transaction_waits(driver)
        assert not writing.done()
        await holding.commit()
    assert (await writing)["m"]["content"] == "held for a moment"


async def test_a_memory_that_is_erased_before_its_lock_has_no_properties(
    memory: GraphMemory, driver: AsyncDriver, fragment: RunFragment
) -> None:
    memory_id = (await memory.add("erased in a moment")).memory_id
    async with driver.session() as session, await session.begin_transaction() as erasing:
        await erasing.run("MATCH (m:Memory {uuid: $id}) DETACH DELETE m", id=memory_id)
        locking = asyncio.create_task(
            driver.execute_query(
                "MATCH (m:Memory {uuid: $id}) REMOVE m.edge_key WITH * "
                "RETURN m.content AS content, m.uuid AS id",
                id=memory_id,
            )
        )
        await some_transaction_waits(driver)
        await erasing.commit()
    records, _, _ = await locking
    assert [record.values() for record in records] in ([], [[None, None]])
