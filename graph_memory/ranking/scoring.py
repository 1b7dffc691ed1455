"""The default ranking of candidates: several measures and their weighted mean. No I/O.

Every measure lies between 0 and 1. None is fitted to one kind of data:

- `semantic`: the cosine of question and memory, as a share of the best.
- `text`: the rarity of the question's words and phrases that the memory contains, as a share of
  the best.
- `late`: the late interaction of question and memory, as a share of the best (see
  `late_interaction.py`).
- `time`: 1 for a memory that was stated in a period that the question names, or that mentions one.
  If the question asks for a time, also 1 for a memory that mentions one. If it names an event and
  asks what was before or after it, also 1 for a memory of that time. For a question such as "what
  happened on 3 May?" its weight is the sum of all others. Present only for questions about time.
- `form`: largest for a memory of one or two hundred characters. A remark of few words has less, and
  a question least: they seldom contain an answer. A long memory has less, because it matches words
  and tokens of many questions, and often repeats what shorter memories contain.
- `speaker`: 1 for a statement of the one person that the question names, as in
  `Ada: I drink tea.` Present only for questions that name one speaker.
- `sitting`: the best score so far of a memory of the same conversation and about the same time.
  Memories without a conversation count as one conversation.
- `cross`: the score of a cross-encoder, which reads question and memory as one text, as a share of
  the best. Present only if the settings name one. The other candidates have 0, which keeps them
  below the best in their order.
- `quotation`: 1 for a memory that contains the question letter by letter, a half for one that
  contains it in other forms of its words; 1 for both where the end of the memory is not read. Its
  weight is the sum of all others, so such a memory is before the rest. Present only if a candidate
  contains the question.

The weights of `speaker` and `sitting` shrink as the median length of the candidates grows.
For `text` and `late` the neighbours in the conversation count too, the less the farther away they
are. A short answer counts as containing all that the question before it contains.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from graph_memory.ranking.assessment import Assessment
from graph_memory.ranking.candidates import (
    DECIMALS,
    NO_PART,
    Candidate,
    Candidates,
    Part,
    Query,
)
from graph_memory.ranking.dates import asks_when, mentions_time
from graph_memory.ranking.late_interaction import Tokens, max_sim, query_token_vectors
from graph_memory.ranking.quotations import quotation_exactness
from graph_memory.ranking.terms import content_terms
from graph_memory.ranking.weights import weight_factors
from graph_memory.settings.base import Settings

Numbers = npt.NDArray[np.float64]

#: Places of two candidates, and the share of the second's words that counts for the first.
_Contexts = list[tuple[int, int, float]]

RELEVANCE_DECIMALS = 3

#: Characters of the longest answer that is understood with the question before it.
_ANSWER_CHARACTERS = 500

#: Weight of a time that a question names, beside 1 for a question that asks for a time.
_PERIOD_WEIGHT = 2.0

#: Seconds between two memories at which their nearness is one half.
_SITTING_SECONDS = 3600

#: A question mark at the end; a note in brackets may follow, such as one about an attachment.
_QUESTION = re.compile(r"\?\W*(?:\[[^\]]*\])?\s*$")

#: The name of a speaker in front of what that speaker says.
_SPEAKER = re.compile(r"\s*(\w[\w .'’-]{0,39}):\s")


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """A candidate with its score, 0 to 1, and the components whose weighted mean the score is.

    The relevance is that of `relevance.py`; None for a model without a calibration. The passage is
    the start and end of the best part of a long memory; None for a short one.
    """

    memory: Candidate
    score: float
    relevance: float | None
    components: dict[str, float | None]
    passage: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates with their measures.

    The score is the weighted mean of the measures. The order is by score descending; ties are in
    the order of `told_at` descending, then of the id.

    Attributes:
        memories: The candidates.
        instants: Array (n,), `told_at` of each candidate in seconds since 1970.
        relevance: Array (n,), 0 to 1; None for a model without a calibration.
        measures: Weight and array (n,) of each measure, by name.
        settings: Weights of the measures and their parameters.
        contexts: Places of candidates that are neighbours in a conversation, with their share;
            empty after `keeping`.
        parts: Parts of the candidates, by id.
    """

    memories: list[Candidate]
    instants: Numbers
    relevance: Numbers | None
    measures: dict[str, tuple[float, Numbers]]
    settings: Settings
    contexts: _Contexts = field(default_factory=_Contexts)
    parts: Mapping[str, Part] = field(default_factory=dict[str, Part])

    def adding(self, name: str, weight: float, values: Numbers) -> "Ranking":
        """Return the ranking with one more measure, or with another weight of one that it has."""
        return replace(self, measures={**self.measures, name: (weight, values)})

    def leading(self, name: str, values: Numbers) -> "Ranking":
        """Return the ranking with a measure whose weight is the sum of all others."""
        others = sum(weight for each, (weight, _) in self.measures.items() if each != name)
        return self.adding(name, others, values)

    def keeping(self, kept: list[int]) -> "Ranking":
        """Return the ranking of the candidates at the places `kept` alone."""
        return replace(
            self,
            memories=[self.memories[i] for i in kept],
            instants=self.instants[kept],
            contexts=[],
            relevance=None if self.relevance is None else self.relevance[kept],
            measures={
                name: (weight, values[kept]) for name, (weight, values) in self.measures.items()
            },
        )

    def top(self, count: int) -> list[Candidate]:
        """Return at most `count` candidates, best first."""
        return [self.memories[i] for i, _ in self._order()[:count]]

    def results(self, limit: int) -> list[RankedCandidate]:
        """Return at most `limit` candidates with score and components, best first."""
        shown = {
            name: values.round(DECIMALS).tolist() for name, (_, values) in self.measures.items()
        }
        relevance = self.relevance
        return [
            RankedCandidate(
                self.memories[i],
                round(score, DECIMALS),
                None if relevance is None else round(float(relevance[i]), RELEVANCE_DECIMALS),
                {name: values[i] for name, values in shown.items()},
                self._passage(self.memories[i]),
            )
            for i, score in self._order()[:limit]
        ]

    def scores(self) -> Numbers:
        """Return the weighted mean of the measures, array (n,)."""
        weights = np.array([weight for weight, _ in self.measures.values()])
        values = np.array([measured for _, measured in self.measures.values()])
        scores: Numbers = weights @ values / weights.sum()
        return scores

    def _passage(self, memory: Candidate) -> tuple[int, int] | None:
        """Return the start and end of the best passage of a memory; None if it has none."""
        part = self.parts.get(memory.memory_id) or memory.part or NO_PART
        return None if part.start is None or part.end is None else (part.start, part.end)

    def _order(self) -> list[tuple[int, float]]:
        """Return place and score of each candidate, best first."""
        scores: list[float] = self.scores().tolist()
        instants: list[float] = self.instants.tolist()

        def key(place: tuple[int, float]) -> tuple[float, float, str]:
            i, score = place
            return -score, -instants[i], self.memories[i].memory_id

        return sorted(enumerate(scores), key=key)


