"""What happens to a memory after it was stored: access, and becoming obsolete."""

import asyncio
import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from graph_memory import metrics
from graph_memory.errors import GraphMemoryError, InvalidArgumentError, NotFoundError
from graph_memory.graph import Graph
from graph_memory.memories import Instant, LifecycleState, instant

_log = logging.getLogger(__name__)


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


class AccessLog:
    """Counts what was delivered, behind the read.

    A delivery that cannot be counted is logged and measured; the read never waits for it nor fails.
    """

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._pending: set[asyncio.Task[None]] = set()

    def delivered(self, memory_ids: Sequence[str], *, group_id: str, now: datetime) -> None:
        """Count an access to each memory, soon."""
        if memory_ids:
            task = asyncio.create_task(self._record(sorted(set(memory_ids)), group_id, now))
            self._pending.add(task)
            task.add_done_callback(self._pending.discard)

    async def settled(self) -> None:
        """Wait until every delivery so far is counted."""
        while self._pending:
            await asyncio.gather(*self._pending)

    async def _record(self, memory_ids: list[str], group_id: str, now: datetime) -> None:
        try:
            await record_access(self._graph, memory_ids, group_id=group_id, now=now)
        except GraphMemoryError as error:
            metrics.access_failures.inc(len(memory_ids))
            _log.warning("%d accesses were not counted: %s", len(memory_ids), error)


async def record_access(
    graph: Graph, memory_ids: Sequence[str], *, group_id: str, now: datetime
) -> list[str]:
    """Count an access to each memory, wake dormant and archived ones, and reset their decay.

    Returns:
        The ids counted; unknown and deleted ones are left out.
    """
    return await graph.rows(
        "lifecycle/record_access",
        str,
        group_id=group_id,
        memory_ids=sorted(set(memory_ids)),
        now=instant(now),
    )


async def mark_obsolete(
    graph: Graph,
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
