"""Commands for backups: backup, restore."""

from pathlib import Path
from typing import Annotated

import typer

from graph_memory.cli.command import command, opened, opened_database
from graph_memory.cli.output import as_mapping, progress, show_fields

app = typer.Typer()


@command(app, example="backup")
async def backup() -> None:
    """Back up all groups of the database into a new folder. The database stays usable."""
    async with opened() as memory:
        show_fields(as_mapping(await memory.backups.create()))


@command(app, example="restore ~/backups/backup_20260101 --replace")
async def restore(
    path: Annotated[Path, typer.Argument(help="Folder of the backup.", resolve_path=True)],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace existing memories, after a backup of them.")
    ] = False,
) -> None:
    """Restore the database from a backup. Stop all other users of the database first."""
    async with opened_database() as database:
        with progress("Restoring") as advance:
            report = await database.restore(path, replace=replace, on_progress=advance)
    show_fields(as_mapping(report))
