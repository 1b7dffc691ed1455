"""Measures of a ranking, compared with values computed by hand."""

import math

import pytest

from graph_memory.evaluation.metrics import Hit, differences, interval, measure, summarise


def hits(*ids: str) -> list[Hit]:
    return [Hit(id_, 100) for id_ in ids]


def test_measures_of_one_question() -> None:
    found = hits("x", "a", "y", "b")
    answer = measure("c", ["a", "b"], found, (1, 2, 4), deep=found, budgets=(99, 250))
    assert answer.recall == {1: 0, 2: 0.5, 4: 1}
    assert answer.complete == {1: 0, 2: 0, 4: 1}
    assert answer.mrr == 0.5
    assert answer.precision == 0.5
    assert answer.tokens == 400
    ideal = 1 + 1 / math.log2(3)
    assert answer.ndcg == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal)
    assert answer.found_at == {99: 0, 250: 0.5}


def test_nothing_found_scores_nothing() -> None:
    answer = measure("", ["a"], [], (5,))
    assert (answer.recall, answer.mrr, answer.ndcg, answer.tokens) == ({5: 0}, 0, 0, 0)


def test_means_are_of_all_questions_and_of_each_category() -> None:
    good = measure("b", ["a"], hits("a"), (1,))
    bad = measure("a", ["a"], hits("x"), (1,))
    every, first, second = summarise([good, bad])
    assert [s.category for s in (every, first, second)] == ["all", "a", "b"]
    assert (every.questions, every.recall, every.mrr) == (2, {1: 0.5}, 0.5)
    assert (first.ndcg, second.ndcg) == (0, 1)
    assert second.ndcg_interval == (1, 1)
    assert every.intervals.keys() == {"mrr", "precision", "tokens", "recall@1", "all@1"}
    assert every.intervals["recall@1"] == (0, 1)
    assert second.intervals["mrr"] == (1, 1)
    assert summarise([])[0].intervals["mrr"] == (0, 0)


def test_an_interval_contains_the_mean_and_narrows_with_more_values() -> None:
    few, many = [0.0, 1.0] * 10, [0.0, 1.0] * 1000
    assert interval([]) == (0, 0)
    for values in (few, many):
        low, high = interval(values)
        assert low < 0.5 < high
    assert interval(many)[1] - interval(many)[0] < 0.06 < interval(few)[1] - interval(few)[0]


def test_a_difference_is_of_the_same_questions() -> None:
    good, bad = measure("", ["a"], hits("a"), (1,)), measure("", ["a"], hits("x", "a"), (1,))
    gains = differences([good, good, bad], [bad, good, bad])
    assert gains["recall@1"].mean == pytest.approx(1 / 3)
    assert gains["recall@1"].interval == (0, 1)
    assert gains["mrr"].mean == pytest.approx(1 / 6)
    assert gains["ndcg"].mean == pytest.approx((1 - 1 / math.log2(3)) / 3)
    assert differences([good], [bad])["ndcg"].interval[0] > 0
    assert differences([], [])["ndcg"].interval == (0, 0)
