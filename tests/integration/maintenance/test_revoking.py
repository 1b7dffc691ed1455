"""Revocation takes back what came from a source, and undo restores it."""

import json
from datetime import timedelta
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import Authority, Grant, GraphMemory
from graph_memory.api.types import Scope
from graph_memory.errors import InvalidArgumentError
from graph_memory.transfer.import_export import import_lines
from tests.conftest import Clock
from tests.support.dump import dump


def acting(memory: GraphMemory, caller: str) -> GraphMemory:
    return memory.acting_for(Grant(caller, Scope.ADMIN, None, Authority.AGENT))


async def listed(memory: GraphMemory, group: str) -> set[str]:
    return {each.content for each in (await memory.list(group_id=group, limit=50)).memories}


async def test_what_a_token_wrote_and_what_is_below_it_goes_and_comes_back(
    memory: GraphMemory, group: str, driver: AsyncDriver
):
    good, bad = acting(memory, "ada/1"), acting(memory, "bot/2")
    kept = await good.add("Ada likes tea", group_id=group)
    wrong = await bad.add("Ada hates tea", group_id=group)
    await good.add("So buy no tea", parent_id=wrong.memory_id, group_id=group)
    other = await good.add("Tea grows in Assam", group_id=group)
    await bad.relations.add(kept.memory_id, other.memory_id, "supports", group_id=group)
    await good.relations.add(other.memory_id, kept.memory_id, "extends", group_id=group)
    before = await dump(driver, group)

    dry = await memory.maintenance.revoke_source(token="2", dry_run=True, group_id=group)
    assert (dry.memories, dry.derived, dry.relations, dry.run_id) == (2, 1, 1, None)
    assert await dump(driver, group) == before

    done = await memory.maintenance.revoke_source("it was hacked", token="bot/2", group_id=group)
    assert (done.memories, done.derived, done.relations) == (2, 1, 1)
    assert await listed(memory, group) == {"Ada likes tea", "Tea grows in Assam"}
    (relation,) = await memory.relations.list(kept.memory_id, group_id=group)
    assert relation.relation_type == "extends"
    history = await memory.lifecycle.history(wrong.memory_id, group_id=group)
    assert any("it was hacked" in (event.detail or "") for event in history)

    undone = await memory.maintenance.undo(str(done.run_id), group_id=group)
    assert (undone.unlearned, undone.refused) == (3, 0)
    assert await dump(driver, group) == before


async def test_an_import_goes_as_a_whole(memory: GraphMemory, group: str):
    await memory.add("Ada likes tea", group_id=group)
    lines = [json.dumps({"content": text}) for text in ("Ada likes rum", "Bo likes gin")]
    report = await import_lines(memory, lines, group)
    done = await memory.maintenance.revoke_source(import_id=report.import_id, group_id=group)
    assert done.memories == 2
    assert await listed(memory, group) == {"Ada likes tea"}


async def test_a_conversation_and_a_time_select(memory: GraphMemory, group: str, clock: Clock):
    for day in range(3):
        for conversation in ("c1", "c2"):
            await memory.add(
                f"day {day} of {conversation}", conversation_id=conversation, group_id=group
            )
        clock.advance(days=1)
    since = clock() - timedelta(days=1, hours=1)
    done = await memory.maintenance.revoke_source(conversation_id="c1", since=since, group_id=group)
    assert done.memories == 1
    assert "day 2 of c1" not in await listed(memory, group)
    done = await memory.maintenance.revoke_source(since=since, group_id=group)
    assert done.memories == 1
    assert await listed(memory, group) == {
        "day 0 of c1",
        "day 0 of c2",
        "day 1 of c1",
        "day 1 of c2",
    }


async def test_a_text_belongs_to_its_writer(memory: GraphMemory, group: str):
    good, bad = acting(memory, "ada/1"), acting(memory, "bot/2")
    mended = await bad.add("Ada hates tea", group_id=group)
    await good.update(mended.memory_id, content="Ada likes tea", group_id=group)
    spoilt = await good.add("Bo likes gin", group_id=group)
    await bad.update(spoilt.memory_id, content="Bo hates gin", group_id=group)
    done = await memory.maintenance.revoke_source(token="bot/2", group_id=group)
    assert (done.memory_ids, done.rewritten) == ([spoilt.memory_id], [spoilt.memory_id])
    assert await listed(memory, group) == {"Ada likes tea"}


async def test_an_undo_keeps_what_was_stored_again(memory: GraphMemory, group: str):
    bad = acting(memory, "bot/2")
    await bad.add("Ada hates tea", group_id=group)
    done = await memory.maintenance.revoke_source(token="bot/2", group_id=group)
    again = await memory.add("Ada hates tea", group_id=group)
    undone = await memory.maintenance.undo(str(done.run_id), group_id=group)
    assert (undone.unlearned, undone.refused) == (0, 1)
    assert await memory.count(group_id=group) == 1
    await memory.delete(again.memory_id, permanent=True, group_id=group)
    undone = await memory.maintenance.undo(str(done.run_id), group_id=group)
    assert (undone.unlearned, undone.refused) == (1, 0)


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({}, "token"),
        ({"run": "r", "import_id": "i"}, "run"),
        ({"token": " "}, "token"),
        ({"since": "yesterday"}, "since"),
    ],
)
async def test_a_source_without_a_name_is_refused(
    memory: GraphMemory, group: str, given: dict[str, Any], argument: str
):
    with pytest.raises(InvalidArgumentError) as raised:
        await memory.maintenance.revoke_source(group_id=group, **given)
    assert raised.value.argument == argument


async def test_groups_are_apart(memory: GraphMemory, group: str):
    bad, other = acting(memory, "bot/2"), f"{group}_other"
    await bad.add("Ada hates tea", group_id=group)
    await bad.add("Ada hates tea", group_id=other)
    done = await memory.maintenance.revoke_source(token="bot/2", group_id=group)
    assert done.memories == 1
    assert await listed(memory, other) == {"Ada hates tea"}
    await memory.delete_all(confirm="DELETE ALL", permanent=True, group_id=other)
