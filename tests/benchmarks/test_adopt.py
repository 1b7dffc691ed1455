"""How long it takes to make memories of many entities that Graphiti made, embedding aside."""

import time

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.graphiti.adoption import adopt, release
from tests.integration.graphiti.test_adoption import stock

ENTITIES = 50_000
SECONDS = 120


@pytest.mark.bench
@pytest.mark.timeout(1800)
async def test_adopting_is_a_matter_of_seconds(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    for part in range(10):
        await stock(driver, f"{group}_{part}", ENTITIES // 10)
    groups = [f"{group}_{part}" for part in range(10)]
    began = time.perf_counter()
    done = await adopt(memory.context, groups)
    first = time.perf_counter() - began
    began = time.perf_counter()
    again = await adopt(memory.context, groups)
    second = time.perf_counter() - began
    began = time.perf_counter()
    await release(memory.context, groups)
    print(
        f"\n{done.entities} entities, {done.facts} facts: {first:.1f} s; again {second:.1f} s; "
        f"back {time.perf_counter() - began:.1f} s"
    )
    async with driver.session() as session:
        found = await session.run(
            "MATCH (n:Entity) WHERE n.group_id IN $groups CALL (n) { DETACH DELETE n } "
            "IN TRANSACTIONS OF 5000 ROWS",
            groups=groups,
        )
        await found.consume()
    assert (done.entities, again.entities, again.facts) == (ENTITIES, 0, 0)
    assert first < SECONDS
