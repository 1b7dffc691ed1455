"""The times that a question names by events, such as "two weeks after the marathon". No I/O."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

import numpy as np

from graph_memory.ranking.candidates import Candidate, Candidates, Query
from graph_memory.ranking.dates import named_periods
from graph_memory.ranking.periods import Period, distant, limits, spoken_of
from graph_memory.ranking.terms import query_terms
from graph_memory.ranking.time_expressions import languages
from graph_memory.ranking.time_rules import Reading

_INSTANT = timedelta(microseconds=1)

#: Share of an event's words, by rarity, that its memory contains at least.
_LEAST_WORDS = 0.5


class Distance(NamedTuple):
    """Distance of a time from an event.

    Attributes:
        unit: A unit of `periods.distant`.
        low: The least number of units; negative ones are before the event.
        high: The largest number of units.
    """

    unit: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class TimeByEvents:
    """A time that a question names by one event, or as between two.

    Attributes:
        events: The words for each event.
        after: True for the time from the event on, False for the time until it.
        distance: Distance from the event; None for all the time on that side of it.
    """

    events: tuple[str, ...]
    after: bool = True
    distance: Distance | None = None

    def period(self, *at: datetime) -> Period | None:
        """Return the time for events at such instants, and the week in which it is mentioned.

        Returns:
            None if the calendar lacks that time.
        """
        first, last = min(at), max(at)
        try:
            if self.distance:
                day = first.replace(hour=0, minute=0, second=0, microsecond=0)
                return spoken_of(distant(day, *self.distance))
        except (ValueError, OverflowError):
            return None
        if len(at) > 1:
            return spoken_of(Period(first, last + _INSTANT))
        start, end = limits(first)
        return Period(first, end) if self.after else Period(start, first + _INSTANT)


def time_around(query: Query, candidates: Candidates, analyzer: str) -> Period | None:
    """Return the time that a question names by events, such as the time after the marathon.

    Args:
        query: The question.
        candidates: The candidates; an event is one of them.
        analyzer: Analyser of the full-text index.

    Returns:
        None if the question names no event, or if no candidate may be one of its events.
    """
    time = None if query.of_conversations else time_by_events(query.text, query.now)
    if time is None:
        return None
    found = [_event(query, candidates, query_terms(each, analyzer)) for each in time.events]
    at = [event.told_at for event in found if event]
    return time.period(*at) if len(at) == len(time.events) else None


def _event(query: Query, candidates: Candidates, words: Sequence[str]) -> Candidate | None:
    """Return the candidate with most of an event's words by rarity; of equals, the nearest."""
    places = [place for place, term in enumerate(query.terms) if term in words]
    rarity = np.maximum(0, np.array(candidates.rarity)[places])
    contained = (candidates.word_weights[:, places] > 0) @ rarity
    cosines = np.array([memory.cosine for memory in candidates.memories])
    best = int(np.lexsort((cosines, contained))[-1])
    enough = contained[best] >= _LEAST_WORDS * rarity.sum() > 0
    return candidates.memories[best] if enough else None


def time_by_events(question: str, now: datetime) -> TimeByEvents | None:
    """Return the time that a question names by events; None if it names none, or names a period.

    Args:
        question: Any text.
        now: Instant from which "last week" counts back; aware.
    """
    for language in languages():
        for key in ("between", "distant", "after", "before"):
            reading = language.event(key, question, now)
            if reading and not named_periods(question, now):
                return _by_events(key, reading)
    return None


def _by_events(key: str, reading: Reading) -> TimeByEvents:
    """Return the time that an expression with the pattern under a key names."""
    events = tuple(reading.groups[each] for each in ("event", "event2") if each in reading.groups)
    if key != "distant":
        return TimeByEvents(events, after=key != "before")
    side = reading.value("side")
    low, high = sorted(side * number for number in reading.count())
    return TimeByEvents(events, distance=Distance(reading.unit, low, high))
