"""Clusters of memories: communities by relations and by nearness in meaning.

Two memories are connected by relations that hold now, and by nearness: each memory notes once for a
text which memories are nearest (`near_json`). A near memory counts as much as a relation
`relates_to` whose strength is the cosine, as long as its text stays.

A memory stores its cluster (`cluster_id`). The most central one stores the label, too
(`cluster_label`). The values follow from relations, notes and texts. So a second run changes
nothing, and an interrupted one goes on.
"""

import asyncio
import json
import math
import sys
from collections import defaultdict
from collections.abc import AsyncGenerator, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.domain.batching import batched
from graph_memory.domain.models import LISTED_STATES, RelationType
from graph_memory.domain.scope import CallScope
from graph_memory.domain.turns import giving_turns
from graph_memory.learning.centrality import relation_weight
from graph_memory.learning.communities import centres, communities, labels, lasting_ids
from graph_memory.ranking.terms import content_terms
from graph_memory.settings.base import Settings

#: Memories of the index that are read for one memory, itself included.
_NEAREST = 6

#: Memories that are looked up in one statement, and memories that are stored in one transaction.
_BATCH = 200
_STORED = 2000

#: Characters of a text that give words to a label.
_CHARACTERS = 500

#: The relation as which a near memory counts, with the cosine as its strength.
_AS = RelationType.RELATES_TO

#: Ids of the nearest memories, with their cosines, −1 to 1, and the hashes of their texts.
Near = Mapping[str, tuple[float, str]]


@dataclass(frozen=True, slots=True)
class Looked:
    """A batch of memories that were looked up: what each notes, as JSON."""

    notes: dict[str, str]


@dataclass(frozen=True, slots=True)
class Change:
    """A place of a memory that changes: the cluster, and the label after '|'; empty for none."""

    memory_id: str
    was: str
    becomes: str


@dataclass(frozen=True, slots=True)
class Computed:
    """The places of memories that change, and what they were computed from."""

    changes: list[Change]
    reason: str


@dataclass(frozen=True, slots=True)
class _Pair:
    memory_id: str
    other_id: str
    hash: str
    cosine: float


@dataclass(slots=True)
class Network:
    """The memories of a group that take part, and what connects them."""

    settings: Settings
    places: dict[str, str] = field(default_factory=dict[str, str])
    fixed: set[str] = field(default_factory=set[str])  #: ids outside the canary
    words: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    hashes: dict[str, str] = field(default_factory=dict[str, str])
    related: list[tuple[str, str, float]] = field(default_factory=list[tuple[str, str, float]])
    near: dict[str, Near] = field(default_factory=dict[str, Near])
    texts: dict[str, str] = field(default_factory=dict[str, str])  #: text and model of a vector
    noted: dict[str, str | None] = field(default_factory=dict[str, str | None])  #: the same, noted

    def add(self, rows: Iterable[list[Any]]) -> None:
        """Add memories as the database returns them."""
        for row in giving_turns(rows):
            self._add(row)

    def _add(self, row: list[Any]) -> None:
        memory_id, place, counts, in_canary, text, hash_, vector_of, near, relations = row
        if place:
            self.places[memory_id] = place
        if not in_canary:
            self.fixed.add(memory_id)
        if not counts:
            return
        self.words[memory_id] = _words(text, self.settings.fulltext_analyzer)
        self.hashes[memory_id] = hash_
        self.related += ((memory_id, end, relation_weight(name, s)) for end, name, s in relations)
        self.noted[memory_id], self.near[memory_id] = _near(near)
        if vector_of:
            self.texts[memory_id] = vector_of

    def outdated(self) -> list[str]:
        """Return the memories to look up: those that noted another text or lost most neighbours."""
        waiting = (each for each in self.texts if each not in self.fixed)
        return sorted(each for each in giving_turns(waiting) if not self._holds(each))

    def _holds(self, memory_id: str) -> bool:
        """Check whether a memory noted its present text, and half of the near memories hold.

        A near memory that has changed is looked up itself. If all that it was near to were looked
        up, too, a change of one text would cost six look-ups.
        """
        near = self.near[memory_id]
        held = sum(self.hashes.get(each) == hash_ for each, (_, hash_) in near.items())
        return self.texts[memory_id] == self.noted[memory_id] and 2 * held >= len(near)

    def edges(self) -> dict[tuple[str, str], float]:
        """Return the weight of each pair that takes part."""
        found: dict[tuple[str, str], float] = {}
        for pair, weight in giving_turns(self._pairs(self._near_rows())):
            found[pair] = max(weight, found.get(pair, 0.0))
        related: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        for pair, weight in giving_turns(self._pairs(self.related)):
            related[pair].append(weight)
        for pair, weights in related.items():  # `fsum` does not depend on the order of relations
            found[pair] = math.fsum((found.get(pair, 0.0), *weights))
        return {pair: round(weight, 6) for pair, weight in found.items() if weight >= 1e-6}

    def _near_rows(self) -> Iterable[tuple[str, str, float]]:
        """Yield the near pairs, as relations, whose texts are those that were compared."""
        least = self.settings.cluster_min_similarity
        for memory_id, near in self.near.items():
            for other, (cosine, hash_) in near.items():
                if least <= cosine <= 1 and self.hashes.get(other) == hash_:
                    yield memory_id, other, relation_weight(_AS, cosine)

    def _pairs(
        self, rows: Iterable[tuple[str, str, float]]
    ) -> Iterable[tuple[tuple[str, str], float]]:
        for one, other, weight in rows:
            if one != other and other in self.words:
                yield (min(one, other), max(one, other)), weight


