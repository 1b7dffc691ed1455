"""The rules by which an expression of time stands for periods. No I/O.

An expression that leaves the year open stands for several periods: the latest that has begun, and
the next. So does the name of a weekday. A word with another meaning, such as the verb "may", counts
only where its form or the words in front of it make it certain.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from graph_memory.ranking.periods import (
    Period,
    days,
    distant,
    months,
    moved,
    nearest_weekday,
    unit_around,
)

#: A year, a date in ISO 8601, and one such as 7.6.2024 or 6/7/2024.
YEAR = r"(?:19|20)\d\d"
ISO = rf"{YEAR}-(?:1[0-2]|0[1-9])(?:-(?:3[01]|[12]\d|0[1-9]))?"

NUMERIC = rf"[0-3]?\d(?:\.[01]?\d\.|/[0-3]?\d/){YEAR}"

_NAME = re.compile(r"[^\W\d_]+")

#: Months of a season, and days of each third of a month.
_SEASON_MONTHS = 3
_THIRD_DAYS = (0, 10, 20)


@dataclass(frozen=True, slots=True)
class Reading:
    """An expression that a pattern has found.

    Attributes:
        stands_before: Tells if a text ends with one of the words under a key.
        table: Words of the language, and what they stand for.
        groups: The part of the text that each `{key}` has matched.
        before: The sentence in front of the expression.
        now: The instant to count from.
    """

    stands_before: Callable[[str, str], bool]
    table: Mapping[str, Any]
    groups: Mapping[str, str]
    before: str
    now: datetime

    def periods(self, rule: str) -> tuple[Period, ...]:
        """Return the periods by a rule; none for an impossible date or an uncertain meaning.

        Some letters match others without case, such as the long s, and form no known word.
        """
        try:
            return tuple(sorted(set(RULES[rule](self))))
        except (ValueError, LookupError, OverflowError):
            return ()

    @property
    def today(self) -> datetime:
        """The day of `now`."""
        return self.now.replace(hour=0, minute=0, second=0, microsecond=0)

    def value(self, key: str) -> int:
        """Return the number that the word of a group stands for."""
        return int(self.table[key][self.groups[key].lower()])

    @property
    def year(self) -> int | None:
        """The year of the expression, if it has one."""
        return int(self.groups["year"]) if "year" in self.groups else None

    @property
    def unit(self) -> str:
        """The unit of the expression, by its English name."""
        return str(self.table["unit"][self.groups["unit"].lower()])

    @property
    def month(self) -> int:
        """The number of the month of the expression."""
        return self.month_of(self.groups["month"])

    def month_of(self, text: str) -> int:
        """Return the number of the month that a date names."""
        name = self.month_name(text).lower()
        return int(self.table["month"].get(name) or self.table["short_month"][name])

    def month_name(self, text: str) -> str:
        """Return the word of a date that names its month."""
        known = {*self.table["month"], *self.table["short_month"]}
        return next((word for word in _NAME.findall(text) if word.lower() in known), "")

    def is_verb(self, date: str) -> bool:
        """Return True if a date is only the name of a month that is also a verb."""
        return date.lower() in self.table["verb_month"]

    def stands_behind(self, key: str) -> bool:
        """Return True if the expression stands behind one of the words under a key."""
        return self.stands_before(key, self.before)

    def count(self) -> tuple[int, int]:
        """Return the least and the largest number that the expression means; 1 without one."""
        word = self.groups.get("number", "1").lower()
        if word.isdigit():
            return int(word), int(word)
        low, high = self.table["number"][word]
        return low, high

    def in_year(self, make: Callable[[int], Period], year: int | None) -> list[Period]:
        """Return the period of a year. Without a year, return the nearest ones.

        These are the latest that has begun, the one before it if it is not over, and the next.
        """
        if year:
            return [make(year)]
        this = self.now.year
        near = [period for y in range(this - 2, this + 2) if (period := _possible(make, y))]
        begun = [period for period in near if period.start <= self.now]
        past = begun[-2:] if begun and begun[-1].covers(self.now) else begun[-1:]
        return [*past, *near[len(begun) :][:1]]

    def day(self, year: int, month: int, day: int = 1) -> datetime:
        """Return a day.

        Raises:
            ValueError: The calendar has no such day.
        """
        return datetime(year, month, day, tzinfo=self.now.tzinfo)

    def dates(self, text: str, year: int | None = None) -> list[Period]:
        """Return the periods of a date as `{date}` matches it.

        Args:
            text: The date.
            year: The year of a date without one; None stands for the nearest.
        """
        numbers = [int(number) for number in re.findall(r"\d+", text)]
        if re.fullmatch(ISO, text):
            year, month, *rest = numbers
            return [days(self.day(year, month, *rest)) if rest else months(self.day(year, month))]
        if re.fullmatch(NUMERIC, text):
            return self._numeric_dates(*numbers, month_first="/" in text)
        month = self.month_of(text)
        given = next((number for number in numbers if number > 31), year)
        number = next((number for number in numbers if number <= 31), None)
        if number:
            return self.in_year(lambda y: days(self.day(y, month, number)), given)
        return self.in_year(lambda y: months(self.day(y, month)), given)

    def _numeric_dates(
        self, first: int, second: int, year: int, *, month_first: bool
    ) -> list[Period]:
        """Return the days of 7.6.2024, or both possible days of 6/7/2024."""
        pairs = {(second, first), (first, second)} if month_first else {(second, first)}
        made = (_possible(lambda y, p=pair: days(self.day(y, *p)), year) for pair in pairs)
        return [day for day in made if day]


def _possible(make: Callable[[int], Period], year: int) -> Period | None:
    try:
        return make(year)
    except ValueError:
        return None


def _date(reading: Reading) -> list[Period]:
    """Read "7 June 2024", "June 7", "June 2024", "in June" and ISO 8601."""
    text = reading.groups["date"]
    return reading.dates(text) if _is_certain(reading, text) else []


def _is_certain(reading: Reading, date: str) -> bool:
    """Return True if a date is one by its form, or by the words in front of it."""
    if re.search(YEAR, date):
        return True
    table, name = reading.table, reading.month_name(date)
    is_verb = name.lower() in table["verb_month"]
    if re.search(r"\d", date):  # "June 7"; with a verb, only "May 7", "7th of may", "on 7 may"
        ordinal = re.search(r"\d[^\W\d]", date)
        is_marked = name[:1].isupper() or ordinal or reading.stands_behind("day")
        return not is_verb or bool(is_marked)
    if name.lower() in table["short_month"]:
        return reading.stands_behind("short_month")
    return reading.stands_behind("verb_month" if is_verb else "month")


def _range(reading: Reading) -> list[Period]:
    """Read "between March and May 2024": from the start of the first to the end of the second."""
    first, second = reading.groups["date"], reading.groups["date2"]
    ends = reading.dates(second)
    year = re.search(YEAR, second)
    found: list[Period] = []
    for end in ends:
        starts = reading.dates(first)
        if year and not re.search(YEAR, first):
            starts = [s for y in (int(year[0]) - 1, int(year[0])) for s in reading.dates(first, y)]
        if begun := [start for start in starts if start.start <= end.start]:
            found.append(Period(begun[-1].start, end.end))
    return found


def _day_range(reading: Reading) -> list[Period]:
    """Read "3 to 7 June 2024"."""
    month = reading.month
    first, last = (int(re.sub(r"\D", "", reading.groups[key])) for key in ("day", "day2"))
    if first >= last:
        return []

    def make(year: int) -> Period:
        start, end = reading.day(year, month, first), reading.day(year, month, last)
        return Period(start, end + timedelta(days=1))

    return reading.in_year(make, reading.year)


def _beside_date(reading: Reading) -> list[Period]:
    """Read "two weeks before 7 June", "the Monday after 7 June"."""
    side = reading.value("side")
    if reading.is_verb(reading.groups["date"]):  # "the day after may be"
        return []
    low, high = sorted(side * number for number in reading.count())
    found: list[Period] = []
    for date in reading.dates(reading.groups["date"]):
        edge = date.start if side < 0 else date.end
        if "weekday" in reading.groups:
            found.append(nearest_weekday(edge, reading.value("weekday"), side))
        elif "number" in reading.groups:
            found.append(distant(date.start, reading.unit, low, high))
        elif reading.unit == "weekend":
            found.append(_weekend_beside(edge, side))
        else:
            found.append(Period(*sorted((edge, moved(edge, reading.unit, side)))))
    return found


def _weekend_beside(edge: datetime, side: int) -> Period:
    """Return the last weekend that begins before a day, or the first that begins on or after it."""
    around = unit_around(edge, "weekend")
    inside = around.start < edge if side < 0 else around.start >= edge
    return around if inside else unit_around(moved(edge, "week", side), "weekend")


def _piece(reading: Reading) -> list[Period]:
    """Read "the second week of June", "the last Friday in May 2024"."""
    place = reading.value("ordinal")

    def make(year: int) -> Period:
        pieces = _pieces(reading, months(reading.day(year, reading.month)))
        if place > len(pieces):
            raise ValueError(place)
        return pieces[place if place < 0 else place - 1]

    return reading.in_year(make, reading.year)


def _pieces(reading: Reading, month: Period) -> list[Period]:
    """Return the days, weeks, weekends or such weekdays of a month; a last week may be short."""
    length, step = (1, 1) if reading.groups.get("unit") == "day" else (1, 7)
    if "weekday" in reading.groups:
        first = nearest_weekday(month.start, reading.value("weekday"), 1).start
    elif reading.unit == "weekend":
        first, length = _weekend_beside(month.start, 1).start, 2
    elif reading.unit in {"day", "week"}:
        first, length = month.start, step
    else:
        return []
    count = (month.end - first + timedelta(days=step - 1)).days // step
    starts = [first + timedelta(days=step * n) for n in range(count)]
    return [days(start, length) for start in starts if start < month.end]


def _half(reading: Reading) -> list[Period]:
    """Read "the first half of June", "the second half of 2024"."""

    def make(year: int) -> Period:
        if "month" in reading.groups:
            whole = months(reading.day(year, reading.month))
            middle = whole.start + timedelta(days=15)
        else:
            whole = months(reading.day(year, 1), 12)
            middle = reading.day(year, 7)
        if reading.value("ordinal") == 1:
            return Period(whole.start, middle)
        return Period(middle, whole.end)

    return reading.in_year(make, reading.year)


def _third(reading: Reading) -> list[Period]:
    """Read "early June", "the end of 2024"."""
    place = reading.value("third")
    ahead = reading.before, f"{reading.groups['third']} "
    is_verb = reading.is_verb(reading.groups.get("month", "")) and not reading.year
    if is_verb and not any(reading.stands_before("verb_month", text) for text in ahead):
        return []

    def make(year: int) -> Period:
        if "month" not in reading.groups:
            return months(reading.day(year, 1 + 4 * place), 4)
        month = months(reading.day(year, reading.month))
        starts = [month.start + timedelta(days=d) for d in _THIRD_DAYS]
        return Period(starts[place], [*starts, month.end][place + 1])

    return reading.in_year(make, reading.year)


def _day_of_shifted_month(reading: Reading) -> list[Period]:
    """Read "the 15th of last month"."""
    month = unit_around(moved(reading.today, "month", reading.value("shift")), "month").start
    return [days(month.replace(day=reading.value("nth_day")))]


def _day_of_month(reading: Reading) -> list[Period]:
    """Read "on the 15th": the last one, and the next; today's is the last one."""
    if not reading.stands_behind("nth_day"):
        return []
    number, this = reading.value("nth_day"), reading.today.replace(day=1)
    near = [moved(this, "month", shift) for shift in range(-2, 3)]
    made = [
        _possible(lambda year, m=each.month: days(reading.day(year, m, number)), each.year)
        for each in near
    ]
    found = [day for day in made if day]
    begun = [day for day in found if day.start <= reading.now]
    return [*begun[-1:], *found[len(begun) :][:1]]


