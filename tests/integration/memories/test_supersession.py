"""Supersession: decided once, shown by every read, and undone by reactivation."""

import asyncio
from datetime import timedelta

import pytest

from graph_memory import GraphMemory
from graph_memory.errors import InvalidArgumentError
from tests.conftest import TODAY, Clock


async def homes(memory: GraphMemory, clock: Clock, *names: str) -> list[str]:
    """Store the homes of a person, one per day."""
    ids: list[str] = []
    for name in names:
        ids.append((await memory.add(f"Ada's home is {name}")).memory_id)
        clock.advance(days=1)
    return ids


async def held(memory: GraphMemory) -> set[str]:
    listed = {m.memory_id for m in (await memory.list()).memories}
    found = {hit.memory.memory_id for hit in await memory.search("home")}
    assert found == listed
    return found


async def test_a_settled_contradiction_stays_settled(memory: GraphMemory, clock: Clock) -> None:
    old, new = await homes(memory, clock, "Oslo", "Bergen")
    await memory.update(old, importance=9)
    for _ in range(2):
        await memory.relations.add(old, new, "contradicts", resolve="newer")
    with pytest.raises(InvalidArgumentError, match=f"obsolete itself; '{new}' is the current one"):
        await memory.relations.add(old, new, "contradicts", resolve="stronger")
    assert await held(memory) == {new}


async def test_of_two_who_settle_at_once_one_decides(memory: GraphMemory, clock: Clock) -> None:
    for number in range(5):
        a, b = await homes(memory, clock, f"Oslo {number}", f"Bergen {number}")
        outcomes = await asyncio.gather(
            memory.lifecycle.mark_obsolete(a, "moved", superseded_by=b),
            memory.lifecycle.mark_obsolete(b, "moved", superseded_by=a),
            return_exceptions=True,
        )
        errors = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
        assert [type(error) for error in errors] == [InvalidArgumentError]
        assert len(await held(memory) & {a, b}) == 1


async def test_only_what_holds_can_supersede(memory: GraphMemory, clock: Clock) -> None:
    a, b, c, gone = await homes(memory, clock, "Oslo", "Bergen", "Bodo", "Narvik")
    ahead = await memory.add("Ada's home is Rome", valid_at=clock.now + timedelta(days=30))
    await memory.lifecycle.mark_obsolete(a, "moved", superseded_by=b)
    await memory.lifecycle.mark_obsolete(gone, "never true")
    for winner, loser, said in (
        (a, b, f"obsolete itself; '{b}' is the current one"),
        (a, c, f"obsolete itself; '{b}' is the current one"),
        (gone, c, "expired itself; update it first"),
        (c, a, f"superseded already; '{b}' is the current one"),
        (ahead.memory_id, c, "true only from 2026-07-05"),
    ):
        with pytest.raises(InvalidArgumentError, match=said) as refused:
            await memory.lifecycle.mark_obsolete(loser, "moved", superseded_by=winner)
        assert refused.value.argument == "superseded_by"
    assert await held(memory) == {b, c, ahead.memory_id}


async def test_what_is_obsolete_keeps_its_end(memory: GraphMemory, clock: Clock) -> None:
    a, b, c = await homes(memory, clock, "Oslo", "Bergen", "Bodo")
    first = await memory.lifecycle.mark_obsolete(a, "moved", superseded_by=b)
    await memory.lifecycle.mark_obsolete(b, "moved", superseded_by=c)
    for winner in (b, c, None):
        clock.advance(days=1)
        assert await memory.lifecycle.mark_obsolete(a, "moved", superseded_by=winner) == first
    assert first.invalid_at == TODAY + timedelta(days=1)


async def test_a_winner_can_be_named_later(memory: GraphMemory, clock: Clock) -> None:
    a, b = await homes(memory, clock, "Oslo", "Bergen")
    first = await memory.lifecycle.mark_obsolete(a, "outdated")
    clock.advance(days=1)
    later = await memory.lifecycle.mark_obsolete(a, "moved", superseded_by=b)
    assert (first.invalid_at, later.invalid_at) == (None, TODAY + timedelta(days=1))
    assert later.obsolete_at == first.obsolete_at


@pytest.mark.parametrize("how", ["update", "preserve", "recover"])
async def test_what_is_woken_holds_again(memory: GraphMemory, clock: Clock, how: str) -> None:
    a, b = await homes(memory, clock, "Oslo", "Bergen")
    await memory.lifecycle.mark_obsolete(a, "moved", superseded_by=b)
    clock.advance(days=1)
    if how == "update":
        await memory.update(a, content="Ada's home is Oslo again")
    elif how == "preserve":
        await memory.lifecycle.preserve(a)
    else:
        await memory.delete(a)
        await memory.lifecycle.recover(a)
    assert await held(memory) == {a, b}
    assert (await memory.get(a)).invalid_at is None
    assert [r.relation_type for r in await memory.relations.list(b)] == []
    events = {event.kind: event.detail for event in await memory.lifecycle.history(a)}
    assert events["unrelated"] == "Ada's home is Bergen supersedes Ada's home is Oslo"
    assert "ended" not in events
    await memory.lifecycle.mark_obsolete(b, "moved back", superseded_by=a)
    assert await held(memory) == {a}
