"""Find memories: by question, by filter, by id."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph_memory import decay
from graph_memory.answers import answers
from graph_memory.arguments import Filters
from graph_memory.embedding import Embedder
from graph_memory.errors import InvalidArgumentError
from graph_memory.graph import Graph
from graph_memory.memories import (
    LASTING_STATES,
    RECALLED_STATES,
    FoundMemory,
    LifecycleState,
    Memory,
    Relation,
    instant,
)
from graph_memory.profiles import Profile, nearness, spreading, weighing
from graph_memory.ranking import Ranked
from graph_memory.settings import Settings

#: The statement of a profile, without and with filters that narrow the group.
_SEARCHES = {
    (Profile.WEIGHTED, False): "recall/search_weighted",
    (Profile.WEIGHTED, True): "recall/search_weighted_filtered",
    (Profile.HYBRID, False): "recall/search_hybrid",
    (Profile.HYBRID, True): "recall/search_hybrid_filtered",
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

    Source: `ranking.py`, `cypher/recall/score_weighted.cypher`,
    `cypher/retrieve/score_hybrid.cypher`.
    """
    if profile is Profile.RECALL:
        ranked = await best(
            graph, embedder, settings, question, group_id=group_id, now=now, limit=limit,
            filters=filters,
        )  # fmt: skip
        return await _shown(graph, settings, ranked, filters, group_id=group_id, now=now)
    narrowed = _narrowing(filters)
    parameters: dict[str, Any] = {
        "group_id": group_id,
        "vector": await embedder.embed_query(question),
        "limit": limit,
        "states": served(filters, RECALLED_STATES),
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
        states=served(filters, RECALLED_STATES),
        narrowed=_narrowing(filters),
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


async def get_many(
    graph: Graph,
    settings: Settings,
    memory_ids: Sequence[str],
    *,
    group_id: str,
    now: datetime,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
) -> list[Memory]:
    """Fetch memories by id, in the order asked; unknown and deleted ones are left out.

    Args:
        graph: Where to look.
        settings: For the view.
        memory_ids: Any number.
        group_id: The tenant.
        now: The caller's clock.
        as_of: Only what was true in the world then.
        known_at: Only what this graph knew then, in the words of then.
    """
    found = await graph.rows(
        "recall/get",
        Memory,
        group_id=group_id,
        memory_ids=list(memory_ids),
        as_of=_instant(as_of),
        **view_parameters(settings, now, known_at),
    )
    by_id = {memory.memory_id: memory for memory in found}
    return [by_id[memory_id] for memory_id in memory_ids if memory_id in by_id]


async def last_used(graph: Graph) -> LastUsed:
    """Find the memory that was used last, whosever it is: for searches that nobody is shown.

    Without memories, one that says nothing is in a group that has no name.
    """
    return await graph.one("recall/last_used", LastUsed) or LastUsed("", "")


async def relations_of(
    graph: Graph,
    memory_id: str,
    *,
    group_id: str,
    now: datetime,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    limit: int = 100,
) -> list[Relation]:
    """List the relations from and to a memory that hold, the strongest first."""
    return await graph.rows(
        "recall/relations",
        Relation,
        group_id=group_id,
        memory_id=memory_id,
        now=instant(now),
        as_of=_instant(as_of),
        known_at=_instant(known_at),
        limit=limit,
    )


def view_parameters(
    settings: Settings, now: datetime, known_at: datetime | None = None
) -> dict[str, Any]:
    """Return the parameters of `cypher/memories/view.cypher`, which changes no state."""
    return {
        "now": instant(now),
        "known_at": _instant(known_at),
        "decay": decay.rules(settings),
    }


def _instant(moment: datetime | None) -> str | None:
    return instant(moment) if moment else None


def served(filters: Filters, default: Sequence[LifecycleState]) -> list[LifecycleState]:
    """Return the states to serve; of the past, every state that can be shown today.

    Raises:
        InvalidArgumentError: What was deleted is asked for, and not as it was known before.
    """
    if filters.states:
        refuse_deleted(filters.states, filters.known_at)
        return list(filters.states)
    if filters.known_at:
        return list(LifecycleState)
    return list(LASTING_STATES if filters.as_of else default)


def refuse_deleted(states: Sequence[LifecycleState], known_at: datetime | None) -> None:
    """Refuse to serve what was deleted, unless it is asked for as it was known before."""
    if LifecycleState.SOFT_DELETED in states and known_at is None:
        raise InvalidArgumentError(
            "states", str(LifecycleState.SOFT_DELETED),
            "what was deleted is not served; recover_soft_deleted brings it back, and known_at "
            "asks what was known before",
        )  # fmt: skip


def filter_parameters(filters: Filters) -> dict[str, Any]:
    """Return the parameters of `cypher/recall/filter.cypher`."""
    return {
        "types": list(filters.memory_types) if filters.memory_types else None,
        "tags": [tag.lower() for tag in filters.tags] if filters.tags else None,
        "date_from": _instant(filters.date_from),
        "date_to": _instant(filters.date_to),
        "project_id": filters.project_id,
        "as_of": _instant(filters.as_of),
        "known_at": _instant(filters.known_at),
    }


def _narrowing(filters: Filters) -> dict[str, Any]:
    """Return the filter's parameters, or none where the filter lets everything pass."""
    parameters = filter_parameters(filters)
    return parameters if any(value is not None for value in parameters.values()) else {}