def _named_day(reading: Reading) -> list[Period]:
    """Read "yesterday", "last night", "the day after tomorrow"."""
    return [days(reading.today + timedelta(days=reading.value("named_day")))]


def _today(reading: Reading) -> list[Period]:
    """Read "two hours ago"."""
    return [days(reading.today)]


def _ago(reading: Reading) -> list[Period]:
    """Read "two weeks ago", "a few days ago"."""
    low, high = reading.count()
    return [distant(reading.today, reading.unit, -high, -low)]


def _from_now(reading: Reading) -> list[Period]:
    """Read "three months from now"."""
    return [distant(reading.today, reading.unit, *reading.count())]


def _span(reading: Reading) -> list[Period]:
    """Read "the last two weeks", "the past month", today included."""
    start = moved(reading.today, reading.unit, -reading.count()[1])
    return [Period(start, reading.today + timedelta(days=1))]


def _next_span(reading: Reading) -> list[Period]:
    """Read "the next two weeks", today included."""
    return [Period(reading.today, moved(reading.today, reading.unit, reading.count()[1]))]


def _shifted(reading: Reading) -> list[Period]:
    """Read "last week", "this summer", "next Friday", "last May"."""
    shift = reading.value("shift")
    if "unit" in reading.groups:
        if reading.unit == "day":  # "the last day" of something
            return []
        return [unit_around(moved(reading.today, _week_for(reading.unit), shift), reading.unit)]
    if "weekday" in reading.groups:
        weekday = reading.value("weekday")
        if shift < 0:
            return [nearest_weekday(reading.today, weekday, -1)]
        return [nearest_weekday(reading.today + timedelta(days=shift), weekday, 1)]
    if not shift and reading.is_verb(reading.groups.get("month", "")):  # "this may be"
        return []
    return _shifted_yearly(reading, shift)


