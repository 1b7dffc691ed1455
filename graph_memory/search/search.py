"""Search by question, in one of three profiles."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import WrapValidator

from graph_memory.database.graph import Graph
from graph_memory.domain.inputs import Clocks, Filters
from graph_memory.domain.models import (
    RECALLED_STATES,
    FoundMemory,
    Memory,
    ResultOrder,
    SearchResults,
)
from graph_memory.domain.passages import Passage
from graph_memory.domain.readable import none_if_unreadable
from graph_memory.domain.scope import CallScope
from graph_memory.domain.turns import first_in_turn
from graph_memory.engine import Engine
from graph_memory.inference.embedder import Vector
from graph_memory.memories.filtering import filter_parameters, narrowing_parameters, visible_states
from graph_memory.memories.read import get_readable, view_parameters
from graph_memory.ranking.profiles import (
    Profile,
    hybrid_parameters,
    spread_parameters,
    weighted_parameters,
)
from graph_memory.ranking.scoring import RankedCandidate
from graph_memory.search.budget import in_order
from graph_memory.search.candidates import judge_nothing, rank_candidates
from graph_memory.search.judgement import Judgement

#: Statement of a profile, without and with filters that narrow the group.
_STATEMENTS = {
    (Profile.WEIGHTED, False): "search/search/search_weighted",
    (Profile.WEIGHTED, True): "search/search/search_weighted_filtered",
    (Profile.HYBRID, False): "search/search/search_hybrid",
    (Profile.HYBRID, True): "search/search/search_hybrid_filtered",
}


@dataclass(frozen=True, slots=True)
class _Scored:
    memory: Annotated[Memory | None, WrapValidator(none_if_unreadable)]
    similarity: float | None
    score: float
    components: dict[str, float | None]


@dataclass(frozen=True, slots=True)
class LastUsed:
    """The memory that was used last: its group, and the start of its content."""

    group_id: str
    lead: str


@first_in_turn
async def search(
    engine: Engine,
    scope: CallScope,
    question: str,
    *,
    limit: int = 10,
    filters: Filters = Filters(),  # noqa: B008 - immutable
    profile: Profile = Profile.RECALL,
    min_relevance: float = 0.0,
    sort: ResultOrder = ResultOrder.SCORE,
) -> SearchResults:
    """Find the memories that answer a question, best first.

    Args:
        engine: The database, the model, numbers of candidates, weights and half-life.
        scope: The tenant, whose memories alone are searched, and the instant from which recency
            is measured.
        question: Any text; no part of it acts as query syntax.
        limit: Number of results, 1 to 50.
        filters: Filters of the memories; states default to ACTIVE and DORMANT.
        profile: `recall` ranks by meaning and words; `weighted` by meaning, recency and importance;
            `hybrid` by these and nearness in the graph.
        min_relevance: Relevance below which a memory is left out. Only `recall` has a relevance,
            and only with a model that has a calibration.
        sort: `time` returns the same memories by `told_at`, the earliest first.

    Returns:
        At most `limit` memories by score, 0 to 1, descending; ties newest first.

    Source: `ranking/scoring.py`, `cypher/fragments/ranking/score_weighted.cypher`,
    `cypher/fragments/ranking/score_hybrid.cypher`.
    """
    embedding = await engine.embedder.embed_query_tokens(question)
    if profile is not Profile.RECALL:
        found = await search_by_vector(
            engine, scope, embedding.vector, profile, limit=limit, filters=filters
        )
        found = in_order(found, sort)
        nothing = Judgement() if found else await judge_nothing(engine, scope)
        return SearchResults(found, known=nothing.known, known_reason=nothing.reason)
    ranked = await rank_candidates(
        engine,
        scope,
        question,
        embedding,
        limit=limit,
        filters=filters,
        min_relevance=min_relevance,
    )
    clocks = Clocks(as_of=filters.as_of, known_at=filters.known_at)
    return SearchResults(
        in_order(await _load(engine, scope, ranked.memories, clocks), sort),
        known=ranked.judgement.known,
        known_reason=ranked.judgement.reason,
        left_out=ranked.left_out,
    )


async def search_by_vector(
    engine: Engine,
    scope: CallScope,
    vector: Vector,
    profile: Profile,
    *,
    limit: int,
    filters: Filters,
) -> list[FoundMemory]:
    """Find memories by the profile `weighted` or `hybrid`, which Cypher statements compute.

    Args:
        engine: The database, numbers of candidates, weights and half-life.
        scope: The tenant and the instant.
        vector: Vector of the question, unit length.
        profile: `weighted` or `hybrid`.
        limit: Number of results.
        filters: Filters of the memories; states default to ACTIVE and DORMANT.
    """
    settings = engine.settings
    candidates = max(settings.recall_candidates, limit * settings.search_overfetch)
    narrowed = narrowing_parameters(filters, scope.group_id, settings, candidates)
    parameters: dict[str, Any] = {
        "group_id": scope.group_id,
        "vector": vector,
        "limit": limit,
        "states": visible_states(filters, RECALLED_STATES),
        "candidates": candidates,
        **narrowed,
        **view_parameters(settings, scope.now, filters.known_at),
    }
    if profile is Profile.WEIGHTED:
        parameters |= weighted_parameters(settings)
    else:
        parameters |= filter_parameters(filters) | hybrid_parameters(settings)
        parameters |= spread_parameters(settings) | {"anchors": settings.anchor_count}
    statement = _STATEMENTS[profile, bool(narrowed)]
    rows = await engine.graph.sound_rows(statement, _Scored, **parameters)
    return [
        FoundMemory(row.memory, row.similarity, row.score, row.components)
        for row in rows
        if row.memory
    ]


async def last_used(graph: Graph) -> LastUsed:
    """Return the memory of any group that was used last, for warm-up searches without a reader.

    Without memories, the group and the content are empty.
    """
    return await graph.one("search/search/last_used", LastUsed) or LastUsed("", "")


async def _load(
    engine: Engine, scope: CallScope, ranked: Sequence[RankedCandidate], clocks: Clocks
) -> list[FoundMemory]:
    """Fetch the ranked memories; memories deleted since, and unreadable ones, are left out."""
    ids = [candidate.memory.memory_id for candidate in ranked]
    memories = await get_readable(engine, scope, ids, clocks)
    by_id = {memory.memory_id: memory for memory in memories}
    return [
        FoundMemory(
            memory,
            each.memory.similarity,
            each.score,
            each.components,
            each.relevance,
            Passage.of(memory.content, each.passage),
        )
        for each in ranked
        if (memory := by_id.get(each.memory.memory_id))
    ]
