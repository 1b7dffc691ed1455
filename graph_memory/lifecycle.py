"""What happens to a memory after it was stored: access."""

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime

from graph_memory import metrics
from graph_memory.errors import GraphMemoryError
from graph_memory.graph import Graph
from graph_memory.memories import instant

_log = logging.getLogger(__name__)


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
