"""The work of `import`: read lines of our own or of another store, and report the result."""

import sys
from collections import Counter
from collections.abc import Generator, Iterable
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

import typer

from graph_memory import local_neo4j
from graph_memory.cli.command import configured, note, opened, request, unchecked
from graph_memory.cli.output import as_mapping, progress, show
from graph_memory.errors import GraphUnavailableError, InvalidArgumentError
from graph_memory.transfer.first_states import first_states
from graph_memory.transfer.formats import (
    FORMATS,
    Translation,
    log_unknown_types,
    preview,
    translate,
)
from graph_memory.transfer.formats.preview import Preview
from graph_memory.transfer.import_export import ImportReport, LineError, import_lines
from graph_memory.transfer.line_format import ArchivedMemory


async def bring(
    file: Path, source: str | None, user: str | None, on_taken: str, dry_run: bool
) -> None:
    """Import a file or folder, or preview the import. Exit with 1 if a line is invalid."""
    if user and not source:
        raise InvalidArgumentError("--user", user, "it needs --from")
    translation = _translation(file, source, user)
    with nullcontext(translation) if translation else _lines(file) as lines:
        if dry_run:
            report = await _previewed(lines)
        else:
            report = await _imported(lines, None if translation else _count(file), on_taken)
    if translation:
        log_unknown_types(translation)
    _print_report(report, source, translation)


async def _previewed(lines: Iterable[str]) -> Preview:
    """Preview an import; a database that is running computes the states that the lines lack."""
    stateless: list[ArchivedMemory] = []
    report = preview(lines, configured().max_content_characters, stateless)
    if stateless:
        report.states = dict(Counter(report.states) + await _computed_states(stateless))
    return report


async def _computed_states(stateless: list[ArchivedMemory]) -> Counter[str]:
    """Return the states that an import would compute; none if no database is running."""
    settings = configured()
    if settings.neo4j_uri is not None or local_neo4j.running(settings):
        with suppress(GraphUnavailableError):
            return Counter(await first_states(settings, stateless, datetime.now(UTC)))
    note(
        f"{len(stateless)} memories have no state in the source. The import computes one by the "
        "policy. Start Neo4j with `graph-memory db start` to see it here."
    )
    return Counter()


async def _imported(lines: Iterable[str], count: int | None, on_taken: str) -> ImportReport:
    with progress("Importing", count) as advance:
        async with opened() as memory:
            return await import_lines(
                memory, lines, request().group, advance, on_taken=unchecked(on_taken)
            )


def _translation(file: Path, source: str | None, user: str | None) -> Translation | None:
    if source is None:
        return None
    return translate(source, file, configured().group_id, user)


def _print_report(
    report: ImportReport | Preview, source: str | None, lines: Translation | None
) -> None:
    """Print the counts, and the first errors with the id of the memory in its source."""
    errors = [_named(error, lines) for error in report.errors]
    for error in errors:
        note(f"line {error.line}: {error.message}")
    failed = report.refused if isinstance(report, Preview) else report.failed
    _note_more(failed - len(errors))
    if isinstance(report, ImportReport):
        for each in report.renames:
            note(f"line {each.line}: the id {each.memory_id!r} is taken; stored as {each.new_id}.")
        _note_more(report.renamed - len(report.renames))
    answer = as_mapping(report)
    if source and lines:
        answer |= _source_fields(source, lines)
    counts = {name: value for name, value in answer.items() if name not in ("errors", "renames")}
    show({**answer, "errors": errors}, ("", ""), counts.items())
    if failed:
        raise typer.Exit(1)


def _note_more(count: int) -> None:
    if count > 0:
        note(f"and {count} more")


def _named(error: LineError, lines: Translation | None) -> LineError:
    if lines is None:
        return error
    return replace(error, message=f"memory {lines.source_id(error.line)!r}: {error.message}")


def _source_fields(source: str, lines: Translation) -> dict[str, Any]:
    """Return the fields that describe an import from another store."""
    scale = FORMATS[source].scale
    return {
        "importance_scale": scale.value if scale else None,
        "left_out": dict(lines.left_out),
        "amended": dict(lines.amended),
        "unknown_relation_types": dict(lines.unknown_relation_types),
        "unknown_memory_types": dict(lines.unknown_memory_types),
        "users": dict(lines.owners),
    }


@contextmanager
def _lines(file: Path) -> Generator[TextIO]:
    """Open a file or stdin. A byte that is not UTF-8 invalidates only its own line."""
    stdin = str(file) == "-"
    where = sys.stdin.fileno() if stdin else file
    with open(where, encoding="utf-8-sig", errors="surrogateescape", closefd=not stdin) as lines:
        yield lines


def _count(file: Path) -> int | None:
    """Count the lines of a regular file for the progress bar, or return None."""
    if not (sys.stderr.isatty() and file.is_file()):
        return None
    with file.open("rb") as lines:
        return sum(1 for _ in lines)
