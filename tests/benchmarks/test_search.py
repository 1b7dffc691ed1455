"""How long recalling takes over HTTP, and how much of the exact nearest the vector index finds."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count

import numpy as np
import pytest
from mcp import Client
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.profiles import Profile
from graph_memory.recall import search
from tests.benchmarks.corpus import filled, prose, questions, sentences, warm_up
from tests.e2e.test_mcp_transport import process, said

MEMORIES = 10_000
OTHERS = 90_000
ASKED = 100
CLIENTS = 8
TURNS = 40
ROUNDS = 3

Caller = Callable[[str], Awaitable[None]]


@asynccontextmanager
async def callers(url: str, tool: str, group: str) -> AsyncGenerator[list[Caller]]:
    """Connect clients of a tool."""

    def caller(client: Client) -> Caller:
        async def call(question: str) -> None:
            result = await client.call_tool(tool, {"query": question, "group_id": group})
            assert not result.is_error

        return call

    async with AsyncExitStack() as connected:
        clients = [await connected.enter_async_context(Client(url)) for _ in range(CLIENTS)]
        yield [caller(client) for client in clients]


async def spread(clients: list[Caller], seed: int) -> str:
    """Have clients ask at once, each one question after the other; tell what a call takes."""

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
    p50, p95 = np.percentile(np.concatenate(each) * 1000, [50, 95])
    return f"p50 {p50:.1f} ms, p95 {p95:.1f} ms"


@pytest.mark.bench
@pytest.mark.timeout(3600)
async def test_recall_over_http(memory: GraphMemory, group: str, driver: AsyncDriver) -> None:
    async with (
        filled(memory, group, sentences(MEMORIES)),
        filled(memory, f"{group}_others", sentences(OTHERS)),
        # In a process of its own, as clients meet it.
        process("serve_http", memory.settings, GRAPH_MEMORY_EMBEDDING_URL="") as started,
    ):
        rows, _, _ = await driver.execute_query("MATCH (m:Memory) RETURN count(m) AS all")
        print(f"\n{MEMORIES} memories of {rows[0]['all']}")
        url = (await said(started, "Serving MCP at")).split()[-1]
        seeds = count(1)  # no question twice: the model's cache knows it
        for tool in ("search_memory", "retrieve_memories"):
            async with callers(url, tool, group) as clients:
                print(f"{tool}, {CLIENTS} clients, the first: {await spread(clients, next(seeds))}")
                await asyncio.gather(*(warm_up(call, 1000 * next(seeds)) for call in clients))
                for some in (clients[:1], clients) * ROUNDS:
                    taken = await spread(some, next(seeds))
                    print(f"{tool}, {len(some)} clients: {taken}")


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
        by_meaning = memory.settings.model_copy(update={"search_weights": (1.0, 0.0, 0.0)})
        for question in asked:
            similarity = vectors @ await memory.embedder.embed_query(question)
            tenth = np.sort(similarity)[-10]
            found = [
                hit.memory.memory_id
                for hit in await search(
                    memory.graph, memory.embedder, by_meaning, question,
                    group_id=group, now=memory.clock(), limit=10, profile=Profile.WEIGHTED,
                )
            ]  # fmt: skip
            # Equal similarities are equally right.
            near = {i for i, s in zip(ids, similarity, strict=True) if s >= tenth - 1e-6}
            shares.append(len(near & set(found)) / 10)
    print(f"\n{texts.__name__}: recall@10 against exact: {np.mean(shares):.4f}")
    assert np.mean(shares) >= 0.99
