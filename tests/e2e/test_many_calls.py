"""Many calls at once: each is answered, and a group with few calls does not wait for another."""

import asyncio

import pytest
from mcp import Client

from graph_memory import GraphMemory
from graph_memory.server import turns
from tests.support.mcp_client import call, inside, refused


async def test_two_hundred_calls_at_once_are_answered(memory: GraphMemory, group: str) -> None:
    await memory.add("Ada drinks tea")
    async with inside(memory) as client:
        calls = [call(client, "search_memory", query=f"tea {n}") for n in range(200)]
        answers = await asyncio.gather(*calls)
    assert {each["results"][0]["content"] for each in answers} == {"Ada drinks tea"}


async def test_a_group_with_one_call_passes_a_hundred_of_another(
    memory: GraphMemory, group: str
) -> None:
    quiet = f"{group}_quiet"
    await memory.add("Ada drinks tea")
    await memory.add("Bob drinks beer", group_id=quiet)
    answered: list[str] = []

    async def search(client: Client, group_id: str, number: int) -> None:
        await call(client, "search_memory", query=f"drinks {number}", group_id=group_id)
        answered.append(group_id)

    async with inside(memory, concurrent_calls=2) as client:
        busy = [asyncio.create_task(search(client, group, n)) for n in range(100)]
        while not answered:  # noqa: ASYNC110 - until the busy calls run
            await asyncio.sleep(0.01)
        await search(client, quiet, 0)
        passed = 100 - answered.index(quiet)
        await asyncio.gather(*busy)
    assert passed > 60


async def test_a_call_that_waits_too_long_is_refused_with_a_time_to_try_again(
    memory: GraphMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "_MAX_WAIT_SECONDS", 0.2)
    async with inside(memory, concurrent_calls=1) as client:
        busy = [
            asyncio.create_task(client.call_tool("search_memory", {"query": f"a {n}"}))
            for n in range(60)
        ]
        outcomes = await asyncio.gather(*busy)
        late = [each.structured_content for each in outcomes if each.is_error]
        assert {(each or {})["code"] for each in late} <= {"overloaded"}
        assert (await call(client, "search_memory", query="after it"))["results"] == []
    monkeypatch.setattr(turns, "_MAX_WAIT_SECONDS", 0.0)
    async with inside(memory, concurrent_calls=1) as client:
        first = asyncio.create_task(client.call_tool("search_memory", {"query": "one"}))
        await asyncio.sleep(0)
        message, data = await refused(client, "search_memory", query="two")
        await first
    assert "Nothing was done" in message
    assert (data["code"], data["retry_after_seconds"]) == ("overloaded", 0)
