"""The states that an import gives to memories whose source has none, before it is carried out."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph_memory.database.connection import open_database
from graph_memory.decay import policies
from graph_memory.domain.batching import batched
from graph_memory.domain.timestamps import instant
from graph_memory.memories.classification import weights
from graph_memory.settings.base import Settings
from graph_memory.transfer.line_format import ArchivedMemory, Lifecycle
from graph_memory.transfer.links import to_properties

_BATCH = 1000

#: Fields of a line, and of its lifecycle, on which a state depends.
_FIELDS = ("memory_type", "decay_policy", "decay_rate")
_LIFECYCLE = ("access_count", "last_accessed_at", "preserve_until", "unprotected_at")


@dataclass(frozen=True, slots=True)
class _Count:
    state: str
    count: int


async def first_states(
    settings: Settings, memories: Iterable[ArchivedMemory], now: datetime
) -> dict[str, int]:
    """Count memories without a state by the state that an import would compute for them.

    Args:
        settings: The policies and their numbers, and the database that computes them.
        memories: Memories with a lifecycle; those without a group are of the group of `settings`.
        now: The instant of the import.

    Raises:
        GraphUnavailableError: The database does not answer.
    """
    by_group: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for memory in memories:
        by_group[memory.group_id or settings.group_id].append(_row(memory, settings, now))
    counts = Counter[str]()
    common = {"now": instant(now), "decay": policies.parameters(settings)}
    async with open_database(settings) as graph:
        for group_id, rows in by_group.items():
            for batch in batched(rows, _BATCH):
                found = await graph.rows(
                    "transfer/first_states/count",
                    _Count,
                    group_id=group_id,
                    memories=batch,
                    **common,
                )
                counts.update({row.state: row.count for row in found})
    return dict(sorted(counts.items()))


def _row(memory: ArchivedMemory, settings: Settings, now: datetime) -> dict[str, Any]:
    """Return the properties on which the state of a memory depends, as `add` would store them."""
    created_at, lifecycle = memory.created_at or now, memory.lifecycle or Lifecycle()
    obsolete_at = lifecycle.obsolete_at or (now if lifecycle.obsolete_reason else None)
    values = {
        **{name: getattr(memory, name) for name in _FIELDS},
        **{name: getattr(lifecycle, name) for name in _LIFECYCLE},
        **weights(memory, None, settings),
        "created_at": created_at,
        "updated_at": lifecycle.updated_at or created_at,
        "obsolete_at": obsolete_at,
        "tags": list(memory.tags),
        "confidence": settings.confidence_default
        if memory.confidence is None
        else memory.confidence,
    }
    return to_properties(values)
