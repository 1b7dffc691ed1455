"""Commands on episodes, texts that Graphiti reads: add, status, run, retry."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from graph_memory.cli.command import command, opened, request, unchecked
from graph_memory.cli.output import as_mapping, show, show_fields

app = typer.Typer(no_args_is_help=True, help="Have texts read for entities and facts.")

_FAILED = 1


@command(app)
async def add(
    file: Annotated[Path, typer.Argument(help="The text; - reads stdin.")],
    source: Annotated[str, typer.Option(help="text, message or json.")] = "text",
    name: Annotated[str | None, typer.Option(help="Title.")] = None,
    at: Annotated[str | None, typer.Option(help="When it was said; ISO 8601.")] = None,
    saga: Annotated[str | None, typer.Option(help="Series it belongs to.")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Read it at once; if short.")] = False,
) -> None:
    """Queue a text to be read by a server, or by `episodes run`."""
    content = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    async with opened() as memory:
        job = await memory.episodes.add(
            content, wait=wait, source=unchecked(source), name=name, reference_time=at, saga=saga
        )
    show_fields(as_mapping(job))
    if job.status == "failed":
        raise typer.Exit(_FAILED)


@command(app)
async def status(
    job_id: Annotated[str | None, typer.Argument(help="Id of a job; else the latest.")] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", help="queued, running, done or failed.")
    ] = None,
    limit: Annotated[int, typer.Option(help="At most.")] = 20,
) -> None:
    """Tell what became of episodes."""
    async with opened() as memory:
        if job_id is not None:
            show_fields(as_mapping(await memory.episodes.status(job_id)))
            return
        jobs = await memory.episodes.list(statuses=only or None, limit=limit)
    columns = ("job", "created", "name", "status", "attempts", "entities", "facts", "error")
    rows: list[tuple[Any, ...]] = [
        (
            job.job_id,
            job.created_at,
            job.name,
            job.status,
            job.attempts,
            job.entities,
            job.facts,
            job.error,
        )
        for job in jobs
    ]
    show({"episodes": jobs}, columns, rows)


@command(app)
async def run() -> None:
    """Read queued episodes until each has ended, of all groups unless --group names one."""
    async with opened() as memory:
        ended = await memory.episodes.process([group] if (group := request().group) else None)
    show_fields({"ended": ended})


@command(app)
async def retry(
    job_ids: Annotated[list[str] | None, typer.Argument(help="Only these jobs.")] = None,
) -> None:
    """Queue failed episodes of the group once more."""
    async with opened() as memory:
        show_fields({"queued": await memory.episodes.retry(job_ids or None)})
