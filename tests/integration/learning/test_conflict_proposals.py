"""Runs propose what settles a conflict: the two parts that differ, and a decision to undo."""

from datetime import timedelta

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.domain.timestamps import instant
from tests.conftest import TODAY, Clock
from tests.integration.learning.test_proposals import learn, pairs
from tests.integration.maintenance.test_run import other
from tests.support.dump import dump

PORT, NO_PORT = "The API listens on port 8080.", "The API no longer listens on port 8080."
OPENS, OPENS_LATER = (
    "The shop opens at 9 in the morning.",
    "The shop now opens at 10 in the morning.",
)


async def stored(memory: GraphMemory, clock: Clock, *texts: str) -> list[str]:
    """Store texts in one batch each, a minute apart, and return their ids."""
    ids: list[str] = []
    for text in texts:
        ids += [each.memory_id or "" for each in await memory.add_many([{"content": text}])]
        clock.advance(minutes=1)
    return ids


async def test_negated_memories_contradict_and_replaced_ones_are_superseded(
    memory: GraphMemory, clock: Clock
) -> None:
    port, opens, no_port, later, _ = await stored(
        memory, clock, PORT, OPENS, NO_PORT, OPENS_LATER, "I am allergic to peanuts."
    )
    report = await learn(memory)
    found = await memory.proposals.list()
    assert pairs(found) == {("contradicts", no_port, port), ("supersedes", later, opens)}
    assert report.learned == 2
    reasons = {str(each.kind): each.reason for each in found.proposals}
    assert reasons["supersedes"].startswith('replaces "opens at 9" by "now opens at 10"; cosine 0.')
    assert reasons["contradicts"].startswith('negates "')
    assert "no longer" in reasons["contradicts"]
    assert all(0.65 <= each.score <= 1 for each in found.proposals)


async def test_a_dry_run_and_a_second_run_agree_with_the_first(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    _, opens, _, later = await stored(memory, clock, PORT, OPENS, NO_PORT, OPENS_LATER)
    before = await dump(driver, group)
    expected = await memory.maintenance.dry_run(groups=[group], stages=["proposals"])
    assert await dump(driver, group) == before
    change = next(each for each in expected.would_learn if each.memory_id == later)
    assert change.becomes.startswith(f"supersedes {opens} (")
    first = await learn(memory)
    once = await dump(driver, group)
    assert (expected.learned, (await learn(memory)).learned) == (first.learned, 0)
    assert await dump(driver, group) == once
    await memory.maintenance.undo(first.run_id)
    assert await dump(driver, group) == before


async def test_accepted_conflicts_become_what_they_say_and_undo_leaves_nothing(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    port, opens, no_port, later = await stored(memory, clock, PORT, OPENS, NO_PORT, OPENS_LATER)
    await learn(memory)
    before = await dump(driver, group)
    decision = await memory.proposals.accept(kinds=["contradicts", "supersedes"], min_score=0.5)
    assert (decision.decided, decision.refused) == (2, 0)
    old = await memory.get(opens, counted=False)
    assert (old.lifecycle_state, old.superseded_by) == ("EXPIRED", later)
    (made,) = await memory.relations.list(port)
    assert (made.relation_type, made.from_id, made.to_id) == ("contradicts", no_port, port)
    assert await memory.relations.possible_conflicts(no_port) == []
    undone = await memory.maintenance.undo(decision.run_id or "")
    assert (undone.unlearned, undone.refused) == (2, 0)
    assert await dump(driver, group) == before


async def test_what_was_true_later_supersedes_whenever_it_was_stored(memory: GraphMemory) -> None:
    before = instant(TODAY - timedelta(days=9))
    later, opens = await memory.add_many(
        [{"content": OPENS_LATER}, {"content": OPENS, "valid_at": before}]
    )
    await learn(memory)
    assert pairs(await memory.proposals.list()) == {
        ("supersedes", later.memory_id, opens.memory_id)
    }


async def test_a_related_pair_may_conflict_and_a_settled_one_does_not(
    memory: GraphMemory, clock: Clock
) -> None:
    port, opens, no_port, later = await stored(memory, clock, PORT, OPENS, NO_PORT, OPENS_LATER)
    await memory.relations.add(no_port, port, "relates_to")
    await memory.relations.add(later, opens, "contradicts")
    await learn(memory)
    assert pairs(await memory.proposals.list()) == {("contradicts", no_port, port)}


@pytest.mark.parametrize("neighbours", [0, 1])
async def test_the_setting_bounds_what_is_compared(
    memory: GraphMemory, clock: Clock, neighbours: int
) -> None:
    await stored(memory, clock, OPENS, OPENS_LATER)
    await learn(other(memory, conflict_neighbours=neighbours))
    kinds = {each.kind for each in (await memory.proposals.list()).proposals}
    assert ("supersedes" in kinds) == bool(neighbours)


async def test_a_rejected_conflict_is_not_proposed_again(memory: GraphMemory, clock: Clock) -> None:
    _, later = await stored(memory, clock, OPENS, OPENS_LATER)
    await learn(memory)
    await memory.proposals.reject(kinds=["supersedes"])
    await memory.update(later, content=f"{OPENS_LATER[:-1]}!")
    await learn(memory)
    assert (await memory.proposals.list(kinds=["supersedes"])).total == 0
