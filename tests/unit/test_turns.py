"""Who goes first where reads and a model wait for the same turns."""

import asyncio
import os
import time
from contextlib import AsyncExitStack

import pytest

from graph_memory.settings import read_settings
from graph_memory.turns import _OVERTAKING, Turns, came


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph_memory.turns._SECONDS", 60.0)  # however busy the machine is


class Line:
    """Those who wait for the one turn there is, and in which order they had it."""

    def __init__(self) -> None:
        self.turns = Turns(read_settings(neo4j_concurrent_reads=1))
        self.had: list[str] = []

    async def join(self, name: str) -> asyncio.Task[None]:
        async def wait() -> None:
            async with self.turns.turn(of_model=name.startswith("model")):
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
    turns = Turns(read_settings(neo4j_uri=uri, neo4j_pool_size=1000))
    async with AsyncExitStack() as held:
        for _ in range(os.cpu_count() or 1):
            await held.enter_async_context(turns.turn())
        one_more = asyncio.create_task(held.enter_async_context(turns.turn()))
        await asyncio.sleep(0)
        assert one_more.done() is not limited
        one_more.cancel()
        await asyncio.wait([one_more])


async def test_reads_go_in_order_and_a_model_waits_until_none_does() -> None:
    line = Line()
    async with line.turns.turn():
        waiting = [await line.join(name) for name in ("read 1", "model 1", "read 2", "model 2")]
        waiting.append(await line.join("read 3"))
        assert line.had == []
    await asyncio.gather(*waiting)
    assert line.had == ["read 1", "read 2", "read 3", "model 1", "model 2"]


async def test_a_model_is_not_overtaken_for_ever() -> None:
    line = Line()
    async with line.turns.turn():
        waiting = [await line.join("model")]
        waiting += [await line.join(f"read {n}") for n in range(3 * _OVERTAKING)]
    await asyncio.gather(*waiting)
    assert line.had.index("model") == _OVERTAKING
    assert len(line.had) == len(waiting)


async def test_reads_that_overtake_nobody_are_not_counted() -> None:
    line = Line()
    for names in ([f"read {n}" for n in range(3 * _OVERTAKING)], ["model", "late"]):
        async with line.turns.turn():
            waiting = [await line.join(name) for name in names]
        await asyncio.gather(*waiting)
    assert line.had[-2:] == ["late", "model"]


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
    monkeypatch.setattr("graph_memory.turns._SECONDS", 0.01)
    line = Line()
    async with line.turns.turn():
        await asyncio.gather(await line.join("read"), await line.join("model"))
    assert sorted(line.had) == ["model", "read"]
    async with asyncio.timeout(30), line.turns.turn():
        pass
