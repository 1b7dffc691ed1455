"""Bounded walks from a memory along its relations, breadth first or depth first.

`cypher/traversal/traverse/steps.cypher` returns the next steps from the memories of one level, in
order. Each query excludes visited memories and is limited to what the walk still needs, so a memory
with tens of thousands of relations costs no more than one with hundreds.

Both orders visit the same memories. A depth-first walk reaches each memory by a shortest path: it
is the pre-order of the tree that the breadth-first walk builds.
"""

import asyncio
import difflib
import math
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from itertools import chain, groupby
from operator import attrgetter
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field, WrapValidator

from graph_memory.decay import policies
from graph_memory.domain.batching import batched
from graph_memory.domain.inputs import AnyRelationName, Clocks, StateName, Tags, TypeName
from graph_memory.domain.models import BriefMemory, Memory, RelationType
from graph_memory.domain.readable import none_if_unreadable
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import EndMoment, optional_instant
from graph_memory.engine import Engine
from graph_memory.errors import InvalidArgumentError
from graph_memory.memories import filtering, read
from graph_memory.memories.absent import not_found
from graph_memory.wording import argument

#: Steps per query.
_PAGE = 10_000

#: Share of the time budget for the walk; the rest is for the memories it returns.
_WALKING = 0.6

#: Memories per query of a walk with a time budget.
_READ_AT_ONCE = 100

#: Defaults of `max_depth` and `max_nodes`.
_DEPTH = 3
_NODES = 100

_MAX_RELATION_TYPES = 50

#: Relation types of a group among which one is looked for, the most frequent.
_RELATION_TYPES = 1000

Reason = Literal["depth", "nodes", "time"]


class Algorithm(StrEnum):
    """The order in which a walk visits memories."""

    BFS = "bfs"
    DFS = "dfs"


class Direction(StrEnum):
    """The direction in which relations are walked: start to end, end to start, or both."""

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


