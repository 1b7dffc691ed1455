"""Storing new memories; a group holds each content once."""

import asyncio
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from graph_memory import metrics
from graph_memory.database.graph import UniquenessError
from graph_memory.decay import policies
from graph_memory.domain.attachments import attachments_json
from graph_memory.domain.encoding import default_title, group_key, metadata_json, summary
from graph_memory.domain.inputs import NewMemory
from graph_memory.domain.models import PossibleConflict, RelationType, Source
from graph_memory.domain.origin import Authority, Origin
from graph_memory.domain.properties import MEMORY_PROPERTIES
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import instant
from graph_memory.engine import Engine
from graph_memory.errors import (
    DuplicateError,
    GraphMemoryError,
    LimitExceededError,
    LinkError,
)
from graph_memory.inference.llm import Chat
from graph_memory.memories import pending, relations
from graph_memory.memories.classification import Rating, rate_new, weights
from graph_memory.memories.deduplication import (
    Checked,
    Draft,
    check_all,
    check_length,
    check_not_stored,
)
from graph_memory.memories.embeddings import vectors
from graph_memory.memories.neighbours import Statement, conflicts_of
from graph_memory.settings.base import Settings

#: Properties that hold an argument as it is, unless `_row` computes another value.
_STORED_AS_GIVEN = [each.name for each in fields(NewMemory) if each.name in MEMORY_PROPERTIES]


@dataclass(frozen=True, slots=True)
class AddResult:
    """The outcome for one of many memories: its id, or the error that refused it."""

    memory_id: str | None
    error: GraphMemoryError | None
    relations_created: int = 0
    link_error: LinkError | None = None  #: relations or a parent that a stored memory lacks
    #: Earlier memories that it may contradict, the highest score first, if they were asked for.
    possible_conflicts: tuple[PossibleConflict, ...] = ()
    masked: tuple[str, ...] = ()  #: kinds of the secrets that are masked in the stored content


@dataclass(frozen=True, slots=True)
class _Stored:
    memory_id: str
    stored_id: str


@dataclass(frozen=True, slots=True)
class _Created:
    stored: list[_Stored]
    made: list[str]


async def add_many(
    engine: Engine,
    scope: CallScope,
    memories: Sequence[NewMemory],
    *,
    chat: Chat | None = None,
    compare: bool = False,
    reviewed: bool = False,
) -> list[AddResult]:
    """Store memories of one group in a few round trips; a refused memory does not stop the others.

    Args:
        engine: The database, the model that embeds the contents, limits and defaults.
        scope: The tenant, which overrides the groups of the memories, and the instant.
        memories: The memories to store.
        chat: The language model that rates memories without an importance; None for no rating.
        compare: True to compare each memory with the earlier memories nearest to it.
        reviewed: True to let none wait for a review.

    Returns:
        One outcome per memory, in the order given.
    """
    drafts = [Draft.from_input(memory, scope.group_id, engine.settings) for memory in memories]
    try:
        outcomes = await _store(engine, scope, drafts, chat, compare, reviewed)
    except UniquenessError:
        # A concurrent writer took an id between the check and the write; a second check sees it.
        outcomes = await _store(engine, scope, drafts, chat, compare, reviewed)
    metrics.duplicates.inc(sum(isinstance(o.error, DuplicateError) for o in outcomes))
    return outcomes


def check_count(memories: Sequence[object], settings: Settings) -> None:
    """Raise `LimitExceededError` for more memories than `max_batch` allows in one call."""
    if len(memories) > settings.max_batch:
        raise LimitExceededError(
            "memories", len(memories), f"at most {settings.max_batch} fit into one call"
        )


async def content_properties(
    engine: Engine, content: str, memory_id: str, group_id: str
) -> dict[str, Any]:
    """Return the properties that depend on the content of a memory, for a new content.

    The tombstones of the group are checked by `tombstones.check`.
    """
    check_length(content, engine.settings)
    draft = Draft.from_input(NewMemory(content=content), group_id, engine.settings)
    await check_not_stored(engine.graph, draft.dedup_key, group_id, besides=memory_id)
    (embedded,) = await vectors(engine, [content])
    return {
        **_texts(content),
        "content_hash": draft.content_hash,
        "dedup_key": draft.dedup_key,
        **_with_model(embedded, engine),
    }


async def _store(
    engine: Engine,
    scope: CallScope,
    drafts: Sequence[Draft],
    chat: Chat | None,
    compare: bool,
    reviewed: bool,
) -> list[AddResult]:
    checked = await check_all(engine, drafts, scope.group_id)
    if not reviewed:
        checked = await _held(engine, scope, drafts, checked)
    accepted = [
        replace(draft, authority=_authority(scope.origin, draft.memory, each))
        for draft, each in zip(drafts, checked, strict=True)
        if not each.error
    ]
    created = await _create(engine, scope, accepted, chat, compare)
    results = [AddResult(None, each.error) if each.error else next(created) for each in checked]
    return [
        replace(result, link_error=each.link_error) if result.memory_id else result
        for result, each in zip(results, checked, strict=True)
    ]


