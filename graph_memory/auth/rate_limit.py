"""Rate limit per caller and minute, counted in the database for all replicas together."""

from datetime import datetime

from graph_memory.database.graph import Graph
from graph_memory.domain.timestamps import instant
from graph_memory.errors import RateLimitedError


async def count(graph: Graph, key: str, *, limit: int | None, now: datetime) -> None:
    """Count a call and check the limit; without a limit, do nothing.

    Args:
        graph: Database with the counters.
        key: Caller, with the kind of call if that has a limit of its own.
        limit: Calls per minute of the clock; None for no limit.
        now: Current time.

    Raises:
        RateLimitedError: The calls of this minute exceed `limit`.
    """
    if limit is None:
        return
    minute = instant(now.replace(second=0, microsecond=0))
    calls = await graph.one("auth/rate_limit/count", int, key=key, minute=minute)
    if (calls or 0) > limit:
        raise RateLimitedError(limit, 60 - now.second)
