"""Instants as arguments and as stored text: unambiguous ISO 8601, in UTC."""

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

#: Years of a simulated time; any duration of the settings before or after it stays a valid date.
_FIRST_YEAR, _LAST_YEAR = 1970, 8999


def _iso(value: object, read: ValidatorFunctionWrapHandler) -> datetime:
    """Reject bare numbers, "2026" included: Pydantic would read them as seconds since 1970."""
    try:
        if isinstance(value, date) or (isinstance(value, str) and _DATE.match(value)):
            return read(value)
        reason = "it does not begin with a date as YYYY-MM-DD"
    except ValidationError as error:
        reason = error.errors()[0]["msg"].rpartition(", ")[2]
    raise PydanticCustomError(
        "iso_8601",
        "write an instant in ISO 8601, for example 2026-06-01 or 2026-06-01T12:00:00Z ({reason})",
        {"reason": reason},
    )


def _aware(moment: datetime) -> datetime:
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:
        raise PydanticCustomError("instant", "in UTC it is outside the years 1 to 9999") from error


def _end_of_day(value: object) -> object:
    text = str(value).strip()
    bare = _DATE.fullmatch(text) and isinstance(value, str | date)
    return f"{text}T23:59:59.999Z" if bare else value


def _within_years(moment: datetime) -> datetime:
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        raise PydanticCustomError(
            "year",
            "the year must be from {first} to {last}",
            {"first": _FIRST_YEAR, "last": _LAST_YEAR},
        )
    return moment


Moment = Annotated[datetime, WrapValidator(_iso), AfterValidator(_aware)]
#: An instant; a date without a time means the end of that day.
EndMoment = Annotated[Moment, BeforeValidator(_end_of_day)]
#: The present of a forecast or a dry run.
SimulatedTime = Annotated[Moment, AfterValidator(_within_years)]


def instant(moment: datetime) -> str:
    """Return the stored form of `moment`: ISO 8601, UTC, milliseconds, fixed width.

    A naive `moment` counts as UTC. The fixed width gives the strings the order of the instants.
    """
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return aware.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def optional_instant(moment: datetime | None) -> str | None:
    """Return `instant(moment)`, or None for None."""
    return instant(moment) if moment else None


#: A cache, because answers repeat the same instants.
_cached_instant = lru_cache(maxsize=10_000)(instant)

Instant = Annotated[
    datetime,
    PlainSerializer(_cached_instant, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
