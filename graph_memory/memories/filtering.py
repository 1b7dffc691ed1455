"""memories.filtering."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from graph_memory.domain.inputs import Filters
from graph_memory.domain.models import LASTING_STATES, LifecycleState
from graph_memory.domain.timestamps import optional_instant
from graph_memory.errors import InvalidArgumentError


def visible_states(filters: Filters, default: Sequence[LifecycleState]) -> list[LifecycleState]:
    """Return the states to serve; of the past, every state that can be shown today.

    Raises:
        InvalidArgumentError: What was deleted is asked for, and not as it was known before.
    """
    if filters.states:
        refuse_deleted(filters.states, filters.known_at)
        return list(filters.states)
    if filters.known_at:
        return list(LifecycleState)
    return list(LASTING_STATES if filters.as_of else default)


def refuse_deleted(states: Sequence[LifecycleState], known_at: datetime | None) -> None:
    """Refuse to serve what was deleted, unless it is asked for as it was known before."""
    if LifecycleState.SOFT_DELETED in states and known_at is None:
        raise InvalidArgumentError(
            "states",
            str(LifecycleState.SOFT_DELETED),
            "what was deleted is not served; recover_soft_deleted brings it back, and known_at "
            "asks what was known before",
        )


def filter_parameters(filters: Filters) -> dict[str, Any]:
    """Return the parameters of `cypher/fragments/memory/filter.cypher`."""
    return {
        "types": list(filters.memory_types) if filters.memory_types else None,
        "tags": [tag.lower() for tag in filters.tags] if filters.tags else None,
        "date_from": optional_instant(filters.date_from),
        "date_to": optional_instant(filters.date_to),
        "project_id": filters.project_id,
        "as_of": optional_instant(filters.as_of),
        "known_at": optional_instant(filters.known_at),
    }


def narrowing_parameters(filters: Filters) -> dict[str, Any]:
    """Return the filter's parameters, or none where the filter lets everything pass."""
    parameters = filter_parameters(filters)
    return parameters if any(value is not None for value in parameters.values()) else {}
