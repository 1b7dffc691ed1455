"""Measures of the relevance of best results, on answers with known measures."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_memory.domain.models import Known
from graph_memory.evaluation.answerability import Asked, Kind, summarise_relevance


def asked(kind: Kind, *relevances: float) -> list[Asked]:
    return [Asked(kind, value, Known.NO if value < 0.1 else Known.YES) for value in relevances]


def test_the_measures_are_those_of_their_definitions() -> None:
    found = summarise_relevance(
        [
            *asked(Kind.OWN, 0.95, 0.95, 0.95, 0.05),
            *asked(Kind.FOREIGN, 0.05, 0.05),
            *asked(Kind.ABSENT, 0.95, 0.05),
        ]
    )
    assert found.questions == {"own": 4, "foreign": 2, "absent": 2}
    assert found.auroc[Kind.FOREIGN].value == (3 + 0.5) / 4
    assert found.auroc[Kind.ABSENT].value == (3 * (1 + 0.5) + 0.5) / 8
    shares = {kind: share.value for kind, share in found.known_no.items()}
    assert shares == {"own": 0.25, "foreign": 1.0, "absent": 0.5}
    low, high = found.reliability
    assert (low.low, low.questions, low.share) == (0.0, 4, 0.5)
    assert (high.low, high.questions, high.answerable) == (0.9, 4, 0.75)
    assert found.calibration_error
    assert found.calibration_error.value == pytest.approx(0.5 * 0.2 + 0.5 * 0.2)


def test_answerable_questions_alone_have_no_calibration_error() -> None:
    found = summarise_relevance(asked(Kind.OWN, 0.9, 1.0))
    assert found.calibration_error is None
    assert found.auroc == {}
    assert [each.low for each in found.reliability] == [0.9]


SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@settings(deadline=None)
@given(SHARES, SHARES)
def test_each_measure_lies_between_the_ends_of_its_range(
    own: list[float], other: list[float]
) -> None:
    found = summarise_relevance([*asked(Kind.OWN, *own), *asked(Kind.FOREIGN, *other)])
    assert found.calibration_error
    for share in (*found.auroc.values(), *found.known_no.values(), found.calibration_error):
        low, high = share.interval
        assert 0 <= low <= high <= 1
        assert 0 <= share.value <= 1
    assert sum(each.share for each in found.reliability) == pytest.approx(1)
    assert sum(each.questions for each in found.reliability) == len(own) + len(other)
