"""Relations: a repetition changes what it gives, and `supersedes` supersedes."""

from datetime import timedelta
from typing import Any

import pytest

from graph_memory import GraphMemory
from graph_memory.errors import InvalidArgumentError
from tests.conftest import Clock

#: The values of a relation that a caller can give, each with another value.
GIVEN: dict[str, tuple[Any, Any]] = {
    "strength": (0.9, 0.0),
    "metadata": ({"why": "z"}, {}),
    "fact": ("tea goes with cake", "cake goes with tea"),
}


async def pair(memory: GraphMemory) -> tuple[str, str]:
    """Store two memories, and return their ids."""
    first, second = await memory.add("tea"), await memory.add("cake")
    return first.memory_id, second.memory_id


@pytest.mark.parametrize("changed", GIVEN)
@pytest.mark.parametrize("bidirectional", [False, True])
async def test_a_repetition_keeps_what_it_does_not_give(
    memory: GraphMemory, changed: str, bidirectional: bool
) -> None:
    ends = await pair(memory)
    before: Any = {name: first for name, (first, _) in GIVEN.items()}
    await memory.relations.add(*ends, "causes", bidirectional=bidirectional, **before)
    now: Any = {changed: GIVEN[changed][1]}
    made = await memory.relations.add(*ends, "causes", bidirectional=bidirectional, **now)
    relations = await memory.relations.list(ends[0])
    assert len(made) == len(relations) == 1 + bidirectional
    for relation in relations:
        assert {name: getattr(relation, name) for name in GIVEN} == before | now
    assert {each.strength for each in made} == {(before | now)["strength"]}


async def test_a_new_relation_has_defaults_even_after_an_ended_one(memory: GraphMemory) -> None:
    ends = await pair(memory)
    await memory.relations.add(*ends, "causes", strength=0.9, metadata={"a": 1})
    await memory.relations.remove(*ends)
    await memory.relations.add(*ends, "causes")
    (relation,) = await memory.relations.list(ends[0])
    assert (relation.strength, relation.metadata) == (0.5, {})


async def test_a_relation_of_a_new_memory_keeps_what_another_gave(memory: GraphMemory) -> None:
    tea = await memory.add("tea")
    target = {"target_id": tea.memory_id, "relation_type": "supports"}
    towards: Any = [{**target, "strength": 0.9}, {**target, "metadata": {"a": 1}}]
    cake = await memory.add("cake", relationships=towards)
    (relation,) = await memory.relations.list(cake.memory_id)
    assert (relation.strength, relation.metadata) == (0.9, {"a": 1})


async def test_supersedes_supersedes(memory: GraphMemory, clock: Clock) -> None:
    old = await memory.add("Ada's home is Oslo")
    clock.advance(days=1)
    new = await memory.add("Ada's home is Bergen")
    ends = (new.memory_id, old.memory_id, "supersedes")
    (made,) = await memory.relations.add(*ends, fact="she moved", strength=0.7)
    assert (made.created, made.strength) == (True, 0.7)
    (hit,) = await memory.search("where does Ada live?")
    assert hit.memory.memory_id == new.memory_id
    status = await memory.lifecycle.status(old.memory_id)
    assert (status.state, status.superseded_by) == ("EXPIRED", new.memory_id)
    assert status.obsolete_reason == "she moved"
    assert (await memory.get(old.memory_id)).invalid_at == clock.now
    (again,) = await memory.relations.add(*ends, metadata={"a": 1})
    assert (again.created, again.strength) == (False, 0.7)
    (relation,) = await memory.relations.list(new.memory_id)
    assert (relation.fact, relation.metadata) == ("she moved", {"a": 1})


async def test_what_cannot_supersede_is_refused_and_draws_no_edge(
    memory: GraphMemory, clock: Clock
) -> None:
    old, new = await pair(memory)
    ahead = await memory.add("milk", valid_at=clock.now + timedelta(days=9))
    await memory.lifecycle.mark_obsolete(old, "gone", superseded_by=new)
    for winner, loser, said in (
        (old, new, "it is obsolete itself"),
        (ahead.memory_id, new, "it is true only from"),
    ):
        with pytest.raises(InvalidArgumentError, match=said) as refused:
            await memory.relations.add(winner, loser, "supersedes")
        assert refused.value.argument == "from_id"
        drawn = {(r.from_id, r.to_id) for r in await memory.relations.list(winner)}
        assert (winner, loser) not in drawn


async def test_two_memories_cannot_supersede_each_other(memory: GraphMemory) -> None:
    first, second = await pair(memory)
    with pytest.raises(InvalidArgumentError, match="cannot supersede each other") as refused:
        await memory.relations.add(first, second, "supersedes", bidirectional=True)
    assert refused.value.argument == "bidirectional"
    assert await memory.relations.list(first) == []
    assert len((await memory.list()).memories) == 2


async def test_a_new_memory_supersedes_after_it_is_stored(memory: GraphMemory) -> None:
    old = await memory.add("tea")
    towards: Any = [{"target_id": old.memory_id, "relation_type": "supersedes"}]
    with pytest.raises(InvalidArgumentError, match="store the memory, then") as refused:
        await memory.add("cake", relationships=towards)
    assert refused.value.argument == "relationships.0.relation_type"
    assert len((await memory.list()).memories) == 1
