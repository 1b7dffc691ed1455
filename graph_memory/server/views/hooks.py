"""Answers of the tools for the hooks of a harness."""

from typing import ClassVar, Self

from pydantic import BaseModel

from graph_memory.api.types import CapturedTurn, Injection, TurnStatus
from graph_memory.server.views.base import View


class TurnItem(BaseModel):
    """The outcome for one turn."""

    position: str
    status: TurnStatus
    memory_id: str | None
    reason: str | None


class CaptureView(View):
    """The outcomes for the turns of a conversation, in their order, and their numbers."""

    stored: int
    repeated: int
    known: int
    refused: int
    left_out: int
    turns: list[TurnItem]

    @classmethod
    def of(cls, outcomes: list[CapturedTurn]) -> Self:
        """Build the view of a capture."""
        statuses = [outcome.status for outcome in outcomes]
        turns = [
            TurnItem(
                position=outcome.position,
                status=outcome.status,
                memory_id=outcome.memory_id,
                reason=outcome.reason,
            )
            for outcome in outcomes
        ]
        counts = {status.value: statuses.count(status) for status in TurnStatus}
        return cls(turns=turns, **counts)

    def text(self) -> str:
        """Return the numbers, and each reason."""
        counts = ", ".join(
            f"{getattr(self, status.value)} {status.replace('_', ' ')}" for status in TurnStatus
        )
        reasons = [
            f"{turn.position}: {turn.status.replace('_', ' ')}, {turn.reason}"
            for turn in self.turns
            if turn.reason
        ]
        return "\n".join([f"Turns: {counts}.", *reasons])


class HookView(View):
    """The text that a harness adds to the context of a conversation."""

    text_only: ClassVar[bool] = True

    added: str

    @classmethod
    def of(cls, event: str, injection: Injection) -> Self:
        """Build the view of an event. Codex requires JSON after a turn, which adds nothing."""
        return cls(added=injection.text or ("{}" if event.lower() == "stop" else ""))

    def text(self) -> str:
        """Return the text to add, without any other."""
        return self.added
