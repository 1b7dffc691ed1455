"""Ten thousand conversations that use the same memories do not push the others out of searches."""

import random

import pytest

from graph_memory import GraphMemory, Profile
from tests.integration.maintenance.test_run import other, run

PEOPLE = ("Ada", "Grace", "Linus", "Barbara", "Alan", "Edsger", "Donald", "Margaret", "Radia")
THINGS = ("drink", "city", "season", "song", "fruit", "colour", "sport", "tool", "breakfast")
SAID = ("green", "quiet", "first", "winter", "north", "little", "open", "silver", "river")

#: Conversations, those between two runs of maintenance, and memories that all of them use.
CONVERSATIONS = 10_000
BETWEEN_RUNS = 2_000
POPULAR = 9

#: Memories that a search returns.
LIMIT = 5


def facts() -> dict[str, str]:
    """Return a fact for each question; the facts of one person or of one thing are alike."""
    return {
        f"What is {person}'s favourite {thing}?": (
            f"{person}'s favourite {thing} is the {SAID[(i + j) % 9]} {SAID[(i * 2 + j) % 9]} one."
        )
        for i, person in enumerate(PEOPLE)
        for j, thing in enumerate(THINGS)
    }


async def stored(memory: GraphMemory, chance: random.Random) -> dict[str, str]:
    """Store the facts, each related to three others; return the id for each question."""
    told = facts()
    added = await memory.add_many([{"content": text} for text in told.values()])
    ids = [str(each.memory_id) for each in added]
    for i, memory_id in enumerate(ids):
        for other_id in chance.sample([*ids[:i], *ids[i + 1 :]], 3):
            await memory.relations.add(memory_id, other_id, "supports", strength=0.5)
    return dict(zip(told, ids, strict=True))


async def found(memory: GraphMemory, profile: Profile, asked: dict[str, str]) -> float:
    """Return the share of questions whose fact is among the first results."""
    hits = 0
    for question, memory_id in asked.items():
        results = await memory.search(question, limit=LIMIT, profile=profile)
        hits += memory_id in {each.memory.memory_id for each in results}
    await memory.context.accesses.flush()
    return hits / len(asked)


@pytest.mark.stress
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("profile", [Profile.RECALL, Profile.HYBRID])
async def test_popularity_does_not_push_unused_memories_out(
    memory: GraphMemory, profile: Profile
) -> None:
    chance = random.Random(1)
    memory = other(memory, hybrid_importance="computed")
    asked = await stored(memory, chance)
    popular = list(asked)[:POPULAR]
    unused = {
        question: memory_id for question, memory_id in asked.items() if question not in popular
    }
    before = await found(memory, profile, unused)
    for number in range(1, CONVERSATIONS + 1):
        given = await memory.retrieve(chance.choice(popular), max_tokens=200)
        for each in given.memories[:2]:
            await memory.touch(each.memory.memory_id, session_id=given.session_id)
        if number % BETWEEN_RUNS == 0:
            await memory.context.session_store.flush()
            await run(memory, stages=["strengths", "centrality"])
    after = await found(memory, profile, unused)
    print(f"\n{profile}: {before:.3f} before, {after:.3f} after {CONVERSATIONS} conversations")
    assert before >= 0.9
    assert after >= before - 0.02