def _shifted_yearly(reading: Reading, shift: int) -> list[Period]:
    """Return the last season or month that is over, the one of this year, or the next."""
    season = "season" in reading.groups
    month = reading.value("season") if season else reading.month
    length = _SEASON_MONTHS if season else 1
    near = [months(reading.day(reading.now.year + n, month), length) for n in (-2, -1, 0, 1)]
    if shift < 0:
        return [[period for period in near if period.end <= reading.now][-1]]
    if shift:
        return [next(period for period in near if period.start > reading.now)]
    return [next((period for period in near if period.covers(reading.now)), near[2])]


def _week_for(unit: str) -> str:
    """Return the unit by which weekends follow one another; another unit itself."""
    return "week" if unit == "weekend" else unit


def _season(reading: Reading) -> list[Period]:
    """Read "summer 2021", "in the spring"; the winter of a year begins in its December."""
    if reading.year is None:
        is_verb = reading.groups["season"].lower() in reading.table["verb_season"]
        if not reading.stands_behind("verb_season" if is_verb else "season"):
            return []
    month = reading.value("season")
    return reading.in_year(lambda y: months(reading.day(y, month), _SEASON_MONTHS), reading.year)


def _weekday(reading: Reading) -> list[Period]:
    """Read "Monday": the last one, today's, and the next."""
    today, weekday = reading.today, reading.value("weekday")
    return [nearest_weekday(today, weekday, side) for side in (-1, 1)]


