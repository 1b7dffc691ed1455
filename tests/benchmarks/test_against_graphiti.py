"""How much faster a search is than graphiti-core's own, of the same nodes by the same vectors.

Both ask the same model for the question's vector; they are compared with it and without it.
"""

import time
from collections.abc import Awaitable, Callable
from itertools import count
from statistics import median
from types import SimpleNamespace
from typing import Any

import pytest

from graph_memory import GraphMemory
from tests.benchmarks.corpus import filled, questions
from tests.integration.test_graphiti import found, graphiti, graphiti_core  # noqa: F401 - fixtures

#: Questions at least, and seconds, until Neo4j has compiled its plans, and Java what these do most:
#: a service runs for months. What answers sooner is asked more, or it would be measured unready.
WARM_UP = 300
WARM_UP_SECONDS = 60

#: Nodes, questions asked of each, and how many times faster a search is to be.
SIZES = ((10_000, 30, 10), (50_000, 10, 50))


async def timed(search: Callable[[str], Awaitable[Any]], asked: list[str]) -> tuple[float, float]:
    """Ask one question after the other, and all of them again; return both medians in milliseconds.

    The second time the vectors of the questions are known to the model's cache.
    """
    ends = time.perf_counter() + WARM_UP_SECONDS
    for seed in count(len(asked)):
        for question in questions(WARM_UP, seed=seed):
            await search(question)
        if time.perf_counter() > ends:
            break
    rounds: list[list[float]] = [[], []]
    for taken in rounds:
        for question in asked:
            began = time.perf_counter()
            await search(question)
            taken.append((time.perf_counter() - began) * 1000)
    return median(rounds[0]), median(rounds[1])


@pytest.mark.bench
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("nodes", "asked", "times"), SIZES)
async def test_a_search_is_faster_than_graphitis(
    memory: GraphMemory,
    group: str,
    graphiti: Any,  # noqa: F811
    graphiti_core: SimpleNamespace,  # noqa: F811
    nodes: int,
    asked: int,
    times: int,
) -> None:
    settings = memory.settings.model_copy(update={"graphiti_vectors": True})
    both = GraphMemory(memory.graph, memory.embedder, settings, clock=memory.clock)
    async with filled(both, group, nodes):

        async def ours(question: str) -> None:
            assert await both.search(question, group_id=group)

        async def theirs(question: str) -> None:
            recipe = graphiti_core.NODE_HYBRID_SEARCH_RRF
            assert (await found(graphiti, recipe, question, group)).nodes

        theirs_took = await timed(theirs, questions(asked, seed=0))
        ours_took = await timed(ours, questions(asked, seed=1))
        await both.accesses.settled()
    embedded, known = (slow / fast for slow, fast in zip(theirs_took, ours_took, strict=True))
    print(f"\n{nodes} nodes: graphiti {theirs_took} ms, ours {ours_took} ms")
    print(f"{embedded:.1f} times faster with the question's embedding, {known:.1f} without")
    assert known >= times
