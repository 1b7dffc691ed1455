"""The file of the reference MCP memory server: entities with observations, and their relations.

An entity becomes a memory. Each of its observations becomes a memory that is part of it.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from graph_memory.errors import SourceFormatError
from graph_memory.transfer.formats.json_source import text_list
from graph_memory.transfer.formats.source import (
    Format,
    LeftOut,
    Pair,
    SourceItem,
    SourceMemory,
    SourceRelation,
    SourceRelations,
)
from graph_memory.transfer.formats.translate import text_of

_EXPECTED = "JSON lines of the MCP memory server (`type` is `entity` or `relation`)"

_decoder = json.JSONDecoder()


def read(path: Path) -> Iterator[SourceItem]:
    """Yield the entities and observations of a file, which is read twice for its relations."""
    names: set[str] = set()
    pairs: list[Pair] = []
    left_out: list[LeftOut] = []
    for record in _records(path):
        match record:
            case LeftOut():
                left_out.append(record)
            case {"type": "entity"}:
                names.add(_name(record))
            case _:
                pairs.append(_relation(record))
    links = SourceRelations(pairs, names)
    yield from left_out
    yield from links.left_out
    for record in _records(path):
        if not isinstance(record, LeftOut) and record["type"] == "entity":
            yield from _entity(record, links)


def _records(path: Path) -> Iterator[dict[str, Any] | LeftOut]:
    """Yield the objects of a file; parallel calls of that server may leave several in a line.

    Raises:
        SourceFormatError: The first object is neither an entity nor a relation.
    """
    first = True
    with path.open(encoding="utf-8-sig", errors="surrogateescape") as file:
        for line in file:
            for record in _in_line(line.strip()):
                if first and isinstance(record, LeftOut):
                    raise SourceFormatError(path, _EXPECTED, repr(line.strip()[:60]))
                first = False
                yield record


def _in_line(text: str) -> Iterator[dict[str, Any] | LeftOut]:
    while text:
        try:
            value, end = _decoder.raw_decode(text)
        except (ValueError, RecursionError):
            yield LeftOut("a line that is not JSON")
            return
        text = text[end:].lstrip()
        yield _checked(value)


def _checked(value: Any) -> dict[str, Any] | LeftOut:
    if isinstance(value, dict):
        record = cast(dict[str, Any], value)
        if record.get("type") == "entity" and _name(record):
            return record
        if record.get("type") == "relation" and all(_ends(record)):
            return record
    return LeftOut("a line that is neither an entity nor a relation")


def _entity(record: dict[str, Any], links: SourceRelations) -> Iterator[SourceMemory]:
    name = _name(record)
    kind = str(record.get("entityType") or "")
    yield SourceMemory(
        source_id=name,
        content=f"{name} ({kind})" if kind else name,
        memory_type="concept",
        title=name,
        tags=[kind] if kind else [],
        relations=links.of(name),
    )
    for observation in text_list(record.get("observations")):
        text = str(text_of(observation))
        yield SourceMemory(
            source_id=f"{name}\n{text}",
            content=text if name.lower() in text.lower() else f"{name}: {text}",
            memory_type="fact",
            tags=[kind] if kind else [],
            relations=[SourceRelation(target_id=name, relation_type="part_of")],
        )


def _name(record: dict[str, Any]) -> str:
    return str(record.get("name") or record.get("entityName") or record.get("id") or "").strip()


def _ends(record: dict[str, Any]) -> tuple[str, str]:
    start = record.get("from") or record.get("from_id") or ""
    return str(start).strip(), str(record.get("to") or record.get("to_id") or "").strip()


def _relation(record: dict[str, Any]) -> Pair:
    start, target = _ends(record)
    name = str(record.get("relationType") or record.get("relation_type") or "relates_to")
    return start, SourceRelation(target_id=target, relation_type=name)


MCP_MEMORY = Format(
    description="the file of the reference MCP memory server (JSON lines)", read=read
)
