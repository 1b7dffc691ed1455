"""Centrality follows from relations and use, is written where it changes, and can be undone."""

import random
from typing import Any

import networkx
import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.decay.status import describe_status
from graph_memory.learning import centrality
from tests.conftest import Clock
from tests.integration.maintenance.test_run import other, run
from tests.support.dump import dump
from tests.support.mcp_client import call, inside
from tests.support.mcp_client import text as text_of

NAMES = ("hub", "spoke one", "spoke two", "spoke three", "island")


async def network(memory: GraphMemory) -> list[str]:
    """Store a hub that three memories support, and an island; return the ids."""
    ids = [(await memory.add(f"This is the {name}.")).memory_id for name in NAMES]
    for strength, spoke in enumerate(ids[1:4], start=1):
        await memory.relations.add(spoke, ids[0], "supports", strength=strength / 4)
        await memory.relations.add(ids[4], spoke, "references", strength=strength / 4)
    return ids


async def measure(memory: GraphMemory, **options: Any) -> Any:
    return await run(memory, stages=["centrality"], **options)


async def central(driver: AsyncDriver, group: str) -> dict[str, float | None]:
    records, _, _ = await driver.execute_query(
        "MATCH (m:Memory {group_id: $group}) RETURN m.uuid AS id, m.centrality AS value",
        group=group,
    )
    return {record["id"]: record["value"] for record in records}


async def test_a_memory_that_many_support_is_central(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    hub, one, two, three, island = await network(memory)
    assert (await measure(memory)).learned == 5
    values = await central(driver, group)
    assert values[hub] == 1.0
    assert 0 < (values[island] or 0) < (values[one] or 0) < (values[two] or 0)
    assert (values[two] or 0) < (values[three] or 0) < 1
    status = await memory.lifecycle.status(hub)
    assert (status.centrality, status.computed_importance) == (1.0, 1 + 9 * 0.5)
    assert [each.from_id for each in status.central_through] == [three, two, one]
    assert sum(each.share for each in status.central_through) == pytest.approx(1.0, abs=1e-3)
    assert f"most through {three} (supports, " in describe_status(status)


async def test_a_client_reads_a_memory_with_its_centrality_explained(memory: GraphMemory) -> None:
    hub, one, two, three, _ = await network(memory)
    await measure(memory)
    async with inside(memory) as client:
        lean = await call(client, "get_memory", memory_id=hub)
        full = await call(client, "get_memory", memory_id=hub, detail="full")
        past = await call(
            client, "get_memory", memory_id=hub, detail="full", as_of=memory.clock().isoformat()
        )
        told = await client.call_tool("get_memory", {"memory_id": hub, "detail": "full"})
    assert "decay" not in lean
    assert "decay" not in past
    assert full["decay"]["centrality"] == 1.0
    assert [each["from_id"] for each in full["decay"]["central_through"]] == [three, two, one]
    assert lean.items() <= {**full, "access_count": lean["access_count"]}.items()
    assert f"most through {three} (supports, " in text_of(told)


async def test_once_or_ten_times_is_the_same_and_undo_leaves_nothing(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await network(memory)
    before = await dump(driver, group)
    report = await measure(memory)
    once = await dump(driver, group)
    for _ in range(3):
        assert (await measure(memory)).learned == 0
    assert await dump(driver, group) == once
    undone = await memory.maintenance.undo(report.run_id)
    assert (undone.unlearned, undone.refused) == (5, 0)
    assert await dump(driver, group) == before


async def test_an_earlier_run_is_undone_after_the_later_one(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    ids = await network(memory)
    before = await dump(driver, group)
    first = await measure(memory)
    await memory.relations.add(ids[0], ids[4], "supports")
    second = await measure(memory)
    refused = await memory.maintenance.undo(first.run_id)
    assert refused.refused == second.learned
    assert refused.refusals[0].reason.startswith("its centrality was computed again since")
    await memory.maintenance.undo(second.run_id)
    assert (await memory.maintenance.undo(first.run_id)).refused == 0
    assert set((await central(driver, group)).values()) == {None}
    assert len(await dump(driver, group)) == len(before) + 1


async def test_a_walk_starts_at_what_was_used(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    _, one, two, *_ = await network(memory)
    await memory.get(one)
    await memory.context.accesses.flush()
    await measure(memory)
    values = await central(driver, group)
    assert (values[one], values[two]) == (1.0, 0.0)


async def test_what_ended_or_is_obsolete_takes_no_part(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    hub, one, *_ = await network(memory)
    await measure(memory)
    await memory.lifecycle.mark_obsolete(hub, "it was wrong")
    clock.advance(hours=1)
    expected = await memory.maintenance.dry_run(groups=[group], stages=["centrality"])
    report = await measure(memory)
    values = await central(driver, group)
    assert values[hub] is None
    assert max(value for value in values.values() if value) == 1.0
    assert expected.learned == report.learned
    change = next(each for each in expected.would_learn if each.memory_id == one)
    assert change.reason.startswith("PageRank of 4 memories")
    hub_change = next(each for each in expected.would_learn if each.memory_id == hub)
    assert (hub_change.was, hub_change.becomes) == ("1", "none")


async def test_the_canary_bounds_what_is_written(memory: GraphMemory) -> None:
    await network(memory)
    assert (await measure(memory, canary_percent=0)).learned == 0


async def test_hybrid_ranks_by_the_computed_importance_if_configured(memory: GraphMemory) -> None:
    hub, *_, island = await network(memory)
    await measure(memory)

    async def importance(settings: str) -> dict[str, Any]:
        asked = other(memory, hybrid_importance=settings)
        found = await asked.search("This is the hub", profile="hybrid", limit=5, counted=False)
        return {hit.memory.memory_id: (hit.components or {})["importance"] for hit in found}

    stored, computed = await importance("stored"), await importance("computed")
    assert stored[hub] == stored[island]
    assert computed[hub] == pytest.approx((1 + 9 * 0.5) / 10, abs=1e-6)
    assert computed[hub] > computed[island]


async def test_hybrid_ranks_as_before_by_default(memory: GraphMemory) -> None:
    await network(memory)

    async def ranked() -> list[Any]:
        found = await memory.search("This is the hub", profile="hybrid", limit=5, counted=False)
        return [(hit.memory.memory_id, hit.score, hit.components) for hit in found]

    before = await ranked()
    await measure(memory)
    assert await ranked() == before


def test_the_ranks_are_those_of_networkx() -> None:
    chance = random.Random(7)
    nodes = 3000
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(nodes))
    for _ in range(9000):
        start, end = chance.randrange(nodes), int(nodes * chance.random() ** 3)
        graph.add_edge(start, end, weight=chance.random())
    used = {node: chance.random() for node in range(0, nodes, 7)}
    reference = networkx.pagerank(
        graph, alpha=centrality.DAMPING, personalization=used, tol=1e-12, max_iter=1000
    )
    edges = centrality.np.array([(a, b, d["weight"]) for a, b, d in graph.edges(data=True)])
    restart = centrality.np.array([used.get(node, 0.0) for node in range(nodes)])
    rank = centrality.pagerank(
        edges[:, 0].astype(int), edges[:, 1].astype(int), edges[:, 2], restart
    )
    assert rank.sum() == pytest.approx(1.0)
    greatest = max(reference.values())
    top = sorted(reference, key=lambda node: -reference[node])[:1000]
    for node in top:
        assert rank[node] / rank.max() == pytest.approx(reference[node] / greatest, abs=1e-3)
    everything = [reference[node] for node in range(nodes)]
    assert centrality.np.abs(rank - everything).max() < 1e-8
