"""Translation of another store's ids, types, scales and instants to the lines of `import`."""

import json
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, cast

from graph_memory.domain.inputs import RelationName, TypeName, validate_value
from graph_memory.domain.models import MemoryType, RelationType
from graph_memory.domain.properties import RESERVED_KEYS
from graph_memory.domain.timestamps import instant
from graph_memory.errors import InvalidArgumentError
from graph_memory.transfer.formats.source import Format, LeftOut, SourceMemory, SourceRelation

#: Namespace of the ids; they are stable, so a repeated import finds the memories of the first.
_NAMESPACE = uuid.UUID("6f0d8b8e-2d0c-5b1a-9c53-7a0f6d1c4e21")

_TITLE_CHARACTERS = 256


class Translation:
    """The lines of a source, and their counts; iterate over it once.

    Attributes:
        memories: Number of lines so far.
        relations: Number of their relations.
        left_out: Numbers of objects that were not imported, by reason.
        amended: Numbers of values that were clamped, by reason.
        unknown_relation_types: Counts by name; stored as `relates_to`, with the original name.
        unknown_memory_types: Counts by name; stored as `general`, with the original name.
        owners: Numbers of memories by user of the source.
    """

    def __init__(
        self, name: str, source: Format, path: Path, group_id: str, owner: str | None = None
    ) -> None:
        self.memories = 0
        self.relations = 0
        self.left_out: Counter[str] = Counter()
        self.amended: Counter[str] = Counter()
        self.unknown_relation_types: Counter[str] = Counter()
        self.unknown_memory_types: Counter[str] = Counter()
        self.owners: Counter[str] = Counter()
        self._name = name
        self._source = source
        self._path = path
        self._group_id = group_id
        self._owner = owner
        self._source_ids: list[str] = []

    def __iter__(self) -> Iterator[str]:
        """Yield a line for each memory while the source is read."""
        for item in self._source.read(self._path):
            if isinstance(item, LeftOut):
                self.left_out[item.reason] += 1
            elif self._owner and item.owner != self._owner:
                self.left_out["a memory of another user"] += 1
            else:
                yield json.dumps(self._line(item), ensure_ascii=False, default=str)

    def source_id(self, line: int) -> str:
        """Return the source's id of the memory in a line, counted from 1."""
        return self._source_ids[line - 1]

    def _line(self, item: SourceMemory) -> dict[str, Any]:
        self.memories += 1
        self._source_ids.append(item.source_id)
        if item.owner:
            self.owners[item.owner] += 1
        relations = self._relations(item)
        self.relations += len(relations)
        memory_type, original = self._memory_type(item.memory_type)
        kept = {
            "imported_from": self._name,
            "source_id": item.source_id,
            "original_memory_type": original,
            "source_owner": item.owner,
        }
        line = {
            "memory_id": self._id(item.source_id),
            "content": text_of(item.content),
            "memory_type": memory_type,
            "title": " ".join((item.title or "").split())[:_TITLE_CHARACTERS] or None,
            "tags": _tags(item.tags),
            "metadata": {**_metadata(item.metadata), **_given(kept)},
            "importance": self._importance(item.importance),
            "confidence": item.confidence,
            "decay_rate": item.decay_rate,
            "project_id": item.project_id,
            "parent_id": self._id(item.parent_id) if item.parent_id else None,
            "conversation_id": item.conversation_id,
            "created_at": moment(item.created_at),
            "relationships": relations,
            "lifecycle": self._lifecycle(item.lifecycle),
        }
        return _given(line)

    def _id(self, source_id: str) -> str:
        name = f"{self._name}|{self._group_id}|{source_id}"
        valid = name.encode(errors="backslashreplace").decode()  # a damaged file is not UTF-8
        return str(uuid.uuid5(_NAMESPACE, valid))

    def _importance(self, grade: Any) -> Any:
        """Return a rating on our scale; the import refuses a value that is not a number."""
        scale = self._source.scale
        if scale is None or grade is None:
            return None
        if isinstance(grade, bool) or not isinstance(grade, int | float):
            return grade
        if not 0 <= grade <= scale.highest:
            self.amended[f"an importance beyond {scale.value}"] += 1
        return grade * 10 / scale.highest

    def _lifecycle(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the lifecycle of a memory, with the import as its latest reason."""
        named = {k: moment(v) if k.endswith(("_at", "_update")) else v for k, v in given.items()}
        return {"state_reason": "imported", **_given(named)}

    def _memory_type(self, name: str | None) -> tuple[str | None, str | None]:
        """Return our type, and the source's name if it is unknown."""
        if not name:
            return None, None
        try:
            given = self._source.memory_types.get(name.strip().lower(), name)
            return validate_value(TypeName, given, "memory_type"), None
        except InvalidArgumentError:
            self.unknown_memory_types[name] += 1
            return MemoryType.GENERAL, name

    def _relations(self, item: SourceMemory) -> list[dict[str, Any]]:
        """Return relations, one per target and type: unknown types may become the same type."""
        merged: dict[tuple[str, str], dict[str, Any]] = {}
        for relation in item.relations:
            relation_type, original = self._relation_type(relation.relation_type)
            row = _relation(relation, self._id(relation.target_id), relation_type, original)
            first = merged.setdefault((relation.target_id, relation_type), row)
            names: list[str] = first.get("original_relation_type", "").split(", ")
            if original and original not in names:
                first["original_relation_type"] = ", ".join((*filter(None, names), original))
        return list(merged.values())

    def _relation_type(self, name: str) -> tuple[str, str | None]:
        """Return our type, and the source's name if it is unknown."""
        folded = _folded(name)
        try:
            given = self._source.relation_types.get(folded, folded)
            return validate_value(RelationName, given, "relation_type"), None
        except InvalidArgumentError:
            self.unknown_relation_types[name] += 1
            return RelationType.RELATES_TO, name


def text_of(value: Any) -> Any:
    """Return the text of a content, also from an object with only `text` or `content`."""
    if isinstance(value, dict):
        wrapped = cast(dict[str, Any], value)
        for key in ("text", "content"):
            if len(wrapped) == 1 and isinstance(wrapped.get(key), str):
                return wrapped[key]
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def moment(value: Any) -> Any:
    """Return an instant as text, from seconds since 1970, a date or a text."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return instant(datetime.fromtimestamp(value, UTC))
        except (ValueError, OverflowError, OSError):
            return str(value)
    if isinstance(value, datetime):
        return instant(value)
    return value.isoformat() if isinstance(value, date) else value


def _relation(
    relation: SourceRelation, target_id: str, relation_type: str, original: str | None
) -> dict[str, Any]:
    strength = relation.strength
    if isinstance(strength, int | float):
        strength = min(max(strength, 0.0), 1.0)  # rounding may push a cosine out of its range
    return _given(
        {
            "target_id": target_id,
            "relation_type": relation_type,
            "original_relation_type": original,
            "strength": strength,
            "bidirectional": relation.bidirectional or None,
            "created_at": moment(relation.created_at),
            "metadata": _metadata(relation.metadata),
        }
    )


def _folded(name: str) -> str:
    """Return a relation type in snake case, from `dependsOn` or `depends on`."""
    parted = "".join(
        f"_{c}" if c.isupper() and before.islower() else c
        for before, c in zip(" " + name, name, strict=False)
    )
    return "_".join(parted.replace("-", " ").replace("_", " ").lower().split())


def _tags(tags: Any) -> list[str]:
    return [str(tag) for tag in tags if tag is not None]


def _metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return metadata, with reserved keys renamed to `source_...`."""
    return {f"source_{k}" if k in RESERVED_KEYS else k: v for k, v in _given(metadata).items()}


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, [], {})}
