"""Count what was delivered, and let memories that are used stay awake."""

import asyncio
import gzip
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from graph_memory import decay, metrics
from graph_memory.errors import GraphMemoryError
from graph_memory.graph import Graph
from graph_memory.memories import instant
from graph_memory.settings import Settings

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Accessed:
    memory_id: str
    packed: bytes | None


class AccessLog:
    """Counts what was delivered, behind the read.

    A delivery that cannot be counted is logged and measured; the read never waits for it nor fails.
    """

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self._graph = graph
        self._settings = settings
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
            await record_access(self._graph, self._settings, memory_ids, group_id=group_id, now=now)
        except GraphMemoryError as error:
            metrics.access_failures.inc(len(memory_ids))
            _log.warning("%d accesses were not counted: %s", len(memory_ids), error)


async def record_access(
    graph: Graph, settings: Settings, memory_ids: Sequence[str], *, group_id: str, now: datetime
) -> list[str]:
    """Count an access to each memory, wake dormant and archived ones, and reset their decay.

    Under `typed_importance` the importance is first worn off, then added to.

    Returns:
        The ids counted; unknown and deleted ones are left out.
    """
    accessed = await graph.rows(
        "access/record",
        _Accessed,
        group_id=group_id,
        memory_ids=sorted(set(memory_ids)),
        now=instant(now),
        decay=decay.parameters(settings),
    )
    woken = {row.memory_id: gzip.decompress(row.packed) for row in accessed if row.packed}
    await unpack(graph, {id_: text.decode() for id_, text in woken.items()}, group_id=group_id)
    return [row.memory_id for row in accessed]


async def unpack(graph: Graph, contents: dict[str, str], *, group_id: str) -> None:
    """Put back whole the contents of memories that are compressed; others stay as they are."""
    if contents:
        rows = [{"memory_id": id_, "content": contents[id_]} for id_ in sorted(contents)]
        await graph.run("access/unpack", group_id=group_id, memories=rows)
