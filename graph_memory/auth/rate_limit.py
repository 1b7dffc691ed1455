"""How often a caller may call, counted in the database, so that all replicas count together."""

from datetime import datetime

from graph_memory.database.graph import Graph
from graph_memory.domain.timestamps import instant
from graph_memory.errors import RateLimitedError


async def count(graph: Graph, key: str, *, limit: int | None, now: datetime) -> None:
    """Count a call of `key`, a caller and what it calls; without a limit nothing is counted.

    Args:
        graph: Where to.
        key: Who calls, and what.
        limit: Calls a minute, by the clock.
        now: The caller's clock.

    Raises:
        RateLimitedError: There were `limit` calls in this minute before this one.
    """
    if limit is None:
        return
    minute = instant(now.replace(second=0, microsecond=0))
    calls = await graph.one("auth/rate_limit/count", int, key=key, minute=minute)
    if (calls or 0) > limit:
        raise RateLimitedError(limit, 60 - now.second)
