"""A database of a million memories, made in minutes: copies of a few that the service stored.

Each copy has a content, a hash and a vector of its own, and three relations. Everything else is as
the service wrote it. The indexes are dropped before, and built in the end; constraints stay.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from typing import Any, LiteralString

from neo4j import AsyncDriver, AsyncGraphDatabase

from graph_memory import GraphMemory, Settings
from graph_memory.database.graph import Graph
from graph_memory.database.indexes import await_indexes, create_index, index_names
from graph_memory.database.migrations import MIGRATIONS
from graph_memory.domain.batching import batched
from graph_memory.domain.encoding import content_hash, group_key
from tests.benchmarks.corpus import sentences

MEMORIES = 1_000_000
#: The groups of a million: a due pass is measured in each of them.
SHARES = {"hundredth": 0.01, "tenth": 0.1, "most": 0.89}

_STORED = 500  #: memories that the service itself stores, in a group of their own
_ORIGINALS = "originals"
_BATCH = 2000
_WRITERS = 2

COPY: LiteralString = """
CYPHER 25 UNWIND $rows AS row
MATCH (of:Memory {uuid: row.of}) USING INDEX of:Memory(uuid)
MATCH (of)-[:HAS_WORDS]->(words)
CREATE (m:Memory:Entity) SET m = of {.*, embedding: null, uuid: row.id, content: row.content,
  name: row.content, summary: row.content, content_hash: row.hash, dedup_key: row.key,
  group_id: row.group, group_key: row.group_key,
  created_at: of.created_at - duration({seconds: toInteger(31536000 * rand())})}
CREATE (m)-[:HAS_WORDS]->(copy:WordVectors) SET copy = words {.*, group_id: row.group}
WITH m, of
CALL db.create.setNodeVectorProperty(m, 'embedding',
  [x IN toFloatList(of.embedding) | x + 0.06 * (rand() - 0.5)])
"""
RELATE: LiteralString = """
CYPHER 25 UNWIND $rows AS i UNWIND [7919, 104729, 1299709] AS step
MATCH (a:Memory {uuid: $group + '-' + right('000000' + i, 7)}) USING INDEX a:Memory(uuid)
MATCH (b:Memory {uuid: $group + '-' + right('000000' + (i + step) % $count, 7)})
USING INDEX b:Memory(uuid)
CREATE (a)-[:RELATES_TO {
  uuid: 'r-' + a.uuid + '-' + step, edge_key: a.uuid + '|supports|' + b.uuid, group_id: $group,
  group_key: a.group_key, name: 'supports', strength: 0.5, episodes: [], metadata_json: '{}',
  fact: a.name + ' supports ' + b.name, origin_authority: a.origin_authority,
  created_at: datetime($now), valid_at: datetime($now)
}]->(b)
"""
#: As the index of the service, but built with less effort: it finds less, and is as large.
VECTOR_INDEX: LiteralString = """
CYPHER 25 CREATE VECTOR INDEX memory_embedding_idx IF NOT EXISTS FOR (n:Memory) ON n.embedding
WITH [n.group_id, n.lifecycle_state]
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimensions, `vector.similarity_function`: 'cosine',
  `vector.quantization.type`: $quantization,
  `vector.default_search_expansion_factor`: $expansion, `vector.hnsw.ef_construction`: 16
}}
"""


def copy_id(group: str, number: int) -> str:
    """Return the id of a copy."""
    return f"{group}-{number:07}"


def sizes(memories: int) -> dict[str, int]:
    """Return the memories of each group."""
    return {group: round(share * memories) for group, share in SHARES.items()}


async def build(settings: Settings, groups: Mapping[str, int]) -> None:
    """Fill an empty database; print the seconds of each step.

    Args:
        settings: The database.
        groups: Number of memories of each group.
    """
    auth = (settings.neo4j_user, settings.neo4j_password.get_secret_value())
    async with (
        GraphMemory.open(settings) as memory,
        AsyncGraphDatabase.driver(settings.neo4j_uri or "", auth=auth) as driver,
    ):
        originals = sentences(_STORED)
        ids = await _store(memory, _ORIGINALS, originals)
        names = await _drop_indexes(memory.context.graph)
        with _timed(f"{sum(groups.values())} copies"):
            copies = (_copies(group, originals, ids, count) for group, count in groups.items())
            await _write(driver, COPY, chain.from_iterable(copies))
        with _timed(f"{3 * sum(groups.values())} relations"):
            for group, count in groups.items():
                given = {"group": group, "count": count, "now": memory.clock().isoformat()}
                await _write(driver, RELATE, iter(range(count)), **given)
        with _timed("indexes"):
            await _create_indexes(memory, driver, names)


@contextmanager
def _timed(name: str) -> Iterator[None]:
    began = time.monotonic()
    yield
    print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)


async def _store(memory: GraphMemory, group: str, contents: list[str]) -> list[str]:
    """Store memories by the service; return their ids."""
    stored = await memory.add_many([{"content": text} for text in contents], group_id=group)
    return [str(result.memory_id) for result in stored]


async def _drop_indexes(graph: Graph) -> set[str]:
    """Drop the indexes that migrations created, not the constraints; return their names."""
    names = await index_names(graph) & {name for step in MIGRATIONS for name in step.indexes}
    for name in names:
        await graph.run("database/indexes/drop", name=name)
    return names


def _copies(
    group: str, originals: list[str], ids: list[str], count: int
) -> Iterator[dict[str, Any]]:
    """Yield the row of each copy."""
    same = {"group": group, "group_key": group_key(group)}
    for number in range(count):
        text = f"{originals[number % _STORED].rpartition(' ')[0]} {_STORED + number}"
        hashed = content_hash(text)
        row = {"of": ids[number % _STORED], "id": copy_id(group, number), "content": text}
        yield row | same | {"hash": hashed, "key": f"{group}|{hashed}"}


async def _write(
    driver: AsyncDriver, text: LiteralString, rows: Iterator[Any], **given: Any
) -> None:
    """Run a statement for all rows, in batches and by two writers."""
    batches = batched(rows, _BATCH)

    async def writer() -> None:
        for batch in batches:
            await driver.execute_query(text, {"rows": list(batch), **given})

    await asyncio.gather(*(writer() for _ in range(_WRITERS)))


async def _create_indexes(memory: GraphMemory, driver: AsyncDriver, names: set[str]) -> None:
    graph, settings = memory.context.graph, memory.settings
    options = {
        "dimensions": settings.embedding_dimensions,
        "quantization": settings.vector_quantization,
        "expansion": settings.vector_expansion,
    }
    await driver.execute_query(VECTOR_INDEX, options)
    for name in sorted(names):
        await create_index(graph, settings, name)
    await await_indexes(graph)
