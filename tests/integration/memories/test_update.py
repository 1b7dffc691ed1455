"""Updates: fields can be emptied, the parent and the title change, and the history keeps it all."""

import json
from datetime import timedelta
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import Attachment, GraphMemory
from graph_memory.domain.inputs import Clearable
from graph_memory.errors import InvalidArgumentError, NotFoundError
from graph_memory.transfer.import_export import export_lines, import_lines
from tests.conftest import TODAY, Clock
from tests.support.mcp_client import call, inside

#: A value and the empty value of each field that can be cleared; the title is not shown.
FIELDS: dict[Clearable, tuple[Any, Any]] = {
    "confidence": (0.5, None),
    "project_id": ("house", None),
    "decay_policy": ("adaptive", None),
    "decay_rate": (0.1, None),
    "tags": (["a"], []),
    "metadata": ({"k": 1}, {}),
    "attachments": ((Attachment("https://example.com/a", "text/html"),), ()),
}


@pytest.mark.parametrize("name", FIELDS)
async def test_a_field_is_cleared_and_the_others_stay(memory: GraphMemory, name: Clearable) -> None:
    parent = await memory.add("the house")
    details: Any = {field: value for field, (value, _) in FIELDS.items()}
    stored = await memory.add("the kitchen", parent_id=parent.memory_id, **details)
    changed, _ = await memory.update(stored.memory_id, clear=[name])
    for field, (value, empty) in FIELDS.items():
        assert getattr(changed, field) == (empty if field == name else value)
    assert changed.parent_id == parent.memory_id


async def test_the_parent_changes_and_is_cleared(memory: GraphMemory) -> None:
    house, garden, tree = [await memory.add(name) for name in ("house", "garden", "tree")]
    for parent in (house, garden, garden):
        changed, _ = await memory.update(tree.memory_id, parent_id=parent.memory_id)
        assert changed.parent_id == parent.memory_id
    other, _ = await memory.update(tree.memory_id, importance=3)
    assert other.parent_id == garden.memory_id
    cleared, _ = await memory.update(tree.memory_id, clear=["parent_id"])
    assert cleared.parent_id is None


async def test_a_parent_is_another_memory_of_the_group_and_not_below(
    memory: GraphMemory, group: str
) -> None:
    house = await memory.add("house")
    room = await memory.add("room", parent_id=house.memory_id)
    shelf = await memory.add("shelf", parent_id=room.memory_id)
    theirs = await memory.add("theirs", group_id=f"{group}_2")
    for parent in (house, room, shelf):
        with pytest.raises(InvalidArgumentError, match=r"^parent_id=.* choose another parent"):
            await memory.update(house.memory_id, parent_id=parent.memory_id)
    for parent_id in ("missing", theirs.memory_id):
        with pytest.raises(NotFoundError):
            await memory.update(house.memory_id, parent_id=parent_id)
    assert (await memory.get(house.memory_id)).parent_id is None


async def test_the_title_is_set_and_cleared(memory: GraphMemory, driver: AsyncDriver) -> None:
    async def title(memory_id: str) -> str:
        found = await driver.execute_query(
            "MATCH (m:Memory {uuid: $id}) RETURN m.name AS name", id=memory_id
        )
        return found.records[0]["name"]

    async with inside(memory) as client:
        added = await call(client, "add_memory", content="The keys hang here", title="Keys")
        memory_id = added["memory_id"]
        assert await title(memory_id) == "Keys"
        await call(client, "update_memory", memory_id=memory_id, title="Where keys are")
        assert await title(memory_id) == "Where keys are"
        await call(client, "update_memory", memory_id=memory_id, content="There", title="Keys")
        assert await title(memory_id) == "Keys"
        await call(client, "update_memory", memory_id=memory_id, clear=["title"])
        assert await title(memory_id) == "There"


@pytest.mark.parametrize("name", [name for name, (_, empty) in FIELDS.items() if empty is None])
async def test_a_field_is_either_changed_or_cleared(memory: GraphMemory, name: Clearable) -> None:
    stored = await memory.add("tea")
    given: Any = {name: FIELDS[name][0]}
    with pytest.raises(InvalidArgumentError, match=f"^clear='{name}' .* give one"):
        await memory.update(stored.memory_id, clear=[name], **given)


async def test_the_history_shows_what_changed_and_by_which_way(
    memory: GraphMemory, clock: Clock
) -> None:
    stored = await memory.add("tea", tags=["a"], importance=5, confidence=0.5)
    clock.advance(days=1)
    await memory.update(stored.memory_id, tags=["a", "b"], importance=8)
    clock.advance(days=1)
    async with inside(memory) as client:
        changes = {"memory_type": "fact", "decay_policy": "none", "clear": ["confidence"]}
        await call(client, "update_memory", memory_id=stored.memory_id, **changes)
        await call(client, "update_memory", memory_id=stored.memory_id, memory_type="fact")
        told = await call(client, "memory_history", memory_id=stored.memory_id)
    events = await memory.lifecycle.history(stored.memory_id)
    assert [(e.at, e.detail) for e in events if e.kind == "changed"] == [
        (TODAY + timedelta(days=1), "tags: a → a, b; importance: 5 → 8 (Python)"),
        (
            TODAY + timedelta(days=2),
            "memory_type: general → fact; confidence: 0.5 → none; decay_policy: none → none "
            "(update_memory)",
        ),
    ]
    assert [event["kind"] for event in told["events"]].count("changed") == 2


async def test_the_history_of_changes_is_short_exported_and_imported(
    memory: GraphMemory, group: str, clock: Clock
) -> None:
    stored = await memory.add("tea", importance=1)
    for importance in range(2, 10):
        clock.advance(days=1)
        await memory.update(stored.memory_id, importance=importance)
    (line,) = [line async for line in export_lines(memory)]
    kept = json.loads(line)["lifecycle"]["edit_history"]
    assert len(kept) == 8
    await import_lines(memory, [line], f"{group}_copy")
    (copy,) = [line async for line in export_lines(memory, f"{group}_copy")]
    assert json.loads(copy)["lifecycle"]["edit_history"] == kept
    for wrong in ("once", "{}", kept[0].replace('"by"', '"via"')):
        report = await import_lines(
            memory, [json.dumps({"content": "x", "lifecycle": {"edit_history": [wrong]}})]
        )
        assert "lifecycle.edit_history.0=" in report.errors[0].message
