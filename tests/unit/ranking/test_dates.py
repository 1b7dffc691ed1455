"""The times that questions ask about, and those that memories mention."""

from datetime import UTC, datetime, timedelta

import pytest

from graph_memory.ranking.dates import (
    asks_for_whole_period,
    asks_order,
    asks_when,
    mentioned_periods,
    mentions_time,
    named_periods,
    time_match,
    time_words,
    whole_period_match,
)

NOW = datetime(2026, 6, 3, 12, tzinfo=UTC)


def _day(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _match(question: str, said: str, text: str = "", now: datetime = NOW) -> float:
    at = _day(said)
    return time_match(named_periods(question, now), at, mentioned_periods(text, at))


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
        ("what was stated in February?", "2026-02-28", "2024-02-10"),
        ("what was decided last week?", "2026-05-28", "2026-05-01"),
        ("what did I do yesterday?", "2026-06-02", "2026-06-01"),
        ("what did I buy before March 2024?", "2024-02-28", "2024-03-01"),
        ("what did I buy until March 2024?", "2024-03-31", "2024-04-01"),
        ("what did I buy after March 2024?", "2024-04-01", "2024-03-31"),
        ("what has changed since March 2024?", "2024-03-01", "2024-02-28"),
        ("what has changed since Monday?", "2026-06-02", "2026-05-31"),
        ("what did I buy between March and May 2024?", "2024-04-15", "2024-06-15"),
    ],
)
def test_a_memory_stated_in_a_named_period_or_a_week_after_a_short_one_matches(
    question: str, inside: str, outside: str
) -> None:
    assert (_match(question, inside), _match(question, outside)) == (1, 0)


@pytest.mark.parametrize(
    ("question", "said", "text", "share"),
    [
        ("What did I run on 2 May 2024?", "2024-06-03", "I ran the marathon yesterday", 0),
        ("What did I run on 2 June 2024?", "2024-07-03", "On 2 June I ran the marathon", 1 / 2),
        ("What did I run in May 2024?", "2024-06-03", "I ran a marathon last month", 1 / 2),
        ("What did I run in May 2024?", "2024-06-03", "I ran a marathon in May", 1 / 2),
        ("What did I run in 2022?", "2024-06-03", "I ran a marathon two years ago", 1 / 2),
        (
            "What did I run in summer 2023?",
            "2024-06-03",
            "I ran a marathon last year",
            92 / 365 / 2,
        ),
        ("What did I run in 2022?", "2024-06-03", "I ran a marathon", 0),
        ("When did I run?", "2024-06-03", "I ran a marathon yesterday", 0),
    ],
)
def test_a_memory_that_tells_of_a_named_period_matches_by_half_the_share(
    question: str, said: str, text: str, share: float
) -> None:
    assert _match(question, said, text) == pytest.approx(share)


def test_what_a_memory_tells_of_counts_from_when_it_was_said() -> None:
    told = mentioned_periods("Yesterday I ran the marathon", _day("2024-05-03"))
    assert [period.start for period in told] == [_day("2024-05-02")]
    assert mentioned_periods("I ran the marathon", _day("2024-05-03")) == ()


def test_the_words_of_a_named_period() -> None:
    assert time_words("Who moved in May 2023, and why?", NOW) == {"may", "2023"}
    assert time_words("Who may move?", NOW) == set()


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("What happened on 3 May?", True),
        ("What did I do yesterday?", True),
        ("Summarize March 2024", True),
        ("What did we talk about since Monday?", True),
        ("What did I cook on 3 May?", False),
        ("What did Ada do yesterday?", False),
        ("What happened?", False),
        ("What happened after the wedding?", False),
    ],
)
def test_asking_for_a_whole_period(question: str, *, whole: bool) -> None:
    assert asks_for_whole_period(question, time_words(question, NOW)) is whole


def test_what_belongs_to_a_whole_period_was_stated_in_it_or_mentions_it() -> None:
    asked = named_periods("What happened on 2 May 2024?", NOW)
    day = _day("2024-05-02")
    assert whole_period_match(asked, day, ()) == 1
    assert whole_period_match(asked, day + timedelta(days=1), ()) == 0
    mentioned = mentioned_periods("Yesterday I ran the marathon", _day("2024-05-03"))
    assert whole_period_match(asked, day + timedelta(days=1), mentioned) == 1


def test_asking_for_a_time_and_telling_one() -> None:
    assert asks_when("When did Ada go?")
    assert asks_when("What year was it?")
    assert not asks_when("What did Ada say about whenever?")
    assert mentions_time("I went last week")
    assert mentions_time("in 1987")
    assert not mentions_time("I may march to the shop")


@pytest.mark.parametrize(
    "question",
    [
        "In which order did I visit Rome, Oslo and Cairo?",
        "in what order have we released the versions",
        "Can you list the order in which I brought up the topics?",
        "List my trips in chronological order.",
        "Walk me through my jobs in order, please",
        "Tell me in order how the project went",
        "Give me a timeline of the outage",
        "What is the sequence of events of the outage?",
        "Sort my trips chronologically",
    ],
)
def test_a_question_for_an_order(question: str) -> None:
    assert asks_order(question)


@pytest.mark.parametrize(
    "question",
    [
        "What is the order status lifecycle?",
        "When was the order placed?",
        "List the orders of Ada",
        "What did Ada order in Rome?",
        "Tell me what to do in order to win",
        "In which room did the order arrive?",
        "List the tasks in order of importance",
        "When did I visit Rome?",
    ],
)
def test_other_questions_are_not_for_an_order(question: str) -> None:
    assert not asks_order(question)
