"""Repair of properties that another writer, such as Graphiti alone, has erased or mistyped."""

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.diagnostics.mistyped import (
    INSTANTS,
    JSON_LISTS,
    KINDS,
    RELATION_INSTANTS,
    converted,
    converted_of_relation,
)
from graph_memory.domain.encoding import group_key
from graph_memory.domain.models import LifecycleState, MemoryType, RelationType, Source
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import instant
from graph_memory.graphiti.properties import memory_properties
from graph_memory.graphiti.summaries import follow_summaries
from graph_memory.memories.embeddings import groups
from graph_memory.settings.base import Settings

_log = logging.getLogger(__name__)

_BATCH = 500


@dataclass(frozen=True, slots=True)
class RepairCount:
    """The number of repairs of one kind in a group."""

    group_id: str
    what: str  #: the name of a property, or relation, parent or orphan
    count: int


@dataclass(frozen=True, slots=True)
class _Mistyped:
    memory_id: str
    values: Mapping[str, Any]
    vector: bool


@dataclass(frozen=True, slots=True)
class _MistypedRelation:
    relation_id: str
    memory_id: str
    values: Mapping[str, Any]


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

    A value of another type is converted, or removed and logged if that is impossible. A damaged
    vector is removed, and a maintenance run makes a new one. A lost value becomes the default of
    an adopted entity. A lost content becomes Graphiti's summary of it. The content of an adopted
    memory follows a new summary. Nodes that belong to a memory that no longer exists are removed.
    A second repair finds nothing to do.
    """
    mended: list[RepairCount] = []
    decay = policies.parameters(settings)
    for each in await groups(graph) if group_id is None else [group_id]:
        scope = CallScope(each, now)
        counts = await _retyped(graph, settings, scope) + await _memories(graph, settings, scope)
        counts += await _retyped_relations(graph, each)
        counts["relation"] += await _relations(graph, scope)
        counts["parent"] += await _count(graph, "diagnostics/repair/parents", group_id=each)
        counts["summary"] += await follow_summaries(graph, settings, decay, each, now)
        mended += [RepairCount(each, what, n) for what, n in sorted(counts.items()) if n]
    return mended + await graph.rows(
        "diagnostics/repair/orphans", RepairCount, only=group_id, batch=_BATCH
    )


async def _retyped(graph: Graph, settings: Settings, scope: CallScope) -> Counter[str]:
    """Convert the values of other types; return the number of changes by property."""
    counts, after_id = Counter[str](), ""
    while page := await graph.rows(
        "diagnostics/repair/mistyped",
        _Mistyped,
        group_id=scope.group_id,
        after_id=after_id,
        limit=_BATCH,
        kinds=KINDS,
        instants=INSTANTS,
        json_lists=JSON_LISTS,
        states=list(LifecycleState),
        types=list(MemoryType),
        sources=list(Source),
        model=settings.embedding_model,
    ):
        changes = {memory.memory_id: _changes(memory, scope.now) for memory in page}
        await graph.run(
            "diagnostics/repair/retype",
            memories=[{"memory_id": id_, "values": new} for id_, new in changes.items()],
            decay=policies.parameters(settings),
            **scope.parameters(),
        )
        counts.update(name for new in changes.values() for name in new if name not in _VECTOR)
        counts["embedding"] += sum(memory.vector for memory in page)
        after_id = page[-1].memory_id
    return counts


#: Properties of a vector; without all of them, a maintenance run makes a new one.
_VECTOR = ("embedding", "embedding_model", "embedding_dimension")


def _changes(memory: _Mistyped, now: datetime) -> dict[str, object]:
    """Return the properties to change, with their new values; None removes one."""
    found = {"created_at": None, **memory.values}
    new = {name: converted(name, value) for name, value in found.items() if name in _CONVERTED}
    defaults = {**_DEFAULTS, "updated_at": instant(now), "created_at": now}
    filled = {name: defaults.get(name) if value is None else value for name, value in new.items()}
    changed = _changed(f"Memory '{memory.memory_id}'", found, filled)
    return changed | (dict.fromkeys(_VECTOR) if memory.vector else {})


async def _retyped_relations(graph: Graph, group_id: str) -> Counter[str]:
    """Convert the values of relations; return the number of changes by property."""
    counts, after = Counter[str](), ["", ""]
    while page := await graph.rows(
        "diagnostics/repair/mistyped_relations",
        _MistypedRelation,
        group_id=group_id,
        after=after,
        limit=_BATCH,
        instants=RELATION_INSTANTS,
    ):
        changes = {relation.relation_id: _relation_changes(relation) for relation in page}
        await graph.run(
            "diagnostics/repair/retype_relations",
            relations=[{"relation_id": id_, "values": new} for id_, new in changes.items()],
        )
        counts.update(name for new in changes.values() for name in new)
        after = [page[-1].memory_id, page[-1].relation_id]
    return counts


async def _relations(graph: Graph, scope: CallScope) -> int:
    """Restore what relations lack; return their number."""
    return await _count(
        graph,
        "diagnostics/repair/relations",
        group_id=scope.group_id,
        group_key=group_key(scope.group_id),
        types=list(RelationType),
        now=instant(scope.now),
    )


async def _count(graph: Graph, statement: str, **parameters: Any) -> int:
    return await graph.one(statement, int, batch=_BATCH, **parameters) or 0


def _relation_changes(relation: _MistypedRelation) -> dict[str, object]:
    """Return the properties to change, with their new values; None removes one."""
    new = {name: converted_of_relation(name, value) for name, value in relation.values.items()}
    return _changed(f"A relation of memory '{relation.memory_id}'", relation.values, new)


def _changed(
    owner: str, before: Mapping[str, object], after: Mapping[str, object]
) -> dict[str, object]:
    """Return the values that differ, and log each with the value before."""
    changed = {name: value for name, value in after.items() if not _same(before[name], value)}
    for name, value in changed.items():
        _log.warning("%s: %s was %r, is %r.", owner, name, before[name], value)
    return changed


def _same(before: object, after: object) -> bool:
    """Return True for equal values of the same type; 1 and 1.0 are the same number."""
    if isinstance(before, bool) or isinstance(after, bool):
        return before is after
    return before == after


#: Properties that are converted.
_CONVERTED = {*KINDS, "created_at"} - {"embedding"}

#: Values of properties that no later step restores.
_DEFAULTS = {"importance_source": "user", "stability_source": "user"}


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
            **scope.origin.parameters(),
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
