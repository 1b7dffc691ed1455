"""Answers of the tools for conversations."""

from dataclasses import dataclass
from typing import Any, Self

from graph_memory.api.types import (
    ChangedMemory,
    ContextState,
    Learned,
    LoadedMemory,
    LoadStatus,
    Retrieved,
    RetrievedMemory,
)
from graph_memory.domain.attachments import Attachment
from graph_memory.domain.models import Known, LifecycleState, MemoryType
from graph_memory.domain.timestamps import Instant
from graph_memory.server.views.base import View

#: Maximum numbers of loaded memories in the fields and in the text.
_LISTED = 500
_NAMED = 20


@dataclass(slots=True)
class Span:
    """The place of a passage in a long content, in characters."""

    start: int
    end: int


@dataclass(slots=True)  # a frozen one takes five times as long to construct
class ConversationMemory:
    """A memory with all fields of a retrieval."""

    memory_id: str
    content: str
    memory_type: MemoryType
    tags: list[str]
    importance: float
    lifecycle_state: LifecycleState
    created_at: Instant
    valid_at: Instant | None
    invalid_at: Instant | None
    similarity: float | None
    score: float
    components: dict[str, float | None]
    tokens: int
    distance: int | None
    status: LoadStatus
    relevance: float | None
    passage: Span | None
    brief: list[Span] | None
    attachments: tuple[Attachment, ...]

    @classmethod
    def of(cls, given: RetrievedMemory) -> Self:
        """Build the view of a retrieved memory."""
        memory = given.memory
        return cls(
            memory_id=memory.memory_id,
            content=memory.content,
            memory_type=memory.memory_type,
            tags=memory.tags,
            importance=memory.importance,
            lifecycle_state=memory.lifecycle_state,
            created_at=memory.created_at,
            valid_at=memory.valid_at,
            invalid_at=memory.invalid_at,
            similarity=given.similarity,
            score=given.score,
            components=given.components,
            tokens=given.tokens,
            distance=given.distance,
            status=given.status,
            relevance=given.relevance,
            passage=given.passage and Span(given.passage.start, given.passage.end),
            brief=[Span(part.start, part.end) for part in given.parts] or None,
            attachments=memory.attachments,
        )


class RetrieveView(View):
    """All fields of a retrieval."""

    known: Known | None
    known_reason: str | None
    left_out: int
    session_id: str
    memories: list[ConversationMemory]
    tokens_used: int
    total_tokens: int
    anchors: list[str]
    skipped_loaded: list[str]
    refreshed: list[str]
    changed: list[ChangedMemory]

    @classmethod
    def of(cls, retrieved: Retrieved) -> Self:
        """Build the view of a retrieval."""
        own = {name: getattr(retrieved, name) for name in cls.model_fields if name != "memories"}
        return cls(**own, memories=[ConversationMemory.of(given) for given in retrieved.memories])


class ContextView(View):
    """The latest memories that a conversation has loaded."""

    session_id: str
    total_tokens: int
    loaded: list[LoadedMemory]
    loaded_count: int
    stale_count: int
    history: list[dict[str, Any]]

    @classmethod
    def of(cls, state: ContextState) -> Self:
        """Build the view of a conversation."""
        return cls(
            session_id=state.session_id,
            total_tokens=state.total_tokens,
            loaded=state.loaded[-_LISTED:],
            loaded_count=len(state.loaded),
            stale_count=sum(loaded.stale for loaded in state.loaded),
            history=state.history,
        )

    def text(self) -> str:
        """Return the number of loaded memories and tokens, and the stale memories."""
        stale = [loaded.memory_id for loaded in self.loaded if loaded.stale][-_NAMED:]
        others = ", and others" if self.stale_count > len(stale) > 0 else ""
        return (
            f"Session {self.session_id}: {self.loaded_count} memories loaded, "
            f"{self.total_tokens} tokens, {self.stale_count} stale"
            f"{': ' + ', '.join(stale) if stale else ''}{others}."
        )


class FeedbackView(View):
    """The feedback of a group so far."""

    memory_id: str
    taught: bool
    useful: int
    useless: int
    lessons: int

    @classmethod
    def of(cls, memory_id: str, learned: Learned) -> Self:
        """Build the view of a feedback."""
        lessons = learned.judged_lessons + learned.used_lessons
        return cls(
            memory_id=memory_id,
            taught=learned.taught,
            useful=learned.useful,
            useless=learned.useless,
            lessons=lessons,
        )

    def text(self) -> str:
        """Return whether the judgement teaches, and the numbers so far."""
        taught = "Kept as a lesson" if self.taught else "Counted"
        return (
            f"{taught}: {self.useful} useful and {self.useless} not useful so far, "
            f"{self.lessons} lessons."
        )