async def read(graph: Graph, settings: Settings, scope: CallScope, canary: int = 100) -> Network:
    """Read the memories of a group, with their relations and what they note.

    Args:
        graph: The database.
        settings: The least cosine of near memories.
        scope: The tenant, and the instant at which memories must be true and relations hold.
        canary: Share of the memories to change, 0 to 100 percent; all take part.
    """
    network = Network(settings)
    async for block in graph.stream(
        "learning/clusters/memories", canary=canary, characters=_CHARACTERS, **scope.parameters()
    ):
        # In threads, so that the process answers other calls and renews the lease.
        await asyncio.to_thread(network.add, block)
    return network


async def look_up(graph: Graph, scope: CallScope, network: Network) -> AsyncGenerator[Looked]:
    """Look up the nearest memories of new and changed memories, and yield them in batches.

    A memory is looked up again if most of its near memories have changed or count no more. The
    results are added to the network, too.
    """
    outdated = await asyncio.to_thread(network.outdated)
    for batch in batched(outdated, _BATCH):
        pairs = await graph.rows(
            "learning/clusters/near",
            _Pair,
            memory_ids=batch,
            states=list(LISTED_STATES),
            nearest=_NEAREST,
            **scope.parameters(),
        )
        network.near.update((each, {}) for each in batch)
        for memory_id, found in groupby(pairs, key=lambda pair: pair.memory_id):
            network.near[memory_id] = {pair.other_id: (pair.cosine, pair.hash) for pair in found}
        yield Looked({each: _note(network.texts[each], network.near[each]) for each in batch})


async def note_near(graph: Graph, scope: CallScope, looked: Looked, run_id: str) -> None:
    """Note on memories which memories are nearest, with a record for undo."""
    notes = sorted(looked.notes.items())
    await graph.run(
        "learning/clusters/note_near",
        memory_ids=[memory_id for memory_id, _ in notes],
        notes=[note for _, note in notes],
        run_id=run_id,
        **scope.parameters(),
    )


async def compute(scope: CallScope, network: Network) -> Computed:
    """Compute the clusters of a group, and return the places of memories that change."""
    return await asyncio.to_thread(_computed, scope.group_id, network)


async def store(graph: Graph, scope: CallScope, computed: Computed, run_id: str) -> None:
    """Store changed places, with a record for undo."""
    for batch in batched(sorted(computed.changes, key=lambda each: each.memory_id), _STORED):
        await graph.run(
            "learning/clusters/store",
            memory_ids=[each.memory_id for each in batch],
            places=[each.becomes for each in batch],
            run_id=run_id,
            reason=computed.reason,
            **scope.parameters(),
        )


def _computed(group_id: str, network: Network) -> Computed:
    edges = network.edges()
    reason = f"Leiden communities of {len(network.words)} memories by {len(edges)} connections"
    return Computed(_changes(network, _places(group_id, network, edges)), reason)


def _places(
    group_id: str, network: Network, edges: Mapping[tuple[str, str], float]
) -> dict[str, str]:
    """Return the place of each memory that is in a cluster."""
    found = communities(edges)
    earlier = {memory_id: place.split("|")[0] for memory_id, place in network.places.items()}
    ids = lasting_ids(group_id, found, {each: known for each, known in earlier.items() if known})
    named = zip(found, ids, centres(found, edges), labels(found, network.words), strict=True)
    return {
        member: f"{cluster_id}|{label}" if member == centre else cluster_id
        for members, cluster_id, centre, label in named
        for member in members
    }


def _changes(network: Network, places: Mapping[str, str]) -> list[Change]:
    everything = dict.fromkeys((*places, *network.places))
    changes = (Change(m, network.places.get(m, ""), places.get(m, "")) for m in everything)
    return [
        each for each in changes if each.was != each.becomes and each.memory_id not in network.fixed
    ]


def _words(text: str, analyzer: str) -> tuple[str, ...]:
    """Return the words of a text that can be in a label, each once; memories share the strings."""
    words = content_terms(text, analyzer)
    return tuple(sys.intern(word) for word in words if len(word) > 1 and not word.isdigit())


def _note(vector_of: str, near: Near) -> str:
    """Return what a memory notes; it begins with the text and model of its vector."""
    return json.dumps([vector_of, near], ensure_ascii=False)


def _near(noted: str | None) -> tuple[str | None, Near]:
    """Return what a memory noted: its text and model, and the nearest memories.

    A note that another client has damaged is none.
    """
    try:
        note, near = json.loads(noted or "[null, {}]")
        return note, {str(other): (float(c), str(hash_)) for other, (c, hash_) in near.items()}
    except (AttributeError, TypeError, ValueError):
        return None, {}
