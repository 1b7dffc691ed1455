"""Answers of the tools: structured content, and a short text for the agent."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from pydantic import BaseModel, SerializerFunctionWrapHandler, model_serializer

from graph_memory.api.types import AddResult, Page
from graph_memory.domain.attachments import attachment_fields
from graph_memory.domain.models import (
    Known,
    Memory,
    PossibleConflict,
    Relation,
    SearchResults,
)
from graph_memory.domain.passages import Passage
from graph_memory.domain.timestamps import Instant
from graph_memory.errors import GraphMemoryError

#: Codes of errors with the seconds after which the call can be repeated.
_LATER = ("rate_limited", "overloaded")


class View(BaseModel):
    """An answer of a tool.

    Attributes:
        text_only: Whether the answer is its text, without structured content.
    """

    text_only: ClassVar[bool] = False

    def structured(self) -> dict[str, Any] | None:
        """Return the structured content, if the answer has one."""
        return None if self.text_only else self.model_dump(mode="json")

    def text(self) -> str:
        """Return the text for the agent."""
        raise NotImplementedError


class ValueView(View):
    """An answer with fields of a value that the API returns, under the same names."""

    @classmethod
    def of(cls, value: object) -> Self:
        """Build the view of a value."""
        return cls.model_validate(value, from_attributes=True)


class Flat(View):
    """The fields of a memory, with further fields beside them."""

    memory: Memory

    @model_serializer(mode="wrap")
    def _flat(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        fields = handler(self)
        return fields.pop("memory") | fields


class ErrorView(View):
    """The error of a call, or of one memory of a batch."""

    code: str
    message: str
    argument: str | None = None
    existing_id: str | None = None
    retry_after_seconds: int | None = None

    @classmethod
    def of(cls, error: GraphMemoryError) -> Self:
        """Build the view of an error."""
        return cls(
            code=error.code,
            message=_encodable(str(error)),
            argument=_encodable(getattr(error, "argument", None)),
            existing_id=getattr(error, "existing_id", None),
            retry_after_seconds=getattr(error, "seconds", None) if error.code in _LATER else None,
        )

    def structured(self) -> dict[str, Any]:
        """Return the fields that the error has."""
        return self.model_dump(mode="json", exclude_none=True)

    def text(self) -> str:
        """Return the code and the sentence."""
        return f"{self.code}: {self.message}"


class Classification(BaseModel):
    """The source of importance and stability."""

    source: str


#: Advice beside a possible conflict.


def masked_note(kinds: Sequence[str]) -> list[str]:
    """Return a sentence about masked secrets, or nothing."""
    if not kinds:
        return []
    named = ", ".join(kinds)
    return [f"Secrets are stored as their kinds only: {named}."]


_SETTLE = "If so, relate them with supersedes or contradicts."


class AddView(View):
    """A stored memory."""

    memory_id: str
    memory: Memory
    classification: Classification
    relations_created: int
    link_error: ErrorView | None
    possible_conflicts: list[PossibleConflict] = []
    masked: list[str] = []

    @classmethod
    def of(cls, memory: Memory, outcome: AddResult) -> Self:
        """Build the view of a new memory."""
        return cls(
            possible_conflicts=list(outcome.possible_conflicts),
            masked=list(outcome.masked),
            memory_id=memory.memory_id,
            memory=memory,
            classification=Classification(source=memory.importance_source),
            relations_created=outcome.relations_created,
            link_error=ErrorView.of(outcome.link_error) if outcome.link_error else None,
        )

    def structured(self) -> dict[str, Any] | None:
        """Return the fields, without empty lists of conflicts and secrets."""
        empty = {name for name in ("possible_conflicts", "masked") if not getattr(self, name)}
        return self.model_dump(mode="json", exclude=empty)

    def text(self) -> str:
        """Return the id, what was masked, the error of links, and the possible conflicts."""
        related = f", {self.relations_created} relations" if self.relations_created else ""
        error = [self.link_error.text()] if self.link_error else []
        conflicts = [str(each) for each in self.possible_conflicts]
        hint = [_SETTLE] if conflicts else []
        stored = f"Stored memory {self.memory_id}{related}."
        return " ".join([stored, *masked_note(self.masked), *error, *conflicts, *hint])


class BatchItem(BaseModel):
    """The result for one memory of a batch."""

    memory_id: str | None
    relations_created: int
    error: ErrorView | None
    link_error: ErrorView | None
    masked: list[str] = []


class BatchView(View):
    """The results for the memories of a batch, in their order."""

    stored: int
    refused: int
    results: list[BatchItem]

    @classmethod
    def of(cls, outcomes: list[AddResult]) -> Self:
        """Build the view of a batch."""
        results = [
            BatchItem(
                memory_id=outcome.memory_id,
                relations_created=outcome.relations_created,
                error=ErrorView.of(outcome.error) if outcome.error else None,
                link_error=ErrorView.of(outcome.link_error) if outcome.link_error else None,
                masked=list(outcome.masked),
            )
            for outcome in outcomes
        ]
        refused = sum(1 for result in results if result.error)
        return cls(stored=len(results) - refused, refused=refused, results=results)

    def structured(self) -> dict[str, Any] | None:
        """Return the fields, without the empty lists of secrets."""
        empty = {i: {"masked"} for i, each in enumerate(self.results) if not each.masked}
        return self.model_dump(mode="json", exclude={"results": empty})

    def text(self) -> str:
        """Return the numbers, the errors of memories and of their links, and what was masked."""
        errors = [
            f"{position}: {error.text()}"
            for position, result in enumerate(self.results)
            if (error := result.error or result.link_error)
        ]
        masked = [
            f"{position}: {note}"
            for position, result in enumerate(self.results)
            for note in masked_note(result.masked)
        ]
        return "\n".join([f"Stored {self.stored}, refused {self.refused}.", *errors, *masked])


class MemoryView(Flat):
    """One memory, with its relations on request."""

    relations: list[Relation] | None = None

    def structured(self) -> dict[str, Any] | None:
        """Return the fields, without the origins of relations."""
        return self.model_dump(mode="json", exclude={"relations": {"__all__": {"origin"}}})

    def text(self) -> str:
        """Return the whole content below a line of properties, its attachments and relations."""
        relations = map(_related, self.relations or ())
        files = [attachment_label(attachment_fields(each)) for each in self.memory.attachments]
        return "\n".join([_head(self.memory), self.memory.content, *files, *relations])


class UpdateView(View):
    """A memory after a change."""

    memory: Memory
    re_embedded: bool
    masked: list[str] = []

    def structured(self) -> dict[str, Any] | None:
        """Return the fields, without an empty list of secrets."""
        return self.model_dump(mode="json", exclude=set() if self.masked else {"masked"})

    def text(self) -> str:
        """Return the id, and what was masked."""
        return " ".join([f"Updated memory {self.memory.memory_id}.", *masked_note(self.masked)])


class ErasureView(View):
    """The short form of the receipt of an erasure: the places in which something remains."""

    receipt_id: str
    places_searched: int
    remaining: dict[str, int]

    def text(self) -> str:
        """Return the number of places, and those in which something remains."""
        left = ", ".join(f"{place} ({count})" for place, count in self.remaining.items())
        return f"Searched {self.places_searched} places; remains in: {left or 'none'}."


class DeletionView(ValueView):
    """A deletion, with the end of the time for recovery, or the receipt of an erasure."""

    memory_id: str
    permanent: bool
    recoverable_until: Instant | None
    erasure: ErasureView | None = None

    def structured(self) -> dict[str, Any] | None:
        """Return the fields, without an empty receipt."""
        return self.model_dump(mode="json", exclude=set() if self.erasure else {"erasure"})

    def text(self) -> str:
        """Return the id, and the end of the time for recovery or what remains."""
        if self.recoverable_until is None:
            done = f"Deleted memory {self.memory_id} permanently."
            return f"{done} {self.erasure.text()}" if self.erasure else done
        until = self.recoverable_until.date()
        return f"Deleted memory {self.memory_id}; recoverable until {until}."


class GroupDeletionView(View):
    """The deletion of all memories of a group."""

    deleted: int
    backup_path: str | None

    def text(self) -> str:
        """Return the number, and the path of the backup."""
        saved = f" The backup made before is in {self.backup_path}." if self.backup_path else ""
        return f"Deleted {self.deleted} memories.{saved}"


class BackupView(View):
    """A new backup; with a placement file, one of each of its servers."""

    backup_path: str
    other_backup_paths: list[str] = []
    memories_backed_up: int
    timestamp: Instant

    def structured(self) -> dict[str, Any]:
        """Return the fields, those of other servers only if there are any."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def text(self) -> str:
        """Return the number and the paths."""
        paths = ", ".join((self.backup_path, *self.other_backup_paths))
        return f"Backed up {self.memories_backed_up} memories in {paths}."


