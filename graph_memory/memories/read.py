"""Reading memories by id, and their relations."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.domain.models import Memory, Relation
from graph_memory.domain.timestamps import instant, optional_instant
from graph_memory.settings.base import Settings


async def get_many(
    graph: Graph,
    settings: Settings,
    memory_ids: Sequence[str],
    *,
    group_id: str,
    now: datetime,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
) -> list[Memory]:
    """Fetch memories by id, in the order given; unknown and deleted ones are left out.

    Args:
        graph: The database.
        settings: The policies that compute the decay shown.
        memory_ids: Any number of ids.
        group_id: The tenant.
        now: The caller's clock.
        as_of: Valid time; returns memories that were true in the world at this time.
        known_at: System time; returns what the graph knew at this time, with the text of that time.
    """
    found = await graph.rows(
        "memories/read/get",
        Memory,
        group_id=group_id,
        memory_ids=list(memory_ids),
        as_of=optional_instant(as_of),
        **view_parameters(settings, now, known_at),
    )
    by_id = {memory.memory_id: memory for memory in found}
    return [by_id[memory_id] for memory_id in memory_ids if memory_id in by_id]


async def relations_of(
    graph: Graph,
    memory_id: str,
    *,
    group_id: str,
    now: datetime,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    limit: int = 100,
) -> list[Relation]:
    """List the current relations from and to a memory, the strongest first."""
    return await graph.rows(
        "memories/read/relations",
        Relation,
        group_id=group_id,
        memory_id=memory_id,
        now=instant(now),
        as_of=optional_instant(as_of),
        known_at=optional_instant(known_at),
        limit=limit,
    )


def view_parameters(
    settings: Settings, now: datetime, known_at: datetime | None = None
) -> dict[str, Any]:
    """Return the parameters of `cypher/fragments/memory/full.cypher`, which changes no state."""
    return {
        "now": instant(now),
        "known_at": optional_instant(known_at),
        "decay": policies.rules(settings),
    }
