"""The part of the public API that is about conversations: what they are given, and what helped."""

import uuid
from dataclasses import dataclass, replace
from typing import Any

from graph_memory.context import Context
from graph_memory.domain.inputs import Question, validate, validate_value
from graph_memory.ranking.profiles import Profile
from graph_memory.search import feedback, retrieval
from graph_memory.search.retrieval import Retrieval, Retrieved, SessionId
from graph_memory.search.session import ContextState, Session
from graph_memory.settings.base import Settings


@dataclass(frozen=True, slots=True)
class Learned:
    """What feedback has taught a group."""

    lean: float  #: −1 words find better .. 1 meaning does
    shift: float  #: by which the weight of meaning is moved; 0 while feedback is off
    vector_weight: float  #: of meaning in profile recall, moved
    useful: int
    useless: int
    taught: bool = False  #: whether the judgement just given had something to teach


class Conversations(Context):
    """Retrieval under a token budget, sessions, feedback."""

    async def retrieve(
        self, query: str, *, group_id: str | None = None, **details: Any
    ) -> Retrieved:
        """Give a conversation what answers `query` and what it does not have, under a budget.

        `details` are the fields of `Retrieval` and `Filters`. What is returned counts as accessed,
        unless the question is about the past.
        """
        await self._require_vectors()
        group, asked = self.group(group_id), validate(Retrieval, details)
        settings, moved = await self._tuned(group, asked.profile)
        retrieved = await retrieval.retrieve(
            self.graph,
            self.embedder,
            self._counter,
            self.sessions,
            settings,
            validate_value(Question, query, "query"),
            asked,
            group_id=group,
            now=self.clock(),
        )
        ids = [given.memory.memory_id for given in retrieved.memories]
        self._delivered(ids, group, asked.as_of or asked.known_at)
        return replace(retrieved, memories=feedback.explained(retrieved.memories, moved))

    async def context_state(
        self, session_id: str | None = None, *, reset: bool = False, group_id: str | None = None
    ) -> ContextState:
        """Tell what a conversation has loaded, and what of it is stale; `reset` forgets it all.

        An unknown session is an empty one; without an id, it is a new one.
        """
        group = self.group(group_id)
        given = str(uuid.uuid4()) if session_id is None else session_id
        session_id = validate_value(SessionId, given, "session_id")
        session, _ = await self.sessions.read(session_id, group_id=group, now=self.clock())
        if reset:
            await self.sessions.forget(session_id, group_id=group)
            session = Session(session_id)
        return session.state(self.settings.staleness_threshold)

    async def give_feedback(
        self,
        memory_id: str,
        useful: bool,
        *,
        query: str | None = None,
        group_id: str | None = None,
    ) -> Learned:
        """Tell whether a memory helped, and, for anything to be learned, what it was found by."""
        await self._require_vectors()
        group = self.group(group_id)
        stored = await self._read(memory_id, group)
        learned, taught = await feedback.record(
            self.graph,
            self.embedder,
            self.settings,
            stored.memory_id,
            useful=validate_value(bool, useful, "useful"),
            question=None if query is None else validate_value(Question, query, "query"),
            group_id=group,
            now=self.clock(),
        )
        return replace(self._learned(learned), taught=taught)

    async def learned(self, *, reset: bool = False, group_id: str | None = None) -> Learned:
        """Tell what feedback has taught a group; `reset` forgets it."""
        group = self.group(group_id)
        if reset:
            await feedback.reset(self.graph, group_id=group)
        return self._learned(await feedback.read(self.graph, group_id=group))

    def _learned(self, known: feedback.Feedback) -> Learned:
        moved = feedback.shift(self.settings, known)
        weight = self.settings.recall_vector_weight + moved
        return Learned(known.lean, moved, weight, known.useful, known.useless)

    async def _tuned(self, group: str, profile: Profile) -> tuple[Settings, float]:
        """Return settings as feedback has moved them for a group, and by how much."""
        if not self.settings.feedback_max_shift or profile is not Profile.RECALL:
            return self.settings, 0.0
        known = await feedback.read(self.graph, group_id=group)
        return feedback.shifted(self.settings, known), feedback.shift(self.settings, known)
