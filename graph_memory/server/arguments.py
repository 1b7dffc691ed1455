"""Arguments as clients send them: synonyms, JSON text, single items, and empty optional values.

Some models send "", [] or {} for an argument that they do not want.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, cast

from graph_memory.domain.attachments import Attachment
from graph_memory.domain.inputs import NewMemory, NewRelation, unknown_argument
from graph_memory.errors import InvalidArgumentError

Arguments = Mapping[str, Any]

#: The arguments that are lists of objects, with the fields of an object.
_ITEMS = {
    "memories": {field.name for field in fields(NewMemory)},
    "relationships": {field.name for field in fields(NewRelation)},
    "attachments": {field.name for field in fields(Attachment)},
}

_LEAST, _MOST = 1, 10


def read(arguments: Arguments, schema: Mapping[str, Any], synonyms: Mapping[str, str]) -> Arguments:
    """Return the arguments that are given, by their names.

    Args:
        arguments: Arguments as received.
        schema: Schema of the arguments of the tool.
        synonyms: Names of arguments by their synonyms.

    Raises:
        InvalidArgumentError: An argument is unknown, or differs from its synonym.
    """
    known: Mapping[str, Any] = schema["properties"]
    optional = known.keys() - set(schema.get("required", ()))

    def absent(name: str, value: object) -> bool:
        return value is None or (_empty(value) and synonyms.get(name, name) in optional)

    named = _renamed({k: v for k, v in arguments.items() if not absent(k, v)}, synonyms)
    for name in named.keys() - known.keys():
        raise InvalidArgumentError(name[:80], named[name], unknown_argument(known))
    unpacked = {name: _unpacked(name, value, known[name]) for name, value in named.items()}
    return {name: value for name, value in unpacked.items() if not absent(name, value)}


def clamped(arguments: Arguments, schema: Mapping[str, Any]) -> str | None:
    """Return which importance was outside its range, and what was used; None if none was."""
    if "maximum" in schema["properties"].get("importance", {}):
        return None  # a value outside is refused
    return " ".join(_clamped(arguments, "")) or None


def _clamped(arguments: Arguments, where: str) -> Iterator[str]:
    value = arguments.get("importance")
    if isinstance(value, int | float) and not _LEAST <= value <= _MOST:
        used = min(max(value, _LEAST), _MOST)
        yield f"{where}importance={value:g} is outside {_LEAST} to {_MOST}; {used:g} was used."
    many = arguments.get("memories")
    for position, each in enumerate(cast(list[Any], many) if isinstance(many, list) else ()):
        if isinstance(each, Mapping):
            yield from _clamped(cast(Arguments, each), f"{where}memories.{position}.")


def _empty(value: object) -> bool:
    return isinstance(value, str | list | dict) and not value


def _renamed(arguments: Arguments, synonyms: Mapping[str, str]) -> dict[str, Any]:
    given = dict(arguments)
    for synonym in synonyms.keys() & given.keys():
        name, value = synonyms[synonym], given.pop(synonym)
        if given.setdefault(name, value) != value:
            raise InvalidArgumentError(
                synonym, value, f"it means {name}, which is given too and differs; give one"
            )
    return given


def _unpacked(name: str, value: object, schema: Mapping[str, Any]) -> object:
    """Take a list or object that a client wrote as JSON text, and a text for a list of texts."""
    kind = schema.get("type")
    if kind not in ("array", "object"):
        return value
    parsed = _parsed(value)
    texts = kind == "array" and schema.get("items", {}).get("type") != "object"
    if texts and isinstance(value, str) and not isinstance(parsed, list):
        return [value]
    if isinstance(parsed, list) and name in _ITEMS:
        return [_item(each, _ITEMS[name]) for each in cast(list[object], parsed)]
    return cast(object, parsed)


def _parsed(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _item(item: object, known: set[str]) -> object:
    """Return an object of a list without empty fields, and with lists for single texts."""
    if not isinstance(item, Mapping):
        return item
    given = {
        name: value
        for name, value in cast(Arguments, item).items()
        if name not in known or not _empty(value)
    }
    for name in ("tags", "attachments"):
        if isinstance(text := given.get(name), str):
            given[name] = [text]
    for name in ("relationships", "attachments"):
        if isinstance(items := given.get(name), list):
            given[name] = [_item(each, _ITEMS[name]) for each in cast(list[object], items)]
    return given
