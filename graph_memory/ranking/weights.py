"""Weights of the measures of a ranking, learned from answers that were used. No I/O.

A lesson is an answer of which some memories were useful. The model is a linear ranking, trained on
pairs of a useful memory and another of the same answer, with a logistic loss that counts each pair
by what it changes in nDCG. A quadratic prior keeps the weights near the configured ones.

The measure `sitting` follows from the scores, so from the weights. It is computed again while the
weights are learned.

Source: Burges, From RankNet to LambdaRank to LambdaMART, 2010, for the loss.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from graph_memory.settings.base import Settings

Numbers = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

#: The measures whose weights are learned. Those of meaning and words sum up to 2 in a ranking.
MEASURES = ("semantic", "text", "late", "form", "time", "speaker", "cross", "sitting")

#: The setting of each measure but the first two, which share one.
_SETTINGS = {
    "late": "recall_late_weight",
    "form": "recall_form_weight",
    "time": "recall_time_weight",
    "speaker": "recall_speaker_weight",
    "cross": "recall_cross_encoder_weight",
    "sitting": "recall_sitting_weight",
}

#: Lessons without which nothing is learned.
LEAST_LESSONS = 20

#: Lessons that are used, the latest.
MOST_LESSONS = 1000

#: Memories of an answer that a lesson keeps, the best.
SHOWN = 20

#: Results that nDCG considers.
_DEPTH = 10

#: Strength of the prior, in lessons; and the slope of the loss, per difference of two scores.
_PRIOR = 5.0
_SLOPE = 30.0

#: The least and the greatest multiple of a configured weight.
_BOUNDS = (0.1, 5.0)

#: Rounds in which `sitting` is computed from the weights, and the weights from it.
_ROUNDS = 6
_STEPS = 100

#: Parts of the lessons; each part is scored with what the others teach.
_FOLDS = 5
_RESAMPLES = 1000

#: Seconds between two memories at which their nearness is one half, as in the ranking.
_SITTING_SECONDS = 3600

_DECIMALS = 3
_SITTING = MEASURES.index("sitting")


@dataclass(frozen=True, slots=True)
class Lesson:
    """An answer of which some memories were useful.

    Attributes:
        values: Array (n, 8), the measures of the n memories, best first; `sitting` is not read.
        scales: Array (8,), share of the configured weight that each measure had for the question;
            0 for an absent measure.
        quotes: Array (n,), the measure `quotation`.
        instants: Array (n,), instant of each memory, seconds.
        conversations: Array (n,), number of the conversation of each memory.
        useful: Array (n,), True for a useful memory.
        learned: True if the answer was ranked with learned weights, None if that is unknown.
    """

    values: Numbers
    scales: Numbers
    quotes: Numbers
    instants: Numbers
    conversations: Numbers
    useful: Flags
    learned: bool | None = None

    @property
    def teaches(self) -> bool:
        """True if some memories were useful and some were not."""
        return bool(self.useful.any()) and not self.useful.all()


@dataclass(frozen=True, slots=True)
class Gain:
    """A difference in nDCG, -1 to 1, with the ends of its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class LearnedWeights:
    """Weights that lessons teach.

    Attributes:
        settings: The weights to use by setting; empty for the configured ones.
        gain: The expected gain over the configured weights, on lessons that were held back; None
            with too few lessons.
        lessons: Number of lessons.
        reason: Why these weights are used, in a sentence without a full stop.
    """

    settings: Mapping[str, float]
    gain: Gain | None
    lessons: int
    reason: str


def learn(lessons: Sequence[Lesson], settings: Settings) -> LearnedWeights:
    """Return the weights that lessons teach, or the configured ones if those are not worse.

    The result follows from the lessons, the oldest first, and the configured weights alone.
    """
    teaching = [each for each in lessons if each.teaches][-MOST_LESSONS:]
    count = len(teaching)
    if count < LEAST_LESSONS:
        return LearnedWeights({}, None, count, f"{count} lessons; {LEAST_LESSONS} are needed")
    weights = _configured(settings)
    gain = interval(_replay(teaching, weights))
    said = f"expected gain {_points(gain)} in nDCG from {count} lessons"
    if gain.mean <= 0:
        return LearnedWeights({}, gain, count, f"{said}; the configured weights are not worse")
    if (loss := _loss(teaching)) is not None:
        return LearnedWeights(
            {}, gain, count, f"searches with learned weights were worse by {_points(loss)} in nDCG"
        )
    return LearnedWeights(_as_settings(_train(teaching, weights), settings), gain, count, said)


