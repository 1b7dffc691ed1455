"""Find what answers a question by the default profile: candidates, then their words one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.domain.models import LifecycleState
from graph_memory.domain.timestamps import instant
from graph_memory.inference.cross_encoder import CrossEncoder
from graph_memory.inference.embedder import Embedder
from graph_memory.ranking.late_interaction import asked, met
from graph_memory.ranking.scoring import LEAD, Candidate, Candidates, Ranked, Ranking
from graph_memory.ranking.terms import lookups, rarest
from graph_memory.settings.base import Settings

#: Of a group so many times the hits of a word are counted: in a larger one rarities differ alike.
_MEMBERS_PER_HIT = 5


@dataclass(frozen=True, slots=True)
class _WordVectors:
    memory_id: str
    vectors: bytes


async def answers(
    graph: Graph,
    embedder: Embedder,
    settings: Settings,
    question: str,
    *,
    group_id: str,
    now: datetime,
    limit: int,
    states: Sequence[LifecycleState],
    narrowed: Mapping[str, Any],
    tell: bool,
) -> list[Ranked]:
    """Rank the memories that may answer `question`, best first.

    Args:
        graph: Where to look.
        embedder: Reads the question, and if it has a cross-encoder, the best memories with it.
        settings: How many candidates, and what counts how much.
        question: Any text.
        group_id: The tenant.
        now: The caller's clock.
        limit: Most memories to return.
        states: Lifecycle states to serve.
        narrowed: Parameters of `cypher/fragments/memory/filter.cypher`; empty for the whole group.
        tell: Whether to read what is told of them, too; those met only around others come without.
    """
    reading = await embedder.read_query(question)
    words = rarest(question, settings.fulltext_analyzer)
    found = await graph.one(
        "search/candidates/candidates_filtered" if narrowed else "search/candidates/candidates",
        Candidates,
        group_id=group_id,
        vector=reading.vector,
        lookups=lookups(words, group_id),
        states=list(states),
        candidates=max(settings.recall_candidates, limit),
        pool=max(settings.recall_pool, limit),
        hits=settings.recall_hits_per_word,
        common_hits=min(settings.recall_hits_per_common_word, settings.recall_hits_per_word),
        members=settings.recall_hits_per_word * _MEMBERS_PER_HIT,
        saturation=settings.recall_word_saturation,
        vector_weight=settings.recall_vector_weight,
        fan=settings.traversal_fan if settings.recall_context_characters else 0,
        lead=LEAD,
        tell=tell,
        now=instant(now),
        **{"known_at": None, **narrowed},
    )
    if found is None or not found.memories:
        return []
    ranking = Ranking(question, found, settings, now)
    # Of a memory's earlier texts no vectors of words are kept.
    if settings.recall_late_weight and reading.tokens and not narrowed.get("known_at"):
        first = ranking.first(max(settings.recall_late_candidates, limit))
        packs = await _word_vectors(graph, first, group_id=group_id)
        vectors, weights = asked(
            question, reading.tokens, words, found.rarity, settings.fulltext_analyzer
        )
        ids = (memory.memory_id for memory in first)
        ranking.add_late(dict(zip(ids, met(vectors, packs), strict=True)), weights)
    ranking.add_sitting()
    if embedder.cross_encoder:
        await _read_again(ranking, embedder.cross_encoder, settings, question)
    return ranking.best(limit)


async def _word_vectors(
    graph: Graph, memories: Sequence[Candidate], *, group_id: str
) -> list[bytes]:
    """Return the vectors of each memory's words; of one without, nothing."""
    packs = {memory.memory_id: memory.vectors for memory in memories}
    if missing := [memory_id for memory_id, vectors in packs.items() if vectors is None]:
        read = await graph.rows(
            "search/candidates/word_vectors", _WordVectors, group_id=group_id, memory_ids=missing
        )
        packs |= {row.memory_id: row.vectors for row in read}
    return [vectors or b"" for vectors in packs.values()]


async def _read_again(
    ranking: Ranking, cross_encoder: CrossEncoder, settings: Settings, question: str
) -> None:
    """Have the best memories so far read together with the question."""
    first = ranking.first(settings.recall_cross_encoder_candidates)
    scores = await cross_encoder.read(question, [memory.lead for memory in first])
    ids = (memory.memory_id for memory in first)
    ranking.add_cross(dict(zip(ids, scores.tolist(), strict=True)))