def first_ranking(
    query: Query, candidates: Candidates, assessment: Assessment, settings: Settings
) -> Ranking:
    """Rank the candidates by all measures that need neither token vectors nor other scores.

    Args:
        query: The question.
        candidates: The candidates; at least one.
        assessment: The assessment of the candidates.
        settings: Weights of the measures and their parameters.
    """
    memories, contexts = candidates.memories, _contexts(candidates, settings)
    share = settings.recall_vector_weight
    cosines, words = np.array([m.cosine for m in memories]), candidates.word_weights
    text = _with_context(words, contexts).sum(axis=1)
    measures = {
        "semantic": (2 * share, _normalise(cosines)),
        "text": (2 * (1 - share), _normalise(text)),
        "form": (settings.recall_form_weight, _form(memories, settings)),
    }
    if temporal := list(_temporal_scores(query, candidates, assessment)):
        weights, scores = zip(*temporal, strict=True)
        weight = settings.recall_time_weight * sum(weights)
        measures["time"] = (weight, np.average(scores, axis=0, weights=weights))
    if (by_speaker := _by_speaker(query.text, memories, settings)) is not None:
        weight = settings.recall_speaker_weight * _shortness(memories, settings)
        measures["speaker"] = (weight, by_speaker)
    instants = np.array([memory.told_at.timestamp() for memory in memories])
    ranking = Ranking(memories, instants, assessment.relevance, measures, settings, contexts)
    return _led_by_time(ranking, query)


def shortlist(first: Ranking, limit: int) -> list[Candidate]:
    """Return the candidates of which `rank` needs the token vectors, best first.

    These are the best `recall_late_candidates` of the first ranking, or `limit` if that is more.
    """
    return first.top(max(first.settings.recall_late_candidates, limit))


