"""How long a walk takes, beside the same bounds written as a plain variable-length pattern."""

import os
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, LiteralString

import pytest
from mcp import Client
from neo4j import AsyncDriver, ResultSummary

from graph_memory import GraphMemory
from graph_memory.database.graph import Graph
from graph_memory.database.statements import Statement
from graph_memory.domain.scope import CallScope
from graph_memory.traversal.traverse import Direction, Walk, ids_around
from tests.conftest import TODAY
from tests.support.mcp_client import call, serving

CREATE: LiteralString = """
UNWIND $rows AS i
CREATE (:Entity:Memory {uuid: $group + '-' + i, group_id: $group, name: 'memory ' + i,
  content: 'memory ' + i + ' says something of an ordinary length about something else entirely',
  content_hash: $group + '-' + i, dedup_key: $group + '-' + i, memory_type: 'fact', tags: ['a'],
  importance: 5.0, importance_source: 'default', stability: 3, source: 'user', metadata_json: '{}',
  lifecycle_state: 'ACTIVE', decay_score: 0.0, access_count: 0, created_at: datetime($now),
  updated_at: $now, valid_at: $now})
"""
RELATE: LiteralString = """
UNWIND $rows AS row
MATCH (a:Memory {uuid: $group + '-' + row[0]}) MATCH (b:Memory {uuid: $group + '-' + row[1]})
CREATE (a)-[:RELATES_TO {uuid: randomUUID(), group_id: $group, name: 'relates_to', fact: 'a fact',
  edge_key: a.uuid + '|relates_to|' + b.uuid, strength: row[2], metadata_json: '{}', episodes: [],
  created_at: datetime($now), valid_at: datetime($now)}]->(b)
"""
ERASE: LiteralString = """
MATCH (m:Memory {group_id: $group}) CALL (m) { DETACH DELETE m } IN TRANSACTIONS OF 500 ROWS
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


class Measured(Graph):
    """Reads as `Graph` does, and adds up what Neo4j says it took, in whole milliseconds a read."""

    database_ms = 0

    async def _sent(self, statement: Statement, parameters: dict[str, Any]) -> list[list[Any]]:
        found = await self._driver.execute_query(statement.text, parameters)
        self.database_ms += database_ms(found.summary)
        return found.records[0][0]


def database_ms(summary: ResultSummary) -> int:
    return (summary.result_available_after or 0) + (summary.result_consumed_after or 0)


@dataclass(frozen=True)
class Figures:
    """Milliseconds: median, 95th percentile, of our own processor, and the medians in Neo4j."""

    p50: float
    p95: float
    cpu: float
    database: tuple[float, float] | None

    def __str__(self) -> str:
        text = f"p50 {self.p50:6.1f} ms  p95 {self.p95:6.1f} ms  cpu {self.cpu:5.1f} ms"
        return text + (
            "  in Neo4j p50 {:.0f} ms, p95 {:.0f} ms".format(*self.database)
            if self.database
            else ""
        )


async def timed(walk: Callable[[str], Awaitable[Any]], starts: list[str]) -> Figures:
    """Measure a walk from each start, after a warm-up; it may return its time in Neo4j."""
    for start in starts[:30]:
        await walk(start)
    taken: list[float] = []
    inside: list[int] = []
    cpu = time.process_time()
    for start in starts:
        began = time.perf_counter()
        if isinstance(said := await walk(start), int):
            inside.append(said)
        taken.append(1000 * (time.perf_counter() - began))
    cpu = 1000 * (time.process_time() - cpu) / len(starts)
    return Figures(*shares(taken), cpu, shares(inside) if inside else None)


def shares(values: list[Any]) -> tuple[float, float]:
    return sorted(values)[len(values) // 2], sorted(values)[int(0.95 * len(values))]


async def measure(
    memory: GraphMemory, driver: AsyncDriver, group: str, memories: int, runs: int
) -> dict[str, Figures]:
    """Print and return what each way to walk takes, by its name."""
    chance = random.Random(2)
    scattered = [f"{group}-{chance.randrange(1, memories)}" for _ in range(runs)]
    figures: dict[str, Figures] = {}
    graph = Measured(driver, memory.settings, memory.context.graph.address, lambda _: None)
    engine = replace(memory.context.engine, graph=graph)
    print(f"load average {os.getloadavg()[0]:.1f}")
    async with serving(memory) as base, Client(f"{base}/mcp") as client:
        for direction, plain in PLAIN.items():
            walk = Walk(direction=Direction(direction))

            async def ids(start: str, walk: Walk = walk) -> Any:
                graph.database_ms = 0
                await ids_around(engine, CallScope(group, TODAY), start, walk)
                return graph.database_ms

            async def pattern(start: str, text: LiteralString = plain) -> Any:
                found = await driver.execute_query(text, start=start, group=group)
                return database_ms(found.summary)

            async def api(start: str, walk: Walk = walk) -> Any:
                return await memory.relations.traverse(start, direction=walk.direction)

            async def http(start: str, direction: str = direction) -> Any:
                return await call(
                    client, "memory_traverse", start_memory_id=start, direction=direction
                )

            for name, starts in (("anywhere", scattered), ("the hub", [f"{group}-0"] * runs)):
                for way in (ids, pattern, api, http):
                    key = f"{direction} from {name}: {way.__name__}"
                    figures[key] = await timed(way, starts)
                    print(f"{key:32} {figures[key]}")
                ours, theirs = (
                    figures[f"{direction} from {name}: {w}"] for w in ("ids", "pattern")
                )
                print(f"  our walk takes {ours.p50 / theirs.p50:.2f} × the plain pattern (p50)")
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
        await memory.context.accesses.flush()
        async with driver.session() as session:
            await (await session.run(ERASE, group=group)).consume()
    assert figures["out from anywhere: http"].p95 < 100


@pytest.mark.bench
async def test_a_walk_of_depth_three_in_a_small_graph(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await build(driver, group, 1_000, 3_000, 500)
    figures = await measure(memory, driver, group, 1_000, runs=5)
    assert max(figure.p50 for figure in figures.values()) < 2_000
