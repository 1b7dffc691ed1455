"""The times that questions name by events."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.ranking.candidates import Candidate, Candidates, Query
from graph_memory.ranking.events import Distance, TimeByEvents, time_around, time_by_events
from graph_memory.ranking.terms import query_terms

NOW = datetime(2026, 6, 3, 12, tzinfo=UTC)

#: The instant of a memory for an event: a Friday.
EVENT = datetime(2024, 5, 3, 18, tzinfo=UTC)


def _after(*events: str) -> TimeByEvents:
    return TimeByEvents(events)


@pytest.mark.parametrize(
    ("question", "time"),
    [
        ("What did I do after the marathon?", _after("the marathon")),
        ("What has Ada read since she moved, and why?", _after("she moved")),
        ("Where did I live before I met Ada", TimeByEvents(("I met Ada",), after=False)),
        ("What happened between the wedding and the move?", _after("the wedding", "the move")),
        ("What did Ada Byron do between school and work?", _after("school", "work")),
        (
            "What did I buy two weeks after the marathon?",
            TimeByEvents(("the marathon",), distance=Distance("week", 2, 2)),
        ),
        (
            "Where was I a few days prior to the wedding?",
            TimeByEvents(("the wedding",), distance=Distance("day", -5, -2)),
        ),
        (
            "What did I eat the day before the exam?",
            TimeByEvents(("the exam",), distance=Distance("day", -1, -1)),
        ),
        ("What did I do after 7 June?", None),
        ("What did I do in May after the marathon?", None),
        ("What happened between March and May?", None),
        ("What is the difference between Python and Java?", None),
        ("What did Ada choose between tea and coffee?", None),
        ("Have I met Ada before?", None),
        ("What comes thereafter?", None),
    ],
)
def test_the_events_by_which_a_question_names_a_time(
    question: str, time: TimeByEvents | None
) -> None:
    assert time_by_events(question, NOW) == time


def _time_around(question: str, *memories: tuple[float, str]) -> datetime | None:
    """Return from when on a question asks; a memory is its cosine and the words it contains."""
    query = Query(question, query_terms(question, "english"), NOW)
    rarity = [0.5 if term == "marathon" else 2.0 for term in query.terms]
    found = [
        Candidate(
            str(days),
            cosine,
            [(place, 1.0) for place, term in enumerate(query.terms) if term in words.split()],
            words,
            len(words),
            EVENT + timedelta(days=days),
        )
        for days, (cosine, words) in enumerate(memories)
    ]
    period = time_around(query, Candidates(rarity, found, []), "english")
    return period and period.start


@pytest.mark.parametrize(
    ("memories", "days"),
    [
        ([(0.9, "ada"), (0.1, "marathon athens"), (0.5, "marathon")], 1),
        ([(0.1, "marathon athens"), (0.2, "marathon athens")], 1),
        ([(0.9, "ada marathon"), (0.1, "athens")], 1),
        ([(0.9, "ada marathon bought")], None),
        ([(0.9, "")], None),
    ],
)
def test_the_event_is_the_candidate_with_most_of_its_words(
    memories: list[tuple[float, str]], days: int | None
) -> None:
    at = _time_around("What has Ada bought since the marathon of Athens?", *memories)
    assert at == (None if days is None else EVENT + timedelta(days=days))


def test_each_event_of_a_question_needs_a_candidate() -> None:
    question = "What did Ada do between school and work?"
    assert _time_around(question, (0.5, "school"), (0.5, "work")) == EVENT
    assert _time_around(question, (0.5, "school"), (0.5, "ada")) is None
    assert _time_around("What did Ada do after that?", (0.5, "ada")) is None
    assert _time_around("What did Ada do?", (0.5, "ada")) is None


@pytest.mark.parametrize("after", [True, False])
def test_the_time_around_an_event_includes_the_event(*, after: bool) -> None:
    period = TimeByEvents(("the marathon",), after=after).period(EVENT)
    assert period
    assert period.covers(EVENT)
    assert period.covers(EVENT + timedelta(days=1)) is after
    assert period.covers(EVENT - timedelta(days=1)) is not after


@pytest.mark.parametrize("turned", [True, False])
def test_the_time_between_two_events_includes_both(*, turned: bool) -> None:
    first, last = EVENT, EVENT + timedelta(days=30)
    period = _after("a", "b").period(*((last, first) if turned else (first, last)))
    assert period
    assert period.covers(first)
    assert period.covers(last)
    assert not period.covers(first - timedelta(days=1))
    assert not period.covers(last + timedelta(days=1))


@pytest.mark.parametrize(
    ("distance", "first", "last"),
    [
        # A week is the seven days around it; a short period has a week in which it is mentioned.
        (Distance("week", 2, 2), "2024-05-14", "2024-05-27"),
        (Distance("day", -1, -1), "2024-05-02", "2024-05-09"),
        (Distance("month", 1, 1), "2024-06-01", "2024-06-30"),
    ],
)
def test_a_distance_from_an_event_is_as_precise_as_its_unit(
    distance: Distance, first: str, last: str
) -> None:
    period = TimeByEvents(("the marathon",), distance=distance).period(EVENT)
    assert period
    end = period.end - timedelta(microseconds=1)
    assert (f"{period.start:%Y-%m-%d}", f"{end:%Y-%m-%d}") == (first, last)


@given(
    st.sampled_from(["day", "week", "month", "year", "quarter", "weekend", "fortnight"]),
    st.integers(-999, 999),
    st.datetimes(timezones=st.just(UTC)),
)
def test_a_distance_that_the_calendar_lacks_names_no_time(
    unit: str, number: int, at: datetime
) -> None:
    period = TimeByEvents(("it",), distance=Distance(unit, number, number)).period(at)
    assert period is None or period.start < period.end
