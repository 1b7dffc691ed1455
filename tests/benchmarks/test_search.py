"""The time of a search over HTTP, and the recall of the vector index."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, closing
from http.client import HTTPConnection, RemoteDisconnected
from itertools import count
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt
import pytest
from mcp import Client
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.ranking.profiles import Profile
from graph_memory.search.search import search
from tests.benchmarks.corpus import filled, prose, questions, sentences, warm_up
from tests.conftest import engine_with
from tests.e2e.test_mcp_transport import process, said

MEMORIES = 10_000
OTHERS = 90_000
ASKED = 100
CLIENTS = 8
TURNS = 40
ROUNDS = 5

#: The newest protocol, which has no sessions.
PROTOCOL = "2026-07-28"
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": PROTOCOL,
    "Mcp-Method": "tools/call",
}
META = {
    "io.modelcontextprotocol/protocolVersion": PROTOCOL,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}

Caller = Callable[[str], Awaitable[None]]
Seconds = npt.NDArray[np.float64]


@asynccontextmanager
async def sdk_clients(url: str, tool: str, group: str) -> AsyncGenerator[list[Caller]]:
    """Connect clients of the SDK, which take an eighth of the processors shared by all here."""

    def caller(client: Client) -> Caller:
        async def call(question: str) -> None:
            result = await client.call_tool(tool, {"query": question, "group_id": group})
            assert not result.is_error

        return call

    async with AsyncExitStack() as connected:
        clients = [await connected.enter_async_context(Client(url)) for _ in range(CLIENTS)]
        yield [caller(client) for client in clients]


@asynccontextmanager
async def plain_clients(url: str, tool: str, group: str) -> AsyncGenerator[list[Caller]]:
    """Connect clients that only post and parse, and leave the processors to the service.

    They are threads around the standard library: httpx alone takes 4 ms of a processor a call.
    """

    def caller(connection: HTTPConnection) -> Caller:
        def post(question: str) -> None:
            arguments = {"query": question, "group_id": group}
            parameters = {"name": tool, "arguments": arguments, "_meta": META}
            request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}
            headers = HEADERS | {"Mcp-Name": tool, "Content-Type": "application/json"}
            answer = json.loads(posted(connection, address.path, json.dumps(request), headers))
            assert answer["result"]["isError"] is False

        async def call(question: str) -> None:
            await asyncio.get_running_loop().run_in_executor(threads, post, question)

        return call

    address = urlsplit(url)
    with ExitStack() as connected:
        threads = connected.enter_context(ThreadPoolExecutor(CLIENTS))
        yield [
            caller(connected.enter_context(closing(HTTPConnection(address.netloc, timeout=60))))
            for _ in range(CLIENTS)
        ]


def posted(connection: HTTPConnection, path: str, body: str, headers: dict[str, str]) -> bytes:
    """Post, and connect again where the server has closed an idle connection."""
    try:
        connection.request("POST", path, body, headers)
        return connection.getresponse().read()
    except (BrokenPipeError, ConnectionResetError, RemoteDisconnected):
        connection.close()  # the next request opens it
        connection.request("POST", path, body, headers)
        return connection.getresponse().read()


async def spread(clients: list[Caller], seed: int) -> Seconds:
    """Let clients ask at once, each one question at a time, and return the seconds of calls."""

    async def ask(call: Caller, asked: list[str]) -> list[float]:
        taken: list[float] = []
        for question in asked:
            began = time.perf_counter()
            await call(question)
            taken.append(time.perf_counter() - began)
        return taken

    asked = questions(TURNS * CLIENTS, seed=seed)
    each = await asyncio.gather(
        *(ask(call, asked[i :: len(clients)]) for i, call in enumerate(clients))
    )
    return np.concatenate(each)


def told(seconds: Seconds) -> str:
    p50, p95 = np.percentile(seconds * 1000, [50, 95])
    return f"p50 {p50:.1f} ms, p95 {p95:.1f} ms"


@pytest.mark.bench
@pytest.mark.timeout(3600)
async def test_recall_over_http(memory: GraphMemory, group: str, driver: AsyncDriver) -> None:
    async with (
        filled(memory, group, sentences(MEMORIES)),
        filled(memory, f"{group}_others", sentences(OTHERS)),
        # In its own process, as clients use it.
        process(memory.settings, GRAPH_MEMORY_EMBEDDING_URL="") as started,
    ):
        rows, _, _ = await driver.execute_query("MATCH (m:Memory) RETURN count(m) AS all")
        print(f"\n{MEMORIES} memories of {rows[0]['all']}")
        url = (await said(started, "Serving MCP at")).split()[-1]
        seeds = count(1)  # no question twice, because the cache of the model would answer it
        for tool in ("search_memory", "retrieve_memories"):
            async with (
                sdk_clients(url, tool, group) as heavy,
                plain_clients(url, tool, group) as plain,
            ):
                first = await spread(plain, next(seeds))
                print(f"{tool}, {CLIENTS} clients, the first: {told(first)}")
                await asyncio.gather(*(warm_up(call, 1000 * next(seeds)) for call in plain))
                # After its first call, a client of the SDK asks for the list of tools.
                await asyncio.gather(*(call("tea?") for call in heavy))
                for kind, clients in {"plain": plain, "of the SDK": heavy}.items():
                    for some in (clients[:1], clients):
                        rounds = [await spread(some, next(seeds)) for _ in range(ROUNDS)]
                        every = told(np.concatenate(rounds))
                        print(f"{tool}, {len(some)} clients, {kind}: {every}")
                        print("  of which", "; ".join(map(told, rounds)))


def of_sentences() -> tuple[list[str], list[str], list[str]]:
    return sentences(MEMORIES), [], questions(ASKED, seed=3)


def of_prose() -> tuple[list[str], list[str], list[str]]:
    texts = prose(3 * MEMORIES + ASKED)
    return texts[:MEMORIES], texts[MEMORIES:-ASKED], texts[-ASKED:]


@pytest.mark.bench
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("texts", [of_sentences, of_prose])
async def test_the_vector_index_finds_the_exact_nearest(
    memory: GraphMemory,
    group: str,
    driver: AsyncDriver,
    texts: Callable[[], tuple[list[str], list[str], list[str]]],
) -> None:
    own, others, asked = texts()
    async with filled(memory, group, own), filled(memory, f"{group}_others", others):
        rows, _, _ = await driver.execute_query(
            "MATCH (m:Memory {group_id: $group}) RETURN m.uuid AS id, m.embedding AS vector",
            group=group,
        )
        ids = [row["id"] for row in rows]
        vectors = np.array([row["vector"] for row in rows], dtype=np.float32)
        shares: list[float] = []
        by_meaning = engine_with(memory, search_weights=(1.0, 0.0, 0.0))
        for question in asked:
            similarity = vectors @ await memory.context.embedder.embed_query(question)
            tenth = np.sort(similarity)[-10]
            found = [
                hit.memory.memory_id
                for hit in await search(
                    by_meaning,
                    memory.context.scope(group),
                    question,
                    limit=10,
                    profile=Profile.WEIGHTED,
                )
            ]
            # Equal similarities are equally right.
            near = {i for i, s in zip(ids, similarity, strict=True) if s >= tenth - 1e-6}
            shares.append(len(near & set(found)) / 10)
    print(f"\n{texts.__name__}: recall@10 against exact: {np.mean(shares):.4f}")
    assert np.mean(shares) >= 0.99
