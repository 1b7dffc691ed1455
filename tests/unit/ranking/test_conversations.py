"""The conversations that questions name by their place."""

from datetime import UTC, datetime, timedelta

import pytest

from graph_memory.ranking.conversations import Conversation, asked_conversation
from graph_memory.ranking.periods import Period, limits

NOW = datetime(2026, 6, 3, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
INSTANT = timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("question", "place", "side"),
    [
        ("What did we discuss in our last conversation?", -1, 0),
        ("Which film did I mention in the third chat?", 3, 0),
        ("What did I ask the very first time we talked?", 1, 0),
        ("Where did you live when we last spoke?", -1, 0),
        ("What has changed since our most recent session?", -1, 1),
        ("Where did I live before our 2nd conversation?", 2, -1),
        ("What did I do after the first time you and I talked?", 1, 1),
    ],
)
def test_a_question_names_a_conversation(question: str, place: int, side: int) -> None:
    asked = asked_conversation(question, NOW)
    assert asked
    assert (asked.place, asked.side) == (place, side)


@pytest.mark.parametrize(
    "question",
    [
        "When is my first session?",
        "When is my session with the dentist?",
        "What did we decide in our last conversation about Rome?",
        "What did I learn in my first session of yoga?",
        "What was the topic of the conversation?",
        "When did I last speak to Ada?",
    ],
)
def test_a_question_names_none(question: str) -> None:
    assert asked_conversation(question, NOW) is None


def test_the_times_of_a_conversation_and_beside_it() -> None:
    talk = Conversation(NOW - 9 * HOUR, NOW - 8 * HOUR)
    first, last = limits(NOW)
    for question, period in (
        ("in our last chat", Period(talk.start, talk.end + INSTANT)),
        ("since our last chat", Period(talk.end + INSTANT, last)),
        ("before our last chat", Period(first, talk.start)),
    ):
        asked = asked_conversation(f"What happened {question}?", NOW)
        assert asked
        assert asked.periods([talk], NOW) == [period]
        assert asked.periods([], NOW) == []


def test_the_latest_conversation_may_be_the_present_one() -> None:
    earlier = Conversation(NOW - 9 * HOUR, NOW - 8 * HOUR)
    latest = asked_conversation("What did we say in our last chat?", NOW)
    first = asked_conversation("What did we say in our first chat?", NOW)
    assert latest
    assert first
    for age, count in ((HOUR / 2, 2), (2 * HOUR, 1)):
        present = Conversation(NOW - 3 * HOUR, NOW - age)
        assert len(latest.periods([present, earlier], NOW)) == count
    assert len(first.periods([Conversation(NOW, NOW)], NOW)) == first.limit == 1
