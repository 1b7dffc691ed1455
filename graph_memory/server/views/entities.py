"""Answers of the tool for entities."""

from graph_memory.api.types import MentionedEntity
from graph_memory.server.views.base import ValueView


def _also(entity: MentionedEntity) -> str:
    """Return the aliases of an entity in brackets."""
    names = ", ".join(each.name for each in entity.aliases)
    return f" (also {names})" if names else ""


class EntitiesView(ValueView):
    """Entities, those of most memories first, and the number of all."""

    entities: list[MentionedEntity]
    total: int

    def text(self) -> str:
        """Return a line for each entity, with the memories that mention it."""
        lines = [
            f"{e.kind} {e.name}{_also(e)} ({e.memories}): "
            + "; ".join(f"{m.memory_id} {m.lead!r}" for m in e.mentions)
            for e in self.entities
        ]
        return "\n".join([f"{len(lines)} of {self.total} entities.", *lines])
