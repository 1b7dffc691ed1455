"""Simple rankings that a profile is compared with."""

from datetime import UTC, datetime

from graph_memory.evaluation.baselines import rankings
from graph_memory.ranking.candidates import Candidate


def candidate(name: str, cosine: float, *weights: float) -> Candidate:
    words = list(enumerate(weights))
    return Candidate(name, cosine, words, name, 10, datetime(2026, 6, 1, tzinfo=UTC))


def ids(orders: dict[str, list[Candidate]]) -> dict[str, list[str]]:
    return {name: [each.memory_id for each in order] for name, order in orders.items()}


def test_candidates_are_ordered_by_cosine_by_words_and_by_both() -> None:
    found = [candidate("a", 0.9), candidate("b", 0.5, 3.0, 1.0), candidate("c", 0.7, 2.0)]
    orders = ids(rankings(found, 2))
    assert orders["vectors"] == ["a", "c", "b"]
    assert orders["bm25"] == ["b", "c"]
    assert orders["fusion"] == ["b", "c", "a"]


def test_phrases_do_not_count_for_a_simple_ranking() -> None:
    found = [candidate("a", 0.9, 1.0, 9.0), candidate("b", 0.5, 2.0)]
    assert ids(rankings(found, 1))["bm25"] == ["b", "a"]
