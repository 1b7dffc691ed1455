"""Periods of the calendar, and their arithmetic. No I/O.

A `day` here is midnight at its beginning, aware; a week begins on Monday.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, datetime, timedelta
from typing import Final

_MONTHS: Final = 12
_SATURDAY: Final = 5
_WEEK: Final = 7
_FORTNIGHT: Final = 14

#: Time after an event in which it is usually mentioned.
_MENTION_DELAY: Final = timedelta(days=7)

#: Longest period whose events are mentioned after it rather than in it.
_SHORT: Final = timedelta(days=7)

#: Months of the units that consist of whole months.
_MONTHS_OF: Final[Mapping[str, int]] = {"month": 1, "quarter": 3, "year": _MONTHS}


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """A period from `start` to `end`, the end excluded."""

    start: datetime
    end: datetime

    def covers(self, moment: datetime) -> bool:
        """Return True if the period contains `moment`."""
        return self.start <= moment < self.end

    def share_in(self, other: "Period") -> float:
        """Return the share of this period that lies in `other`, 0 to 1."""
        common = min(self.end, other.end) - max(self.start, other.start)
        return max(0.0, common / (self.end - self.start))


def days(first: datetime, count: int = 1) -> Period:
    """Return `count` days from a day on."""
    return Period(first, first + timedelta(days=count))


def months(first: datetime, count: int = 1) -> Period:
    """Return `count` months from the month of a day on."""
    start = first.replace(day=1)
    return Period(start, _later(start, count))


def unit_around(day: datetime, unit: str) -> Period:
    """Return the day, weekend, week, fortnight, month, quarter or year that a day belongs to.

    A day from Monday to Friday belongs to the weekend after it. A fortnight ends with its week.
    """
    if length := _MONTHS_OF.get(unit):
        return months(day.replace(month=(day.month - 1) // length * length + 1, day=1), length)
    monday = day - timedelta(days=day.weekday())
    match unit:
        case "day":
            return days(day)
        case "weekend":
            return days(monday + timedelta(days=_SATURDAY), 2)
        case "fortnight":
            return days(monday - timedelta(days=_WEEK), _FORTNIGHT)
        case _:
            return days(monday, _WEEK)


def moved(day: datetime, unit: str, count: int) -> datetime:
    """Return a day moved by a number of units; a day that the month lacks becomes its last."""
    if length := _MONTHS_OF.get(unit):
        first = _later(day.replace(day=1), count * length)
        last = _later(first, 1) - timedelta(days=1)
        return first.replace(day=min(day.day, last.day))
    length = {"day": 1, "fortnight": _FORTNIGHT}.get(unit, _WEEK)
    return day + timedelta(days=length * count)


def distant(day: datetime, unit: str, low: int, high: int) -> Period:
    """Return when something is that `low` to `high` units after a day; negative ones are before.

    It is as precise as its unit: a day, or the seven days around a week, or a month or year of the
    calendar.
    """
    first, last = moved(day, unit, low), moved(day, unit, high)
    if unit in {"week", "fortnight"}:
        half = timedelta(days=_WEEK // 2)
        return Period(first - half, last + half + timedelta(days=1))
    return Period(unit_around(first, unit).start, unit_around(last, unit).end)


def nearest_weekday(day: datetime, weekday: int, side: int) -> Period:
    """Return the last such weekday before a day (`side` -1), or the first from it on (1)."""
    if side < 0:
        return days(day - timedelta(days=(day.weekday() - weekday - 1) % _WEEK + 1))
    return days(day + timedelta(days=(weekday - day.weekday()) % _WEEK))


def spoken_of(period: Period) -> Period:
    """Return the period in which events of a period are mentioned."""
    if period.end - period.start > _SHORT:
        return period
    return Period(period.start, period.end + _MENTION_DELAY)


def limits(moment: datetime) -> tuple[datetime, datetime]:
    """Return two ends of time in the zone of a moment.

    They are a year from the limits of the calendar, so that another zone stays within them.
    """
    first, last = MINYEAR + 1, MAXYEAR - 1
    return datetime(first, 1, 1, tzinfo=moment.tzinfo), datetime(last, 1, 1, tzinfo=moment.tzinfo)


def _later(first: datetime, count: int) -> datetime:
    """Return the first day of a month, moved by a number of months."""
    years, month = divmod(first.month - 1 + count, _MONTHS)
    return first.replace(year=first.year + years, month=month + 1)
