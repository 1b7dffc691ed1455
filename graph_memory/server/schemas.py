"""JSON schemas in their shortest portable form: an agent pays for each token of a tools/list."""

from collections.abc import Mapping
from typing import Any, cast

_NULL = {"type": "null"}

#: Pydantic's names, lengths that are told in words, and a format that bare dates would not meet.
_NEEDLESS = (
    "title",
    "$defs",
    "minLength",
    "maxLength",
    "maxItems",
    "format",
    "pattern",
    "ge",
    "le",
)


def arguments_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a tool's arguments; no others are allowed.

    An optional argument is published as its plain type; `MemoryTool` takes null for "not given".
    """
    return _short(schema, schema.get("$defs", {})) | {"additionalProperties": False}


def answer_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a tool's answer: the names of its fields. Their values tell the rest."""
    fields = _short(schema, schema.get("$defs", {})).get("properties", {})
    return {"type": "object", "properties": {name: {} for name in fields}}


def _short(node: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(node, list):
        return [_short(item, definitions) for item in cast(list[Any], node)]
    if not isinstance(node, Mapping):
        return node
    whole = _merged(cast(Mapping[str, Any], node), definitions)
    return {key: _short(value, definitions) for key, value in whole.items() if _tells(key, value)}


def _merged(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Put the definition a node refers to, or its only choice that is not null, into the node."""
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


def _tells(key: str, value: object) -> bool:
    """Tell a keyword that says something from one that does not; a property may bear its name."""
    if key == "default":
        return value not in (None, False, "", [], {}, ())
    if isinstance(value, Mapping):
        return key != "$defs"
    return key not in _NEEDLESS and (key, value) != ("additionalProperties", True)
