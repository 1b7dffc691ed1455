"""The promises of `import --from`: complete memories and relations, stored once."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings
from graph_memory.cli.transfer import import_memories
from graph_memory.domain.timestamps import instant
from graph_memory.errors import InvalidArgumentError, SourceFormatError
from graph_memory.transfer.formats import FORMATS, Translation, preview, translate
from graph_memory.transfer.formats.source import Format, Scale, SourceMemory
from graph_memory.transfer.import_export import ImportReport, export_lines, import_lines
from tests.conftest import TODAY, Clock
from tests.support.pages import read

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


async def kept(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock, source_id: str, reason: str
) -> None:
    """Maintenance leaves a memory that a source no longer held to be true as it came."""
    since = instant(clock.now)
    for _ in range(2):
        clock.advance(days=1)
        await memory.maintenance.run(groups=[group])
    stored = await node(driver, group, source_id)
    assert (stored["lifecycle_state"], stored["obsolete_reason"]) == ("EXPIRED", reason)
    assert (stored["obsolete_at"], stored["ended_at"]) == (since, stored["invalid_at"])


def mcp_memory(folder: Path) -> Path:
    return lines_of(
        folder / "memory.jsonl",
        {
            "type": "entity",
            "name": "Alice",
            "entityType": "person",
            "observations": ["likes tea", "Alice works nights"],
        },
        {"type": "entity", "name": "Acme", "entityType": "company", "observations": []},
        # two calls at once left two objects in one line, and half of one in the next
        '{"type": "relation", "from": "Alice", "to": "Acme", "relationType": "works at"}'
        '{"type": "relation", "from": "Alice", "to": "Acme", "relationType": "employed by"}',
        '{"type": "relation", "from": "Ali',
        {"type": "relation", "from": "Acme", "to": "Alice", "relationType": "dependsOn"},
        {"type": "relation", "from": "Alice", "to": "Nobody", "relationType": "knows"},
        {"type": "note", "text": "of another kind"},
    )


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
                    {
                        **row,
                        "id": ids[0],
                        "content": {"text": "Ada deploys on Fridays"},
                        "type": "fact",
                        "tags": ["ops"],
                        "importance_score": 0.8,
                        "state": "dormant",
                        "decay_score": 0.3,
                        "decay_rate": 0.02,
                        "access_count": 7,
                        "accessed_at": "2025-08-01T10:00:00+00:00",
                        "last_decay_update": "2025-08-02T10:00:00+00:00",
                        "created_at": "2025-01-01T00:00:00+00:00",
                        "updated_at": "2025-01-02T00:00:00+00:00",
                        "embedding": "[0.1,0.2,0.3]",
                    },
                    {
                        **row,
                        "id": ids[1],
                        "content": "The pipeline broke",
                        "type": "error",
                        "tags": "{ops,ci}",
                        "importance_score": 0.5,
                        "state": None,
                        "decay_score": None,
                        "accessed_at": None,
                        "last_decay_update": None,
                        "created_at": "2025-02-01T00:00:00+00:00",
                        "parent_id": ids[0],
                        "relation_type": "extends",
                        "metadata": {"name": "x", "nested": {"a": 1}},
                    },
                    {
                        **row,
                        "id": ids[2],
                        "content": "gone",
                        "type": "fact",
                        "created_at": "2025-02-01T00:00:00Z",
                        "deleted_at": "2025-03-01T00:00:00Z",
                    },
                    {
                        **row,
                        "id": ids[3],
                        "content": {"k": [1]},
                        "type": "task",
                        "user_context": "grace",
                        "importance_score": 0.01,
                        "created_at": "2025-02-01T00:00:00Z",
                    },
                ],
                "memory_relations": [
                    {
                        "id": "r1",
                        "from_memory_id": ids[0],
                        "to_memory_id": ids[1],
                        "relation_type": "CAUSED_BY",
                        "strength": 0.9,
                        "created_at": "2025-02-02T00:00:00Z",
                    },
                    {
                        "from_memory_id": ids[1],
                        "to_memory_id": ids[3],
                        "relation_type": "inspired",
                        "strength": 0.4,
                    },
                    {
                        "from_memory_id": ids[1],
                        "to_memory_id": ids[2],
                        "relation_type": "supports",
                        "strength": 0.4,
                    },
                    {
                        "from_memory_id": ids[1],
                        "to_memory_id": ids[1],
                        "relation_type": "supports",
                        "strength": 0.4,
                    },
                ],
            }
        ),
    )


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
    assert (filled["lifecycle_state"], filled["decay_score"]) == ("EXPIRED", 1.0)
    assert filled["state_reason"] == "imported"
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


def filled(path: Path, schema: str, **tables: list[dict[str, Any]]) -> Path:
    """Make a SQLite file with a schema and rows; what a row leaves out is null or the default."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(schema)
        for table, rows in tables.items():
            for row in rows:
                marks = ", ".join(f":{name}" for name in row)
                connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", row)
    return path


