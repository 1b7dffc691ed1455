"""Answers of the tools for a whole group."""

from graph_memory.api.types import (
    Averages,
    EmbeddingCoverage,
    LastRun,
    Pause,
    ReviewQueue,
    TypeCount,
)
from graph_memory.domain.timestamps import Instant
from graph_memory.server.views.base import ValueView


class StatsView(ValueView):
    """The counts of a group."""

    total: int
    by_type: dict[str, int]
    by_tag: dict[str, int]
    relations: dict[str, TypeCount]
    embedding: EmbeddingCoverage
    last_backup: Instant | None

    def text(self) -> str:
        """Return the counts, a line for each kind."""
        related = (
            f"{name} {t.count} (mean {t.avg_strength:g})" for name, t in self.relations.items()
        )
        vectors = self.embedding
        lines = {
            "types": _listed(self.by_type),
            "tags": _listed(self.by_tag),
            "relations": ", ".join(related),
            "vectors": f"{vectors.model}, {vectors.missing} missing",
            "last backup": ""
            if self.last_backup is None
            else f"{self.last_backup:%Y-%m-%d %H:%M}Z",
        }
        counted = (f"{name}: {value or 'none'}" for name, value in lines.items())
        return "\n".join([f"{self.total} memories.", *counted])


class HealthView(ValueView):
    """The health of a group."""

    states: dict[str, int]
    protected: int
    averages: Averages
    classification_pending: int
    embeddings_missing: int
    review: ReviewQueue
    last_run: LastRun | None
    paused: Pause | None
    recoverable_until_soonest: Instant | None

    def text(self) -> str:
        """Return the states, mean scores, waiting work and a pause."""
        means = self.averages
        lines = [
            f"{_listed(self.states)}; {self.protected} protected.",
            f"Means: decay {_mean(means.decay_score)}, importance {_mean(means.importance)}, "
            f"stability {_mean(means.stability)}, confidence {_mean(means.confidence)}.",
            f"Waiting: {self.classification_pending} to be rated, "
            f"{self.embeddings_missing} without a vector.",
            f"Review: {self.review.waiting_writes} writes wait, "
            f"{self.review.open_proposals} proposals are open.",
        ]
        if run := self.last_run:
            lines.append(f"Last run: {run.started_at:%Y-%m-%d %H:%M}Z, {run.status}.")
        if self.paused:
            lines.append(f"Maintenance is paused: {self.paused.reason}")
        if soonest := self.recoverable_until_soonest:
            lines.append(f"The first deleted memory can be recovered until {soonest:%Y-%m-%d}.")
        return "\n".join(lines)


class RebuildView(ValueView):
    """The numbers of an embedding rebuild."""

    candidates: int
    rebuilt: int
    failed: int

    def text(self) -> str:
        """Return the numbers."""
        return f"{self.candidates} to embed, {self.rebuilt} embedded, {self.failed} failed."


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _mean(value: float | None) -> str:
    return "none" if value is None else f"{value:.3g}"
