"""Checks before a memory is stored: duplicates, length, ids, and the ends of its links."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from graph_memory.database.graph import Graph
from graph_memory.domain.encoding import content_hash
from graph_memory.domain.inputs import NewMemory, NewRelation
from graph_memory.domain.models import RelationType
from graph_memory.domain.origin import Authority
from graph_memory.engine import Engine
from graph_memory.errors import (
    DuplicateError,
    GraphMemoryError,
    InvalidArgumentError,
    LimitExceededError,
    LinkError,
    NotFoundError,
)
from graph_memory.memories import relations
from graph_memory.memories.absent import each_not_found
from graph_memory.memories.screening import refusal, screen
from graph_memory.memories.tombstones import Guard, judge
from graph_memory.settings.base import Settings
from graph_memory.wording import argument, operation


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory to store, with its id and the keys that identify its content."""

    memory: NewMemory
    memory_id: str
    content_hash: str
    dedup_key: str
    masked: tuple[str, ...] = ()  #: kinds of the secrets that are masked in the content
    authority: Authority | None = None  #: the authority to store; None for an unknown one

    @classmethod
    def from_input(cls, memory: NewMemory, group_id: str, settings: Settings) -> "Draft":
        """Return a draft of a memory for a group, with a new id if it has none."""
        content, title = screen(memory.content, settings), memory.title
        memory = replace(memory, content=content.text, title=title and screen(title, settings).text)
        hashed = content_hash(memory.content)
        memory_id = memory.memory_id or str(uuid.uuid4())
        return cls(memory, memory_id, hashed, dedup_key(group_id, hashed), content.masked)


@dataclass(frozen=True, slots=True)
class _Existing:
    memory_id: str
    dedup_key: str | None
    in_group: bool
    state: str | None
    invalid_at: str | None
    authority: Authority | None

    def duplicate(self) -> DuplicateError:
        """Return the error for a stored content, with a remedy if searches leave it out."""
        if self.invalid_at:
            return DuplicateError(
                self.memory_id,
                f"It is true until {self.invalid_at}, and searches leave it out after that. "
                "If it is true again, store it in other words, for example with a date.",
            )
        if self.state in ("ARCHIVED", "EXPIRED"):
            return DuplicateError(
                self.memory_id,
                f"It is {self.state}, so searches leave it out; update that memory with the same "
                "content to reactivate it.",
            )
        return DuplicateError(self.memory_id)


def dedup_key(group_id: str, content_hash: str) -> str:
    """Return the unique key of a content in a group; deleted memories have none."""
    return f"{group_id}|{content_hash}"


