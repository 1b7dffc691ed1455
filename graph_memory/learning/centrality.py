"""Centrality of memories: personalised PageRank over the relations that hold now.

A walk starts at memories in proportion to their use, and follows relations in proportion to the
weight of their type and their strength. With the probability `1 - DAMPING`, or at a memory without
a relation, it starts again. The centrality is the share of its time at a memory, divided by the
greatest share.

The values follow from access counts and relations alone. So a second run changes nothing. The
relations are streamed, and numpy computes: an iteration takes milliseconds, in Cypher seconds.

Source: Brin and Page, The Anatomy of a Large-Scale Hypertextual Web Search Engine, 1998.
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graph_memory.database.graph import Graph
from graph_memory.domain.batching import batched
from graph_memory.domain.models import CentralRelation, RelationType
from graph_memory.domain.scope import CallScope

#: The probability that a walk goes on along a relation.
DAMPING = 0.85

#: The weight of a relation by its type; other types weigh 1. A successor takes nothing from the
#: memory that it replaced, and neighbours in a conversation say little.
_WEIGHTS: Mapping[str, float] = {
    RelationType.SUPERSEDES: 0.0,
    RelationType.CONTRADICTS: 0.5,
    RelationType.RELATES_TO: 0.5,
    RelationType.PRECEDES: 0.25,
    RelationType.FOLLOWS: 0.25,
}

#: The types that lead in both directions.
_SYMMETRIC = frozenset((RelationType.RELATES_TO, RelationType.CONTRADICTS))

#: The sum of changes in one iteration below which the walk has converged, and the most iterations.
_TOLERANCE = 1e-10
_ITERATIONS = 500

#: Significant digits that are stored. Fewer changes are written, and the order stays.
_DIGITS = 3

#: Memories in one transaction.
_BATCH = 2000

#: Relations that an explanation lists.
_EXPLAINED = 3

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Change:
    """A centrality that changes; None is none."""

    memory_id: str
    was: float | None
    becomes: float | None


@dataclass(frozen=True, slots=True)
class Computed:
    """The centralities of a group that change, and what they were computed from."""

    changes: list[Change]
    reason: str


@dataclass(frozen=True, slots=True)
class _Source:
    from_id: str
    name: str
    outgoing: bool
    strength: float
    centrality: float
    given: list[list[Any]]


@dataclass(slots=True)
class _Network:
    """The memories of a group that take part, and the relations between them."""

    ids: list[str] = field(default_factory=list[str])
    accesses: list[int] = field(default_factory=list[int])
    stored: dict[str, float] = field(default_factory=dict[str, float])
    fixed: set[str] = field(default_factory=set[str])  #: ids outside the canary
    relations: list[tuple[str, str, float]] = field(default_factory=list[tuple[str, str, float]])

    def add(self, row: list[Any]) -> None:
        """Add a memory as the database returns it."""
        memory_id, accesses, stored, counts, in_canary, relations = row
        if stored is not None:
            self.stored[memory_id] = stored
        if not in_canary:
            self.fixed.add(memory_id)
        if counts:
            self.ids.append(memory_id)
            self.accesses.append(accesses)
            self.relations += _weighted(memory_id, relations)


async def compute(graph: Graph, scope: CallScope, canary: int = 100) -> Computed:
    """Compute the centralities of a group, and return those that change.

    Args:
        graph: The database.
        scope: The tenant, and the instant at which relations hold.
        canary: Share of the memories to change, 0 to 100 percent; all take part.
    """
    network = _Network()
    stream = graph.stream("learning/centrality/memories", canary=canary, **scope.parameters())
    async for block in stream:
        for row in block:
            network.add(row)
    # In a thread, so that a server answers other calls in the seconds that a large group takes.
    return await asyncio.to_thread(_computed, network)


async def store(graph: Graph, scope: CallScope, computed: Computed, run_id: str) -> None:
    """Store changed centralities, with a record for undo."""
    for batch in batched(sorted(computed.changes, key=lambda each: each.memory_id), _BATCH):
        await graph.run(
            "learning/centrality/store",
            memory_ids=[each.memory_id for each in batch],
            values=[-1.0 if each.becomes is None else each.becomes for each in batch],
            run_id=run_id,
            reason=computed.reason,
            **scope.parameters(),
        )


async def explain(graph: Graph, scope: CallScope, memory_id: str) -> list[CentralRelation]:
    """Return the relations that give a memory most of its centrality, at most three."""
    sources = await graph.rows(
        "learning/centrality/sources", _Source, memory_id=memory_id, **scope.parameters()
    )
    given = [(each, _given(each)) for each in sources]
    total = sum(amount for _, amount in given)
    best = sorted(given, key=lambda pair: (-pair[1], pair[0].from_id))[:_EXPLAINED]
    return [
        CentralRelation(each.from_id, each.name, round(amount / total, 4))
        for each, amount in best
        if amount > 0
    ]


def pagerank(sources: Indices, targets: Indices, weights: Floats, restart: Floats) -> Floats:
    """Return the PageRank of each node; the sum is 1.

    Args:
        sources: Start of each edge, 0 to n - 1.
        targets: End of each edge.
        weights: Weight of each edge, at least 0.
        restart: Weight of each of the n nodes as a start, at least 0; all 0 means equal weights.
    """
    count = len(restart)
    if not count:
        return restart
    total = restart.sum()
    start = restart / total if total > 0 else np.full(count, 1 / count)
    out = np.bincount(sources, weights=weights, minlength=count)
    dangling = out == 0
    share = weights / np.where(dangling, 1.0, out)[sources]
    rank = start
    for _ in range(_ITERATIONS):
        flow = np.bincount(targets, weights=rank[sources] * share, minlength=count)
        lost = rank[dangling].sum()
        following = DAMPING * (flow + lost * start) + (1 - DAMPING) * start
        change = np.abs(following - rank).sum()
        rank = following
        if change < _TOLERANCE:
            break
    return rank


def _weighted(memory_id: str, relations: Iterable[Any]) -> list[tuple[str, str, float]]:
    """Return the weighted edges of the relations of a memory, in the directions that count."""
    edges: list[tuple[str, str, float]] = []
    for other_id, name, strength in relations:
        weight = relation_weight(name, strength)
        if weight > 0:
            edges.append((memory_id, other_id, weight))
            if name in _SYMMETRIC:
                edges.append((other_id, memory_id, weight))
    return edges


def relation_weight(name: str, strength: float) -> float:
    """Return the weight of a relation by its type and strength, 0 to 1."""
    return _WEIGHTS.get(name, 1.0) * strength


def _computed(network: _Network) -> Computed:
    values = _centralities(network)
    reason = (
        f"PageRank of {len(network.ids)} memories and {len(network.relations)} weighted relations"
    )
    return Computed(_changes(network, values), reason)


def _centralities(network: _Network) -> dict[str, float]:
    """Return the centrality of each memory that takes part, to the digits that are stored."""
    place = {memory_id: i for i, memory_id in enumerate(network.ids)}
    edges = [
        (place[start], place[end], weight)
        for start, end, weight in network.relations
        if start in place and end in place
    ]
    columns = np.array(edges, dtype=np.float64).reshape(-1, 3)
    sources, targets = (columns[:, i].astype(np.int64) for i in (0, 1))
    restart = np.log1p(np.array(network.accesses, dtype=np.float64))
    rank = pagerank(sources, targets, columns[:, 2], restart)
    top = rank.max(initial=0.0)
    scaled = rank / top if top > 0 else rank
    return {
        memory_id: float(f"{value:.{_DIGITS}g}")
        for memory_id, value in zip(network.ids, scaled.tolist(), strict=True)
    }


def _changes(network: _Network, values: Mapping[str, float]) -> list[Change]:
    everything = dict.fromkeys((*network.ids, *network.stored))
    changes = (Change(each, network.stored.get(each), values.get(each)) for each in everything)
    return [
        each for each in changes if each.was != each.becomes and each.memory_id not in network.fixed
    ]


def _given(source: _Source) -> float:
    """Return the part of the giver's centrality that a relation carries."""
    if source.outgoing and source.name not in _SYMMETRIC:
        return 0.0
    out = sum(
        relation_weight(name, strength)
        for name, strength, outgoing in source.given
        if outgoing or name in _SYMMETRIC
    )
    weight = relation_weight(source.name, source.strength)
    return source.centrality * weight / out if out > 0 else 0.0
