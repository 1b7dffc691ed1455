"""What becomes of a memory: obsolete, preserved, recovered."""

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
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.errors import (
    InvalidArgumentError,
    NotFoundError,
    NotSoftDeletedError,
    OutsideRecoveryWindowError,
)
from graph_memory.memories.access import restore_contents
from graph_memory.memories.deduplication import check_not_stored, dedup_key
from graph_memory.settings.base import Settings


class Resolution(StrEnum):
    """Which of two memories that contradict each other supersedes the other."""

    NEWER = "newer"
    STRONGER = "stronger"


@dataclass(frozen=True, slots=True)
class Obsolete:
    """A memory that no longer holds."""

    memory_id: str
    state: LifecycleState
    obsolete_at: Instant
    invalid_at: Instant | None


@dataclass(frozen=True, slots=True)
class _Marked:
    memory_id: str
    state: LifecycleState
    obsolete_at: Instant | None
    invalid_at: Instant | None
    refused: str | None
    holder: str | None
    since: str | None

    def error(self, superseded_by: str) -> InvalidArgumentError:
        """Say why the one that was named cannot supersede, and what to do."""
        instead = f"'{self.holder}' holds instead"
        match self.refused:
            case "ahead":
                expected = f"it holds only from {self.since}; supersede the other then"
            case "settled":
                expected = f"the other is superseded already; {instead}"
            case _ if self.holder:
                expected = f"it is obsolete itself; {instead}"
            case _:
                expected = "it has expired itself; update it first, or name the one that holds"
        return InvalidArgumentError("superseded_by", superseded_by, expected)


@dataclass(frozen=True, slots=True)
class Deletion:
    """A deletion that was."""

    soft_deleted_at: Instant | None
    content_hash: str
    purged: bool


@dataclass(frozen=True, slots=True)
class Reactivated:
    """A memory that woke, and its content if it is still compressed."""

    memory_id: str
    packed: str | None


@dataclass(frozen=True, slots=True)
class _Rival:
    memory_id: str
    since: datetime
    weight: float


async def mark_obsolete(
    graph: Graph,
    settings: Settings,
    memory_id: str,
    reason: str,
    *,
    superseded_by: str | None = None,
    group_id: str,
    now: datetime,
) -> Obsolete:
    """Expire a memory for a reason; one that supersedes it also ends its validity.

    One that is obsolete already keeps its end; the same winner may be named again.

    Raises:
        InvalidArgumentError: A memory is to supersede itself, or that does not hold, or not yet,
            or another holds already.
        NotFoundError: One of the memories is not in the group.
    """
    if superseded_by == memory_id:
        raise InvalidArgumentError("superseded_by", memory_id, "another memory than the obsolete")
    marked = await graph.one(
        "memories/lifecycle/mark_obsolete",
        _Marked,
        group_id=group_id,
        memory_id=memory_id,
        reason=reason,
        superseded_by=superseded_by,
        relation_id=str(uuid.uuid4()),
        now=instant(now),
        decay=policies.parameters(settings) | {"because": json.dumps(reason)},
    )
    if marked is None:
        known = await graph.rows(
            "memories/lifecycle/rivals", _Rival, group_id=group_id, memory_ids=[memory_id]
        )
        raise NotFoundError(superseded_by if known and superseded_by else memory_id, group_id)
    if marked.refused or marked.obsolete_at is None:
        raise marked.error(superseded_by or "")
    return Obsolete(marked.memory_id, marked.state, marked.obsolete_at, marked.invalid_at)


async def preserve(
    graph: Graph,
    settings: Settings,
    memory_id: str,
    *,
    until: datetime | None = None,
    release: bool = False,
    group_id: str,
    now: datetime,
) -> DecayStatus:
    """Keep a memory from fading, for good or through `until`, and wake it; or release it.

    What was expired or obsolete is so no more. A tag, or importance with stability, may keep a
    memory that was released.

    Raises:
        InvalidArgumentError: `until` has passed, or is given with `release`.
        NotFoundError: There is no such memory.
    """
    if until is not None and (release or until < now):
        raise InvalidArgumentError(
            "until", instant(until), "a date to come, and none with release; leave it out"
        )
    common: dict[str, Any] = {
        "group_id": group_id,
        "memory_id": memory_id,
        "now": instant(now),
        "decay": policies.parameters(settings),
    }
    if release:
        found = await graph.one("memories/lifecycle/release", str, **common)
    else:
        found = await graph.one(
            "memories/lifecycle/preserve",
            Reactivated,
            until=instant(until) if until else None,
            **common,
        )
        await _restore_content(graph, found, group_id)
    if not found:
        raise NotFoundError(memory_id, group_id)
    return await status(graph, settings, memory_id, group_id=group_id, now=now)


async def recover(
    graph: Graph, settings: Settings, memory_id: str, *, group_id: str, now: datetime
) -> None:
    """Take back a deletion; the memory is ACTIVE, as accessed now, its relations as before.

    Raises:
        DuplicateError: Its content was stored anew meanwhile.
        NotFoundError: There is no such memory.
        NotSoftDeletedError: It is not deleted.
        OutsideRecoveryWindowError: It was deleted too long ago.
    """
    try:
        found = await graph.one(
            "memories/lifecycle/recover",
            Reactivated,
            group_id=group_id,
            memory_id=memory_id,
            now=instant(now),
            decay=policies.parameters(settings),
        )
    except UniquenessError:
        deletion = await _deletion(graph, memory_id, group_id)
        if deletion:
            await check_not_stored(graph, dedup_key(group_id, deletion.content_hash), group_id)
        raise
    await _restore_content(graph, found, group_id)
    if found:
        return
    deletion = await _deletion(graph, memory_id, group_id)
    if deletion is None:
        raise NotFoundError(memory_id, group_id)
    if deletion.soft_deleted_at is None:
        raise NotSoftDeletedError(memory_id)
    retention = timedelta(days=settings.soft_delete_retention_days)
    raise OutsideRecoveryWindowError(memory_id, instant(deletion.soft_deleted_at + retention))


async def status(
    graph: Graph, settings: Settings, memory_id: str, *, group_id: str, now: datetime
) -> DecayStatus:
    """Tell how far a memory has faded, why, and what a run will next do to it and when.

    Raises:
        NotFoundError: There is no such memory.
    """
    found = await graph.one(
        "memories/lifecycle/status",
        DecayStatus,
        group_id=group_id,
        memory_id=memory_id,
        now=instant(now),
        decay=policies.parameters(settings),
    )
    if found is None:
        raise NotFoundError(memory_id, group_id)
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
    """Decide between two memories that contradict each other.

    `newer` goes by since when they are true, `stronger` by importance times confidence; ties go to
    the other rule, then to the greater id.

    Returns:
        The winner's id and the loser's.

    Raises:
        NotFoundError: One of them was deleted meanwhile.
    """
    rivals = await graph.rows(
        "memories/lifecycle/rivals", _Rival, group_id=group_id, memory_ids=list(memory_ids)
    )
    for missing in set(memory_ids) - {rival.memory_id for rival in rivals}:
        raise NotFoundError(missing, group_id)

    def strength(rival: _Rival) -> tuple[object, ...]:
        newer, stronger = rival.since, rival.weight
        first = (newer, stronger) if rule is Resolution.NEWER else (stronger, newer)
        return (*first, rival.memory_id)

    loser, winner = sorted(rivals, key=strength)
    return winner.memory_id, loser.memory_id
