"""The states and statement parameters that a caller's filters select."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from graph_memory.domain.inputs import Filters, check_range
from graph_memory.domain.models import LASTING_STATES, LifecycleState
from graph_memory.domain.timestamps import optional_instant
from graph_memory.errors import InvalidArgumentError
from graph_memory.ranking.terms import tag_query
from graph_memory.settings.base import Settings
from graph_memory.wording import argument, operation

#: Memories that an index returns to the filter for each that is to pass. A filter that passes a
#: smaller share is rare, and all memories that match are compared instead.
_SEARCHED_PER_CANDIDATE = 20

#: The parameters of each filter that has an index, besides states.
INDEXED = {
    "tags": ("tag_query",),
    "project": ("project_id",),
    "time": ("date_from", "date_to"),
    "types": ("types",),
}


def check_dates(filters: Filters) -> None:
    """Raise `InvalidArgumentError` for a range of dates that contains no instant."""
    check_range("date_from", filters.date_from, "date_to", filters.date_to)


def visible_states(filters: Filters, default: Sequence[LifecycleState]) -> list[LifecycleState]:
    """Return the states to serve.

    Args:
        filters: The caller's filters; explicit states win.
        default: The states for a question about the present. A question about the past is
            answered from every state that may be shown.

    Raises:
        InvalidArgumentError: `states` names SOFT_DELETED without `known_at`.
    """
    if filters.states:
        refuse_deleted(filters.states, filters.known_at)
        return list(filters.states)
    if filters.known_at:
        return list(LifecycleState)
    return list(LASTING_STATES if filters.as_of else default)


def refuse_deleted(states: Sequence[LifecycleState], known_at: datetime | None) -> None:
    """Raise `InvalidArgumentError` for deleted memories without `known_at`."""
    if LifecycleState.SOFT_DELETED in states and known_at is None:
        raise InvalidArgumentError(
            "states",
            str(LifecycleState.SOFT_DELETED),
            f"deleted memories are not served; {operation('recover')} restores them, and "
            f"{argument('known_at')} returns what was known before the deletion",
        )


def filter_parameters(filters: Filters) -> dict[str, Any]:
    """Return the parameters of `cypher/fragments/memory/filter.cypher`.

    Raises:
        InvalidArgumentError: No instant is between `date_from` and `date_to`.
    """
    check_dates(filters)
    return {
        "types": list(filters.memory_types) if filters.memory_types else None,
        "tags": [tag.lower() for tag in filters.tags] if filters.tags else None,
        "date_from": optional_instant(filters.date_from),
        "date_to": optional_instant(filters.date_to),
        "project_id": filters.project_id,
        "authorities": list(least.and_above()) if (least := filters.min_authority) else None,
        "as_of": optional_instant(filters.as_of),
        "known_at": optional_instant(filters.known_at),
    }


def indexed_parameters(filters: Filters, group_id: str, settings: Settings) -> dict[str, Any]:
    """Return the parameters of `cypher/fragments/memory/narrowed.cypher` and of the filter.

    Raises:
        InvalidArgumentError: No instant is between `date_from` and `date_to`.
    """
    parameters = filter_parameters(filters)
    tags, analyzer = parameters["tags"], settings.fulltext_analyzer
    parameters["tag_query"] = tag_query(tags, group_id, analyzer) if tags else None
    return parameters | {"narrowest": next(indexed_filters(parameters), "states")}


def indexed_filters(parameters: Mapping[str, Any]) -> Iterator[str]:
    """Yield the filters in use that have an index, the one that is usually the narrowest first.

    Args:
        parameters: Those of `indexed_parameters`.
    """
    for name, keys in INDEXED.items():
        if any(parameters[key] is not None for key in keys):
            yield name


def narrowing_parameters(
    filters: Filters, group_id: str, settings: Settings, candidates: int
) -> dict[str, Any]:
    """Return the parameters of a filtered search; an empty map if the filter passes everything.

    Args:
        filters: The caller's filters.
        group_id: The tenant.
        settings: The analyser of the full-text index.
        candidates: Number of memories that are to pass the filter.
    """
    if all(value is None for value in filter_parameters(filters).values()):
        return {}
    searched = _SEARCHED_PER_CANDIDATE * candidates
    return indexed_parameters(filters, group_id, settings) | {"searched": searched}