DOOBIDOO = """
CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE memories (
  id INTEGER PRIMARY KEY AUTOINCREMENT, content_hash TEXT UNIQUE NOT NULL, content TEXT NOT NULL,
  tags TEXT, memory_type TEXT, metadata TEXT, created_at REAL, updated_at REAL,
  created_at_iso TEXT, updated_at_iso TEXT, deleted_at REAL DEFAULT NULL, parent_id TEXT,
  version INTEGER DEFAULT 1, confidence REAL DEFAULT 1.0, last_accessed INTEGER,
  superseded_by TEXT);
CREATE TABLE memory_graph (
  source_hash TEXT NOT NULL, target_hash TEXT NOT NULL, similarity REAL NOT NULL,
  connection_types TEXT NOT NULL, metadata TEXT, created_at REAL NOT NULL,
  relationship_type TEXT DEFAULT 'related', PRIMARY KEY (source_hash, target_hash));
"""


def doobidoo(folder: Path) -> Path:
    return filled(
        folder / "sqlite_vec.db",
        DOOBIDOO,
        memories=[
            {
                "content_hash": "h1",
                "content": "Caching broke the login",
                "tags": "web, bug,auth",
                "memory_type": "error",
                "metadata": '{"quality_score": 0.7, "access_count": 4}',
                "created_at": 1735689600.0,
                "updated_at": 1735693200.0,
                "last_accessed": 1738368000,
                "confidence": 0.9,
            },
            {
                "content_hash": "h2",
                "content": "Sessions are no longer cached",
                "tags": "123",
                "memory_type": "note",
                "metadata": "{}",
                "created_at": None,
                "created_at_iso": "2025-01-02T00:00:00Z",
                "parent_id": "h1",
            },
            {
                "content_hash": "h3",
                "content": "Sessions are cached",
                "tags": None,
                "memory_type": None,
                "metadata": None,
                "created_at": 1704067200.0,
                "superseded_by": "h1",
            },
            {"content_hash": "h4", "content": "deleted", "created_at": 1.0, "deleted_at": 2.0},
        ],
        memory_graph=[
            {
                "source_hash": "h2",
                "target_hash": "h1",
                "similarity": 1.0000001,
                "connection_types": '["semantic"]',
                "metadata": "{}",
                "created_at": 1735700000.0,
                "relationship_type": "fixes",
            },
            {
                "source_hash": "h1",
                "target_hash": "h2",
                "similarity": 0.6,
                "connection_types": "[]",
                "created_at": 1735700000.0,
            },
            {
                "source_hash": "h1",
                "target_hash": "h4",
                "similarity": 0.6,
                "connection_types": "[]",
                "created_at": 1735700000.0,
            },
        ],
    )


