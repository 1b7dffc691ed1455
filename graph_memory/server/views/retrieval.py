"""What the tools on conversations answer."""

from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import WithJsonSchema

from graph_memory.api.types import (
    ChangedMemory,
    ContextState,
    Learned,
    LoadedMemory,
    LoadStatus,
    Retrieved,
    RetrievedMemory,
)
from graph_memory.domain.models import LifecycleState, MemoryType
from graph_memory.domain.timestamps import Instant
from graph_memory.server.views.base import View

_OBJECTS = WithJsonSchema({"type": "array", "items": {"type": "object"}})

#: An agent reads no more of what a conversation has, in fields and in the text.
_LISTED = 500
_NAMED = 20


@dataclass(slots=True)  # frozen, it would take five times as long to make, sixty times an answer
class GivenMemory:
    """A memory as a conversation needs it; get_memory has the rest."""

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

    @classmethod
    def of(cls, given: RetrievedMemory) -> Self:
        """Describe a memory that is given."""
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
        )

    def line(self) -> str:
        """Return the whole content, below what an agent must know of it."""
        note = "" if self.status is LoadStatus.NEW else f", {self.status}"
        kind = f"{self.memory_type}, {self.created_at.date()}{note}"
        return f"{self.memory_id} [{kind}] score {self.score:.3f}\n{self.content}"


class RetrieveView(View):
    """What a conversation is given, best first."""

    session_id: str
    memories: Annotated[list[GivenMemory], _OBJECTS]
    tokens_used: int
    total_tokens: int
    anchors: list[str]
    skipped_loaded: list[str]
    refreshed: list[str]
    changed: Annotated[list[ChangedMemory], _OBJECTS]

    @classmethod
    def of(cls, retrieved: Retrieved) -> Self:
        """Describe a retrieval."""
        own = {name: getattr(retrieved, name) for name in cls.model_fields if name != "memories"}
        return cls(**own, memories=[GivenMemory.of(given) for given in retrieved.memories])

    def text(self) -> str:
        """Return each memory in full, what changed, and the session to go on with."""
        changed = [
            f"Changed since you were given it: {c.memory_id} ({c.reason}"
            f"{f' by {c.superseded_by}' if c.superseded_by else ''})."
            for c in self.changed
        ]
        skipped = f", {len(self.skipped_loaded)} more are with you" if self.skipped_loaded else ""
        end = f"{self.tokens_used} tokens{skipped}. session_id={self.session_id}"
        return "\n\n".join([*(memory.line() for memory in self.memories), *changed, end])


class Context(View):
    """What a conversation has; of much that it has, the latest."""

    session_id: str
    total_tokens: int
    loaded: Annotated[list[LoadedMemory], _OBJECTS]
    loaded_count: int
    stale_count: int
    history: Annotated[list[dict[str, Any]], _OBJECTS]

    @classmethod
    def of(cls, state: ContextState) -> Self:
        """Describe the state of a conversation."""
        return cls(
            session_id=state.session_id,
            total_tokens=state.total_tokens,
            loaded=state.loaded[-_LISTED:],
            loaded_count=len(state.loaded),
            stale_count=sum(loaded.stale for loaded in state.loaded),
            history=state.history,
        )

    def text(self) -> str:
        """Return how much, how long ago, and what of it is stale."""
        stale = [loaded.memory_id for loaded in self.loaded if loaded.stale][-_NAMED:]
        others = ", and others" if self.stale_count > len(stale) > 0 else ""
        return (
            f"Session {self.session_id}: {self.loaded_count} memories loaded, "
            f"{self.total_tokens} tokens, {self.stale_count} stale"
            f"{': ' + ', '.join(stale) if stale else ''}{others}."
        )


class FeedbackView(View):
    """What feedback has taught."""

    memory_id: str
    taught: bool
    lean: float
    shift: float
    vector_weight: float

    @classmethod
    def of(cls, memory_id: str, learned: Learned) -> Self:
        """Describe what was learned from a judgement."""
        names = ("taught", "lean", "shift", "vector_weight")
        return cls(memory_id=memory_id, **{name: getattr(learned, name) for name in names})

    def text(self) -> str:
        """Return where the judgements lean, and what that changes."""
        taught = "Learned" if self.taught else "Counted, nothing to learn"
        return (
            f"{taught}: lean {self.lean:+.3f} (+ meaning, - words), "
            f"weight of meaning {self.vector_weight:.3f} ({self.shift:+.3f})."
        )
