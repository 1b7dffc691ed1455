"""SQLite files of other stores, read without leaving files beside them."""

import sqlite3
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from graph_memory.errors import SourceFormatError

_MAGIC = b"SQLite format 3\0"
_WAL_VERSION = 2


@contextmanager
def database(
    path: Path, expected: str, tables: Mapping[str, set[str]]
) -> Generator[sqlite3.Connection]:
    """Open a file read-only, and check its tables.

    Args:
        path: The file.
        expected: A description of the expected file, for the error.
        tables: The required tables, each with the columns that identify the store.

    Raises:
        SourceFormatError: The file is not an SQLite database, is damaged, or lacks a table or
            column.
    """
    with path.open("rb") as file:
        header = file.read(20)
    if not header.startswith(_MAGIC):
        raise SourceFormatError(path, expected, "no SQLite database")
    try:
        with closing(sqlite3.connect(_address(path, header), uri=True)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")  # the file is not trusted
            connection.row_factory = sqlite3.Row
            connection.text_factory = _text
            for table, wanted in tables.items():
                if missing := sorted(wanted - columns(connection, table)):
                    found = f"no {table}.{missing[0]} in it"
                    raise SourceFormatError(path, expected, found)
                if is_view(connection, table):  # a view may compute without an end
                    raise SourceFormatError(path, expected, f"a view in place of table {table}")
            yield connection
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's own message may be damaged
        raise SourceFormatError(path, expected, f"a file SQLite cannot read ({error})") from error


def columns(connection: sqlite3.Connection, table: str) -> set[str]:
    """Return the columns of a table, or an empty set if the table does not exist."""
    found = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    return {row["name"] for row in found}


def is_view(connection: sqlite3.Connection, table: str) -> bool:
    """Check whether a name is that of a view."""
    query = "SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = ? COLLATE NOCASE"
    return connection.execute(query, (table,)).fetchone() is not None


def rows(connection: sqlite3.Connection, query: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a query as they are read."""
    for row in connection.execute(query):
        yield dict(row)


def _address(path: Path, header: bytes) -> str:
    """Return a read-only address.

    SQLite creates files beside a database in WAL mode if no process has it open. The parameter
    `immutable` prevents that.
    """
    at_rest = header[18] == _WAL_VERSION and not path.with_name(f"{path.name}-wal").exists()
    return f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' if at_rest else ''}"


def _text(value: bytes) -> str:
    """Return a text; a byte that is not UTF-8 becomes a surrogate, and affects only its memory."""
    return value.decode(errors="surrogateescape")