def weight_settings(settings: Settings) -> dict[str, float]:
    """Return the configured value of each setting that is learned."""
    names = ["recall_vector_weight", *_SETTINGS.values()]
    return {name: getattr(settings, name) for name in names}


def scales(measures: Mapping[str, tuple[float, Any]], settings: Settings) -> list[float]:
    """Return the share of its configured weight that each of `MEASURES` has in a ranking."""
    weights = _configured(settings)
    return [
        measures[name][0] / weight if name in measures and weight else 0.0
        for name, weight in zip(MEASURES, weights.tolist(), strict=True)
    ]


def weight_factors(before: Settings, after: Settings) -> dict[str, float]:
    """Return the factor by which the weight of each of `MEASURES` differs between settings."""
    was, now = _configured(before).tolist(), _configured(after).tolist()
    return {name: n / w if w else 1.0 for name, w, n in zip(MEASURES, was, now, strict=True)}


def interval(gains: Numbers) -> Gain:
    """Return a mean with its 95 % interval by bootstrap; the same for the same values."""
    chosen = np.random.default_rng(0).integers(len(gains), size=(_RESAMPLES, len(gains)))
    low, high = np.percentile(gains[chosen].mean(axis=1), (2.5, 97.5))
    return Gain(*(round(float(each), 4) for each in (gains.mean(), low, high)))


def _points(gain: Gain) -> str:
    """Return a gain in points of 100, with its interval."""
    mean, low, high = (100 * each for each in (gain.mean, gain.low, gain.high))
    return f"{mean:+.1f} points ({low:+.1f} to {high:+.1f})"


def _configured(settings: Settings) -> Numbers:
    """Return the configured weight of each measure, array (8,)."""
    share = settings.recall_vector_weight
    others = [getattr(settings, _SETTINGS[name]) for name in MEASURES[2:]]
    return np.array([2 * share, 2 * (1 - share), *others])


def _as_settings(weights: Numbers, settings: Settings) -> dict[str, float]:
    """Return weights as settings, scaled so that meaning and words sum up to 2."""
    scaled = 2 * weights / max(weights[0] + weights[1], 1e-9)
    values = [float(scaled[0]) / 2, *scaled[2:].tolist()]
    learned = zip(weight_settings(settings), values, strict=True)
    used = settings.recall_cross_encoder or None
    return {
        name: round(value, _DECIMALS)
        for name, value in learned
        if used or name != _SETTINGS["cross"]
    }


def _train(lessons: Sequence[Lesson], configured: Numbers) -> Numbers:
    """Return the weights that lessons teach, array (8,)."""
    factors = np.ones(len(MEASURES))
    share = configured / max(configured.sum(), 1e-9)
    for round_ in range(_ROUNDS):
        found = _fit([_measured(each, configured * factors) for each in lessons], lessons, share)
        factors = (factors + found) / 2 if round_ else found
    return configured * factors


def _fit(measured: Sequence[Numbers], lessons: Sequence[Lesson], share: Numbers) -> Numbers:
    """Return the multiples of the configured weights with the least loss, array (8,)."""
    pairs = [
        _pairs(values * share, each.useful) for values, each in zip(measured, lessons, strict=True)
    ]
    ahead = np.concatenate([first for first, _ in pairs])
    counts = np.concatenate([second for _, second in pairs])

    def loss(factors: Numbers) -> float:
        fitted = counts @ np.logaddexp(0, -_SLOPE * (ahead @ factors))
        return float(fitted + _PRIOR / 2 * ((factors - 1) ** 2).sum())

    factors = np.ones(len(share))
    least = loss(factors)
    for _ in range(_STEPS):
        step = _newton_step(factors, ahead, counts)
        length = 1.0
        while length > 1e-6 and loss(factors - length * step) > least:
            length /= 2
        factors = factors - length * step
        before, least = least, loss(factors)
        if before - least <= 1e-9 * abs(before):
            break
    # Weights count in proportion: their sum stays as it was.
    bounded = np.clip(factors, *_BOUNDS)
    return bounded / max(float(bounded @ share), 1e-9)


