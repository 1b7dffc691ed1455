"""Concurrent calls on one memory have the result of some serial order."""

import asyncio
import hashlib
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.errors import NotFoundError

#: Meetings of each kind; before writers took the lock first, each fourth went wrong.
ROUNDS = 12

Call = Callable[[GraphMemory, str], Awaitable[Any]]

CALLS: dict[str, Call] = {
    "touch": lambda memory, id_: memory.touch(id_),
    "update": lambda memory, id_: memory.update(id_, tags=["met"]),
    "rewrite": lambda memory, id_: memory.update(id_, content=f"{id_} in other words"),
    "preserve": lambda memory, id_: memory.lifecycle.preserve(id_),
    "release": lambda memory, id_: memory.lifecycle.preserve(id_, release=True),
    "obsolete": lambda memory, id_: memory.lifecycle.mark_obsolete(id_, "met"),
}


async def met(memory: GraphMemory, call: Call, **deletion: Any) -> tuple[str, list[Any]]:
    """Run six calls during the deletion of a new memory; return its id and the errors raised."""
    stored = await memory.add(f"a memory to meet over, {secrets.token_hex(8)}")
    calls: list[Awaitable[Any]] = [call(memory, stored.memory_id) for _ in range(6)]
    calls.insert(3, memory.delete(stored.memory_id, **deletion))
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    raised = [outcome for outcome in outcomes if isinstance(outcome, BaseException)]
    return stored.memory_id, [error for error in raised if not isinstance(error, NotFoundError)]


async def planned(memory: GraphMemory, call: Call, **deletion: Any) -> None:
    """Plan the statements in advance, so that they run at the same time."""
    stored = await memory.add("a memory to plan for")
    await call(memory, stored.memory_id)
    await memory.delete(stored.memory_id, **deletion)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
async def test_what_is_deleted_stays_deleted_whatever_comes_meanwhile(
    memory: GraphMemory, driver: AsyncDriver, call: Call
) -> None:
    await planned(memory, call)
    ids = set[str]()
    for _ in range(ROUNDS):
        memory_id, raised = await met(memory, call)
        assert raised == []
        ids.add(memory_id)
    records, _, _ = await driver.execute_query(
        "MATCH (m:Memory) WHERE m.uuid IN $ids AND m.lifecycle_state = 'SOFT_DELETED' "
        "AND m.soft_deleted_at IS NOT NULL AND m.dedup_key IS NULL RETURN m.uuid AS memory_id",
        ids=list(ids),
    )
    assert {record["memory_id"] for record in records} == ids


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
async def test_what_is_erased_meanwhile_is_not_found(memory: GraphMemory, call: Call) -> None:
    await planned(memory, call, permanent=True)
    for _ in range(ROUNDS):
        memory_id, raised = await met(memory, call, permanent=True)
        assert raised == []
        with pytest.raises(NotFoundError):
            await memory.lifecycle.history(memory_id)


async def test_of_texts_that_meet_none_is_lost(memory: GraphMemory) -> None:
    for number in range(ROUNDS):
        texts = [f"text {name} of {number}" for name in ("one", "two", "three")]
        stored = await memory.add(texts[0])
        await asyncio.gather(*(memory.update(stored.memory_id, content=t) for t in texts[1:]))
        events = await memory.lifecycle.history(stored.memory_id)
        earlier = [event.detail for event in events if event.kind == "rewritten"]
        last = (await memory.get(stored.memory_id)).content
        assert sorted([*earlier, last], key=str) == sorted(texts)


async def test_a_text_keeps_its_own_hash_when_it_is_said_again_meanwhile(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    ids: list[str] = []
    for number in range(ROUNDS):
        text = f"what is said again {number}"
        stored = await memory.add(text)
        ids.append(stored.memory_id)

        async def again(delay: int, memory_id: str = stored.memory_id, text: str = text) -> None:
            await asyncio.sleep(delay / 400)
            await memory.update(memory_id, content=text)

        rewriting = memory.update(stored.memory_id, content=f"what is said anew {number}")
        outcomes = await asyncio.gather(rewriting, *map(again, range(12)), return_exceptions=True)
        assert [o for o in outcomes if isinstance(o, BaseException)] == []
    records, _, _ = await driver.execute_query(
        "MATCH (m:Memory) WHERE m.uuid IN $ids "
        "RETURN m.content AS content, m.content_hash AS hash, m.dedup_key AS key",
        ids=ids,
    )
    for record in records:
        expected = hashlib.sha256(record["content"].encode()).hexdigest()
        assert (record["hash"], record["key"].split("|")[1]) == (expected, expected)