@dataclass(frozen=True, slots=True)
class _Found:
    existing: list[_Existing]
    guarded: bool
    secrets: list[str]
    slots: list[str]


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome of the checks of a draft.

    Attributes:
        error: The error that refuses it.
        link_error: The error that names its links without an end.
        sources: The authorities of the stored memories that it derives from.
        rule: The rule by which it waits for a review, if it states a rejected value.
    """

    error: GraphMemoryError | None
    link_error: LinkError | None = None
    sources: tuple[Authority | None, ...] = ()
    rule: str | None = None


async def check_all(engine: Engine, drafts: Sequence[Draft], group_id: str) -> list[Checked]:
    """Check each draft; earlier drafts count as stored."""
    found = await _find_existing(engine.graph, drafts, group_id)
    existing = {key: row for row in found.existing for key in (row.memory_id, row.dedup_key) if key}
    contents = [draft.memory.content for draft in drafts]
    guard = Guard(found.guarded, found.secrets, found.slots)
    judged = await judge(engine.graph, engine.settings, guard, group_id, contents)
    seen: dict[str, str] = {}
    errors: list[GraphMemoryError | None] = []
    missing: list[dict[str, str]] = []
    for draft, judgement in zip(drafts, judged, strict=True):
        error = (
            _length_error(draft.memory.content, engine.settings)
            or refusal(draft.memory.content, engine.settings)
            or _find_problem(draft, existing, seen)
            or judgement.error
        )
        errors.append(error)
        missing.append({} if error else _missing_ends(draft.memory, existing, seen))
        if error is None:
            seen[draft.dedup_key] = seen[draft.memory_id] = draft.memory_id
    absent = {end: None for ends in missing for end in ends.values()}
    reasons = await each_not_found(engine.graph, group_id, absent)
    return [
        Checked(
            error,
            _link_error(draft, group_id, ends, reasons),
            _sources(draft, existing),
            judgement.rule,
        )
        for draft, error, ends, judgement in zip(drafts, errors, missing, judged, strict=True)
    ]


def _sources(draft: Draft, existing: Mapping[str, _Existing]) -> tuple[Authority | None, ...]:
    """Return the authority of the stored parent of a draft, if it has one."""
    parent = existing.get(draft.memory.parent_id or "")
    return (parent.authority,) if parent else ()


def _missing_ends(
    memory: NewMemory, existing: Mapping[str, _Existing], seen: Mapping[str, str]
) -> dict[str, str]:
    """Return the ends of links that the group does not have, by the argument that names them."""
    ends = {
        f"relationships.{position}.target_id": relation.target_id
        for position, relation in enumerate(memory.relationships)
    }
    if memory.parent_id:
        ends["parent_id"] = memory.parent_id
    return {
        name: end
        for name, end in ends.items()
        if end not in seen and not (end in existing and existing[end].in_group)
    }


def _link_error(
    draft: Draft, group_id: str, ends: Mapping[str, str], reasons: Mapping[str, NotFoundError]
) -> LinkError | None:
    if not ends:
        return None
    first = reasons[next(iter(ends.values()))]
    return LinkError(draft.memory_id, group_id, ends, first.args[0])


def check_length(content: str, settings: Settings) -> None:
    """Raise `LimitExceededError` for a content longer than `max_content_characters`."""
    if error := _length_error(content, settings):
        raise error


async def check_not_stored(
    graph: Graph, key: str, group_id: str, *, besides: str | None = None
) -> None:
    """Raise `DuplicateError` if another memory than `besides` holds a content.

    `besides` may hold it already, written by a concurrent update.
    """
    found = await _find(graph, group_id, [key], [])
    if found.existing and found.existing[0].memory_id != besides:
        raise found.existing[0].duplicate()


async def _find_existing(graph: Graph, drafts: Sequence[Draft], group_id: str) -> _Found:
    """Return existing memories of the drafts' contents, ids, parents and targets."""
    wanted = {draft.memory_id for draft in drafts if draft.memory.memory_id}
    wanted |= {draft.memory.parent_id for draft in drafts if draft.memory.parent_id}
    wanted |= {r.target_id for draft in drafts for r in draft.memory.relationships}
    return await _find(graph, group_id, [draft.dedup_key for draft in drafts], list(wanted))


async def _find(graph: Graph, group_id: str, keys: list[str], memory_ids: list[str]) -> _Found:
    found = await graph.one(
        "memories/deduplication/find_existing",
        _Found,
        group_id=group_id,
        dedup_keys=keys,
        memory_ids=memory_ids,
    )
    return found or _Found([], False, [], [])


def _length_error(content: str, settings: Settings) -> LimitExceededError | None:
    if len(content) <= settings.max_content_characters:
        return None
    return LimitExceededError(
        "content",
        f"{len(content)} characters",
        f"at most {settings.max_content_characters} characters; split it into several memories",
    )


def _find_problem(
    draft: Draft, existing: Mapping[str, _Existing], seen: Mapping[str, str]
) -> GraphMemoryError | None:
    """Return the error that refuses a draft; `seen` maps keys and ids of accepted drafts to ids."""
    memory = draft.memory
    if draft.dedup_key in existing:
        return existing[draft.dedup_key].duplicate()
    if draft.dedup_key in seen:
        return DuplicateError(seen[draft.dedup_key])
    if memory.memory_id and (memory.memory_id in existing or memory.memory_id in seen):
        return InvalidArgumentError("memory_id", memory.memory_id, "the id is taken; omit it")
    unfit = (
        _relation_error(draft.memory_id, position, relation)
        for position, relation in enumerate(memory.relationships)
    )
    return next((error for error in unfit if error), None)


def _relation_error(
    memory_id: str, position: int, relation: NewRelation
) -> InvalidArgumentError | None:
    """Return the error that refuses a relation of a new memory, or None."""
    where = f"relationships.{position}"
    if relation.relation_type is RelationType.SUPERSEDES:
        return InvalidArgumentError(
            f"{where}.relation_type",
            relation.relation_type,
            f"store the memory, then use {operation('mark_obsolete')} for the other one with "
            f"{argument('superseded_by')}",
        )
    error = relations.relation_error(memory_id, relation)
    return error and InvalidArgumentError(f"{where}.{error.argument}", error.value, error.expected)