class AccessView(ValueView):
    """A counted access, with a hint if it did not wake the memory."""

    memory_id: str
    state: str
    hint: str | None

    def text(self) -> str:
        """Return the id, and the hint."""
        return " ".join(filter(None, [f"Counted an access to memory {self.memory_id}.", self.hint]))


class MemoryIdView(View):
    """The id of a memory, the answer of `store_memory`."""

    memory_id: str

    def text(self) -> str:
        """Return the id alone."""
        return self.memory_id


class SearchResult(Flat):
    """A found memory with its scores."""

    similarity: float | None
    score: float
    components: dict[str, float | None]
    relevance: float | None
    passage: Passage | None


class SearchView(View):
    """All fields of the memories that a search found, and whether the group has an answer."""

    known: Known | None
    known_reason: str | None
    left_out: int
    results: list[SearchResult]

    @classmethod
    def of(cls, found: SearchResults) -> Self:
        """Build the view of a search."""
        fields = {**vars(found), "results": list(found)}
        return cls.model_validate(fields, from_attributes=True)


class PageView(View):
    """All fields of a page of memories, with the cursor of the next page."""

    results: list[Memory]
    next_cursor: str | None

    @classmethod
    def of(cls, page: Page) -> Self:
        """Build the view of a page."""
        return cls(results=page.memories, next_cursor=page.next_cursor)


def attachment_label(attachment: Mapping[str, str]) -> str:
    """Return the fields of an attachment in brackets: its type, title and address."""
    kind = " ".join(filter(None, map(attachment.get, ("media_type", "language")))) or "file"
    return f"[{kind}: {', '.join(filter(None, map(attachment.get, ('title', 'uri'))))}]"


def _related(relation: Relation) -> str:
    """Return a relation in a line, with what its strength was learned from."""
    learned = relation.learned
    uses = learned and f", given {learned.given_strength:g}, uses: {learned.uses}"
    return (
        f"{relation.from_id} {relation.relation_type} {relation.to_id} "
        f"(strength {relation.strength:g}{uses or ''})"
    )


def _head(memory: Memory) -> str:
    tags = f" #{' #'.join(memory.tags)}" if memory.tags else ""
    date = memory.created_at.date()
    return f"{memory.memory_id} [{memory.memory_type}, {memory.lifecycle_state}, {date}]{tags}"


def _encodable(text: str | None) -> Any:
    """Return `text` with lone surrogates escaped, so that it can be encoded as UTF-8."""
    return text if text is None else text.encode(errors="backslashreplace").decode()
