"""The audit log: a line for every write, with caller, tool, ids and outcome.

The content of memories is never logged.
"""

import json
import logging
from collections.abc import Iterator, Mapping
from typing import Any, cast

from mcp.types import CallToolResult

from graph_memory.errors import GraphMemoryError
from graph_memory.server.auth import caller

_log = logging.getLogger("graph_memory.audit")

#: Arguments and fields of answers that hold the id of a memory or of a run.
_IDS = ("memory_id", "id", "memory_uuid", "from_id", "to_id", "superseded_by", "run_id")
_LISTS = ("results", "relations", "actions")
_MOST_IDS = 50
_LONGEST = 80


def record(
    tool: str, arguments: Mapping[str, Any], answer: CallToolResult, default_group: str | None
) -> None:
    """Log a call of a writing tool: done, refused or cancelled.

    Args:
        tool: Name of the tool.
        arguments: Arguments of the call, with whole ids where it was read.
        answer: Answer as sent.
        default_group: Group of a call without one; None for a tool without a group.
    """
    said: dict[str, Any] = answer.structured_content or {}
    ids = dict.fromkeys((*_ids(arguments), *_ids(said)))
    line = {
        "caller": _caller_name(),
        "tool": tool,
        "group": "" if default_group is None else _group(arguments, default_group),
        "ids": list(ids)[:_MOST_IDS],
        "outcome": outcome(answer),
    }
    _log.info("%s", json.dumps(line))


def outcome(answer: CallToolResult) -> str:
    """Return the outcome of a call: done, cancelled, or the code of its error."""
    said: dict[str, Any] = answer.structured_content or {}
    return str(said.get("code", "failed")) if answer.is_error else "done"


def _caller_name() -> str:
    try:
        return caller().caller
    except GraphMemoryError:
        return "unknown"


def _group(arguments: Mapping[str, Any], default: str) -> str:
    """Return the group of a call, or the given group if the caller may not use it."""
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
