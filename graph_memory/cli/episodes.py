"""Commands for episodes, the texts that Graphiti reads: add, status, run, retry."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from graph_memory.cli.command import command, opened, request, unchecked
from graph_memory.cli.completion import completing
from graph_memory.cli.output import as_mapping, show, show_fields
from graph_memory.cli.values import EPISODE_SOURCES, JOB_STATUSES, listed

app = typer.Typer(no_args_is_help=True, help="Extract entities and facts from texts.")

_FAILED = 1


@command(app, example="episodes add notes.txt --name Minutes")
async def add(
    file: Annotated[Path, typer.Argument(help="File with the text; - reads stdin.")],
    source: Annotated[
        str,
        typer.Option(
            help=f"Format of the text: {listed(EPISODE_SOURCES)}.",
            autocompletion=completing(EPISODE_SOURCES),
        ),
    ] = "text",
    name: Annotated[str | None, typer.Option(help="Title; default: the first words.")] = None,
    at: Annotated[
        str | None, typer.Option(help="Time of the text, ISO 8601; default: now.")
    ] = None,
    saga: Annotated[str | None, typer.Option(help="Name of the series of episodes.")] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait until it is read; only for short texts.")
    ] = False,
) -> None:
    """Queue a text for the server or for `episodes run`."""
    content = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    async with opened() as memory:
        job = await memory.episodes.add(
            content, wait=wait, source=unchecked(source), name=name, reference_time=at, saga=saga
        )
    show_fields(as_mapping(job))
    if job.status == "failed":
        raise typer.Exit(_FAILED)


@command(app, example="episodes status --only failed")
async def status(
    job_id: Annotated[
        str | None,
        typer.Argument(help="Id of the job, or its first characters; default: the latest."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            help=f"Status: {listed(JOB_STATUSES)}; repeatable.",
            autocompletion=completing(JOB_STATUSES),
        ),
    ] = None,
    limit: Annotated[int, typer.Option(help="Maximum number of jobs.")] = 20,
) -> None:
    """Show the status of episodes."""
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


@command(app, example="episodes run")
async def run() -> None:
    """Process all queued episodes, in all groups unless --group names one."""
    async with opened() as memory:
        ended = await memory.episodes.process([group] if (group := request().group) else None)
    show_fields({"ended": ended})


@command(app, example="episodes retry")
async def retry(
    job_ids: Annotated[
        list[str] | None,
        typer.Argument(help="Ids of the jobs, or their first characters; default: all failed."),
    ] = None,
) -> None:
    """Queue failed episodes of the group again."""
    async with opened() as memory:
        show_fields({"queued": await memory.episodes.retry(job_ids or None)})