async def test_doobidoo(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock, tmp_path: Path
) -> None:
    report, lines = await brought(memory, "doobidoo", doobidoo(tmp_path))
    assert (report.stored, report.relations, report.failed) == (3, 3, 0)
    assert await relations(driver, group) == {
        ("Sessions are no longer cached", "relates_to", "Caching broke the login", "fixes"),
        ("Caching broke the login", "relates_to", "Sessions are no longer cached", None),
        ("Caching broke the login", "supersedes", "Sessions are cached", None),
    }
    assert lines.unknown_relation_types == {"fixes": 1}
    assert lines.unknown_memory_types == {"error": 1}
    assert lines.left_out == {
        "a deleted memory": 1,
        "a relation with an end that is not there": 1,
    }
    first = await node(driver, group, "h1")
    assert (first["tags"], first["confidence"]) == (["web", "bug", "auth"], 0.9)
    assert (first["importance"], first["importance_source"]) == (5.0, "default")
    assert (first["access_count"], first["last_accessed_at"]) == (4, "2025-02-01T00:00:00.000Z")
    assert first["updated_at"] == "2025-01-01T01:00:00.000Z"
    stored = await exported(memory)
    assert stored["h1"]["created_at"] == "2025-01-01T00:00:00.000Z"
    assert stored["h1"]["metadata"]["quality_score"] == 0.7
    assert (stored["h2"]["tags"], stored["h2"]["created_at"]) == (
        ["123"],
        "2025-01-02T00:00:00.000Z",
    )
    assert stored["h2"]["parent_id"] == stored["h1"]["memory_id"]
    fixes = stored["h2"]["relationships"][0]
    assert (fixes["strength"], fixes["metadata"]) == (1.0, {"connection_types": ["semantic"]})
    assert stored["h3"]["lifecycle"]["lifecycle_state"] == "EXPIRED"
    assert stored["h3"]["lifecycle"]["invalid_at"] == "2025-01-01T00:00:00.000Z"
    await kept(memory, driver, group, clock, "h3", "superseded in mcp-memory-service")


FORGETFUL = """
CREATE TABLE users (id VARCHAR(36) PRIMARY KEY, name VARCHAR(255));
CREATE TABLE projects (id INTEGER PRIMARY KEY, name VARCHAR(500) NOT NULL);
CREATE TABLE memories (
  id INTEGER PRIMARY KEY AUTOINCREMENT, user_id VARCHAR(36) NOT NULL, title TEXT NOT NULL,
  content TEXT NOT NULL, context TEXT NOT NULL, keywords JSON NOT NULL, tags JSON NOT NULL,
  importance INTEGER NOT NULL, source_repo TEXT, source_files JSON, source_url TEXT,
  confidence FLOAT, encoding_agent TEXT, encoding_version TEXT, is_obsolete BOOLEAN NOT NULL,
  obsolete_reason TEXT, superseded_by INTEGER, obsoleted_at DATETIME,
  access_count INTEGER NOT NULL DEFAULT 0, last_accessed_at DATETIME,
  created_at DATETIME NOT NULL, updated_at DATETIME NOT NULL);
CREATE TABLE memory_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT, user_id VARCHAR(36) NOT NULL, source_id INTEGER NOT NULL,
  target_id INTEGER NOT NULL, created_at DATETIME NOT NULL);
CREATE TABLE memory_project_association (
  memory_id INTEGER NOT NULL, project_id INTEGER NOT NULL, PRIMARY KEY (memory_id, project_id));
"""


def forgetful(folder: Path) -> Path:
    row = {
        "user_id": "u1",
        "context": "why",
        "keywords": '["k"]',
        "tags": '["decision"]',
        "importance": 8,
        "is_obsolete": 0,
        "created_at": "2026-01-01 10:00:00.000000",
        "updated_at": "2026-01-02 10:00:00.000000",
    }
    link = {"user_id": "u1", "created_at": "2026-01-05 00:00:00.000000"}
    return filled(
        folder / "forgetful.db",
        FORGETFUL,
        users=[{"id": "u1", "name": "Ada"}],
        projects=[{"id": 5, "name": "House"}],
        memories=[
            {
                **row,
                "title": "Oak floor",
                "content": "The floor is oak",
                "confidence": 0.75,
                "access_count": 3,
                "last_accessed_at": "2026-02-01 00:00:00.000000",
                "source_files": '["plan.md"]',
            },
            {
                **row,
                "title": "Pine floor",
                "content": "The floor is pine",
                "is_obsolete": 1,
                "importance": 3,
                "obsolete_reason": "renovated",
                "superseded_by": 1,
                "obsoleted_at": "2026-01-03 00:00:00.000000",
            },
            {**row, "title": "Rug", "content": "A rug lies on the floor", "user_id": "u2"},
        ],
        memory_links=[
            {**link, "source_id": 1, "target_id": 3},
            {**link, "source_id": 3, "target_id": 1},
        ],
        memory_project_association=[{"memory_id": 1, "project_id": 5}],
    )


