"""The order in which waiting reads get a slot."""

import asyncio
import os
import time
from contextlib import AsyncExitStack

import pytest

from graph_memory.database.read_limiter import Call, ReadLimiter, current_call
from graph_memory.settings.base import read_settings


@pytest.fixture(autouse=True)
def long_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "graph_memory.database.read_limiter._MAX_WAIT_SECONDS", 60.0
    )  # a busy machine is slow


class Queue:
    """Reads that wait for the only slot, and the order in which they got it."""

    def __init__(self) -> None:
        self.limiter = ReadLimiter(read_settings(neo4j_concurrent_reads=1))
        self.served: list[str] = []

    async def join(self, name: str) -> asyncio.Task[None]:
        async def wait() -> None:
            async with self.limiter.slot():
                self.served.append(name)

        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)  # until it waits
        return waiting


@pytest.mark.parametrize(
    ("uri", "limited"),
    [
        (None, True),
        ("bolt://127.0.0.1:7687", True),
        ("neo4j://localhost", True),
        ("bolt://[::1]:7687", True),
        ("bolt://neo4j:7687", False),
        ("neo4j+s://graph.example.com", False),
    ],
)
async def test_only_a_neo4j_on_this_machine_has_as_many_reads_as_processors(
    uri: str | None, limited: bool
) -> None:
    limiter = ReadLimiter(read_settings(neo4j_uri=uri, neo4j_pool_size=1000))
    async with AsyncExitStack() as held:
        for _ in range(os.cpu_count() or 1):
            await held.enter_async_context(limiter.slot())
        one_more = asyncio.create_task(held.enter_async_context(limiter.slot()))
        await asyncio.sleep(0)
        assert one_more.done() is not limited
        one_more.cancel()
        await asyncio.wait([one_more])


async def test_reads_go_in_order() -> None:
    queue = Queue()
    async with queue.limiter.slot():
        waiting = [await queue.join(f"read {number}") for number in range(3)]
        assert queue.served == []
    await asyncio.gather(*waiting)
    assert queue.served == ["read 0", "read 1", "read 2"]


async def test_the_call_with_the_lowest_tag_is_first_unless_it_is_long() -> None:
    queue = Queue()
    calls = {"second": (5.0, 0), "first": (2.0, 0), "third": (8.0, 0), "long": (1.0, 100)}

    async def call(name: str, tag: float, seconds_ago: float) -> asyncio.Task[None]:
        current_call.set(Call(tag, time.monotonic() - seconds_ago))
        return await queue.join(name)

    current_call.set(Call(6.0, time.monotonic()))
    async with queue.limiter.slot():
        begun = [asyncio.create_task(call(name, *of)) for name, of in calls.items()]
        waiting = await asyncio.gather(*begun)
    await asyncio.gather(*waiting)
    assert queue.served == ["first", "second", "long", "third"]


async def test_a_read_without_a_call_counts_as_new() -> None:
    queue = Queue()
    current_call.set(Call(6.0, time.monotonic()))
    async with queue.limiter.slot():
        current_call.set(Call(7.0, time.monotonic()))
        of_call = await queue.join("of a later call")
        current_call.set(None)
        alone = await queue.join("without a call")
    await asyncio.gather(of_call, alone)
    assert queue.served == ["without a call", "of a later call"]


@pytest.mark.parametrize("given", [False, True])
async def test_a_cancelled_read_does_not_lose_its_slot(given: bool) -> None:
    queue = Queue()
    async with queue.limiter.slot():
        gone, next_one = await queue.join("read 1"), await queue.join("read 2")
        if not given:
            gone.cancel()
    gone.cancel()  # at the latest when it already has the slot
    await asyncio.wait_for(next_one, 30)
    assert gone.cancelled()
    assert queue.served == ["read 2"]
    async with asyncio.timeout(30), queue.limiter.slot():
        pass


async def test_a_read_that_waits_too_long_proceeds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph_memory.database.read_limiter._MAX_WAIT_SECONDS", 0.01)
    queue = Queue()
    async with queue.limiter.slot():
        await asyncio.gather(await queue.join("one"), await queue.join("another"))
    assert sorted(queue.served) == ["another", "one"]
    async with asyncio.timeout(30), queue.limiter.slot():
        pass
