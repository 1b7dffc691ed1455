"""Count what was delivered, and let memories that are used stay awake."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graph_memory import decay, metrics
from graph_memory.errors import GraphMemoryError
from graph_memory.graph import Graph
from graph_memory.memories import instant, unpacked
from graph_memory.settings import Settings

_log = logging.getLogger(__name__)

#: Deliveries are collected for so long after a write: most of what a write costs is that it is one.
_PAUSE_SECONDS = 0.5


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
    do not meet in deadlocks. A delivery that cannot be counted is logged and measured; no read
    waits or fails.
    """

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self._graph = graph
        self._settings = settings
        self._pending: dict[str, _Deliveries] = {}
        self._writer: asyncio.Task[None] | None = None
        self._written_at = -_PAUSE_SECONDS

    def delivered(self, memory_ids: Sequence[str], *, group_id: str, now: datetime) -> None:
        """Count an access to each memory, soon."""
        if not memory_ids:
            return
        deliveries = self._pending.setdefault(group_id, _Deliveries(now))
        deliveries.latest = max(deliveries.latest, now)
        deliveries.hits.update(set(memory_ids))
        if self._writer is None or self._writer.done():
            self._writer = asyncio.create_task(self._write())

    async def settled(self) -> None:
        """Wait until every delivery so far is counted."""
        while self._writer is not None and not self._writer.done():
            await self._writer

    async def _write(self) -> None:
        while self._pending:
            await asyncio.sleep(self._written_at + _PAUSE_SECONDS - time.monotonic())
            collected, self._pending = self._pending, {}
            for group_id, deliveries in collected.items():
                await self._count(group_id, deliveries)
            self._written_at = time.monotonic()

    async def _count(self, group_id: str, deliveries: _Deliveries) -> None:
        try:
            await record_accesses(
                self._graph,
                self._settings,
                deliveries.hits,
                group_id=group_id,
                now=deliveries.latest,
            )
        except GraphMemoryError as error:
            metrics.access_failures.inc(deliveries.hits.total())
            _log.warning("%d accesses were not counted: %s", deliveries.hits.total(), error)


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
        "access/record",
        _Accessed,
        group_id=group_id,
        accesses=[{"memory_id": id_, "hits": hits[id_]} for id_ in sorted(hits)],
        now=instant(now),
        decay=decay.parameters(settings),
    )
    woken = {row.memory_id: unpacked(row.packed) for row in accessed if row.packed}
    await unpack(graph, woken, group_id=group_id)
    return [row.memory_id for row in accessed]


async def unpack(graph: Graph, contents: dict[str, str], *, group_id: str) -> None:
    """Put back whole the contents of memories that are compressed; others stay as they are."""
    if contents:
        rows = [{"memory_id": id_, "content": contents[id_]} for id_ in sorted(contents)]
        await graph.run("access/unpack", group_id=group_id, memories=rows)
