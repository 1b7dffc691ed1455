"""What happened to a memory: its texts, its states, its relations."""

from dataclasses import dataclass

from graph_memory.errors import NotFoundError
from graph_memory.graph import Graph
from graph_memory.memories import Instant


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to a memory."""

    at: Instant
    kind: str  #: created, rewritten, state, related, unrelated, ended
    detail: str | None  #: the earlier text, the state and its reason, or the relation's fact


async def history_of(graph: Graph, memory_id: str, *, group_id: str) -> list[Event]:
    """List what happened to a memory, the earliest first; deleted memories have a history too.

    Raises:
        NotFoundError: There never was such a memory in the group, or it was erased.
    """
    events = await graph.rows("history/events", Event, group_id=group_id, memory_id=memory_id)
    if not events:
        raise NotFoundError(memory_id, group_id)
    return events
