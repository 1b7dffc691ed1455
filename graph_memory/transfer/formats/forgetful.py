"""The SQLite file of forgetful: memories with a confidence, and links that read both ways."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graph_memory.transfer.formats.json_source import text_list
from graph_memory.transfer.formats.source import (
    Format,
    Pair,
    Scale,
    SourceItem,
    SourceMemory,
    SourceRelation,
    SourceRelations,
    ended,
)
from graph_memory.transfer.formats.sqlite import columns, database, rows

_EXPECTED = "a database of forgetful"
_TABLES = {"memories": {"title", "content", "context", "keywords", "tags", "importance"}}

#: Columns that become metadata.
_METADATA = (
    "context",
    "source_repo",
    "source_url",
    "encoding_agent",
    "encoding_version",
    "agent_id",
    "agent_version",
    "agent_model",
    "obsolete_reason",
)


def read(path: Path) -> Iterator[SourceItem]:
    """Yield all memories; obsolete ones become EXPIRED."""
    with database(path, _EXPECTED, _TABLES) as connection:
        known = {str(row["id"]) for row in rows(connection, "SELECT id FROM memories")}
        links = SourceRelations([*_links(connection), *_successions(connection)], known)
        projects = dict(_projects(connection))
        yield from links.left_out
        for row in rows(connection, "SELECT * FROM memories ORDER BY id"):
            yield _memory(row, links, projects)


def _links(connection: sqlite3.Connection) -> Iterator[Pair]:
    """Yield each link once; both of its ends may have stored it."""
    if not columns(connection, "memory_links"):
        return
    seen: set[frozenset[str]] = set()
    for row in rows(connection, "SELECT * FROM memory_links ORDER BY id"):
        start, target = str(row["source_id"]), str(row["target_id"])
        if frozenset((start, target)) not in seen:
            seen.add(frozenset((start, target)))
            yield (
                start,
                SourceRelation(
                    target_id=target,
                    relation_type="relates_to",
                    bidirectional=True,
                    created_at=row.get("created_at"),
                ),
            )


def _successions(connection: sqlite3.Connection) -> Iterator[Pair]:
    if "superseded_by" not in columns(connection, "memories"):
        return
    query = "SELECT id, superseded_by, obsoleted_at FROM memories WHERE superseded_by IS NOT NULL"
    for row in rows(connection, query):
        yield (
            str(row["superseded_by"]),
            SourceRelation(
                target_id=str(row["id"]),
                relation_type="supersedes",
                created_at=row["obsoleted_at"],
            ),
        )


def _projects(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Yield the projects of each memory, the one to keep last."""
    if not columns(connection, "memory_project_association"):
        return
    query = (
        "SELECT a.memory_id, p.name FROM memory_project_association a "
        "JOIN projects p ON p.id = a.project_id ORDER BY p.id"
    )
    for row in rows(connection, query):
        yield str(row["memory_id"]), row["name"]


def _memory(row: dict[str, Any], links: SourceRelations, projects: dict[str, str]) -> SourceMemory:
    source_id = str(row["id"])
    obsolete_at = row.get("obsoleted_at") or row.get("updated_at")
    reason = row.get("obsolete_reason") or "obsolete in forgetful"
    return SourceMemory(
        source_id=source_id,
        content=row["content"],
        title=row["title"],
        tags=text_list(row["tags"]),
        metadata={
            **{name: row.get(name) for name in _METADATA},
            "keywords": text_list(row["keywords"]),
            "source_files": text_list(row.get("source_files")),
        },
        importance=row["importance"],
        confidence=row.get("confidence"),
        owner=row.get("user_id"),
        project_id=projects.get(source_id),
        created_at=row.get("created_at"),
        relations=links.of(source_id),
        lifecycle={
            "access_count": row.get("access_count"),
            "last_accessed_at": row.get("last_accessed_at"),
            "updated_at": row.get("updated_at"),
            **(ended(obsolete_at, str(reason)) if row.get("is_obsolete") else {}),
        },
    )


FORGETFUL = Format(description="the SQLite file of forgetful", read=read, scale=Scale.TEN)
