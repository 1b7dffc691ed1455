"""Weights that are learned from lessons: towards what was useful, never below the configured."""

from dataclasses import replace

import numpy as np
import pytest

from graph_memory.ranking import weights
from graph_memory.ranking.weights import LEAST_LESSONS, MEASURES, Lesson, learn, weight_settings
from graph_memory.settings.base import read_settings

SETTINGS = read_settings()
LATE, FORM = MEASURES.index("late"), MEASURES.index("form")


def lessons(count: int, decisive: int | None, *, misleading: int | None = None) -> list[Lesson]:
    """Return lessons of ten memories in which one measure decides, and another one misleads."""
    chance = np.random.default_rng(7)
    found: list[Lesson] = []
    for _ in range(count):
        values = chance.random((10, len(MEASURES)))
        useful = np.zeros(10, dtype=bool)
        useful[chance.integers(10)] = True
        if decisive is not None:
            values[:, decisive] = np.where(useful, 1.0, values[:, decisive] * 0.8)
        if misleading is not None:
            values[:, misleading] = np.where(useful, 0.0, values[:, misleading])
        scales = np.ones(len(MEASURES))
        scales[MEASURES.index("cross")] = scales[MEASURES.index("sitting")] = 0
        found.append(Lesson(values, scales, np.zeros(10), np.zeros(10), np.arange(10.0), useful))
    return found


def test_a_measure_that_decides_gets_more_weight_and_one_that_misleads_less() -> None:
    learned = learn(lessons(60, LATE, misleading=FORM), SETTINGS)
    before = weight_settings(SETTINGS)
    after = learned.settings
    assert after["recall_late_weight"] > before["recall_late_weight"]
    assert after["recall_form_weight"] < before["recall_form_weight"]
    assert learned.gain is not None
    assert 0 < learned.gain.low <= learned.gain.mean <= learned.gain.high
    assert "expected gain +" in learned.reason
    assert learned.lessons == 60
    assert "recall_cross_encoder_weight" not in after


def test_the_same_lessons_teach_the_same() -> None:
    taught = lessons(40, LATE)
    assert learn(taught, SETTINGS) == learn(list(taught), SETTINGS)


def test_few_lessons_teach_nothing() -> None:
    learned = learn(lessons(LEAST_LESSONS - 1, LATE), SETTINGS)
    assert (learned.settings, learned.gain) == ({}, None)
    assert learned.reason == "19 lessons; 20 are needed"


def test_an_answer_without_a_useful_memory_or_without_another_is_no_lesson() -> None:
    taught = lessons(30, LATE)
    plain = [replace(each, useful=np.zeros(10, dtype=bool)) for each in taught]
    full = [replace(each, useful=np.ones(10, dtype=bool)) for each in taught]
    assert learn([*plain, *full], SETTINGS).lessons == 0


def test_chance_is_not_worth_a_change() -> None:
    """Over many groups whose use has no pattern, the weights expect no great gain."""
    chance = np.random.default_rng(3)
    gains: list[float] = []
    for _ in range(5):
        taught = [
            replace(each, useful=chance.permutation(each.useful)) for each in lessons(30, None)
        ]
        learned = learn(taught, SETTINGS)
        gains.append(learned.gain.mean if learned.gain and learned.settings else 0.0)
    assert gains.count(0.0) >= 1
    assert np.mean(gains) < 0.05


def test_a_loss_in_real_searches_leads_back_to_the_configured_weights() -> None:
    taught = lessons(80, LATE, misleading=FORM)
    # The useful memory was first in answers with configured weights, last in those with learned.
    shown = [_first(each) if i % 2 else _last(each, learned=True) for i, each in enumerate(taught)]
    learned = learn(shown, SETTINGS)
    assert learned.settings == {}
    assert learned.reason.startswith("searches with learned weights were worse by +")
    better = [
        _last(each, learned=False) if i % 2 else _first(each, learned=True)
        for i, each in enumerate(taught)
    ]
    assert learn(better, SETTINGS).settings


def _first(lesson: Lesson, *, learned: bool = False) -> Lesson:
    return _ordered(lesson, np.argsort(~lesson.useful, kind="stable"), learned)


def _last(lesson: Lesson, *, learned: bool) -> Lesson:
    return _ordered(lesson, np.argsort(lesson.useful, kind="stable"), learned)


def _ordered(lesson: Lesson, order: np.ndarray, learned: bool) -> Lesson:
    return replace(
        lesson,
        values=lesson.values[order],
        conversations=lesson.conversations[order],
        useful=lesson.useful[order],
        learned=learned,
    )


def test_sitting_follows_from_the_weights() -> None:
    """A memory beside the best one of its conversation is as near as the ranking says."""
    (lesson,) = lessons(1, LATE)
    scales = lesson.scales.copy()
    scales[MEASURES.index("sitting")] = 1
    together = replace(
        lesson,
        scales=scales,
        conversations=np.array([0.0, 0.0, *range(1, 9)]),
        instants=np.zeros(10),
    )
    configured = np.array([1.0, 1.0, *([0.0] * 6)])
    measured = weights._measured(together, configured)[:, MEASURES.index("sitting")]
    own = together.values[:, 0] + together.values[:, 1]
    expected = [max(own[0], own[1])] * 2 + own[2:].tolist()
    assert measured == pytest.approx(np.array(expected) / max(expected))
