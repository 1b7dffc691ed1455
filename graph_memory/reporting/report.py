"""A report on a group: its states, what fades, what comes, its connectors, and what is wrong."""

from dataclasses import dataclass, replace
from datetime import datetime

from graph_memory.api.maintenance import MaintenanceStatus
from graph_memory.api.service import GraphMemory
from graph_memory.decay import policies
from graph_memory.decay.forecast import Forecast
from graph_memory.diagnostics import doctor
from graph_memory.diagnostics.doctor import Check
from graph_memory.diagnostics.verify import Problem, verify
from graph_memory.domain.inputs import Clocks
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import instant
from graph_memory.learning.clustered import Cluster
from graph_memory.memories import read
from graph_memory.traversal.analysis import Analysis, Connector, relations_among

_DOTS = 1000
_CURVE_DAYS = list(range(0, 366, 5))
_NAMED = 10  #: connectors with their texts
_DRAWN = 40  #: connectors in the picture
_CLUSTERS = 10
_DRAWN_RELATIONS = 2000
_LEAD_CHARACTERS = 240


@dataclass(frozen=True, slots=True)
class MemoryDot:
    """A memory among others."""

    state: str
    importance: float  #: 1 to 10
    idle_days: float
    retention: float  #: 1 fresh to 0 gone


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The retention of an unused memory of importance 5."""

    stability: int  #: 1 to 5
    day: int
    retention: float  #: 1 fresh to 0 gone


@dataclass(frozen=True, slots=True)
class GroupReport:
    """All that the page shows."""

    group_id: str
    at: datetime
    forecast: Forecast
    curves: list[CurvePoint]
    dots: list[MemoryDot]  #: the most important memories, a thousand at most
    analysis: Analysis
    connectors: list[Connector]  #: the memories of most relations, forty at most
    neighbours: list[tuple[str, str]]  #: pairs of connectors with a relation
    clusters: list[Cluster]  #: the largest, ten at most
    leads: dict[str, str]  #: first words of top connectors and memories forgotten first, by id
    checks: list[Check]
    problems: list[Problem]
    status: MaintenanceStatus


async def report(memory: GraphMemory, group_id: str | None = None) -> GroupReport:
    """Look at a group; no memory changes, and nothing counts as an access."""
    settings, now, group = memory.settings, memory.clock(), memory.group(group_id)
    graph = memory.context.of(group).graph
    given = {"group_id": group, "now": instant(now), "decay": policies.parameters(settings)}
    analysis = await memory.relations.analyze(top=_DRAWN, group_id=group)
    connectors = analysis.top_connectors
    analysis = replace(analysis, top_connectors=connectors[:_NAMED])
    forecast = await memory.lifecycle.forecast(days=365, points=24, group_id=group)
    listed = {each.memory_id for each in (*analysis.top_connectors, *forecast.first_lost)}
    scope = CallScope(group, now)
    texts = await read.get_readable(memory.context.engine, scope, sorted(listed), Clocks())
    problems = await verify(graph, settings, group)
    return GroupReport(
        group_id=group,
        at=now,
        forecast=forecast,
        curves=await graph.rows("reporting/report/curves", CurvePoint, days=_CURVE_DAYS, **given),
        dots=await graph.sound_rows("reporting/report/dots", MemoryDot, limit=_DOTS, **given),
        analysis=analysis,
        connectors=connectors,
        neighbours=await _neighbours(memory, connectors, group),
        clusters=(await memory.clusters.list(limit=_CLUSTERS, group_id=group)).clusters,
        leads={each.memory_id: lead(each.content) for each in texts},
        checks=await doctor.examine(settings),
        problems=problems.get("", []) + problems.get(group, []),
        status=await memory.maintenance.status(),
    )


async def _neighbours(
    memory: GraphMemory, connectors: list[Connector], group: str
) -> list[tuple[str, str]]:
    relations = await relations_among(
        memory.context.graph,
        memory.context.scope(group),
        [each.memory_id for each in connectors],
        limit=_DRAWN_RELATIONS,
    )
    return sorted({(each.from_id, each.to_id) for each in relations})


def lead(text: str) -> str:
    """Return a text on one line; a long one ends after a whole word, with an ellipsis."""
    line = " ".join(text.split())
    if len(line) <= _LEAD_CHARACTERS:
        return line
    # Text of a script without spaces has no other end than the last character.
    return line[:_LEAD_CHARACTERS].rsplit(" ", 1)[0].rstrip(",;:") + " …"
