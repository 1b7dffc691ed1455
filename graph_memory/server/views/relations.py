"""Answers of the tools for relations and history."""

from typing import Self

from pydantic import BaseModel

from graph_memory.api.types import Event, Related
from graph_memory.domain.models import RelationType
from graph_memory.domain.timestamps import Instant
from graph_memory.server.views.base import ValueView, View


class StoredRelation(BaseModel):
    """A new or updated relation."""

    from_id: str
    to_id: str
    relation_type: RelationType
    strength: float
    created: bool


class RelationsView(View):
    """The relations that a call made or updated."""

    relations: list[StoredRelation]

    @classmethod
    def of(cls, made: list[Related]) -> Self:
        """Build the view of relations."""
        return cls(relations=[StoredRelation.model_validate(r, from_attributes=True) for r in made])

    def text(self) -> str:
        """Return a line for each relation."""
        return "\n".join(
            f"{'Made' if r.created else 'Updated'}: {r.from_id} {r.relation_type} {r.to_id} "
            f"(strength {r.strength:g})"
            for r in self.relations
        )


class EndedRelationsView(View):
    """The number of ended relations."""

    removed: int

    def text(self) -> str:
        """Return the number."""
        return f"Ended {self.removed} relation{'' if self.removed == 1 else 's'}."


class HistoryEvent(BaseModel):
    """An event in the history of a memory."""

    at: Instant
    kind: str
    detail: str | None
    by: str | None

    def text(self) -> str:
        """Return the event in a line; the detail of changed fields has its cause."""
        detail = f": {self.detail}" if self.detail else ""
        by = f" (by {self.by})" if self.by and self.kind == "rewritten" else ""
        return f"{self.at:%Y-%m-%d %H:%M} {self.kind}{by}{detail}"


class HistoryView(View):
    """The events of a memory, the earliest first."""

    memory_id: str
    events: list[HistoryEvent]

    @classmethod
    def of(cls, memory_id: str, events: list[Event]) -> Self:
        """Build the view of events."""
        happened = [HistoryEvent.model_validate(e, from_attributes=True) for e in events]
        return cls(memory_id=memory_id, events=happened)

    def text(self) -> str:
        """Return a line for each event."""
        return "\n".join(event.text() for event in self.events)


class ObsoleteView(ValueView):
    """An obsolete memory."""

    memory_id: str
    state: str
    obsolete_at: Instant
    invalid_at: Instant | None

    def text(self) -> str:
        """Return the id and the end of truth."""
        ended = f", and was true until {self.invalid_at:%Y-%m-%d %H:%M}" if self.invalid_at else ""
        return f"Memory {self.memory_id} is obsolete{ended}."
