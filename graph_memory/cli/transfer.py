"""Commands that move many memories: import, export, demo."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TextIO

import typer

from graph_memory.cli.command import command, opened
from graph_memory.cli.memories import results
from graph_memory.cli.output import show, show_fields
from graph_memory.cli.output_file import replacing, require_writable

app = typer.Typer()


@command(app, "import")
async def import_memories(
    file: Annotated[Path, typer.Argument(help="JSON lines (- reads stdin), or what --from says.")],
    source: Annotated[
        str | None, typer.Option("--from", metavar="FORMAT", help="Another store's format.")
    ] = None,
    user: Annotated[
        str | None, typer.Option("--user", help="With --from: only this user's memories.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read and report; write nothing.")
    ] = False,
) -> None:
    """Store a memory for each line of a file; run again, it stores what is not there yet.

    A line is a JSON object with the arguments of add_memory, and with memory_id, created_at and
    group_id where they are to be kept. With --group all lines go into that group.

    With --from the file or folder is another store's: mcp-memory, mcp-ai-memory, doobidoo,
    basic-memory, mem0, forgetful or longterm-memory. docs/guides/import.md describes the result.
    """
    from graph_memory.cli.import_from import bring

    await bring(file, source, user, dry_run)


@command(app)
async def export(
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file.")] = None,
) -> None:
    """Write a line for each memory of the group, relations included, as import reads them."""
    from graph_memory.transfer.import_export import export_lines

    if output:
        require_writable(output, "--output")
    count = 0
    async with opened() as memory:
        with _target(output) as target:
            async for line in export_lines(memory):
                target.write(f"{line}\n")
                count += 1
    if output:
        show_fields({"exported": count, "file": output})


@command(app)
async def demo(
    clean: Annotated[bool, typer.Option("--clean", help="Remove it for good.")] = False,
) -> None:
    """Fill the group `demo` with a year of a small team's memories, and ask three questions."""
    from graph_memory.transfer import demo as story

    async with opened() as memory:
        if clean:
            show_fields({"removed": await story.delete_story(memory)})
            return
        report = await story.store_story(memory)
        answers = await story.answer_questions(memory)
    told = [{"question": q, "results": results(found)} for q, found in answers.items()]
    show(
        {"stored": report.stored, "skipped": report.skipped, "answers": told},
        ("question", "score", "answer"),
        ((q, hit.score, hit.memory.content) for q, found in answers.items() for hit in found),
    )


@contextmanager
def _target(file: Path | None) -> Generator[TextIO]:
    """Open what to write: stdout, or a file that appears when it is complete."""
    if file is None:
        yield sys.stdout
        return
    with replacing(file) as path, path.open("w", encoding="utf-8") as target:
        yield target
