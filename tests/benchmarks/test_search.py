"""How long recalling takes over HTTP, and how much of the exact nearest the vector index finds."""

import asyncio
import time

import numpy as np
import pytest
from mcp import Client
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.profiles import Profile
from graph_memory.recall import search
from tests.benchmarks.corpus import filled, questions
from tests.e2e.test_mcp_transport import process, said

MEMORIES = 10_000
TURNS = 40
WARM_UP = 300


def spread(taken: list[float]) -> str:
    p50, p95 = np.percentile(np.array(taken) * 1000, [50, 95])
    return f"p50 {p50:.1f} ms, p95 {p95:.1f} ms"


async def ask(url: str, tool: str, group: str, asked: list[str]) -> list[float]:
    """Call as one client, one question after the other; return what each call took in seconds."""
    taken: list[float] = []
    async with Client(url) as client:
        for question in asked:
            began = time.perf_counter()
            result = await client.call_tool(tool, {"query": question, "group_id": group})
            taken.append(time.perf_counter() - began)
            assert not result.is_error
    return taken


@pytest.mark.bench
@pytest.mark.timeout(3600)
async def test_recall_over_http(memory: GraphMemory, group: str, driver: AsyncDriver) -> None:
    async with filled(memory, group, MEMORIES):
        rows, _, _ = await driver.execute_query("MATCH (m:Memory) RETURN count(m) AS all")
        print(f"\n{MEMORIES} memories of {rows[0]['all']}")
        # In a process of its own, as clients meet it.
        async with process("serve_http", memory.settings, GRAPH_MEMORY_EMBEDDING_URL="") as started:
            url = (await said(started, "Serving MCP at")).split()[-1]
            for number, tool in enumerate(("search_memory", "retrieve_memories")):
                await ask(url, tool, group, questions(WARM_UP, seed=10 + number))
                for clients in (1, 8):
                    asked = questions(TURNS * 8, seed=20 + 10 * number + clients)
                    parts = [asked[i::clients] for i in range(clients)]
                    each = await asyncio.gather(*(ask(url, tool, group, part) for part in parts))
                    taken = [seconds for of_client in each for seconds in of_client]
                    print(f"{tool}, {clients} clients: {spread(taken)}")


@pytest.mark.bench
@pytest.mark.timeout(3600)
async def test_the_vector_index_finds_the_exact_nearest(
    memory: GraphMemory, group: str, driver: AsyncDriver
) -> None:
    async with filled(memory, group, MEMORIES):
        rows, _, _ = await driver.execute_query(
            "MATCH (m:Memory {group_id: $group}) RETURN m.uuid AS id, m.embedding AS vector",
            group=group,
        )
        ids = [row["id"] for row in rows]
        vectors = np.array([row["vector"] for row in rows], dtype=np.float32)
        shares: list[float] = []
        by_meaning = memory.settings.model_copy(update={"search_weights": (1.0, 0.0, 0.0)})
        for question in questions(100, seed=3):
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
    print(f"\nrecall@10 against exact: {np.mean(shares):.4f}")
    assert np.mean(shares) >= 0.99
