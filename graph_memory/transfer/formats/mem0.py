"""The JSON answer of mem0's `get_all`: memories of users, agents and runs.

It does not rate importance. Its graph, if any, relates entities and not memories.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graph_memory.errors import SourceFormatError
from graph_memory.transfer.formats.json_source import objects, text_list, text_object
from graph_memory.transfer.formats.source import Format, LeftOut, SourceItem, SourceMemory

_EXPECTED = "memories of mem0 as JSON (`id` and `memory`)"
_LISTS = ("results", "memories", "relations")

#: Members that become metadata. A run does not become a conversation, because mem0 does not store
#: the order of its memories.
_METADATA = ("agent_id", "run_id", "app_id", "actor_id", "role", "hash")


def read(path: Path) -> Iterator[SourceItem]:
    """Yield the memories of a file."""
    for section, row in objects(path, _EXPECTED, _LISTS):
        if section != "relations" and not {"id", "memory"} <= row.keys():
            raise SourceFormatError(path, _EXPECTED, f"an object with {', '.join(row) or None}")
    for section, row in objects(path, _EXPECTED, _LISTS):
        relation = section == "relations"
        yield LeftOut("a relation between entities") if relation else _memory(row)


def _memory(row: dict[str, Any]) -> SourceMemory:
    return SourceMemory(
        source_id=str(row["id"]),
        content=row["memory"],
        tags=text_list(row.get("categories")),
        metadata={
            **text_object(row.get("metadata")),
            **{name: row.get(name) for name in _METADATA},
        },
        owner=str(row.get("user_id") or "") or None,
        created_at=row.get("created_at"),
        lifecycle={
            "updated_at": row.get("updated_at"),
            "invalid_at": row.get("expiration_date"),
        },
    )


MEM0 = Format(description="the answer of mem0's get_all (JSON)", read=read)