async def test_forgetful(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock, tmp_path: Path
) -> None:
    report, lines = await brought(memory, "forgetful", forgetful(tmp_path))
    assert (report.stored, report.relations, report.failed) == (3, 3, 0)
    assert await relations(driver, group) == {
        ("Oak floor", "relates_to", "Rug", None),
        ("Rug", "relates_to", "Oak floor", None),
        ("Oak floor", "supersedes", "Pine floor", None),
    }
    assert lines.owners == {"u1": 2, "u2": 1}
    oak, pine = await node(driver, group, "1"), await node(driver, group, "2")
    assert (oak["importance"], oak["confidence"], oak["project_id"]) == (8.0, 0.75, "House")
    assert (oak["access_count"], oak["last_accessed_at"]) == (3, "2026-02-01T00:00:00.000Z")
    assert oak["updated_at"] == "2026-01-02T10:00:00.000Z"
    assert (pine["lifecycle_state"], pine["importance"]) == ("EXPIRED", 3.0)
    assert pine["invalid_at"].startswith("2026-01-03T00:00:00")
    assert (pine["access_count"], pine.get("last_accessed_at")) == (0, None)
    metadata = json.loads(pine["metadata_json"])
    assert (metadata["obsolete_reason"], metadata["context"]) == ("renovated", "why")
    found = await memory.search("what is the floor made of?")
    assert "The floor is pine" not in [hit.memory.content for hit in found]
    await kept(memory, driver, group, clock, "2", "renovated")


async def test_one_user_of_a_store_can_be_taken_alone(memory: GraphMemory, tmp_path: Path) -> None:
    report, lines = await brought(memory, "forgetful", forgetful(tmp_path), owner="u2")
    assert (report.stored, lines.left_out["a memory of another user"]) == (1, 2)


LONGTERM_MEMORY = """
CREATE TABLE memories (
  id TEXT PRIMARY KEY, content TEXT NOT NULL, content_hash TEXT NOT NULL,
  metadata TEXT NOT NULL DEFAULT '{}', embedding TEXT NOT NULL, tags TEXT NOT NULL DEFAULT '[]',
  importance REAL NOT NULL DEFAULT 5.0, memory_type TEXT NOT NULL DEFAULT 'general',
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL, last_accessed TEXT NOT NULL);
"""


def longterm_memory(folder: Path) -> Path:
    row = {
        "content_hash": "x",
        "embedding": "[0.5, 0.5]",
        "created_at": "2026-02-28T09:00:00.000Z",
        "updated_at": "2026-03-01T09:00:00.000Z",
        "last_accessed": "2026-03-02T09:00:00.000Z",
    }
    return filled(
        folder / "memory.db",
        LONGTERM_MEMORY,
        memories=[
            {
                **row,
                "id": "a",
                "content": "Ada drinks tea",
                "memory_type": "preference",
                "importance": 7.5,
                "tags": '["pinned", "ada"]',
                "metadata": '{"n": 1}',
            },
            {
                **row,
                "id": "b",
                "content": "Call the plumber",
                "memory_type": "task",
                "importance": 12,
            },
        ],
    )


