"""A folder of basic-memory: Markdown notes with front matter, observations and relations.

A note becomes a memory of its prose. Each of its observations becomes a memory that is part of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import yaml

from graph_memory.domain.models import MemoryType
from graph_memory.errors import SourceFormatError
from graph_memory.transfer.formats.json_source import text_list
from graph_memory.transfer.formats.markdown import Body, Observation, body, parts
from graph_memory.transfer.formats.source import (
    Format,
    Pair,
    SourceItem,
    SourceMemory,
    SourceRelation,
    SourceRelations,
)

_EXPECTED = "a folder of basic-memory notes (Markdown)"

#: Front matter that is not stored as metadata.
_PLACED = frozenset(("title", "type", "tags", "permalink", "created", "modified"))


@dataclass(frozen=True, slots=True)
class _Note:
    source_id: str
    title: str
    names: tuple[str, ...]
    front: dict[str, Any]
    body: Body
    changed_at: datetime


def read(path: Path) -> Iterator[SourceItem]:
    """Yield the notes and observations of a folder; a link names a title, permalink or file."""
    if not path.is_dir():
        raise SourceFormatError(path, _EXPECTED, "a file")
    found = (file for file in sorted(path.rglob("*.md")) if not _hidden(file, path))
    files = [file for file in found if file.is_file() and _within(file, path)]
    if not files:
        raise SourceFormatError(path, _EXPECTED, "no Markdown file in it")
    names: dict[str, str] = {}
    for note in (_note(file, path) for file in files):
        for name in note.names:
            names.setdefault(name.lower(), note.source_id)
    links = SourceRelations(_pairs(files, path, names), set(names.values()))
    yield from links.left_out
    for file in files:
        note = _note(file, path)
        yield _memory(note, links)
        yield from (_observed(note, observation) for observation in note.body.observations)


def _hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def _within(file: Path, folder: Path) -> bool:
    """Check that a file is not a link to somewhere outside the folder."""
    return file.resolve().is_relative_to(folder.resolve())


def _note(file: Path, folder: Path) -> _Note:
    text = file.read_text(encoding="utf-8-sig", errors="surrogateescape")
    matter, rest = parts(text)
    front = _front(matter)
    place = file.relative_to(folder).with_suffix("").as_posix()
    title = _line(front.get("title")) or file.stem
    source_id = _line(front.get("permalink")) or place
    changed_at = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    return _Note(source_id, title, (title, source_id, place), front, body(rest), changed_at)


def _front(matter: str) -> dict[str, Any]:
    """Return front matter, or nothing if it is not valid YAML."""
    try:
        front: object = yaml.safe_load(matter)
    except (yaml.YAMLError, ValueError, RecursionError):  # a date may name the 13th month
        return {}
    return cast(dict[str, Any], front) if isinstance(front, dict) else {}


def _pairs(files: list[Path], folder: Path, names: dict[str, str]) -> Iterator[Pair]:
    for note in (_note(file, folder) for file in files):
        for link in note.body.links:
            target = link.target.partition("|")[0].partition("#")[0].strip()
            yield (
                note.source_id,
                SourceRelation(
                    target_id=names.get(target.removeprefix("memory://").lower(), ""),
                    relation_type=link.relation_type,
                    metadata={"context": link.context},
                ),
            )


def _memory(note: _Note, links: SourceRelations) -> SourceMemory:
    custom = {name: value for name, value in note.front.items() if name not in _PLACED}
    return SourceMemory(
        source_id=note.source_id,
        content=_content(note),
        memory_type=_line(note.front.get("type")) or "note",
        title=note.title,
        tags=_tags(note),
        metadata=_plain(custom),
        created_at=_created_at(note),
        relations=links.of(note.source_id),
        lifecycle={"updated_at": _date(note.front.get("modified")) or note.changed_at},
    )


def _observed(note: _Note, observation: Observation) -> SourceMemory:
    category, text = observation.category, observation.text
    ours = category is not None and category.lower() in set(MemoryType)
    return SourceMemory(
        source_id=f"{note.source_id}\n{category}\n{text}",
        content=text if note.title.lower() in text.lower() else f"{note.title}: {text}",
        memory_type=category if ours else "fact",
        tags=[*filter(None, [category]), *observation.tags, *_tags(note)],
        metadata={"category": category},
        created_at=_created_at(note),
        relations=[SourceRelation(target_id=note.source_id, relation_type="part_of")],
    )


def _content(note: _Note) -> str:
    prose = "\n".join(note.body.prose).strip()
    if note.title.lower() in prose.lower():
        return prose
    return f"{note.title}\n\n{prose}" if prose else note.title


def _created_at(note: _Note) -> Any:
    return _date(note.front.get("created")) or note.changed_at


def _date(value: Any) -> Any:
    """Return a date; a number becomes text, because it is not a number of seconds since 1970."""
    return str(value) if isinstance(value, int | float) else value


def _tags(note: _Note) -> list[str]:
    return [str(tag).lstrip("#") for tag in text_list(note.front.get("tags"))]


def _line(value: Any) -> str:
    """Return a value as text; YAML may hold a number or a list in its place."""
    if isinstance(value, list):
        return ", ".join(str(part) for part in cast(list[Any], value))
    return "" if value is None else str(value).strip()


def _plain(value: Any) -> Any:
    """Return a value of front matter for JSON, with text keys: YAML allows numbers and dates."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in cast(dict[Any, Any], value).items()}
    return [_plain(v) for v in cast(list[Any], value)] if isinstance(value, list) else value


BASIC_MEMORY = Format(
    description="a folder of basic-memory notes (Markdown)",
    read=read,
    relation_types={"links_to": "references"},
    memory_types={"note": "general"},
)
