"""Commands for groups: groups list, place, settings, set, unset."""

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import command, opened, unchecked
from graph_memory.cli.completion import completing
from graph_memory.cli.output import as_mapping, show, show_fields
from graph_memory.cli.values import GROUP_SETTINGS, SLOTS, listed

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
        (each.group_id, each.server, each.memories, "" if each.placed else "no rule places it here")
        for each in found
    )
    show({"groups": found}, ("group", "server", "memories", "problem"), rows)


@command(app, example="groups place acme")
async def place(
    group_id: Annotated[
        str, typer.Argument(metavar="GROUP", help="Group, with or without memories.")
    ],
) -> None:
    """Show on which server a group is, and the rule of the placement file for it."""
    async with opened() as memory:
        found = memory.groups.place(group_id)
    show_fields({**as_mapping(found), "rule": found.rule or "none, so it is on home"})


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
