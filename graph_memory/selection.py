"""Choose what to give a conversation: rank candidates, and fill a budget. No I/O."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from graph_memory.memories import FoundMemory, Memory
from graph_memory.profiles import Profile
from graph_memory.sessions import Session, Status
from graph_memory.settings import Settings


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that may be given, and what it would cost."""

    found: FoundMemory
    distance: int | None  #: relations from the nearest anchor; None if none was walked
    tokens: int = 0  #: of the content


@dataclass(frozen=True, slots=True)
class RetrievedMemory:
    """A memory given to the conversation, and why."""

    memory: Memory
    similarity: float | None  #: (1 + cosine) / 2 of question and content, 0 to 1
    score: float  #: 0 to 1
    components: dict[str, float | None]
    tokens: int  #: of the content
    distance: int | None  #: relations from the nearest anchor
    status: Status


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A memory that lies around the anchors, or is to be given again."""

    memory: Memory
    similarity: float | None
    score: float
    components: dict[str, float | None]
    distance: int | None


def ranked(
    found: Sequence[FoundMemory],
    around: Sequence[Neighbour],
    profile: Profile,
    settings: Settings,
) -> list[Candidate]:
    """List what was found and what lies around it, each memory once."""
    neighbours = {neighbour.memory.memory_id: neighbour for neighbour in around}
    met = [
        Candidate(hit, _distance(hit, neighbours.pop(hit.memory.memory_id, None))) for hit in found
    ]
    met += [
        Candidate(FoundMemory(n.memory, n.similarity, n.score, n.components), n.distance)
        for n in neighbours.values()
    ]
    return _spread(met, found, settings) if profile is Profile.RECALL else met


def _distance(hit: FoundMemory, neighbour: Neighbour | None) -> int | None:
    """Return how far a hit is from the anchors; a hybrid search has measured it."""
    if neighbour:
        return neighbour.distance
    measured = hit.components.get("distance")
    return None if measured is None else int(measured)


def _spread(
    met: Sequence[Candidate], found: Sequence[FoundMemory], settings: Settings
) -> list[Candidate]:
    """Score by the profile `recall` and by nearness to an anchor.

    A neighbour that the search did not find answers no better than the last that it found: it has
    that score, times its cosine over the best.
    """
    hits = {hit.memory.memory_id for hit in found}
    least = min((hit.score for hit in found), default=0.0)
    best = max((2 * hit.similarity - 1 for hit in found if hit.similarity), default=0.0)
    weight = settings.spread_weight

    def scored(candidate: Candidate) -> Candidate:
        hit = candidate.found
        direct = hit.score
        if hit.memory.memory_id not in hits:
            direct = least * min(1.0, hit.score / best) if best > 0 else 0.0
        near = 0.0 if candidate.distance is None else 1 / (candidate.distance + 1)
        score = (direct + weight * near) / (1 + weight)
        components = {**hit.components, "near": near}
        return replace(candidate, found=replace(hit, score=score, components=components))

    return [scored(candidate) for candidate in met]


def chosen(
    session: Session, candidates: Sequence[Candidate], position: int, settings: Settings
) -> tuple[list[RetrievedMemory], list[str]]:
    """Fill the budget with the best that the conversation lacks; name what it has, best first."""
    in_order = sorted(candidates, key=lambda c: (-c.found.score, c.found.memory.memory_id))
    by_id = {candidate.found.memory.memory_id: candidate for candidate in in_order}
    threshold = settings.staleness_threshold
    statuses = {
        id_: session.status(id_, candidate.found.memory.content, position, threshold)
        for id_, candidate in by_id.items()
    }
    lacking = {id_: status for id_, status in statuses.items() if status}
    best, _ = select_budget(
        ((id_, by_id[id_].found.score, by_id[id_].tokens) for id_ in lacking),
        settings.default_token_budget,
    )
    return [_given(by_id[id_], lacking[id_]) for id_ in best], [
        id_ for id_, status in statuses.items() if status is None
    ]


def _given(candidate: Candidate, status: Status) -> RetrievedMemory:
    hit = candidate.found
    return RetrievedMemory(
        hit.memory, hit.similarity, hit.score, hit.components,
        candidate.tokens, candidate.distance, status,
    )  # fmt: skip


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
