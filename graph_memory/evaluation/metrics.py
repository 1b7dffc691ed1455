"""Measures of a ranking against known answers. No I/O."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

#: Results that nDCG and `tokens` consider.
DEPTH = 10
_RESAMPLES = 1000


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over the questions of a category, each 0 to 1 except `questions` and `tokens`.

    Attributes:
        category: Category of the questions; `all` for every question.
        questions: Number of questions.
        recall: Share of the evidence that is among the first k results, by k.
        complete: Share of questions whose evidence is all among the first k results, by k.
        mrr: 1 / rank of the first evidence; 0 if no evidence is found.
        ndcg: Gain of the first ten results, discounted by log2(rank + 1), as a share of the ideal.
        ndcg_interval: Ends of the 95 % interval of `ndcg`, by bootstrap over the questions.
        precision: Share of evidence among the first n results, for n pieces of evidence.
        tokens: Tokens in the first ten results, passages of long memories, at 4 characters each.
        found_at: Share of the evidence among the results within a budget, by budget in tokens.
        intervals: Ends of the 95 % intervals of the other measures, by name: `mrr`, `recall@5`.
    """

    category: str
    questions: int
    recall: dict[int, float]
    complete: dict[int, float]
    mrr: float
    ndcg: float
    ndcg_interval: tuple[float, float]
    precision: float
    tokens: float
    found_at: dict[int, float]
    intervals: dict[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean of a measure minus that of another ranking of the same questions.

    Attributes:
        mean: The mean over the questions.
        interval: Ends of its 95 % interval, by bootstrap over the questions.
    """

    mean: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Hit:
    """A result: the id of the memory in the data, and the tokens of its text or passage."""

    id: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Answer:
    """The measures of one question, as in `Scores`."""

    category: str
    recall: dict[int, float]
    complete: dict[int, float]
    mrr: float
    ndcg: float
    precision: float
    tokens: float
    found_at: dict[int, float]


def measure(
    category: str,
    evidence: Sequence[str],
    found: Sequence[Hit],
    cutoffs: Sequence[int],
    *,
    deep: Sequence[Hit] = (),
    budgets: Sequence[int] = (),
) -> Answer:
    """Measure the results of a question.

    Args:
        category: Category of the question.
        evidence: Ids of the memories that answer it; at least one.
        found: Results, best first; as many as the largest cutoff, and at least `DEPTH`.
        cutoffs: Numbers of results at which to measure.
        deep: Results, best first, from which the budgets are filled.
        budgets: Numbers of tokens at which to measure the evidence found.
    """
    wanted = set(evidence)
    hits = [hit.id in wanted for hit in found]
    first = next((rank for rank, hit in enumerate(hits, 1) if hit), None)
    return Answer(
        category,
        {k: sum(hits[:k]) / len(wanted) for k in cutoffs},
        {k: float(sum(hits[:k]) == len(wanted)) for k in cutoffs},
        1 / first if first else 0.0,
        _gain(hits[:DEPTH]) / _gain([True] * min(DEPTH, len(wanted))),
        sum(hits[: len(wanted)]) / len(wanted),
        sum(hit.tokens for hit in found[:DEPTH]),
        {
            budget: sum(hit.id in wanted for hit in _within(deep, budget)) / len(wanted)
            for budget in budgets
        },
    )


def summarise(answers: Sequence[Answer]) -> list[Scores]:
    """Return the scores of all questions, then of each category by name."""
    named = sorted({answer.category for answer in answers if answer.category})
    of_each = [_mean(name, [a for a in answers if a.category == name]) for name in named]
    return [_mean("all", answers), *of_each]


def differences(answers: Sequence[Answer], others: Sequence[Answer]) -> dict[str, Difference]:
    """Compare the answers to the same questions; return each measure by name: `ndcg`, `recall@5`.

    Args:
        answers: Answers by a ranking.
        others: Answers by the ranking whose measures are subtracted, in the same order.
    """
    mine, theirs = _measures(answers), _measures(others)
    mine["ndcg"], theirs["ndcg"] = [a.ndcg for a in answers], [a.ndcg for a in others]
    gains = {
        name: [a - b for a, b in zip(values, theirs[name], strict=True)]
        for name, values in mine.items()
    }
    return {
        name: Difference(fmean(values) if values else 0.0, interval(values))
        for name, values in gains.items()
    }


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the 95 % interval of a mean, by bootstrap; both 0 without values."""
    if not values:
        return 0.0, 0.0
    chosen = np.random.default_rng(0).integers(len(values), size=(_RESAMPLES, len(values)))
    low, high = np.percentile(np.array(values)[chosen].mean(axis=1), (2.5, 97.5))
    return float(low), float(high)


def _gain(hits: Sequence[bool]) -> float:
    return sum(hit / math.log2(rank + 1) for rank, hit in enumerate(hits, 1))


def _within(found: Sequence[Hit], budget: int) -> list[Hit]:
    """Return the first results that fit into a number of tokens together."""
    fitting: list[Hit] = []
    for hit in found:
        budget -= hit.tokens
        if budget < 0:
            break
        fitting.append(hit)
    return fitting


def _mean(category: str, answers: Sequence[Answer]) -> Scores:
    def mean(values: Sequence[float]) -> float:
        return fmean(values) if values else 0.0

    def each(values: Sequence[Mapping[int, float]]) -> dict[int, float]:
        keys: Iterable[int] = values[0] if values else ()
        return {key: mean([value[key] for value in values]) for key in keys}

    return Scores(
        category,
        len(answers),
        each([a.recall for a in answers]),
        each([a.complete for a in answers]),
        mean([a.mrr for a in answers]),
        mean([a.ndcg for a in answers]),
        interval([a.ndcg for a in answers]),
        mean([a.precision for a in answers]),
        mean([a.tokens for a in answers]),
        each([a.found_at for a in answers]),
        {name: interval(values) for name, values in _measures(answers).items()},
    )


def _measures(answers: Sequence[Answer]) -> dict[str, list[float]]:
    """Return the values of all questions by measure, without nDCG."""
    values = {
        "mrr": [a.mrr for a in answers],
        "precision": [a.precision for a in answers],
        "tokens": [a.tokens for a in answers],
    }
    first = answers[:1]
    values |= {f"recall@{k}": [a.recall[k] for a in answers] for one in first for k in one.recall}
    values |= {f"all@{k}": [a.complete[k] for a in answers] for one in first for k in one.complete}
    return values
