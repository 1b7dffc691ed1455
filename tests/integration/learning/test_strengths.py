"""What a conversation uses together is related more strongly; deliveries alone change nothing."""

import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Relation
from graph_memory.domain.models import RelationType
from graph_memory.domain.scope import CallScope
from graph_memory.learning.strengths import learned_strength
from graph_memory.search.session import Session
from graph_memory.settings.base import read_settings
from graph_memory.transfer.import_export import export_lines
from tests.conftest import Clock
from tests.integration.maintenance.test_run import other, run
from tests.support.dump import dump

NAMES = ("gate", "lock", "key", "fence")
HALF_LIFE = 90.0


async def yard(memory: GraphMemory) -> list[str]:
    """Store a gate that three memories support; return the ids, the gate first."""
    ids = [(await memory.add(f"This is about the {name} of the yard.")).memory_id for name in NAMES]
    for end in ids[1:]:
        await memory.relations.add(ids[0], end, "supports")
    return ids


async def deliver(memory: GraphMemory, session_id: str, ids: list[str]) -> None:
    """Store a session that has received memories, as a retrieval does."""
    scope = CallScope(memory.group(None), memory.clock())
    session = Session(session_id).after(
        dict.fromkeys(ids, "v"), position=0, tokens=1, settings=memory.settings
    )
    await memory.context.session_store.write(scope, session)


async def converse(memory: GraphMemory, session_id: str, ids: list[str], *used: str) -> None:
    """Deliver memories to a conversation, and touch those that it uses."""
    await deliver(memory, session_id, ids)
    for memory_id in used:
        await memory.touch(memory_id, session_id=session_id)
    await memory.context.session_store.flush()


async def learn(memory: GraphMemory, **options: Any) -> Any:
    return await run(memory, stages=["strengths"], **options)


async def relations(memory: GraphMemory, memory_id: str) -> dict[str, Relation]:
    return {each.to_id: each for each in await memory.relations.list(memory_id)}


async def strengths(memory: GraphMemory, ids: list[str]) -> list[float]:
    found = await relations(memory, ids[0])
    return [found[end].strength for end in ids[1:]]


async def test_what_is_used_together_is_related_more_strongly(
    memory: GraphMemory, clock: Clock
) -> None:
    ids = await yard(memory)
    gate, lock, key, fence = ids
    await converse(memory, "one", ids, gate, lock)
    await converse(memory, "two", ids, lock, gate, key)
    assert await strengths(memory, ids) == [0.5, 0.5, 0.5]
    assert (await learn(memory)).learned == 2
    assert await strengths(memory, ids) == [0.68, 0.6, 0.5]
    found = await relations(memory, gate)
    learned = found[lock].learned
    assert learned is not None
    assert (learned.given_strength, learned.uses, learned.last_used_at) == (0.5, 2, clock.now)
    assert found[fence].learned is None
    walk = await memory.relations.traverse(gate, counted=False, max_depth=1)
    assert [node.memory_id for node in walk.nodes] == [lock, key, fence]
    assert [edge.strength for edge in walk.edges] == [0.68, 0.6, 0.5]
    assert (await memory.stats()).relations["supports"].avg_strength == 0.5933
    (event,) = [e for e in await memory.lifecycle.history(key) if e.kind == "strength"]
    assert "0.5 → 0.6, used together in 1 session (run " in (event.detail or "")


async def test_a_retrieval_a_read_and_feedback_are_use(memory: GraphMemory) -> None:
    ids = await yard(memory)
    session = (await memory.retrieve("the yard")).session_id
    await memory.get(ids[0], session_id=session)
    await memory.feedback.add(ids[1], True, session_id=session)
    await memory.feedback.add(ids[2], False, session_id=session)
    await memory.get(ids[3], session_id=session, counted=False)
    await memory.get(ids[3], session_id=session, known_at=memory.clock())
    await memory.context.session_store.flush()
    await learn(memory)
    assert await strengths(memory, ids) == [0.6, 0.5, 0.5]


