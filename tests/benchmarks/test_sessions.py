"""The cost of a session that has loaded ten thousand memories."""

import time
from itertools import count

import numpy as np
import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.search.session import LoadRecord, Session, version
from tests.benchmarks.corpus import filled, questions, sentences

LOADED = 10_000
WARM_UP = 100
CALLS = 100


@pytest.mark.bench
@pytest.mark.timeout(1800)
async def test_a_retrieval_late_in_a_long_conversation(
    memory: GraphMemory, group: str, driver: AsyncDriver
) -> None:
    """What a conversation has loaded must not cost half as much as the rest."""
    asked = iter(questions(2 * (WARM_UP + CALLS), seed=5))

    async def milliseconds(session_id: str) -> float:
        began = time.perf_counter()
        await memory.retrieve(next(asked), group_id=group, session_id=session_id)
        return 1000 * (time.perf_counter() - began)

    async with filled(memory, group, sentences(LOADED)):
        rows, _, _ = await driver.execute_query(
            "MATCH (m:Memory {group_id: $group}) RETURN m.uuid AS id, m.content AS content",
            group=group,
        )
        loaded = {row["id"]: LoadRecord(0, version(row["content"])) for row in rows}
        await memory.context.session_store.write(
            memory.context.scope(group), Session("long", loaded=loaded)
        )
        numbers = count()
        turns = [
            (await milliseconds(f"short-{next(numbers)}"), await milliseconds("long"))
            for _ in range(WARM_UP + CALLS)
        ]
    short, late = np.median(turns[WARM_UP:], axis=0)
    print(
        f"\n{short:.1f} ms with nothing loaded, {late:.1f} with {LOADED}: {late / short:.1f} times"
    )
    assert late < 1.5 * short
