"""A memory as a line of JSON: the form `import` reads and `export` writes.

A line is an object with the arguments of `add_memory`, and with `created_at`, `group_id` and
`memory_id` where they are to be kept. Export adds `lifecycle`, what has happened to a memory since,
and the times of its relations; nobody needs to write these, but import takes them back.
"""

import json
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, cast

from graph_memory.arguments import Moment, NewMemory, NewRelation, Text, Unit, checked
from graph_memory.errors import InvalidArgumentError
from graph_memory.memories import default_title, instant, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedRelation(NewRelation):
    """A relation of a line, with the times it had, and what it was called where it comes from."""

    created_at: Moment | None = None
    valid_at: Moment | None = None
    invalid_at: Moment | None = None
    original_relation_type: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """What had happened to a memory before it was exported."""

    __pydantic_config__: ClassVar = NewMemory.__pydantic_config__

    lifecycle_state: Literal["ACTIVE", "DORMANT", "ARCHIVED", "EXPIRED"] = "ACTIVE"
    state_changed_at: Moment | None = None
    state_reason: str | None = None
    state_history: tuple[str, ...] = ()
    decay_score: Unit = 0.0
    last_decay_update: Moment | None = None
    preserve_until: Moment | None = None
    access_count: int = 0
    last_accessed_at: Moment | None = None
    importance_source: str | None = None
    updated_at: Moment | None = None
    invalid_at: Moment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedMemory(NewMemory):
    """A line of an import."""

    relationships: tuple[ArchivedRelation, ...] = ()
    lifecycle: Lifecycle | None = None


def read_line(text: str) -> ArchivedMemory:
    """Return the memory a line describes.

    Raises:
        InvalidArgumentError: It is no JSON object, or a value is outside its range.
    """
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentError("line", text.strip(), f"it is not JSON ({error})") from error
    if not isinstance(given, dict):
        raise InvalidArgumentError("line", text.strip(), "it must be a JSON object")
    return checked(ArchivedMemory, cast(object, given))


def write_line(described: dict[str, Any], title: str | None) -> str:
    """Return the line of a memory as the database describes it, without what is implied."""
    content = whole(described["content"])
    implied = title == default_title(content)
    line = {
        **{field.name: described.get(field.name) for field in fields(ArchivedMemory)},
        "content": content,
        "title": None if implied else title,
        "lifecycle": _present(described["lifecycle"]),
        "relationships": [_present(relation) for relation in described["relationships"]],
    }
    return json.dumps(_present(line), ensure_ascii=False, default=instant)


def _present(values: dict[str, Any]) -> dict[str, Any]:
    """Return what is not empty, metadata as the object it stands for."""
    if "metadata" in values:
        values = {**values, "metadata": json.loads(values["metadata"] or "{}")}
    return {name: value for name, value in values.items() if value not in (None, [], {})}
