"""Tables for terminals of any width: ids, numbers and dates stay whole, texts are folded.

A table that is too wide for the terminal is printed as records: a line of short cells, and the
texts below it.
"""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

#: Columns of text; a column without a name is a bar, or the value of a field.
_TEXTS = frozenset(
    {
        "answer",
        "content",
        "detail",
        "error",
        "found",
        "lead",
        "name",
        "problem",
        "question",
        "reason",
        "remedy",
        "summary",
    }
)

#: The least width of a text, and the greatest that its longest word can demand.
_TEXT_WIDTHS = 16, 40

Rows = Sequence[Sequence[str]]


def print_table(columns: Sequence[str], rows: Rows) -> None:
    """Print rows of cells on stdout, under their columns if these have names."""
    console = Console(highlight=False)
    texts = _text_positions(columns)
    widths = [
        _width(column, [row[i] for row in rows], i in texts) for i, column in enumerate(columns)
    ]
    if sum(widths) + len(widths) <= console.width:
        console.print(_table(columns, rows, texts))
    elif any(columns):
        _print_records(console, columns, rows, texts)
    else:
        for row in rows:
            _print_whole(console, ": ".join(row).split())


def _text_positions(columns: Sequence[str]) -> set[int]:
    if not any(columns):
        return {len(columns) - 1}
    return {i for i, column in enumerate(columns) if column in _TEXTS}


def _width(column: str, cells: Sequence[str], is_text: bool) -> int:
    """Return the columns of the terminal that a column of the table needs."""
    if not is_text:
        return max(map(cell_len, (column, *cells)))
    low, high = _TEXT_WIDTHS
    # A word with a digit may be an id. Prose and long addresses may be folded anywhere.
    words = (word for cell in cells for word in cell.split() if any(map(str.isdigit, word)))
    return min(max(low, *map(cell_len, words), 0), high)


def _table(columns: Sequence[str], rows: Rows, texts: set[int]) -> Table:
    table = Table(box=None, header_style="bold", show_header=any(columns))
    for i, column in enumerate(columns):
        table.add_column(column, overflow="fold", no_wrap=i not in texts)
    for row in rows:
        table.add_row(*map(Text, row))  # do not interpret markup in a memory
    return table


def _print_records(console: Console, columns: Sequence[str], rows: Rows, texts: set[int]) -> None:
    order = sorted(range(len(columns)), key=lambda i: i in texts)
    _print_whole(console, [columns[i] for i in order], "  ", style="bold")
    for row in rows:
        _print_whole(console, [row[i] for i in order if i not in texts and row[i]], "  ")
        for i in sorted(texts):
            if row[i]:
                _print_whole(console, row[i].split())
        console.print()


def _print_whole(
    console: Console, parts: Sequence[str], between: str = " ", style: str = ""
) -> None:
    """Print cells or words on lines, each whole; the terminal wraps one that is longer."""
    lines = [""]
    for part in parts:
        longer = f"{lines[-1]}{between}{part}" if lines[-1] else part
        if lines[-1] and cell_len(longer) > console.width:
            lines.append(part)
        else:
            lines[-1] = longer
    for line in lines:
        console.print(Text(line, style), soft_wrap=True)
