"""Tool calls take turns that the tenants share."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.errors import TooManyCallsError
from graph_memory.server import turns
from graph_memory.server.turns import Turns
from graph_memory.settings.base import read_settings

PROCESSORS = os.cpu_count() or 1


class Calls:
    """Calls of tenants at a server with one place, and the order in which they ran."""

    def __init__(self) -> None:
        self.turns = Turns(1)
        self.served: list[str] = []
        self.waiting: list[asyncio.Task[None]] = []

    async def call(self, *tenants: str) -> None:
        """Begin a call of each tenant."""
        for tenant in tenants:
            self.waiting.append(asyncio.create_task(self._run(tenant)))
            await asyncio.sleep(0)  # until it waits

    async def _run(self, tenant: str) -> None:
        async with self.turns.turn(tenant):
            self.served.append(tenant)

    @asynccontextmanager
    async def held(self, tenant: str = "a") -> AsyncIterator[None]:
        """Hold the place, and let all calls run afterwards."""
        async with self.turns.turn(tenant):
            yield
        await asyncio.gather(*self.waiting)


@pytest.mark.parametrize(
    ("given", "alone", "beside"),
    [
        ({}, 16, max(1, PROCESSORS // 2)),
        ({"neo4j_uri": "bolt://localhost:7687"}, 16, max(1, PROCESSORS // 2)),
        ({"neo4j_uri": "bolt://graph.example.com"}, 16, 15),
        ({"embedding_url": "https://e.example.com/v1", "embedding_model": "e"}, 16, 15),
        ({"concurrent_calls": 1}, 1, 0),
    ],
)
async def test_a_tenant_has_a_share_of_the_processors_while_another_calls(
    given: dict[str, Any], alone: int, beside: int
) -> None:
    for quiet, most in ((False, alone), (True, beside)):
        some, running = Turns.of(read_settings(**given)), 0

        async def call(some: Turns = some) -> None:
            nonlocal running
            async with some.turn("busy"):
                running += 1
                await asyncio.sleep(60)

        async with AsyncExitStack() as stack:
            if quiet:
                await stack.enter_async_context(some.turn("quiet"))
            calls = [asyncio.create_task(call()) for _ in range(40)]
            await asyncio.sleep(0.01)
            assert running == most
        for each in calls:
            each.cancel()
        await asyncio.wait(calls)


async def test_a_tenant_runs_more_calls_when_no_other_calls(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turns, "_RECENT_SECONDS", 0.05)
    some = Turns(4, shared=2)
    async with AsyncExitStack() as stack:
        async with some.turn("quiet"), some.turn("busy"):
            waiting = [
                asyncio.create_task(stack.enter_async_context(some.turn("busy"))) for _ in range(4)
            ]
            await asyncio.sleep(0.1)
            assert not any(each.done() for each in waiting)
        async with asyncio.timeout(30):
            await asyncio.gather(*waiting)


async def test_calls_of_one_tenant_run_in_their_order() -> None:
    turns, order = Turns(2), list[int]()

    async def run(number: int) -> None:
        async with turns.turn("a"):
            order.append(number)
            await asyncio.sleep(0)

    await asyncio.gather(*(run(number) for number in range(20)))
    assert order == list(range(20))


async def test_a_tenant_with_one_call_is_next() -> None:
    calls = Calls()
    async with calls.held():
        await calls.call(*"a" * 100, "b")
    assert calls.served.index("b") <= 1


async def test_busy_tenants_alternate() -> None:
    calls = Calls()
    async with calls.held():
        await calls.call(*"a" * 50, *"b" * 50)
    assert all(abs(calls.served[:n].count("a") - n / 2) <= 2 for n in range(101))


async def test_a_tenant_that_was_alone_pays_nothing_later() -> None:
    calls = Calls()
    for _ in range(500):
        async with calls.turns.turn("a"):
            pass
    async with calls.held("c"):
        await calls.call(*"b" * 20, *"a" * 20)
    assert all(abs(calls.served[:n].count("a") - n / 2) <= 2 for n in range(41))


async def test_a_call_that_waits_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "_MAX_WAIT_SECONDS", 0.05)
    calls = Calls()
    async with calls.held():
        with pytest.raises(TooManyCallsError, match="Nothing was done") as refused:
            async with calls.turns.turn("b"):
                pass
        assert refused.value.code == "overloaded"
        await calls.call("c")
    assert calls.served == ["c"]


async def test_a_call_that_takes_long_leaves_its_place_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turns, "_MAX_TURN_SECONDS", 0.05)
    some = Turns(1)
    async with some.turn("a"), asyncio.timeout(30), some.turn("b"):
        pass
    monkeypatch.setattr(turns, "_MAX_TURN_SECONDS", 60.0)
    monkeypatch.setattr(turns, "_MAX_WAIT_SECONDS", 0.05)
    async with some.turn("c"):
        with pytest.raises(TooManyCallsError):  # there is still one place
            async with some.turn("d"):
                pass


@pytest.mark.parametrize("handed_over", [False, True])
async def test_a_cancelled_call_loses_no_place(*, handed_over: bool) -> None:
    calls = Calls()
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(calls.turns.turn("a"))
        await calls.call("b", "c")
        if not handed_over:
            calls.waiting[0].cancel()
    calls.waiting[0].cancel()  # at the latest when it already has the place
    await asyncio.wait_for(calls.waiting[1], 30)
    assert calls.waiting[0].cancelled()
    async with asyncio.timeout(30), calls.turns.turn("a"):
        pass


@given(st.lists(st.sampled_from("abc"), max_size=60), st.integers(1, 5))
def test_every_call_runs_and_all_places_are_free_again(tenants: list[str], at_once: int) -> None:
    async def run() -> None:
        some, running, most = Turns(at_once), 0, 0

        async def call(tenant: str) -> None:
            nonlocal running, most
            async with some.turn(tenant):
                running += 1
                most = max(most, running)
                await asyncio.sleep(0)
                running -= 1

        await asyncio.gather(*map(call, tenants))
        assert most == min(at_once, len(tenants))
        async with asyncio.timeout(30), AsyncExitStack() as stack:
            for _ in range(at_once):
                await stack.enter_async_context(some.turn("a"))

    asyncio.run(run())
