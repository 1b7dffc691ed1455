"""Answers of the tools for writes that wait for a review."""

from graph_memory.api.types import PendingWrite, ReviewRefusal
from graph_memory.server.views.base import ValueView


class PendingView(ValueView):
    """Writes that wait, the earliest first, and the number of all."""

    writes: list[PendingWrite]
    total: int

    def text(self) -> str:
        """Return a line for each write, with its origin and the rule."""
        lines = [
            f"{w.pending_id} {w.kind} by {w.origin} ({w.origin.authority}, {w.rule}): {w.content!r}"
            for w in self.writes
        ]
        return "\n".join([f"{len(lines)} of {self.total} writes.", *lines])


class ReviewedView(ValueView):
    """The result of a review."""

    done: list[str]
    refusals: list[ReviewRefusal]

    def text(self) -> str:
        """Return the numbers, and the reason for each refusal."""
        counts = f"{len(self.done)} done, {len(self.refusals)} refused."
        return "\n".join([counts, *(f"{r.pending_id}: {r.reason}" for r in self.refusals)])
