"""The words of a question that candidates contain, by their rarity in the group."""

import math
from datetime import UTC, datetime

import numpy as np
import pytest

from graph_memory.ranking.assessment import assess
from graph_memory.ranking.candidates import Candidate, Candidates, Query
from graph_memory.settings.base import read_settings

NOW = datetime(2026, 6, 1, tzinfo=UTC)

#: Memories that contain each word of the question.
HOLDERS = (5, 2, 0)


def relevance(members: int, rarity: list[float] | None = None) -> float:
    """Return the relevance of a memory that contains the first word of three, in a group."""
    counted = [math.log(1 + (members - n + 0.5) / (n + 0.5)) / (1 if n else 2) for n in HOLDERS]
    memories = [
        Candidate("a", 0.5, [(0, 1.0)], "", 10, NOW),
        Candidate("b", 0.1, [(1, 1.0)], "", 10, NOW),
    ]
    found = Candidates(rarity or counted, memories, [], members)
    assessment = assess(Query("x", ["one", "two", "none"], NOW), found, read_settings())
    assert assessment.relevance is not None
    assert np.isfinite(assessment.features).all()
    return float(assessment.relevance[0])


def test_the_relevance_does_not_grow_with_a_small_group() -> None:
    assert relevance(7) == pytest.approx(relevance(99)) == pytest.approx(relevance(100))
    assert relevance(100) < relevance(200)


@pytest.mark.parametrize("members", [0, 1, 7, 1500])
def test_a_word_without_a_rarity_does_not_count(members: int) -> None:
    assert relevance(members, [0.0, -0.1, 0.0]) == relevance(1500, [0.0, 0.0, 0.0])
