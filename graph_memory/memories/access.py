"""Accesses to memories: counted behind the read, they reset decay and reactivate memories."""

import logging
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graph_memory import metrics
from graph_memory.database.graph import Graph
from graph_memory.database.write_behind import WriteBehind
from graph_memory.decay import policies
from graph_memory.domain.batching import batched
from graph_memory.domain.encoding import decompress
from graph_memory.domain.models import LifecycleState
from graph_memory.domain.scope import CallScope
from graph_memory.engine import Engine
from graph_memory.errors import GraphMemoryError, SchemaError

_log = logging.getLogger(__name__)

#: Cool-down after a write. Deliveries collect during it, so a hot memory is written once.
_PAUSE_SECONDS = 2.0

#: Memories per statement, which locks them and keeps a processor busy.
_BATCH = 200

#: Cool-down after a statement as a multiple of its duration, at most `_PAUSE_SECONDS`: reads come
#: first, and repeated deliveries are counted together.
_REST = 19


@dataclass(frozen=True, slots=True)
class Touched:
    """A memory whose access was counted."""

    memory_id: str
    state: LifecycleState  #: after the access

    @property
    def hint(self) -> str | None:
        """The calls that make an EXPIRED memory ACTIVE, in a sentence; None for other states."""
        if self.state is not LifecycleState.EXPIRED:
            return None
        return (
            "It stays EXPIRED: an access does not wake it, and the next run deletes it, unless it "
            "is obsolete. Preserve or update it to wake it; recover it once it is deleted."
        )


@dataclass(frozen=True, slots=True)
class _Accessed:
    memory_id: str
    state: LifecycleState
    packed: str | None


@dataclass(slots=True)
class _Deliveries:
    """Deliveries of one group that are not counted yet."""

    latest: datetime
    hits: Counter[str] = field(default_factory=Counter[str])


class AccessLog:
    """A write-behind log of accesses.

    One statement runs at a time. Deliveries during it and shortly after go into the next one, so a
    hot memory costs one write for any number of readers, and writers cannot deadlock. Under load,
    counting happens later and in larger batches. A delivery that cannot be counted is logged and
    measured; no read waits or fails.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._pending: dict[str, _Deliveries] = {}
        self._behind = WriteBehind(self._write)

    def delivered(self, scope: CallScope, memory_ids: Sequence[str]) -> None:
        """Schedule the count of an access to each memory."""
        if not memory_ids:
            return
        deliveries = self._pending.setdefault(scope.group_id, _Deliveries(scope.now))
        deliveries.latest = max(deliveries.latest, scope.now)
        deliveries.hits.update(set(memory_ids))
        self._behind.schedule()

    async def flush(self) -> None:
        """Count all deliveries so far, and wait until that is done."""
        await self._behind.flush()

    async def _write(self) -> None:
        while self._pending:
            await self._behind.wait_for_cooldown()
            collected, self._pending = self._pending, {}
            for group_id, deliveries in collected.items():
                ids = sorted(deliveries.hits)
                for batch in batched(ids, _BATCH):
                    await self._behind.wait_for_cooldown()
                    hits = {id_: deliveries.hits[id_] for id_ in batch}
                    began = time.monotonic()
                    await self._count(CallScope(group_id, deliveries.latest), hits)
                    taken = time.monotonic() - began
                    self._behind.start_cooldown(min(_PAUSE_SECONDS, _REST * taken))
            self._behind.start_cooldown(_PAUSE_SECONDS)

    async def _count(self, scope: CallScope, hits: Mapping[str, int]) -> None:
        try:
            await record_accesses(self._engine, scope, hits)
        except GraphMemoryError as error:
            if isinstance(error, SchemaError) and len(hits) > 1:
                # Another client has damaged one of the memories; the others are counted.
                ids = list(hits)
                for half in (ids[: len(ids) // 2], ids[len(ids) // 2 :]):
                    await self._count(scope, {id_: hits[id_] for id_ in half})
                return
            missed = sum(hits.values())
            metrics.access_failures.inc(missed)
            _log.warning("Cannot count %d accesses: %s", missed, error)


async def record_accesses(
    engine: Engine, scope: CallScope, hits: Mapping[str, int]
) -> list[Touched]:
    """Count accesses to memories, reactivate dormant and archived ones, and reset their decay.

    Under `typed_importance` the decay so far is first applied to the importance, then the accesses
    are added.

    Args:
        engine: The database, and the policies with their numbers.
        scope: The tenant, and the instant of the last access.
        hits: Number of accesses by memory id.

    Returns:
        The memories counted, without unknown and deleted ones.
    """
    accessed = await engine.graph.rows(
        "memories/access/record",
        _Accessed,
        accesses=[{"memory_id": id_, "hits": hits[id_]} for id_ in sorted(hits)],
        decay=policies.parameters(engine.settings, by="access"),
        **scope.parameters(),
    )
    reactivated = {row.memory_id: decompress(row.packed) for row in accessed if row.packed}
    await restore_contents(engine.graph, reactivated, group_id=scope.group_id)
    return [Touched(row.memory_id, row.state) for row in accessed]


async def restore_contents(graph: Graph, contents: dict[str, str], *, group_id: str) -> None:
    """Store the whole contents of memories that are compressed; others stay as they are."""
    if contents:
        rows = [{"memory_id": id_, "content": contents[id_]} for id_ in sorted(contents)]
        await graph.run("memories/access/unpack", group_id=group_id, memories=rows)
