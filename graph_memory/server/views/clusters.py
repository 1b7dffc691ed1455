"""Answers of the tools for clusters."""

from pydantic import Field

from graph_memory.api.types import Cluster, ClusterMemory, LeftMemory
from graph_memory.domain.models import ClusterAction
from graph_memory.server.views.base import ValueView


class ClustersView(ValueView):
    """Clusters, the largest first, and the number of all; of a single one its memories."""

    clusters: list[Cluster]
    total: int
    memories: list[ClusterMemory] = Field(default_factory=list[ClusterMemory])

    def text(self) -> str:
        """Return a line for each cluster, and for each memory."""
        lines = [
            f"{c.cluster_id} {c.label} ({c.size}, {c.oldest:%Y-%m-%d} to {c.newest:%Y-%m-%d}): "
            f"{c.central!r}"
            for c in self.clusters
        ]
        memories = [f"{m.memory_id} {m.state} {m.lead!r}" for m in self.memories]
        return "\n".join([f"{len(lines)} of {self.total} clusters.", *lines, *memories])


class ClusterChangeView(ValueView):
    """The result of an action on a cluster."""

    run_id: str | None
    dry_run: bool
    action: ClusterAction
    cluster_id: str
    changed: int
    left: int
    memory_ids: list[str]
    refusals: list[LeftMemory]

    def text(self) -> str:
        """Return the numbers, the run to undo, and the reason for each memory left as it is."""
        verb = "would change" if self.dry_run else "changed"
        undo = f" Run {self.run_id} can be undone." if self.run_id else ""
        counts = f"{self.action}: {self.changed} memories {verb}, {self.left} left.{undo}"
        return "\n".join([counts, *(f"{r.memory_id}: {r.reason}" for r in self.refusals)])
