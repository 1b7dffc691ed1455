"""Output of results: JSON with `--json`, a table on a terminal, else tab-separated lines."""

import json
import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from graph_memory.cli import waiting
from graph_memory.cli.command import request


def show(result: object, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print `result` as JSON with `--json`, else `rows` under their columns.

    With empty column names, a row is a name and a value; rows without a value are omitted.
    """
    waiting.end()
    if request().as_json:
        print_json(result)
        return
    cells = [[_cell(value) for value in row] for row in rows]
    if not any(columns):
        cells = [row for row in cells if row[-1]]
    if sys.stdout.isatty():
        from graph_memory.cli.tables import print_table

        print_table(columns, cells)
    else:
        for row in cells:
            print("\t".join(row))


def show_fields(result: Mapping[str, object]) -> None:
    """Print fields as JSON with `--json`, else one line for each field."""
    show(result, ("", ""), result.items())


def print_json(value: object) -> None:
    """Print a value as one line of JSON."""
    print(json.dumps(value, ensure_ascii=False, default=_jsonable))


def as_mapping(value: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by name, without a conversion of nested values."""
    return {field.name: getattr(value, field.name) for field in fields(value)}


class Advance(Protocol):
    """A function that moves a progress bar."""

    def __call__(self, done: int, of: int | None = None) -> None:
        """Advance the bar by `done` steps; `of` is the total, if it was not known before."""


@contextmanager
def progress(what: str, total: int | None = None) -> Generator[Advance]:
    """Show a progress bar on a terminal, and yield the function that moves it."""
    waiting.end()
    if request().as_json or not sys.stderr.isatty():
        yield lambda done, of=None: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = what, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)

        def advance(done: int, of: int | None = None) -> None:
            bar.update(task, advance=done, total=total if of is None else of)

        yield advance


def _cell(value: object) -> str:
    """Return a value as one line of text, without tabs and control characters."""
    if value is None or value in ([], {}, ()):
        return ""
    if isinstance(value, str):
        text = value
    elif isinstance(value, datetime):
        text = f"{value:%Y-%m-%d %H:%M}"
    elif isinstance(value, float):
        text = f"{value:.3g}"
    else:
        text = json.dumps(value, ensure_ascii=False, default=_jsonable)
    return "".join(c for c in " ".join(text.split()) if c.isprintable())


def _jsonable(value: object) -> object:
    if is_dataclass(value):
        return as_mapping(value)
    if isinstance(value, datetime):
        from graph_memory.domain.timestamps import instant

        return instant(value)
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be converted to JSON")
