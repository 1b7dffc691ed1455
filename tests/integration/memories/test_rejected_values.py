"""A rejected value in other words waits for a review, on every way in, until one accepts it."""

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import Authority, Grant, GraphMemory
from graph_memory.api.types import Scope
from graph_memory.errors import PendingReviewError, RejectedBeforeError
from graph_memory.memories.tombstones import judge_each
from graph_memory.transfer.import_export import import_lines
from tests.integration.maintenance.test_run import other
from tests.support.mcp_client import call, inside, refused

REJECTED = "Alice lives in Paris."
AGAIN = "Alice has moved to Paris"
SLOTS = ("lives_in", "works_at")


async def declare(memory: GraphMemory, group: str, *slots: str) -> None:
    """Declare the single-valued slots of a group."""
    if slots:
        await memory.groups.set(single_valued_slots=slots, group_id=group)
    else:
        await memory.groups.unset("single_valued_slots", group_id=group)


async def reject(memory: GraphMemory, group: str, text: str = REJECTED) -> str:
    """Store and reject a statement in a group that declares slots; return its tombstone's id."""
    await declare(memory, group, *SLOTS)
    stored = await memory.add(text, group_id=group)
    await memory.lifecycle.reject(stored.memory_id, reason="a guess", group_id=group)
    latest, *_ = await memory.tombstones.list(group_id=group)
    return latest.tombstone_id


async def _by_add(memory: GraphMemory, group: str) -> None:
    await memory.add(AGAIN, group_id=group)


async def _by_a_person(memory: GraphMemory, group: str) -> None:
    person = memory.acting_for(Grant("ada/1", Scope.ADMIN, None, Authority.PERSON))
    await person.add(AGAIN, group_id=group)


async def _by_batch(memory: GraphMemory, group: str) -> None:
    first, second = await memory.add_many(
        [{"content": "The depot opens at six"}, {"content": AGAIN}], group_id=group
    )
    assert first.memory_id
    raise second.error or AssertionError


async def _by_import(memory: GraphMemory, group: str) -> None:
    report = await import_lines(memory, [json.dumps({"content": AGAIN})], group)
    assert [error.code for error in report.errors] == ["pending_review"]
    assert "rejected_before" in report.errors[0].message
    raise PendingReviewError("", "")


async def _by_capture(memory: GraphMemory, group: str) -> None:
    turn = {"content": AGAIN, "role": "user"}
    (captured,) = await memory.conversations.capture("c1", [turn], group_id=group)
    assert (captured.memory_id, captured.status) == (None, "left_out")
    raise PendingReviewError("", "")


async def _by_update(memory: GraphMemory, group: str) -> None:
    stored = await memory.add("Alice likes jazz", group_id=group)
    await memory.update(stored.memory_id, content=AGAIN, group_id=group)


async def _by_a_part(memory: GraphMemory, group: str) -> None:
    stored = await memory.add("Alice has moved to Rome", group_id=group)
    await memory.update(stored.memory_id, supersede_part="Rome", content="Paris", group_id=group)


@pytest.mark.parametrize(
    "write",
    [_by_add, _by_a_person, _by_batch, _by_import, _by_capture, _by_update, _by_a_part],
)
async def test_a_rejected_value_waits_and_an_accepted_one_waits_no_more(
    memory: GraphMemory, group: str, write: Callable[[GraphMemory, str], Awaitable[None]]
) -> None:
    tombstone = await reject(memory, group)
    with pytest.raises(PendingReviewError):
        await write(memory, group)
    (waiting,) = (await memory.pending.list(group_id=group)).writes
    assert waiting.content == AGAIN
    assert waiting.rule == (
        "rejected_before: this value of lives_in was rejected at 2026-06-01T12:00:00.000Z by "
        f"Python, because of 'a guess'; tombstone {tombstone}"
    )
    done = await memory.pending.accept(group_id=group)
    assert (done.done, done.refusals) == ([waiting.pending_id], [])
    assert (await memory.add("Alice is based in Paris", group_id=group)).memory_id
    with pytest.raises(RejectedBeforeError):
        await memory.add(REJECTED.upper(), group_id=group)


@pytest.mark.parametrize(
    "text",
    [
        "Alice has moved to Rome",
        "Bob has moved to Paris",
        "Alice does not live in Paris",
        "Alice adores Paris",
    ],
)
async def test_other_values_do_not_wait(memory: GraphMemory, group: str, text: str) -> None:
    await reject(memory, group)
    assert (await memory.add(text, group_id=group)).content == text