def rank(
    first: Ranking,
    query: Query,
    candidates: Candidates,
    parts: Mapping[str, Part],
    *,
    limit: int,
    cross_scores: Mapping[str, float] | None = None,
    learned: Mapping[str, float] | None = None,
) -> Ranking:
    """Rank the candidates for a question by all measures.

    With the measure `late`, the ranking contains the `shortlist` only. Learned weights order the
    shortlist and do not choose it: they were learned from answers, so from shortlists.

    Args:
        first: The first ranking of the candidates.
        query: The question.
        candidates: The candidates; at least one.
        parts: Parts of the candidates by id; a candidate without token vectors matches no token.
        limit: Number of results that the ranking is for.
        cross_scores: Scores of a cross-encoder by id, 0 to 1; None leaves the measure out.
        learned: Learned weights by setting; without one, the configured weight counts.
    """
    ranking = replace(first, parts=parts)
    if first.settings.recall_late_weight and query.tokens is not None:
        found = _token_matches(ranking, query, query.tokens, candidates, limit)
        ranking = _with_late(ranking, *found)
    ranking = _with_sitting(_with_learned(ranking, learned or {}))
    if cross_scores is not None:
        ranking = _with_cross(ranking, cross_scores)
    return _with_quotation(_led_by_time(ranking, query), query, candidates)


def _token_matches(
    ranking: Ranking,
    query: Query,
    tokens: Tokens,
    candidates: Candidates,
    limit: int,
) -> tuple[dict[str, Numbers], Numbers]:
    """Return how well the best candidates match each token of the question, and its weights.

    Returns:
        An array (tokens,) by id of each candidate of the shortlist, and the weights (tokens,).
    """
    best, parts = [m.memory_id for m in shortlist(ranking, limit)], ranking.parts
    vectors, weights = query_token_vectors(
        query.text,
        tokens,
        query.terms,
        candidates.rarity[: len(query.terms)],
        ranking.settings.fulltext_analyzer,
    )
    matches = max_sim(vectors, [parts.get(id_, NO_PART).vectors or b"" for id_ in best])
    return dict(zip(best, matches, strict=True)), weights


def _with_late(ranking: Ranking, matches: Mapping[str, Numbers], weights: Numbers) -> Ranking:
    """Return a ranking with the measure `late`; candidates without matches are left out."""
    kept = [i for i, memory in enumerate(ranking.memories) if memory.memory_id in matches]
    own = np.zeros((len(ranking.memories), len(weights)))
    own[kept] = [matches[ranking.memories[i].memory_id] for i in kept]
    late = _with_context(own, ranking.contexts)[kept] @ weights
    weight = ranking.settings.recall_late_weight
    return ranking.keeping(kept).adding("late", weight, _normalise(late))


def _with_learned(ranking: Ranking, learned: Mapping[str, float]) -> Ranking:
    """Return a ranking with learned weights in place of the configured ones."""
    settings = ranking.settings.model_copy(update=dict(learned))
    factors = weight_factors(ranking.settings, settings)
    measures = {
        name: (weight * factors[name], values)
        for name, (weight, values) in ranking.measures.items()
    }
    return replace(ranking, measures=measures, settings=settings)


def _with_sitting(ranking: Ranking) -> Ranking:
    """Return a ranking with the measure `sitting`, if the settings give it a weight."""
    settings = ranking.settings
    if not (ranking.memories and settings.recall_sitting_weight):
        return ranking
    near = _nearness(ranking.memories, ranking.instants)
    best = (near * np.maximum(ranking.scores(), 0)).max(axis=1)
    weight = settings.recall_sitting_weight * _shortness(ranking.memories, settings)
    return ranking.adding("sitting", weight, _normalise(best))


def _with_cross(ranking: Ranking, cross_scores: Mapping[str, float]) -> Ranking:
    """Return a ranking with the measure `cross`, 0 for a candidate without a score."""
    values = np.array([cross_scores.get(memory.memory_id, 0.0) for memory in ranking.memories])
    return ranking.adding("cross", ranking.settings.recall_cross_encoder_weight, _normalise(values))


def _led_by_time(ranking: Ranking, query: Query) -> Ranking:
    """Return a ranking led by the measure `time`, if the question asks for a whole period."""
    if not (query.is_for_whole_period and ranking.settings.recall_time_weight):
        return ranking
    return ranking.leading("time", ranking.measures["time"][1])


def _with_quotation(ranking: Ranking, query: Query, candidates: Candidates) -> Ranking:
    """Return a ranking with the measure `quotation`, if a candidate contains the question."""
    exactness = quotation_exactness(query, candidates)
    values = np.array([exactness.get(memory.memory_id, 0.0) for memory in ranking.memories])
    if not values.any():
        return ranking
    return ranking.leading("quotation", values)


def _shortness(memories: Sequence[Candidate], settings: Settings) -> float:
    """Return s / (s + median length), with s = `recall_short_characters`: 1 for length 0."""
    short = settings.recall_short_characters
    return short / (short + float(np.median([memory.characters for memory in memories])))


