"""Expressions of time, and the periods that they stand for."""

from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.ranking.time_expressions import languages, time_expressions

#: A Wednesday.
NOW = datetime(2026, 6, 3, 12, tzinfo=UTC)

_PERIODS = {
    # Dates.
    "on 2025-03-04": "2025-03-04",
    "in 2025-03": "2025-03-01/2025-04-01",
    "in May 2023": "2023-05-01/2023-06-01",
    "on 12 December, 2024": "2024-12-12",
    "on the 3rd of March 2024": "2024-03-03",
    "on October 13, 2023": "2023-10-13",
    "on December 1,2023": "2023-12-01",
    "on the 2nd May 2024": "2024-05-02",
    "Sept. 3, 2024": "2024-09-03",
    "on 7.6.2024": "2024-06-07",
    "on 31.12.2024": "2024-12-31",
    "on 12/31/2024": "2024-12-31",
    "on 31/12/2024": "2024-12-31",
    "on 06/07/2024": "2024-06-07 2024-07-06",
    "Dec 2023": "2023-12-01/2024-01-01",
    "in 2024": "2024-01-01/2025-01-01",
    "in the 1990s": "1990-01-01/2000-01-01",
    "in Q3 2024": "2024-07-01/2024-10-01",
    "in q4 of 2024": "2024-10-01/2025-01-01",
    "in summer 2021": "2021-06-01/2021-09-01",
    "in the winter of 2021": "2021-12-01/2022-03-01",
    # Dates without a year: the latest that has begun, and the next.
    "in February": "2026-02-01/2026-03-01 2027-02-01/2027-03-01",
    "our August trip": "2025-08-01/2025-09-01 2026-08-01/2026-09-01",
    "in May": "2026-05-01/2026-06-01 2027-05-01/2027-06-01",
    "in Jan": "2026-01-01/2026-02-01 2027-01-01/2027-02-01",
    "on 7 July": "2025-07-07 2026-07-07",
    "July 7th": "2025-07-07 2026-07-07",
    "on may 7": "2026-05-07 2027-05-07",
    "on 29 February": "2024-02-29",
    "in the spring": "2026-03-01/2026-06-01 2027-03-01/2027-06-01",
    "in winter": "2025-12-01/2026-03-01 2026-12-01/2027-03-01",
    "in Q1": "2026-01-01/2026-04-01 2027-01-01/2027-04-01",
    # The month that lasts, and the one of the year before.
    "in June": "2025-06-01/2025-07-01 2026-06-01/2026-07-01 2027-06-01/2027-07-01",
    # Days near now.
    "today": "2026-06-03",
    "this morning": "2026-06-03",
    "two hours ago": "2026-06-03",
    "yesterday": "2026-06-02",
    "last night": "2026-06-02",
    "the day before yesterday": "2026-06-01",
    "tomorrow": "2026-06-04",
    "the day after tomorrow": "2026-06-05",
    "on Monday": "2026-06-01 2026-06-08",
    "Wednesday": "2026-05-27 2026-06-03",
    "last Friday": "2026-05-29",
    "last Wednesday": "2026-05-27",
    "this Wednesday": "2026-06-03",
    "next Friday": "2026-06-05",
    # Days of a month that is not named: the last one, and the next.
    "on the 15th": "2026-05-15 2026-06-15",
    "before the 1st": "2026-06-01 2026-07-01",
    "by the 3rd of the month": "2026-06-03 2026-07-03",
    "since the 31st": "2026-05-31 2026-07-31",
    "the 15th of last month": "2026-05-15",
    "on the 2nd of this month": "2026-06-02",
    "the 31st of next month": "2026-07-31",
    # Units that are over, last, or come.
    "last week": "2026-05-25/2026-06-01",
    "this week": "2026-06-01/2026-06-08",
    "next week": "2026-06-08/2026-06-15",
    "last weekend": "2026-05-30/2026-06-01",
    "this weekend": "2026-06-06/2026-06-08",
    "last month": "2026-05-01/2026-06-01",
    "next month": "2026-07-01/2026-08-01",
    "last quarter": "2026-01-01/2026-04-01",
    "last year": "2025-01-01/2026-01-01",
    "last summer": "2025-06-01/2025-09-01",
    "this summer": "2026-06-01/2026-09-01",
    "next summer": "2027-06-01/2027-09-01",
    "this spring": "2026-03-01/2026-06-01",
    "last winter": "2025-12-01/2026-03-01",
    "last May": "2026-05-01/2026-06-01",
    "last July": "2025-07-01/2025-08-01",
    "next July": "2026-07-01/2026-08-01",
    # Distances; each is as precise as its unit.
    "three days ago": "2026-05-31",
    "a day ago": "2026-06-02",
    "2 weeks ago": "2026-05-17/2026-05-24",
    "a fortnight ago": "2026-05-17/2026-05-24",
    "two weekends ago": "2026-05-23/2026-05-25",
    "three months ago": "2026-03-01/2026-04-01",
    "a year ago": "2025-01-01/2026-01-01",
    "ten years back": "2016-01-01/2017-01-01",
    "a few days ago": "2026-05-29/2026-06-02",
    "a couple of months ago": "2026-03-01/2026-05-01",
    "three days from now": "2026-06-06",
    "in the past week": "2026-05-27/2026-06-04",
    "over the last two months": "2026-04-03/2026-06-04",
    "within the next 10 days": "2026-06-03/2026-06-13",
    # Pieces of a month or year.
    "the first week of August 2023": "2023-08-01/2023-08-08",
    "the last week of February 2023": "2023-02-22/2023-03-01",
    "the first weekend of August 2023": "2023-08-05/2023-08-07",
    "the last Friday in May 2024": "2024-05-31",
    "the second day of May 2024": "2024-05-02",
    "the first half of September 2022": "2022-09-01/2022-09-16",
    "the second half of 2024": "2024-07-01/2025-01-01",
    "the beginning of November 2022": "2022-11-01/2022-11-11",
    "mid-June 2024": "2024-06-11/2024-06-21",
    "late 2024": "2024-09-01/2025-01-01",
    "in early may": "2026-05-01/2026-05-11 2027-05-01/2027-05-11",
    # Ranges.
    "between March and May": "2026-03-01/2026-06-01 2027-03-01/2027-06-01",
    "from March to May 2023": "2023-03-01/2023-06-01",
    "between November and February 2024": "2023-11-01/2024-03-01",
    "between August 11 and August 15 2023": "2023-08-11/2023-08-16",
    "from 3 to 7 June 2024": "2024-06-03/2024-06-08",
    "June 3-7, 2024": "2024-06-03/2024-06-08",
    "between 1.3.2024 and 7.3.2024": "2024-03-01/2024-03-08",
    "from 2024-03-04 until 2024-04-05": "2024-03-04/2024-04-06",
    # Beside another date.
    "the week before August 3, 2023": "2023-07-27/2023-08-03",
    "two weeks before August 11, 2023": "2023-07-25/2023-08-01",
    "two days before 7.6.2024": "2024-06-05",
    "the day after 7 June 2023": "2023-06-08",
    "the Monday before July 24, 2023": "2023-07-17",
    "the weekend before 4th October, 2023": "2023-09-30/2023-10-02",
    "the Saturday after October 29, 2023": "2023-11-04",
    "the month after May 2023": "2023-06-01/2023-07-01",
}


