"""The line format of `import` and `export`: one memory as a JSON object.

A line holds the arguments of `add_memory`, and optionally `created_at`, `group_id` and `memory_id`.
Export adds `lifecycle` (the state and its history), `versions` (earlier texts) and the times of
relations. These are optional for an import.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import AfterValidator, Field, StringConstraints, TypeAdapter, ValidationError

from graph_memory.decay.status import Transition
from graph_memory.domain.attachments import stored_fields
from graph_memory.domain.encoding import content_of, default_title, texts_of
from graph_memory.domain.inputs import (
    Content,
    Line,
    MemoryId,
    NewMemory,
    NewRelation,
    RoleName,
    Text,
    Unit,
    validate,
)
from graph_memory.domain.properties import (
    FACT_PROPERTIES,
    GRAPHITI_FACT_FIELDS,
    MEMORY_PROPERTIES,
    RESERVED_KEYS,
    SET_ASIDE_PROPERTIES,
    STRUCTURAL_LABELS,
)
from graph_memory.domain.timestamps import Moment, instant
from graph_memory.errors import InvalidArgumentError
from graph_memory.memories.relations import ends_error

_CHANGE = TypeAdapter(Transition)

#: The start of an entry of a history; statements compare the instant at this position.
_ENTRY = re.compile(r'\{"at": "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"')


def _recorded(entry: str) -> str:
    """Check an entry of a history, which later reads parse."""
    try:
        _CHANGE.validate_json(entry)
    except ValidationError as error:
        raise ValueError("it is not a change of state as exported") from error
    if not _ENTRY.match(entry):
        raise ValueError("it does not begin with its instant as exported")
    return entry


@dataclass(frozen=True, slots=True)
class _Edit:
    """A change by a caller: the fields with their values before and after."""

    at: Moment
    by: str
    changed: dict[str, tuple[Any, Any]]


_EDIT = TypeAdapter(_Edit)


def _edited(entry: str) -> str:
    """Check an entry of the history of changes, which later reads parse."""
    try:
        _EDIT.validate_python(json.loads(entry, strict=False))
    except ValueError as error:
        raise ValueError("it is not a change as exported") from error
    if not _ENTRY.match(entry):
        raise ValueError("it does not begin with its instant as exported")
    return entry


Count = Annotated[int, Field(ge=0, le=2**53)]
Entry = Annotated[Text, AfterValidator(_recorded)]
Edit = Annotated[Text, AfterValidator(_edited)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedRelation(NewRelation):
    """A relation of a line, with its times and its type in the original store."""

    created_at: Moment | None = None
    valid_at: Moment | None = None
    invalid_at: Moment | None = None
    expired_at: Moment | None = None
    original_relation_type: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """The state of a memory when it was exported, with its history.

    The import computes a state or a score that is None, by the active policy.
    """

    __pydantic_config__: ClassVar = NewMemory.__pydantic_config__

    lifecycle_state: Literal["ACTIVE", "DORMANT", "ARCHIVED", "EXPIRED"] | None = None
    state_changed_at: Moment | None = None
    state_reason: Text | None = None
    state_history: tuple[Entry, ...] = ()
    edit_history: tuple[Edit, ...] | None = None
    decay_score: Unit | None = None
    last_decay_update: Moment | None = None
    preserve_until: Moment | None = None
    unprotected_at: Moment | None = None
    access_count: Count = 0
    last_accessed_at: Moment | None = None
    importance_source: Text | None = None
    stability_source: Text | None = None
    classification_status: Literal["off", "pending", "done"] | None = None
    classification_attempts: Count | None = None
    confidence_decayed_at: Moment | None = None
    reinforcement_pending: Count = 0
    updated_at: Moment | None = None
    invalid_at: Moment | None = None
    ended_at: Moment | None = None
    obsolete_at: Moment | None = None
    obsolete_reason: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedVersion:
    """An earlier text of a memory, and the end of its use."""

    __pydantic_config__: ClassVar = NewMemory.__pydantic_config__

    content: Content
    title: Text | None = None
    created_at: Moment | None = None
    expired_at: Moment


#: Properties of an entity and of a fact that are not attributes.
RESERVED_ENTITY_KEYS = (*MEMORY_PROPERTIES, *RESERVED_KEYS)
RESERVED_FACT_KEYS = (*FACT_PROPERTIES, *SET_ASIDE_PROPERTIES, *GRAPHITI_FACT_FIELDS)

_PLAIN = (str, int, float, bool)

#: Whole numbers of Neo4j have 64 bits.
_WHOLE = range(-(2**63), 2**63)


def _attributes(*others: str) -> AfterValidator:
    def check(attributes: Mapping[str, Any]) -> Mapping[str, Any]:
        if taken := sorted(attributes.keys() & set(others)):
            raise ValueError(f"'{taken[0]}' is a reserved name; choose another one")
        if unfit := sorted(key for key, value in attributes.items() if not _is_plain(value)):
            raise ValueError(f"'{unfit[0]}' must be text, a number, true or false, or a list of it")
        return attributes

    return AfterValidator(check)


def _is_plain(value: object) -> bool:
    """Return True for a value that Neo4j and JSON can hold: a scalar, or a list of one type."""
    items = cast(list[object], value) if isinstance(value, list) else [value]
    return all(map(_fits, items)) and len({type(item) for item in items}) <= 1


def _fits(item: object) -> bool:
    if isinstance(item, str):
        return item.encode(errors="replace").decode() == item
    return item in _WHOLE if type(item) is int else isinstance(item, _PLAIN)


def _not_structural(label: str) -> str:
    if label in STRUCTURAL_LABELS:
        raise ValueError("it is a reserved label; choose another one")
    return label


Label = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,255}$"),
    AfterValidator(_not_structural),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedFact:
    """A fact of Graphiti between two memories, with its own name."""

    __pydantic_config__: ClassVar = NewMemory.__pydantic_config__

    target_id: MemoryId
    name: Text
    fact: Text
    fact_id: MemoryId | None = None
    strength: Unit = 0.5
    created_at: Moment | None = None
    valid_at: Moment | None = None
    invalid_at: Moment | None = None
    expired_at: Moment | None = None
    reference_time: Moment | None = None
    attributes: Annotated[Mapping[str, Any], _attributes(*RESERVED_FACT_KEYS)] = field(
        default_factory=dict[str, Any]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedEntity:
    """Graphiti's properties of a memory that is one of its entities."""

    __pydantic_config__: ClassVar = NewMemory.__pydantic_config__

    name: Text
    summary: Text = ""
    labels: tuple[Label, ...] = ()
    attributes: Annotated[Mapping[str, Any], _attributes(*RESERVED_ENTITY_KEYS)] = field(
        default_factory=dict[str, Any]
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedTurn:
    """A place of a conversation at which the content of a memory was stated."""

    __pydantic_config__: ClassVar = NewMemory.__pydantic_config__

    conversation_id: Line
    position: Line
    role: RoleName
    at: Moment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedMemory(NewMemory):
    """A memory as a line holds it."""

    relationships: tuple[ArchivedRelation, ...] = ()
    lifecycle: Lifecycle | None = None
    versions: tuple[ArchivedVersion, ...] = ()
    turns: tuple[ArchivedTurn, ...] = ()
    entity: ArchivedEntity | None = None
    facts: tuple[ArchivedFact, ...] = ()


def read_line(text: str) -> ArchivedMemory:
    """Return the memory that a line describes.

    Raises:
        InvalidArgumentError: The line is not a JSON object, or a value is outside its range.
    """
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidArgumentError("line", text.strip(), f"it is not JSON ({error})") from error
    if not isinstance(given, dict):
        raise InvalidArgumentError("line", text.strip(), "it must be a JSON object")
    memory = validate(ArchivedMemory, cast(object, given))
    for position, relation in enumerate(memory.relationships):
        if error := ends_error(memory.memory_id or "", relation):
            name = f"relationships.{position}.{error.argument}"
            raise InvalidArgumentError(name, error.value, error.expected)
    return memory


def write_line(described: dict[str, Any], title: str | None) -> str:
    """Return the line of a memory as the database describes it, without default values."""
    content = content_of(described["content"])
    line = {
        **{field.name: described.get(field.name) for field in fields(ArchivedMemory)},
        "content": content,
        "title": _own_title(title, content),
        "lifecycle": _present(described["lifecycle"]),
        "versions": [
            _present({**version, "title": _own_title(version["title"], version["content"])})
            for version in described["versions"]
        ],
        "relationships": [_present(relation) for relation in described["relationships"]],
        "entity": _described(described["entity"]) if described["entity"] else None,
        "facts": [_described(fact) for fact in described["facts"]],
    }
    return json.dumps(_present(line), ensure_ascii=False, default=_text)


def _text(value: Any) -> str:
    """Return a value that JSON does not have as text."""
    return instant(value) if isinstance(value, datetime) else str(value)


def _object(metadata: Any) -> dict[str, Any]:
    """Return stored metadata as an object; an empty one if another client has damaged it."""
    try:
        read = json.loads(metadata or "{}")
    except (TypeError, ValueError):
        return {}
    return cast(dict[str, Any], read) if isinstance(read, dict) else {}


def _own_title(title: str | None, content: str) -> str | None:
    """Return a title, or None if it is the default title of the content."""
    return None if title == default_title(content) else title


def _described(values: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an entity or a fact that are not empty, with attributes by name."""
    pairs = [
        (key, instant(value) if isinstance(value, datetime) else value)
        for key, value in values["attributes"]
    ]
    kept = {key: value for key, value in pairs if _is_plain(value)}
    return _present({**values, "attributes": kept})


def _present(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values that are not empty, with objects in place of JSON, and tags as text."""
    if "metadata" in values:
        values = {**values, "metadata": _object(values["metadata"])}
    if "attachments" in values:
        values = {**values, "attachments": stored_fields(values["attachments"])}
    if "tags" in values:
        values = {**values, "tags": texts_of(values["tags"])}
    return {name: value for name, value in values.items() if value not in (None, [], {})}
