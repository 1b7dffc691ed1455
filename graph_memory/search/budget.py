"""Choose what to give a conversation: rank candidates, and fill a budget. No I/O."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from graph_memory.domain.models import BriefMemory
from graph_memory.ranking.profiles import Profile
from graph_memory.ranking.scoring import PLACES
from graph_memory.search.session import Session, Status
from graph_memory.settings.base import Settings


class Hit(NamedTuple):
    """A memory that a search found, mostly with what it tells."""

    memory_id: str
    similarity: float | None  #: (1 + cosine) / 2 of question and content, 0 to 1
    score: float  #: 0 to 1
    components: dict[str, float | None]
    memory: BriefMemory | None = None
    related: bool = True  #: whether a walk may lead on from it


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that may be given: one that was found, lies around the anchors, or has changed."""

    memory: BriefMemory
    similarity: float | None
    score: float
    components: dict[str, float | None]
    distance: int | None  #: relations from the nearest anchor; None if none was walked


@dataclass(frozen=True, slots=True)
class RetrievedMemory:
    """A memory given to the conversation, and why."""

    memory: BriefMemory
    similarity: float | None  #: (1 + cosine) / 2 of question and content, 0 to 1
    score: float  #: 0 to 1
    components: dict[str, float | None]
    tokens: int  #: of the content
    distance: int | None  #: relations from the nearest anchor
    status: Status


def ranked(
    hits: Sequence[Hit],
    read: Sequence[Candidate],
    begun: Sequence[Hit],
    profile: Profile,
    settings: Settings,
) -> list[Candidate]:
    """List what was found and what lies around it, each memory once.

    Args:
        hits: What a search found, best first.
        read: What lies around the anchors, and the hits that came without what they tell.
        begun: The hits from which was walked.
        profile: Of the search.
        settings: How much nearness counts.
    """
    others = {candidate.memory.memory_id: candidate for candidate in read}
    nearest = {hit.memory_id for hit in begun}
    met: list[Candidate] = []
    for hit in hits:
        known = others.pop(hit.memory_id, None)
        # One that came without what it tells may have gone meanwhile.
        if memory := hit.memory or (known and known.memory):
            distance = 0 if hit.memory_id in nearest else _distance(hit, known)
            met.append(Candidate(memory, hit.similarity, hit.score, hit.components, distance))
    met += others.values()
    return _spread(met, hits, settings) if profile is Profile.RECALL else met


def _distance(hit: Hit, known: Candidate | None) -> int | None:
    """Return how far a hit is from the anchors; a hybrid search has measured it."""
    measured = hit.components.get("distance")
    if measured is not None:
        return int(measured)
    return known.distance if known else None


def _spread(met: Sequence[Candidate], hits: Sequence[Hit], settings: Settings) -> list[Candidate]:
    """Score by the profile `recall` and by nearness to an anchor.

    A neighbour that the search did not find answers no better than the last that it found: it has
    that score, times its cosine over the best.
    """
    found = {hit.memory_id for hit in hits}
    least = min((hit.score for hit in hits), default=0.0)
    best = max((2 * hit.similarity - 1 for hit in hits if hit.similarity), default=0.0)
    weight = settings.spread_weight

    def scored(candidate: Candidate) -> Candidate:
        direct = candidate.score
        if candidate.memory.memory_id not in found:
            direct = least * min(1.0, direct / best) if best > 0 else 0.0
        near = 0.0 if candidate.distance is None else round(1 / (candidate.distance + 1), PLACES)
        score = round((direct + weight * near) / (1 + weight), PLACES)
        components = {**candidate.components, "near": near}
        return Candidate(
            candidate.memory, candidate.similarity, score, components, candidate.distance
        )

    return [scored(candidate) for candidate in met]


def chosen(
    session: Session,
    candidates: Sequence[tuple[Candidate, int]],
    position: int,
    settings: Settings,
) -> tuple[list[RetrievedMemory], list[str]]:
    """Fill the budget with the best that the conversation lacks; name what it has, best first.

    Args:
        session: What the conversation has.
        candidates: Each with the tokens of its content.
        position: Tokens of the conversation so far.
        settings: The budget, and when a memory is stale.
    """
    in_order = sorted(candidates, key=lambda c: (-c[0].score, c[0].memory.memory_id))
    by_id = {candidate.memory.memory_id: (candidate, tokens) for candidate, tokens in in_order}
    threshold = settings.staleness_threshold
    statuses = {
        id_: session.status(id_, candidate.memory.content, position, threshold)
        for id_, (candidate, _) in by_id.items()
    }
    lacking = {id_: status for id_, status in statuses.items() if status}
    best, _ = select_budget(
        ((id_, by_id[id_][0].score, by_id[id_][1]) for id_ in lacking),
        settings.default_token_budget,
    )
    return [_given(*by_id[id_], lacking[id_]) for id_ in best], [
        id_ for id_, status in statuses.items() if status is None
    ]


def _given(candidate: Candidate, tokens: int, status: Status) -> RetrievedMemory:
    return RetrievedMemory(
        candidate.memory,
        candidate.similarity,
        candidate.score,
        candidate.components,
        tokens,
        candidate.distance,
        status,
    )


def select_budget(
    candidates: Iterable[tuple[str, float, int]], max_tokens: int
) -> tuple[list[str], int]:
    """Choose greedily under a budget: by score descending, ties by id.

    One that does not fit is passed over, and smaller ones after it may still be taken.

    Args:
        candidates: Id, score and tokens of each.
        max_tokens: Most tokens to use; never exceeded.

    Returns:
        The ids chosen, best first, and the tokens they use.
    """
    chosen: list[str] = []
    used = 0
    for id_, _, tokens in sorted(candidates, key=lambda c: (-c[1], c[0])):
        if used + tokens <= max_tokens:
            chosen.append(id_)
            used += tokens
    return chosen, used