async def test_longterm_memory(
    memory: GraphMemory, driver: AsyncDriver, group: str, tmp_path: Path
) -> None:
    report, lines = await brought(memory, "longterm-memory", longterm_memory(tmp_path))
    assert (report.stored, report.relations, report.failed) == (2, 0, 0)
    assert lines.amended == {"an importance beyond 1 to 10": 1}
    tea, task = await node(driver, group, "a"), await node(driver, group, "b")
    assert (tea["memory_type"], tea["importance"]) == ("preference", 7.5)
    assert tea["tags"] == ["pinned", "ada"]
    assert tea["last_accessed_at"] == "2026-03-02T09:00:00.000Z"
    assert tea["updated_at"] == "2026-03-01T09:00:00.000Z"
    assert json.loads(tea["metadata_json"])["n"] == 1
    assert (task["memory_type"], task["importance"]) == ("task", 10.0)


def mem0(folder: Path) -> Path:
    return lines_of(
        folder / "mem0.json",
        json.dumps(
            {
                "results": [
                    {
                        "id": "m1",
                        "memory": "Ada moved to Oslo",
                        "hash": "md5",
                        "user_id": "ada",
                        "run_id": "r1",
                        "metadata": {"name": "trip"},
                        "categories": ["travel"],
                        "created_at": "2024-07-01T00:00:00.000000-07:00",
                        "updated_at": "2024-07-02T00:00:00.000000-07:00",
                    },
                    {
                        "id": "m2",
                        "memory": "A voucher for the ferry",
                        "user_id": "ada",
                        "created_at": "2024-07-01",
                        "metadata": None,
                        "categories": None,
                        "updated_at": None,
                        "expiration_date": "2024-12-31",
                    },
                ],
                "relations": [{"source": "ada", "relationship": "lives_in", "target": "oslo"}],
            },
            indent=1,
        ),
    )


async def test_mem0(memory: GraphMemory, tmp_path: Path) -> None:
    report, lines = await brought(memory, "mem0", mem0(tmp_path))
    assert (report.stored, report.relations, report.failed) == (2, 0, 0)
    assert lines.left_out == {"a relation between entities": 1}
    stored = await exported(memory)
    assert stored["m1"]["created_at"] == "2024-07-01T07:00:00.000Z"
    assert stored["m1"]["lifecycle"]["updated_at"] == "2024-07-02T07:00:00.000Z"
    assert stored["m1"]["tags"] == ["travel"]
    assert stored["m1"]["metadata"] == {
        "source_name": "trip",
        "run_id": "r1",
        "hash": "md5",
        "imported_from": "mem0",
        "source_id": "m1",
        "source_owner": "ada",
    }
    assert stored["m2"]["lifecycle"]["invalid_at"] == "2024-12-31T00:00:00.000Z"


COFFEE = """---
title: Coffee Brewing
type: note
tags: [coffee, "#brewing"]
permalink: notes/coffee-brewing
created: 2024-05-01
modified: 2024-05-02 10:00:00
2024-01-01: odd key
rating: 4
---

# Coffee Brewing

How we brew, see [[Tea]] too.

## Observations
- [method] Pour over is clearer than French press #clarity
- [preference] Coffee Brewing needs water at 93 °C (measured)
- a tag alone makes one #loose
- [x] a task, not an observation
- [00:01:02] a transcript
- plain item

```
- [code] not an observation
- part_of [[Tea]]
```

## Relations
- requires [[Grinding|the grinder]] (always)
- "contrasts with" [[tea]]
- depends_on [[Nowhere]]
- see also [[notes/grinding]] for more
"""


def basic_memory(folder: Path) -> Path:
    notes = folder / "notes"
    (notes / "sub").mkdir(parents=True)
    (notes / ".obsidian").mkdir()
    (notes / ".obsidian" / "hidden.md").write_text("# hidden")
    (notes / "coffee.md").write_text(COFFEE, encoding="utf-8")
    (notes / "sub" / "Tea.md").write_text("Just leaves and water.\n", encoding="utf-8")
    (notes / "grind.md").write_text(
        "---\ntitle: Grinding\npermalink: notes/grinding\ntype: guide\n---\n"
        "## Relations\n- part_of [[Coffee Brewing]]\n",
        encoding="utf-8",
    )
    os.utime(notes / "sub" / "Tea.md", (1714521600, 1714521600))
    return notes


