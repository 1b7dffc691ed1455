"""Commands for backups: backup, restore."""

from pathlib import Path
from typing import Annotated

import typer

from graph_memory.cli.command import command, opened, opened_database
from graph_memory.cli.output import as_mapping, progress, show, show_fields

app = typer.Typer()


@command(app, example="backup")
async def backup(
    action: Annotated[
        str | None, typer.Argument(help="Word prune, with --erased; default: make a backup.")
    ] = None,
    erased: Annotated[
        bool,
        typer.Option("--erased", help="Rewrite backups without what was erased with a receipt."),
    ] = False,
) -> None:
    """Back up all groups of the database into a new folder. The database stays usable."""
    if (action, erased) not in ((None, False), ("prune", True)):
        raise typer.BadParameter("give nothing, or prune --erased")
    async with opened() as memory:
        if action is None:
            show_fields(as_mapping(await memory.backups.create()))
            return
        done = await memory.erasure.prune_backups()
    columns = ("backup", "memories removed", "nodes removed", "relationships removed")
    show({"backups": done}, columns, (list(as_mapping(each).values()) for each in done))


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
