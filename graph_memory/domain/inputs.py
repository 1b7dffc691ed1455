"""Arguments of callers and their checks, for the Python API, tools, commands and imports.

Each type carries its range. `validate` raises one of our errors for a violation; it names the
argument, the value and the range.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from functools import cache
from types import GenericAlias
from typing import Annotated, Any, ClassVar, Literal, TypeVar, cast, get_args, get_type_hints

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from graph_memory.domain.attachments import LANGUAGE, MEDIA_TYPE, SHA256, Attachments
from graph_memory.domain.models import (
    GROUP_ID_PATTERN,
    LifecycleState,
    MemoryType,
    RelationType,
    Role,
    Source,
)
from graph_memory.domain.origin import Authority
from graph_memory.domain.properties import RESERVED_KEYS
from graph_memory.domain.timestamps import EndMoment, Moment, instant
from graph_memory.errors import InvalidArgumentError, LimitExceededError, ReservedFieldError
from graph_memory.wording import argument

T = TypeVar("T")

_GROUP_ID = f"^{GROUP_ID_PATTERN.pattern}$"
_NEW_ID = r"^[A-Za-z0-9_.:\-]{1,128}$"
_POLICY = r"^[a-z][a-z0-9_]{0,63}$"

#: Descriptions in the terms of JSON, in place of the Python types and patterns of Pydantic.
_EXPECTED = {
    **dict.fromkeys(("tuple_type", "list_type"), "it must be a list"),
    **dict.fromkeys(("dict_type", "mapping_type", "dataclass_type"), "it must be an object"),
    _GROUP_ID: "1 to 64 letters, digits and underscores",
    _NEW_ID: "1 to 128 letters, digits and any of _ . : -",
    _POLICY: "1 to 64 of a-z, 0-9 and _, a letter first",
    MEDIA_TYPE: "a type and a subtype, as image/png",
    SHA256: "64 hexadecimal digits",
    LANGUAGE: "1 to 32 of a-z, 0-9 and + # . _ -, a letter or digit first",
}

MAX_TAGS = 64
MAX_METADATA_CHARACTERS = 65_536
#: Levels of nesting, the metadata itself being the first; Pydantic serializes about 250.
MAX_METADATA_LEVELS = 32


def _storable(text: str) -> str:
    """Reject text that cannot be encoded as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise PydanticCustomError(
            "surrogate",
            "character {position} is a lone surrogate, which is not valid Unicode text",
            {"position": error.start},
        ) from error
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "it must contain more than white space")
    return text


def _clamped(low: float, high: float) -> Callable[[Any], Any]:
    def clamp(value: Any) -> Any:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return min(max(value, low), high) if number else value

    return clamp


def _unique_tags(tags: tuple[str, ...]) -> tuple[str, ...]:
    """Strip tags, drop empty ones, and keep the first spelling of each."""
    spelled: dict[str, str] = {}
    for tag in filter(None, map(str.strip, tags)):
        spelled.setdefault(tag.lower(), tag)
    return tuple(spelled.values())


def _deeper(value: object, levels: int) -> bool:
    """Check whether a value is nested deeper than `levels`, without looking any deeper."""
    if isinstance(value, Mapping):
        value = list(cast(Mapping[Any, object], value).values())
    if not isinstance(value, list | tuple):
        return False
    return not levels or any(_deeper(each, levels - 1) for each in cast(list[object], value))


