"""Answers of tools that a saved page holds, so that it shows memories without a server."""

import json
from collections.abc import Iterable
from typing import Any

from pydantic_core import to_jsonable_python

from graph_memory.api.service import GraphMemory
from graph_memory.server.tools.core import get_memory
from graph_memory.server.tools.relations import memory_history
from graph_memory.server.views.lean import Detail

#: Characters of all answers; a page has 300 kB at most.
_MOST = 120_000


async def recorded(
    memory: GraphMemory, memory_ids: Iterable[str], group_id: str
) -> dict[str, dict[str, Any]]:
    """Return answers about memories, by tool and by id, as long as there is room for them.

    Raises:
        NotFoundError: A memory does not exist.
    """
    answers: dict[str, dict[str, Any]] = {"get_memory": {}, "memory_history": {}}
    left = _MOST - _size(answers)
    for memory_id in memory_ids:
        found = await get_memory(
            memory, memory_id, counted=False, detail=Detail.FULL, group_id=group_id
        )
        history = await memory_history(memory, memory_id, group_id=group_id)
        both = [to_jsonable_python(view.structured()) for view in (found, history)]
        left -= sum(_size({memory_id: answer}) for answer in both)
        if left < 0:
            break
        answers["get_memory"][memory_id], answers["memory_history"][memory_id] = both
    return answers


def _size(answers: object) -> int:
    """Return the characters of JSON in a page, where five more escape each sign of markup."""
    text = json.dumps(answers)
    return len(text) + 5 * sum(text.count(sign) for sign in "<>&'")
