"""Check of the lines of a backup, which may have been changed by anyone, before any is written.

A checksum finds damage, but no intent: it has no key, so a changed backup can have a new manifest.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from graph_memory.backup import dump

#: Labels that no backup holds: access tokens above all, which would open the database to others.
_FOREIGN_LABELS = frozenset({"AccessToken", "KeptTombstone", "SchemaMigration"})
_FOREIGN_KEYS = ("maintenance", "backup", "restore")

_Number = Annotated[int, Field(ge=0, lt=2**48)]  # ids of Neo4j are smaller


def _representable(value: str | bool | float) -> str | bool | float:
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError("an integer of more than 64 bits")
    return value


_Value = Annotated[str | bool | int | float, AfterValidator(_representable)]
_Temporal = Literal["datetime", "localdatetime", "date", "duration"]


class _Fields(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    properties: dict[str, _Value | list[_Value]]
    floats: dict[str, tuple[Literal["f", "d"], str]] = {}
    bytes: dict[str, str] = {}
    temporals: dict[str, tuple[_Temporal, str | list[str]]] = {}


class _Node(_Fields):
    id: _Number
    labels: list[str]


class _Edge(_Fields):
    start: Annotated[_Number, Field(alias="from")]
    end: Annotated[_Number, Field(alias="to")]
    type: Annotated[str, Field(min_length=1)]


_FORM: TypeAdapter[_Node | _Edge] = TypeAdapter(_Node | _Edge)


def check_line(line: str, record: dict[str, Any], before: dump.Checksum) -> None:
    """Check a line of a backup.

    Args:
        line: The line as text.
        record: The same line, parsed.
        before: The checksum of the lines before it.

    Raises:
        ValueError: It is none that a backup holds; the text gives the reason.
    """
    try:
        found = _FORM.validate_json(line)
    except ValidationError as error:
        raise ValueError(f"a line does not have the form of a backup: {line[:80]!r}") from error
    dump.parameters(record)  # decodes what is encoded
    if isinstance(found, _Node):
        _check_node(found, before)
    elif not (before.has(found.start) and before.has(found.end)):
        raise ValueError(f"a relationship has an end without a node: {line[:80]!r}")


def _check_node(node: _Node, before: dump.Checksum) -> None:
    if before.has(node.id):
        raise ValueError(f"two nodes have the id {node.id}")
    foreign = _FOREIGN_LABELS & set(node.labels)
    if foreign:
        raise ValueError(f"it holds a node {min(foreign)}, which no backup contains")
    key = node.properties.get("key")
    if "Control" in node.labels and _is_process_state(key):
        raise ValueError(f"it holds the state '{key}' of a process, which no backup contains")


def _is_process_state(key: object) -> bool:
    return isinstance(key, str) and (key in _FOREIGN_KEYS or key.startswith(("rate:", "move|")))
