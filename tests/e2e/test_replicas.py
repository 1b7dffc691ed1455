"""Two replicas, each a process of its own, on one database: what they share stays right."""

import asyncio
import re
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest_asyncio
from mcp import Client
from mcp.types import CallToolResult

from graph_memory import GraphMemory, Settings
from tests.e2e.test_mcp_transport import process, said
from tests.support.mcp_client import call

WALKS_A_MINUTE = 10


@dataclass(frozen=True, slots=True)
class Replica:
    client: Client
    metrics: str

    async def gauges(self) -> dict[str, float]:
        """Return what it publishes of the database."""
        async with httpx.AsyncClient(timeout=60) as http:
            published = (await http.get(self.metrics)).text
        lines = re.findall(r"^(knowledge_memories_by_state\S*) (\S+)$", published, re.MULTILINE)
        return {name: float(value) for name, value in lines}


@dataclass(frozen=True, slots=True)
class Server:
    url: str
    metrics: str
    process: asyncio.subprocess.Process


@pytest_asyncio.fixture(scope="module")
async def servers(graph: Any, settings: Settings) -> AsyncIterator[list[Server]]:
    """Two servers with the real model, started side by side."""
    limit = {"GRAPH_MEMORY_TRAVERSAL_RATE_LIMIT_PER_MINUTE": str(WALKS_A_MINUTE)}
    async with AsyncExitStack() as stack:
        started = [
            await stack.enter_async_context(
                process(settings, GRAPH_MEMORY_EMBEDDING_URL="", **limit)
            )
            for _ in range(2)
        ]
        found: list[Server] = []
        for one in started:
            metrics = (await said(one, "Metrics at")).split()[-1]
            found.append(Server((await said(one, "Serving MCP at")).split()[-1], metrics, one))
        yield found


@asynccontextmanager
async def connected(servers: list[Server]) -> AsyncIterator[list[Replica]]:
    """Connect to each."""
    async with Client(servers[0].url) as one, Client(servers[1].url) as other:
        yield [Replica(one, servers[0].metrics), Replica(other, servers[1].metrics)]


async def on_both(
    replicas: list[Replica], tool: str, times: int, **arguments: Any
) -> list[CallToolResult]:
    """Call a tool so many times on each replica, all at once."""
    calls: list[Awaitable[CallToolResult]] = [
        replica.client.call_tool(tool, arguments) for _ in range(times) for replica in replicas
    ]
    return await asyncio.gather(*calls)


async def test_what_both_are_told_is_stored_once(servers: list[Server], group: str):
    async def tell(replica: Replica) -> list[tuple[str, bool]]:
        told: list[tuple[str, bool]] = []
        for n in range(20):
            content = {"content": f"the kettle number {n} is blue", "group_id": group}
            answer = await replica.client.call_tool("add_memory", content)
            assert answer.structured_content
            key = "existing_id" if answer.is_error else "memory_id"
            told.append((answer.structured_content[key], answer.is_error))
        return told

    async with connected(servers) as replicas:
        ours, theirs = await asyncio.gather(*map(tell, replicas))
    assert [memory_id for memory_id, _ in ours] == [memory_id for memory_id, _ in theirs]
    # One of the two was told that it is there already.
    assert all(one != other for (_, one), (_, other) in zip(ours, theirs, strict=True))


async def test_a_conversation_is_never_given_a_memory_twice(
    servers: list[Server], memory: GraphMemory, group: str
):
    await memory.add_many([{"content": f"Ada painted boat {n} green"} for n in range(40)])
    talk = {"session_id": f"{group}-talk", "group_id": group}
    async with connected(servers) as replicas:
        answers = await on_both(
            replicas,
            "retrieve_memories",
            8,
            query="Which boats did Ada paint?",
            max_tokens=400,
            **talk,
        )
        state = await call(replicas[1].client, "get_context_state", **talk)
    given = Counter[str]()
    for answer in answers:
        assert not answer.is_error
        assert answer.structured_content
        given.update(one["memory_id"] for one in answer.structured_content["memories"])
    assert len(given) == 40
    assert set(given.values()) == {1}
    assert {loaded["memory_id"][:8] for loaded in state["loaded"]} == set(given)


async def test_only_one_of_two_runs_gets_the_lease(
    servers: list[Server], memory: GraphMemory, group: str
):
    await memory.add_many([{"content": f"ticket {n}"} for n in range(200)])
    async with connected(servers) as replicas:
        answers = await on_both(
            replicas, "run_decay_maintenance", 3, group_id=group, full=True, batch_size=1
        )
    said = [(answer.is_error, answer.structured_content or {}) for answer in answers]
    ran = [run for is_error, run in said if not is_error]
    assert ran
    assert all(run["completed"] for run in ran)
    assert {refusal["code"] for is_error, refusal in said if is_error} == {"locked"}


async def test_calls_are_counted_together(servers: list[Server], memory: GraphMemory, group: str):
    walk = {"start_memory_id": (await memory.add("where it begins")).memory_id, "group_id": group}
    while time.time() % 60 > 40:  # noqa: ASYNC110 - a minute of the clock must not end meanwhile
        await asyncio.sleep(1)
    async with connected(servers) as replicas:
        answers = await on_both(replicas, "memory_traverse", WALKS_A_MINUTE, **walk)
    refused = [answer.structured_content or {} for answer in answers if answer.is_error]
    assert len(answers) - len(refused) == WALKS_A_MINUTE
    assert {refusal["code"] for refusal in refused} == {"rate_limited"}


async def test_both_publish_the_same(servers: list[Server], memory: GraphMemory):
    await memory.add("one more")
    deadline = time.monotonic() + 60
    async with connected(servers) as replicas:
        while True:
            ours, theirs = [await replica.gauges() for replica in replicas]
            if (ours and ours == theirs) or time.monotonic() > deadline:
                break
            await asyncio.sleep(1)
    assert ours == theirs
    assert sum(ours.values()) >= 1


async def test_a_server_ends_without_a_word(servers: list[Server]):
    """The libraries of the model complain of what is not freed; it comes last, as it stops one."""
    ended = servers[0].process
    ended.send_signal(signal.SIGTERM)
    output, errors = await ended.communicate()
    unlogged = [line for line in errors.decode().splitlines() if " INFO graph_memory." not in line]
    assert (ended.returncode, output, unlogged) == (0, b"", [])
