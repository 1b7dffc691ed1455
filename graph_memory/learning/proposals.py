"""Proposals of relations between memories: found by meaning and words, stored for a review.

A proposal is not a relation. It waits until a caller or a setting accepts or rejects it. Its id
follows from its kind and its memories, so the same proposal is stored once, and a rejected one is
not made again.

The stage compares each memory once per text: the memory notes the hash of the text that was
compared (`proposed_hash`).

Texts are compared in threads, so that the process answers other calls.
"""

import asyncio
import textwrap
import unicodedata
import uuid
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby

from graph_memory.database.graph import Graph
from graph_memory.domain.batching import batched
from graph_memory.domain.models import (
    ConflictKind,
    LifecycleState,
    PossibleConflict,
    ProposalKind,
)
from graph_memory.domain.scope import CallScope
from graph_memory.domain.turns import giving_turns
from graph_memory.memories.conflicts import MOST_CHARACTERS, conflict_model
from graph_memory.memories.neighbours import conflict_with
from graph_memory.ranking.terms import content_terms, content_words
from graph_memory.settings.base import Settings

#: Memories that are compared in one statement.
_BATCH = 200

#: Neighbours that are read for each proposal of a memory; some are related already.
_OVERFETCH = 3

#: A word is rare if at most this share of the memories of a group have it, or so few memories.
_RARE_SHARE = 0.01
_RARE_MEMORIES = 2

#: The share of the distance to 1 by which many rare words that two memories share raise a cosine.
_RARE_GAIN = 0.5

#: Shared words that a reason names, and characters of a text that it quotes.
_NAMED = 3
_QUOTED = 80

#: The least cosine of a pair that may conflict; the nearest neighbours are compared.
_LEAST_OF_CONFLICTS = 0.0

#: The relation of the later memory to the earlier one by the kind of their conflict.
_OF_CONFLICT = {
    ConflictKind.NEGATES: ProposalKind.CONTRADICTS,
    ConflictKind.REPLACES: ProposalKind.SUPERSEDES,
}

_ARTICLES = frozenset(("a", "an", "the"))
_STATES = [LifecycleState.ACTIVE, LifecycleState.DORMANT]
_NAMESPACE = uuid.UUID("5b2a4c0e-6d0f-5f5e-9a3c-7d1f0a6b8c21")


@dataclass(frozen=True, slots=True)
class NewProposal:
    """A proposal that is not stored yet: the relation of one memory to another."""

    kind: ProposalKind
    from_id: str
    to_id: str
    reason: str
    score: float  #: 0 to 1

    @property
    def proposal_id(self) -> str:
        """The id, which follows from the kind and the memories."""
        ends = [self.from_id, self.to_id]
        if self.kind is not ProposalKind.SUPERSEDES:
            ends.sort()  # the other kinds say the same in both directions
        return str(uuid.uuid5(_NAMESPACE, "|".join((self.kind, *ends))))


@dataclass(frozen=True, slots=True)
class Compared:
    """A batch of memories that were compared, with the hashes of their texts, and the proposals."""

    memories: dict[str, str]
    proposals: list[NewProposal]


@dataclass(frozen=True, slots=True)
class _Near:
    memory_id: str
    text: str
    other_id: str
    other: str
    cosine: float
    model: str
    newer: bool
    related: bool
    settled: bool


@dataclass(slots=True)
class _Rarity:
    """The number of memories that have each word."""

    analyzer: str
    memories: int = 0
    counts: Counter[str] = field(default_factory=Counter[str])

    def add(self, texts: Iterable[str]) -> None:
        """Count the words of memories."""
        for text in giving_turns(texts):
            self.memories += 1
            self.counts.update(self._words(text))

    def shared(self, text: str, other: str) -> list[str]:
        """Return the rare words that two texts share, the rarest first."""
        most = max(_RARE_MEMORIES, self.memories * _RARE_SHARE)
        both = self._words(text) & self._words(other)
        rare = (word for word in both if self.counts[word] <= most)
        return sorted(rare, key=lambda word: (self.counts[word], word))

    def _words(self, text: str) -> set[str]:
        return content_terms(text, self.analyzer)


