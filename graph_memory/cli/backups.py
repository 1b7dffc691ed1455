"""Commands on backups: backup, restore."""

from pathlib import Path
from typing import Annotated

import typer

from graph_memory.cli.command import command, opened, opened_database
from graph_memory.cli.output import as_mapping, progress, show_fields

app = typer.Typer()


@command(app)
async def backup() -> None:
    """Write the whole database, all groups, into a new folder; it can be in use meanwhile."""
    async with opened() as memory:
        show_fields(as_mapping(await memory.backups.create()))


@command(app)
async def restore(
    path: Annotated[Path, typer.Argument(help="Folder of a backup.", resolve_path=True)],
    replace: Annotated[
        bool, typer.Option("--replace", help="Also where memories are: they are backed up first.")
    ] = False,
) -> None:
    """Make the database what a backup says; stop whatever else uses it first."""
    async with opened_database() as database:
        with progress("Restoring") as advance:
            report = await database.restore(path, replace=replace, on_progress=advance)
    show_fields(as_mapping(report))
