"""The SQLite file of longterm-memory: typed memories with an importance of 1 to 10, no relations.

Its importance includes decay and use; its types and its scale are the same as ours.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graph_memory.transfer.formats.json_source import text_list, text_object
from graph_memory.transfer.formats.source import Format, Scale, SourceItem, SourceMemory
from graph_memory.transfer.formats.sqlite import database, rows

_EXPECTED = "a database of longterm-memory"
_TABLES = {"memories": {"content_hash", "importance", "memory_type", "last_accessed"}}


def read(path: Path) -> Iterator[SourceItem]:
    """Yield all memories, the oldest first."""
    with database(path, _EXPECTED, _TABLES) as connection:
        for row in rows(connection, "SELECT * FROM memories ORDER BY created_at, id"):
            yield _memory(row)


def _memory(row: dict[str, Any]) -> SourceMemory:
    return SourceMemory(
        source_id=str(row["id"]),
        content=row["content"],
        memory_type=row["memory_type"],
        tags=text_list(row["tags"]),
        metadata={
            **text_object(row["metadata"]),
            "source_embedding_dimension": len(text_list(row.get("embedding"))) or None,
        },
        importance=row["importance"],
        created_at=row["created_at"],
        lifecycle={
            "last_accessed_at": row["last_accessed"],
            "updated_at": row.get("updated_at"),
        },
    )


LONGTERM_MEMORY = Format(
    description="the SQLite file of longterm-memory", read=read, scale=Scale.TEN
)