async def test_only_slots_that_the_group_declares_count(memory: GraphMemory, group: str) -> None:
    await reject(memory, group)
    await declare(memory, group, "works_at")
    stored = await memory.add(AGAIN, group_id=group)
    await memory.delete(stored.memory_id, group_id=group)
    await declare(memory, group)
    stored = await memory.add(AGAIN, group_id=group)
    await memory.delete(stored.memory_id, group_id=group)
    await declare(memory, group, "lives_in")  # its rejection came before the declaration
    with pytest.raises(PendingReviewError):
        await memory.add(AGAIN, group_id=group)
    await declare(memory, f"{group}_b", "lives_in")
    assert (await memory.add(AGAIN, group_id=f"{group}_b")).memory_id


async def test_an_erased_value_and_a_rejected_write_count_too(
    memory: GraphMemory, group: str
) -> None:
    await declare(memory, group, *SLOTS)
    erased = await memory.add(REJECTED, group_id=group)
    await memory.delete(erased.memory_id, permanent=True, group_id=group)
    with pytest.raises(PendingReviewError, match="this value of lives_in was erased at"):
        await memory.add(AGAIN, group_id=group)
    strict = other(memory, review_ways=("Python",))
    with pytest.raises(PendingReviewError):
        await strict.add("Bob works at Acme", group_id=group)
    await memory.pending.reject(reason="made up", group_id=group)
    for text in ("Bob is employed by Acme", "Alice is based in Paris"):
        with pytest.raises(PendingReviewError, match=r"works_at .* 'made up'|lives_in"):
            await memory.add(text, group_id=group)


async def test_a_lifted_tombstone_lets_its_values_pass(memory: GraphMemory, group: str) -> None:
    tombstone = await reject(memory, group)
    await memory.tombstones.lift(tombstone, group_id=group)
    assert (await memory.add(AGAIN, group_id=group)).memory_id


async def test_a_recovered_memory_lets_its_values_pass(memory: GraphMemory, group: str) -> None:
    await declare(memory, group, *SLOTS)
    stored = await memory.add(REJECTED, group_id=group)
    await memory.lifecycle.reject(stored.memory_id, group_id=group)
    await memory.lifecycle.recover(stored.memory_id, group_id=group)
    assert (await memory.add(AGAIN, group_id=group)).memory_id


async def test_a_value_that_is_rejected_again_waits_again(memory: GraphMemory, group: str) -> None:
    await reject(memory, group)
    with pytest.raises(PendingReviewError):
        await memory.add(AGAIN, group_id=group)
    (accepted,) = (await memory.pending.accept(group_id=group)).done
    await memory.lifecycle.reject(accepted, group_id=group)
    with pytest.raises(PendingReviewError):
        await memory.add("Alice is based in Paris", group_id=group)


async def test_one_of_many_texts_at_once_is_found(memory: GraphMemory, group: str) -> None:
    """The texts have more values than Lucene takes words."""
    await reject(memory, group)
    others = [f"Person{number} lives in Town{number}, Norway" for number in range(600)]
    graph, settings = memory.context.graph, memory.settings
    judged = await judge_each(graph, settings, group, [*others, AGAIN, "Alice lives in Rome"])
    waiting = [place for place, each in enumerate(judged) if each.rule]
    assert waiting == [600]


async def test_a_tombstone_of_an_earlier_version_works_as_before(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await reject(memory, group)
    await driver.execute_query("MATCH (t:Tombstone {group_id: $group}) REMOVE t.slots", group=group)
    with pytest.raises(RejectedBeforeError):
        await memory.add(REJECTED, group_id=group)
    assert (await memory.add(AGAIN, group_id=group)).memory_id


async def test_a_tombstone_holds_no_word_of_its_values(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await reject(memory, group)
    records, _, _ = await driver.execute_query(
        "MATCH (t:Tombstone {group_id: $group}) RETURN properties(t) AS held", group=group
    )
    held: dict[str, Any] = records[0]["held"]
    assert [len(mark) for mark in held.pop("slots")] == [16]
    assert not [word for word in ("alice", "paris", "lives_in") if word in str(held).lower()]


async def test_tools_show_when_and_by_which_way_it_was_rejected(
    memory: GraphMemory, group: str
) -> None:
    await declare(memory, group, *SLOTS)
    async with inside(memory, toolsets=("core", "lifecycle", "learning")) as client:
        added = await call(client, "add_memory", content=REJECTED)
        await call(client, "reject_memory", memory_id=added["memory_id"], reason="a guess")
        said, data = await refused(client, "add_memory", content=AGAIN)
        assert data["code"] == "pending_review"
        assert "this value of lives_in was rejected at" in said
        (waiting,) = (await call(client, "list_pending"))["writes"]
        assert "by reject_memory, because of 'a guess'" in waiting["rule"]
        await call(client, "decide_pending", decision="accept", pending_ids=[waiting["pending_id"]])
        assert (await call(client, "add_memory", content="Alice is based in Paris"))["memory_id"]
