"""Instants as callers may give them: ISO 8601, and nothing that could be meant otherwise."""

import re
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Annotated

from pydantic import (
    AfterValidator,
    BeforeValidator,
    PlainSerializer,
    ValidationError,
    WithJsonSchema,
    WrapValidator,
)
from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import ValidatorFunctionWrapHandler

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

#: The years a clock may be supposed in: any span of the settings, to either side, stays a date.
_FIRST_YEAR, _LAST_YEAR = 1970, 8999


def _iso(value: object, read: ValidatorFunctionWrapHandler) -> datetime:
    """Take no bare number, "2026" included: Pydantic reads it as seconds since 1970."""
    try:
        if isinstance(value, date) or (isinstance(value, str) and _DATE.match(value)):
            return read(value)
        reason = "it has no date as YYYY-MM-DD"
    except ValidationError as error:
        reason = error.errors()[0]["msg"].rpartition(", ")[2]
    raise PydanticCustomError(
        "iso_8601",
        "an instant is written as ISO 8601, as 2026-06-01 or 2026-06-01T12:00:00Z ({reason})",
        {"reason": reason},
    )


def _aware(moment: datetime) -> datetime:
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:
        raise PydanticCustomError("instant", "in UTC it is outside the years 1 to 9999") from error


def _end_of_day(value: object) -> object:
    bare = isinstance(value, str) and _DATE.fullmatch(value.strip())
    return f"{str(value).strip()}T23:59:59.999Z" if bare else value


def _supposable(moment: datetime) -> datetime:
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        raise PydanticCustomError(
            "year",
            "it goes from the year {first} to {last}",
            {"first": _FIRST_YEAR, "last": _LAST_YEAR},
        )
    return moment


Moment = Annotated[datetime, WrapValidator(_iso), AfterValidator(_aware)]
#: A date alone means its end.
EndMoment = Annotated[Moment, BeforeValidator(_end_of_day)]
#: What a forecast or a rehearsal takes for the present.
SimulatedTime = Annotated[Moment, AfterValidator(_supposable)]


def instant(moment: datetime) -> str:
    """Return `moment` as stored: ISO 8601, UTC, milliseconds, fixed width; naive means UTC.

    The fixed width makes the strings compare and index as the instants do.
    """
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return aware.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def optional_instant(moment: datetime | None) -> str | None:
    """Return `moment` as `instant` does, or None."""
    return instant(moment) if moment else None


#: Answers show the same instants again and again, dozens in each.
_shown = lru_cache(maxsize=10_000)(instant)

Instant = Annotated[
    datetime,
    PlainSerializer(_shown, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
