"""The SQLite file of doobidoo's mcp-memory-service: `memories` and `memory_graph`.

It does not rate importance. Its JSON export lacks the graph, so the database itself is read.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graph_memory.transfer.formats.json_source import text_list, text_object
from graph_memory.transfer.formats.source import (
    Format,
    LeftOut,
    Pair,
    SourceItem,
    SourceMemory,
    SourceRelation,
    SourceRelations,
    ended,
)
from graph_memory.transfer.formats.sqlite import columns, database, rows

_EXPECTED = "a database of mcp-memory-service (doobidoo)"
_ENDED = "superseded in mcp-memory-service"
_TABLES = {"memories": {"content_hash", "content", "tags", "memory_type", "created_at_iso"}}


def read(path: Path) -> Iterator[SourceItem]:
    """Yield the memories that were not deleted, with their associations."""
    with database(path, _EXPECTED, _TABLES) as connection:
        known: set[str] = set()
        pairs = list(_associations(connection))
        successions: dict[str, Any] = {}
        for row in rows(connection, "SELECT * FROM memories"):
            if row.get("deleted_at") is None:
                known.add(row["content_hash"])
        for old, new, at in _successions(connection):
            pairs.append((new, SourceRelation(target_id=old, relation_type="supersedes")))
            successions[old] = at
        links = SourceRelations(pairs, known)
        yield from links.left_out
        for row in rows(connection, "SELECT * FROM memories ORDER BY id"):
            if row["content_hash"] in known:
                yield _memory(row, links, known, successions)
            else:
                yield LeftOut("a deleted memory")


def _associations(connection: sqlite3.Connection) -> Iterator[Pair]:
    if not columns(connection, "memory_graph"):
        return
    for row in rows(connection, "SELECT * FROM memory_graph"):
        yield (
            row["source_hash"],
            SourceRelation(
                target_id=row["target_hash"],
                relation_type=row.get("relationship_type") or "related",
                strength=row.get("similarity"),
                created_at=row.get("created_at"),
                metadata={
                    **text_object(row.get("metadata")),
                    "connection_types": text_list(row.get("connection_types")),
                },
            ),
        )


def _successions(connection: sqlite3.Connection) -> Iterator[tuple[str, str, Any]]:
    """Yield superseded memories with their successors and the time."""
    if "superseded_by" not in columns(connection, "memories"):
        return
    query = (
        "SELECT old.content_hash AS old, new.content_hash AS new, new.created_at AS at "
        "FROM memories old JOIN memories new ON new.content_hash = old.superseded_by"
    )
    for row in rows(connection, query):
        yield row["old"], row["new"], row["at"]


def _memory(
    row: dict[str, Any], links: SourceRelations, known: set[str], successions: dict[str, Any]
) -> SourceMemory:
    source_id = row["content_hash"]
    parent_id = row.get("parent_id")
    metadata = text_object(row.get("metadata"))
    accesses = metadata.get("access_count")
    return SourceMemory(
        source_id=source_id,
        content=row["content"],
        memory_type=row["memory_type"],
        tags=text_list(row["tags"]),
        metadata=metadata,
        confidence=row.get("confidence"),
        parent_id=parent_id if parent_id in known else None,
        created_at=row.get("created_at") or row["created_at_iso"],
        relations=links.of(source_id),
        lifecycle={
            "access_count": accesses if isinstance(accesses, int) else None,
            "last_accessed_at": row.get("last_accessed"),
            "updated_at": row.get("updated_at") or row.get("updated_at_iso"),
            **(ended(successions[source_id], _ENDED) if source_id in successions else {}),
        },
    )


DOOBIDOO = Format(
    description="the SQLite file of doobidoo's mcp-memory-service",
    read=read,
    relation_types={"related": "relates_to"},
    memory_types={"note": "general"},
)
