"""Commands that move many memories: import, export, demo."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TextIO

import typer

from graph_memory.cli.command import command, opened
from graph_memory.cli.completion import completing
from graph_memory.cli.memories import results
from graph_memory.cli.output import show, show_fields
from graph_memory.cli.output_file import replacing, require_writable
from graph_memory.cli.values import ON_TAKEN, STORES, listed

app = typer.Typer()


@command(app, "import", example="import memories.jsonl --dry-run")
async def import_memories(
    file: Annotated[
        Path, typer.Argument(help="JSON lines, or the file or folder of --from; - reads stdin.")
    ],
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FORMAT",
            help="Format of another store.",
            autocompletion=completing(STORES),
        ),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option("--user", help="With --from: user whose memories to import; default: all."),
    ] = None,
    on_taken: Annotated[
        str,
        typer.Option(
            help=f"If an id is taken: {listed(ON_TAKEN)} the memory.",
            autocompletion=completing(ON_TAKEN),
        ),
    ] = "rename",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read and report; write nothing.")
    ] = False,
) -> None:
    """Import a memory from each line of a file. A second import stores only missing memories.

    A line is a JSON object with the arguments of add_memory, and with memory_id, created_at and
    group_id to keep them. With --group, all lines go into that group. An id is taken if another
    group, a deleted memory or a memory with another content has it.

    With --from, the file or folder is of another store: mcp-memory, mcp-ai-memory, doobidoo,
    basic-memory, mem0, forgetful or longterm-memory. docs/guides/import.md describes the result.
    """
    from graph_memory.cli.import_from import bring

    await bring(file, source, user, on_taken, dry_run)


@command(app, example="export --output memories.jsonl")
async def export(
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File to write; default: stdout.")
    ] = None,
) -> None:
    """Export each memory of the group with its relations, as lines for `import`."""
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


@command(app, example="demo")
async def demo(
    clean: Annotated[bool, typer.Option("--clean", help="Delete the demo permanently.")] = False,
) -> None:
    """Store a year of a small team's memories in the group `demo`, and ask three questions."""
    from graph_memory.transfer import demo as story

    async with opened() as memory:
        if clean:
            show_fields({"removed": await story.delete_story(memory)})
            return
        report = await story.store_story(memory)
        answers = await story.answer_questions(memory)
    answered = [{"question": q, "results": results(found)} for q, found in answers.items()]
    show(
        {"stored": report.stored, "skipped": report.skipped, "answers": answered},
        ("question", "score", "answer"),
        ((q, hit.score, hit.memory.content) for q, found in answers.items() for hit in found),
    )


@contextmanager
def _target(file: Path | None) -> Generator[TextIO]:
    """Open stdout, or a file that is replaced when it is complete."""
    if file is None:
        yield sys.stdout
        return
    with replacing(file) as path, path.open("w", encoding="utf-8") as target:
        yield target