async def test_basic_memory(
    memory: GraphMemory, driver: AsyncDriver, group: str, tmp_path: Path
) -> None:
    report, lines = await brought(memory, "basic-memory", basic_memory(tmp_path))
    assert (report.stored, report.failed) == (6, 0)
    pour = "Coffee Brewing: Pour over is clearer than French press #clarity"
    loose = "Coffee Brewing: a tag alone makes one #loose"
    water = "Coffee Brewing needs water at 93 °C (measured)"
    assert await relations(driver, group) == {
        ("Coffee Brewing", "relates_to", "Grinding", "requires"),
        ("Coffee Brewing", "references", "Grinding", None),
        ("Coffee Brewing", "relates_to", "Tea", "contrasts with"),
        ("Coffee Brewing", "references", "Tea", None),
        ("Grinding", "part_of", "Coffee Brewing", None),
        *((title, "part_of", "Coffee Brewing", None) for title in (pour, loose, water)),
    }
    assert report.relations == 8
    assert lines.unknown_relation_types == {"requires": 1, "contrasts with": 1}
    assert lines.unknown_memory_types == {"guide": 1}
    assert lines.left_out == {"a relation with an end that is not there": 1}
    stored = {line["content"]: line for line in (await exported(memory)).values()}
    (note,) = [line for content, line in stored.items() if content.startswith("# Coffee")]
    assert "see [[Tea]] too." in note["content"]
    assert "- plain item" in note["content"]
    assert "a transcript" in note["content"]
    assert "not an observation" in note["content"]
    assert "Observations" not in note["content"]
    assert (note["created_at"], note["tags"]) == ("2024-05-01T00:00:00.000Z", ["coffee", "brewing"])
    assert note["lifecycle"]["updated_at"] == "2024-05-02T10:00:00.000Z"
    assert (note["metadata"]["rating"], note["metadata"]["2024-01-01"]) == (4, "odd key")
    assert stored[water]["memory_type"] == "preference"
    assert stored[pour]["tags"] == ["method", "clarity", "coffee", "brewing"]
    tea = stored["Tea\n\nJust leaves and water."]
    assert tea["created_at"] == "2024-05-01T00:00:00.000Z"
    required = [r for r in note["relationships"] if r.get("original_relation_type") == "requires"]
    assert required[0]["metadata"] == {"context": "always"}


def test_a_database_in_use_is_read_and_one_at_rest_left_alone(tmp_path: Path) -> None:
    path = doobidoo(tmp_path)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute(
            "INSERT INTO memories (content_hash, content, created_at) VALUES ('h9', 'late', 1.0)"
        )
        writer.commit()
        assert path.with_name(f"{path.name}-wal").exists()
        lines = translate("doobidoo", path, "g")
        assert "late" in [json.loads(line)["content"] for line in lines]
    before = sorted(tmp_path.iterdir())
    bytes_before = path.read_bytes()
    assert len(list(translate("doobidoo", path, "g"))) == 4
    assert (sorted(tmp_path.iterdir()), path.read_bytes()) == (before, bytes_before)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("doobidoo", longterm_memory),
        ("longterm-memory", doobidoo),
        ("forgetful", doobidoo),
    ],
)
def test_a_database_of_another_store_is_refused(name: str, other: Make, tmp_path: Path) -> None:
    with pytest.raises(SourceFormatError, match="found no memories"):
        list(translate(name, other(tmp_path), "g"))


def test_a_damaged_database_is_refused(tmp_path: Path) -> None:
    path = doobidoo(tmp_path)
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(SourceFormatError, match="found a file SQLite cannot read"):
        list(translate("doobidoo", path, "g"))


def test_a_folder_without_notes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceFormatError, match="found no Markdown file"):
        list(translate("basic-memory", tmp_path, "g"))


