"""Answers of the tools for traversal and graph analysis."""

from graph_memory.api.types import (
    Bridge,
    Connector,
    ReachedMemory,
    TypeCount,
    WalkedRelation,
)
from graph_memory.domain.models import Memory
from graph_memory.server.views.base import ValueView, line


class TraversalView(ValueView):
    """The memories and relations of a traversal, in its order."""

    start: Memory
    nodes: list[ReachedMemory]
    edges: list[WalkedRelation]
    truncated: bool
    reason: str | None

    def text(self) -> str:
        """Return a line for each memory, indented by its depth, and the reason for an early end."""
        by_ends = {frozenset((e.from_id, e.to_id)): e.relation_type for e in self.edges}
        nodes = [
            f"{'  ' * node.depth}{by_ends[frozenset(node.path[-2:])]}: {line(node)}"
            for node in self.nodes
        ]
        more = (
            [f"More memories exist: the traversal reached its limit of {self.reason}."]
            if self.truncated
            else []
        )
        return "\n".join([f"From {line(self.start)}", *(nodes or ["Nothing reached."]), *more])


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