async def compare(
    graph: Graph, settings: Settings, scope: CallScope, canary: int = 100
) -> AsyncGenerator[Compared]:
    """Compare the memories of a group that are new or changed, and yield what to propose.

    Args:
        graph: The database.
        settings: The limits of proposals.
        scope: The tenant, and the instant at which memories must be true.
        canary: Share of the memories to compare, 0 to 100 percent.
    """
    waiting = await _waiting(graph, scope, canary)
    rarity = _Rarity(settings.fulltext_analyzer)
    if waiting:  # else no pair needs the words of all texts
        await _count_words(graph, scope, rarity)
    for batch in batched(sorted(waiting), _BATCH):
        near = await graph.rows(
            "learning/proposals/near",
            _Near,
            memory_ids=batch,
            states=_STATES,
            nearest=_OVERFETCH * settings.proposals_per_memory + 1,
            least=_least_cosine(settings),
            **scope.parameters(),
        )
        proposals = await asyncio.to_thread(_best, near, rarity, settings)
        yield Compared({memory_id: waiting[memory_id] for memory_id in batch}, proposals)


async def propose(
    graph: Graph, scope: CallScope, proposals: Sequence[NewProposal], run_id: str | None = None
) -> int:
    """Store proposals, and return the number of those that did not exist.

    Args:
        graph: The database.
        scope: The tenant, the instant, and the origin; the authority is the least.
        proposals: The proposals; one about a memory that does not exist is left out.
        run_id: The maintenance run that proposes; None outside of runs.
    """
    if not proposals:
        return 0
    rows = [asdict(each) | {"proposal_id": each.proposal_id} for each in proposals]
    rows.sort(key=lambda row: row["proposal_id"])
    created = await graph.one(
        "learning/proposals/propose",
        int,
        proposals=rows,
        run_id=run_id,
        **scope.parameters(),
        **scope.derived(run_id),
    )
    return created or 0


async def note_compared(graph: Graph, scope: CallScope, compared: Compared, run_id: str) -> None:
    """Note on memories which of their texts was compared, with a record for undo."""
    rows = [
        {"memory_id": memory_id, "content_hash": content_hash}
        for memory_id, content_hash in sorted(compared.memories.items())
    ]
    await graph.run(
        "learning/proposals/note_compared", compared=rows, run_id=run_id, **scope.parameters()
    )


async def unknown(graph: Graph, proposals: Sequence[NewProposal]) -> list[NewProposal]:
    """Return the proposals that are not stored yet."""
    ids = [each.proposal_id for each in proposals]
    known = set(await graph.rows("learning/proposals/known", str, proposal_ids=ids))
    return [each for each in proposals if each.proposal_id not in known]


def same_words(text: str, other: str) -> bool:
    """Check whether two texts have the same words in the same order.

    Case, punctuation, articles and forms of Unicode do not count.
    """
    return _normalised(text) == _normalised(other)


async def _waiting(graph: Graph, scope: CallScope, canary: int) -> dict[str, str]:
    """Return the hashes of the texts that are to be compared, by memory."""
    found: dict[str, str] = {}
    async for block in graph.stream(
        "learning/proposals/waiting", states=_STATES, canary=canary, **scope.parameters()
    ):
        found.update((memory_id, content_hash) for memory_id, content_hash in block)
    return found


async def _count_words(graph: Graph, scope: CallScope, rarity: _Rarity) -> None:
    async for block in graph.stream(
        "learning/proposals/texts", states=_STATES, **scope.parameters()
    ):
        await asyncio.to_thread(rarity.add, [text for (text,) in block])


def _least_cosine(settings: Settings) -> float:
    """Return the cosine below which no pair can be proposed."""
    if settings.conflict_neighbours:
        return _LEAST_OF_CONFLICTS
    related = (settings.proposal_min_score - _RARE_GAIN) / (1 - _RARE_GAIN)
    return min(related, settings.duplicate_min_similarity)


