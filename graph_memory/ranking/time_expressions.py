"""Expressions of time in a text, and the periods that they stand for. No I/O.

`time_words.json` has the words and the patterns of each language. A `{key}` in a pattern stands for
the words under that key. A pattern names the rule of `time_rules.py` that computes its periods.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from typing import Any

from graph_memory.ranking.periods import Period
from graph_memory.ranking.time_rules import ISO, NUMERIC, YEAR, Reading

TIME_WORDS = Path(__file__).with_name("time_words.json")

_DAY = r"(?:3[01]|[12]\d|0?[1-9])"

#: Text without an end of a sentence; no expression goes beyond one.
_SENTENCE = re.compile(r"[^!?;\n]+")
_WORD = re.compile(r"\w+")
_PLACEHOLDER = re.compile(r"\{([a-z_]+)(2?)\}")


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """An expression of time in a text.

    Attributes:
        start: Index of its first character.
        end: Index after its last character.
        periods: The periods that it may stand for; at least one.
    """

    start: int
    end: int
    periods: tuple[Period, ...]


def time_expressions(text: str, now: datetime) -> list[TimeExpression]:
    """Return the expressions of time in a text, in the order of the languages and of the text.

    Impossible dates are left out.

    Args:
        text: Any text.
        now: Instant from which "last week" counts back; aware.
    """
    return [found for language in languages() for found in language.expressions(text, now)]


@cache
def languages() -> tuple["Language", ...]:
    """Return the languages whose expressions are found."""
    tables = json.loads(TIME_WORDS.read_text(encoding="utf-8"))
    return tuple(Language(table) for table in tables.values())


class Language:
    """The words and patterns of a language."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        """Take the content of `time_words.json` for one language."""
        self._table = table

    def expressions(self, text: str, now: datetime) -> Iterator[TimeExpression]:
        """Yield the expressions of time in a text."""
        for sentence in _SENTENCE.finditer(text):
            # This check is ten times faster than the patterns, which most sentences do not need.
            if not self._anchors.isdisjoint(_WORD.findall(sentence[0].lower())):
                yield from self._in_sentence(sentence[0], sentence.start(), now)

    def matches(self, key: str, text: str) -> bool:
        """Return True if a text contains one of the patterns under a key."""
        return any(pattern.search(text) for pattern in self._searches[key])

    def event(self, key: str, text: str, now: datetime) -> Reading | None:
        """Return what the pattern under a key reads in a text; None if it finds no event."""
        found = self._events[key].search(text)
        return self._reading(found, text, now) if found else None

    def stands_before(self, key: str, text: str) -> bool:
        """Return True if a text ends with one of the words under a key."""
        return bool(self._endings[key].search(text))

    def words(self, key: str) -> list[str]:
        """Return the words under a key."""
        return list(self._table[key])

    @cached_property
    def _anchors(self) -> frozenset[str]:
        """Words, in lower case; each expression has at least one of them."""
        keys = ("month", "short_month", "weekday", "season", "unit", "nth_day", "anchors")
        words = {word for key in keys for word in self._table[key]}
        years = {f"{year}{ending}" for year in range(1900, 2100) for ending in ("", "s")}
        return frozenset(words | years)

    @cached_property
    def _searches(self) -> dict[str, list[re.Pattern[str]]]:
        searches: Mapping[str, list[str]] = self._table["questions"]
        return {
            key: [re.compile(one, re.IGNORECASE) for one in patterns]
            for key, patterns in searches.items()
        }

    @cached_property
    def _events(self) -> dict[str, re.Pattern[str]]:
        patterns: Mapping[str, str] = self._table["events"]
        return {
            key: re.compile(rf"\b{self._compiled(pattern, 0)}", re.IGNORECASE)
            for key, pattern in patterns.items()
        }

    @cached_property
    def _endings(self) -> dict[str, re.Pattern[str]]:
        endings: Mapping[str, list[str]] = self._table["before"]
        return {
            key: re.compile(
                rf"(?<!\w)(?:{'|'.join(words)})\s+$".replace(" ", r"\s+"), re.IGNORECASE
            )
            for key, words in endings.items()
        }

    @cached_property
    def _patterns(self) -> re.Pattern[str]:
        """All patterns in one, in their order; the group `r1` is the pattern 1."""
        numbered = enumerate(self._table["patterns"])
        parts = [f"(?P<r{n}>{self._compiled(pattern, n)})" for n, (_, pattern) in numbered]
        return re.compile(rf"(?<![\w.-])(?:{'|'.join(parts)})(?!\w|-\d)", re.IGNORECASE)

    def _compiled(self, pattern: str, number: int) -> str:
        """Return a pattern as a regular expression; its groups end with its number and theirs."""
        places = count()

        def group(match: re.Match[str]) -> str:
            key, second = match.groups()
            return f"(?P<{key}{second}_{number}_{next(places)}>{self._choice(key)})"

        return _PLACEHOLDER.sub(group, pattern.replace(" ", r"\s+").replace(r"\s+?", r"\s?"))

    def _choice(self, key: str) -> str:
        """Return the regular expression of the words under a key."""
        match key:
            case "year":
                return YEAR
            case "day":
                return rf"{_DAY}{self._table['day_ending']}(?!\d)"
            case "month":
                names, short = (self._words_of(key) for key in ("month", "short_month"))
                return rf"(?:{names}|(?:{short})(?!\w)\.?)"
            case "date":
                return self._date
            case "event":
                return r"[^?,;]{1,300}?"
            case "number":
                return rf"(?:\d{{1,3}}|{self._words_of(key)})"
            case _:
                return f"(?:{self._words_of(key)})"

    @cached_property
    def _date(self) -> str:
        """The regular expression of a date with a month."""
        day, month = self._choice("day"), self._choice("month")
        year = rf"(?:(?:,\s*|\s+){YEAR}(?!\d))?"
        of = self._table["day_of_month"].replace(" ", r"\s+")
        named = rf"{day}\s+{of}{month}{year}|{month}\s+{day}(?!\w){year}|{month}{year}"
        return rf"(?:{ISO}|{NUMERIC}|{named})"

    def _words_of(self, key: str) -> str:
        words = sorted(self._table[key], key=len, reverse=True)
        return "|".join(word.replace(" ", r"\s+") for word in words)

    def _in_sentence(self, text: str, offset: int, now: datetime) -> Iterator[TimeExpression]:
        """Yield the expressions of a sentence that begins at `offset`."""
        for match in self._patterns.finditer(text):
            number = str(match.lastgroup)[1:]
            reading = self._reading(match, text, now)
            if periods := reading.periods(self._table["patterns"][int(number)][0]):
                start, end = match.span()
                yield TimeExpression(offset + start, offset + end, periods)

    def _reading(self, match: re.Match[str], text: str, now: datetime) -> Reading:
        """Return what a pattern has matched in a text."""
        groups = {
            name.rsplit("_", 2)[0]: " ".join(value.split())
            for name, value in match.groupdict().items()
            if value is not None and name[0] != "r"
        }
        return Reading(self.stands_before, self._table, groups, text[: match.start()], now)