async def test_text_that_is_no_utf8_spoils_only_its_own_memory(
    memory: GraphMemory, tmp_path: Path
) -> None:
    path = doobidoo(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE memories SET content = CAST(X'ff41' AS TEXT) WHERE content_hash = 'h3'"
        )
    report, lines = await brought(memory, "doobidoo", path)
    assert (report.stored, report.failed) == (2, 2)  # the memory, and the relation that led to it
    assert lines.source_id(report.errors[0].line) == "h3"


def test_a_large_file_is_read_a_piece_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = mem0(tmp_path)
    whole = list(translate("mem0", path, "g"))
    for size in (1, 2, 7):
        monkeypatch.setattr("graph_memory.transfer.formats.json_source._CHUNK", size)
        assert list(translate("mem0", path, "g")) == whole


#: How to make a small store of each format.
STORES: dict[str, Make] = {
    "mcp-memory": mcp_memory,
    "mcp-ai-memory": mcp_ai_memory,
    "doobidoo": doobidoo,
    "basic-memory": basic_memory,
    "mem0": mem0,
    "forgetful": forgetful,
    "longterm-memory": longterm_memory,
}


def test_every_format_is_tried_here_and_documented() -> None:
    assert STORES.keys() == FORMATS.keys()
    guide = read("docs/guides/import.md")
    for name in FORMATS:
        assert f"`{name}`" in guide
        assert name in (import_memories.__doc__ or "")


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


@pytest.mark.parametrize(
    ("scale", "grade", "importance"),
    [
        (Scale.UNIT, 0.8, 8.0),
        (Scale.FIVE, 4, 8.0),
        (Scale.TEN, 8, 8.0),
        (Scale.UNIT, None, None),
        (Scale.UNIT, "high", "high"),
        (None, 0.8, None),
    ],
)
def test_importance_is_read_on_the_declared_scale(
    scale: Scale | None, grade: Any, importance: Any, tmp_path: Path
) -> None:
    told = [SourceMemory(source_id="1", content="a", importance=grade)]
    made_up = Format(description="made up", read=lambda path: iter(told), scale=scale)
    (line,) = Translation("made-up", made_up, tmp_path, "g")
    assert json.loads(line).get("importance") == importance


@pytest.mark.parametrize(
    ("name", "relation_type", "original"),
    [
        ("dependsOn", "depends_on", None),
        ("Part Of", "part_of", None),
        ("related-to", "relates_to", None),
        ("LEADS_TO", "leads_to", None),
        ("works at", "relates_to", "works at"),
        ("知道", "relates_to", "知道"),
        ("", "relates_to", None),
    ],
)
def test_relation_types_are_spelled_our_way(
    name: str, relation_type: str, original: str | None, tmp_path: Path
) -> None:
    path = lines_of(
        tmp_path / "memory.jsonl",
        {"type": "entity", "name": "A", "entityType": "", "observations": []},
        {"type": "entity", "name": "B", "entityType": "", "observations": []},
        {"type": "relation", "from": "A", "to": "B", "relationType": name},
    )
    first, _ = (json.loads(line) for line in translate("mcp-memory", path, "g"))
    (relation,) = first["relationships"]
    assert relation["relation_type"] == relation_type
    assert relation.get("original_relation_type") == original


def test_a_note_with_broken_front_matter_is_still_a_note(tmp_path: Path) -> None:
    for number, matter in enumerate(
        ("date: 2024-13-45", "a: [", "- a list", "", "title:\n- n4", "title: 0\ntype: 5")
    ):
        (tmp_path / f"n{number}.md").write_text(f"---\n{matter}\n---\nText {number}\n")
    (tmp_path / "folder.md").mkdir()
    lines = [json.loads(line) for line in translate("basic-memory", tmp_path, "g")]
    titles = ["n0", "n1", "n2", "n3", "n4", "0"]
    expected = [f"{title}\n\nText {number}" for number, title in enumerate(titles)]
    assert [line["content"] for line in lines] == expected


