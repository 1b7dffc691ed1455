"""Relevance: absolute, monotone in its features, and between 0 and 1."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.domain.models import Known
from graph_memory.errors import SettingsError
from graph_memory.evaluation.calibrate import fit
from graph_memory.ranking.relevance import Calibration, calibration_for, features
from graph_memory.settings.base import Settings, read_settings

CALIBRATION = Calibration.packaged()
SHARES = st.floats(0, 1)
COSINES = st.floats(-1, 1)


def relevance(cosine: float, met: float, unmet: float, names: float) -> float:
    return float(CALIBRATION.relevance(np.array([[cosine, met, unmet, names]]))[0])


@given(COSINES, COSINES, SHARES, SHARES, SHARES, SHARES, SHARES, SHARES)
def test_relevance_is_monotone_in_each_feature(
    low: float,
    high: float,
    met: float,
    more: float,
    unmet: float,
    missing: float,
    named: float,
    names: float,
) -> None:
    low, high = sorted((low, high))
    met, more = sorted((met, more))
    unmet, missing = sorted((unmet, missing))
    named, names = sorted((named, names))
    rising = [
        relevance(low, met, missing, names),
        relevance(high, met, missing, names),
        relevance(high, more, missing, names),
        relevance(high, more, unmet, names),
        relevance(high, more, unmet, named),
    ]
    assert rising == sorted(rising)
    assert 0 <= rising[0] <= rising[-1] <= 1


@given(
    st.lists(COSINES, min_size=1, max_size=5),
    st.lists(st.floats(-1, 20), max_size=6),
    st.data(),
)
def test_relevance_is_a_number_for_any_words(
    cosines: list[float], rarity: list[float], data: st.DataObject
) -> None:
    terms = len(rarity)
    has = st.booleans()
    words = [data.draw(st.lists(has, min_size=terms, max_size=terms)) for _ in cosines]
    named = data.draw(st.lists(st.booleans(), min_size=terms, max_size=terms))
    found = features(
        np.array(cosines),
        np.array(words, dtype=bool).reshape(len(cosines), terms),
        np.array(rarity),
        np.array(named, dtype=bool),
    )
    values = CALIBRATION.relevance(found)
    assert ((values >= 0) & (values <= 1)).all()
    assert ((found[:, 3] == 0) | (found[:, 2] > 0)).all()


def test_features_are_shares_of_the_rarity_of_the_question_and_whether_a_name_is_unmet() -> None:
    words = np.array([[True, False, False, False], [False] * 4])
    rarity = np.array([4.0, 2.0, 2.0, -0.1])
    for named, unmet in (([True, False, True, True], 1.0), ([True, False, False, True], 0.0)):
        found = features(np.array([0.5, 0.4]), words, rarity, np.array(named))
        assert found.tolist() == [[0.5, 0.5, 0.5, unmet], [0.4, 0.0, 0.5, unmet]]


@pytest.mark.parametrize("rarity", [[], [0.0], [-0.2]])
def test_a_question_without_words_goes_by_its_cosine(rarity: list[float]) -> None:
    named = np.ones(len(rarity), dtype=bool)
    found = features(
        np.array([0.5]), np.zeros((1, len(rarity)), dtype=bool), np.array(rarity), named
    )
    assert found.tolist() == [[0.5, 0.0, 0.0, 0.0]]


def settings(data_dir: Path, model: str = CALIBRATION.model) -> Settings:
    return read_settings(data_dir=data_dir, embedding_model=model)


def test_only_the_model_of_the_calibration_has_one(tmp_path: Path) -> None:
    assert calibration_for(settings(tmp_path)) == CALIBRATION
    assert calibration_for(settings(tmp_path, "another model")) is None


def test_the_data_folder_keeps_calibrations_of_several_models(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    own = replace(CALIBRATION, intercept=-1.0)
    one, other = replace(own, model="one"), replace(own, model="other")
    for each in (one, other, replace(one, cosine=3.0), own):
        each.write(folder)
    assert calibration_for(settings(folder, "one")) == replace(one, cosine=3.0)
    assert calibration_for(settings(folder, "other")) == other
    assert calibration_for(settings(folder)) == own
    assert calibration_for(settings(tmp_path)) == CALIBRATION
    assert [file.name for file in folder.iterdir()] == ["calibrations.json"]


@pytest.mark.parametrize("text", ["", "{}", '[{"model": "m"}]', "[1]"])
def test_a_damaged_file_of_calibrations_is_named_and_kept(tmp_path: Path, text: str) -> None:
    file = tmp_path / "calibrations.json"
    file.write_text(text)
    for use in (lambda: calibration_for(settings(tmp_path)), lambda: CALIBRATION.write(tmp_path)):
        with pytest.raises(SettingsError, match=r"calibrations\.json .* make it again"):
            use()
    assert file.read_text() == text


def test_a_fit_finds_the_coefficients_that_made_the_data() -> None:
    true = replace(CALIBRATION, intercept=-2.0, cosine=6.0, met=1.0, unmet=-3.0, unmet_name=-1.0)
    assert 0 < CALIBRATION.known_no_below < CALIBRATION.known_yes_from < 1
    rng = np.random.default_rng(3)
    named = rng.random(20_000).round()
    rows = np.column_stack([rng.uniform(-1, 1, 20_000), rng.random((20_000, 2)), named])
    labels = rng.random(20_000) < true.relevance(rows)
    found = fit(
        "model", [[(row[None], bool(label)) for row, label in zip(rows, labels, strict=True)]]
    )
    assert found.cosine == pytest.approx(true.cosine, rel=0.1)
    assert found.unmet == pytest.approx(true.unmet, rel=0.15)
    assert found.met == pytest.approx(true.met, abs=0.3)
    assert true.unmet_name - 0.3 <= found.unmet_name < 0  # a part of the fitted one


def test_the_limits_miss_few_answers_and_take_few_guesses_for_known() -> None:
    rng = np.random.default_rng(5)
    kinds: list[list[tuple[np.ndarray, bool]]] = []
    for shift in (0.0, 0.1):
        cosines = np.concatenate([rng.normal(0.6, 0.1, 400), rng.normal(0.2 + shift, 0.1, 400)])
        kinds.append([(np.array([[c, 0.5, 0.2, 0.1]]), i < 400) for i, c in enumerate(cosines)])
    found = fit("model", kinds)
    best = [np.array([found.relevance(rows).max() for rows, _ in kind]) for kind in kinds]
    own, other = [each[:400] for each in best], [each[400:] for each in best]
    for each in own:
        assert np.mean(each < found.known_no_below) <= 0.01
    assert max(np.mean(each < found.known_no_below + 0.001) for each in own) >= 0.0075
    known = np.mean([np.mean(each >= found.known_yes_from) for each in own])
    mistaken = np.mean([np.mean(each >= found.known_yes_from) for each in other])
    assert known / (known + mistaken) >= 0.95
    assert 0 < found.known_no_below < found.known_yes_from < 1


def test_the_limits_of_questions_that_are_separated_entirely_are_in_order() -> None:
    rng = np.random.default_rng(6)
    own = rng.uniform([0.5, 0.5, 0.0, 0.0], [1.0, 1.0, 0.3, 0.1], (20, 4))
    other = rng.uniform([0.0, 0.0, 0.5, 0.1], [0.2, 0.1, 1.0, 0.5], (20, 4))
    kind = [(row[None], i < 20) for i, row in enumerate([*own, *other])]
    found = fit("model", [kind])
    assert 0 < found.known_no_below < found.known_yes_from < 1
    assert found.known(float(found.relevance(own).min())) is not Known.NO
    assert found.known(float(found.relevance(other).max())) is not Known.YES


def test_a_coefficient_of_the_wrong_sign_is_left_out() -> None:
    rng = np.random.default_rng(4)
    rows = np.column_stack([rng.uniform(-1, 1, 5000), rng.random((5000, 3))])
    chance = 1 / (1 + np.exp(-(5 * rows[:, 0] - 2 * rows[:, 1] - rows[:, 2] + 2 * rows[:, 3])))
    labels = rng.random(5000) < chance
    found = fit(
        "model", [[(row[None], bool(label)) for row, label in zip(rows, labels, strict=True)]]
    )
    assert (found.met, found.unmet_name) == (0, 0)
    assert found.cosine > 0 > found.unmet
