"""Search by question, in one of three profiles."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.domain.inputs import Filters
from graph_memory.domain.models import RECALLED_STATES, FoundMemory
from graph_memory.inference.embedder import Embedder, Vector
from graph_memory.memories.filtering import filter_parameters, narrowing_parameters, visible_states
from graph_memory.memories.read import get_many, view_parameters
from graph_memory.ranking.profiles import (
    Profile,
    hybrid_parameters,
    spread_parameters,
    weighted_parameters,
)
from graph_memory.ranking.scoring import RankedCandidate
from graph_memory.search.candidates import rank_candidates
from graph_memory.settings.base import Settings

#: Statement of a profile, without and with filters that narrow the group.
_STATEMENTS = {
    (Profile.WEIGHTED, False): "search/search/search_weighted",
    (Profile.WEIGHTED, True): "search/search/search_weighted_filtered",
    (Profile.HYBRID, False): "search/search/search_hybrid",
    (Profile.HYBRID, True): "search/search/search_hybrid_filtered",
}


@dataclass(frozen=True, slots=True)
class LastUsed:
    """The memory that was used last: its group, and the start of its content."""

    group_id: str
    lead: str


async def search(
    graph: Graph,
    embedder: Embedder,
    settings: Settings,
    question: str,
    *,
    group_id: str,
    now: datetime,
    limit: int = 10,
    filters: Filters = Filters(),  # noqa: B008 - immutable
    profile: Profile = Profile.RECALL,
) -> list[FoundMemory]:
    """Find the memories that answer a question, best first.

    Args:
        graph: The database.
        embedder: Embeds the question.
        settings: Numbers of candidates, weights and half-life.
        question: Any text; no part of it acts as query syntax.
        group_id: The tenant; only its memories are searched.
        now: The caller's clock, from which recency is measured.
        limit: Number of results, 1 to 50.
        filters: Filters of the memories; states default to ACTIVE and DORMANT.
        profile: `recall` ranks by meaning and words; `weighted` by meaning, recency and importance;
            `hybrid` by these and nearness in the graph.

    Returns:
        At most `limit` memories by score, 0 to 1, descending; ties newest first.

    Source: `ranking/scoring.py`, `cypher/fragments/ranking/score_weighted.cypher`,
    `cypher/fragments/ranking/score_hybrid.cypher`.
    """
    embedding = await embedder.embed_query_tokens(question)
    bounds: dict[str, Any] = {"group_id": group_id, "now": now, "filters": filters}
    if profile is not Profile.RECALL:
        vector = embedding.vector
        return await search_by_vector(graph, settings, vector, profile, limit=limit, **bounds)
    ranked = await rank_candidates(
        graph, embedder.cross_encoder, settings, question, embedding, limit=limit, **bounds
    )
    return await _load(graph, settings, ranked, **bounds)


async def search_by_vector(
    graph: Graph,
    settings: Settings,
    vector: Vector,
    profile: Profile,
    *,
    group_id: str,
    now: datetime,
    limit: int,
    filters: Filters,
) -> list[FoundMemory]:
    """Find memories by the profile `weighted` or `hybrid`, which Cypher statements compute.

    Args:
        graph: The database.
        settings: Numbers of candidates, weights and half-life.
        vector: Vector of the question, unit length.
        profile: `weighted` or `hybrid`.
        group_id: The tenant.
        now: The caller's clock.
        limit: Number of results.
        filters: Filters of the memories; states default to ACTIVE and DORMANT.
    """
    narrowed = narrowing_parameters(filters)
    parameters: dict[str, Any] = {
        "group_id": group_id,
        "vector": vector,
        "limit": limit,
        "states": visible_states(filters, RECALLED_STATES),
        "candidates": max(settings.recall_candidates, limit * settings.search_overfetch),
        **narrowed,
        **view_parameters(settings, now, filters.known_at),
    }
    if profile is Profile.WEIGHTED:
        parameters |= weighted_parameters(settings)
    else:
        parameters |= filter_parameters(filters) | hybrid_parameters(settings)
        parameters |= spread_parameters(settings) | {"anchors": settings.anchor_count}
    return await graph.rows(_STATEMENTS[profile, bool(narrowed)], FoundMemory, **parameters)


async def last_used(graph: Graph) -> LastUsed:
    """Return the memory of any group that was used last, for warm-up searches without a reader.

    Without memories, the group and the content are empty.
    """
    return await graph.one("search/search/last_used", LastUsed) or LastUsed("", "")


async def _load(
    graph: Graph,
    settings: Settings,
    ranked: Sequence[RankedCandidate],
    *,
    group_id: str,
    now: datetime,
    filters: Filters,
) -> list[FoundMemory]:
    """Fetch the ranked memories; memories deleted since the ranking are left out."""
    memories = await get_many(
        graph,
        settings,
        [candidate.memory.memory_id for candidate in ranked],
        group_id=group_id,
        now=now,
        as_of=filters.as_of,
        known_at=filters.known_at,
    )
    by_id = {memory.memory_id: memory for memory in memories}
    return [
        FoundMemory(memory, each.memory.similarity, each.score, each.components)
        for each in ranked
        if (memory := by_id.get(each.memory.memory_id))
    ]
