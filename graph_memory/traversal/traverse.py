"""Walk from a memory along its relations, breadth or depth first, within bounds.

The database answers one question, which steps lead on from some memories and in which order
(`cypher/traversal/traverse/steps.cypher`), for a whole level or a stretch of the walk at a time.
The order of the walk is made here. Each query leaves out what was walked and is limited to what
the walk still needs: a memory with tens of thousands of relations costs as little as one with
hundreds.
"""

import asyncio
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from itertools import groupby, islice
from operator import attrgetter
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.domain.inputs import RelationName, StateName, Tags, TypeName
from graph_memory.domain.models import BriefMemory, Memory
from graph_memory.domain.timestamps import Moment, instant
from graph_memory.errors import InvalidArgumentError, NotFoundError
from graph_memory.memories import filtering, read
from graph_memory.settings.base import Settings

#: Steps in one answer of the database, and memories asked about ahead of a depth-first walk.
_PAGE = 10_000
_AHEAD = 100

_DEPTH = 3
_NODES = 100

Reason = Literal["depth", "nodes", "time"]


class Algorithm(StrEnum):
    """The order in which a walk visits memories."""

    BFS = "bfs"
    DFS = "dfs"


class Direction(StrEnum):
    """Which way relations are walked: from start to end, from end to start, or both."""

    OUT = "out"
    IN = "in"
    BOTH = "both"


