"""Find memories: by question, by filter, by id."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.domain.inputs import Filters
from graph_memory.domain.models import RECALLED_STATES, FoundMemory
from graph_memory.inference.embedder import Embedder
from graph_memory.memories.filtering import filter_parameters, narrowing_parameters, visible_states
from graph_memory.memories.read import get_many, view_parameters
from graph_memory.ranking.profiles import Profile, nearness, spreading, weighing
from graph_memory.ranking.scoring import Ranked
from graph_memory.search.candidates import answers
from graph_memory.settings.base import Settings

#: The statement of a profile, without and with filters that narrow the group.
_SEARCHES = {
    (Profile.WEIGHTED, False): "search/search/search_weighted",
    (Profile.WEIGHTED, True): "search/search/search_weighted_filtered",
    (Profile.HYBRID, False): "search/search/search_hybrid",
    (Profile.HYBRID, True): "search/search/search_hybrid_filtered",
}


@dataclass(frozen=True, slots=True)
class LastUsed:
    """Where a memory is, and how it begins."""

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
    """Find the memories that answer `question`, best first.

    Args:
        graph: Where to look.
        embedder: Maps the question to a vector.
        settings: Candidates per leg, weights and half-life.
        question: Any text; no part of it is taken as query syntax.
        group_id: The tenant; no other's memories are seen.
        now: The caller's clock; recency is measured to it.
        limit: Most memories to return, 1 to 50.
        filters: Which memories count; states default to ACTIVE and DORMANT.
        profile: How to rank: by meaning and words; by meaning, recency and importance; or by these
            and nearness in the graph.

    Returns:
        At most `limit` memories, score in 0..1 descending, ties by newest.

    Source: `ranking.py`, `cypher/fragments/ranking/score_weighted.cypher`,
    `cypher/fragments/ranking/score_hybrid.cypher`.
    """
    if profile is Profile.RECALL:
        ranked = await best(
            graph,
            embedder,
            settings,
            question,
            group_id=group_id,
            now=now,
            limit=limit,
            filters=filters,
        )
        return await _shown(graph, settings, ranked, filters, group_id=group_id, now=now)
    narrowed = narrowing_parameters(filters)
    parameters: dict[str, Any] = {
        "group_id": group_id,
        "vector": await embedder.embed_query(question),
        "limit": limit,
        "states": visible_states(filters, RECALLED_STATES),
        "candidates": max(settings.recall_candidates, limit * settings.search_overfetch),
        **narrowed,
        **view_parameters(settings, now, filters.known_at),
    }
    if profile is Profile.WEIGHTED:
        parameters |= weighing(settings)
    else:
        parameters |= filter_parameters(filters) | spreading(settings) | nearness(settings)
        parameters |= {"anchors": settings.anchor_count}
    return await graph.rows(_SEARCHES[profile, bool(narrowed)], FoundMemory, **parameters)


async def best(
    graph: Graph,
    embedder: Embedder,
    settings: Settings,
    question: str,
    *,
    group_id: str,
    now: datetime,
    limit: int,
    filters: Filters,
    tell: bool = False,
) -> list[Ranked]:
    """Rank by the default profile as `search` does; `tell` brings what is told of most of them."""
    return await answers(
        graph,
        embedder,
        settings,
        question,
        group_id=group_id,
        now=now,
        limit=limit,
        states=visible_states(filters, RECALLED_STATES),
        narrowed=narrowing_parameters(filters),
        tell=tell,
    )


async def _shown(
    graph: Graph,
    settings: Settings,
    ranked: Sequence[Ranked],
    filters: Filters,
    *,
    group_id: str,
    now: datetime,
) -> list[FoundMemory]:
    """Fetch what is shown of ranked memories; who went meanwhile is left out."""
    memories = await get_many(
        graph,
        settings,
        [candidate.memory_id for candidate, _, _ in ranked],
        group_id=group_id,
        now=now,
        as_of=filters.as_of,
        known_at=filters.known_at,
    )
    by_id = {memory.memory_id: memory for memory in memories}
    return [
        FoundMemory(memory, candidate.similarity, score, components)
        for candidate, score, components in ranked
        if (memory := by_id.get(candidate.memory_id))
    ]


async def last_used(graph: Graph) -> LastUsed:
    """Find the memory that was used last, whosever it is: for searches that nobody is shown.

    Without memories, one that says nothing is in a group that has no name.
    """
    return await graph.one("search/search/last_used", LastUsed) or LastUsed("", "")