@pytest.mark.parametrize(("text", "expected"), _PERIODS.items(), ids=list(_PERIODS))
@pytest.mark.parametrize("around", ["{}", "What happened {}?", "We met\n{}, and it rained."])
def test_an_expression_stands_for_its_periods(text: str, expected: str, around: str) -> None:
    found = time_expressions(around.format(text), NOW)
    assert len(found) == 1
    shown = [
        f"{period.start:%Y-%m-%d}"
        + (f"/{period.end:%Y-%m-%d}" if (period.end - period.start).days > 1 else "")
        for period in found[0].periods
    ]
    assert " ".join(shown) == expected


@pytest.mark.parametrize(
    "text",
    [
        "may I ask who marched?",
        "we may 5 times out of 6",
        "all 3 may fail",
        "this may be wrong",
        "the day after may be better",
        "a late may well be",
        "where did the march end?",
        "the army will march 20 miles",
        "one second, please",
        "the second of them took a second",
        "it took two weeks",
        "every day of the week",
        "the last day of school",
        "plans for the summer",
        "the last week of the holidays",
        "my first year of college",
        "water springs from a Spring Boot application",
        "prices fall and spring back",
        "Jan and Mar said that April called June",
        "I sat in the sun and wed",
        "burn 2000 calories",
        "version 1.2024, build 12345-2024",
        "what is 12345?",
        "on 31 February 2024 or 2024-13-45?",
        "on 30 February",
        "from 7 to 3 June 2024",
        "the fifth Friday of June 2024",
        "on the 3rd attempt and the 15th",
        "on the 5th floor, on the 19th-century stairs",
        "the 31st of this month",
        "Henry the 8th",
        "q5 2",
        "thiſ week and auguſt 2024",
        "",
    ],
)
def test_other_words_and_impossible_dates_are_no_expressions(text: str) -> None:
    assert time_expressions(text, NOW) == []


def test_places_are_those_of_the_text_and_an_expression_stays_in_its_sentence() -> None:
    text = "I left on 3 May; June\nwas here last week! Ago two weeks"
    found = time_expressions(text, NOW)
    assert [text[each.start : each.end] for each in found] == ["3 May", "last week"]


@given(st.text(), st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)))
def test_any_text_has_well_formed_expressions(text: str, now: datetime) -> None:
    for found in time_expressions(text, now):
        assert 0 <= found.start < found.end <= len(text)
        assert all(period.start < period.end for period in found.periods)


_WORDS = [
    *languages()[0].words("month"),
    *languages()[0].words("unit"),
    *languages()[0].words("number"),
    *languages()[0].words("shift"),
    *languages()[0].words("ordinal"),
    *("ago", "before", "from", "between", "and", "to", "of", "in", "2023", "999", "31", "half"),
]


@given(
    st.lists(st.sampled_from(_WORDS), max_size=12).map(" ".join),
    st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
)
def test_any_order_of_the_words_of_time_has_well_formed_expressions(
    text: str, now: datetime
) -> None:
    found = time_expressions(text, now)
    assert all(period.start < period.end for each in found for period in each.periods)
    assert all(one.end <= other.start for one, other in pairwise(found))
