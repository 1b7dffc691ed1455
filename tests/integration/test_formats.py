"""What `import --from` promises: other stores' memories and relations, whole, once, and named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.archive import ImportReport, export_lines, import_lines
from graph_memory.errors import InvalidArgumentError, SourceFormatError
from graph_memory.formats import FORMATS, Translation, preview, translate
from graph_memory.memories import instant
from tests.conftest import TODAY, Clock

LIMIT = 1_000_000

Make = Callable[[Path], Path]


def lines_of(path: Path, *objects: object) -> Path:
    """Write JSON lines; a text is written as it is."""
    texts = (o if isinstance(o, str) else json.dumps(o) for o in objects)
    path.write_text("\n".join(texts), encoding="utf-8")
    return path


async def brought(
    memory: GraphMemory, name: str, path: Path, owner: str | None = None
) -> tuple[ImportReport, Translation]:
    lines = translate(name, path, memory.settings.group_id, owner)
    return await import_lines(memory, lines), lines


async def exported(memory: GraphMemory) -> dict[str, dict[str, Any]]:
    """Return the lines of the group by the id the source had."""
    lines = [json.loads(line) async for line in export_lines(memory)]
    return {line["metadata"]["source_id"]: line for line in lines}


async def relations(driver: AsyncDriver, group: str) -> set[tuple[str, str, str, str | None]]:
    """Return the relations of a group: titles of both ends, type, and the original type."""
    records, _, _ = await driver.execute_query(
        "MATCH (a:Memory {group_id: $group})-[r:RELATES_TO]->(b) "
        "RETURN a.name, r.name, b.name, r.original_relation_type",
        group=group,
    )
    return {tuple(record.values()) for record in records}  # type: ignore[misc]


async def node(driver: AsyncDriver, group: str, source_id: str) -> dict[str, Any]:
    records, _, _ = await driver.execute_query(
        "MATCH (m:Memory {group_id: $group}) WHERE m.metadata_json CONTAINS $part RETURN m",
        group=group,
        part=f'"source_id": {json.dumps(source_id, ensure_ascii=False)}',
    )
    return dict(records[0]["m"])


def mcp_memory(folder: Path) -> Path:
    return lines_of(
        folder / "memory.jsonl",
        {"type": "entity", "name": "Alice", "entityType": "person",
         "observations": ["likes tea", "Alice works nights"]},
        {"type": "entity", "name": "Acme", "entityType": "company", "observations": []},
        # two calls at once left two objects in one line, and half of one in the next
        '{"type": "relation", "from": "Alice", "to": "Acme", "relationType": "works at"}'
        '{"type": "relation", "from": "Alice", "to": "Acme", "relationType": "employed by"}',
        '{"type": "relation", "from": "Ali',
        {"type": "relation", "from": "Acme", "to": "Alice", "relationType": "dependsOn"},
        {"type": "relation", "from": "Alice", "to": "Nobody", "relationType": "knows"},
        {"type": "note", "text": "of another kind"},
    )  # fmt: skip


async def test_mcp_memory(
    memory: GraphMemory, driver: AsyncDriver, group: str, tmp_path: Path
) -> None:
    report, lines = await brought(memory, "mcp-memory", mcp_memory(tmp_path))
    assert (report.stored, report.relations, report.failed) == (4, 4, 0)
    assert await relations(driver, group) == {
        ("Alice", "relates_to", "Acme", "works at, employed by"),
        ("Acme", "depends_on", "Alice", None),
        ("Alice: likes tea", "part_of", "Alice", None),
        ("Alice works nights", "part_of", "Alice", None),
    }
    assert lines.unknown_relation_types == {"works at": 1, "employed by": 1}
    assert lines.left_out == {
        "a line that is not JSON": 1,
        "a line that is neither an entity nor a relation": 1,
        "a relation with an end that is not there": 1,
    }
    stored = await exported(memory)
    assert stored["Alice"]["memory_type"] == "concept"
    assert stored["Alice"]["content"] == "Alice (person)"
    assert stored["Alice"]["relationships"][0]["fact"] == "Alice works at, employed by Acme"
    assert stored["Alice\nlikes tea"]["memory_type"] == "fact"
    assert stored["Alice\nlikes tea"]["tags"] == ["person"]


async def test_mcp_memory_once_more_stores_only_what_is_new(
    memory: GraphMemory, tmp_path: Path
) -> None:
    path = mcp_memory(tmp_path)
    await brought(memory, "mcp-memory", path)
    before = await exported(memory)
    with path.open("a") as file:
        file.write('\n{"type":"entity","name":"Bob","entityType":"person","observations":["new"]}')
    report, _ = await brought(memory, "mcp-memory", path)
    assert (report.stored, report.skipped, report.relations) == (2, 4, 1)
    after = await exported(memory)
    assert {key: after[key] for key in before} == before


def mcp_ai_memory(folder: Path) -> Path:
    row = {"user_context": "ada", "confidence": 0.8, "source": "chat", "metadata": None}
    ids = [f"00000000-0000-4000-8000-00000000000{n}" for n in range(4)]
    return lines_of(
        folder / "export.json",
        json.dumps(
            {
                "exported_at": "2025-09-01T00:00:00Z",
                "memories": [
                    {**row, "id": ids[0], "content": {"text": "Ada deploys on Fridays"},
                     "type": "fact", "tags": ["ops"], "importance_score": 0.8,
                     "state": "dormant", "decay_score": 0.3, "decay_rate": 0.02,
                     "access_count": 7, "accessed_at": "2025-08-01T10:00:00+00:00",
                     "last_decay_update": "2025-08-02T10:00:00+00:00",
                     "created_at": "2025-01-01T00:00:00+00:00",
                     "updated_at": "2025-01-02T00:00:00+00:00", "embedding": "[0.1,0.2,0.3]"},
                    {**row, "id": ids[1], "content": "The pipeline broke", "type": "error",
                     "tags": "{ops,ci}", "importance_score": 0.5, "state": None,
                     "decay_score": None, "accessed_at": None, "last_decay_update": None,
                     "created_at": "2025-02-01T00:00:00+00:00", "parent_id": ids[0],
                     "relation_type": "extends", "metadata": {"name": "x", "nested": {"a": 1}}},
                    {**row, "id": ids[2], "content": "gone", "type": "fact",
                     "created_at": "2025-02-01T00:00:00Z", "deleted_at": "2025-03-01T00:00:00Z"},
                    {**row, "id": ids[3], "content": {"k": [1]}, "type": "task",
                     "user_context": "grace", "importance_score": 0.01,
                     "created_at": "2025-02-01T00:00:00Z"},
                ],
                "memory_relations": [
                    {"id": "r1", "from_memory_id": ids[0], "to_memory_id": ids[1],
                     "relation_type": "CAUSED_BY", "strength": 0.9,
                     "created_at": "2025-02-02T00:00:00Z"},
                    {"from_memory_id": ids[1], "to_memory_id": ids[3],
                     "relation_type": "inspired", "strength": 0.4},
                    {"from_memory_id": ids[1], "to_memory_id": ids[2],
                     "relation_type": "supports", "strength": 0.4},
                    {"from_memory_id": ids[1], "to_memory_id": ids[1],
                     "relation_type": "supports", "strength": 0.4},
                ],
            }
        ),
    )  # fmt: skip


async def test_mcp_ai_memory(
    memory: GraphMemory, driver: AsyncDriver, group: str, tmp_path: Path, clock: Clock
) -> None:
    report, lines = await brought(memory, "mcp-ai-memory", mcp_ai_memory(tmp_path))
    assert (report.stored, report.relations, report.failed) == (3, 3, 0)
    assert await relations(driver, group) == {
        ("Ada deploys on Fridays", "caused_by", "The pipeline broke", None),
        ("The pipeline broke", "extends", "Ada deploys on Fridays", None),
        ("The pipeline broke", "relates_to", '{"k": [1]}', "inspired"),
    }
    assert lines.unknown_relation_types == {"inspired": 1}
    assert lines.unknown_memory_types == {"error": 1}
    assert lines.owners == {"ada": 2, "grace": 1}
    assert lines.left_out == {
        "a deleted memory": 1,
        "a relation with an end that is not there": 1,
        "a relation of a memory to itself": 1,
    }
    told = await node(driver, group, "00000000-0000-4000-8000-000000000000")
    assert (told["importance"], told["confidence"], told["decay_rate"]) == (8.0, 0.8, 0.02)
    assert (told["lifecycle_state"], told["access_count"]) == ("DORMANT", 7)
    assert told["decay_score"] == pytest.approx(0.7)
    assert told["last_accessed_at"] == "2025-08-01T10:00:00.000Z"
    assert told["last_decay_update"] == "2025-08-02T10:00:00.000Z"
    assert told["updated_at"] == "2025-01-02T00:00:00.000Z"
    assert told["embedding_dimension"] == memory.settings.embedding_dimensions
    assert json.loads(told["metadata_json"])["source_embedding_dimension"] == 3
    filled = await node(driver, group, "00000000-0000-4000-8000-000000000001")
    assert (filled["lifecycle_state"], filled["decay_score"]) == ("ACTIVE", 0.0)
    assert filled["last_accessed_at"] == "2025-02-01T00:00:00.000Z"
    assert filled["last_decay_update"] == instant(TODAY)
    assert (filled["memory_type"], filled["tags"]) == ("general", ["ops", "ci"])
    metadata = json.loads(filled["metadata_json"])
    assert metadata["original_memory_type"] == "error"
    assert (metadata["source_name"], metadata["nested"]) == ("x", {"a": 1})
    stored = await exported(memory)
    assert stored["00000000-0000-4000-8000-000000000003"]["importance"] == 1.0
    assert (
        stored["00000000-0000-4000-8000-000000000001"]["parent_id"]
        == stored["00000000-0000-4000-8000-000000000000"]["memory_id"]
    )
    (caused,) = stored["00000000-0000-4000-8000-000000000000"]["relationships"]
    assert (caused["strength"], caused["created_at"]) == (0.9, "2025-02-02T00:00:00.000Z")


async def test_the_rows_of_mcp_ai_memory_may_be_json_lines(
    memory: GraphMemory, tmp_path: Path
) -> None:
    whole = json.loads(mcp_ai_memory(tmp_path).read_text())
    path = lines_of(tmp_path / "rows.jsonl", *whole["memory_relations"], *whole["memories"])
    report, _ = await brought(memory, "mcp-ai-memory", path, owner="ada")
    assert (report.stored, report.relations, report.failed) == (2, 2, 1)


async def test_a_relation_keeps_its_original_type_through_an_export(
    memory: GraphMemory, group: str, tmp_path: Path
) -> None:
    await brought(memory, "mcp-memory", mcp_memory(tmp_path))
    lines = [line async for line in export_lines(memory)]
    await import_lines(memory, lines, f"{group}_copy")
    copied = [json.loads(line) async for line in export_lines(memory, f"{group}_copy")]
    edges = [relation for line in copied for relation in line.get("relationships", ())]
    assert {edge.get("original_relation_type") for edge in edges} == {
        None,
        "works at, employed by",
    }


#: How to make a small store of each format.
STORES: dict[str, Make] = {"mcp-memory": mcp_memory, "mcp-ai-memory": mcp_ai_memory}


def test_every_format_is_tried_here_and_documented() -> None:
    assert STORES.keys() == FORMATS.keys()
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    for name in FORMATS:
        assert f"`{name}`" in readme


@pytest.mark.parametrize("name", FORMATS)
async def test_repeating_an_import_changes_nothing(
    memory: GraphMemory, clock: Clock, name: str, tmp_path: Path
) -> None:
    path = STORES[name](tmp_path)
    first, lines = await brought(memory, name, path)
    assert (first.stored, first.failed) == (lines.memories, 0)
    before = await exported(memory)
    clock.advance(days=3)
    again, _ = await brought(memory, name, path)
    assert (again.stored, again.skipped, again.relations) == (0, first.stored, 0)
    assert await exported(memory) == before


@pytest.mark.parametrize("name", FORMATS)
async def test_a_dry_run_counts_what_an_import_would_do_and_writes_nothing(
    memory: GraphMemory, name: str, tmp_path: Path
) -> None:
    path = STORES[name](tmp_path)
    found = preview(translate(name, path, memory.settings.group_id), LIMIT)
    assert await exported(memory) == {}
    report, _ = await brought(memory, name, path)
    assert (found.memories, found.relations) == (report.stored, report.relations)
    assert (found.repeated, found.refused) == (0, 0)


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_memory_has_another_id_in_another_group(name: str, tmp_path: Path) -> None:
    path = STORES[name](tmp_path)
    ids = [
        {json.loads(line)["memory_id"] for line in translate(name, path, group)} for group in "ab"
    ]
    assert ids[0]
    assert not ids[0] & ids[1]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("text", ["not of any format", '{"colour": "red"}', "[1, 2]", '{"a": '])
def test_a_file_of_another_format_is_refused_in_a_sentence(
    name: str, text: str, tmp_path: Path
) -> None:
    path = lines_of(tmp_path / "other", text)
    with pytest.raises(SourceFormatError) as refused:
        list(translate(name, path, "g"))
    assert str(path) in str(refused.value)
    assert "found" in str(refused.value)


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match="mcp-memory"):
        translate("nonesuch", tmp_path, "g")


def test_a_dry_run_names_what_it_would_refuse(tmp_path: Path) -> None:
    lines = ['{"content": "a"}', "", '{"content": "a"}', "{broken", '{"content": "too long"}']
    found = preview(lines, max_content_characters=3)
    assert (found.memories, found.repeated, found.refused) == (1, 1, 2)
    assert [(error.line, error.code) for error in found.errors] == [
        (4, "invalid_argument"),
        (5, "limit_exceeded"),
    ]
