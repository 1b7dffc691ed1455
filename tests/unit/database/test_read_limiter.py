"""Who goes first where reads take turns."""

import asyncio
import os
import time
from contextlib import AsyncExitStack

import pytest

from graph_memory.database.read_limiter import ReadLimiter, came
from graph_memory.settings.base import read_settings


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "graph_memory.database.read_limiter._SECONDS", 60.0
    )  # however busy the machine is


class Line:
    """Those who wait for the one turn there is, and in which order they had it."""

    def __init__(self) -> None:
        self.turns = ReadLimiter(read_settings(neo4j_concurrent_reads=1))
        self.had: list[str] = []

    async def join(self, name: str) -> asyncio.Task[None]:
        async def wait() -> None:
            async with self.turns.turn():
                self.had.append(name)

        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)  # until it stands in line
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
    turns = ReadLimiter(read_settings(neo4j_uri=uri, neo4j_pool_size=1000))
    async with AsyncExitStack() as held:
        for _ in range(os.cpu_count() or 1):
            await held.enter_async_context(turns.turn())
        one_more = asyncio.create_task(held.enter_async_context(turns.turn()))
        await asyncio.sleep(0)
        assert one_more.done() is not limited
        one_more.cancel()
        await asyncio.wait([one_more])


async def test_reads_go_in_order() -> None:
    line = Line()
    async with line.turns.turn():
        waiting = [await line.join(f"read {number}") for number in range(3)]
        assert line.had == []
    await asyncio.gather(*waiting)
    assert line.had == ["read 0", "read 1", "read 2"]


async def test_whose_call_came_first_goes_first_unless_it_takes_long() -> None:
    line = Line()
    began = {"second": 5.0, "first": 9.0, "third": 1.0, "second again": 5.0, "long ago": 100.0}

    async def call(name: str, seconds_ago: float) -> asyncio.Task[None]:
        came.set(time.monotonic() - seconds_ago)
        return await line.join(name)

    async with line.turns.turn():
        calls = [asyncio.create_task(call(name, ago)) for name, ago in began.items()]
        waiting = await asyncio.gather(*calls)
    await asyncio.gather(*waiting)
    assert line.had == ["first", "second", "second again", "third", "long ago"]


@pytest.mark.parametrize("given", [False, True])
async def test_a_turn_is_not_lost_with_one_who_gives_up(given: bool) -> None:
    line = Line()
    async with line.turns.turn():
        gone, next_one = await line.join("read 1"), await line.join("read 2")
        if not given:
            gone.cancel()
    gone.cancel()  # at the latest when the turn is already its own
    await asyncio.wait_for(next_one, 30)
    assert gone.cancelled()
    assert line.had == ["read 2"]
    async with asyncio.timeout(30), line.turns.turn():
        pass


async def test_who_has_waited_long_goes_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph_memory.database.read_limiter._SECONDS", 0.01)
    line = Line()
    async with line.turns.turn():
        await asyncio.gather(await line.join("one"), await line.join("another"))
    assert sorted(line.had) == ["another", "one"]
    async with asyncio.timeout(30), line.turns.turn():
        pass
