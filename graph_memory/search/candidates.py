"""Candidates of a question for the default profile, ranked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from graph_memory.domain.inputs import Clocks, Filters
from graph_memory.domain.models import LASTING_STATES, RECALLED_STATES
from graph_memory.domain.scope import CallScope
from graph_memory.engine import Engine
from graph_memory.inference.embedder import Embedding
from graph_memory.memories.filtering import narrowing_parameters, visible_states
from graph_memory.memories.read import get_readable
from graph_memory.ranking.assessment import Assessment, assess
from graph_memory.ranking.candidates import LEAD_CHARACTERS, Candidates, Part, Query
from graph_memory.ranking.conversations import Conversation
from graph_memory.ranking.events import time_around
from graph_memory.ranking.late_interaction import Tokens
from graph_memory.ranking.periods import Period, spoken_of
from graph_memory.ranking.scoring import RankedCandidate, Ranking, first_ranking, rank, shortlist
from graph_memory.ranking.terms import query_phrases, query_terms, quotation, term_queries
from graph_memory.search.judgement import EMPTY, FILTERED, Judgement, judge
from graph_memory.search.listing import count
from graph_memory.settings.base import Settings

#: Longest period of which memories become candidates even without a common word; most memories of
#: one that are read, the earliest; and most candidates of all, the nearest in meaning.
_SHORT_PERIOD = timedelta(days=31)
_STATED, _DATED = 100, 20

_DAY = timedelta(days=1)

#: Members of a group that are counted for each hit of a word; rarities differ alike beyond.
_MEMBERS_PER_HIT = 5


@dataclass(frozen=True, slots=True)
class Gathered:
    """The inputs of the ranking of a question.

    Attributes:
        query: The question.
        candidates: The candidates; at least one.
        assessment: The candidates compared with the words and periods of the question.
        first: The ranking without token vectors.
        parts: Parts of the shortlist with token vectors, by id.
        learned: Learned weights by setting.
    """

    query: Query
    candidates: Candidates
    assessment: Assessment
    first: Ranking
    parts: dict[str, Part]
    learned: Mapping[str, float]

    def ranked(self, limit: int, cross_scores: Mapping[str, float] | None = None) -> Ranking:
        """Return the ranking by all measures for `limit` results; see `scoring.rank`."""
        return rank(
            self.first,
            self.query,
            self.candidates,
            self.parts,
            limit=limit,
            cross_scores=cross_scores,
            learned=self.learned,
        )


@dataclass(frozen=True, slots=True)
class Ranked:
    """The best candidates for a question.

    Attributes:
        memories: The candidates, best first.
        judgement: Whether all candidates together answer the question.
        left_out: Number of better candidates that were left out for their relevance.
        ranking: All candidates with their measures; None if there are none.
    """

    memories: list[RankedCandidate]
    judgement: Judgement
    left_out: int = 0
    ranking: Ranking | None = None


@dataclass(frozen=True, slots=True)
class _PartOf:
    memory_id: str
    part: Part


async def rank_candidates(
    engine: Engine,
    scope: CallScope,
    question: str,
    embedding: Embedding,
    *,
    limit: int,
    filters: Filters,
    include_content: bool = False,
    min_relevance: float = 0.0,
) -> Ranked:
    """Rank the memories that may answer a question, best first.

    The other arguments are those of `gather`. Candidates below `min_relevance` are left out, which
    needs a calibration of the embedding model if it is not 0. The cross-encoder of the engine, if
    there is one, reranks the best candidates.
    """
    gathered = await gather(
        engine,
        scope,
        question,
        embedding,
        limit=limit,
        filters=filters,
        include_content=include_content,
    )
    if gathered is None:
        return Ranked([], await judge_nothing(engine, scope))
    ranking = gathered.ranked(limit)
    if cross_encoder := engine.embedder.cross_encoder:
        best = ranking.results(engine.settings.recall_cross_encoder_candidates)
        scores = await cross_encoder.score(question, await _passages(engine, scope, best, filters))
        pairs = zip(best, scores.tolist(), strict=True)
        cross_scores = {each.memory.memory_id: score for each, score in pairs}
        ranking = gathered.ranked(limit, cross_scores)
    given = gathered.query, gathered.candidates.rarity, gathered.assessment
    judgement = judge(*given, engine.settings)
    if not min_relevance:
        return Ranked(ranking.results(limit), judgement, ranking=ranking)
    ordered = ranking.results(len(ranking.memories))
    relevant = [each for each in ordered if (each.relevance or 0.0) >= min_relevance]
    left_out = sum((each.relevance or 0.0) < min_relevance for each in ordered[:limit])
    return Ranked(relevant[:limit], judgement, left_out, ranking)


async def judge_nothing(engine: Engine, scope: CallScope) -> Judgement:
    """Return the judgement of a search that found nothing."""
    stored = await count(engine.graph, scope, Filters(states=LASTING_STATES), at_most=1)
    return FILTERED if stored else EMPTY


async def gather(
    engine: Engine,
    scope: CallScope,
    question: str,
    embedding: Embedding,
    *,
    limit: int,
    filters: Filters,
    include_content: bool = False,
) -> Gathered | None:
    """Read the memories that may answer a question, with all that their ranking needs.

    Args:
        engine: The database, numbers of candidates and weights.
        scope: The tenant and the instant.
        question: Any text.
        embedding: Embedding of the question.
        limit: Number of results.
        filters: Filters of the memories; states default to ACTIVE and DORMANT.
        include_content: Fetch the candidates as retrieval delivers them; a candidate that only its
            neighbours brought in comes without.

    Returns:
        None if no memory is a candidate.
    """
    # Token vectors of earlier versions of a memory are not stored.
    tokens = None if filters.known_at else embedding.tokens
    query = read_query(question, engine.settings, tokens, _asked_at(scope, filters))
    query = await _with_conversations(engine, scope, query)
    found = await _read(engine, scope, query, embedding, limit, filters, include_content)
    if found and (around := time_around(query, found, engine.settings.fulltext_analyzer)):
        query = replace(query, around=around)
        if _short_periods(query):  # the memories of that time are candidates, too
            found = await _read(engine, scope, query, embedding, limit, filters, include_content)
    if found is None:
        return None
    assessment = assess(query, found, engine.settings)
    first = first_ranking(query, found, assessment, engine.settings)
    parts = await _parts(engine, scope, query, embedding, first, limit)
    return Gathered(query, found, assessment, first, parts, engine.learned)


async def _with_conversations(engine: Engine, scope: CallScope, query: Query) -> Query:
    """Return a question with the times of the conversations that it names by their place."""
    if (asked := query.conversation) is None:
        return query
    found = await engine.graph.rows(
        "search/candidates/conversations",
        Conversation,
        group_id=scope.group_id,
        asked_at=query.now.isoformat(),
        latest=asked.place < 0,
        skip=asked.skip,
        limit=asked.limit,
    )
    return replace(query, of_conversations=asked.periods(found, query.now))


async def _read(
    engine: Engine,
    scope: CallScope,
    query: Query,
    embedding: Embedding,
    limit: int,
    filters: Filters,
    include_content: bool,
) -> Candidates | None:
    """Read the candidates of a question; return None if there are none."""
    settings, bounds = engine.settings, _bounds(engine.settings, limit)
    narrowed = narrowing_parameters(filters, scope.group_id, settings, bounds["candidates"])
    other = engine.names.of_terms(query.text, settings.fulltext_analyzer)
    rows = await engine.graph.sound_rows(
        "search/candidates/candidates_filtered" if narrowed else "search/candidates/candidates",
        Candidates,
        vector=embedding.vector,
        lookups=term_queries(query.lookups, scope.group_id, other),
        states=visible_states(filters, RECALLED_STATES),
        periods=_short_periods(query),
        stated=_STATED,
        dated=bounds["candidates"] if query.is_for_whole_period else _DATED,
        tell=include_content,
        **scope.parameters(),
        **bounds,
        **{"known_at": None, **narrowed},
    )
    return rows[0] if rows and rows[0].memories else None


async def _passages(
    engine: Engine, scope: CallScope, best: Sequence[RankedCandidate], filters: Filters
) -> list[str]:
    """Return the best passage of each candidate, or the lead of one without passages."""
    texts = {each.memory.memory_id: each.memory.lead for each in best}
    if long := [
        each.memory.memory_id
        for each in best
        if each.passage and each.passage[1] > len(each.memory.lead)
    ]:
        clocks = Clocks(as_of=filters.as_of, known_at=filters.known_at)
        read = await get_readable(engine, scope, long, clocks)
        texts |= {memory.memory_id: memory.content for memory in read}
    whole = 0, LEAD_CHARACTERS
    return [texts[each.memory.memory_id][slice(*(each.passage or whole))] for each in best]


def _short_periods(query: Query) -> list[dict[str, str]]:
    """Return the short periods that a question names, with the week in which they are mentioned.

    Of a period that lies partly in the future, the part until tomorrow counts.
    """
    begun = [
        Period(each.start, min(each.end, query.now + _DAY))
        for each in query.periods
        if each.start <= query.now
    ]
    whole = begun if query.is_for_whole_period else []
    around = [query.around] if query.around else []
    return [
        {"start": each.start.isoformat(), "end": each.end.isoformat()}
        for each in (*whole, *map(spoken_of, begun), *around)
        if each.end - each.start <= _SHORT_PERIOD
    ]


def _asked_at(scope: CallScope, filters: Filters) -> datetime:
    """Return the instant from which "last week" in a question counts back; aware."""
    at = filters.as_of or scope.now
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def read_query(question: str, settings: Settings, tokens: Tokens | None, now: datetime) -> Query:
    """Return a question with its words and phrases, as the ranking reads it."""
    analyzer = settings.fulltext_analyzer
    terms = query_terms(question, analyzer)
    phrases, quoted = query_phrases(question, analyzer), quotation(question, analyzer)
    phrases = [each for each in phrases if each != quoted]
    return Query(question, terms, now, tokens, phrases, quoted)


def _bounds(settings: Settings, limit: int) -> dict[str, Any]:
    """Return the parameters that bound the candidates of `limit` results."""
    return {
        "candidates": max(settings.recall_candidates, limit),
        "pool": max(settings.recall_pool, limit),
        "hits": settings.recall_hits_per_word,
        "common_hits": min(settings.recall_hits_per_common_word, settings.recall_hits_per_word),
        "members": settings.recall_hits_per_word * _MEMBERS_PER_HIT,
        "saturation": settings.recall_word_saturation,
        "vector_weight": settings.recall_vector_weight,
        "fan": settings.traversal_fan if settings.recall_context_characters else 0,
        "lead": LEAD_CHARACTERS,
    }


async def _parts(
    engine: Engine,
    scope: CallScope,
    query: Query,
    embedding: Embedding,
    first: Ranking,
    limit: int,
) -> dict[str, Part]:
    """Return the part of each candidate of the shortlist, by id; fetch what is missing."""
    if query.tokens is None or not engine.settings.recall_late_weight:
        return {}
    parts = {memory.memory_id: memory.part for memory in first.memories if memory.part}
    if len(parts) == len(first.memories):
        return parts
    best = shortlist(first, limit)
    if missing := [memory.memory_id for memory in best if memory.part is None]:
        read = await engine.graph.rows(
            "search/candidates/missing_part",
            _PartOf,
            group_id=scope.group_id,
            memory_ids=missing,
            vector=embedding.vector,
        )
        parts |= {row.memory_id: row.part for row in read}
    return parts
