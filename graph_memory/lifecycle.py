"""What becomes of a memory: obsolete, preserved, recovered."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from graph_memory import decay
from graph_memory.errors import InvalidArgumentError, NotFoundError
from graph_memory.graph import Graph
from graph_memory.memories import Instant, LifecycleState, instant
from graph_memory.settings import Settings


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

    Raises:
        InvalidArgumentError: A memory is to supersede itself.
        NotFoundError: One of the memories is not in the group.
    """
    if superseded_by == memory_id:
        raise InvalidArgumentError("superseded_by", memory_id, "another memory than the obsolete")
    marked = await graph.one(
        "lifecycle/mark_obsolete",
        Obsolete,
        group_id=group_id,
        memory_id=memory_id,
        reason=reason,
        superseded_by=superseded_by,
        relation_id=str(uuid.uuid4()),
        now=instant(now),
        decay=decay.parameters(settings),
    )
    if marked is None:
        known = await graph.rows(
            "lifecycle/rivals", _Rival, group_id=group_id, memory_ids=[memory_id]
        )
        raise NotFoundError(superseded_by if known and superseded_by else memory_id, group_id)
    return marked


async def settle(
    graph: Graph, memory_ids: tuple[str, str], rule: Resolution, *, group_id: str
) -> tuple[str, str]:
    """Decide between two memories that contradict each other.

    `newer` goes by since when they are true, `stronger` by importance times confidence; ties go to
    the other rule, then to the greater id.

    Returns:
        The winner's id and the loser's.
    """
    rivals = await graph.rows(
        "lifecycle/rivals", _Rival, group_id=group_id, memory_ids=list(memory_ids)
    )

    def strength(rival: _Rival) -> tuple[object, ...]:
        newer, stronger = rival.since, rival.weight
        first = (newer, stronger) if rule is Resolution.NEWER else (stronger, newer)
        return (*first, rival.memory_id)

    loser, winner = sorted(rivals, key=strength)
    return winner.memory_id, loser.memory_id
