"""What was acknowledged survives a kill -9 of the database, and the service comes back."""

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from graph_memory import GraphMemory, local_neo4j, read_settings
from graph_memory.errors import GraphMemoryError, GraphUnavailableError


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
        await first_hundred(acknowledged)
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


async def first_hundred(acknowledged: list[str]) -> None:
    while len(acknowledged) < 100:  # noqa: ASYNC110 - the writers know of no event
        await asyncio.sleep(0.05)


async def read_forever(memory: GraphMemory, memory_id: str) -> None:
    while True:
        await memory.get(memory_id)


async def wait_until_back(memory: GraphMemory, memory_id: str) -> None:
    async with asyncio.timeout(150):
        while True:
            try:
                await memory.get(memory_id)
                return
            except GraphUnavailableError:
                await asyncio.sleep(0.5)
