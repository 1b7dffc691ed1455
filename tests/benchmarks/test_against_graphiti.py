"""How much faster a search is than graphiti-core's own, of the same nodes by the same vectors."""

import time
from collections.abc import Awaitable, Callable
from statistics import median
from types import SimpleNamespace
from typing import Any

import pytest

from graph_memory import GraphMemory
from tests.benchmarks.corpus import filled, questions
from tests.integration.test_graphiti import found, graphiti, graphiti_core  # noqa: F401 - fixtures

#: Nodes, and questions asked of each.
SIZES = ((10_000, 30), (50_000, 10))


async def timed(search: Callable[[str], Awaitable[Any]], asked: list[str]) -> float:
    """Ask one question after the other; return the median in milliseconds, warmed up."""
    taken: list[float] = []
    for question in [*asked[:3], *asked]:
        began = time.perf_counter()
        await search(question)
        taken.append((time.perf_counter() - began) * 1000)
    return median(taken[3:])


@pytest.mark.bench
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("nodes", "asked"), SIZES)
async def test_a_search_is_faster_than_graphitis(
    memory: GraphMemory,
    group: str,
    graphiti: Any,  # noqa: F811
    graphiti_core: SimpleNamespace,  # noqa: F811
    nodes: int,
    asked: int,
) -> None:
    settings = memory.settings.model_copy(update={"graphiti_vectors": True})
    both = GraphMemory(memory.graph, memory.embedder, settings, clock=memory.clock)
    async with filled(both, group, nodes):

        async def ours(question: str) -> None:
            assert await both.search(question, group_id=group)

        async def theirs(question: str) -> None:
            recipe = graphiti_core.NODE_HYBRID_SEARCH_RRF
            assert (await found(graphiti, recipe, question, group)).nodes

        slow, fast = [
            await timed(search, questions(asked, seed=seed))
            for seed, search in enumerate((theirs, ours))
        ]
        await both.accesses.settled()
    print(f"\n{nodes} nodes: graphiti {slow:.1f} ms, ours {fast:.1f} ms, {slow / fast:.1f}× faster")
    assert slow > fast
