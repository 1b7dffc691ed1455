"""The tables of mcp-ai-memory as JSON: `memories` and `memory_relations`.

Missing values are filled in as by that server's migration: the instants of the last decay and the
last access, and by the active policy the state and the score. Its score is 1 for a fresh memory,
ours is 0. Our model computes vectors.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graph_memory.errors import SourceFormatError
from graph_memory.transfer.formats.json_source import objects, text_list, text_object
from graph_memory.transfer.formats.source import (
    Format,
    LeftOut,
    Pair,
    Scale,
    SourceItem,
    SourceMemory,
    SourceRelation,
    SourceRelations,
)

_EXPECTED = "rows of mcp-ai-memory as JSON (`id` and `content`, `from_memory_id`)"
_RELATIONS = ("relations", "memory_relations")
_LISTS = ("memories", *_RELATIONS)

#: Columns that become metadata.
_METADATA = ("source", "cluster_id", "similarity_threshold", "is_compressed", "content_hash")


def read(path: Path) -> Iterator[SourceItem]:
    """Yield the memories that were not deleted, with the relations of both tables."""
    known: set[str] = set()
    pairs: list[Pair] = []
    for section, row in objects(path, _EXPECTED, _LISTS):
        if _is_relation(section, row):
            pairs.append(_relation(row))
        elif "id" not in row or "content" not in row:
            raise SourceFormatError(path, _EXPECTED, f"an object with {', '.join(row) or None}")
        elif not row.get("deleted_at"):
            known.add(str(row["id"]))
            pairs.extend(_to_parent(row))
    links = SourceRelations(pairs, known)
    yield from links.left_out
    for section, row in objects(path, _EXPECTED, _LISTS):
        if _is_relation(section, row):
            continue
        yield LeftOut("a deleted memory") if row.get("deleted_at") else _memory(row, links, known)


def _is_relation(section: str, row: dict[str, Any]) -> bool:
    return section in _RELATIONS or "from_memory_id" in row


def _relation(row: dict[str, Any]) -> Pair:
    return str(row.get("from_memory_id")), SourceRelation(
        target_id=str(row.get("to_memory_id")),
        relation_type=str(row.get("relation_type") or "relates_to"),
        strength=row.get("strength"),
        created_at=row.get("created_at"),
    )


def _to_parent(row: dict[str, Any]) -> list[Pair]:
    """Return the relation to the parent, if the row holds one."""
    if not (row.get("parent_id") and row.get("relation_type")):
        return []
    parent, kind = str(row["parent_id"]), str(row["relation_type"])
    return [(str(row["id"]), SourceRelation(target_id=parent, relation_type=kind))]


def _memory(row: dict[str, Any], links: SourceRelations, known: set[str]) -> SourceMemory:
    source_id, parent_id = str(row["id"]), str(row.get("parent_id"))
    return SourceMemory(
        source_id=source_id,
        content=row["content"],
        memory_type=str(row.get("type") or "general"),
        tags=text_list(row.get("tags")),
        metadata={
            **text_object(row.get("metadata")),
            **{f"source_{name}": row.get(name) for name in _METADATA},
            "source_embedding_dimension": _dimension(row),
        },
        importance=row.get("importance_score"),
        confidence=row.get("confidence"),
        decay_rate=row.get("decay_rate"),
        owner=str(row.get("user_context") or "") or None,
        parent_id=parent_id if parent_id in known else None,
        created_at=row.get("created_at"),
        relations=links.of(source_id),
        lifecycle=_lifecycle(row),
    )


def _lifecycle(row: dict[str, Any]) -> dict[str, Any]:
    changed = row.get("last_decay_update") or row.get("updated_at")
    return {
        "lifecycle_state": str(row["state"]).upper() if row.get("state") else None,
        "state_changed_at": changed,
        "decay_score": _decay(row.get("decay_score")),
        "last_decay_update": row.get("last_decay_update"),
        "access_count": row.get("access_count") or 0,
        "last_accessed_at": row.get("accessed_at") or row.get("created_at"),
        "updated_at": row.get("updated_at"),
    }


def _decay(score: Any) -> Any:
    """Return our decay score, 0 fresh, for a score that is 1 when fresh."""
    number = isinstance(score, int | float)
    return 1 - min(max(score, 0.0), 1.0) if number else score


def _dimension(row: dict[str, Any]) -> int | None:
    """Return the dimension of the source's vector, which is not imported."""
    return row.get("embedding_dimension") or len(text_list(row.get("embedding"))) or None


MCP_AI_MEMORY = Format(
    description="the tables of mcp-ai-memory as JSON, or as JSON lines",
    read=read,
    scale=Scale.UNIT,
)
