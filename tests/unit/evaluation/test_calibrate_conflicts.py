"""The fit of the comparison of texts, on features made up for the purpose."""

import numpy as np

from graph_memory.evaluation.calibrate_conflicts import Examples, fit, macro_f1
from graph_memory.memories.conflicts import FEATURES, Kind

NUMBER = 40


def examples(kinds: np.ndarray, *, turn: np.ndarray | None = None) -> Examples:
    """Return pairs whose kind decides one feature each."""
    rows = np.zeros((len(kinds), len(FEATURES)))
    rows[:, 0] = 1
    rows[np.arange(len(kinds)), 1 + kinds] = 1
    zeros = np.zeros(len(kinds), dtype=np.int64)
    return Examples(rows, kinds, zeros, zeros if turn is None else turn, zeros > 0)


def test_the_fit_finds_the_feature_of_each_kind() -> None:
    kinds = np.arange(NUMBER) % len(Kind)
    adds = np.full(NUMBER, list(Kind).index(Kind.ADDS))
    pairs = examples(kinds)
    fitted = fit("a-model", pairs, examples(adds, turn=np.arange(NUMBER)))
    assert macro_f1(kinds, fitted.probabilities(pairs.rows).argmax(axis=1)) == 1
    assert fitted.least_score == 0


def test_turns_that_look_like_conflicts_raise_the_least_score() -> None:
    kinds = np.arange(NUMBER) % len(Kind)
    negates = np.full(NUMBER // 20, list(Kind).index(Kind.NEGATES))
    written = examples(negates, turn=np.arange(len(negates)))
    fitted = fit("a-model", examples(np.repeat(kinds, 10)), written)
    assert fitted.least_score > 0.5


def test_macro_f1_weighs_each_kind_the_same() -> None:
    kinds = np.array([0, 0, 0, 0, 1, 2, 3])
    assert macro_f1(kinds, kinds) == 1
    assert macro_f1(kinds, np.zeros_like(kinds)) == (2 * 4 / (4 + 7)) / 4
