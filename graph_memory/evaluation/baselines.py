"""Simple rankings of the same candidates, to compare a profile with. No I/O.

- `vectors`: by the cosine of question and memory.
- `bm25`: by the weights of the question's words, rarity · BM25 to the power of the saturation.
- `fusion`: reciprocal rank fusion of both.

Source: Cormack, Clarke and Büttcher, Reciprocal Rank Fusion (2009), for `fusion` with k = 60.
"""

from collections.abc import Callable, Sequence

from graph_memory.ranking.candidates import Candidate

_FUSION_K = 60


def rankings(candidates: Sequence[Candidate], terms: int) -> dict[str, list[Candidate]]:
    """Return the order of the candidates by each simple ranking, by its name.

    Args:
        candidates: The candidates.
        terms: Number of query terms; the lookups after them are phrases, which do not count.
    """
    by_cosine = _ordered(candidates, lambda candidate: candidate.cosine)
    weights = {
        candidate.memory_id: sum(weight for i, weight in candidate.words if i < terms)
        for candidate in candidates
    }
    worded = [candidate for candidate in candidates if weights[candidate.memory_id]]
    by_words = _ordered(worded, lambda candidate: weights[candidate.memory_id])
    gains = dict.fromkeys((candidate.memory_id for candidate in candidates), 0.0)
    for order in (by_cosine, by_words):
        for rank, candidate in enumerate(order, 1):
            gains[candidate.memory_id] += 1 / (_FUSION_K + rank)
    fused = _ordered(candidates, lambda candidate: gains[candidate.memory_id])
    return {"vectors": by_cosine, "bm25": by_words, "fusion": fused}


def _ordered(
    candidates: Sequence[Candidate], score: Callable[[Candidate], float]
) -> list[Candidate]:
    return sorted(candidates, key=lambda candidate: (-score(candidate), candidate.memory_id))