def _newton_step(factors: Numbers, ahead: Numbers, counts: Numbers) -> Numbers:
    wrong = 1 / (1 + np.exp(np.clip(_SLOPE * (ahead @ factors), -500, 500)))
    slope = -(counts * wrong) @ ahead * _SLOPE + _PRIOR * (factors - 1)
    curved = (ahead * (counts * wrong * (1 - wrong))[:, None]).T @ ahead * _SLOPE**2
    step: Numbers = np.asarray(
        np.linalg.solve(curved + _PRIOR * np.eye(len(factors)), slope), dtype=np.float64
    )
    return step


def _pairs(values: Numbers, useful: Flags) -> tuple[Numbers, Numbers]:
    """Return how far each useful memory is ahead of each other one, and how much that counts.

    Returns:
        Arrays (pairs, 8) and (pairs,).
    """
    discount = 1 / np.log2(np.arange(2, len(useful) + 2))
    discount[_DEPTH:] = 0
    ideal = discount[: int(useful.sum())].sum()
    ahead = values[useful][:, None] - values[~useful][None]
    counts = np.abs(discount[useful][:, None] - discount[~useful][None]) / ideal
    return ahead.reshape(-1, values.shape[1]), counts.ravel()


def _measured(lesson: Lesson, weights: Numbers) -> Numbers:
    """Return the scaled measures of a lesson with `sitting` under these weights, array (n, 8)."""
    scaled = lesson.values * lesson.scales
    scaled[:, _SITTING] = 0
    if lesson.scales[_SITTING]:
        own = np.maximum(scaled @ weights, 0)
        nearness = _SITTING_SECONDS / (
            _SITTING_SECONDS + np.abs(lesson.instants[:, None] - lesson.instants)
        )
        same = lesson.conversations[:, None] == lesson.conversations
        best = (np.where(same, nearness, 0) * own).max(axis=1)
        scaled[:, _SITTING] = best / max(float(best.max()), 1e-9) * lesson.scales[_SITTING]
    return scaled


def _ndcg(lesson: Lesson, weights: Numbers) -> float:
    """Return the nDCG of a lesson if it is ranked with these weights."""
    quoted = float(lesson.scales @ weights) * lesson.quotes
    scores = np.round(_measured(lesson, weights) @ weights + quoted, 9)
    return _gain(lesson.useful[np.argsort(-scores, kind="stable")])


def _gain(useful: Flags) -> float:
    """Return the nDCG of an order of memories."""
    discount = 1 / np.log2(np.arange(2, _DEPTH + 2))
    found = useful[:_DEPTH]
    ideal = discount[: min(_DEPTH, int(useful.sum()))].sum()
    return float(found @ discount[: len(found)] / ideal)


def _replay(lessons: Sequence[Lesson], configured: Numbers) -> Numbers:
    """Return the gain of each lesson with the weights that the other parts teach, array (n,)."""
    gains = np.zeros(len(lessons))
    for fold in range(_FOLDS):
        taught = _train([each for i, each in enumerate(lessons) if i % _FOLDS != fold], configured)
        for i in range(fold, len(lessons), _FOLDS):
            gains[i] = _ndcg(lessons[i], taught) - _ndcg(lessons[i], configured)
    return gains


def _loss(lessons: Sequence[Lesson]) -> Gain | None:
    """Return the loss of answers that were ranked with learned weights against the others.

    Returns:
        None without a loss that is certain to 95 %, or with too few answers of either kind.
    """
    with_learned = np.array([_gain(each.useful) for each in lessons if each.learned])
    without = np.array([_gain(each.useful) for each in lessons if each.learned is False])
    if min(len(with_learned), len(without)) < LEAST_LESSONS:
        return None
    chance = np.random.default_rng(0)
    means = [
        each[chance.integers(len(each), size=(_RESAMPLES, len(each)))].mean(axis=1)
        for each in (with_learned, without)
    ]
    low, high = np.percentile(means[1] - means[0], (2.5, 97.5))
    mean = float(without.mean() - with_learned.mean())
    return Gain(mean, float(low), float(high)) if low > 0 else None