def _quarter(reading: Reading) -> list[Period]:
    """Read "Q3 2024"."""
    first = 3 * reading.value("quarter") - 2
    return reading.in_year(lambda y: months(reading.day(y, first), 3), reading.year)


def _decade(reading: Reading) -> list[Period]:
    """Read "the 1990s"."""
    year = int(reading.groups["year"])
    return [months(reading.day(year, 1), 120)] if year % 10 == 0 else []


def _year(reading: Reading) -> list[Period]:
    """Read "in 2024"."""
    if not reading.stands_behind("year"):
        return []
    return [months(reading.day(int(reading.groups["year"]), 1), 12)]


RULES: Mapping[str, Callable[[Reading], list[Period]]] = {
    "range": _range,
    "day_range": _day_range,
    "beside_date": _beside_date,
    "piece": _piece,
    "half": _half,
    "third": _third,
    "date": _date,
    "day_of_shifted_month": _day_of_shifted_month,
    "day_of_month": _day_of_month,
    "named_day": _named_day,
    "today": _today,
    "ago": _ago,
    "from_now": _from_now,
    "span": _span,
    "next_span": _next_span,
    "shifted": _shifted,
    "season": _season,
    "weekday": _weekday,
    "quarter": _quarter,
    "decade": _decade,
    "year": _year,
}
