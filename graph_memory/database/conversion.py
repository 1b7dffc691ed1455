"""Conversion between Python values and those of the Neo4j driver."""

# The driver leaves some of its types unknown; only this module and `graph` meet them.
# pyright: reportUnknownMemberType=false

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import GenericAlias
from typing import Any, TypeVar, cast

import numpy as np
from neo4j.time import DateTime
from neo4j.vector import Vector
from pydantic import TypeAdapter, ValidationError

from graph_memory.database.statements import Statement
from graph_memory.errors import SchemaError, StatementError

T = TypeVar("T")

_PLAIN = frozenset((str, int, float, bool, type(None)))


@cache
def converter(into: type[T], statement: Statement) -> Callable[[list[list[Any]]], list[T]]:
    """Return a function that converts the rows of a statement to values of `into`.

    Raises:
        StatementError: The columns are not the fields of `into`.
    """
    adapter = TypeAdapter[list[T]](cast(Any, GenericAlias(list, (into,))))
    names = statement.returns
    native = _from_driver if statement.temporal else _unchanged
    single = len(names) == 1
    if not single and set(getattr(into, "__dataclass_fields__", ())) != set(names):
        raise StatementError(f"The columns of '{statement.name}' are not the fields of {into}.")

    def convert(rows: list[list[Any]]) -> list[T]:
        values = (
            [native(row[0]) for row in rows]
            if single
            else [dict(zip(names, native(row), strict=True)) for row in rows]
        )
        try:
            return adapter.validate_python(values)
        except ValidationError as error:
            raise _schema_error(statement, error) from error

    return convert


def _schema_error(statement: Statement, error: ValidationError) -> SchemaError:
    """Return an error that names the damaged property, without its value."""
    first = error.errors(include_input=False)[0]
    field = ".".join(part for part in first["loc"] if isinstance(part, str))
    return SchemaError(
        f"'{statement.name}' read a value that this service does not write ({field}: "
        f"{first['msg']}). Another writer may have changed it; run `graph-memory verify --repair`."
    )


def to_driver(value: Any) -> Any:
    """Convert numpy arrays to vectors of the driver, in maps and lists as well; leave the rest."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, np.ndarray):
        return Vector.from_numpy(cast(Any, value))
    if isinstance(value, Mapping):
        return {key: to_driver(item) for key, item in cast(Mapping[str, Any], value).items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        items = cast(Sequence[Any], value)
        # Long lists of plain values (ids, tags) are not converted; the first item decides.
        return (
            [to_driver(item) for item in items]
            if items and type(items[0]) not in _PLAIN
            else list(items)
        )
    return value


def _unchanged(value: Any) -> Any:
    return value


def _from_driver(value: Any) -> Any:
    """Convert instants of the driver to `datetime`, in maps and lists as well; leave the rest."""
    if isinstance(value, DateTime):
        return value.to_native()
    if isinstance(value, dict):
        items = cast(dict[str, Any], value).items()
        return {k: item if type(item) in _PLAIN else _from_driver(item) for k, item in items}
    if isinstance(value, list):
        values = cast(list[Any], value)
        return [item if type(item) in _PLAIN else _from_driver(item) for item in values]
    return value