RelationTypes = Annotated[tuple[AnyRelationName, ...], Field(max_length=_MAX_RELATION_TYPES)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """The bounds, filters and clocks of a walk; None means no filter, or the default."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    algorithm: AlgorithmName = Algorithm.BFS
    max_depth: Depth | None = None  #: 3 by default
    max_nodes: NodeCount | None = None  #: 100 by default
    relation_types: RelationTypes | None = None  #: the only ones walked; any of the group
    types: tuple[TypeName, ...] | None = None  #: types returned; others are walked through
    tags: Tags | None = None  #: any of these returned; others are walked through
    states: tuple[StateName, ...] | None = None  #: states returned; others are walked through
    direction: DirectionName = Direction.OUT
    include_parent_links: bool = False
    through_entities: bool = False  #: walk to memories that mention the same entity, too
    time_budget_ms: Milliseconds | None = None
    as_of: EndMoment | None = None  #: valid time: what was true in the world then
    known_at: EndMoment | None = None  #: system time: what the graph knew then

    def parameters(self, scope: CallScope) -> dict[str, Any]:
        """Return the parameters of `traversal/traverse/steps` that stay the same in a walk."""
        return {
            **scope.parameters(),
            "relation_types": list(self.relation_types) if self.relation_types else None,
            "outgoing": self.direction is not Direction.IN,
            "incoming": self.direction is not Direction.OUT,
            "parent_links": self.include_parent_links,
            "through_entities": self.through_entities,
            "types": list(self.types) if self.types else None,
            "tags": [tag.lower() for tag in self.tags] if self.tags else None,
            "states": list(self.states) if self.states else None,
            "as_of": optional_instant(self.as_of),
            "known_at": optional_instant(self.known_at),
        }


@dataclass(frozen=True, slots=True)
class Step:
    """A relation in the direction in which it was walked."""

    from_id: str
    to_id: str
    relation_type: str
    strength: float  #: 0 to 1
    forward: bool  #: false if `from_id` is the relation's end
    wanted: bool  #: true if the memory reached passes the filters
    via: str | None = None  #: the shared entity, as the memory reached spells it


@dataclass(frozen=True, slots=True)
class WalkedRelation:
    """A relation, from its start to its end, on the path of a walk."""

    from_id: str
    to_id: str
    #: `has_parent` or `parent_of` for a parent link, by direction; `shares_entity` for an entity
    relation_type: str
    strength: float  #: 0 to 1
    via: str | None = None  #: the shared entity, as the memory reached spells it


@dataclass(frozen=True, slots=True)
class ReachedMemory(BriefMemory):
    """A memory that a walk reached."""

    decay_score: float  #: 0 fresh to 1 gone
    depth: int  #: number of relations from the start, 1 or more
    path: list[str]  #: ids from the start to this memory


@dataclass(frozen=True, slots=True)
class Walked:
    """The result of a walk."""

    start: Memory
    nodes: list[ReachedMemory]  #: in the order of the walk
    edges: list[WalkedRelation]  #: on the paths to the nodes, in the order of the walk
    truncated: bool
    reason: Reason | None  #: the bound that ended the walk


@dataclass(frozen=True, slots=True)
class _Reached:
    memory: Annotated[BriefMemory | None, WrapValidator(none_if_unreadable)]
    decay_score: float


_brief_fields = attrgetter(*(field.name for field in fields(BriefMemory) if not field.kw_only))


async def traverse(engine: Engine, scope: CallScope, start_id: str, walk: Walk) -> Walked:
    """Walk from `start_id` and return the memories reached, each once, in visiting order.

    With `through_entities`, two memories that mention one entity, or entities that are one, count
    as related by `shares_entity`, whatever the direction and the relation types.

    From each memory the strongest relation is walked first, then the older, then the one to the
    smaller id. A memory with more than `traversal_fan` relations has them compared in batches of
    that size, in the order of the database. Breadth first, the depth is the distance from the
    start, in both orders. Depth first, the memories reached through a memory follow it directly.

    Args:
        engine: The database, the bounds, and the policies that compute the decay shown.
        scope: The tenant and the instant; relations that ended before it are skipped, unless
            `as_of` is set.
        start_id: The first memory; it is not counted, and not among the nodes.
        walk: The order, bounds, filters and clocks. `max_nodes` bounds the nodes returned; with
            filters, at most `traversal_max_nodes` memories are visited. `time_budget_ms` bounds the
            walk and the reading of its nodes; the start is read in any case.

    Returns:
        The start, the nodes in brief, and `truncated` with its reason: "time" or "nodes" if that
        bound ended the walk, else "depth" if the deepest memories have further relations.

    Raises:
        InvalidArgumentError: A bound is above the one in the settings, the group has no relation
            of a type, or a walk through entities is to look back to `known_at`.
        NotFoundError: The group has no such memory, or had none at `as_of` or `known_at`.
    """
    walk = replace(walk, relation_types=await _types_of_group(engine, scope, walk.relation_types))
    walker = _Walker(engine, scope, start_id, walk)
    start, reason = await asyncio.gather(_start(walker), walker.run())
    return await _describe_walk(walker, start, reason)


async def _types_of_group(
    engine: Engine, scope: CallScope, names: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    """Return relation types as the group spells them; types of graph-memory need no relation.

    Raises:
        InvalidArgumentError: The group has no relation of a type.
    """
    others = set(names or ()) - set(RelationType)
    if not names or not others:
        return names
    which = {"group_id": scope.group_id}
    others -= set(
        await engine.graph.rows(
            "traversal/traverse/relation_types_used", str, names=sorted(others), **which
        )
    )
    if not others:
        return names
    known = await engine.graph.rows(
        "traversal/traverse/relation_types", str, limit=_RELATION_TYPES, **which
    )
    spelled = [_spellings(name, known) if name in others else [name] for name in names]
    return tuple(chain.from_iterable(spelled))


def _spellings(name: str, known: list[str]) -> list[str]:
    """Return the known relation types that differ from a name in case only."""
    if found := [each for each in known if each.lower() == name.lower()]:
        return found
    by_lower = {each.lower(): each for each in reversed([*RelationType, *known])}
    near = difflib.get_close_matches(name.lower(), by_lower, cutoff=0.0)
    named = ", ".join(by_lower[each] for each in near)
    raise InvalidArgumentError(
        "relation_types", name, f"the group has no relation of this type; the nearest are {named}"
    )


async def ids_around(
    engine: Engine, scope: CallScope, start_id: str, walk: Walk
) -> tuple[list[str], Reason | None]:
    """Walk like `traverse`; return the ids, the start first, and the bound that ended the walk."""
    walker = _Walker(engine, scope, start_id, walk)
    reason = await walker.run()
    return [start_id, *walker.wanted], reason


class _Stopped(Exception):  # noqa: N818 - not an error: the walk has reached a bound
    def __init__(self, reason: Reason) -> None:
        self.reason: Reason = reason


@dataclass(slots=True)
class _Steps:
    """Steps from one memory."""

    steps: list[Step]
    complete: bool  #: false if the database has more


class _Walker:
    """The state of a running walk."""

    def __init__(self, engine: Engine, scope: CallScope, start_id: str, walk: Walk) -> None:
        self.engine, self.scope, self.walk, self.start_id = engine, scope, walk, start_id
        settings = engine.settings
        filtering.refuse_deleted(walk.states or (), walk.known_at)
        if walk.through_entities and walk.known_at:
            present = f"entities are those of the present texts; leave {argument('known_at')} out"
            raise InvalidArgumentError("through_entities", True, present)
        self.max_depth = _bounded("max_depth", walk.max_depth, _DEPTH, settings.traversal_max_depth)
        self.max_nodes = _bounded("max_nodes", walk.max_nodes, _NODES, settings.traversal_max_nodes)
        filtered = walk.types or walk.tags or walk.states
        self.max_visits = settings.traversal_max_nodes if filtered else self.max_nodes
        budget_ms = walk.time_budget_ms or settings.traversal_time_budget_ms
        seconds = budget_ms / 1000 if budget_ms else math.inf
        self.walk_deadline = time.monotonic() + seconds * _WALKING
        self.deadline = time.monotonic() + seconds
        self.parameters = walk.parameters(scope)
        self.depths: dict[str, int] = {start_id: 0}
        self.steps: dict[str, Step] = {}  #: to each memory visited, in the order of visits
        self.wanted: list[str] = []

    async def run(self) -> Reason | None:
        """Walk to the end, and return the bound that ended the walk, if any."""
        try:
            await self._breadth()
            deepest = [id_ for id_, depth in self.depths.items() if depth == self.max_depth]
            return "depth" if deepest and await self._ask(deepest, limit=1) else None
        except _Stopped as stopped:
            return stopped.reason
        finally:
            if self.walk.algorithm is Algorithm.DFS:
                self._order_depth_first()

    async def _breadth(self) -> None:
        level = [self.start_id]
        for _ in range(self.max_depth):
            following: list[str] = []
            pending = level
            while pending:
                pending = await self._spread(pending, following)
            level = following

    async def _spread(self, pending: list[str], following: list[str]) -> list[str]:
        """Visit the memories one step from `pending`; return those with steps left to fetch."""
        for from_id, found in (await self._ask(pending)).items():
            following += [step.to_id for step in found.steps if self._visit(step)]
            if not found.complete:
                return pending[pending.index(from_id) :]
        return []

    def _order_depth_first(self) -> None:
        """Order the visits as a depth-first walk makes them."""
        children: dict[str, list[str]] = {}
        for to_id, step in self.steps.items():
            children.setdefault(step.from_id, []).append(to_id)
        stack, order = [self.start_id], list[str]()
        while stack:
            order.append(stack.pop())
            stack += reversed(children.get(order[-1], []))
        self.steps = {id_: self.steps[id_] for id_ in order[1:]}
        self.wanted = [id_ for id_, step in self.steps.items() if step.wanted]

    def _visit(self, step: Step) -> bool:
        """Visit the memory at the end of a step; return False if it was visited before."""
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
        """Fetch the steps to unvisited memories, by the memory they start from."""
        limit = limit or _PAGE
        max_compared = self.engine.settings.traversal_fan
        per_memory = min(max_compared, limit, self.max_visits - len(self.steps) + 1)
        async with _until(self.walk_deadline):
            rows = await self.engine.graph.readable_rows(
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
            shown[rows[-1].from_id].complete = False
        return shown


@asynccontextmanager
async def _until(deadline: float) -> AsyncGenerator[None]:
    """Raise `_Stopped` if the context does not end before a deadline of `time.monotonic`."""
    seconds = None if deadline == math.inf else deadline - time.monotonic()
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise _Stopped("time") from None


def _bounded(argument: str, given: int | None, default: int, bound: int) -> int:
    if given is not None and given > bound:
        raise InvalidArgumentError(argument, given, f"it must be from 1 to {bound}")
    return min(given or default, bound)


async def _start(walker: _Walker) -> Memory:
    clocks = Clocks(as_of=walker.walk.as_of, known_at=walker.walk.known_at)
    found = await read.get_many(walker.engine, walker.scope, [walker.start_id], clocks)
    if not found:
        raise await not_found(
            walker.engine.graph, walker.scope.group_id, walker.start_id, clocks=clocks
        )
    return found[0]


async def _describe_walk(walker: _Walker, start: Memory, reason: Reason | None) -> Walked:
    """Fetch the memories to return, and trace the paths to them."""
    found: dict[str, ReachedMemory] = {}
    try:
        await _read_reached(walker, found)
    except _Stopped as stopped:
        reason = stopped.reason
    nodes = [found[id_] for id_ in walker.wanted if id_ in found]
    used = {memory_id for node in nodes for memory_id in node.path}
    return Walked(
        start=start,
        nodes=nodes,
        edges=[_relation(step) for to_id, step in walker.steps.items() if to_id in used],
        truncated=reason is not None,
        reason=reason,
    )


async def _read_reached(walker: _Walker, found: dict[str, ReachedMemory]) -> None:
    """Put the memories to return into `found`, by id; with a deadline in several queries."""
    size = len(walker.wanted) if walker.deadline == math.inf else _READ_AT_ONCE
    for batch in batched(walker.wanted, max(size, 1)):
        async with _until(walker.deadline):
            rows = await walker.engine.graph.sound_rows(
                "traversal/traverse/reached",
                _Reached,
                memory_ids=batch,
                known_at=optional_instant(walker.walk.known_at),
                decay=policies.parameters(walker.engine.settings),
                **walker.scope.parameters(),
            )
        nodes = (_node(walker, row.memory, row.decay_score) for row in rows if row.memory)
        found |= {node.memory_id: node for node in nodes}


def _node(walker: _Walker, memory: BriefMemory, decay_score: float) -> ReachedMemory:
    id_ = memory.memory_id
    return ReachedMemory(
        *_brief_fields(memory),
        attachments=memory.attachments,
        authority=memory.authority,
        decay_score=decay_score,
        depth=walker.depths[id_],
        path=_path(walker, id_),
    )


def _path(walker: _Walker, memory_id: str) -> list[str]:
    path = [memory_id]
    while path[-1] in walker.steps:
        path.append(walker.steps[path[-1]].from_id)
    return path[::-1]


def _relation(step: Step) -> WalkedRelation:
    ends = (step.from_id, step.to_id) if step.forward else (step.to_id, step.from_id)
    return WalkedRelation(*ends, step.relation_type, step.strength, step.via)
