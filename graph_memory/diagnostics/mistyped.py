"""Conversion of stored values of another type to the type of their property. No I/O.

Another client of the database, such as Neo4j Browser, may set any property to any value.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, cast

from graph_memory.domain.attachments import attachments_json, attachments_of
from graph_memory.domain.models import LifecycleState, MemoryType, Source
from graph_memory.domain.origin import Authority
from graph_memory.domain.properties import FACT_PROPERTIES, MEMORY_PROPERTIES
from graph_memory.domain.timestamps import instant

#: The type of each property of a memory, without its range; Graphiti has the first two as well.
KINDS: Mapping[str, str] = {"name": "text", "summary": "text"} | {
    name: re.split(" — |, ", meaning)[0] for name, meaning in MEMORY_PROPERTIES.items()
}

#: Properties whose values are instants as text.
INSTANTS = tuple(name for name, kind in KINDS.items() if kind == "instant")

#: Properties of a relation that hold dates and times.
RELATION_INSTANTS = ("created_at", "valid_at", "invalid_at", "expired_at")

#: The types of the properties of a relation that are not text.
_OF_RELATIONS: Mapping[str, str] = {
    "strength": "float",
    "learned_strength": "float",
    "use_count": "integer",
    "last_used_at": "instant",
    "past_uses": "integer",
    "past_used_at": "instant",
}

#: Properties that hold JSON objects as text.
JSON_LISTS = ("edit_history", "state_history")

#: Smallest and largest value of numbers.
_RANGES = {
    name: (float(match[1]), float(match[2]))
    for name, meaning in {**MEMORY_PROPERTIES, **FACT_PROPERTIES}.items()
    if (match := re.search(r", (\d+) to (\d+) —", meaning))
}

#: Values that a text may have.
_CHOICES: Mapping[str, Sequence[str]] = {
    "lifecycle_state": list(LifecycleState),
    "memory_type": list(MemoryType),
    "source": list(Source),
    "origin_authority": list(Authority),
}

#: Texts that a number cannot stand for.
_TEXT_ONLY = ("content", "content_gz", "content_hash", "decay_policy", "dedup_key", "group_key")


def converted(name: str, value: object) -> object | None:
    """Return a value as the type of the property; None if that is impossible.

    A number beyond the range becomes the nearest in it.

    Args:
        name: A property of a memory, or `created_at`.
        value: The stored value, as the driver returns it.
    """
    if name == "created_at":
        return _moment(value)
    if name in JSON_LISTS:
        return [each for each in _texts(value) if _is_object(each)]
    if name == "metadata_json":
        return value if _is_object(value) else None
    if name == "attachments_json":
        return attachments_json(attachments_of(value))
    return _BY_KIND[KINDS[name]](name, value)


def converted_of_relation(name: str, value: object) -> object | None:
    """Return a value as the type of a property of a relation; None if that is impossible."""
    if name in RELATION_INSTANTS:
        return _moment(value)
    if name == "metadata_json":
        return value if _is_object(value) else None
    return _BY_KIND[_OF_RELATIONS.get(name, "text")](name, value)


def _text(name: str, value: object) -> str | None:
    if name in _CHOICES:
        return value if isinstance(value, str) and value in _CHOICES[name] else None
    if isinstance(value, str) or name in _TEXT_ONLY:
        return value if isinstance(value, str) else None
    return None if isinstance(value, list | dict) else str(value)


def _texts(value: object) -> list[str]:
    items = cast(list[object], value) if isinstance(value, list) else [value]
    return [str(item) for item in items if item is not None]


def _float(name: str, value: object) -> float | None:
    try:
        number = float(cast(Any, value))
    except (TypeError, ValueError, OverflowError):
        return None
    least, most = _RANGES.get(name, (-math.inf, math.inf))
    return min(max(number, least), most) if math.isfinite(number) else None


def _integer(name: str, value: object) -> int | None:
    number = _float(name, value)
    return None if number is None else round(number)


def _boolean(name: str, value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _moment(value: object) -> datetime | None:
    """Return a date, a date and time, or a text of them as a date and time with its zone."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _instant(name: str, value: object) -> str | None:
    moment = _moment(value)
    return instant(moment) if moment else None


def _is_object(value: object) -> bool:
    try:
        return isinstance(value, str) and isinstance(json.loads(value, strict=False), dict)
    except ValueError:
        return False


#: A vector of another type or width is removed, and a maintenance run makes a new one.
_BY_KIND: Mapping[str, Callable[[str, object], object | None]] = {
    "text": _text,
    "list of text": lambda _, value: _texts(value),
    "list of float": lambda name, value: None,
    "float": _float,
    "integer": _integer,
    "boolean": _boolean,
    "instant": _instant,
}
