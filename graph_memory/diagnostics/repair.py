"""Repair of properties that another writer, such as Graphiti alone, has erased."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.domain.encoding import group_key
from graph_memory.domain.models import RelationType
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import instant
from graph_memory.graphiti.properties import memory_properties
from graph_memory.graphiti.summaries import follow_summaries
from graph_memory.memories.embeddings import groups
from graph_memory.settings.base import Settings

_BATCH = 500


@dataclass(frozen=True, slots=True)
class RepairCount:
    """The number of repairs of one kind in a group."""

    group_id: str
    what: str  #: the name of a property, or relation, parent or orphan
    count: int


@dataclass(frozen=True, slots=True)
class _Damaged:
    memory_id: str
    name: str
    summary: str | None
    labels: list[str]
    missing: list[str]


async def repair(
    graph: Graph, settings: Settings, now: datetime, group_id: str | None = None
) -> list[RepairCount]:
    """Restore the properties that memories and relations of a group lack, or of all groups.

    A lost value becomes the default of an adopted entity. A lost content becomes Graphiti's summary
    of it. The content of an adopted memory follows a new summary. Nodes that belong to a memory
    that no longer exists are removed. A second repair finds nothing to do.
    """
    mended: list[RepairCount] = []
    decay = policies.parameters(settings)
    for each in await groups(graph) if group_id is None else [group_id]:
        counts = await _memories(graph, settings, CallScope(each, now))
        relations = await graph.rows(
            "diagnostics/repair/relations",
            str,
            group_id=each,
            group_key=group_key(each),
            types=list(RelationType),
            now=instant(now),
        )
        counts["relation"] += len(relations)
        counts["parent"] += len(await graph.rows("diagnostics/repair/parents", str, group_id=each))
        counts["summary"] += await follow_summaries(graph, decay, each, now)
        mended += [RepairCount(each, what, n) for what, n in sorted(counts.items()) if n]
    return mended + await graph.rows(
        "diagnostics/repair/orphans", RepairCount, only=group_id, batch=_BATCH
    )


async def _memories(graph: Graph, settings: Settings, scope: CallScope) -> Counter[str]:
    counts, after_id = Counter[str](), ""
    while page := await graph.rows(
        "diagnostics/repair/damaged",
        _Damaged,
        group_id=scope.group_id,
        after_id=after_id,
        limit=_BATCH,
    ):
        await graph.run(
            "diagnostics/repair/memories",
            memories=[_row(memory, scope.group_id, settings) for memory in page],
            decay=policies.parameters(settings),
            **scope.parameters(),
        )
        counts.update(name for memory in page for name in memory.missing)
        after_id = page[-1].memory_id
    return counts


def _row(memory: _Damaged, group_id: str, settings: Settings) -> dict[str, object]:
    name, summary = memory.name, memory.summary
    # The name and the summary of a memory of graph-memory are both the beginning of its content.
    if summary and " ".join(summary.split()).startswith(name):
        name, summary = summary, None
    filled = memory_properties(memory.memory_id, group_id, name, summary, memory.labels, settings)
    return {"uuid": memory.memory_id, **filled}
