"""Ranges of ids, in which a long read or run goes over all memories."""

from collections.abc import AsyncGenerator

from graph_memory.database.graph import Graph

#: Memories in a range of ids.
_RANGE = 50_000

#: A text that sorts after every id.
_END = "\uffff"


async def id_ranges(
    graph: Graph, after_id: str = "", limit: int = _RANGE, *, group_id: str | None = None
) -> AsyncGenerator[dict[str, str]]:
    """Yield ranges of `limit` ids that cover all after `after_id`.

    Each is a pair of parameters, `after_id` and `last_id`.

    Args:
        graph: The database.
        after_id: The id after which the first range begins; empty for all.
        limit: Memories of a range.
        group_id: The tenant whose ids count; None for all tenants.
    """
    statement, scope = "database/ranges/end", {}
    if group_id is not None:
        statement, scope = "database/ranges/end_in_group", {"group_id": group_id}
    while after_id != _END:
        last_id = await graph.one(statement, str, after_id=after_id, limit=limit, **scope)
        yield {"after_id": after_id, "last_id": last_id or _END}
        after_id = last_id or _END
