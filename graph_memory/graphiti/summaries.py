"""Summaries that clients of Graphiti save after the adoption: the contents of memories follow."""

import logging
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.domain.encoding import StoredContent
from graph_memory.domain.origin import FROM_GRAPHITI
from graph_memory.domain.timestamps import instant
from graph_memory.graphiti.properties import entity_content, entity_hash
from graph_memory.memories.tombstones import judge_each
from graph_memory.settings.base import Settings

_BATCH = 500

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Changed:
    memory_id: str
    name: str
    summary: str
    content: StoredContent
    content_hash: str


async def follow_summaries(
    graph: Graph, settings: Settings, decay: Mapping[str, Any], group_id: str, now: datetime
) -> int:
    """Give adopted memories the content of their changed summaries, and return their number.

    The earlier content stays as a version, and the vector stays until texts without a vector of
    the model are embedded. A content that a caller has changed stays, and so does one whose new
    summary the group has rejected or erased.

    Args:
        graph: The database.
        settings: The key of tombstones, if it is set.
        decay: The map `$decay` of the statements, with the run if one follows.
        group_id: The tenant.
        now: The instant of the change.
    """
    followed, after_id = 0, ""
    while page := await graph.rows(
        "graphiti/summaries/changed", _Changed, group_id=group_id, after_id=after_id, limit=_BATCH
    ):
        stored = await graph.rows(
            "graphiti/summaries/follow",
            str,
            group_id=group_id,
            memories=await _allowed(graph, settings, group_id, [_row(each) for each in page]),
            now=instant(now),
            decay={**decay, "by": f"Graphiti, {decay['by']}"},
            **replace(FROM_GRAPHITI, origin_id=decay["run_id"]).parameters(),
        )
        followed += len(stored)
        after_id = page[-1].memory_id
    return followed


async def _allowed(
    graph: Graph, settings: Settings, group_id: str, rows: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the rows whose new content the group has not rejected or erased."""
    judged = await judge_each(graph, settings, group_id, [row["content"] for row in rows])
    for row, each in zip(rows, judged, strict=True):
        if each.objection:
            _log.warning("Memory %s keeps its content: %s", row["memory_id"], each.objection)
    return [row for row, each in zip(rows, judged, strict=True) if each.objection is None]


def _row(memory: _Changed) -> dict[str, Any]:
    content = entity_content(memory.name, memory.summary)
    return {
        "memory_id": memory.memory_id,
        "seen": memory.content_hash,
        "text": memory.content,
        "content": content,
        "content_hash": entity_hash(memory.memory_id, content),
        "version_id": str(uuid.uuid4()),
    }
