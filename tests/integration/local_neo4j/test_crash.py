"""What was acknowledged survives a kill -9 of the database, and the service comes back."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any, LiteralString

import pytest
from neo4j import AsyncDriver, AsyncGraphDatabase

from graph_memory import GraphMemory, local_neo4j, read_settings
from graph_memory.errors import GraphMemoryError, GraphUnavailableError
from tests.conftest import TODAY

CHANGED: LiteralString = "MATCH (c:MaintenanceChange {group_id: $group}) RETURN count(c)"

#: State, score and the way there of each memory of a group.
TOLD: LiteralString = """
MATCH (m:Memory {group_id: $group})
WITH m ORDER BY m.content
RETURN collect([m.content, m.lifecycle_state, m.decay_score, m.next_due_at,
  [entry IN m.state_history | split(entry, '"run_id"')[0]]])
"""


async def write_until_lost(memory: GraphMemory, writer: int, acknowledged: list[str]) -> None:
    for turn in range(1000):
        batch = [{"content": f"writer {writer}, turn {turn}, item {n}"} for n in range(5)]
        try:
            outcomes = await memory.add_many(batch)
        except GraphMemoryError:
            return
        acknowledged += [outcome.memory_id for outcome in outcomes if outcome.memory_id]


async def test_a_killed_database_loses_nothing_acknowledged_and_comes_back(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    data_dir: Path = tmp_path_factory.mktemp("crash")
    settings = read_settings(
        data_dir=data_dir, local_fast_start=True, local_heap_mebibytes=512, group_id="crash"
    )
    async with GraphMemory.open(settings) as memory:
        instance = local_neo4j.running(settings)
        assert instance is not None
        acknowledged: list[str] = []
        writers = [
            asyncio.create_task(write_until_lost(memory, writer, acknowledged))
            for writer in range(4)
        ]
        await first_hundred(acknowledged, writers)
        os.kill(instance.pid, signal.SIGKILL)
        await asyncio.gather(*writers)

        started = time.monotonic()
        with pytest.raises(GraphUnavailableError):
            await read_forever(memory, acknowledged[0])
        assert time.monotonic() - started < 5

        await wait_until_back(memory, acknowledged[0])
        revived = local_neo4j.running(settings)
        assert revived is not None
        assert (revived.uri, revived.pid != instance.pid) == (instance.uri, True)
        for memory_id in acknowledged:
            assert (await memory.get(memory_id, counted=False)).memory_id == memory_id
        assert (await memory.add("after the crash")).memory_id
    assert local_neo4j.running(settings) is None


async def first_hundred(acknowledged: list[str], writers: list[asyncio.Task[None]]) -> None:
    while len(acknowledged) < 100:
        assert not any(writer.done() for writer in writers), "a writer ended before the kill"
        await asyncio.sleep(0.05)


async def read_forever(memory: GraphMemory, memory_id: str) -> None:
    while True:
        await memory.get(memory_id)


async def wait_until_back(memory: GraphMemory, memory_id: str, group: str | None = None) -> None:
    async with asyncio.timeout(150):
        while True:
            try:
                await memory.get(memory_id, counted=False, group_id=group)
                return
            except GraphUnavailableError:
                await asyncio.sleep(0.5)


async def test_a_run_cut_off_by_a_killed_database_is_finished_by_the_next(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    async with away_from_others(tmp_path_factory) as (memory, driver):
        await survive(memory, driver, 25)


@pytest.mark.stress
@pytest.mark.timeout(3600)
async def test_runs_of_a_database_killed_at_twenty_points_end_as_undisturbed_ones(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    async with away_from_others(tmp_path_factory) as (memory, driver):
        for after in range(1, 60, 3):
            await survive(memory, driver, after)


@asynccontextmanager
async def away_from_others(
    factory: pytest.TempPathFactory,
) -> AsyncIterator[tuple[GraphMemory, AsyncDriver]]:
    """Open a service with a database of its own, which may be killed, and look into it."""
    settings = read_settings(
        data_dir=factory.mktemp("crash"), local_fast_start=True, local_heap_mebibytes=512
    )
    async with GraphMemory.open(settings) as memory:
        instance = local_neo4j.running(settings)
        assert instance is not None
        auth = ("neo4j", instance.password)
        async with AsyncGraphDatabase.driver(instance.uri, auth=auth) as driver:
            yield memory, driver


async def survive(memory: GraphMemory, driver: AsyncDriver, after: int) -> None:
    """Kill the database when a run has changed so many memories; the next run finishes it.

    It then stands as beside it a group whose runs nobody disturbed.
    """
    cut, whole = f"cut_{after}", f"whole_{after}"
    memory.context.clock = lambda: TODAY
    notes = [{"content": f"note {i:03}", "importance": 2} for i in range(120)]
    (first, *_), _ = [await memory.add_many(notes, group_id=group) for group in (cut, whole)]
    memory.context.clock = lambda: TODAY + timedelta(days=365)
    run = asyncio.create_task(memory.maintenance.run(groups=[cut], batch_size=1))
    while await ask(driver, CHANGED, cut) < after:
        pass
    instance = local_neo4j.running(memory.settings)
    assert instance is not None
    os.kill(instance.pid, signal.SIGKILL)
    with pytest.raises(GraphUnavailableError):
        await run
    await wait_until_back(memory, str(first.memory_id), cut)
    report = await memory.maintenance.run(groups=[cut])
    assert (report.completed, len(report.resumed)) == (True, 1)
    for _ in range(2):
        await memory.maintenance.run(groups=[whole])
    assert await ask(driver, TOLD, cut) == await ask(driver, TOLD, whole)


async def ask(driver: AsyncDriver, question: LiteralString, group: str) -> Any:
    records, _, _ = await driver.execute_query(question, group=group)
    return records[0][0]
