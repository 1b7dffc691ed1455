"""Possible conflicts of a new memory, on a real Neo4j with real embeddings."""

import json
from typing import Any

import pytest

from graph_memory import GraphMemory
from graph_memory.database.graph import Graph
from graph_memory.domain.models import AddedMemory, ConflictKind, RelationType
from graph_memory.transfer.import_export import import_lines
from tests.conftest import TODAY
from tests.support.mcp_client import call, inside, text


async def test_a_negation_names_the_earlier_memory_and_both_parts(memory: GraphMemory) -> None:
    earlier = await memory.add("The API listens on port 8080.")
    await memory.add("Unit tests run with pytest.")
    added = await memory.add("The API no longer listens on port 8080.")
    (found,) = added.possible_conflicts
    assert (found.memory_id, found.kind) == (earlier.memory_id, ConflictKind.NEGATES)
    assert 0.65 <= found.score <= 1
    for content, part in ((added, found.passage), (earlier, found.earlier_passage)):
        assert content.content[part.start : part.end] == part.text


async def test_another_value_replaces(memory: GraphMemory) -> None:
    await memory.add("The shop opens at 9 in the morning.")
    added = await memory.add("The shop now opens at 10 in the morning.")
    (found,) = added.possible_conflicts
    assert found.kind is ConflictKind.REPLACES
    assert "10" in found.passage.text
    assert "9" in found.earlier_passage.text


async def test_a_memory_about_something_else_has_no_conflicts(memory: GraphMemory) -> None:
    await memory.add("The API listens on port 8080.")
    assert (await memory.add("I am allergic to peanuts.")).possible_conflicts == ()


async def test_an_added_memory_equals_the_memory(memory: GraphMemory) -> None:
    await memory.add("Invoices are paid within 30 days.")
    added = await memory.add("Invoices are no longer paid within 30 days.")
    got = await memory.get(added.memory_id, counted=False)
    assert isinstance(added, AddedMemory)
    assert added.possible_conflicts
    assert added == got
    assert got == added


async def test_a_group_does_not_see_conflicts_of_another(memory: GraphMemory, group: str) -> None:
    await memory.add("The API listens on port 8080.", group_id=f"{group}_one")
    added = await memory.add("The API no longer listens on port 8080.", group_id=f"{group}_two")
    assert added.possible_conflicts == ()


async def test_a_later_memory_is_no_conflict_of_an_earlier_one(memory: GraphMemory) -> None:
    await memory.add("Invoices are no longer paid within 30 days.")
    added = await memory.add("Invoices are paid within 30 days.", valid_at="2001-01-01")
    assert added.valid_at is not None
    assert added.valid_at < TODAY
    assert added.possible_conflicts == ()


@pytest.mark.parametrize("kind", [RelationType.CONTRADICTS, RelationType.SUPERSEDES])
async def test_a_settled_conflict_is_not_reported_again(
    memory: GraphMemory, kind: RelationType
) -> None:
    earlier = await memory.add("Invoices are paid within 30 days.")
    added = await memory.add("Invoices are no longer paid within 30 days.")
    assert added.possible_conflicts
    await memory.relations.add(added.memory_id, earlier.memory_id, kind)
    assert await memory.relations.possible_conflicts(added.memory_id) == []


async def test_the_setting_turns_the_comparison_off(memory: GraphMemory) -> None:
    await memory.add("Invoices are paid within 30 days.")
    added = await memory.add("Invoices are no longer paid within 30 days.")
    context = memory.context
    assert await memory.relations.possible_conflicts(added.memory_id)
    off = context.settings.model_copy(update={"conflict_neighbours": 0})
    async with GraphMemory.open(off) as other:
        assert await other.relations.possible_conflicts(added.memory_id) == []


async def test_batches_imports_and_captures_compare_nothing(
    memory: GraphMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    rows = Graph.rows

    async def watched(self: Graph, name: str, *given: Any, **parameters: Any) -> Any:
        read.append(name)
        return await rows(self, name, *given, **parameters)

    monkeypatch.setattr(Graph, "rows", watched)
    await memory.add_many([{"content": "Invoices are paid within 30 days."}])
    line = json.dumps({"content": "Invoices are no longer paid within 30 days."})
    await import_lines(memory, [line], memory.context.scope(None).group_id)
    turn = {"content": "Rent is no longer due on the first."}
    await memory.conversations.capture("c", [turn])
    assert "memories/neighbours/near" not in read
    await memory.add("Rent is never due on the first.")
    assert "memories/neighbours/near" in read


async def test_a_batch_is_compared_if_asked(memory: GraphMemory) -> None:
    earlier = await memory.add("Invoices are paid within 30 days.")
    both = await memory.add_many(
        [
            {"content": "Invoices are no longer paid within 30 days."},
            {"content": "I am allergic to peanuts."},
        ],
        compare=True,
    )
    first, second = (each.possible_conflicts for each in both)
    assert [found.memory_id for found in first] == [earlier.memory_id]
    assert second == ()


async def test_a_contradiction_that_is_given_is_not_reported(memory: GraphMemory) -> None:
    earlier = await memory.add("Invoices are paid within 30 days.")
    added = await memory.add(
        "Invoices are no longer paid within 30 days.",
        relationships=[{"target_id": earlier.memory_id, "relation_type": "contradicts"}],
    )
    assert added.possible_conflicts == ()


async def test_an_unknown_memory_has_no_conflicts(memory: GraphMemory) -> None:
    assert await memory.relations.possible_conflicts("0f8fad5b-d9cb-469f-a165-70867728950e") == []


async def test_the_tool_names_the_earlier_memory_in_both_blocks(memory: GraphMemory) -> None:
    async with inside(memory) as client:
        first = await call(client, "add_memory", content="The shop opens at 9.")
        second = await client.call_tool("add_memory", {"content": "The shop now opens at 10."})
    assert "possible_conflicts" not in first
    earlier = first["memory_id"]
    assert second.structured_content is not None
    (found,) = second.structured_content["possible_conflicts"]
    assert (found["memory_id"], found["kind"]) == (earlier, "replaces")
    assert f'It may replace memory {earlier}: "opens at 9" by "now opens at 10".' in text(second)


async def test_a_stored_content_has_no_conflicts(memory: GraphMemory) -> None:
    await memory.add("Invoices are paid within 30 days.")
    await memory.add("Invoices are no longer paid within 30 days.")
    again = await memory.add("Invoices are no longer paid within 30 days.", on_duplicate="return")
    assert again.possible_conflicts == ()