def _normalise(values: Numbers) -> Numbers:
    """Return values as shares of the largest; negative values become 0."""
    return np.maximum(values, 0) / max(1e-9, values.max(initial=0))


def _with_context(own: Numbers, contexts: _Contexts) -> Numbers:
    """Return for each candidate and term the larger of its own value and its neighbours' share.

    Args:
        own: Array (candidates, terms).
        contexts: Pairs of candidates with a share, as `_contexts` returns them.
    """
    read = own.copy()
    if contexts:
        i, j, share = (np.array(column) for column in zip(*contexts, strict=True))
        np.maximum.at(read, i, share[:, None] * own[j])
    return read


def _contexts(candidates: Candidates, settings: Settings) -> _Contexts:
    """Return the candidates at most two turns apart, in both directions, with their share.

    The share is h / (h + distance), with h = `recall_context_characters` and the distance of the
    middles of both texts in characters. For a short answer, the share of its question is 1.
    """
    half = settings.recall_context_characters
    if not half:
        return []
    memories = candidates.memories
    length = [memory.characters for memory in memories]
    following = _following(candidates)
    found: _Contexts = []
    for i, successors in list(following.items()):
        for j in successors:
            near = (length[i] + length[j]) / 2
            share = half / (half + near)
            answers = length[j] <= _ANSWER_CHARACTERS and _QUESTION.search(memories[i].lead)
            found += (i, j, share), (j, i, 1.0 if answers else share)
            for k in following.get(j, ()):
                share = half / (half + near + (length[j] + length[k]) / 2)
                found += (i, k, share), (k, i, share)
    return found


def _following(candidates: Candidates) -> dict[int, set[int]]:
    """Return the places of the candidates that follow each candidate."""
    places = {memory.memory_id: i for i, memory in enumerate(candidates.memories)}
    following: dict[int, set[int]] = defaultdict(set)
    for first, then in candidates.links:
        if first in places and then in places:
            following[places[first]].add(places[then])
    return following


def _nearness(memories: Sequence[Candidate], instants: Numbers) -> Numbers:
    """Return the nearness in time of each two candidates of one conversation, 0 to 1; else 0."""
    numbers: dict[str | None, int] = defaultdict(lambda: len(numbers))
    conversation = np.array([numbers[memory.conversation_id] for memory in memories])
    nearness = _SITTING_SECONDS / (_SITTING_SECONDS + np.abs(instants[:, None] - instants))
    return np.where(conversation[:, None] == conversation, nearness, 0)


def _form(memories: Sequence[Candidate], settings: Settings) -> Numbers:
    """Return (1 - s / (s + length) / 2) * l / (l + length) for each candidate.

    s is `recall_short_characters`, l is `recall_long_characters`. For a question without the half.
    """
    short, long = settings.recall_short_characters, settings.recall_long_characters
    length = np.array([memory.characters for memory in memories])
    share = np.array([1.0 if _QUESTION.search(memory.lead) else 0.5 for memory in memories])
    return (1 - share * short / (short + length)) * long / (long + length)


def _by_speaker(question: str, memories: Sequence[Candidate], settings: Settings) -> Numbers | None:
    """Return 1 for each candidate of the one speaker that a question names.

    Returns:
        An array (candidates,); None if the question does not name exactly one speaker.
    """
    labels = [_SPEAKER.match(memory.lead) for memory in memories]
    speakers = [label[1].lower() if label else "" for label in labels]

    asked = content_terms(question, settings.fulltext_analyzer)
    named = {
        speaker
        for speaker in set(speakers)
        if asked & content_terms(speaker, settings.fulltext_analyzer)
    }
    if len(named) != 1:
        return None
    return np.array([speaker in named for speaker in speakers], dtype=float)


def _temporal_scores(
    query: Query, candidates: Candidates, assessment: Assessment
) -> Iterator[tuple[float, Numbers]]:
    """Yield how candidates fit the periods that a question names, then which mention a time.

    Each array is yielded with its weight, and only if the question names a period, names one by
    events, or asks for a time.
    """
    if assessment.time_matches is not None:
        yield _PERIOD_WEIGHT, assessment.time_matches
    if around := query.around:
        fits = [around.covers(memory.told_at) for memory in candidates.memories]
        yield _PERIOD_WEIGHT, np.array(fits, dtype=float)
    if asks_when(query.text):
        mentions = [mentions_time(memory.lead) for memory in candidates.memories]
        yield 1.0, np.array(mentions, dtype=float)