def _folded(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


AlgorithmName = Annotated[Algorithm, BeforeValidator(_folded)]
DirectionName = Annotated[Direction, BeforeValidator(_folded)]
Depth = Annotated[int, Field(ge=1, le=5)]
NodeCount = Annotated[int, Field(ge=1, le=1000)]
Top = Annotated[int, Field(ge=1, le=100)]
Milliseconds = Annotated[int, Field(ge=1, le=60_000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """How to walk and what to bring back; None allows all, or means the default."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    algorithm: AlgorithmName = Algorithm.BFS
    max_depth: Depth | None = None  #: 3 by default
    max_nodes: NodeCount | None = None  #: 100 by default
    relation_types: tuple[RelationName, ...] | None = None  #: the only ones walked
    types: tuple[TypeName, ...] | None = None  #: returned; others are passed through
    tags: Tags | None = None  #: any of them returned; others are passed through
    states: tuple[StateName, ...] | None = None  #: returned; others are passed through
    direction: DirectionName = Direction.OUT
    include_parent_links: bool = False
    time_budget_ms: Milliseconds | None = None
    as_of: Moment | None = None  #: what was true in the world then
    known_at: Moment | None = None  #: what this graph knew then

    def parameters(self, group_id: str, now: datetime) -> dict[str, Any]:
        """Return what `cypher/traversal/traverse/steps.cypher` is told of the walk as a whole."""
        return {
            "group_id": group_id,
            "relation_types": list(self.relation_types) if self.relation_types else None,
            "outgoing": self.direction is not Direction.IN,
            "incoming": self.direction is not Direction.OUT,
            "parent_links": self.include_parent_links,
            "types": list(self.types) if self.types else None,
            "tags": [tag.lower() for tag in self.tags] if self.tags else None,
            "states": list(self.states) if self.states else None,
            "now": instant(now),
            "as_of": instant(self.as_of) if self.as_of else None,
            "known_at": instant(self.known_at) if self.known_at else None,
        }


@dataclass(frozen=True, slots=True)
class Step:
    """A relation as it was walked."""

    from_id: str
    to_id: str
    relation_type: str
    strength: float  #: 0 to 1
    forward: bool  #: false: `from_id` is the relation's end
    wanted: bool  #: whether the filters let the memory reached be returned


@dataclass(frozen=True, slots=True)
class WalkedRelation:
    """A relation, from its start to its end, by which a walk came to a memory."""

    from_id: str
    to_id: str
    relation_type: str  #: of a parent link `has_parent`, or `parent_of` where it led to a child
    strength: float  #: 0 to 1


@dataclass(frozen=True, slots=True)
class FadingMemory(BriefMemory):
    """A memory in brief, and how far it has faded."""

    decay_score: float  #: 0 fresh to 1 gone


@dataclass(frozen=True, slots=True)
class ReachedMemory(FadingMemory):
    """A memory that a walk came to."""

    depth: int  #: relations from the start, 1 or more
    path: list[str]  #: ids, the start first, this memory last


@dataclass(frozen=True, slots=True)
class Walked:
    """What a walk brought back."""

    start: Memory
    nodes: list[ReachedMemory]  #: in the order of the walk
    edges: list[WalkedRelation]  #: on the paths to the nodes, in the order of the walk
    truncated: bool
    reason: Reason | None  #: which bound ended it


_fading_fields = attrgetter(*(field.name for field in fields(FadingMemory)))


async def traverse(
    graph: Graph, settings: Settings, start_id: str, walk: Walk, *, group_id: str, now: datetime
) -> Walked:
    """Walk from `start_id` and return the memories met, each once, in the order of the walk.

    From each memory the strongest relation is walked first, then the older, then the one to the
    smaller id. Of more than `traversal_fan` relations the database takes as many at a time, in
    its own order, and those are ordered so. Breadth first, depth is the distance from the start;
    depth first, it is the length of the path that was walked (in pre-order, a memory once visited
    is not visited again by a shorter path).

    Args:
        graph: Where to walk.
        settings: The bounds, and what the view needs.
        start_id: Where to begin; not counted and not among the nodes.
        walk: Its order, bounds, filters and clocks. `max_nodes` bounds what is returned; with
            filters, at most `traversal_max_nodes` memories are looked at for that.
        group_id: The tenant; no other's memories are walked.
        now: The caller's clock; what has ended by then is not walked unless `as_of` says so.

    Returns:
        The start, the nodes in brief, and `truncated` with its reason: "time" or "nodes" where
        that bound ended the walk, else "depth" where relations lead on from the deepest memories.

    Raises:
        InvalidArgumentError: A bound is above the one in the settings.
        NotFoundError: The group has no such memory, or had none then.
    """
    walker = _Walker(graph, settings, start_id, walk, group_id=group_id, now=now)
    start, reason = await asyncio.gather(_start(walker, group_id=group_id, now=now), walker.run())
    return await _describe_walk(walker, start, reason)


async def ids_around(
    graph: Graph, settings: Settings, start_id: str, walk: Walk, *, group_id: str, now: datetime
) -> tuple[list[str], Reason | None]:
    """Walk like `traverse`, and return only the ids met, the start first, and the bound met."""
    walker = _Walker(graph, settings, start_id, walk, group_id=group_id, now=now)
    reason = await walker.run()
    return [start_id, *walker.wanted], reason


class _Stopped(Exception):  # noqa: N818 - no error: the walk has reached a bound
    def __init__(self, reason: Reason) -> None:
        self.reason: Reason = reason


class _Steps:
    """The steps from one memory that are still to be taken."""

    def __init__(self, steps: list[Step], whole: bool) -> None:
        self.queue = deque(steps)
        self.whole = whole  #: false: the database has more


class _Walker:
    """A walk under way: what was visited, and how."""

    def __init__(
        self,
        graph: Graph,
        settings: Settings,
        start_id: str,
        walk: Walk,
        *,
        group_id: str,
        now: datetime,
    ) -> None:
        self.graph, self.settings, self.walk, self.start_id = graph, settings, walk, start_id
        filtering.refuse_deleted(walk.states or (), walk.known_at)
        self.max_depth = _bounded("max_depth", walk.max_depth, _DEPTH, settings.traversal_max_depth)
        self.max_nodes = _bounded("max_nodes", walk.max_nodes, _NODES, settings.traversal_max_nodes)
        filtered = walk.types or walk.tags or walk.states
        self.max_visits = settings.traversal_max_nodes if filtered else self.max_nodes
        budget_ms = walk.time_budget_ms or settings.traversal_time_budget_ms
        self.deadline = time.monotonic() + budget_ms / 1000 if budget_ms else None
        self.parameters = walk.parameters(group_id, now)
        self.depths: dict[str, int] = {start_id: 0}
        self.steps: dict[str, Step] = {}  #: to each memory visited, in the order of visits
        self.wanted: list[str] = []

    async def run(self) -> Reason | None:
        """Walk to the end, and tell which bound that was."""
        try:
            await (self._breadth() if self.walk.algorithm is Algorithm.BFS else self._depth())
            deepest = [id_ for id_, depth in self.depths.items() if depth == self.max_depth]
            return "depth" if deepest and await self._ask(deepest, limit=1) else None
        except _Stopped as stopped:
            return stopped.reason

    async def _breadth(self) -> None:
        level = [self.start_id]
        for _ in range(self.max_depth):
            following: list[str] = []
            pending = level
            while pending:
                pending = await self._spread(pending, following)
            level = following

    async def _spread(self, pending: list[str], following: list[str]) -> list[str]:
        """Visit what lies one step from `pending`; return those whose steps were not all shown."""
        for from_id, steps in (await self._ask(pending)).items():
            following += [step.to_id for step in steps.queue if self._visit(step)]
            if not steps.whole:
                return pending[pending.index(from_id) :]
        return []

    async def _depth(self) -> None:
        shown = await self._ask([self.start_id])
        stack = [(self.start_id, shown.get(self.start_id, _Steps([], True)))]
        while stack:
            from_id, steps = stack[-1]
            if not steps.queue:
                if steps.whole:
                    stack.pop()
                else:
                    more = await self._ask([from_id])
                    stack[-1] = (from_id, more.get(from_id, _Steps([], True)))
                continue
            step = steps.queue.popleft()
            if not self._visit(step) or self.depths[step.to_id] == self.max_depth:
                continue
            if step.to_id not in shown:
                asked = list(islice(self._ahead(step.to_id, stack, shown), _AHEAD))
                await self._look_ahead(asked, shown)
            stack.append((step.to_id, shown.pop(step.to_id)))

    async def _look_ahead(self, asked: list[str], shown: dict[str, _Steps]) -> None:
        """Learn the steps from `asked`; from the last one shown only if they are certain."""
        answer = await self._ask(asked)
        last = next(reversed(answer), None)
        cut = asked.index(last) if last and not answer[last].whole else len(asked)
        for from_id in asked[: max(cut, 1)]:
            shown[from_id] = answer.get(from_id, _Steps([], True))

    def _ahead(
        self, next_id: str, stack: list[tuple[str, _Steps]], shown: dict[str, _Steps]
    ) -> Iterator[str]:
        """Name the memory to go on from, and those that may follow, as far as can be foreseen."""
        named = {next_id}
        yield next_id
        for from_id, steps in reversed(stack):
            yield from self._foreseen(steps, self.depths[from_id] + 1, named, shown)

    def _foreseen(
        self, steps: _Steps, depth: int, named: set[str], shown: dict[str, _Steps]
    ) -> Iterator[str]:
        if depth == self.max_depth:
            return
        for step in steps.queue:
            if step.to_id in self.depths or step.to_id in named:
                continue
            named.add(step.to_id)
            if step.to_id in shown:
                yield from self._foreseen(shown[step.to_id], depth + 1, named, shown)
            else:
                yield step.to_id

    def _visit(self, step: Step) -> bool:
        """Visit the memory a step leads to; tell whether it is a new one."""
        if step.to_id in self.depths:
            return False
        if len(self.steps) == self.max_visits or (
            step.wanted and len(self.wanted) == self.max_nodes
        ):
            raise _Stopped("nodes")
        self.depths[step.to_id] = self.depths[step.from_id] + 1
        self.steps[step.to_id] = step
        if step.wanted:
            self.wanted.append(step.to_id)
        return True

    async def _ask(self, from_ids: list[str], limit: int | None = None) -> dict[str, _Steps]:
        """Return the steps from each memory that has any, to memories not visited yet."""
        limit = limit or _PAGE
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise _Stopped("time")
        max_compared = self.settings.traversal_fan
        per_memory = min(max_compared, limit, self.max_visits - len(self.steps) + 1)
        rows = await self.graph.rows(
            "traversal/traverse/steps",
            Step,
            from_ids=from_ids,
            seen=list(self.depths),
            fan=max_compared,
            per_memory=per_memory,
            limit=limit,
            **self.parameters,
        )
        groups = [(id_, list(steps)) for id_, steps in groupby(rows, lambda step: step.from_id)]
        shown = {id_: _Steps(steps, len(steps) < per_memory) for id_, steps in groups}
        if len(rows) == limit:
            shown[rows[-1].from_id].whole = False
        return shown


def _bounded(argument: str, given: int | None, default: int, bound: int) -> int:
    if given is not None and given > bound:
        raise InvalidArgumentError(argument, given, f"it goes from 1 to {bound}")
    return min(given or default, bound)


async def _start(walker: _Walker, *, group_id: str, now: datetime) -> Memory:
    found = await read.get_many(
        walker.graph,
        walker.settings,
        [walker.start_id],
        group_id=group_id,
        now=now,
        as_of=walker.walk.as_of,
        known_at=walker.walk.known_at,
    )
    if not found:
        raise NotFoundError(walker.start_id, group_id)
    return found[0]


async def _describe_walk(walker: _Walker, start: Memory, reason: Reason | None) -> Walked:
    """Fetch what is told of the memories to return, and trace the paths to them."""
    parameters = walker.parameters
    found = await walker.graph.rows(
        "traversal/traverse/reached",
        FadingMemory,
        group_id=parameters["group_id"],
        memory_ids=walker.wanted,
        now=parameters["now"],
        known_at=parameters["known_at"],
        decay=policies.parameters(walker.settings),
    )
    by_id = {memory.memory_id: memory for memory in found}
    nodes = [
        ReachedMemory(
            *_fading_fields(by_id[id_]), depth=walker.depths[id_], path=_path(walker, id_)
        )
        for id_ in walker.wanted
        if id_ in by_id
    ]
    used = {memory_id for node in nodes for memory_id in node.path}
    return Walked(
        start=start,
        nodes=nodes,
        edges=[_relation(step) for to_id, step in walker.steps.items() if to_id in used],
        truncated=reason is not None,
        reason=reason,
    )


def _path(walker: _Walker, memory_id: str) -> list[str]:
    path = [memory_id]
    while path[-1] in walker.steps:
        path.append(walker.steps[path[-1]].from_id)
    return path[::-1]


def _relation(step: Step) -> WalkedRelation:
    ends = (step.from_id, step.to_id) if step.forward else (step.to_id, step.from_id)
    return WalkedRelation(*ends, step.relation_type, step.strength)
