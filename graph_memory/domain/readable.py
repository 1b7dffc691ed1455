"""Values read from the database, without those that another client of Neo4j has damaged."""

import logging
from typing import Annotated, Any, TypeVar

from pydantic import ValidationError, WrapValidator
from pydantic_core.core_schema import ValidatorFunctionWrapHandler

T = TypeVar("T")

_log = logging.getLogger(__name__)


def none_if_unreadable(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    """Return a value as its type, or None."""
    try:
        return read(value)
    except ValidationError:
        report_unreadable(1)
        return None


def report_unreadable(count: int) -> None:
    """Log how many memories are left out."""
    _log.warning(
        "%d memories have unreadable properties and are left out; run `graph-memory verify`.", count
    )


def _readable(values: list[Any], read: ValidatorFunctionWrapHandler) -> list[Any]:
    """Return the items that can be read; reading them one by one is left to damaged lists."""
    try:
        return read(values)
    except ValidationError:
        kept = [item for value in values for item in _one(value, read)]
        report_unreadable(len(values) - len(kept))
        return kept


def _one(value: Any, read: ValidatorFunctionWrapHandler) -> list[Any]:
    try:
        return read([value])
    except ValidationError:
        return []


#: A list without the items that cannot be read.
Readable = Annotated[list[T], WrapValidator(_readable)]
