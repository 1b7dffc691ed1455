"""The learned strength follows from the given one, the uses and the last use, and is bounded."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from graph_memory.learning.strengths import DISUSE, GAIN, learned_strength

HALF_LIFE = 90.0
SHARES = st.floats(0, 1)
USES = st.integers(1, 200)
DAYS = st.integers(0, 5000)


def strength(share: float, uses: int, days: float) -> float:
    return learned_strength(share, uses, timedelta(days=days), HALF_LIFE)


def reference(share: float, uses: int, days: int) -> float:
    """Compute the strength use by use, and day by day."""
    raised = share
    for _ in range(uses):
        raised += GAIN * (1 - raised)
    rest = share - DISUSE * share
    for _ in range(days):
        raised = rest + (raised - rest) * 0.5 ** (1 / HALF_LIFE)
    return raised


@given(share=SHARES, uses=USES, days=DAYS)
def test_it_is_that_of_a_plain_reference(share: float, uses: int, days: int) -> None:
    assert abs(strength(share, uses, days) - reference(share, uses, days)) <= 0.005 + 1e-9


@given(share=SHARES, uses=USES, days=DAYS)
def test_it_stays_between_a_little_less_than_given_and_one(
    share: float, uses: int, days: int
) -> None:
    least = round(share * (1 - DISUSE), 2)
    assert 0 <= least <= strength(share, uses, days) <= 1


@given(share=SHARES, uses=USES, days=DAYS)
def test_use_strengthens_and_disuse_weakens(share: float, uses: int, days: int) -> None:
    now = strength(share, uses, days)
    assert strength(share, uses + 1, days) >= now >= strength(share, uses, days + 1)


def test_one_use_takes_a_fifth_of_the_way_and_half_is_lost_in_a_half_life() -> None:
    assert strength(0.5, 1, 0) == 0.6
    assert strength(0.5, 5, 0) == 0.84
    assert strength(0.5, 5, 90) == 0.61
    assert strength(0.5, 5, 36_000) == 0.38
    assert strength(0.5, 1, -3) == 0.6  # a clock that is behind
