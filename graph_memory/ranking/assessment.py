"""The parts of a question that each candidate contains, and the relevance that follows. No I/O."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graph_memory.ranking.candidates import LEAST_MEMBERS, Candidates, Query
from graph_memory.ranking.dates import time_match, whole_period_match
from graph_memory.ranking.quotations import contains_quotation
from graph_memory.ranking.relevance import calibration_for, features
from graph_memory.ranking.terms import names
from graph_memory.settings.base import Settings

Numbers = npt.NDArray[np.float64]

#: Least relevance of a memory that answers by rule: it contains a question of several words word by
#: word, or it belongs to the period for all of which the question asks.
CERTAIN_RELEVANCE = 0.95

#: Match of a memory and a period from which the memory belongs to the period.
_LEAST_TIME_MATCH = 0.5


@dataclass(frozen=True, slots=True)
class Assessment:
    """The candidates of a question compared with its words and periods; n candidates.

    Attributes:
        time_matches: Array (n,), 0 to 1, how well each candidate fits the periods that the question
            names; None if it names none.
        contained: Array (n, terms), True for a query term that a candidate contains. A memory of a
            period that the question names counts as containing the words that name it, and all
            words of a question for the whole period.
        features: Array (n, 4), the features of the relevance.
        relevance: Array (n,), 0 to 1; None for a model without a calibration. A memory that
            contains the question word by word, or belongs to the period for all of which it asks,
            has at least `CERTAIN_RELEVANCE`.
    """

    time_matches: Numbers | None
    contained: npt.NDArray[np.bool_]
    features: Numbers
    relevance: Numbers | None


def assess(query: Query, candidates: Candidates, settings: Settings) -> Assessment:
    """Compare the candidates with the words and periods of a question.

    Args:
        query: The question.
        candidates: The candidates; at least one.
        settings: The embedding model, and the analyser of words.
    """
    matches = _time_matches(query, candidates)
    contained = _contained_terms(query, candidates, matches)
    named = set(names(query.text, settings.fulltext_analyzer)) - query.time_words
    measured = features(
        np.array([memory.cosine for memory in candidates.memories]),
        contained,
        _rarity_in_larger_group(candidates, contained),
        np.array([term in named for term in query.terms], dtype=bool),
    )
    relevance = _relevance(query, candidates, matches, measured, settings)
    return Assessment(matches, contained, measured, relevance)


def _rarity_in_larger_group(candidates: Candidates, contained: npt.NDArray[np.bool_]) -> Numbers:
    """Return the rarity of each query term, as if the group had at least `LEAST_MEMBERS` memories.

    Among few memories a word that some contain is hardly rarer than one that none contains, so the
    relevance would be less than in a larger group. More members add the same to the logarithm of
    each word; of a word that no memory contains, half of the logarithm is its rarity.
    """
    rarity = np.array(candidates.rarity[: contained.shape[1]])
    members = candidates.members
    added = math.log((max(members, LEAST_MEMBERS) + 1) / (members + 1))
    share = np.where(contained.any(axis=0), 1.0, 0.5)
    return np.where(rarity > 0, rarity + added * share, 0.0)


def _time_matches(query: Query, candidates: Candidates) -> Numbers | None:
    if not (asked := query.periods):
        return None
    is_exact = query.is_for_whole_period or query.of_conversations
    match = whole_period_match if is_exact else time_match
    each = zip(candidates.memories, candidates.mentioned_periods, strict=True)
    return np.array([match(asked, memory.told_at, told) for memory, told in each])


def _contained_terms(
    query: Query, candidates: Candidates, time_matches: Numbers | None
) -> npt.NDArray[np.bool_]:
    contained = candidates.word_weights[:, : len(query.terms)] > 0
    if time_matches is not None:
        fits, whole = time_matches >= _LEAST_TIME_MATCH, query.is_for_whole_period
        of_time = [whole or term in query.time_words for term in query.terms]
        contained |= np.outer(fits, np.array(of_time, dtype=bool))
    return contained


def _relevance(
    query: Query,
    candidates: Candidates,
    time_matches: Numbers | None,
    measured: Numbers,
    settings: Settings,
) -> Numbers | None:
    calibration = calibration_for(settings)
    if calibration is None:
        return None
    relevance = calibration.relevance(measured)
    certain = contains_quotation(query, candidates)
    if time_matches is not None and query.is_for_whole_period:
        certain |= time_matches >= _LEAST_TIME_MATCH
    return np.where(certain, np.maximum(relevance, CERTAIN_RELEVANCE), relevance)