async def test_what_is_delivered_or_used_alone_changes_nothing(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    """A popular memory does not become more popular by being popular."""
    ids = await yard(memory)
    for number in range(50):
        await converse(memory, f"s{number}", ids, ids[number % 4])
    await memory.touch(ids[0])
    await memory.touch(ids[1], session_id="unknown")
    await converse(memory, "narrow", ids[:1], ids[0], ids[1])
    before = await dump(driver, group)
    assert (await learn(memory)).learned == 0
    assert await dump(driver, group) == before


async def test_once_or_ten_times_is_the_same_and_undo_leaves_nothing(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    ids = await yard(memory)
    await converse(memory, "one", ids, *ids)
    await memory.touch(ids[0], session_id="one")
    await memory.context.session_store.flush()
    before = await dump(driver, group)
    report = await learn(memory)
    once = await dump(driver, group)
    for _ in range(9):
        assert (await learn(memory)).learned == 0
    assert await dump(driver, group) == once
    undone = await memory.maintenance.undo(report.run_id)
    assert (undone.unlearned, undone.refused) == (3, 0)
    assert await dump(driver, group) == before


async def test_an_earlier_run_is_undone_after_the_later_one(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    ids = await yard(memory)
    await converse(memory, "one", ids, *ids[:3])
    before = await dump(driver, group)
    first = await learn(memory)
    clock.advance(days=20)
    second = await learn(memory)
    assert await strengths(memory, ids) == [0.57, 0.57, 0.5]
    refused = await memory.maintenance.undo(first.run_id)
    assert (refused.refused, refused.unlearned) == (second.learned, 0)
    assert "learned again" in refused.refusals[0].reason
    await memory.maintenance.undo(second.run_id)
    assert await strengths(memory, ids) == [0.6, 0.6, 0.5]
    assert (await memory.maintenance.undo(first.run_id)).refused == 0
    assert await dump(driver, group) == before


async def test_disuse_weakens_down_to_a_bound(memory: GraphMemory, clock: Clock) -> None:
    ids = await yard(memory)
    await converse(memory, "one", ids, *ids[:2])
    seen: list[float] = []
    for _ in range(6):
        await learn(memory)
        seen.append((await strengths(memory, ids))[0])
        clock.advance(days=180)
    assert seen == sorted(seen, reverse=True)
    assert (seen[0], seen[-1]) == (0.6, 0.38)
    assert (await strengths(memory, ids))[1:] == [0.5, 0.5]


async def test_a_removed_session_leaves_its_uses(memory: GraphMemory, clock: Clock) -> None:
    ids = await yard(memory)
    await converse(memory, "one", ids, *ids[:2])
    await memory.sessions.state("one", reset=True)
    await converse(memory, "two", ids, *ids[:2])
    clock.advance(days=40)
    await run(memory, stages=["sessions"])
    assert (await memory.sessions.state("two")).loaded == []
    clock.advance(days=-40)
    assert (await learn(memory)).learned == 1
    assert await strengths(memory, ids) == [0.68, 0.5, 0.5]


async def test_a_dry_run_shows_from_and_to_with_the_reason_and_the_canary_bounds(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    ids = await yard(memory)
    await converse(memory, "one", ids, *ids[:2])
    before = await dump(driver, group)
    expected = await memory.maintenance.dry_run(groups=[group], stages=["strengths"])
    (change,) = expected.would_learn
    assert (change.memory_id, change.was, change.becomes) == (ids[0], "0.5", "0.6")
    assert change.reason.startswith(f"supports {ids[1]}: used together in 1 session, last on ")
    assert expected.learned == 1
    assert (await learn(memory, canary_percent=0)).learned == 0
    assert await dump(driver, group) == before


async def test_groups_never_mix(memory: GraphMemory, driver: AsyncDriver, group: str) -> None:
    theirs = other(memory, group_id=f"{group}_b")
    ids, their_ids = await yard(memory), await yard(theirs)
    await converse(memory, "one", [*ids, *their_ids], ids[0], ids[1])
    await deliver(theirs, "one", [*ids, *their_ids])
    theirs.context.session_store.used(CallScope(f"{group}_b", memory.clock()), "one", ids[0])
    await theirs.touch(their_ids[2], session_id="one")
    await theirs.context.session_store.flush()
    before = await dump(driver, f"{group}_b")
    await memory.maintenance.run(groups=[group, f"{group}_b"], stages=["strengths"])
    assert await dump(driver, f"{group}_b") == before
    assert await strengths(memory, ids) == [0.6, 0.5, 0.5]
    await theirs.delete_all(confirm="DELETE ALL", permanent=True)


async def test_types_are_on_or_off(memory: GraphMemory) -> None:
    ids = await yard(memory)
    await memory.relations.add(ids[1], ids[2], "follows", strength=0.4)
    await converse(memory, "one", ids, *ids[:3])
    await learn(memory)
    assert (await relations(memory, ids[1]))[ids[2]].strength == 0.4
    only = other(memory, strength_relation_types=("follows",))
    assert (await learn(only)).learned == 3
    assert await strengths(memory, ids) == [0.5, 0.5, 0.5]
    assert (await relations(memory, ids[1]))[ids[2]].strength == 0.52


async def test_a_given_strength_counts_at_once_and_is_exported(memory: GraphMemory) -> None:
    ids = await yard(memory)
    await converse(memory, "one", ids, *ids[:2])
    await learn(memory)
    await memory.relations.add(ids[0], ids[1], "supports", metadata={"kept": True})
    assert await strengths(memory, ids) == [0.6, 0.5, 0.5]
    lines = [json.loads(line) async for line in export_lines(memory)]
    assert {r["strength"] for line in lines for r in line.get("relationships", ())} == {0.5}
    await memory.relations.add(ids[0], ids[1], "supports", strength=0.1)
    assert await strengths(memory, ids) == [0.1, 0.5, 0.5]
    await learn(memory)
    assert await strengths(memory, ids) == [0.28, 0.5, 0.5]


async def test_centrality_follows_the_learned_strength(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    ids = await yard(memory)
    await converse(memory, "one", ids, *ids[:2])
    await learn(memory)
    await driver.execute_query(
        "MATCH (m:Memory {group_id: $group}) SET m.access_count = 0", group=group
    )
    await run(memory, stages=["centrality"])
    records, _, _ = await driver.execute_query(
        "MATCH (m:Memory {group_id: $group}) RETURN m.uuid AS id, m.centrality AS value",
        group=group,
    )
    central = {record["id"]: record["value"] for record in records}
    assert central[ids[1]] > central[ids[2]] == central[ids[3]]


def reference(
    edges: set[tuple[int, int, str]], sessions: list[tuple[set[int], set[int], int, bool]]
) -> dict[tuple[int, int, str], float]:
    """Return the strength of each relation by counting sessions one by one."""
    found: dict[tuple[int, int, str], float] = {}
    for start, end, name in edges:
        days = [day for got, used, day, _ in sessions if {start, end} <= got & used]
        learns = name in read_settings().strength_relation_types
        found[start, end, name] = 0.5
        if days and learns:
            unused = timedelta(days=100 - max(days))
            found[start, end, name] = learned_strength(0.5, len(days), unused, HALF_LIFE)
    return found


PLACES = st.sets(st.integers(0, 3), max_size=4)


@hypothesis_settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    edges=st.sets(
        st.tuples(
            st.integers(0, 3), st.integers(0, 3), st.sampled_from(["relates_to", "follows"])
        ).filter(lambda edge: edge[0] != edge[1]),
        max_size=8,
    ),
    sessions=st.lists(st.tuples(PLACES, PLACES, st.integers(0, 99), st.booleans()), max_size=8),
)
async def test_strengths_are_those_of_a_plain_reference(
    memory: GraphMemory,
    clock: Clock,
    edges: set[tuple[int, int, str]],
    sessions: list[tuple[set[int], set[int], int, bool]],
) -> None:
    ids = [(await memory.add(f"Hypothesis place {n}")).memory_id for n in range(4)]
    for start, end, name in edges:
        await memory.relations.add(ids[start], ids[end], RelationType(name))
    began = clock.now
    for number, (got, used, day, ends) in enumerate(sessions):
        clock.now = began + timedelta(days=day)
        given_ids = [ids[place] for place in sorted(got)]
        await converse(memory, f"s{number}", given_ids, *(ids[place] for place in sorted(used)))
        if ends:
            await memory.sessions.state(f"s{number}", reset=True)
    clock.now = began + timedelta(days=100)
    await learn(memory)
    found = {
        (ids.index(each.from_id), ids.index(each.to_id), each.relation_type): each.strength
        for memory_id in ids
        for each in await memory.relations.list(memory_id)
    }
    assert found == reference(edges, sessions)
    clock.now = began
    await memory.delete_all(confirm="DELETE ALL", permanent=True)


async def test_a_session_notes_the_first_used_memories_up_to_a_bound(
    memory: GraphMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph_memory.search.session_store._MAX_USED", 3)
    ids = await yard(memory)
    await converse(memory, "one", ids, *ids)
    await memory.touch(ids[0], session_id="one")
    await memory.context.session_store.flush()
    await learn(memory)
    assert sorted(await strengths(memory, ids)) == [0.5, 0.6, 0.6]
