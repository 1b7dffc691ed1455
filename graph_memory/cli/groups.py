"""Commands for groups: groups list, place, move, moves, settings, set, unset."""

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import command, opened, unchecked
from graph_memory.cli.completion import complete_group, completing
from graph_memory.cli.output import as_mapping, progress, show, show_fields
from graph_memory.cli.values import GROUP_SETTINGS, SLOTS, listed
from graph_memory.errors import InvalidArgumentError

if TYPE_CHECKING:
    from graph_memory.api.service import GraphMemory
    from graph_memory.api.types import GroupSettings

app = typer.Typer(
    no_args_is_help=True,
    help="Show the groups and their servers, and change the settings of a group.",
)


@command(app, "list", example="groups list")
async def list_groups() -> None:
    """List the groups that have memories, each with its server and its number of memories."""
    async with opened() as memory:
        found = await memory.groups.list()
    rows = (
        (each.group_id, each.server, each.memories, "" if each.placed else each.reason)
        for each in found
    )
    show({"groups": found}, ("group", "server", "memories", "problem"), rows)


@command(app, example="groups place acme")
async def place(
    group_id: Annotated[
        str,
        typer.Argument(
            metavar="GROUP",
            help="Group, with or without memories.",
            autocompletion=complete_group,
        ),
    ],
) -> None:
    """Show on which server a group is, and the rule of the placement file for it."""
    async with opened() as memory:
        found = memory.groups.place(group_id)
    rule, moved = found.rule or "none, so it is on home", found.move or "none"
    show_fields({**as_mapping(found), "rule": rule, "move": moved})


@command(app, example="groups move acme east")
async def move(
    group_id: Annotated[
        str,
        typer.Argument(metavar="GROUP", help="Group to move.", autocompletion=complete_group),
    ],
    server: Annotated[
        str | None,
        typer.Argument(
            metavar="SERVER", help="Server of the placement file, or home for the configured one."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what would be copied, and change nothing.")
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take the move back, with all writes since.")
    ] = False,
    finish: Annotated[
        bool, typer.Option("--finish", help="Erase the copy that the old server keeps.")
    ] = False,
) -> None:
    """Move a group to another server, whole; the old server keeps a copy until --finish.

    The group takes no writes during the copy, and reads go on. An interrupted move is finished by
    the same command.
    """
    if [server is not None, undo, finish].count(True) != 1 or (dry_run and server is None):
        raise InvalidArgumentError(
            "server", server, "give either a server, with or without --dry-run, --undo or --finish"
        )
    async with opened() as memory:
        with progress("Moving") as advance:
            if undo:
                done = await memory.groups.undo_move(on_progress=advance, group_id=group_id)
            elif finish:
                done = await memory.groups.finish_move(group_id=group_id)
            else:
                done = await memory.groups.move(
                    server or "", dry_run=dry_run, on_progress=advance, group_id=group_id
                )
    show_fields(as_mapping(done))


@command(app, example="groups moves")
async def moves() -> None:
    """List the moves of groups: in progress, with a copy that waits, and ended ones that decide."""
    async with opened() as memory:
        found = await memory.groups.moves()
    columns = ("group", "from", "to", "phase", "begun")
    show({"moves": found}, columns, (list(as_mapping(each).values()) for each in found))


@command(app, example="groups settings --group work")
async def settings() -> None:
    """Show the settings of the group, and the slots that can be single-valued."""
    async with opened() as memory:
        _print(memory, await memory.groups.settings())


@command(app, "set", example="groups set --single-valued-slot lives_in")
async def set_settings(
    single_valued_slots: Annotated[
        list[str],
        typer.Option(
            "--single-valued-slot",
            help=f"Slot that has one value at a time: {listed(SLOTS)}; repeatable.",
            autocompletion=completing(SLOTS),
        ),
    ],
) -> None:
    """Replace the single-valued slots of the group.

    In the next maintenance run, the newer of two memories with different values supersedes the
    older. `maintain --stage slots --dry-run` shows what it would change.
    """
    async with opened() as memory:
        _print(memory, await memory.groups.set(single_valued_slots=single_valued_slots))


@command(app, example="groups unset single_valued_slots")
async def unset(
    name: Annotated[
        str,
        typer.Argument(
            help=f"Setting: {', '.join(GROUP_SETTINGS)}.", autocompletion=completing(GROUP_SETTINGS)
        ),
    ],
) -> None:
    """Remove a setting of the group. What runs have superseded stays; `undo` takes it back."""
    async with opened() as memory:
        _print(memory, await memory.groups.unset(unchecked(name)))


def _print(memory: "GraphMemory", settings: "GroupSettings") -> None:
    """Print the settings as JSON, or else each slot with an example."""
    declared = settings.single_valued_slots
    rows = (
        (slot.name, "yes" if slot.name in declared else "no", slot.example)
        for slot in memory.groups.slots()
    )
    show(settings, ("slot", "single-valued", "example"), rows)