async def _held(
    engine: Engine, scope: CallScope, drafts: Sequence[Draft], checked: Sequence[Checked]
) -> list[Checked]:
    """Keep the drafts that wait for a review, and return the outcomes with an error for each."""
    held: dict[int, pending.Held] = {}
    for position, (draft, each) in enumerate(zip(drafts, checked, strict=True)):
        authority = _authority(scope.origin, draft.memory, each)
        rule = each.rule or pending.rule_for(
            engine.settings, scope, authority, draft.memory.content
        )
        if rule and not each.error:
            held[position] = pending.Held(
                "add", draft.memory.content, draft.memory, authority, rule
            )
    errors = await pending.hold(engine.graph, scope, list(held.values()))
    outcomes = list(checked)
    for position, error in zip(held, errors, strict=True):
        outcomes[position] = Checked(error)
    return outcomes


def _authority(origin: Origin, memory: NewMemory, checked: Checked) -> Authority | None:
    """Return the authority of a new memory: the least of the caller's and those of its sources.

    The argument `source` may lower it, and never raises it.
    """
    said = (Authority.DERIVED,) if memory.source is Source.DERIVED else ()
    return origin.at_most(*said, *checked.sources).authority


async def _create(
    engine: Engine, scope: CallScope, drafts: Sequence[Draft], chat: Chat | None, compare: bool
) -> Iterator[AddResult]:
    if not drafts:
        return iter(())
    embedded = await vectors(engine, [draft.memory.content for draft in drafts])
    ratings = await rate_new(engine, chat, [draft.memory for draft in drafts])
    rows = [
        _row(engine, scope, draft, each, rating)
        for draft, each, rating in zip(drafts, embedded, ratings, strict=True)
    ]
    # The neighbours are read during the write: one after the other takes a quarter longer.
    created, conflicts = await asyncio.gather(
        _write(engine, scope, drafts, rows),
        asyncio.gather(
            *(
                conflicts_of(engine, scope, _statement(*each))
                for each in zip(drafts, rows, strict=True)
                if compare
            )
        ),
    )
    return _results(drafts, created, conflicts or [()] * len(drafts))


def _results(
    drafts: Sequence[Draft], created: _Created, conflicts: Sequence[Sequence[PossibleConflict]]
) -> Iterator[AddResult]:
    """Yield the result of each draft, with its conflicts."""
    stored = {row.memory_id: row.stored_id for row in created.stored}
    made = Counter(created.made)
    for draft, found in zip(drafts, conflicts, strict=True):
        if stored[draft.memory_id] != draft.memory_id:  # a concurrent writer stored it first
            yield AddResult(None, DuplicateError(stored[draft.memory_id]))
            continue
        yield AddResult(
            draft.memory_id,
            None,
            made[draft.memory_id],
            possible_conflicts=tuple(found),
            masked=draft.masked,
        )


async def _write(
    engine: Engine, scope: CallScope, drafts: Sequence[Draft], rows: Sequence[Mapping[str, Any]]
) -> _Created:
    """Store memories with their relations, in one transaction."""
    return await engine.graph.one(
        "memories/add/create",
        _Created,
        memories=rows,
        relations=[edge for draft in drafts for edge in _edges(draft)],
        graphiti_vectors=engine.settings.graphiti_vectors,
        decay=policies.parameters(engine.settings),
        **scope.parameters(),
        **scope.origin.parameters(),
    ) or _Created([], [])


def _statement(draft: Draft, row: Mapping[str, Any]) -> Statement:
    """Return what is compared of a new memory."""
    contradicted = [
        relation.target_id
        for relation in draft.memory.relationships
        if relation.relation_type is RelationType.CONTRADICTS
    ]
    return Statement(
        text=draft.memory.content,
        vector=row["embedding"],
        model=row["embedding_model"],
        valid_at=row["valid_at"],
        settled=[draft.memory_id, *contradicted],
    )


def _edges(draft: Draft) -> Iterator[dict[str, Any]]:
    """Yield the edges of the relations given with a memory."""
    for relation in draft.memory.relationships:
        for edge in relations.edges(draft.memory_id, relation):
            yield {**edge, "of_id": draft.memory_id}


def _row(
    engine: Engine,
    scope: CallScope,
    draft: Draft,
    embedded: Mapping[str, Any],
    rating: Rating | None,
) -> dict[str, Any]:
    """Return the properties of a new memory."""
    memory, settings = draft.memory, engine.settings
    created_at = instant(memory.created_at or scope.now)
    return {
        **{name: getattr(memory, name) for name in _STORED_AS_GIVEN},
        "memory_id": draft.memory_id,
        "dedup_key": draft.dedup_key,
        "content_hash": draft.content_hash,
        "group_key": group_key(scope.group_id),
        **_texts(memory.content, memory.title),
        "link_id": str(uuid.uuid4()),
        "parent_id": memory.parent_id,
        "metadata_json": metadata_json(memory.metadata),
        "attachments_json": attachments_json(memory.attachments),
        "tags": list(memory.tags),
        **weights(memory, rating, settings),
        "confidence": settings.confidence_default
        if memory.confidence is None
        else memory.confidence,
        "authority": draft.authority,
        "created_at": created_at,
        "valid_at": instant(memory.valid_at) if memory.valid_at else created_at,
        **_with_model(embedded, engine),
    }


def _with_model(embedded: Mapping[str, Any], engine: Engine) -> dict[str, Any]:
    """Return the vectors of a content with the name and width of their model."""
    return {
        **embedded,
        "embedding_model": engine.embedder.model,
        "embedding_dimension": engine.embedder.dimension,
    }


def _texts(content: str, title: str | None = None) -> dict[str, str]:
    """Return a content with its title and summary, which Graphiti and Neo4j Browser show."""
    return {
        "content": content,
        "name": title or default_title(content),
        "summary": summary(content),
    }