def test_a_dry_run_names_what_it_would_refuse(tmp_path: Path) -> None:
    lines = [
        '{"content": "a"}',
        "",
        '{"content": "a"}',
        "{broken",
        '{"content": "too long"}',
        '{"content": "b", "memory_id": "1"}',
        '{"content": "c", "memory_id": "1"}',
    ]
    found = preview(lines, max_content_characters=3)
    assert (found.memories, found.repeated, found.refused) == (2, 2, 2)
    assert [(error.line, error.code) for error in found.errors] == [
        (4, "invalid_argument"),
        (5, "limit_exceeded"),
    ]


@pytest.fixture
def run(settings: Settings, group: str) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command line as a process of its own."""
    environment = {
        **os.environ,
        "GRAPH_MEMORY_NEO4J_URI": settings.neo4j_uri or "",
        "GRAPH_MEMORY_NEO4J_USER": settings.neo4j_user,
        "GRAPH_MEMORY_NEO4J_PASSWORD": settings.neo4j_password.get_secret_value(),
        "GRAPH_MEMORY_DATA_DIR": str(settings.data_dir),
        "GRAPH_MEMORY_GROUP_ID": group,
    }
    script = Path(sys.executable).parent / "graph-memory"

    def started(*arguments: object) -> subprocess.CompletedProcess[str]:
        command = [str(script), *(str(argument) for argument in arguments)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)

    return started


async def test_a_store_is_brought_by_the_command_line(
    memory: GraphMemory, run: Callable[..., Any], tmp_path: Path
) -> None:
    path = mcp_ai_memory(tmp_path)
    dry = run("import", "--from", "mcp-ai-memory", path, "--dry-run", "--json")
    assert dry.returncode == 0, dry.stderr
    assert "Unknown relation type 'inspired': 1 stored as relates_to" in dry.stderr
    assert json.loads(dry.stdout) == {
        "memories": 3,
        "relations": 3,
        "repeated": 0,
        "refused": 0,
        "states": {"DORMANT": 1, "EXPIRED": 2},
        "errors": [],
        "importance_scale": "0 to 1",
        "left_out": {
            "a relation with an end that is not there": 1,
            "a relation of a memory to itself": 1,
            "a deleted memory": 1,
        },
        "amended": {},
        "unknown_relation_types": {"inspired": 1},
        "unknown_memory_types": {"error": 1},
        "users": {"ada": 2, "grace": 1},
    }
    assert await exported(memory) == {}
    done = run("import", "--from", "mcp-ai-memory", path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("stored\t3\nskipped\t0\nrelations\t3\nfailed\t0\n")
    assert 'unknown_relation_types\t{"inspired": 1}\n' in done.stdout
    assert len(await exported(memory)) == 3


def test_the_command_line_names_what_is_wrong(run: Callable[..., Any], tmp_path: Path) -> None:
    other = lines_of(tmp_path / "other.json", '{"colour": "red"}')
    refused = run("import", "--from", "mem0", other, "--json")
    assert refused.returncode == 1
    assert json.loads(refused.stdout)["error"] == {
        "code": "format",
        "message": f"{other} is not memories of mem0 as JSON (`id` and `memory`): "
        "found an object with colour.",
    }
    assert run("import", "--from", "mem0", tmp_path / "nowhere").stderr.startswith("error: ")
    assert run("import", "--from", "nonesuch", other).returncode == 2
    ours = lines_of(tmp_path / "ours.jsonl", {"content": "a"}, {"content": "b", "stability": 9})
    dry = run("import", ours, "--dry-run")
    assert (dry.returncode, dry.stdout) == (
        1,
        "memories\t1\nrelations\t0\nrepeated\t0\nrefused\t1\n",
    )
    assert dry.stderr.startswith("line 2: stability=9 is not allowed")
    assert run("import", ours, "--user", "ada").returncode == 2
    bad = lines_of(tmp_path / "bad.json", '{"id": "7", "memory": " "}')
    named = run("import", "--from", "mem0", bad, "--dry-run")
    assert (named.returncode, named.stdout.splitlines()[3]) == (1, "refused\t1")
    assert named.stderr.startswith("line 1: memory '7': content=' ' is not allowed")
