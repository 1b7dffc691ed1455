"""Answers of the tools for traversal and graph analysis."""

from graph_memory.api.types import (
    Bridge,
    Connector,
    ReachedMemory,
    TypeCount,
    WalkedRelation,
)
from graph_memory.domain.models import Memory
from graph_memory.server.views.base import ValueView


class TraversalView(ValueView):
    """All fields of the memories and relations of a traversal, in its order."""

    start: Memory
    nodes: list[ReachedMemory]
    edges: list[WalkedRelation]
    truncated: bool
    reason: str | None


class AnalysisView(ValueView):
    """The degrees, connectors, bridges and islands of a neighbourhood or group."""

    memory_id: str | None
    in_degree: int | None
    out_degree: int | None
    memories: int
    relations: int
    by_type: dict[str, TypeCount]
    top_connectors: list[Connector]
    bridges: list[Bridge]
    bridge_count: int
    islands: list[int]
    island_count: int
    isolated: int
    truncated: bool

    def text(self) -> str:
        """Return the numbers, the connectors and the bridges."""
        degrees = f", {self.in_degree} in, {self.out_degree} out" if self.memory_id else ""
        return "\n".join(
            [
                f"{self.memories} memories, {self.relations} relations{degrees}; "
                f"{self.island_count} islands, {self.isolated} isolated, "
                f"{self.bridge_count} bridges{'; more than was looked at' * self.truncated}.",
                *(
                    f"{name}: {t.count}, mean strength {t.avg_strength:g}"
                    for name, t in self.by_type.items()
                ),
                *(
                    f"connector {c.memory_id}: {c.in_degree} in, {c.out_degree} out"
                    for c in self.top_connectors
                ),
                *(f"bridge {b.from_id} – {b.to_id} separates {b.separates}" for b in self.bridges),
            ]
        )