def _best(near: Iterable[_Near], rarity: _Rarity, settings: Settings) -> list[NewProposal]:
    """Return all duplicates and conflicts, and the best other proposals of each memory."""
    found: dict[str, NewProposal] = {}
    for _, pairs in groupby(giving_turns(near), key=lambda pair: pair.memory_id):
        proposals = list(_of_memory(pairs, rarity, settings))
        related = [each for each in proposals if each.kind is ProposalKind.RELATES_TO]
        related.sort(key=lambda each: (-each.score, each.proposal_id))
        left_out = related[settings.proposals_per_memory :]
        found.update((each.proposal_id, each) for each in proposals if each not in left_out)
    return list(found.values())


def _of_memory(
    pairs: Iterable[_Near], rarity: _Rarity, settings: Settings
) -> Iterator[NewProposal]:
    """Yield the proposals of one memory and its neighbours, the nearest neighbour first.

    A pair with a conflict gets no other proposal. A memory is compared with its nearest
    `conflict_neighbours` earlier neighbours, as a memory that is added, and with each neighbour
    that would get another proposal.
    """
    earlier, most = 0, settings.conflict_neighbours
    for pair in pairs:
        proposal = _proposal(pair, rarity, settings)
        earlier += pair.newer
        if most and (proposal or (pair.newer and earlier <= most)):
            proposal = _conflict(pair) or proposal
        if proposal:
            yield proposal


def _conflict(pair: _Near) -> NewProposal | None:
    """Return the proposal that settles the conflict of two memories, if any."""
    model = None if pair.settled else conflict_model(pair.model)
    if not model or same_words(pair.text, pair.other):
        return None
    ends = ((pair.memory_id, pair.text), (pair.other_id, pair.other))
    (from_id, text), (to_id, before) = ends if pair.newer else ends[::-1]
    found = conflict_with(
        to_id, text[:MOST_CHARACTERS], before[:MOST_CHARACTERS], pair.cosine, model
    )
    if not found:
        return None
    kind, reason = _OF_CONFLICT[found.kind], _difference(found, pair.cosine)
    return NewProposal(kind, from_id, to_id, reason, found.score)


def _difference(conflict: PossibleConflict, cosine: float) -> str:
    """Return the parts of two memories that differ, as a reason."""
    earlier, new = (
        textwrap.shorten(passage.text, _QUOTED, placeholder="…")
        for passage in (conflict.earlier_passage, conflict.passage)
    )
    return f'{conflict.kind} "{earlier}" by "{new}"; cosine {cosine:.2f}'


def _proposal(pair: _Near, rarity: _Rarity, settings: Settings) -> NewProposal | None:
    """Return the proposal that a pair without a relation deserves, from the newer to the older."""
    if pair.related:
        return None
    ends = (pair.memory_id, pair.other_id)
    from_id, to_id = ends if pair.newer else ends[::-1]
    cosine = min(max(pair.cosine, 0.0), 1.0)
    measured = f"cosine {cosine:.2f}"
    if cosine >= settings.duplicate_min_similarity and same_words(pair.text, pair.other):
        reason = f"the same words; {measured}"
        return NewProposal(ProposalKind.DUPLICATE_OF, from_id, to_id, reason, round(cosine, 4))
    shared = rarity.shared(pair.text, pair.other)
    score = cosine + (1 - cosine) * _RARE_GAIN * (1 - 1 / (1 + len(shared)))
    if score < settings.proposal_min_score:
        return None
    words = ", ".join(f"'{word}'" for word in shared[:_NAMED])
    reason = f"{measured}; both have {words}" if words else measured
    return NewProposal(ProposalKind.RELATES_TO, from_id, to_id, reason, round(score, 4))


def _normalised(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    words = (word.term for word in content_words(plain, ""))
    return [word for word in words if word not in _ARTICLES]
