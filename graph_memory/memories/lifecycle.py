"""Transitions that a caller asks for: obsolete, preserved, released, recovered."""

import json
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from graph_memory.database.graph import Graph, UniquenessError
from graph_memory.decay import policies
from graph_memory.decay.status import DecayStatus
from graph_memory.domain.encoding import decompress
from graph_memory.domain.models import LifecycleState
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.engine import Engine
from graph_memory.errors import (
    InvalidArgumentError,
    NotFoundError,
    NotSoftDeletedError,
    OutsideRecoveryWindowError,
)
from graph_memory.memories import tombstones
from graph_memory.memories.absent import not_found
from graph_memory.memories.access import restore_contents
from graph_memory.memories.deduplication import check_not_stored, dedup_key
from graph_memory.memories.standing import require_standing
from graph_memory.ranking.profiles import importance_parameters
from graph_memory.wording import argument


class Resolution(StrEnum):
    """The rule that decides which of two contradicting memories supersedes the other."""

    NEWER = "newer"
    STRONGER = "stronger"


@dataclass(frozen=True, slots=True)
class Obsolete:
    """A memory that was marked obsolete."""

    memory_id: str
    state: LifecycleState
    obsolete_at: Instant
    invalid_at: Instant | None


@dataclass(frozen=True, slots=True)
class Marked:
    """The outcome of marking a memory obsolete; `refused` is the reason if nothing was changed."""

    memory_id: str
    state: LifecycleState
    obsolete_at: Instant | None
    invalid_at: Instant | None
    refused: str | None
    holder: str | None
    since: str | None
    again: bool

    def error(self, superseded_by: str) -> InvalidArgumentError:
        """Return the error that names why the successor is refused, with a remedy."""
        current = f"'{self.holder}' is the current one"
        match self.refused:
            case "ahead":
                expected = f"it is true only from {self.since} on; supersede the other then"
            case "settled":
                expected = f"the other is superseded already; {current}"
            case _ if self.holder:
                expected = f"it is obsolete itself; {current}"
            case _:
                expected = "it has expired itself; update it first, or name the current memory"
        return InvalidArgumentError("superseded_by", superseded_by, expected)


@dataclass(frozen=True, slots=True)
class Deletion:
    """The record of a past deletion."""

    soft_deleted_at: Instant | None
    content_hash: str
    purged: bool


@dataclass(frozen=True, slots=True)
class Reactivated:
    """A reactivated memory, and its content if it is still compressed."""

    memory_id: str
    packed: str | None


@dataclass(frozen=True, slots=True)
class _Recovered(Reactivated):
    """A recovered memory, and the ids of the tombstones that its rejection had left."""

    lifted: list[str]


@dataclass(frozen=True, slots=True)
class _Rival:
    memory_id: str
    since: datetime
    weight: float


async def mark_obsolete(
    engine: Engine,
    scope: CallScope,
    memory_id: str,
    reason: str,
    *,
    superseded_by: str | None = None,
) -> Obsolete:
    """Mark a memory obsolete for a reason; a memory that supersedes it also ends its validity.

    A memory that is obsolete already keeps its end; the same successor may be named again.

    Raises:
        InvalidArgumentError: The successor is the memory itself, is not true now, or differs from
            the current successor.
        NotFoundError: One of the memories is not in the group.
    """
    if superseded_by == memory_id:
        raise InvalidArgumentError(
            "superseded_by", memory_id, "it must differ from the obsolete memory"
        )
    marked = await _mark(engine, scope, memory_id, reason, superseded_by)
    if marked.obsolete_at is None:
        raise marked.error(superseded_by or "")
    return Obsolete(marked.memory_id, marked.state, marked.obsolete_at, marked.invalid_at)


async def supersede(
    engine: Engine, scope: CallScope, memory_id: str, superseded_by: str, reason: str
) -> bool:
    """Mark a memory obsolete like `mark_obsolete`; return False if it was superseded before.

    Raises:
        InvalidArgumentError: The successor is not true now, or differs from the current successor.
        NotFoundError: One of the memories is not in the group.
    """
    return not (await _mark(engine, scope, memory_id, reason, superseded_by)).again


async def _mark(
    engine: Engine, scope: CallScope, memory_id: str, reason: str, superseded_by: str | None
) -> Marked:
    await require_standing(engine, scope, [memory_id])
    marked = await engine.graph.one(
        "memories/lifecycle/mark_obsolete",
        Marked,
        memory_id=memory_id,
        reason=reason,
        superseded_by=superseded_by,
        relation_id=str(uuid.uuid4()),
        decay=policies.parameters(engine.settings, by=str(scope.origin))
        | {"because": json.dumps(reason)},
        **scope.parameters(),
        **scope.origin.parameters(),
    )
    if marked is None:
        known = await engine.graph.rows(
            "memories/lifecycle/rivals", _Rival, group_id=scope.group_id, memory_ids=[memory_id]
        )
        missing = superseded_by if known and superseded_by else memory_id
        raise await not_found(engine.graph, scope.group_id, missing)
    if marked.refused:
        raise marked.error(superseded_by or "")
    return marked


