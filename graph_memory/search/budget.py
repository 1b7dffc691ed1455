"""Choice of the memories that a token budget is spent on. No I/O."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from graph_memory.domain.briefs import joined
from graph_memory.domain.models import BriefMemory, FoundMemory, ResultOrder
from graph_memory.domain.passages import Passage
from graph_memory.ranking.candidates import DECIMALS
from graph_memory.ranking.profiles import Profile
from graph_memory.search.session import LoadStatus, Session, version
from graph_memory.settings.base import Settings


class SearchHit(NamedTuple):
    """A memory that the search of a retrieval found."""

    memory_id: str
    similarity: float | None  #: (1 + cosine) / 2 of question and content, 0 to 1
    score: float  #: 0 to 1
    components: dict[str, float | None]
    memory: BriefMemory | None = None  #: None if the search did not fetch it
    related: bool = True  #: False if the memory has no relations
    relevance: float | None = None  #: 0 to 1; None without a calibration
    passage: tuple[int, int] | None = None  #: start and end of the best passage


@dataclass(frozen=True, slots=True)
class BudgetCandidate:
    """A memory that retrieval may return: a hit, a neighbour of an anchor, or a changed memory."""

    memory: BriefMemory
    similarity: float | None
    score: float
    components: dict[str, float | None]
    distance: int | None  #: relations from the nearest anchor; None if no walk reached it
    relevance: float | None = None  #: 0 to 1; None without a calibration
    passage: Passage | None = None  #: the part of a long content to return
    parts: tuple[Passage, ...] = ()  #: the brief to return in its place

    @property
    def text(self) -> str:
        """The text to return: the brief, the passage, or all of the content."""
        return joined(self._parts) if self._parts else self.memory.content

    @property
    def version(self) -> str:
        """The version of the content, and of the parts of it to return."""
        return version(self.memory.content, *self._parts)

    @property
    def as_brief(self) -> "BudgetCandidate | None":
        """The candidate with its brief; None without a brief with a sentence of the passage."""
        brief, passage = self.memory.brief, self.passage
        parts = brief.parts(self.memory.content) if brief else ()
        bears = not passage or any(
            part.start < passage.end and passage.start < part.end for part in parts
        )
        return replace(self, passage=None, parts=parts) if parts and bears else None

    @property
    def _parts(self) -> tuple[Passage, ...]:
        return self.parts or ((self.passage,) if self.passage else ())


#: A candidate with the tokens that it takes of a budget.
Priced = tuple[BudgetCandidate, int]


@dataclass(frozen=True, slots=True)
class RetrievedMemory:
    """A memory that retrieval returns, and the reason.

    Of a long memory, `memory.content` is the text of the best passage, or of the brief if only that
    fits the budget. `get` returns all of it.
    """

    memory: BriefMemory
    similarity: float | None  #: (1 + cosine) / 2 of question and content, 0 to 1
    score: float  #: 0 to 1
    components: dict[str, float | None]
    tokens: int  #: of the content, or of the memory in the answer
    distance: int | None  #: relations from the nearest anchor
    status: LoadStatus
    #: Calibrated probability that the memory bears on the question, 0 to 1. None in the profiles
    #: weighted and hybrid, and for an embedding model without a calibration.
    relevance: float | None = None
    passage: Passage | None = None  #: where `memory.content` stands in a long content
    parts: tuple[Passage, ...] = ()  #: the parts of a long content, if `memory.content` is a brief


#: No briefs.
NO_BRIEFS: Mapping[str, Priced] = MappingProxyType({})

Found = TypeVar("Found", FoundMemory, RetrievedMemory)


def in_order(found: Sequence[Found], sort: ResultOrder) -> list[Found]:
    """Return memories in an order. They are given best first, which decides among equal times."""
    if sort is ResultOrder.SCORE:
        return list(found)
    return sorted(found, key=lambda each: each.memory.told_at)


def merge_candidates(
    hits: Sequence[SearchHit],
    read: Sequence[BudgetCandidate],
    walked: Sequence[SearchHit],
    profile: Profile,
    settings: Settings,
) -> list[BudgetCandidate]:
    """Merge the hits of a search and their neighbourhood; each memory occurs once.

    Args:
        hits: Hits, best first.
        read: Neighbours of the anchors, changed memories, and the hits that came without content.
        walked: Hits from which the graph was walked.
        profile: Profile of the search.
        settings: Weight of nearness.
    """
    others = {candidate.memory.memory_id: candidate for candidate in read}
    anchors = {hit.memory_id for hit in walked}
    merged: list[BudgetCandidate] = []
    for hit in hits:
        known = others.pop(hit.memory_id, None)
        # A hit that came without content may have been deleted since.
        if memory := hit.memory or (known and known.memory):
            distance = 0 if hit.memory_id in anchors else _distance(hit, known)
            passage = Passage.of(memory.content, hit.passage)
            merged.append(
                BudgetCandidate(
                    memory,
                    hit.similarity,
                    hit.score,
                    hit.components,
                    distance,
                    hit.relevance,
                    passage,
                )
            )
    merged += others.values()
    return _score_by_nearness(merged, hits, settings) if profile is Profile.RECALL else merged


def _distance(hit: SearchHit, known: BudgetCandidate | None) -> int | None:
    """Return the distance of a hit from the anchors, which a hybrid search has measured."""
    measured = hit.components.get("distance")
    if measured is not None:
        return int(measured)
    return known.distance if known else None


def _score_by_nearness(
    merged: Sequence[BudgetCandidate], hits: Sequence[SearchHit], settings: Settings
) -> list[BudgetCandidate]:
    """Return candidates whose score combines the profile `recall` and nearness to an anchor.

    The score is (direct + w * near) / (1 + w), with near = 1 / (distance + 1) and
    w = `spread_weight`. A neighbour that is not a hit answers no better than the last hit: its
    direct score is the score of that hit, times its cosine as a share of the best.
    """
    found = {hit.memory_id for hit in hits}
    least = min((hit.score for hit in hits), default=0.0)
    best = max((2 * hit.similarity - 1 for hit in hits if hit.similarity), default=0.0)
    weight = settings.spread_weight

    def scored(candidate: BudgetCandidate) -> BudgetCandidate:
        direct = candidate.score
        if candidate.memory.memory_id not in found:
            direct = least * min(1.0, direct / best) if best > 0 else 0.0
        distance = candidate.distance
        near = 0.0 if distance is None else round(1 / (distance + 1), DECIMALS)
        score = round((direct + weight * near) / (1 + weight), DECIMALS)
        return replace(candidate, score=score, components={**candidate.components, "near": near})

    return [scored(candidate) for candidate in merged]


def fill_budget(
    session: Session,
    candidates: Sequence[Priced],
    position: int,
    settings: Settings,
    *,
    budget: int | None = None,
    min_relevance: float = 0.0,
    updated: Collection[str] = (),
    briefs: Mapping[str, Priced] = NO_BRIEFS,
) -> tuple[list[RetrievedMemory], list[str], int]:
    """Fill the budget with the best candidates that the conversation does not hold.

    A candidate that no longer fits is given as its brief, if that fits and the conversation lacks
    it. A candidate below `min_relevance` is left out, unless a walk reached it from a relevant
    anchor, or it replaces a memory that the conversation holds.

    Args:
        session: Session of the conversation.
        candidates: Candidates with their tokens.
        position: Tokens of the conversation so far.
        settings: `default_token_budget` and `staleness_threshold`.
        budget: Tokens to fill, in place of `default_token_budget`.
        min_relevance: Relevance below which a candidate is left out.
        updated: Ids of candidates that replace a loaded memory.
        briefs: Candidates as their briefs, with their tokens, by id.

    Returns:
        The memories chosen, and the ids of the candidates that the conversation holds, both best
        first; and the number of memories that fit the budget and were left out.
    """

    def bears(candidate: BudgetCandidate) -> bool:
        return (
            relevant(candidate.relevance, min_relevance)
            or candidate.distance is not None
            or candidate.memory.memory_id in updated
        )

    in_order = sorted(candidates, key=lambda c: (-c[0].score, c[0].memory.memory_id))
    by_id = {candidate.memory.memory_id: (candidate, tokens) for candidate, tokens in in_order}
    threshold = settings.staleness_threshold
    most = settings.default_token_budget if budget is None else budget

    def lacked(forms: Mapping[str, Priced]) -> dict[str, LoadStatus]:
        statuses = (
            (id_, session.status(id_, candidate.version, position, threshold))
            for id_, (candidate, _) in forms.items()
        )
        return {id_: status for id_, status in statuses if status}

    lacking = lacked(by_id)
    shorter = {id_: briefs[id_] for id_ in lacked(briefs)}
    wanted = [id_ for id_ in by_id if bears(by_id[id_][0])]

    def select(ids: Iterable[str]) -> dict[str, Priced]:
        scored = ((id_, by_id[id_][0].score, by_id[id_][1]) for id_ in ids if id_ in lacking)
        costs = {id_: tokens for id_, (_, tokens) in shorter.items()}
        chosen = _choose(scored, most, costs)
        return {id_: (shorter if brief else by_id)[id_] for id_, brief in chosen.items()}

    left_out = set(select(by_id)).difference(wanted) if len(wanted) < len(by_id) else ()
    return (
        [_retrieved(*form, lacking[id_]) for id_, form in select(wanted).items()],
        [id_ for id_ in wanted if id_ not in lacking],
        len(left_out),
    )


def relevant(relevance: float | None, least: float) -> bool:
    """Return True for a relevance from `least`, and for a memory without a relevance."""
    return relevance is None or relevance >= least


def _retrieved(candidate: BudgetCandidate, tokens: int, status: LoadStatus) -> RetrievedMemory:
    return RetrievedMemory(
        replace(candidate.memory, content=candidate.text),
        candidate.similarity,
        candidate.score,
        candidate.components,
        tokens,
        candidate.distance,
        status,
        candidate.relevance,
        candidate.passage,
        candidate.parts,
    )


def select_budget(
    candidates: Iterable[tuple[str, float, int]], max_tokens: int
) -> tuple[list[str], int]:
    """Choose greedily under a budget, by score descending and then by id.

    A candidate that does not fit is skipped; smaller ones after it may still be chosen.

    Args:
        candidates: Id, score and tokens of each candidate.
        max_tokens: Budget in tokens.

    Returns:
        The chosen ids, best first, and the tokens they use, at most `max_tokens`.
    """
    given = list(candidates)
    costs = {id_: tokens for id_, _, tokens in given}
    chosen = list(_choose(given, max_tokens, {}))
    return chosen, sum(costs[id_] for id_ in chosen)


def _choose(
    candidates: Iterable[tuple[str, float, int]], max_tokens: int, shorter: Mapping[str, int]
) -> dict[str, bool]:
    """Choose as `select_budget` does; what does not fit may fit with its tokens in `shorter`.

    Returns:
        The chosen ids, best first, each with True if it is in its shorter form.
    """
    chosen: dict[str, bool] = {}
    left = max_tokens
    for id_, _, tokens in sorted(candidates, key=lambda c: (-c[1], c[0])):
        if tokens <= left:
            chosen[id_], left = False, left - tokens
        elif shorter.get(id_, tokens) <= left:
            chosen[id_], left = True, left - shorter[id_]
    return chosen
