"""Periods that an English question names, and questions that ask for a time."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

#: Time after a day in which its events are usually mentioned.
_MENTION_DELAY = timedelta(days=7)

_MONTHS = {
    name: number
    for number, name in enumerate(
        (
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ),
        1,
    )
}
_MONTH = "|".join(_MONTHS)
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"((?:19|20)\d\d)"

_ISO = re.compile(rf"\b{_YEAR}-(\d\d)(?:-(\d\d))?\b")
_NAMED = re.compile(rf"\b(?:{_DAY}\s+(?:of\s+)?)?({_MONTH})\b(?:\s+{_DAY}\b)?(?:,?\s*{_YEAR})?")
_YEAR_ALONE = re.compile(rf"\b{_YEAR}\b")
_RELATIVE = re.compile(r"\b(?:(last|this|past)\s+(week|month|year)|(yesterday)|(today))\b")
#: "May" and "march" are also other words: alone they count only after one of these words.
_BEFORE_MONTH = re.compile(r"\b(?:in|of|during|since|by|last|this|until|before|after)\s+$")
_DAYS = {"week": 7, "month": 31, "year": 366}

_ASKS_WHEN = re.compile(
    r"^(?:when|how long|since when|(?:what|which) (?:year|month|date|day|time))\b"
    r"|\bwhen (?:did|does|do|was|is|were|will|has|have|had)\b",
    re.IGNORECASE,
)
_MENTIONS_TIME = re.compile(
    rf"\b(?:yesterday|today|tonight|tomorrow|ago|last|next|since|recently|weekend"
    rf"|(?:this|past) (?:week|month|year|morning|spring|summer|autumn|fall|winter)"
    rf"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?!may\b|march\b)(?:{_MONTH})"
    rf"|(?:years?|months?|weeks?)|\d+ days?|(?:19|20)\d\d)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Period:
    """A period from `start` to `end`, the end excluded."""

    start: datetime
    end: datetime

    def covers(self, moment: datetime) -> bool:
        """Return True if the period contains `moment`."""
        return self.start <= moment < self.end


def asks_when(question: str) -> bool:
    """Return True if an English question asks for a time."""
    return bool(_ASKS_WHEN.search(question))


def mentions_time(text: str) -> bool:
    """Return True if an English text mentions a time, a date or a duration."""
    return bool(_MENTIONS_TIME.search(text))


def named_periods(question: str, now: datetime) -> list[Period]:
    """Return the periods that a question names in English or ISO 8601, without impossible dates.

    A month without a year stands for the month of this year and of the year before. The period of a
    day ends a week later, because events are mentioned after they happened.

    Args:
        question: Any text.
        now: Instant from which "last week" counts back; aware.
    """
    text = question.lower()
    dates = list(_dates(text))
    if not dates:
        dates = [(int(match[1]), None, None) for match in _YEAR_ALONE.finditer(text)]
    years = (now.year, now.year - 1)
    found = [
        _period(year or some_year, month, day, now)
        for year, month, day in dates
        for some_year in (years if year is None else years[:1])
    ]
    return [period for period in found if period] + list(_relative(text, now))


def time_words(question: str) -> set[str]:
    """Return the words, in lower case, with which a question names its periods."""
    text = question.lower()
    named = [*_ISO.finditer(text), *_named_dates(text)] or [*_YEAR_ALONE.finditer(text)]
    spans = [*named, *_RELATIVE.finditer(text)]
    return {word for match in spans for word in re.findall(r"\w+", match[0])}


def _dates(text: str) -> Iterator[tuple[int | None, int | None, int | None]]:
    """Yield year, month and day of each date in a text, None for parts not given."""
    for match in _ISO.finditer(text):
        yield int(match[1]), int(match[2]), int(match[3]) if match[3] else None
    for match in _named_dates(text):
        before, month, after, year = match.groups()
        day = before or after
        yield int(year) if year else None, _MONTHS[month], int(day) if day else None


def _named_dates(text: str) -> Iterator[re.Match[str]]:
    """Yield the dates with the name of a month."""
    for match in _NAMED.finditer(text):
        before, month, after, year = match.groups()
        sure = before or after or year or month not in ("may", "march")
        if sure or _BEFORE_MONTH.search(text[: match.start()]):
            yield match


def _period(year: int, month: int | None, day: int | None, now: datetime) -> Period | None:
    """Return the period of a date, or None for an impossible date."""
    try:
        start = datetime(year, month or 1, day or 1, tzinfo=now.tzinfo)
        if day:
            return Period(start, start + timedelta(days=1) + _MENTION_DELAY)
        months = 12 if month is None else month
        return Period(start, datetime(year + months // 12, months % 12 + 1, 1, tzinfo=now.tzinfo))
    except ValueError:
        return None


def _relative(text: str, now: datetime) -> Iterator[Period]:
    """Yield the periods of expressions such as "last week" and "yesterday"."""
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    for match in _RELATIVE.finditer(text):
        _, unit, yesterday, _ = match.groups()
        back = 2 * _DAYS[unit] if match[1] == "last" else _DAYS[unit] if unit else bool(yesterday)
        yield Period(today - timedelta(days=back), today + timedelta(days=1))
