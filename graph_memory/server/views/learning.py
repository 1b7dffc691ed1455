"""Answers of the tools for proposals."""

from graph_memory.api.types import Proposal, ProposalRefusal
from graph_memory.domain.models import ProposalStatus
from graph_memory.server.views.base import ValueView


class ProposalsView(ValueView):
    """Proposals, the highest score first, and the number of all."""

    proposals: list[Proposal]
    total: int

    def text(self) -> str:
        """Return a line for each proposal, with both memories and the reason."""
        lines = [
            f"{p.proposal_id} {p.kind} {p.score:.2f}: {p.first.content!r} -> {p.second.content!r} "
            f"({p.reason})"
            for p in self.proposals
        ]
        return "\n".join([f"{len(lines)} of {self.total} proposals.", *lines])


class DecisionView(ValueView):
    """The result of a decision."""

    run_id: str | None
    dry_run: bool
    status: ProposalStatus
    decided: int
    refused: int
    proposal_ids: list[str]
    refusals: list[ProposalRefusal]

    def text(self) -> str:
        """Return the numbers, the run to undo, and the reason for each refusal."""
        verb = "would be" if self.dry_run else "were"
        undo = f" Run {self.run_id} can be undone." if self.run_id else ""
        counts = f"{self.decided} {verb} {self.status}, {self.refused} refused.{undo}"
        return "\n".join([counts, *(f"{r.proposal_id}: {r.reason}" for r in self.refusals)])
