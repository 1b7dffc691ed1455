"""Commands for backups: backup, restore."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import command, note, opened, opened_database
from graph_memory.cli.output import as_mapping, progress, show, show_fields

if TYPE_CHECKING:
    from graph_memory.api.service import GraphMemory
    from graph_memory.api.types import TakenBack

app = typer.Typer()


@command(app, example="backup")
async def backup(
    action: Annotated[
        str | None,
        typer.Argument(
            help="Word list, encrypt, key, or prune with --erased; default: make a backup."
        ),
    ] = None,
    erased: Annotated[
        bool,
        typer.Option("--erased", help="Rewrite backups without what was erased with a receipt."),
    ] = False,
) -> None:
    """Back up all groups of the database into a new folder. The database stays usable.

    `list` shows the backups, `key` prints a new key for GRAPH_MEMORY_BACKUP_KEY, and `encrypt`
    encrypts all backups with the present key.
    """
    if action == "key" and not erased:
        _print_key()
        return
    if action not in _ACTIONS or erased != (action == "prune"):
        raise typer.BadParameter("give nothing, list, encrypt, key, or prune --erased")
    async with opened() as memory:
        await _ACTIONS[action](memory)


async def _create(memory: "GraphMemory") -> None:
    made = await memory.backups.create_all()
    if len(made) == 1:
        show_fields(as_mapping(made[0]))
        return
    rows = ([each.server, each.backup_path, each.memories_backed_up] for each in made)
    show({"backups": made}, ("server", "backup", "memories"), rows)


async def _list(memory: "GraphMemory") -> None:
    found = await memory.backups.list()
    columns = ("backup", "bytes", "new bytes", "time", "format", "memories", "key", "problem")
    show({"backups": found}, columns, (list(as_mapping(each).values()) for each in found))


async def _encrypt(memory: "GraphMemory") -> None:
    done = await memory.backups.encrypt()
    show({"encrypted": done}, ("encrypted",), ([path] for path in done))


async def _prune(memory: "GraphMemory") -> None:
    done = await memory.erasure.prune_backups()
    columns = ("backup", "memories removed", "nodes removed", "relationships removed")
    show({"backups": done}, columns, (list(as_mapping(each).values()) for each in done))


def _print_key() -> None:
    """Print a new key, without the database and the settings, which may lack one."""
    from graph_memory.api.backups import new_key

    key, key_id = new_key()
    show({"key": key, "key_id": key_id}, ("key",), [[key]])
    note(
        f"Its id is {key_id}. Keep the key where the backups are not: without it they cannot be "
        "read."
    )


_ACTIONS = {None: _create, "list": _list, "encrypt": _encrypt, "prune": _prune}


@command(app, example="restore ~/backups/backup_20260101 --replace")
async def restore(
    path: Annotated[Path, typer.Argument(help="Folder of the backup.", resolve_path=True)],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace existing memories, after a backup of them.")
    ] = False,
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="TIME",
            help="Take back what is dated later. A date includes its day.",
        ),
    ] = None,
) -> None:
    """Restore the database from a backup. Stop all other users of the database first.

    With `--until`, the database becomes as it was at that time, which must be before the backup.
    """
    async with opened_database() as database:
        with progress("Restoring") as advance:
            report = await database.restore(path, replace=replace, until=until, on_progress=advance)
    fields = as_mapping(report)
    if taken_back := fields.pop("taken_back"):
        fields |= {"memories": taken_back.memories} | as_mapping(taken_back)
    show_fields(fields)
    if taken_back:
        _explain(taken_back)


def _explain(taken_back: "TakenBack") -> None:
    """Print what could not be taken back, and whether nothing is left."""
    if not taken_back.memories:
        note(f"No memory existed at {taken_back.until:%Y-%m-%d %H:%M:%S} UTC: none is left.")
    note(
        "Counts and dates of accesses, the strength and metadata of relations, settings of groups "
        "and changes without a record stay as in the backup; see the guide on backups."
    )
    if taken_back.incomplete:
        note(
            f"{taken_back.incomplete} memories have changed so often that their history does not "
            "reach back to that time: they are as close to it as their history goes."
        )
    if taken_back.refused:
        note(
            f"{taken_back.refused} memories keep their present text or stay deleted, because the "
            "earlier statement was rejected or erased later."
        )
