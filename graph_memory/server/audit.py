"""A line in the log for every write: who called what on which memories, and how it ended.

What memories say stays out of it.
"""

import json
import logging
from collections.abc import Iterator, Mapping
from typing import Any, cast

from mcp.types import CallToolResult

from graph_memory.errors import GraphMemoryError
from graph_memory.server.auth import caller

_log = logging.getLogger("graph_memory.audit")

#: What names a memory, a relation's ends or a run, in arguments and answers.
_IDS = ("memory_id", "id", "memory_uuid", "from_id", "to_id", "superseded_by", "run_id")
_LISTS = ("results", "relations", "actions")
_MOST_IDS = 50
_LONGEST = 80


def record(
    tool: str, arguments: Mapping[str, Any], answer: CallToolResult, default_group: str | None
) -> None:
    """Log a call that wrote, or was refused to, or whose caller went away meanwhile.

    Args:
        tool: Its name.
        arguments: As they came.
        answer: As it goes out.
        default_group: What is meant where none is named; None of a tool that takes no group.
    """
    said: dict[str, Any] = answer.structured_content or {}
    ids = dict.fromkeys((*_ids(arguments), *_ids(said)))
    line = {
        "caller": _who(),
        "tool": tool,
        "group": "" if default_group is None else _group(arguments, default_group),
        "ids": list(ids)[:_MOST_IDS],
        "outcome": outcome(answer),
    }
    _log.info("%s", json.dumps(line))


def outcome(answer: CallToolResult) -> str:
    """Return how a call ended: done, cancelled, or the code of its error."""
    said: dict[str, Any] = answer.structured_content or {}
    return str(said.get("code", "failed")) if answer.is_error else "done"


def _who() -> str:
    try:
        return caller().caller
    except GraphMemoryError:
        return "unknown"


def _group(arguments: Mapping[str, Any], default: str) -> str:
    """Return the group a call was for; of one refused for its group, what was named."""
    named = str(arguments.get("group_id") or arguments.get("user_context") or "")[:_LONGEST]
    try:
        return caller().group(named or None, default)
    except GraphMemoryError:
        return named


def _ids(fields: Mapping[str, Any]) -> Iterator[str]:
    for name in _IDS:
        if isinstance(value := fields.get(name), str):
            yield value[:_LONGEST]
    for name in _LISTS:
        items = fields.get(name)
        for item in cast(list[Any], items) if isinstance(items, list) else []:
            if isinstance(item, Mapping):
                yield from _ids(cast(Mapping[str, Any], item))
