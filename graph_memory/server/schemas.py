"""JSON schemas of arguments, short because an agent pays for each token of `tools/list`.

Arguments that agents rarely need are accepted and documented, but not listed: see `Unlisted`.
"""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar, cast

from pydantic import Field

T = TypeVar("T")

_UNLISTED = "unlisted"

#: The mark of an argument that `tools/list` leaves out.
UNLISTED = Field(json_schema_extra={_UNLISTED: True})
Unlisted = Annotated[T, UNLISTED]

_NULL = {"type": "null"}

#: Keywords to omit: Pydantic's names, lengths that errors name, and a format without bare dates.
_OMITTED = (
    "title",
    "$defs",
    "minLength",
    "maxLength",
    "maxItems",
    "format",
    "pattern",
    "ge",
    "le",
    _UNLISTED,
)


def arguments_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of all arguments of a tool, which allows no other arguments.

    The schema of an optional argument omits null, although `MemoryTool` takes null as "not given".
    """
    return _short(schema, schema.get("$defs", {})) | {"additionalProperties": False}


def listed_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return `arguments_schema` without the unlisted arguments."""
    properties: dict[str, Any] = schema["properties"]
    listed = {name: each for name, each in properties.items() if _UNLISTED not in each}
    return arguments_schema({**schema, "properties": listed})


def _short(node: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_short(item, definitions) for item in cast(list[Any], node)]
    if not isinstance(node, Mapping):
        return node
    whole = _merged(cast(Mapping[str, Any], node), definitions)
    return {
        key: _short(value, definitions) for key, value in whole.items() if _is_published(key, value)
    }


def _merged(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Return a node joined with its definition, or with its only choice besides null."""
    siblings = dict(node)
    if reference := siblings.pop("$ref", None):
        definition = dict(definitions[reference.rpartition("/")[2]])
        definition.pop("description", None)
        return {**definition, **siblings}
    choices: list[dict[str, Any]] = siblings.get("anyOf", [])
    rest = [choice for choice in choices if choice != _NULL]
    if len(rest) != 1:
        return siblings
    del siblings["anyOf"]
    return {**_merged(rest[0], definitions), **siblings}


def _is_published(key: str, value: object) -> bool:
    """Return whether a keyword informs an agent. A property may have the name of a keyword."""
    if key == "default":
        return value not in (None, False, "", [], {}, ())
    if isinstance(value, Mapping):
        return key != "$defs"
    return key not in _OMITTED and (key, value) != ("additionalProperties", True)
