"""Forecast of forgetting: how many memories of a group will be in each state, and when."""

import itertools
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.database.ranges import id_ranges
from graph_memory.decay import policies
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import Instant
from graph_memory.settings.base import Settings

#: The states of a forecast; purged memories are counted as well.
STATES = ("ACTIVE", "DORMANT", "ARCHIVED", "EXPIRED", "SOFT_DELETED", "PURGED")

_LISTED = 10


@dataclass(frozen=True, slots=True)
class ForgottenMemory:
    """A memory that will be forgotten, with the instant of its soft deletion."""

    memory_id: str
    lead: str  #: the beginning of its content
    state: str  #: the present state
    lost_at: Instant  #: the instant of its soft deletion


@dataclass(frozen=True, slots=True)
class ForecastPoint:
    """The number of memories in each state at an instant."""

    at: Instant
    states: dict[str, int]


@dataclass(frozen=True, slots=True)
class Forecast:
    """The future states of a group's memories, if none is used and every run is on time."""

    policy: str
    rules: str  #: hash of the policies and their numbers
    points: list[ForecastPoint]  #: the first is now
    transitions: dict[str, int]  #: memories by "FROM>TO", until the last point
    first_lost: list[ForgottenMemory] = field(default_factory=list[ForgottenMemory])


@dataclass(frozen=True, slots=True)
class _Count:
    state: str
    count: int


@dataclass(frozen=True, slots=True)
class _Steps:
    interval: int
    from_state: str
    to_state: str
    count: int


@dataclass(frozen=True, slots=True)
class _Futures:
    """The forecast of a range of memories."""

    steps: list[_Steps]
    lost: list[ForgottenMemory]


async def forecast(
    graph: Graph,
    settings: Settings,
    scope: CallScope,
    *,
    days: float = 365.0,
    points: int = 12,
) -> Forecast:
    """Forecast the number of memories in each state, from `scope.now` on; write nothing.

    Each memory takes a step as soon as the conditions of the step are true.

    Args:
        graph: The database; for assumed settings, `graph.with_settings(settings)`.
        settings: The policy and its numbers.
        scope: The tenant, and the start of the forecast.
        days: The length of the forecast, in days.
        points: The number of equal intervals.

    Source: `cypher/decay/forecast/path.cypher`.
    """
    ends = [scope.now + timedelta(days=days * (i + 1) / points) for i in range(points)]
    states = dict.fromkeys(STATES, 0) | await states_now(graph, scope.group_id)
    ranges = [each async for each in _futures(graph, settings, scope, ends)]
    steps = sorted((step for each in ranges for step in each.steps), key=lambda step: step.interval)
    lost = sorted(
        (memory for each in ranges for memory in each.lost),
        key=lambda memory: (memory.lost_at, memory.memory_id),
    )
    transitions: Counter[str] = Counter()
    for step in steps:
        transitions[f"{step.from_state}>{step.to_state}"] += step.count
    return Forecast(
        policy=settings.group_decay_policies.get(scope.group_id, settings.decay_policy),
        rules=policies.parameters(settings)["rules"],
        points=[
            ForecastPoint(at, counts)
            for at, counts in zip([scope.now, *ends], _course(states, steps, points), strict=True)
        ],
        transitions=dict(sorted(transitions.items())),
        first_lost=lost[:_LISTED],
    )


async def _futures(
    graph: Graph, settings: Settings, scope: CallScope, ends: Sequence[datetime]
) -> AsyncGenerator[_Futures]:
    """Yield the forecast of each range of a group, so that no statement reads a large group."""
    parameters: dict[str, Any] = {
        **scope.parameters(),
        "decay": policies.parameters(settings),
        "ends": [_milliseconds(end) for end in ends],
        "limit": _LISTED,
    }
    async for ids in id_ranges(graph, group_id=scope.group_id):
        for each in await graph.sound_rows("decay/forecast/futures", _Futures, **ids, **parameters):
            yield each


async def states_now(graph: Graph, group_id: str) -> dict[str, int]:
    """Count a group's memories by state; UNKNOWN counts those whose state another writer erased."""
    counted = await graph.rows("decay/forecast/states", _Count, group_id=group_id)
    return {row.state: row.count for row in counted}


def _course(states: dict[str, int], steps: list[_Steps], points: int) -> list[dict[str, int]]:
    """Return the counts at the start and at the end of each interval."""
    course = [dict(states)]
    by_interval = {
        interval: list(rows)
        for interval, rows in itertools.groupby(steps, lambda step: step.interval)
    }
    for interval in range(points):
        for step in by_interval.get(interval, ()):
            states[step.from_state] -= step.count
            states[step.to_state] += step.count
        course.append(dict(states))
    return course


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
