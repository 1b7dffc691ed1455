"""Answers of the lifecycle tools."""

from typing import Any, Self

from pydantic import BaseModel

from graph_memory.api.types import (
    Action,
    DecayStatus,
    ForecastPoint,
    ForgottenMemory,
    NextChange,
    Rejected,
    Transition,
    describe_next_changes,
    describe_protection,
    describe_status,
)
from graph_memory.domain.models import CentralRelation
from graph_memory.domain.timestamps import Instant
from graph_memory.server.views.base import MemoryView, ValueView, View


class Preservation(BaseModel):
    """The protection of a memory from decay, with its reason and end."""

    in_effect: bool
    reason: str | None
    until: Instant | None

    @classmethod
    def of(cls, status: DecayStatus) -> Self:
        """Build the view of a protection."""
        return cls(
            in_effect=status.protection is not None,
            reason=status.protection,
            until=status.preserve_until,
        )


class PreservationView(View):
    """A memory after a change of its protection."""

    memory_id: str
    state: str
    decay_score: float
    preservation: Preservation
    next_changes: list[NextChange]
    explanation: str

    @classmethod
    def of(cls, status: DecayStatus) -> Self:
        """Build the view of the changed memory."""
        return cls(
            memory_id=status.memory_id,
            state=status.state,
            decay_score=status.decay_score,
            preservation=Preservation.of(status),
            next_changes=status.next_changes,
            explanation=(
                f"Memory {status.memory_id} is {status.state}, {describe_protection(status)}. "
                f"{describe_next_changes(status)}"
            ),
        )

    def text(self) -> str:
        """Return the state, the protection, and the coming changes of state."""
        return self.explanation


class DecayStatusView(View):
    """The decay of a memory: score, terms, protection and the next transition."""

    memory_id: str
    state: str
    decay_score: float
    retention: float
    last_decay_update: Instant | None
    decay_policy: str
    rules: str
    terms: dict[str, float | int | str | None]
    idle_since: str
    idle_from: Instant
    held_until: Instant | None
    predicted_next_state: str | None
    predicted_at: Instant | None
    next_changes: list[NextChange]
    preservation: Preservation
    is_obsolete: bool
    obsolete_reason: str | None
    superseded_by: str | None
    explanation: str
    transitions: list[Transition]
    centrality: float | None
    computed_importance: float | None
    central_through: list[CentralRelation]

    @classmethod
    def of(cls, status: DecayStatus, rules: str) -> Self:
        """Build the view of a decay status; `rules` is the hash of the decay rules."""
        same = {name: getattr(status, name) for name in cls.model_fields if hasattr(status, name)}
        return cls(
            **same,
            rules=rules,
            predicted_next_state=status.next_state,
            predicted_at=status.next_at if status.next_state else None,
            preservation=Preservation.of(status),
            explanation=describe_status(status),
            transitions=status.history,
        )

    def text(self) -> str:
        """Return the explanation and the past transitions."""
        return "\n".join(
            [
                self.explanation,
                *(f"{t.at:%Y-%m-%d %H:%M} {t.to}: {t.reason}" for t in self.transitions),
            ]
        )


class ExplainedMemoryView(MemoryView):
    """A memory with its decay and its centrality, explained."""

    decay: DecayStatusView

    def structured(self) -> dict[str, Any] | None:
        """Return all fields."""
        return self.model_dump(mode="json")

    def text(self) -> str:
        """Return the memory as `MemoryView` does, and the explanation."""
        return f"{super().text()}\n{self.decay.explanation}"


class RecoveredView(MemoryView):
    """A recovered memory, and the tombstones that its recovery has lifted."""

    lifted: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the memory as `MemoryView` does, and whether its statement is allowed again."""
        said = ["It was rejected; its statement is allowed again."] if self.lifted else []
        return "\n".join([super().text(), *said])


class RejectionView(View):
    """A rejected memory, and the end of the period in which it can be recovered."""

    memory_id: str
    recoverable_until: Instant

    @classmethod
    def of(cls, rejected: Rejected) -> Self:
        """Build the view of a rejection."""
        return cls(memory_id=rejected.memory_id, recoverable_until=rejected.recoverable_until)

    def text(self) -> str:
        """Return the id and the end of the period."""
        return (
            f"Rejected memory {self.memory_id}; its statement is refused from now on. It can be "
            f"recovered until {self.recoverable_until:%Y-%m-%d %H:%M} UTC."
        )


class ForecastView(ValueView):
    """The forecast of a group without further accesses."""

    policy: str
    rules: str
    points: list[ForecastPoint]
    transitions: dict[str, int]
    first_lost: list[ForgottenMemory]

    def text(self) -> str:
        """Return a line for each point, and for each of the first memories to be forgotten."""
        return "\n".join(
            [
                *(
                    f"{point.at:%Y-%m-%d}: "
                    + ", ".join(f"{n} {state}" for state, n in point.states.items() if n)
                    for point in self.points
                ),
                *(
                    f"{lost.lost_at:%Y-%m-%d} {lost.memory_id} is forgotten: {lost.lead}"
                    for lost in self.first_lost
                ),
            ]
        )


class ConfidenceScanView(ValueView):
    """The changes of a confidence scan, made or proposed."""

    dry_run: bool
    scanned: int
    applied: int
    failed: list[str]
    by_kind: dict[str, int]
    actions: list[Action]
    truncated: bool

    def text(self) -> str:
        """Return the numbers, and a line for each change."""
        would = "Would change" if self.dry_run else "Changed"
        changes = [action for action in self.actions if action.kind != "skip"]
        head = f"Scanned {self.scanned}. {would} {len(changes) if self.dry_run else self.applied}."
        return "\n".join([head, *(_change(action) for action in changes[:50])])


def _change(action: Action) -> str:
    if action.kind == "obsolete":
        return f"{action.memory_id}: obsolete, unused for {action.age_days:.0f} days"
    return (
        f"{action.memory_id}: confidence {action.current_confidence:g} to "
        f"{action.proposed_confidence:g}, unused for {action.age_days:.0f} days"
    )
