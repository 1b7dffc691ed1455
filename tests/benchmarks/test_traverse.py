"""How long a walk takes, beside the same bounds written as a plain variable-length pattern."""

import random
import time
from collections.abc import Awaitable, Callable
from typing import Any, LiteralString

import pytest
from mcp import Client
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.traverse import around
from graph_memory.walk import Direction, Walk
from tests.conftest import TODAY
from tests.e2e.mcp_client import call, serving

CREATE: LiteralString = """
UNWIND $rows AS i
CREATE (:Entity:Memory {uuid: $group + '-' + i, group_id: $group, name: 'memory ' + i,
  content: 'memory ' + i + ' says something of an ordinary length about something else entirely',
  content_hash: $group + '-' + i, dedup_key: $group + '-' + i, memory_type: 'fact', tags: ['a'],
  importance: 5.0, importance_source: 'default', stability: 3, source: 'user', metadata_json: '{}',
  lifecycle_state: 'ACTIVE', decay_score: 0.0, access_count: 0, created_at: datetime($now),
  updated_at: $now, valid_at: datetime($now)})
"""
RELATE: LiteralString = """
UNWIND $rows AS row
MATCH (a:Memory {uuid: $group + '-' + row[0]}) MATCH (b:Memory {uuid: $group + '-' + row[1]})
CREATE (a)-[:RELATES_TO {uuid: randomUUID(), group_id: $group, name: 'relates_to', fact: 'a fact',
  edge_key: a.uuid + '|relates_to|' + b.uuid, strength: row[2], metadata_json: '{}', episodes: [],
  created_at: datetime($now), valid_at: datetime($now)}]->(b)
"""
ERASE: LiteralString = """
MATCH (m:Memory {group_id: $group}) CALL (m) { DETACH DELETE m } IN TRANSACTIONS OF 5000 ROWS
"""
PLAIN: dict[str, LiteralString] = {
    "out": """MATCH (a:Memory {uuid: $start, group_id: $group})-[:RELATES_TO*1..3]->(b:Memory)
WHERE b.group_id = $group AND b.soft_deleted_at IS NULL RETURN DISTINCT b.uuid AS id LIMIT 100""",
    "both": """MATCH (a:Memory {uuid: $start, group_id: $group})-[:RELATES_TO*1..3]-(b:Memory)
WHERE b.group_id = $group AND b.soft_deleted_at IS NULL RETURN DISTINCT b.uuid AS id LIMIT 100""",
}


async def build(driver: AsyncDriver, group: str, memories: int, relations: int, hub: int) -> None:
    """Build a random graph; memory 0 has `hub` of the relations, half of them to it."""
    chance = random.Random(1)
    pairs = {(0, i) if i % 2 else (i, 0) for i in range(1, hub + 1)}
    while len(pairs) < relations:
        a, b = chance.randrange(memories), chance.randrange(memories)
        if a != b:
            pairs.add((a, b))
    edges = [[a, b, chance.random()] for a, b in sorted(pairs)]
    chance.shuffle(edges)
    parts: list[tuple[LiteralString, list[Any]]] = [(CREATE, [*range(memories)]), (RELATE, edges)]
    for text, rows in parts:
        for at in range(0, len(rows), 10_000):
            await driver.execute_query(
                text, rows=rows[at : at + 10_000], group=group, now="2026-01-01T00:00:00.000Z"
            )


async def timed(walk: Callable[[str], Awaitable[Any]], starts: list[str]) -> tuple[float, float]:
    """Return median and 95th percentile in milliseconds, after a warm-up."""
    for start in starts[:3]:
        await walk(start)
    taken: list[float] = []
    for start in starts:
        began = time.perf_counter()
        await walk(start)
        taken.append(1000 * (time.perf_counter() - began))
    taken.sort()
    return taken[len(taken) // 2], taken[int(0.95 * len(taken))]


async def measure(
    memory: GraphMemory, driver: AsyncDriver, group: str, memories: int, runs: int
) -> dict[str, tuple[float, float]]:
    """Print and return what each way to walk takes, by its name."""
    chance = random.Random(2)
    scattered = [f"{group}-{chance.randrange(1, memories)}" for _ in range(runs)]
    figures: dict[str, tuple[float, float]] = {}
    async with serving(memory) as base, Client(f"{base}/mcp") as client:
        for direction, plain in PLAIN.items():
            walk = Walk(direction=Direction(direction))

            async def ids(start: str, walk: Walk = walk) -> Any:
                return await around(
                    memory.graph, memory.settings, start, walk, group_id=group, now=TODAY
                )

            async def pattern(start: str, text: LiteralString = plain) -> Any:
                return await driver.execute_query(text, start=start, group=group)

            async def api(start: str, direction: str = direction) -> Any:
                return await memory.traverse(start, direction=direction)

            async def http(start: str, direction: str = direction) -> Any:
                return await call(
                    client, "memory_traverse", start_memory_id=start, direction=direction
                )

            for name, starts in (("anywhere", scattered), ("the hub", [f"{group}-0"] * runs)):
                for way in (ids, pattern, api, http):
                    key = f"{direction} from {name}: {way.__name__}"
                    figures[key] = await timed(way, starts)
                    print(f"{key:32} p50 {figures[key][0]:7.1f} ms  p95 {figures[key][1]:7.1f} ms")
                ours, theirs = (
                    figures[f"{direction} from {name}: {w}"] for w in ("ids", "pattern")
                )
                print(f"  our walk takes {ours[0] / theirs[0]:.2f} × the plain pattern (p50)")
    return figures


@pytest.mark.bench
@pytest.mark.timeout(1200)
async def test_a_walk_of_depth_three_in_a_large_graph(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    """100,000 memories, 300,000 relations, a hub of 50,000: p95 below 100 ms over HTTP."""
    try:
        await build(driver, group, 100_000, 300_000, 50_000)
        figures = await measure(memory, driver, group, 100_000, runs=60)
    finally:
        await memory.accesses.settled()
        async with driver.session() as session:
            await (await session.run(ERASE, group=group)).consume()
    assert figures["out from anywhere: http"][1] < 100


async def test_a_walk_of_depth_three_in_a_small_graph(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await build(driver, group, 1_000, 3_000, 500)
    figures = await measure(memory, driver, group, 1_000, runs=5)
    assert max(p50 for p50, _ in figures.values()) < 2_000
