"""Lists of memories in pages, by a cursor."""

import base64
import json
import math
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Annotated, Any, cast
from zoneinfo import ZoneInfo

from pydantic import WrapValidator

from graph_memory.database.graph import Graph
from graph_memory.domain.inputs import Filters, MemoryId, validate_value
from graph_memory.domain.models import LISTED_STATES, LifecycleState, Memory, SortOrder
from graph_memory.domain.readable import none_if_unreadable
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import instant, optional_instant
from graph_memory.engine import Engine
from graph_memory.errors import InvalidArgumentError
from graph_memory.memories import filtering, read

#: An instant in the format of Neo4j, without the name of a time zone.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)")


#: The statement of each order.
_STATEMENTS = {
    SortOrder.IMPORTANCE: "search/listing/by_importance",
    SortOrder.CREATED_AT: "search/listing/by_created_at",
}

#: The statement of both orders for few memories, which are sorted for each page.
_FEW = "search/listing/few"

#: Memories that are few. Among more, a page is soon found in the order of a list.
_FEW_MEMORIES = 5_000

#: The parameters of the filters that have an index.
_FOUND_BY = tuple(chain.from_iterable(filtering.INDEXED.values()))

#: The highest importance of a sound memory.
_HIGHEST = 10.0

#: The position before all memories.
_START = {"importance": math.inf, "created_at": "9999-12-31T23:59:59.999999999Z", "id": ""}


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list, and the cursor of the next page."""

    memories: list[Memory]
    next_cursor: str | None  #: None on the last page


@dataclass(frozen=True, slots=True)
class _Listed:
    memory: Annotated[Memory | None, WrapValidator(none_if_unreadable)]
    position: dict[str, Any]  #: in its order; Graphiti stores microseconds


async def list_memories(
    engine: Engine,
    scope: CallScope,
    *,
    filters: Filters = Filters(),  # noqa: B008 - immutable
    sort: SortOrder = SortOrder.IMPORTANCE,
    limit: int = 20,
    cursor: str | None = None,
) -> Page:
    """List the memories that match filters, one page per call.

    A page starts after the last memory of the page before, so that memories added or deleted in
    between neither repeat nor hide others.

    Args:
        engine: The database, and the policies that compute the decay shown.
        scope: The tenant and the instant.
        filters: Filters of the memories; states default to ACTIVE, DORMANT and ARCHIVED.
        sort: Order, by importance or by time of creation.
        limit: Memories per page, 1 to 50.
        cursor: `next_cursor` of the page before; None for the first page.

    Raises:
        InvalidArgumentError: The cursor is malformed, or belongs to another sort order.
    """
    position = _start(filters) if cursor is None else _read_cursor(cursor, sort)
    while True:
        # One more shows that there is a next page.
        found = await _read_after(engine, scope, filters, sort, position, limit + 1)
        readable = [row.memory for row in found[:limit] if row.memory]
        if len(found) <= limit:
            return Page(readable, None)
        position = found[limit - 1].position
        if readable:  # else another client has damaged all memories of the page
            return Page(readable, _cursor(sort, position))


async def _read_after(
    engine: Engine,
    scope: CallScope,
    filters: Filters,
    sort: SortOrder,
    position: Mapping[str, Any],
    limit: int,
) -> list[_Listed]:
    """Read the memories after a position, some of which may be unreadable."""
    states = filtering.visible_states(filters, LISTED_STATES)
    filtered = filtering.indexed_parameters(filters, scope.group_id, engine.settings)
    narrowest = await _narrowest(engine.graph, scope, filtered, states)
    if narrowest is None:
        filtered = filtering.filter_parameters(filters)
    else:
        filtered["narrowest"] = narrowest
    statement, order = _order(position, sort, few=narrowest is not None)
    view = read.view_parameters(engine.settings, scope.now, filters.known_at)
    return await engine.graph.sound_rows(
        statement,
        _Listed,
        group_id=scope.group_id,
        states=states,
        limit=limit,
        **(order | filtered | view),
    )


async def _narrowest(
    graph: Graph, scope: CallScope, indexed: Mapping[str, Any], states: list[LifecycleState]
) -> str | None:
    """Return a filter whose index finds few memories; None if there is none."""
    names = list(filtering.indexed_filters(indexed))
    if LifecycleState.ACTIVE not in states:
        names.append("states")
    for name in names:
        found = await graph.one(
            "search/listing/found",
            int,
            group_id=scope.group_id,
            states=states if name == "states" else list(LifecycleState),
            at_most=_FEW_MEMORIES + 1,
            narrowest=name,
            **{key: indexed[key] for key in _FOUND_BY},
        )
        if (found or 0) <= _FEW_MEMORIES:
            return name
    return None


def _order(
    position: Mapping[str, Any], sort: SortOrder, *, few: bool
) -> tuple[str, dict[str, Any]]:
    """Return the statement that reads what is after a position, and its parameters of that."""
    by_importance = sort is SortOrder.IMPORTANCE
    after = {"after_created_at": position["created_at"], "after_id": position["id"]}
    if by_importance:
        after["after_importance"] = position["importance"]
    if few:
        return _FEW, {"after_importance": 0.0, **after, "by_importance": by_importance}
    return _STATEMENTS[sort], after


async def count(
    graph: Graph,
    scope: CallScope,
    filters: Filters = Filters(),  # noqa: B008 - immutable
    *,
    at_most: int = sys.maxsize,
) -> int:
    """Count the memories on all pages of a list with these filters, up to a number."""
    found = await graph.one(
        "search/listing/count",
        int,
        group_id=scope.group_id,
        now=instant(scope.now),
        states=filtering.visible_states(filters, LISTED_STATES),
        at_most=at_most,
        **filtering.indexed_parameters(filters, scope.group_id, graph.settings),
    )
    return found or 0


def _cursor(sort: SortOrder, position: Mapping[str, Any]) -> str | None:
    """Return the cursor of the page after a position.

    Another client may have stored an importance beyond the range. The next page leaves out others
    that are higher, and there is none after a lower one.
    """
    if sort is SortOrder.IMPORTANCE and not _in_range(position["importance"]):
        if position["importance"] < 1:
            return None
        position = {**_START, "importance": _HIGHEST, "id": "0"}
    return base64.urlsafe_b64encode(json.dumps({"sort": sort, **position}).encode()).decode()


def _start(filters: Filters) -> dict[str, Any]:
    """Return the position before the first page."""
    latest = optional_instant(filters.date_to)
    return _START | ({"created_at": latest} if latest else {})


def _read_cursor(cursor: str, sort: SortOrder) -> dict[str, Any]:
    """Return the position in a cursor."""
    position: dict[str, Any] = {}
    try:
        position = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii")))
        well_formed = (
            position["sort"] == sort
            and (sort is not SortOrder.IMPORTANCE or _in_range(position["importance"]))
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


def _in_range(importance: object) -> bool:
    return type(importance) in (int, float) and 1 <= cast(float, importance) <= _HIGHEST


def _is_instant(text: object) -> bool:
    """Return True if Neo4j parses `text` as an instant, which may name a time zone in brackets."""
    if not isinstance(text, str):
        return False
    moment, _, zone = text.partition("[")
    known = not zone or (zone.endswith("]") and ZoneInfo(zone[:-1]))
    # Python parses more formats than Neo4j, but checks the date.
    return bool(known and _MOMENT.fullmatch(moment) and datetime.fromisoformat(moment))
