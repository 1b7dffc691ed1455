"""Single-valued slots of a group: the newer memory supersedes the older; undo takes it back."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.domain.scope import CallScope
from graph_memory.errors import InvalidArgumentError
from graph_memory.learning import slots
from tests.conftest import Clock
from tests.integration.maintenance.test_run import other, run
from tests.support.dump import dump

HOMES = (
    "Ada lives in Paris.",
    "Grace lives in Rome.",
    "Ada works at Acme.",
    "Ada lives in Berlin.",
    "Ada works at Globex.",
    "Ada lives in Berlin now.",
)


async def stored(memory: GraphMemory, clock: Clock, *texts: str) -> list[str]:
    """Store texts, a minute apart, and return their ids."""
    ids: list[str] = []
    for text in texts:
        ids.append((await memory.add(text)).memory_id)
        clock.advance(minutes=1)
    return ids


async def settle(memory: GraphMemory, **options: Any) -> Any:
    return await run(memory, stages=["slots"], **options)


async def winners(memory: GraphMemory, ids: Sequence[str]) -> list[str | None]:
    """Return the memory that supersedes each of some memories."""
    return [(await memory.get(each, counted=False)).superseded_by for each in ids]


async def test_a_newer_value_of_a_declared_slot_supersedes_the_older(
    memory: GraphMemory, clock: Clock
) -> None:
    paris, rome, acme, berlin, globex, still = await stored(memory, clock, *HOMES)
    assert (await settle(memory)).learned == 0
    await memory.groups.set(single_valued_slots=["lives_in"])
    report = await settle(memory)
    assert report.learned == 1
    assert await winners(memory, [paris]) == [berlin]
    assert await winners(memory, [rome, acme, berlin, globex, still]) == [None] * 5
    old, new = [await memory.get(each, counted=False) for each in (paris, berlin)]
    assert (old.lifecycle_state, old.invalid_at) == ("EXPIRED", new.valid_at)
    (decided,) = (await memory.proposals.list(status="accepted")).proposals
    assert decided.reason == "one value of lives_in: 'Paris', then 'Berlin'"
    assert (decided.decided_by, decided.decided_run_id) == (
        "single-valued slot lives_in",
        report.run_id,
    )
    events = [each.detail or "" for each in await memory.lifecycle.history(paris)]
    assert any("one value of lives_in" in detail for detail in events)


async def test_a_dry_run_shows_both_values_and_changes_nothing(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    paris, _, acme, berlin, globex, _ = await stored(memory, clock, *HOMES)
    await memory.groups.set(single_valued_slots=["lives_in", "works_at"])
    before = await dump(driver, group)
    expected = await memory.maintenance.dry_run(groups=[group], stages=["slots"])
    assert await dump(driver, group) == before
    shown = [(e.stage, e.memory_id, e.was, e.becomes) for e in expected.would_learn]
    assert shown == [
        ("slots", paris, "lives_in Paris", f"superseded by {berlin}: lives_in Berlin"),
        ("slots", acme, "works_at Acme", f"superseded by {globex}: works_at Globex"),
    ]
    assert expected.would_learn[0].reason == "one value of lives_in: 'Paris', then 'Berlin'"
    assert ((await settle(memory)).learned, expected.learned) == (2, 2)


async def test_a_usual_run_settles_slots_and_a_second_changes_nothing(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    await stored(memory, clock, *HOMES)
    await memory.groups.set(single_valued_slots=["lives_in", "works_at"])
    assert (await run(memory)).learned == 2
    once = await dump(driver, group)
    assert (await run(memory)).learned == (await settle(memory)).learned == 0
    assert await dump(driver, group) == once


MOVES = ("in Paris.", "in Rome.", "in Paris again.", "in Oslo.")


@pytest.mark.parametrize("each_time", [False, True])
async def test_one_run_or_many_leave_the_same_chain(
    memory: GraphMemory, clock: Clock, each_time: bool
) -> None:
    await memory.groups.set(single_valued_slots=["lives_in"])
    ids: list[str] = []
    for place in MOVES:
        ids += await stored(memory, clock, f"Ada lives {place}")
        if each_time:
            await settle(memory)
    await settle(memory)
    first, second, third, last = [await memory.get(each, counted=False) for each in ids]
    assert [m.lifecycle_state for m in (first, second, third, last)] == ["EXPIRED"] * 3 + ["ACTIVE"]
    assert first.invalid_at == second.valid_at
    assert second.invalid_at == third.valid_at
    assert third.invalid_at == last.valid_at
    assert await winners(memory, ids[:3]) == [ids[3]] * 3


async def test_an_undone_run_leaves_the_group_as_it_was(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    memory = other(memory, undo_hold_days=0)
    await stored(memory, clock, *HOMES, "Grace lives in Oslo with her cat.", "Grace lives in Bonn.")
    await memory.groups.set(single_valued_slots=["lives_in", "works_at"])
    before = await dump(driver, group)
    report = await settle(memory)
    assert report.learned == 4
    undone = await memory.maintenance.undo(report.run_id)
    assert (undone.refused, undone.held) == (0, 0)
    assert await dump(driver, group) == before
    assert (await settle(memory)).learned == 4


async def test_an_undo_holds_before_the_rules_apply_again(
    memory: GraphMemory, clock: Clock
) -> None:
    paris, berlin = await stored(memory, clock, "Ada lives in Paris.", "Ada lives in Berlin.")
    await memory.groups.set(single_valued_slots=["lives_in"])
    undone = await memory.maintenance.undo((await settle(memory)).run_id)
    assert (undone.held, undone.held_until) == (1, clock() + timedelta(days=7))
    assert "Runs leave the restored ones alone until" in undone.explanation
    assert (await memory.lifecycle.status(paris)).held_until == undone.held_until
    assert (await settle(memory)).learned == 0
    clock.advance(days=8)
    assert (await settle(memory)).learned == 1
    assert await winners(memory, [paris]) == [berlin]


WEAKER = "the newer memory has less authority"
LEFT = [
    ("SET old.origin_authority = 'person', new.origin_authority = 'agent'", WEAKER),
    ("SET old.origin_authority = 'import', new.origin_authority = null", WEAKER),
    ("SET old.tags = ['preserved'], old.is_protected = true", "the older memory is protected"),
    ("SET old.content = old.content + ' She has a cat.'", "the older memory states more"),
    ("SET new.content = 'Ada moved to Berlin.'", "the words may mean something else"),
]


@pytest.mark.parametrize(("change", "why"), LEFT, ids=[str(n) for n in range(len(LEFT))])
async def test_a_change_in_doubt_is_proposed(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, change: Any, why: str
) -> None:
    paris, berlin = await stored(memory, clock, "Ada lives in Paris.", "Ada lives in Berlin.")
    await memory.groups.set(single_valued_slots=["lives_in"])
    await driver.execute_query(
        "MATCH (old:Memory {uuid: $old}), (new:Memory {uuid: $new}) " + change,
        old=paris,
        new=berlin,
    )
    eager = other(memory, proposal_auto_accept={"supersedes": 0.9}, learn=("proposals",))
    expected = await memory.maintenance.dry_run(groups=[memory.group()], stages=["slots"])
    assert expected.would_learn[0].becomes.startswith("proposed to be superseded by")
    assert [(await settle(eager)).learned, (await settle(eager)).learned] == [1, 0]
    (proposal,) = (await memory.proposals.list()).proposals
    assert (proposal.kind, proposal.score) == ("supersedes", 0.5)
    assert proposal.reason == f"one value of lives_in: 'Paris', then 'Berlin'; {why}"
    await run(eager, stages=["proposals"])
    assert await winners(memory, [paris]) == [None]
    await memory.proposals.accept([proposal.proposal_id])
    assert await winners(memory, [paris]) == [berlin]


async def test_the_time_of_an_event_decides_before_the_time_of_storing(
    memory: GraphMemory, clock: Clock
) -> None:
    new = await memory.add("Ada lives in Berlin.", valid_at=clock() - timedelta(days=10))
    clock.advance(hours=1)
    old = await memory.add("Ada lives in Paris.", valid_at=clock() - timedelta(days=400))
    ahead = await memory.add("Ada lives in Oslo.", valid_at=clock() + timedelta(days=10))
    await memory.groups.set(single_valued_slots=["lives_in"])
    assert (await settle(memory)).learned == 1
    ids = [old.memory_id, new.memory_id, ahead.memory_id]
    assert await winners(memory, ids) == [new.memory_id, None, None]
    clock.advance(days=11)
    assert (await settle(memory)).learned == 1
    assert await winners(memory, [new.memory_id]) == [ahead.memory_id]


async def test_memories_of_one_instant_are_left(memory: GraphMemory, clock: Clock) -> None:
    await memory.add_many([{"content": f"Ada lives in {city}."} for city in ("Paris", "Berlin")])
    await memory.groups.set(single_valued_slots=["lives_in"])
    assert (await settle(memory)).learned == 0


async def test_a_rejected_change_is_not_made_again(memory: GraphMemory, clock: Clock) -> None:
    paris, berlin = await stored(memory, clock, "Ada lives in Paris.", "Ada lives in Berlin.")
    await memory.groups.set(single_valued_slots=["lives_in"])
    await settle(memory)
    (decided,) = (await memory.proposals.list(status="accepted")).proposals
    await memory.proposals.reopen([decided.proposal_id])
    await memory.proposals.reject([decided.proposal_id])
    assert (await settle(memory)).learned == 0
    (oslo,) = await stored(memory, clock, "Ada lives in Oslo.")
    assert (await settle(memory)).learned == 2
    assert await winners(memory, [paris, berlin]) == [oslo, oslo]


async def test_turns_of_an_assistant_are_not_about_the_user(
    memory: GraphMemory, clock: Clock
) -> None:
    await memory.groups.set(single_valued_slots=["lives_in"])
    turns = [
        {"content": "I live in the old town of Bern.", "role": "user"},
        {"content": "I live in Paris.", "role": "user"},
        {"content": "I live in Oslo.", "role": "assistant"},
    ]
    captured = await memory.conversations.capture("c1", turns)
    assert [turn.status for turn in captured] == ["stored"] * 3
    assert (await settle(memory)).learned == 0
    clock.advance(minutes=1)
    (later,) = await memory.conversations.capture(
        "c2", [{"content": "I live in Rome.", "role": "user"}]
    )
    assert (await settle(memory)).learned == 1
    ids = [str(turn.memory_id) for turn in captured[1:]]
    assert await winners(memory, ids) == [later.memory_id, None]


async def test_a_run_ends_what_another_began(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    ids = await stored(
        memory, clock, *(f"Ada lives in {city}." for city in ("Bonn", "Bern", "Rome"))
    )
    await memory.groups.set(single_valued_slots=["lives_in"])
    scope = CallScope(group, clock())
    engine = memory.context.engine
    changes = await slots.find(engine.graph, scope, ["lives_in"])
    assert len(changes) == 2
    await slots.apply(engine, scope, changes[:1], "killed")
    assert (await settle(memory)).learned == 1
    assert await winners(memory, ids) == [ids[2], ids[2], None]


async def test_a_canary_and_groups_limit_what_changes(memory: GraphMemory, clock: Clock) -> None:
    await memory.groups.set(single_valued_slots=["lives_in"])
    elsewhere = f"{memory.group()}_b"
    for text in ("Ada lives in Paris.", "Ada lives in Berlin."):
        await memory.add(text)
        await memory.add(text, group_id=elsewhere)
        clock.advance(minutes=1)
    assert (await settle(memory, canary_percent=0)).learned == 0
    both = [memory.group(), elsewhere]
    report = await memory.maintenance.run(groups=both, stages=["slots"])
    assert report.learned == 1


async def test_settings_of_a_group(memory: GraphMemory, clock: Clock) -> None:
    none = await memory.groups.settings()
    assert (none.group_id, none.single_valued_slots, none.updated_at) == (memory.group(), [], None)
    stored = await memory.groups.set(single_valued_slots=["works_at", " Lives-in", "works_at"])
    assert (stored.single_valued_slots, stored.updated_at) == (["lives_in", "works_at"], clock())
    assert await memory.groups.settings() == stored
    assert await memory.groups.settings(group_id="elsewhere") != stored
    with pytest.raises(InvalidArgumentError, match="did you mean lives_in"):
        await memory.groups.set(single_valued_slots=["livs_in"])
    assert await memory.groups.settings() == stored
    assert await memory.groups.unset("single_valued_slots") == none
    await memory.groups.set(single_valued_slots=["name"])
    assert await memory.groups.set(single_valued_slots=[]) == none


async def test_erasing_all_of_a_group_erases_its_settings(memory: GraphMemory) -> None:
    await memory.groups.set(single_valued_slots=["name"])
    await memory.groups.set(single_valued_slots=["age"], group_id=f"{memory.group()}_b")
    await memory.delete_all(confirm="DELETE ALL", permanent=True)
    assert (await memory.groups.settings()).single_valued_slots == []
    left = await memory.groups.settings(group_id=f"{memory.group()}_b")
    assert left.single_valued_slots == ["age"]


def test_the_slots_that_can_be_single_valued(memory: GraphMemory) -> None:
    known = memory.groups.slots()
    assert [slot.name for slot in known] == sorted(slot.name for slot in known)
    assert {"lives_in": "Ada lives in Paris"}.items() <= {s.name: s.example for s in known}.items()
