"""What a read does not return is explained, if the group has or had it."""

from datetime import timedelta
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.errors import NotFoundError
from tests.conftest import TODAY, Clock

#: The calls that name a memory, each with the arguments besides its id.
CALLS: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...] = (
    ("get", (), {}),
    ("touch", (), {}),
    ("delete", (), {}),
    ("update", (), {"importance": 3}),
    ("lifecycle.preserve", (), {}),
    ("lifecycle.mark_obsolete", ("old",), {}),
    ("relations.traverse", (), {}),
    ("relations.analyze", (), {}),
    ("feedback.add", (True,), {}),
)


def reached(memory: GraphMemory, path: str) -> Any:
    found: Any = memory
    for name in path.split("."):
        found = getattr(found, name)
    return found


@pytest.mark.parametrize("case", CALLS, ids=lambda case: case[0])
async def test_a_deleted_memory_is_said_to_be_deleted(memory: GraphMemory, case: Any) -> None:
    path, positional, keywords = case
    stored = await memory.add("tea")
    await memory.delete(stored.memory_id)
    with pytest.raises(NotFoundError) as refused:
        await reached(memory, path)(stored.memory_id, *positional, **keywords)
    said = str(refused.value)
    assert f"was deleted at {TODAY:%Y-%m-%dT%H:%M:%S}.000Z; `lifecycle.recover` restores it" in said


async def test_the_ends_of_a_relation_are_explained(memory: GraphMemory) -> None:
    tea, cake = await memory.add("tea"), await memory.add("cake")
    await memory.delete(cake.memory_id)
    related: Any = {"relationships": [{"target_id": cake.memory_id}]}
    for call in (
        memory.relations.add(tea.memory_id, cake.memory_id),
        memory.relations.remove(cake.memory_id, tea.memory_id),
        memory.add("milk", **related),
        memory.add("water", parent_id=cake.memory_id),
        memory.lifecycle.mark_obsolete(tea.memory_id, "old", superseded_by=cake.memory_id),
        memory.lifecycle.scan_confidence([cake.memory_id]),
    ):
        with pytest.raises(NotFoundError, match=f"'{cake.memory_id}'.* was deleted at"):
            await call


async def test_a_memory_that_was_not_there_at_the_instant_says_when(
    memory: GraphMemory, clock: Clock
) -> None:
    old = await memory.add("Ada's home is Oslo")
    clock.advance(days=10)
    new = await memory.add("Ada's home is Bergen")
    await memory.lifecycle.mark_obsolete(old.memory_id, "moved", superseded_by=new.memory_id)
    before, after = TODAY - timedelta(days=1), TODAY + timedelta(days=20)
    moved = (TODAY + timedelta(days=10)).strftime("%Y-%m-%dT%H:%M:%S")
    for memory_id, clocks, said in (
        (old.memory_id, {"as_of": before}, f"is true only from {TODAY:%Y-%m-%d}"),
        (old.memory_id, {"as_of": after}, f"was true until {moved}.000Z; give as_of before"),
        (new.memory_id, {"known_at": TODAY}, f"was stored at {moved}.000Z; give known_at from"),
    ):
        given: Any = clocks
        for read in (memory.get, memory.relations.traverse):
            with pytest.raises(NotFoundError, match=said):
                await read(memory_id, **given)


async def test_a_purged_memory_is_gone_and_another_groups_is_unknown(
    memory: GraphMemory, driver: AsyncDriver, clock: Clock, group: str
) -> None:
    stored = await memory.add("tea")
    await memory.delete(stored.memory_id)
    clock.advance(days=100)
    await memory.maintenance.run(groups=[group], full=True)
    with pytest.raises(NotFoundError, match="permanently; import it from an export or a backup"):
        await memory.get(stored.memory_id)
    theirs = await memory.add("theirs", group_id=f"{group}_2")
    await memory.delete(theirs.memory_id, group_id=f"{group}_2")
    for memory_id in (theirs.memory_id, "missing"):
        with pytest.raises(NotFoundError, match=f"^No memory '{memory_id}' in group '{group}'"):
            await memory.get(memory_id)
