"""The history of a memory: its texts, states and relations."""

from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from graph_memory.database.graph import Graph
from graph_memory.decay.status import Transition
from graph_memory.domain.timestamps import Instant
from graph_memory.errors import NotFoundError

#: Events returned at most; a hub of a graph has tens of thousands of relations.
_SHOWN = 500


@dataclass(frozen=True, slots=True)
class Event:
    """One event in the life of a memory."""

    at: Instant
    kind: str  #: created, rewritten, state, obsolete, related, unrelated, ended, earlier
    detail: str | None  #: the earlier text, the cause of the state, the reason, or the fact


async def history_of(graph: Graph, memory_id: str, *, group_id: str) -> list[Event]:
    """List the events of a memory, the earliest first; deleted memories have a history too.

    A history of more than 500 events is cut to the latest ones, after an event `earlier`.

    Raises:
        NotFoundError: The group never had such a memory, or it was erased.
    """
    latest = await graph.rows(
        "memories/history/events", Event, group_id=group_id, memory_id=memory_id, limit=_SHOWN + 1
    )
    if not latest:
        raise NotFoundError(memory_id, group_id)
    *events, earliest = [replace(event, detail=_describe(event)) for event in latest]
    if len(latest) > _SHOWN:
        earliest = Event(earliest.at, "earlier", f"Only the latest {_SHOWN} events are shown.")
    return [earliest, *reversed(events)]


def _describe(event: Event) -> str | None:
    """Return the detail of an event; a change of state gets its reason and numbers as text."""
    if event.kind != "state" or not (event.detail or "").startswith("{"):
        return event.detail
    change = TypeAdapter(Transition).validate_json(event.detail or "")
    numbers = [
        f"{name} {value:g}{unit}" if isinstance(value, float) else f"{name} {value}"
        for name, value, unit in (
            ("policy", change.policy, ""),
            ("faded", change.decay_score, ""),
            ("idle", change.idle_days, " days"),
            ("run", change.run_id, ""),
        )
        if value is not None
    ]
    counted = f" ({', '.join(numbers)})" if numbers else ""
    came = f"{change.from_} to {change.to}" if change.from_ else f"to {change.to}"
    reason = f"{change.reason}, {change.because}" if change.because else change.reason
    return f"{came}: {reason}{counted}"
