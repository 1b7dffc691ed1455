"""The times that questions ask about, and those that memories mention. No I/O.

A memory is stated at one time, and its text may mention others: "yesterday I ran the
marathon", stated on 4 May, mentions 3 May. What it mentions is computed when a question names a
time; nothing is stored.
"""

import re
from collections.abc import Sequence, Set
from datetime import datetime
from functools import lru_cache

from graph_memory.ranking.periods import Period, limits, spoken_of
from graph_memory.ranking.terms import content_terms
from graph_memory.ranking.time_expressions import TimeExpression, languages, time_expressions

#: Texts of memories of which the periods are kept; each text takes up to 1.5 kB.
_KEPT_TEXTS = 4000

#: Match of a memory that mentions a period, beside 1 for one that was stated in it. Expressions
#: of time are less certain than the time of a memory; on chats, 1 and 0.75 gain nothing.
_MENTION_WEIGHT = 0.5


def asks_when(question: str) -> bool:
    """Return True if a question asks for a time."""
    return any(language.matches("asks_when", question) for language in languages())


def asks_order(question: str) -> bool:
    """Return True if a question asks for things in the order of their time."""
    return any(language.matches("asks_order", question) for language in languages())


def mentions_time(text: str) -> bool:
    """Return True if a text mentions a time, a date or a duration."""
    return any(language.matches("mentions_time", text) for language in languages())


def named_periods(question: str, now: datetime) -> list[Period]:
    """Return the periods that a question names, without impossible dates.

    "Before", "until", "since" and "after" leave one end of a period open.

    Args:
        question: Any text.
        now: Instant from which "last week" counts back; aware.
    """
    return [
        period
        for expression in time_expressions(question, now)
        for period in _as_asked(question, expression, now)
    ]


@lru_cache(_KEPT_TEXTS)
def mentioned_periods(text: str, stated_at: datetime) -> tuple[Period, ...]:
    """Return the periods that the text of a memory mentions.

    The periods of the latest texts are kept, because questions about time often find the same
    memories.

    Args:
        text: The text, or its beginning.
        stated_at: Instant at which it was stated, from which "yesterday" counts back; aware.
    """
    return tuple(
        period for expression in time_expressions(text, stated_at) for period in expression.periods
    )


def time_match(asked: Sequence[Period], stated_at: datetime, mentioned: Sequence[Period]) -> float:
    """Return how well a memory fits the periods that a question names, 0 to 1.

    It is 1 for a memory that was stated in such a period, or within a week after one of at most a
    week. Otherwise it is half the largest share of a period that the memory mentions in an asked
    one.

    Args:
        asked: The periods, as `named_periods` returns them.
        stated_at: Instant at which the memory was stated; aware.
        mentioned: The periods that it mentions, as `mentioned_periods` returns them.
    """
    if any(spoken_of(period).covers(stated_at) for period in asked):
        return 1.0
    shares = (period.share_in(each) for period in mentioned for each in asked)
    return _MENTION_WEIGHT * max(shares, default=0.0)


def whole_period_match(
    asked: Sequence[Period], stated_at: datetime, mentioned: Sequence[Period]
) -> float:
    """Return how well a memory fits a question for a whole period, 0 to 1; see `time_match`.

    It is 1 for a memory that was stated in such a period. Otherwise it is the largest share of a
    period that the memory mentions in an asked one.
    """
    if any(period.covers(stated_at) for period in asked):
        return 1.0
    return max((period.share_in(each) for period in mentioned for each in asked), default=0.0)


def asks_for_whole_period(question: str, dates: Set[str]) -> bool:
    """Return True if a question asks for all of a period, as in "what happened on 3 May?".

    Beside the period, it has only words that any memory could answer.

    Args:
        question: Any text.
        dates: The words, in lower case, with which it names the period; none if it names none.
    """
    if not dates:
        return False
    general = {word for language in languages() for word in language.words("whole_period")}
    return content_terms(question, "english") <= dates | general


def time_words(question: str, now: datetime) -> set[str]:
    """Return the words, in lower case, with which a question names its periods."""
    found = time_expressions(question, now)
    return {
        word
        for expression in found
        for word in re.findall(r"\w+", question[expression.start : expression.end].lower())
    }


def _as_asked(question: str, expression: TimeExpression, now: datetime) -> Sequence[Period]:
    """Return the periods of an expression of a question, with the word in front of it.

    Where that word leaves an end open, only the latest period that has begun counts.
    """
    before = question[: expression.start]

    def follows(key: str) -> bool:
        return any(language.stands_before(key, before) for language in languages())

    begun = [period for period in expression.periods if period.start <= now]
    latest = begun[-1] if begun else expression.periods[0]
    first, last = limits(now)
    if follows("earlier"):
        return [Period(first, latest.start)]
    if follows("until"):
        return [Period(first, latest.end)]
    if follows("since"):
        return [Period(latest.start, last)]
    if follows("later"):
        return [Period(latest.end, last)]
    return expression.periods
