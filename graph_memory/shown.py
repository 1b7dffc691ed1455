"""Values as they may stand in a message."""

from datetime import datetime
from enum import Enum
from typing import Any, cast


def shown(value: object, limit: int = 80) -> str:
    """Return `value` as a caller would write it: short, and in one line."""
    try:
        text = repr(_plain(value))
    except RecursionError:
        text = f"<a deeply nested {type(value).__name__}>"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _plain(value: Any) -> Any:
    """Return a word of a vocabulary, or an instant, as the text it stands for."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    items = cast(list[Any], value)
    return [_plain(item) for item in items] if isinstance(value, list | tuple) else value
