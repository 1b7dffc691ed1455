"""Tombstones: keyed hashes of rejected and erased statements, which are refused from then on.

A tombstone never holds the text. It outlives retention, maintenance, reindexing and restarts. It
also keeps hashes of the values of slots that the statement has. A text that states such a value in
other words waits for a review, if its group declares the slot.
"""

import re
import secrets as randomness
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.domain.batching import batched
from graph_memory.domain.encoding import StoredContent
from graph_memory.domain.scope import CallScope
from graph_memory.domain.statement import Fingerprint, fingerprint
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.engine import Engine
from graph_memory.errors import RejectedBeforeError, TombstoneNotFoundError
from graph_memory.memories.absent import not_found
from graph_memory.memories.read import complete_ids
from graph_memory.memories.slot_marks import asked_marks, marks_of, without_values
from graph_memory.settings.base import Settings
from graph_memory.wording import shown

_KEY_BYTES = 32

#: Hashes in one query of the full-text index; Lucene takes at most 1,024 words.
_LOOKED_UP = 1000

#: The first word of the rule by which a text with a rejected value waits for a review.
REJECTED_VALUE = "rejected_before"


#: The space between two sentences, as in summaries.
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?。！？])\s+")


class Cause(StrEnum):
    """The act that left a tombstone."""

    REJECTED = "rejected"
    ERASED = "erased"


@dataclass(frozen=True, slots=True)
class Tombstone:
    """A tombstone, without its hashes."""

    tombstone_id: str
    group_id: str
    reason: Cause
    note: str | None  #: the caller's reason
    created_at: Instant
    by: str  #: tool or command
    memory_id: str | None  #: the rejected memory; None if it was erased


@dataclass(frozen=True, slots=True)
class Rejected:
    """A rejected memory, and the end of the period in which it can be recovered."""

    memory_id: str
    recoverable_until: datetime


