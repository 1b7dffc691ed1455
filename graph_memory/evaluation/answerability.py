"""Measures of the relevance of best results, for questions with and without an answer. No I/O."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from graph_memory.domain.models import Known

Numbers = npt.NDArray[np.float64]

_RESAMPLES = 500

#: Bins of the reliability, of the same width.
_BINS = 10


class Kind(StrEnum):
    """The group in which a question was asked."""

    OWN = "own"  # in its group, which has the answer
    FOREIGN = "foreign"  # in another group of the data
    ABSENT = "absent"  # in its group, which has no answer


@dataclass(frozen=True, slots=True)
class Asked:
    """The answer to one question.

    Attributes:
        kind: The group in which it was asked.
        relevance: Best relevance, 0 to 1.
        known: Whether it is known.
        precision: Share of evidence among the results from the limit `known_no_below` on; None
            without such results, or without evidence.
    """

    kind: Kind
    relevance: float
    known: Known
    precision: float | None = None


@dataclass(frozen=True, slots=True)
class Share:
    """A measure, 0 to 1, with the ends of its 95 % interval by bootstrap over the questions."""

    value: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Bin:
    """The questions whose best relevance is from `low` to below `low` + 0.1.

    Attributes:
        low: Lower end.
        questions: Number of questions.
        share: Share of all questions.
        relevance: Mean of the best relevances.
        answerable: Share of answerable questions.

    All but `questions` are as if half of all questions were answerable.
    """

    low: float
    questions: int
    share: float
    relevance: float
    answerable: float


@dataclass(frozen=True, slots=True)
class Answerability:
    """The success of the relevance in showing whether a question has an answer.

    Attributes:
        questions: Number of questions of each kind.
        auroc: By kind of the questions without an answer: probability that an answerable question
            has the higher relevance.
        known_no: By kind: share of questions that are taken for unknown.
        precision: Mean precision at the cut: share of evidence among the first ten results whose
            relevance is at least `known_no_below`. None without such results.
        calibration_error: Expected calibration error: mean distance of `relevance` and
            `answerable` of the bins. None if all questions are answerable.
        reliability: The bins that have questions.
    """

    questions: dict[Kind, int]
    auroc: dict[Kind, Share]
    known_no: dict[Kind, Share]
    precision: Share | None
    calibration_error: Share | None
    reliability: list[Bin]


def summarise_relevance(asked: Sequence[Asked]) -> Answerability:
    """Return the measures of answers, of which at least one is to an answerable question."""
    best = {kind: np.array([a.relevance for a in asked if a.kind is kind]) for kind in Kind}
    unknown = {
        kind: np.array([float(a.known is Known.NO) for a in asked if a.kind is kind])
        for kind in Kind
    }
    precise = np.array([a.precision for a in asked if a.precision is not None])
    present = [kind for kind in Kind if len(best[kind])]
    others = [kind for kind in present if kind is not Kind.OWN]
    return Answerability(
        {kind: len(best[kind]) for kind in present},
        {kind: _share({k: best[k] for k in (Kind.OWN, kind)}, _auroc) for kind in others},
        {kind: _share({kind: unknown[kind]}, _mean) for kind in present},
        _share({Kind.OWN: precise}, _mean) if len(precise) else None,
        _share(best, _calibration_error) if others else None,
        _reliability(best),
    )


def _share(
    values: Mapping[Kind, Numbers], measure: Callable[[Mapping[Kind, Numbers]], float]
) -> Share:
    """Return a measure of values by kind, with the interval of resampled questions."""
    chance = np.random.default_rng(0)
    resampled = [
        measure({kind: chance.choice(each, len(each)) for kind, each in values.items()})
        for _ in range(_RESAMPLES)
    ]
    low, high = np.percentile(resampled, (2.5, 97.5))
    return Share(measure(values), (float(low), float(high)))


def _mean(values: Mapping[Kind, Numbers]) -> float:
    return float(np.mean([*values.values()]))


def _auroc(values: Mapping[Kind, Numbers]) -> float:
    """Return the probability that the first kind has the larger value; ties count one half."""
    own, other = values.values()
    ascending = np.sort(other)
    below = np.searchsorted(ascending, own, "left")
    not_above = np.searchsorted(ascending, own, "right")
    return float(np.mean(below + not_above) / (2 * len(other)))


def _calibration_error(best: Mapping[Kind, Numbers]) -> float:
    return sum(each.share * abs(each.relevance - each.answerable) for each in _reliability(best))


def _reliability(best: Mapping[Kind, Numbers]) -> list[Bin]:
    """Return the bins of the best relevances by kind."""
    own = best[Kind.OWN]
    other = np.concatenate([each for kind, each in best.items() if kind is not Kind.OWN])
    values = np.concatenate([own, other])
    answerable = np.arange(len(values)) < len(own)
    weights = np.where(answerable, 0.5 / max(1, len(own)), 0.5 / max(1, len(other)))
    place = np.minimum((values * _BINS).astype(int), _BINS - 1)
    bins: list[Bin] = []
    for number in range(_BINS):
        if (here := place == number).any():
            weight = weights[here]
            bins.append(
                Bin(
                    number / _BINS,
                    int(here.sum()),
                    float(weight.sum()),
                    float(np.average(values[here], weights=weight)),
                    float(np.average(answerable[here], weights=weight)),
                )
            )
    return bins
