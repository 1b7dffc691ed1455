"""Services of a `GraphMemory` for servers: readiness, warm-up, metrics."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from graph_memory.backup import schedule
from graph_memory.context import Context
from graph_memory.database.graph import Graph
from graph_memory.database.indexes import missing_indexes
from graph_memory.diagnostics import database_metrics
from graph_memory.domain.scope import CallScope
from graph_memory.errors import GraphMemoryError
from graph_memory.maintenance.reembedding import add_passages
from graph_memory.search import search

_READY_SECONDS = 5
_NO_ANSWER = f"no answer within {_READY_SECONDS} s"
_WARM_UP_SEARCHES = 30
_WARM_UP_SECONDS = 5  # a busy machine starts all the same

_log = logging.getLogger(__name__)


class ServingApi:
    """The part of a `GraphMemory` for servers: `memory.serving`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def missing(self) -> dict[str, Any]:
        """Return the parts that are not ready, with the reason for each; empty when all are ready.

        The parts are `schema`, `neo4j`, `embedder` and `cross_encoder`.
        """
        context = self._context
        missing: dict[str, Any] = {}
        try:
            async with asyncio.timeout(_READY_SECONDS):
                if indexes := await missing_indexes(context.graph):
                    missing["schema"] = indexes
        except GraphMemoryError as error:
            missing["neo4j"] = str(error)
        except TimeoutError:
            missing["neo4j"] = _NO_ANSWER
        if not context.embedder.loaded:
            missing["embedder"] = f"{context.settings.embedding_model} is not loaded"
        if (cross := context.embedder.cross_encoder) and not cross.loaded:
            missing["cross_encoder"] = f"{cross.name} is not loaded"
        return missing

    async def unavailable_servers(self) -> dict[str, str]:
        """Return the servers of the placement file that cannot be used, with the reason for each.

        Only calls for their groups fail. The configured database is not among them: see `missing`.
        """
        others = self._context.servers[1:]
        reasons = await asyncio.gather(*(_unavailable(each.graph) for each in others))
        named = zip((each.graph.name for each in others), reasons, strict=True)
        return {name: reason for name, reason in named if reason}

    async def warm_up(self) -> None:
        """Load the models, and run searches so that Neo4j compiles its query plans.

        The searches use the words and the group of the memory that was used last: a search without
        results compiles little, and the first caller would wait for seconds. No access is counted.
        """
        try:
            await self._context.embedder.load_all()
        except GraphMemoryError as error:
            _log.warning("Searches do not work yet: %s", error)
            return
        await asyncio.gather(*map(_warm_up, self._context.servers))

    async def add_passages(self) -> None:
        """Add the passages of long memories to a store of an earlier version.

        Until that is done, such memories are found by their beginning and words alone.
        """
        for each in self._context.servers:
            try:
                await add_passages(each)
            except GraphMemoryError as error:
                _log.warning("Long memories are not divided into passages yet: %s", error)

    @asynccontextmanager
    async def automatic_backups(self) -> AsyncGenerator[None]:
        """Make backups after saves in the background, if the settings enable them."""
        async with schedule.automatic_backups(self._context):
            yield

    @asynccontextmanager
    async def database_metrics(self) -> AsyncGenerator[None]:
        """Publish the metrics that are read from the database."""
        with database_metrics.publishing(self._context):
            yield


async def _warm_up(context: Context) -> None:
    """Run searches like the last one on a server."""
    try:
        like = await search.last_used(context.graph)
        ready_at = time.monotonic() + _WARM_UP_SECONDS
        for number in range(_WARM_UP_SEARCHES):
            scope = CallScope(like.group_id, context.clock())
            await search.search(context.engine, scope, f"{like.lead} {number}")
            if time.monotonic() > ready_at:
                break
    except GraphMemoryError as error:
        _log.warning("Searches do not work yet: %s", error)


async def _unavailable(graph: Graph) -> str | None:
    """Return the reason for which a server cannot be used; None if it answers and is complete."""
    try:
        async with asyncio.timeout(_READY_SECONDS):
            indexes = await missing_indexes(graph)
    except GraphMemoryError as error:
        return str(error)
    except TimeoutError:
        return _NO_ANSWER
    return f"not there or not ready: {', '.join(indexes)}" if indexes else None
