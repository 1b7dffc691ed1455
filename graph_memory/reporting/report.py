"""A group at a glance, as one page: what there is, what fades, what is coming, what is wrong."""

from dataclasses import dataclass
from datetime import datetime

from graph_memory.api.maintenance import MaintenanceStatus
from graph_memory.api.service import GraphMemory
from graph_memory.decay import policies
from graph_memory.decay.forecast import Forecast
from graph_memory.diagnostics import doctor
from graph_memory.diagnostics.doctor import Check
from graph_memory.diagnostics.verify import Problem, verify
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import instant
from graph_memory.memories import read
from graph_memory.traversal.analysis import Analysis

_DOTS = 1000
_CURVE_DAYS = list(range(0, 366, 5))


@dataclass(frozen=True, slots=True)
class MemoryDot:
    """A memory among others."""

    state: str
    importance: float  #: 1 to 10
    idle_days: float
    retention: float  #: 1 fresh to 0 gone


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """What is kept of an untouched memory of importance 5."""

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
    leads: dict[str, str]  #: first words of the top connectors, by id
    checks: list[Check]
    problems: list[Problem]
    status: MaintenanceStatus


async def report(memory: GraphMemory, group_id: str | None = None) -> GroupReport:
    """Look at a group; no memory changes, and nothing counts as an access."""
    graph, settings, now = memory.context.graph, memory.settings, memory.clock()
    group = memory.group(group_id)
    given = {"group_id": group, "now": instant(now), "decay": policies.parameters(settings)}
    analysis = await memory.relations.analyze(group_id=group)
    top = [connector.memory_id for connector in analysis.top_connectors]
    connectors = await read.get_many(memory.context.engine, CallScope(group, now), top)
    problems = await verify(graph, settings)
    return GroupReport(
        group_id=group,
        at=now,
        forecast=await memory.lifecycle.forecast(days=365, points=24, group_id=group),
        curves=await graph.rows("reporting/report/curves", CurvePoint, days=_CURVE_DAYS, **given),
        dots=await graph.rows("reporting/report/dots", MemoryDot, limit=_DOTS, **given),
        analysis=analysis,
        leads={each.memory_id: " ".join(each.content.split())[:120] for each in connectors},
        checks=await doctor.examine(settings),
        problems=problems.get("", []) + problems.get(group, []),
        status=await memory.maintenance.status(),
    )
