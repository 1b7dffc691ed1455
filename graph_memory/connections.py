"""The part of the public API that is about how memories bear on each other."""

from typing import Any

from graph_memory import recall
from graph_memory.arguments import MemoryId, NewRelation, checked, checked_value
from graph_memory.context import Context
from graph_memory.memories import Relation
from graph_memory.relations import Related, relate


class Connections(Context):
    """Relations: made, listed, walked."""

    async def relations(self, memory_id: str, *, group_id: str | None = None) -> list[Relation]:
        """List the relations from and to a memory, the strongest first."""
        return await recall.relations_of(
            self.graph,
            checked_value(MemoryId, memory_id, "memory_id"),
            group_id=self.group(group_id),
        )

    async def relate(
        self,
        from_id: str,
        to_id: str,
        relation_type: str = "relates_to",
        *,
        group_id: str | None = None,
        **details: Any,
    ) -> list[Related]:
        """Relate two memories; `details` are the other fields of `NewRelation`."""
        relation = checked(
            NewRelation, {"target_id": to_id, "relation_type": relation_type, **details}
        )
        return await relate(
            self.graph,
            checked_value(MemoryId, from_id, "from_id"),
            [relation],
            group_id=self.group(group_id),
            now=self.clock(),
        )
