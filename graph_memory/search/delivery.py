"""Delivery: the candidates of a retrieval that fill the budget of a conversation. No I/O."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph_memory.domain.timestamps import instant
from graph_memory.search.answer import Retrieved, frame_tokens, status_tokens
from graph_memory.search.budget import Priced, RetrievedMemory, fill_budget
from graph_memory.search.judgement import Judgement
from graph_memory.search.session import ChangedMemory, ChangeReason, LoadStatus, Session
from graph_memory.settings.base import Settings

#: Characters of a question that the history of a session keeps.
_QUERY_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """The candidates of a retrieval, and the rules by which they fill the budget.

    Attributes:
        question: The question, for the history of the session.
        candidates: The candidates with their tokens, best first.
        briefs: Those that have a brief, as their brief with its tokens, by id.
        changed: Loaded memories that have changed.
        judgement: Whether the candidates hold an answer.
        least: Relevance below which a memory is left out, 0 to 1.
        settings: The settings, with the options of the call.
        conversation_tokens: Tokens of the conversation so far, counted by the caller; or None.
        whole_answer: Whether the budget bounds the whole answer; else the contents.
        now: The caller's clock, for the history.
    """

    question: str
    candidates: Sequence[Priced]
    briefs: Mapping[str, Priced]
    changed: list[ChangedMemory]
    judgement: Judgement
    least: float
    settings: Settings
    conversation_tokens: int | None
    whole_answer: bool
    now: datetime

    def choose(self, session: Session) -> tuple[Retrieved, Session]:
        """Fill the budget, and return the result without anchors, and the session to write."""
        again, frame = self._frame(session)
        briefs = self._with_status(self.briefs.values(), again)
        given, skipped, left_out = fill_budget(
            session,
            self._with_status(self.candidates, again),
            session.position(self.conversation_tokens),
            self.settings,
            budget=max(0, self.settings.default_token_budget - frame),
            min_relevance=self.least,
            updated={change.current_id for change in self.changed if change.current_id},
            briefs=dict(zip(self.briefs, briefs, strict=True)),
        )
        used = frame + sum(memory.tokens for memory in given)
        following = self._following(session, given, used)
        retrieved = self._retrieved(
            session,
            memories=given,
            tokens_used=used,
            total_tokens=following.total_tokens,
            skipped_loaded=skipped,
            refreshed=[m.memory.memory_id for m in given if m.status is LoadStatus.REFRESHED],
            left_out=left_out,
        )
        return retrieved, following

    def _frame(self, session: Session) -> tuple[list[str], int]:
        """Return the ids of candidates that get a status, and the tokens of the frame.

        The frame is the answer without memories. Its lists and numbers count as long as they can
        be. If the budget bounds the contents, neither counts.
        """
        if not self.whole_answer:
            return [], 0
        ids = (candidate.memory.memory_id for candidate, _ in self.candidates)
        loaded = [memory_id for memory_id in ids if memory_id in session.loaded]
        frame = self._retrieved(
            session,
            memories=[],
            tokens_used=self.settings.default_token_budget,
            total_tokens=0,
            skipped_loaded=loaded,
            refreshed=[],
            left_out=len(self.candidates) if self.least else 0,
        )
        forms = [form for form, _ in (*self.candidates, *self.briefs.values())]
        return loaded, frame_tokens(frame, forms)

    def _with_status(self, priced: Iterable[Priced], again: Collection[str]) -> list[Priced]:
        """Return candidates with the tokens of their status, if they were loaded before."""
        status = status_tokens()
        return [(c, cost + status * (c.memory.memory_id in again)) for c, cost in priced]

    def _retrieved(self, session: Session, **fields: Any) -> Retrieved:
        return Retrieved(
            session_id=session.session_id,
            anchors=[],
            changed=self.changed,
            known=self.judgement.known,
            known_reason=self.judgement.reason,
            **fields,
        )

    def _following(self, session: Session, given: Sequence[RetrievedMemory], used: int) -> Session:
        """Return the session after the given memories, with an event in its history."""
        candidates = {each.memory.memory_id: each for each, _ in self.candidates}
        for memory_id in (each.memory.memory_id for each in given if each.parts):
            candidates[memory_id] = self.briefs[memory_id][0]
        ids = [memory.memory.memory_id for memory in given]
        position = session.position(self.conversation_tokens)
        return session.after(
            {memory_id: candidates[memory_id].version for memory_id in ids},
            position=position,
            tokens=used,
            gone=[c.memory_id for c in self.changed if c.reason is not ChangeReason.UPDATED],
            event={
                "at": instant(self.now),
                "query": self.question[:_QUERY_CHARACTERS],
                "position": position,
                "tokens": used,
                "memories": len(given),
            },
            settings=self.settings,
        )
