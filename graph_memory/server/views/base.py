"""What tools answer: structured content, and the short text an agent reads beside it."""

from typing import Annotated, Any, Self

from pydantic import BaseModel, SerializerFunctionWrapHandler, WithJsonSchema, model_serializer

from graph_memory.api.types import AddResult, Deleted, Page
from graph_memory.domain.models import BriefMemory, FoundMemory, Memory, Relation
from graph_memory.domain.timestamps import Instant
from graph_memory.errors import GraphMemoryError

_LEAD_CHARACTERS = 400

#: Spelling out two dozen fields in each tool's output schema would cost more than all the rest.
MemoryView = Annotated[Memory, WithJsonSchema({"type": "object"})]
RelationView = Annotated[Relation, WithJsonSchema({"type": "object"})]


class View(BaseModel):
    """An answer."""

    def text(self) -> str:
        """Return what an agent reads."""
        raise NotImplementedError


class Flat(View):
    """A memory's fields, and more beside them."""

    memory: MemoryView

    @model_serializer(mode="wrap")
    def _flat(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields = handler(self)
        return fields.pop("memory") | fields


class Refusal(View):
    """Why a call, or one memory of many, was refused."""

    code: str
    message: str
    argument: str | None = None
    existing_id: str | None = None

    @classmethod
    def of(cls, error: GraphMemoryError) -> Self:
        """Describe an error of ours."""
        return cls(
            code=error.code,
            message=_sayable(str(error)),
            argument=_sayable(getattr(error, "argument", None)),
            existing_id=getattr(error, "existing_id", None),
        )

    def text(self) -> str:
        """Return the code and the sentence."""
        return f"{self.code}: {self.message}"


class Classification(BaseModel):
    """Where importance and stability come from."""

    source: str


class Added(View):
    """A memory as stored."""

    memory_id: str
    memory: MemoryView
    classification: Classification
    relations_created: int

    @classmethod
    def of(cls, memory: Memory, relations_created: int) -> Self:
        """Describe a new memory."""
        return cls(
            memory_id=memory.memory_id,
            memory=memory,
            classification=Classification(source=memory.importance_source),
            relations_created=relations_created,
        )

    def text(self) -> str:
        """Return the id."""
        related = f", {self.relations_created} relations" if self.relations_created else ""
        return f"Stored memory {self.memory_id}{related}."


class AddedOne(BaseModel):
    """What became of one memory of many."""

    memory_id: str | None
    relations_created: int
    error: Annotated[Refusal | None, WithJsonSchema({"type": ["object", "null"]})]


class AddedMany(View):
    """What became of each memory, in their order."""

    stored: int
    refused: int
    results: Annotated[
        list[AddedOne], WithJsonSchema({"type": "array", "items": {"type": "object"}})
    ]

    @classmethod
    def of(cls, outcomes: list[AddResult]) -> Self:
        """Describe the outcomes of a batch."""
        results = [
            AddedOne(
                memory_id=outcome.memory_id,
                relations_created=outcome.relations_created,
                error=Refusal.of(outcome.error) if outcome.error else None,
            )
            for outcome in outcomes
        ]
        refused = sum(1 for result in results if result.error)
        return cls(stored=len(results) - refused, refused=refused, results=results)

    def text(self) -> str:
        """Return the numbers, and why each refused memory was."""
        errors = [
            f"{position}: {result.error.text()}"
            for position, result in enumerate(self.results)
            if result.error
        ]
        return "\n".join([f"Stored {self.stored}, refused {self.refused}.", *errors])


class GotMemory(Flat):
    """One memory, with its relations if they were asked for."""

    relations: list[RelationView] | None = None

    def text(self) -> str:
        """Return the whole content, below what is known of it."""
        relations = [
            f"{r.from_id} {r.relation_type} {r.to_id} (strength {r.strength:g})"
            for r in self.relations or ()
        ]
        return "\n".join([_head(self.memory), self.memory.content, *relations])


class Updated(View):
    """A memory after a change."""

    memory: MemoryView
    re_embedded: bool

    def text(self) -> str:
        """Return the id."""
        return f"Updated memory {self.memory.memory_id}."


class DeletedMemory(View):
    """A deletion, and until when it can be taken back."""

    memory_id: str
    permanent: bool
    recoverable_until: Instant | None

    @classmethod
    def of(cls, deleted: Deleted) -> Self:
        """Describe a deletion."""
        return cls(
            memory_id=deleted.memory_id,
            permanent=deleted.permanent,
            recoverable_until=deleted.recoverable_until,
        )

    def text(self) -> str:
        """Return the id and the way back."""
        if self.recoverable_until is None:
            return f"Deleted memory {self.memory_id} for good."
        until = self.recoverable_until.date()
        return f"Deleted memory {self.memory_id}; recoverable until {until}."


class DeletedAll(View):
    """The deletion of a group."""

    deleted: int
    backup_path: str | None

    def text(self) -> str:
        """Return the number, and where the backup is that was made before."""
        saved = f" A backup of before is in {self.backup_path}." if self.backup_path else ""
        return f"Deleted {self.deleted} memories.{saved}"


class BackedUp(View):
    """A backup that was made."""

    backup_path: str
    memories_backed_up: int
    timestamp: Instant

    def text(self) -> str:
        """Return the number, and where it is."""
        return f"Backed up {self.memories_backed_up} memories in {self.backup_path}."


class Touched(View):
    """An access that was counted."""

    memory_id: str

    def text(self) -> str:
        """Return the id."""
        return f"Counted an access to memory {self.memory_id}."


class Stored(View):
    """The id of a memory, as `store_memory` always returned it."""

    memory_id: str

    def text(self) -> str:
        """Return the id alone."""
        return self.memory_id


class Hit(Flat):
    """A memory that answers a question, and why it ranks where it does."""

    similarity: float | None
    score: float
    components: dict[str, float | None]


class SearchView(View):
    """The answers to a question, best first."""

    results: Annotated[list[Hit], WithJsonSchema({"type": "array", "items": {"type": "object"}})]

    @classmethod
    def of(cls, found: list[FoundMemory]) -> Self:
        """Describe what a search found."""
        return cls(
            results=[
                Hit(
                    memory=hit.memory,
                    similarity=hit.similarity,
                    score=hit.score,
                    components=hit.components,
                )
                for hit in found
            ]
        )

    def text(self) -> str:
        """Return a line a memory, or what to try instead."""
        if not self.results:
            return "Nothing found. Try other words, fewer filters, or states including ARCHIVED."
        return "\n".join(
            f"{position}. score {hit.score:.3f} {line(hit.memory)}"
            for position, hit in enumerate(self.results, 1)
        )


class Listed(View):
    """A page of memories, and where the next begins."""

    results: list[MemoryView]
    next_cursor: str | None

    @classmethod
    def of(cls, page: Page) -> Self:
        """Describe a page."""
        return cls(results=page.memories, next_cursor=page.next_cursor)

    def text(self) -> str:
        """Return a line a memory, and whether there are more."""
        if not self.results:
            return "No memories."
        more = [f"More: cursor={self.next_cursor}"] if self.next_cursor else []
        return "\n".join([*(f"- {line(memory)}" for memory in self.results), *more])


def _head(memory: BriefMemory) -> str:
    tags = f" #{' #'.join(memory.tags)}" if memory.tags else ""
    date = memory.created_at.date()
    return f"{memory.memory_id} [{memory.memory_type}, {memory.lifecycle_state}, {date}]{tags}"


def line(memory: BriefMemory) -> str:
    """Return a memory in one line: its id, what it is, and how it begins."""
    words = " ".join(memory.content.split())
    lead = words if len(words) <= _LEAD_CHARACTERS else f"{words[: _LEAD_CHARACTERS - 1]}…"
    return f"{_head(memory)}: {lead}"


def _sayable(text: str | None) -> Any:
    """Return `text` as it may travel: lone surrogates, which a caller may have sent, escaped."""
    return text if text is None else text.encode(errors="backslashreplace").decode()
