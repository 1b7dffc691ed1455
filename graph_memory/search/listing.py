"""List memories, a page at a time."""

import base64
import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from graph_memory.database.graph import Graph
from graph_memory.domain.inputs import Filters, MemoryId, validate_value
from graph_memory.domain.models import LISTED_STATES, Memory, SortOrder
from graph_memory.errors import InvalidArgumentError
from graph_memory.memories import filtering, read
from graph_memory.settings.base import Settings

#: An instant as Neo4j writes it, before the name of a zone.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list, and where the next begins."""

    memories: list[Memory]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class _Listed:
    memory: Memory
    created_at: str  #: as precise as it is stored: Graphiti counts microseconds


async def list_memories(
    graph: Graph,
    settings: Settings,
    *,
    group_id: str,
    now: datetime,
    filters: Filters = Filters(),  # noqa: B008 - immutable
    sort: SortOrder = SortOrder.IMPORTANCE,
    limit: int = 20,
    cursor: str | None = None,
) -> Page:
    """List the memories the filters allow, a page at a time.

    A page is found by the last memory of the one before, so memories that come or go in between
    neither repeat nor hide others.

    Args:
        graph: Where to look.
        settings: For the view.
        group_id: The tenant.
        now: The caller's clock.
        filters: Which memories count; states default to ACTIVE, DORMANT and ARCHIVED.
        sort: Best or newest first.
        limit: Memories a page, 1 to 50.
        cursor: `next_cursor` of the page before.

    Raises:
        InvalidArgumentError: The cursor is not one of ours, or of another sort order.
    """
    after = _read_cursor(cursor, sort)
    common: dict[str, Any] = {
        "group_id": group_id,
        "limit": limit + 1,  # one more tells whether there is a next page
        "after_created_at": after.get("created_at"),
        "after_id": after.get("id"),
        "states": filtering.visible_states(filters, LISTED_STATES),
        **filtering.filter_parameters(filters),
        **read.view_parameters(settings, now, filters.known_at),
    }
    if sort is SortOrder.IMPORTANCE:
        found = await graph.rows(
            "search/listing/by_importance",
            _Listed,
            after_importance=after.get("importance"),
            **common,
        )
    else:
        found = await graph.rows("search/listing/by_created_at", _Listed, **common)
    more = len(found) > limit
    page = found[:limit]
    memories = [listed.memory for listed in page]
    return Page(memories, _cursor(page[-1], sort) if more else None)


def _cursor(last: _Listed, sort: SortOrder) -> str:
    position = {
        "sort": sort,
        "importance": last.memory.importance,
        "created_at": last.created_at,
        "id": last.memory.memory_id,
    }
    return base64.urlsafe_b64encode(json.dumps(position).encode()).decode()


def _read_cursor(cursor: str | None, sort: SortOrder) -> dict[str, Any]:
    if cursor is None:
        return {}
    position: dict[str, Any] = {}
    try:
        position = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii")))
        well_formed = (
            position["sort"] == sort
            and type(position["importance"]) in (int, float)
            and 1 <= position["importance"] <= 10
            and validate_value(MemoryId, position["id"], "cursor")
            and _is_instant(position["created_at"])
        )
    except (ValueError, LookupError, TypeError, OSError, RecursionError, InvalidArgumentError):
        well_formed = False
    if not well_formed:
        raise InvalidArgumentError(
            "cursor", cursor, f"pass next_cursor of a page sorted by {sort}, or none"
        )
    return position


def _is_instant(text: object) -> bool:
    """Tell whether Neo4j reads an instant from `text`, which may name a zone in brackets."""
    if not isinstance(text, str):
        return False
    moment, _, zone = text.partition("[")
    known = not zone or (zone.endswith("]") and ZoneInfo(zone[:-1]))
    # Python reads more forms than Neo4j, but knows which dates there are.
    return bool(known and _MOMENT.fullmatch(moment) and datetime.fromisoformat(moment))