async def preserve(
    engine: Engine,
    scope: CallScope,
    memory_id: str,
    *,
    until: datetime | None = None,
    release: bool = False,
) -> DecayStatus:
    """Protect a memory from decay, permanently or through `until`, or release it.

    A protected memory is reactivated, even if it was expired or obsolete. A released one may still
    be protected by a tag, or by its importance and stability.

    Raises:
        InvalidArgumentError: `until` has passed, or is given with `release`.
        NotFoundError: The group has no such memory.
    """
    if until is not None and (release or until < scope.now):
        raise InvalidArgumentError(
            "until",
            instant(until),
            f"it must be in the future, and absent with {argument('release')}",
        )
    common: dict[str, Any] = {
        **scope.parameters(),
        "memory_id": memory_id,
        "decay": policies.parameters(engine.settings, by=str(scope.origin)),
    }
    if release:
        found = await engine.graph.one("memories/lifecycle/release", str, **common)
    else:
        found = await engine.graph.one(
            "memories/lifecycle/preserve",
            Reactivated,
            until=instant(until) if until else None,
            **common,
        )
        await _restore_content(engine.graph, found, scope.group_id)
    if not found:
        raise await not_found(engine.graph, scope.group_id, memory_id)
    return await status(engine, scope, memory_id)


async def recover(engine: Engine, scope: CallScope, memory_id: str) -> list[str]:
    """Undo a deletion: the memory is ACTIVE, as if accessed now, with its relations as before.

    Returns:
        The ids of the tombstones that its rejection had left, and that are lifted now.

    Raises:
        DuplicateError: Its content was stored again after the deletion.
        NotFoundError: The group has no such memory.
        NotSoftDeletedError: It is not deleted.
        OutsideRecoveryWindowError: The retention has passed.
        RejectedBeforeError: Another memory with its statement was rejected or erased.
    """
    await tombstones.check_recovery(engine, scope.group_id, memory_id)
    graph, group_id = engine.graph, scope.group_id
    try:
        found = await graph.one(
            "memories/lifecycle/recover",
            _Recovered,
            memory_id=memory_id,
            decay=policies.parameters(engine.settings, by=str(scope.origin)),
            **scope.parameters(),
        )
    except UniquenessError:
        deletion = await _deletion(graph, memory_id, group_id)
        if deletion:
            await check_not_stored(graph, dedup_key(group_id, deletion.content_hash), group_id)
        raise
    await _restore_content(graph, found, group_id)
    if found:
        return found.lifted
    deletion = await _deletion(graph, memory_id, group_id)
    if deletion is None:
        raise NotFoundError(memory_id, group_id)
    if deletion.soft_deleted_at is None:
        raise NotSoftDeletedError(memory_id)
    retention = timedelta(days=engine.settings.soft_delete_retention_days)
    raise OutsideRecoveryWindowError(memory_id, instant(deletion.soft_deleted_at + retention))


async def status(engine: Engine, scope: CallScope, memory_id: str) -> DecayStatus:
    """Return the decay of a memory, its cause, and the next transition with its date.

    Raises:
        NotFoundError: The group has no such memory.
    """
    found = await engine.graph.one(
        "memories/lifecycle/status",
        DecayStatus,
        memory_id=memory_id,
        decay=policies.parameters(engine.settings, by=str(scope.origin)),
        **importance_parameters(),
        **scope.parameters(),
    )
    if found is None:
        raise await not_found(engine.graph, scope.group_id, memory_id)
    return found


async def _deletion(graph: Graph, memory_id: str, group_id: str) -> Deletion | None:
    return await graph.one(
        "memories/lifecycle/deletion", Deletion, group_id=group_id, memory_id=memory_id
    )


async def _restore_content(graph: Graph, reactivated: Reactivated | None, group_id: str) -> None:
    if reactivated and reactivated.packed:
        content = {reactivated.memory_id: decompress(reactivated.packed)}
        await restore_contents(graph, content, group_id=group_id)


async def resolve_contradiction(
    graph: Graph, memory_ids: tuple[str, str], rule: Resolution, *, group_id: str
) -> tuple[str, str]:
    """Decide which of two contradicting memories supersedes the other.

    `newer` compares the starts of their validity, `stronger` importance * confidence. The other
    rule breaks a tie, then the greater id.

    Returns:
        The ids of the winner and the loser.

    Raises:
        NotFoundError: A memory was deleted in between.
    """
    rivals = await graph.rows(
        "memories/lifecycle/rivals", _Rival, group_id=group_id, memory_ids=list(memory_ids)
    )
    for missing in set(memory_ids) - {rival.memory_id for rival in rivals}:
        raise await not_found(graph, group_id, missing)

    def strength(rival: _Rival) -> tuple[object, ...]:
        newer, stronger = rival.since, rival.weight
        first = (newer, stronger) if rule is Resolution.NEWER else (stronger, newer)
        return (*first, rival.memory_id)

    loser, winner = sorted(rivals, key=strength)
    return winner.memory_id, loser.memory_id