@dataclass(frozen=True, slots=True)
class Guard:
    """The protection of a group against what it has rejected.

    Attributes:
        guarded: Whether it has tombstones.
        secrets: The stored keys of hashes, hexadecimal.
        slots: The single-valued slots that it declares.
    """

    guarded: bool
    secrets: list[str]
    slots: list[str]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of the tombstones of a group on a text.

    Attributes:
        error: The error that refuses it: it is the statement of a tombstone, or a variant.
        rule: The rule by which it waits for a review: it states a rejected value in other words.
        without: The text without the sentences that state rejected values.
    """

    error: RejectedBeforeError | None = None
    rule: str | None = None
    without: str | None = None

    @property
    def objection(self) -> str | None:
        """The reason for which the text cannot be stored without a review; None if it can."""
        return str(self.error) if self.error else self.rule


@dataclass(frozen=True, slots=True)
class _Stored:
    uuid: str
    group_id: str
    key: str
    bucket: str
    sketch: list[int]
    reason: str
    note: str | None
    created_at: str
    by: str
    memory_id: str | None
    slots: list[str]

    def matches(self, given: Fingerprint) -> bool:
        kept = Fingerprint(self.key.removeprefix(f"{self.group_id}|"), "", tuple(self.sketch))
        return kept.resembles(given)

    def error(self) -> RejectedBeforeError:
        return RejectedBeforeError(self.uuid, self.reason, self.created_at, self.by, self.note)

    def rule(self, slot: str) -> str:
        because = f", because of {shown(self.note, 200)}" if self.note else ""
        return (
            f"{REJECTED_VALUE}: this value of {slot} was {self.reason} at {self.created_at} "
            f"by {self.by}{because}; tombstone {self.uuid}"
        )


@dataclass(frozen=True, slots=True)
class _Content:
    memory_id: str
    content: StoredContent


async def check(engine: Engine, group_id: str, content: str) -> str | None:
    """Return the rule by which a text waits for a review, if it states a rejected value.

    Raises:
        RejectedBeforeError: The group has rejected or erased the statement.
    """
    (judged,) = await judge_each(engine.graph, engine.settings, group_id, [content])
    if judged.error:
        raise judged.error
    return judged.rule


async def check_each(
    graph: Graph,
    settings: Settings,
    group_id: str,
    contents: Sequence[str],
    *,
    besides: str | None = None,
) -> list[RejectedBeforeError | None]:
    """Return the error for each statement that a group has rejected or erased, or None.

    Args:
        graph: The database.
        settings: The key, if it is set.
        group_id: The tenant.
        contents: The statements.
        besides: A memory whose own tombstones do not count.
    """
    guard = replace(await _guard(graph, group_id), slots=[])
    judged = await judge(graph, settings, guard, group_id, contents, besides=besides)
    return [each.error for each in judged]


async def judge_each(
    graph: Graph,
    settings: Settings,
    group_id: str,
    contents: Sequence[str],
    *,
    only: Collection[str] | None = None,
) -> list[Judgement]:
    """Return the judgement on each text, also of the values of slots that it states.

    With `only`, the other tombstones do not count.
    """
    guard = await _guard(graph, group_id)
    return await judge(graph, settings, guard, group_id, contents, only=only)


async def judge(
    graph: Graph,
    settings: Settings,
    guard: Guard,
    group_id: str,
    contents: Sequence[str],
    *,
    besides: str | None = None,
    only: Collection[str] | None = None,
) -> list[Judgement]:
    """Return the judgements as `judge_each` does; a group without tombstones needs no query.

    Args:
        graph: The database.
        settings: The key, if it is set.
        guard: The protection of the group.
        group_id: The tenant.
        contents: The texts.
        besides: A memory whose own tombstones do not count.
        only: Ids of the tombstones that count; None for all.
    """
    if not guard.guarded:
        return [Judgement()] * len(contents)
    secrets = _secrets(settings, guard.secrets)
    prints = [[fingerprint(content, secret) for secret in secrets] for content in contents]
    marks = [asked_marks(content, guard.slots, secrets) for content in contents]
    every = sorted({mark for asked in marks for mark in asked})
    flat = [each for several in prints for each in several]
    stored = await graph.rows(
        "memories/tombstones/find",
        _Stored,
        group_id=group_id,
        keys=[f"{group_id}|{each.key}" for each in flat],
        buckets=[f"{group_id}|{each.bucket}" for each in flat],
        marks=every,
        lookups=_lookups(every),
    )
    standing = [
        each
        for each in stored
        if (besides is None or each.memory_id != besides) and (only is None or each.uuid in only)
    ]
    judged: list[Judgement] = []
    for content, several, asked in zip(contents, prints, marks, strict=True):
        if error := _refusal(standing, several):
            judged.append(Judgement(error))
        elif rule := _rule(standing, asked):
            kept = {mark for each in standing for mark in each.slots}
            without = without_values(content, guard.slots, secrets, kept)
            judged.append(Judgement(rule=rule, without=without))
        else:
            judged.append(Judgement())
    return judged


def _lookups(marks: Sequence[str]) -> list[str]:
    """Return Lucene queries for the tombstones that have one of some hashes."""
    return [" ".join(some) for some in batched(marks, _LOOKED_UP)]


def _refusal(
    stored: Sequence[_Stored], prints: Sequence[Fingerprint]
) -> RejectedBeforeError | None:
    """Return the error for the first tombstone that a statement matches, or None."""
    matching = (each for each in stored if any(each.matches(given) for given in prints))
    return next((each.error() for each in matching), None)


def _rule(stored: Sequence[_Stored], asked: Mapping[str, str]) -> str | None:
    """Return the rule for the first tombstone with a value that a text states, or None."""
    matching = ((each, mark) for each in stored for mark in each.slots if mark in asked)
    return next((each.rule(asked[mark]) for each, mark in matching), None)


async def _guard(graph: Graph, group_id: str) -> Guard:
    guard = await graph.one("memories/tombstones/guarded", Guard, group_id=group_id)
    assert guard is not None  # noqa: S101 - the statement always returns a row
    return guard


async def without_refused(
    graph: Graph, settings: Settings, group_id: str, texts: Sequence[str]
) -> list[str]:
    """Return texts without the lines and sentences that the group has rejected or erased."""
    if not (await _guard(graph, group_id)).guarded:
        return list(texts)
    lines = {line for text in texts for line in text.split("\n")}
    parts = sorted(
        {part for line in lines for part in (line, *_BETWEEN_SENTENCES.split(line)) if part.strip()}
    )
    errors = await check_each(graph, settings, group_id, parts)
    refused = {part for part, error in zip(parts, errors, strict=True) if error}
    return [_without(text, refused) if refused else text for text in texts]


def _without(text: str, refused: set[str]) -> str:
    """Return a text without some of its lines and sentences; other lines stay as they are."""
    kept: list[str] = []
    for line in text.split("\n"):
        sentences = _BETWEEN_SENTENCES.split(line)
        left = [each for each in sentences if each not in refused]
        if len(left) == len(sentences):
            kept += [] if line in refused else [line]
        elif left and line not in refused:
            kept.append(" ".join(left))
    return "\n".join(kept)


async def allow_values(engine: Engine, group_id: str, content: str) -> None:
    """Let the values that an accepted text states wait no more, in any words.

    The tombstones stay, and refuse their statements as before.
    """
    guard = await _guard(engine.graph, group_id)
    secrets = _secrets(engine.settings, guard.secrets) if guard.guarded else []
    if marks := sorted(asked_marks(content, guard.slots, secrets)):
        await engine.graph.run(
            "memories/tombstones/allow_values",
            group_id=group_id,
            marks=marks,
            lookups=_lookups(marks),
        )


async def check_recovery(engine: Engine, group_id: str, memory_id: str) -> None:
    """Raise `RejectedBeforeError` if the statement of a deleted memory was rejected as another's.

    Tombstones that the memory itself left do not count: its recovery lifts them.
    """
    for each in await _contents(engine.graph, group_id, [memory_id]):
        (error,) = await check_each(
            engine.graph, engine.settings, group_id, [each.content], besides=memory_id
        )
        if error:
            raise error


async def reject(
    engine: Engine, scope: CallScope, memory_id: str, *, note: str | None = None
) -> Rejected:
    """Soft-delete a memory, and leave a tombstone of its statement.

    Args:
        engine: The database, and the settings of keys and retention.
        scope: The tenant and the instant.
        memory_id: The memory.
        note: The reason, for those whose writes are refused later.

    Raises:
        NotFoundError: The group has no such memory.
    """
    left = await rows_of(engine, scope, [memory_id], Cause.REJECTED, note)
    if not await delete_rejected(engine.graph, engine.settings, scope, [memory_id], left):
        raise await not_found(engine.graph, scope.group_id, memory_id)
    retention = timedelta(days=engine.settings.soft_delete_retention_days)
    return Rejected(memory_id, scope.now + retention)


async def delete_rejected(
    graph: Graph,
    settings: Settings,
    scope: CallScope,
    memory_ids: Sequence[str],
    left: Sequence[Mapping[str, Any]] = (),
) -> list[str]:
    """Soft-delete rejected memories, leave tombstones, and return the ids of those deleted."""
    return await graph.rows(
        "memories/tombstones/reject",
        str,
        memory_ids=list(memory_ids),
        tombstones=list(left),
        decay=policies.parameters(settings, by=str(scope.origin)),
        **scope.parameters(),
    )


async def rows_of(
    engine: Engine,
    scope: CallScope,
    memory_ids: Sequence[str],
    cause: Cause,
    note: str | None = None,
) -> list[dict[str, Any]]:
    """Return the tombstones to store for memories, deleted ones included, as maps."""
    found = await _contents(engine.graph, scope.group_id, memory_ids)
    contents = {each.memory_id: each.content for each in found}
    return await rows_of_texts(engine, scope, contents, cause, note)


async def rows_of_texts(
    engine: Engine,
    scope: CallScope,
    contents: Mapping[str, str],
    cause: Cause,
    note: str | None = None,
) -> list[dict[str, Any]]:
    """Return the tombstones to store for statements, by the id of what holds each, as maps."""
    if not contents:
        return []
    secret = await _secret(engine.graph.of(scope.group_id), engine.settings)
    return [
        {"memory_id": holder, **_row(scope, content, secret, cause, note)}
        for holder, content in contents.items()
    ]


def _row(
    scope: CallScope, content: str, secret: bytes, cause: Cause, note: str | None
) -> dict[str, Any]:
    made = fingerprint(content, secret)
    return {
        "uuid": str(uuid.uuid4()),
        "key": f"{scope.group_id}|{made.key}",
        "bucket": f"{scope.group_id}|{made.bucket}",
        "sketch": list(made.sketch),
        "slots": marks_of(content, secret),
        "reason": cause.value,
        "note": note,
        "created_at": instant(scope.now),
        "by": str(scope.origin),
    }


async def _contents(graph: Graph, group_id: str, memory_ids: Sequence[str]) -> list[_Content]:
    return await graph.rows(
        "memories/tombstones/contents", _Content, group_id=group_id, memory_ids=list(memory_ids)
    )


async def list_all(graph: Graph, group_id: str, limit: int) -> list[Tombstone]:
    """List the tombstones of a group, the latest first."""
    return await graph.rows("memories/tombstones/list", Tombstone, group_id=group_id, limit=limit)


async def lift(graph: Graph, group_id: str, tombstone_id: str) -> Tombstone:
    """Delete the tombstone that an id is of, or the beginning of an id, and return it.

    Raises:
        AmbiguousIdError: Several tombstones have ids that begin so.
        TombstoneNotFoundError: The group has no such tombstone.
    """
    whole = await complete_ids(
        [graph],
        {"tombstone_id": tombstone_id},
        group_id=group_id,
        statement="memories/tombstones/ids",
    )
    lifted = await graph.one("memories/tombstones/lift", Tombstone, group_id=group_id, **whole)
    if lifted is None:
        raise TombstoneNotFoundError(tombstone_id, group_id)
    return lifted


async def forget(graph: Graph, group_id: str) -> None:
    """Delete the tombstones of a group."""
    await graph.run("memories/tombstones/forget", group_id=group_id)


async def _secret(graph: Graph, settings: Settings) -> bytes:
    """Return the key of new hashes: the one of the settings, or of the database."""
    if given := settings.tombstone_key.get_secret_value():
        return given.encode()
    fresh = randomness.token_hex(_KEY_BYTES)
    stored = await graph.one("memories/tombstones/secret", str, fresh=fresh)
    return bytes.fromhex(stored or fresh)


def _secrets(settings: Settings, stored: Sequence[str]) -> list[bytes]:
    """Return all keys that hashes may be of."""
    given = settings.tombstone_key.get_secret_value()
    own = [given.encode()] if given else []
    return [*own, *(bytes.fromhex(each) for each in stored)]
