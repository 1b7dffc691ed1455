"""Count what was delivered, and let memories that are used stay awake."""

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
from graph_memory.domain.timestamps import instant
from graph_memory.errors import GraphMemoryError
from graph_memory.settings.base import Settings

_log = logging.getLogger(__name__)

#: Deliveries are collected for so long after a write: what is delivered often is then written once.
_PAUSE_SECONDS = 2.0

#: Memories in one statement, which keeps them locked and a processor busy.
_BATCH = 200

#: After a statement nothing is counted for so many times as long, or until the pause is over: reads
#: come first, and what is delivered again meanwhile is counted together.
_REST = 19


@dataclass(frozen=True, slots=True)
class _Accessed:
    memory_id: str
    packed: str | None


@dataclass(slots=True)
class _Deliveries:
    """What was delivered of one group and is not counted yet."""

    latest: datetime
    hits: Counter[str] = field(default_factory=Counter[str])


class AccessLog:
    """Counts what was delivered, behind the read.

    One statement is on its way at a time, and what is delivered meanwhile and shortly after goes
    together into the next: so a hot memory costs one write however many readers it has, and writers
    do not meet in deadlocks. The busier it is, the later is counted, and the more at once. A
    delivery that cannot be counted is logged and measured; no read waits or fails.
    """

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self._graph = graph
        self._settings = settings
        self._pending: dict[str, _Deliveries] = {}
        self._behind = WriteBehind(self._write)

    def delivered(self, memory_ids: Sequence[str], *, group_id: str, now: datetime) -> None:
        """Count an access to each memory, soon."""
        if not memory_ids:
            return
        deliveries = self._pending.setdefault(group_id, _Deliveries(now))
        deliveries.latest = max(deliveries.latest, now)
        deliveries.hits.update(set(memory_ids))
        self._behind.wake()

    async def settled(self) -> None:
        """Count every delivery so far, now."""
        await self._behind.settled()

    async def _write(self) -> None:
        while self._pending:
            await self._behind.pause()
            collected, self._pending = self._pending, {}
            for group_id, deliveries in collected.items():
                ids = sorted(deliveries.hits)
                for batch in batched(ids, _BATCH):
                    await self._behind.pause()
                    hits = {id_: deliveries.hits[id_] for id_ in batch}
                    began = time.monotonic()
                    await self._count(group_id, hits, deliveries.latest)
                    taken = time.monotonic() - began
                    self._behind.rest(min(_PAUSE_SECONDS, _REST * taken))
            self._behind.rest(_PAUSE_SECONDS)

    async def _count(self, group_id: str, hits: Mapping[str, int], now: datetime) -> None:
        try:
            await record_accesses(self._graph, self._settings, hits, group_id=group_id, now=now)
        except GraphMemoryError as error:
            missed = sum(hits.values())
            metrics.access_failures.inc(missed)
            _log.warning("%d accesses were not counted: %s", missed, error)


async def record_accesses(
    graph: Graph, settings: Settings, hits: Mapping[str, int], *, group_id: str, now: datetime
) -> list[str]:
    """Count accesses to memories, wake dormant and archived ones, and reset their decay.

    Under `typed_importance` the importance is first worn off, then added to.

    Args:
        graph: Where they are.
        settings: The policies and their numbers.
        hits: How many accesses by id.
        group_id: The tenant.
        now: When the last of them was.

    Returns:
        The ids counted; unknown and deleted ones are left out.
    """
    accessed = await graph.rows(
        "memories/access/record",
        _Accessed,
        group_id=group_id,
        accesses=[{"memory_id": id_, "hits": hits[id_]} for id_ in sorted(hits)],
        now=instant(now),
        decay=policies.parameters(settings),
    )
    reactivated = {row.memory_id: decompress(row.packed) for row in accessed if row.packed}
    await restore_contents(graph, reactivated, group_id=group_id)
    return [row.memory_id for row in accessed]


async def restore_contents(graph: Graph, contents: dict[str, str], *, group_id: str) -> None:
    """Put back whole the contents of memories that are compressed; others stay as they are."""
    if contents:
        rows = [{"memory_id": id_, "content": contents[id_]} for id_ in sorted(contents)]
        await graph.run("memories/access/unpack", group_id=group_id, memories=rows)
