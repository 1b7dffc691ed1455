"""Periods and requests for a time in questions."""

from datetime import UTC, datetime

import pytest

from graph_memory.ranking.dates import asks_when, mentions_time, named_periods

NOW = datetime(2026, 6, 3, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "inside", "outside"),
    [
        ("what happened on 2025-03-04?", "2025-03-04", "2025-03-03"),
        ("what was planned in 2025-03?", "2025-03-31", "2025-04-01"),
        ("Who moved in May 2023?", "2023-05-31", "2023-06-01"),
        ("who moved on 12 December, 2024", "2024-12-12", "2025-01-01"),
        ("who moved on the 3rd of March 2024", "2024-03-10", "2024-03-02"),
        ("What did we buy on October 13, 2023?", "2023-10-13", "2023-10-12"),
        ("what changed in 2024?", "2024-12-31", "2025-01-01"),
        ("what was said in February?", "2026-02-28", "2024-02-10"),
        ("what was decided last week?", "2026-05-28", "2026-05-01"),
        ("what did I do yesterday?", "2026-06-02", "2026-06-01"),
    ],
)
def test_a_named_period_covers_the_memories_of_that_time(
    question: str, inside: str, outside: str
) -> None:
    found = named_periods(question, NOW)
    for day, expected in ((inside, True), (outside, False)):
        moment = datetime.fromisoformat(day).replace(tzinfo=UTC)
        assert any(period.covers(moment) for period in found) is expected, (day, found)


@pytest.mark.parametrize(
    "question",
    [
        "may I ask who marched?",
        "where did the march end?",
        "what is 12345?",
        "on 31 February 2024 and 2024-13-45?",
        "",
    ],
)
def test_other_words_and_impossible_dates_name_no_time(question: str) -> None:
    assert named_periods(question, NOW) == []


def test_asking_for_a_time_and_telling_one() -> None:
    assert asks_when("When did Ada go?")
    assert asks_when("What year was it?")
    assert not asks_when("What did Ada say about whenever?")
    assert mentions_time("I went last week")
    assert mentions_time("in 1987")
    assert not mentions_time("I may march to the shop")