def _plain_metadata(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    if reserved := sorted(RESERVED_KEYS & metadata.keys()):
        raise PydanticCustomError(
            "reserved_field",
            "the keys {keys} are reserved by Graphiti; choose other names",
            {"keys": ", ".join(reserved)},
        )
    if _deeper(metadata, MAX_METADATA_LEVELS):
        raise PydanticCustomError(
            "too_deep", "it may have {limit} levels of nesting", {"limit": MAX_METADATA_LEVELS}
        )
    try:
        text = json.dumps(metadata, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise PydanticCustomError(
            "json", "it must be a JSON object ({reason})", {"reason": str(error)}
        ) from error
    if len(text) > MAX_METADATA_CHARACTERS:
        raise PydanticCustomError(
            "too_large",
            "its JSON may have at most {limit} characters",
            {"limit": MAX_METADATA_CHARACTERS},
        )
    _storable(text)
    return metadata


def _cased(fold: Callable[[str], str]) -> Callable[[object], object]:
    return lambda value: fold(value.strip()) if isinstance(value, str) else value


def relation_name(value: object) -> object:
    """Return a relation type in lower case, with `related_to` as a synonym of `relates_to`."""
    folded = _cased(str.lower)(value)
    return "relates_to" if folded == "related_to" else folded


def _relation_name_if_ours(value: object) -> object:
    """Return a relation type of graph-memory as `relation_name` does, and any other as it is."""
    folded = relation_name(value)
    return folded if folded in list(RelationType) else value


Text = Annotated[str, AfterValidator(_storable)]
Line = Annotated[
    Text, StringConstraints(strip_whitespace=True, max_length=256), AfterValidator(_not_blank)
]
Content = Annotated[Text, AfterValidator(_not_blank)]
Question = Annotated[Text, StringConstraints(max_length=20_000), AfterValidator(_not_blank)]
Tags = Annotated[
    tuple[Annotated[Text, StringConstraints(max_length=128)], ...],
    Field(max_length=MAX_TAGS),
    AfterValidator(_unique_tags),
]
Metadata = Annotated[Mapping[str, Any], AfterValidator(_plain_metadata)]
Importance = Annotated[float, BeforeValidator(_clamped(1, 10)), Field(ge=1, le=10)]
Stability = Annotated[int, Field(ge=1, le=5)]
Unit = Annotated[float, Field(ge=0, le=1)]
DecayRate = Annotated[float, Field(ge=0, le=100)]
GroupId = Annotated[str, StringConstraints(pattern=_GROUP_ID)]
MemoryId = Annotated[Text, StringConstraints(min_length=1, max_length=128)]
NewId = Annotated[str, StringConstraints(pattern=_NEW_ID)]
Limit = Annotated[int, Field(ge=1, le=50, strict=True)]
TypeName = Annotated[MemoryType, BeforeValidator(_cased(str.lower))]
StateName = Annotated[LifecycleState, BeforeValidator(_cased(str.upper))]
RelationName = Annotated[RelationType, BeforeValidator(relation_name)]
#: Any relation type of a graph; those that Graphiti found have names of their own.
AnyRelationName = Annotated[Line, BeforeValidator(_relation_name_if_ours)]
PolicyName = Annotated[str, BeforeValidator(_cased(str.lower)), Field(pattern=_POLICY)]
AuthorityName = Annotated[Authority, BeforeValidator(_cased(str.lower))]
SourceName = Annotated[Source, BeforeValidator(_cased(str.lower))]
RoleName = Annotated[Role, BeforeValidator(_cased(str.lower))]
#: The place of a turn in its conversation: its number, or any id of it.
Position = Annotated[
    Line, BeforeValidator(lambda value: str(value) if type(value) is int else value)
]

#: The fields of a memory that an update can empty.
Clearable = Literal[
    "confidence",
    "project_id",
    "parent_id",
    "title",
    "decay_policy",
    "decay_rate",
    "tags",
    "metadata",
    "attachments",
]

#: The error types of Pydantic for lengths.
_LENGTHS = ("too_long", "too_short", "string_too_long", "string_too_short")

#: The error type of Pydantic for an unknown argument of a dataclass.
_UNKNOWN = "unexpected_keyword_argument"

_STRICT = ConfigDict(extra="forbid", revalidate_instances="always", allow_inf_nan=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRelation:
    """A relation from a memory to another of its group; None keeps the stored value.

    A new relation has the strength 0.5 by default.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    target_id: MemoryId
    relation_type: RelationName = RelationType.RELATES_TO
    strength: Unit | None = None
    bidirectional: bool = False
    fact: Text | None = None
    valid_at: Moment | None = None
    invalid_at: Moment | None = None
    metadata: Metadata | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory:
    """The arguments of a new memory; None means the default."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    content: Content
    memory_type: TypeName = MemoryType.GENERAL
    tags: Tags = ()
    metadata: Metadata = field(default_factory=dict[str, Any])
    attachments: Attachments = ()
    importance: Importance | None = None
    stability: Stability | None = None
    confidence: Unit | None = None
    source: SourceName = Source.USER
    title: Line | None = None
    project_id: Line | None = None
    parent_id: MemoryId | None = None
    conversation_id: Line | None = None
    relationships: Annotated[tuple[NewRelation, ...], Field(max_length=100)] = ()
    decay_policy: PolicyName | None = None
    decay_rate: DecayRate | None = None
    valid_at: Moment | None = None
    created_at: Moment | None = None
    memory_id: NewId | None = None
    group_id: GroupId | None = None
    copied_from: MemoryId | None = None  #: memory, of any group, of which this one is a copy


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTurn:
    """A turn of a conversation to capture."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    content: Text
    role: RoleName = Role.USER
    position: Position | None = None  #: None for the first place in the conversation with this text
    created_at: Moment | None = None  #: None for the time of the call


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChanges:
    """The changes to a memory; None keeps the stored value, and `clear` empties it.

    With `supersede_part`, exact words of the stored content, `content` is what replaces them; None
    drops them.
    """

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    content: Content | None = None
    supersede_part: Content | None = None
    metadata: Metadata | None = None
    attachments: Attachments | None = None
    tags: Tags | None = None
    importance: Importance | None = None
    memory_type: TypeName | None = None
    stability: Stability | None = None
    confidence: Unit | None = None
    project_id: Line | None = None
    parent_id: MemoryId | None = None
    title: Line | None = None
    decay_policy: PolicyName | None = None
    decay_rate: DecayRate | None = None
    clear: tuple[Clearable, ...] = ()  #: fields to empty


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """The instants of a read on both clocks; None is the present."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    as_of: EndMoment | None = None
    known_at: EndMoment | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """The filters of a search or list; None allows all memories."""

    __pydantic_config__: ClassVar[ConfigDict] = _STRICT

    memory_types: tuple[TypeName, ...] | None = None
    tags: Tags | None = None
    date_from: Moment | None = None
    date_to: EndMoment | None = None
    states: tuple[StateName, ...] | None = None
    project_id: Line | None = None
    min_authority: AuthorityName | None = None  #: the least authority; memories without one fail
    as_of: EndMoment | None = None
    known_at: EndMoment | None = None


def check_range(first: str, earliest: datetime | None, last: str, latest: datetime | None) -> None:
    """Check that the range between two arguments contains an instant; None leaves an end open.

    Raises:
        InvalidArgumentError: The range ends before it starts.
    """
    if earliest and latest and earliest > latest:
        end = argument(last, instant(latest))
        raise InvalidArgumentError(
            first, earliest, f"it must not be after {end}; exchange the two, or omit one"
        )


def validate_value(kind: object, given: T, argument: str) -> T:
    """Return `given` as the annotated type `kind` of this module; raises like `validate`."""
    return validate(cast(type[T], kind), given, argument)


def validate_selection(
    kind: object, given: Sequence[str] | None, argument: str
) -> tuple[str, ...] | None:
    """Return the checked items of a list that selects what to change; None selects all.

    Raises:
        InvalidArgumentError: The list is empty, or an item is not a `kind`.
    """
    if given is None:
        return None
    if not given:
        raise InvalidArgumentError(argument, given, "give at least one, or omit it for all")
    kinds = GenericAlias(tuple, (kind, ...))
    return validate_value(kinds, tuple(given), argument)


def validate(kind: type[T], given: object, argument: str = "") -> T:
    """Return `given` as a `kind`.

    Args:
        kind: A dataclass of this module, or an enum of the domain.
        given: A mapping of the fields, or the value.
        argument: Name of the argument, for the error.

    Raises:
        InvalidArgumentError: A value is outside its range, or an argument is unknown.
        LimitExceededError: A text or list is too long, or metadata is nested too deeply.
        ReservedFieldError: A metadata key is reserved by Graphiti.
    """
    try:
        return cast(T, _adapter(kind).validate_python(given))
    except ValidationError as error:
        details = error.errors()
        # A misspelled name explains a missing one.
        unknown = (each for each in details if each["type"] == _UNKNOWN)
        raise _translated(next(unknown, details[0]), kind, argument) from error


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _translated(detail: ErrorDetails, kind: Any, argument: str) -> InvalidArgumentError:
    name = ".".join(str(part) for part in (argument, *detail["loc"]) if part != "")
    errors: dict[str, type[InvalidArgumentError]] = {
        "reserved_field": ReservedFieldError,
        **dict.fromkeys(
            ("too_long", "too_large", "too_deep", "string_too_long"), LimitExceededError
        ),
    }
    # For a missing argument, Pydantic shows all given arguments in its place.
    value = None if detail["type"] == "missing" else detail.get("input")
    return errors.get(detail["type"], InvalidArgumentError)(name, value, _expected(detail, kind))


def _expected(detail: ErrorDetails, kind: Any) -> str:
    """Return the allowed values or range, as a clause."""
    if detail["type"] == "missing":
        return "it is required"
    if detail["type"] == _UNKNOWN:
        known = [each.name for each in fields(_at(kind, detail["loc"][:-1]))]
        return unknown_argument(known)
    if detail["type"] in _LENGTHS:
        return _length(detail)
    if detail["type"] in ("greater_than_equal", "less_than_equal"):
        bounds = _bounds(_hint(kind, detail["loc"]))
        if {"ge", "le"} <= bounds.keys():
            return f"it must be from {bounds['ge']} to {bounds['le']}"
    said = detail["msg"].removeprefix("Value error, ").replace("Input should", "it should")
    fault = detail.get("ctx", {}).get("pattern", detail["type"])
    return _EXPECTED.get(fault, said[:1].lower() + said[1:])


def unknown_argument(known: Iterable[str]) -> str:
    """Return the rule that an argument breaks which is not one of `known`."""
    listed = ", ".join(known)
    return f"unknown argument; valid are {listed}" if listed else "no argument is taken"


def _length(detail: ErrorDetails) -> str:
    """Return the allowed length of a text or list."""
    given, context = detail["input"], detail.get("ctx", {})
    unit = "characters" if isinstance(given, str) else "items"
    count = len(given) if isinstance(given, Sized) else context.get("actual_length")
    most = context.get("max_length")
    if most is not None:
        return f"it may have at most {most} {unit}, and has {count}"
    least = context.get("min_length")
    if least == 1:
        return "it must not be empty" if isinstance(given, str) else "give at least one"
    return f"it must have at least {least} {unit}, and has {count}"


def _at(kind: Any, path: Sequence[str | int]) -> Any:
    """Return the dataclass at a path of fields; a field may be a tuple or optional."""
    for name in (part for part in path if isinstance(part, str)):
        kind = next(filter(is_dataclass, _parts(get_type_hints(kind)[name])))
    return kind


def _parts(hint: Any) -> Iterator[Any]:
    """Yield a type and the types that it is made of."""
    yield hint
    for part in get_args(hint):
        yield from _parts(part)


def _hint(kind: Any, path: Sequence[str | int]) -> Any:
    """Return the annotated type of the value at a path, or `kind` for a path without fields."""
    names = [part for part in path if isinstance(part, str)]
    if not names:
        return kind
    return get_type_hints(_at(kind, names[:-1]), include_extras=True)[names[-1]]


def _bounds(hint: Any) -> dict[str, float]:
    """Return the inclusive bounds `ge` and `le` of an annotated type, which may be optional."""
    found: dict[str, float] = {}
    for part in get_args(hint):
        for limit in getattr(part, "metadata", ()):
            given = {name: getattr(limit, name, None) for name in ("ge", "le")}
            found |= {name: bound for name, bound in given.items() if bound is not None}
        found |= _bounds(part)
    return found
