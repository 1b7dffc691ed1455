"""The effect of feedback on the ranking of a group, and its reset."""

import asyncio

import pytest

from graph_memory import GraphMemory
from graph_memory.api.feedback import Learned
from graph_memory.errors import NotFoundError
from tests.conftest import engine_with

#: The first shares its words with the question, the second its meaning.
QUESTION = "what beverage does Ada like?"
WORDED = "Ada Beverage Lane is closed for roadworks until Monday"
MEANT = "Ada drinks green tea with pleasure"


Ranking = dict[str, tuple[float, dict[str, float | None]]]


async def ranking(memory: GraphMemory) -> Ranking:
    hits = await memory.search(QUESTION)
    return {hit.memory.memory_id: (hit.score, hit.components) for hit in hits}


async def rankings(learning: GraphMemory, plain: GraphMemory) -> tuple[Ranking, Ranking]:
    """Return the ranking with feedback and that without it, of one state of the index.

    The counts of words of Lucene move when it merges segments, at any time.
    """
    for _ in range(20):
        before, learned, after = [await ranking(each) for each in (plain, learning, plain)]
        if before == after:
            return learned, before
    pytest.fail("the index never holds still for three searches")


@pytest.fixture
def plain(memory: GraphMemory) -> GraphMemory:
    """The same memories without an effect of feedback."""
    context = memory.context
    settings = memory.settings.model_copy(update={"feedback_max_shift": 0.0})
    return GraphMemory.over(context.graph, context.embedder, settings, clock=memory.clock)


@pytest.fixture
def learning(memory: GraphMemory) -> GraphMemory:
    memory.context.engine = engine_with(memory, feedback_max_shift=0.2, feedback_rate=0.5)
    return memory


async def test_it_moves_the_weights_the_right_way_within_bounds_and_back(
    learning: GraphMemory, plain: GraphMemory
) -> None:
    worded = (await learning.add(WORDED)).memory_id
    meant = (await learning.add(MEANT)).memory_id
    await learning.add_many([{"content": f"Invoice number {n}"} for n in range(10)])
    for memory_id, useful, direction in (
        (worded, True, -1),
        (meant, False, -1),
        (meant, True, 1),
        (worded, False, 1),
    ):
        learned = await learning.feedback.reset()
        assert learned == Learned(0.0, 0.0, learning.settings.recall_vector_weight, 0, 0)
        at_rest, without = await rankings(learning, plain)
        assert at_rest == without
        for _ in range(12):
            learned = await learning.feedback.add(memory_id, useful, query=QUESTION)
            assert learned.taught
            assert 0 < learned.shift * direction <= 0.2
            assert learned.vector_weight == pytest.approx(0.5 + learned.shift)
        moved, before = await rankings(learning, plain)
        retrieved = await learning.retrieve(QUESTION)
        shown = [components for _, components in moved.values()]
        for components in (*shown, *(given.components for given in retrieved.memories)):
            assert components["feedback"] == pytest.approx(learned.shift)
        gain = {id_: moved[id_][0] - before[id_][0] for id_ in (worded, meant)}
        assert (gain[meant] - gain[worded]) * direction > 0


async def test_it_is_off_by_default_and_learns_only_from_what_was_found(
    memory: GraphMemory, group: str
) -> None:
    stored = await memory.add(WORDED)
    before = await ranking(memory)
    learned = await memory.feedback.add(stored.memory_id, True, query=QUESTION)
    assert learned.shift == 0
    assert await ranking(memory) == before
    counted = await memory.feedback.add(stored.memory_id, False)
    assert (counted.taught, counted.useful, counted.useless) == (False, 1, 1)
    assert counted.lean == learned.lean
    assert await memory.feedback.read(group_id=f"{group}_b") == Learned(0.0, 0.0, 0.5, 0, 0)
    with pytest.raises(NotFoundError):
        await memory.feedback.add(stored.memory_id, True, group_id=f"{group}_b")


async def test_judgements_at_once_are_all_taken_in(learning: GraphMemory) -> None:
    stored = await learning.add(WORDED)
    await asyncio.gather(*(learning.feedback.add(stored.memory_id, True) for _ in range(10)))
    assert (await learning.feedback.read()).useful == 10
