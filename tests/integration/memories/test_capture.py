"""Capture of conversations: verbatim, each place once, without secrets and noise; it fades."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory, LifecycleState, TurnStatus
from graph_memory.errors import InvalidArgumentError, LimitExceededError
from graph_memory.transfer.import_export import export_lines, import_lines
from tests.conftest import Clock

TURNS: list[dict[str, Any]] = [
    {"role": "user", "content": "What does Ada drink?\n\tIn the *morning*, I mean.", "position": 1},
    {"role": "assistant", "content": "Ada drinks green tea in the morning.", "position": 2},
    {"role": "user", "content": "Order two boxes of it, please.", "position": 3},
]


async def places(driver: AsyncDriver, memory: GraphMemory) -> list[tuple[str, str, str]]:
    """Return conversation, position and content of each captured turn."""
    records, _, _ = await driver.execute_query(
        "MATCH (c:Conversation {group_id: $group})-[t:HAS_TURN]->(m) "
        "RETURN c.conversation_key AS key, t.position AS position, m.content AS content "
        "ORDER BY key, position",
        group=memory.group(),
    )
    return [(r["key"].partition("|")[2], r["position"], r["content"]) for r in records]


async def test_turns_are_stored_verbatim_in_their_order(memory: GraphMemory, driver: AsyncDriver):
    captured = await memory.conversations.capture("c1", TURNS, project_id="kitchen")
    assert [turn.status for turn in captured] == [TurnStatus.STORED] * 3
    assert [turn.position for turn in captured] == ["1", "2", "3"]
    stored = [await memory.get(str(turn.memory_id), counted=False) for turn in captured]
    assert [each.content for each in stored] == [turn["content"] for turn in TURNS]
    assert {(each.memory_type, each.project_id, each.conversation_id) for each in stored} == {
        ("conversation", "kitchen", "c1")
    }
    assert [each.metadata for each in stored] == [{"role": turn["role"]} for turn in TURNS]
    assert [each.source for each in stored] == ["user", "derived", "user"]
    listed = (await memory.list(sort="created_at")).memories
    assert [each.content for each in listed] == [turn["content"] for turn in reversed(TURNS)]
    assert {each.importance_source for each in stored} == {"user"}  # nothing waits for a model
    walked = await memory.relations.traverse(str(captured[0].memory_id), max_depth=2)
    assert len(walked.nodes) >= 2  # each turn precedes the next
    assert await places(driver, memory) == [
        ("c1", str(turn["position"]), turn["content"]) for turn in TURNS
    ]


@pytest.mark.parametrize("position", [True, False], ids=["by position", "by text"])
async def test_a_repeated_capture_changes_nothing(
    memory: GraphMemory, driver: AsyncDriver, position: bool
):
    turns = TURNS if position else [{**turn, "position": None} for turn in TURNS]
    first = await memory.conversations.capture("c1", turns)
    before = await places(driver, memory), [line async for line in export_lines(memory)]
    again = await memory.conversations.capture("c1", turns)
    assert [turn.status for turn in again] == [TurnStatus.KNOWN] * 3
    assert [turn.memory_id for turn in again] == [turn.memory_id for turn in first]
    assert (await places(driver, memory), [line async for line in export_lines(memory)]) == before


async def test_a_place_is_captured_once_whatever_its_text(memory: GraphMemory):
    (first,) = await memory.conversations.capture("c1", TURNS[:1])
    (again,) = await memory.conversations.capture("c1", [{**TURNS[1], "position": 1}])
    assert (again.status, again.memory_id) == (TurnStatus.KNOWN, first.memory_id)
    assert await memory.count() == 1


async def test_what_was_deleted_does_not_come_back_at_its_place(memory: GraphMemory):
    (first,) = await memory.conversations.capture("c1", TURNS[:1])
    await memory.delete(str(first.memory_id))
    (again,) = await memory.conversations.capture("c1", TURNS[:1])
    assert again.status is TurnStatus.KNOWN
    assert await memory.count() == 0


async def test_of_a_repeated_text_the_place_is_recorded(memory: GraphMemory, driver: AsyncDriver):
    (first,) = await memory.conversations.capture("c1", TURNS[:1])
    again = await memory.conversations.capture(
        "c2", [{**TURNS[0], "position": 7}, {**TURNS[0], "position": 8}]
    )
    assert [turn.status for turn in again] == [TurnStatus.REPEATED] * 2
    assert {turn.memory_id for turn in again} == {first.memory_id}
    assert [place[:2] for place in await places(driver, memory)] == [
        ("c1", "1"),
        ("c2", "7"),
        ("c2", "8"),
    ]
    known = await memory.add("Ada drinks green tea in the morning.")
    (third,) = await memory.conversations.capture("c1", TURNS[1:2])
    assert (third.status, third.memory_id) == (TurnStatus.REPEATED, known.memory_id)
    await memory.context.accesses.flush()
    assert (await memory.get(known.memory_id, counted=False)).access_count == 1


async def test_several_captures_at_once_store_each_turn_once(
    memory: GraphMemory, driver: AsyncDriver
):
    await asyncio.gather(*(memory.conversations.capture("c1", TURNS) for _ in range(5)))
    assert await memory.count() == 3
    assert len(await places(driver, memory)) == 3


async def test_secrets_are_refused_and_noise_is_left_out(memory: GraphMemory):
    captured = await memory.conversations.capture(
        "c1",
        [
            {"content": "Use postgres://app:s3cr3tpw@db.local/x for it.", "position": 1},
            {"content": "ok", "position": 2},
            {"content": "total 48\ndrwxr-xr-x", "role": "tool", "position": 3},
            {"content": "The commit is 3f786850e387550fdab836ed7e6dc881de23001b.", "position": 4},
        ],
    )
    assert [(turn.status.value, turn.reason) for turn in captured] == [
        ("refused", "password in a URL"),
        ("left_out", "no statement"),
        ("left_out", "tool output"),
        ("stored", None),
    ]
    assert await memory.count() == 1


async def test_captured_turns_fade_in_weeks_unless_they_are_used(memory: GraphMemory, clock: Clock):
    captured = await memory.conversations.capture("c1", TURNS[:2])
    unused, used = (str(turn.memory_id) for turn in captured)
    kept = await memory.add("Ada's birthday is on 10 December", memory_type="fact")
    for _ in range(3):
        clock.advance(days=10)
        await memory.touch(used)
    clock.advance(days=10)
    await memory.maintenance.run(groups=[memory.group()])
    states = {
        id_: (await memory.get(id_, counted=False)).lifecycle_state
        for id_ in (unused, used, kept.memory_id)
    }
    assert states[unused] is LifecycleState.ARCHIVED
    assert states[used] is LifecycleState.DORMANT
    clock.advance(days=60)
    await memory.maintenance.run(groups=[memory.group()])
    assert {each.memory_id for each in (await memory.list()).memories} == {used, kept.memory_id}


async def test_an_import_restores_the_places(memory: GraphMemory, driver: AsyncDriver):
    await memory.conversations.capture("c1", TURNS)
    await memory.conversations.capture("c2", TURNS[:1])
    await memory.context.accesses.flush()
    before, lines = await places(driver, memory), [line async for line in export_lines(memory)]
    await memory.delete_all(confirm="DELETE ALL", permanent=True)
    assert await places(driver, memory) == []
    for _ in range(2):
        await import_lines(memory, lines)
    assert await places(driver, memory) == before
    assert [line async for line in export_lines(memory)] == lines
    again = await memory.conversations.capture("c1", TURNS)
    assert {turn.status for turn in again} == {TurnStatus.KNOWN}


async def test_wrong_arguments_name_their_place(memory: GraphMemory):
    with pytest.raises(InvalidArgumentError) as refused:
        await memory.conversations.capture("c1", [TURNS[0], {"content": "Tea?", "role": "robot"}])
    assert refused.value.argument == "turns.1.role"
    with pytest.raises(InvalidArgumentError):
        await memory.conversations.capture(" ", TURNS)
    too_many = [{"content": "Tea, please"}] * (memory.settings.max_batch + 1)
    with pytest.raises(LimitExceededError):
        await memory.conversations.capture("c1", too_many)
    assert await memory.count() == 0


async def test_the_time_of_a_turn_is_that_of_its_memory(memory: GraphMemory, clock: Clock):
    said = clock() - timedelta(days=3)
    (turn,) = await memory.conversations.capture("c1", [{**TURNS[0], "created_at": said}])
    assert (await memory.get(str(turn.memory_id))).created_at == said
