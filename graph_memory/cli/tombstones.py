"""Commands for rejected statements: reject, tombstones list, tombstones lift."""

from typing import Annotated

import typer

from graph_memory.cli.command import command, opened, whole_ids
from graph_memory.cli.output import as_mapping, show, show_fields

app = typer.Typer(no_args_is_help=True, help="List the statements that are refused, and lift them.")

#: The command of the top level.
rejecting = typer.Typer()


@command(rejecting, example="reject 7c0e4a52 --reason 'a misunderstanding'")
async def reject(
    memory_ids: Annotated[
        list[str], typer.Argument(help="Ids of the memories, or their first characters.")
    ],
    reason: Annotated[
        str | None, typer.Option(help="Reason, shown when the statement is refused.")
    ] = None,
) -> None:
    """Delete wrong memories, and refuse their statements from now on."""
    async with opened() as memory:
        rejected = [
            await memory.lifecycle.reject(memory_id, reason=reason)
            for memory_id in await whole_ids(memory, memory_ids)
        ]
    rows = ((each.memory_id, each.recoverable_until) for each in rejected)
    show({"rejected": rejected}, ("id", "recoverable until"), rows)


@command(app, "list", example="tombstones list")
async def list_tombstones(
    limit: Annotated[int, typer.Option(help="Most tombstones, 1 to 10000.")] = 1000,
) -> None:
    """List the tombstones of the group, the latest first; they hold no text."""
    async with opened() as memory:
        found = await memory.tombstones.list(limit=limit)
    columns = ("id", "group", "reason", "when", "by", "note", "memory")
    rows = (
        (t.tombstone_id, t.group_id, t.reason, t.created_at, t.by, t.note, t.memory_id)
        for t in found
    )
    show({"tombstones": found}, columns, rows)


@command(app, example="tombstones lift TOMBSTONE_ID")
async def lift(
    tombstone_id: Annotated[
        str,
        typer.Argument(help="Id, from `tombstones list` or an error, or its first characters."),
    ],
) -> None:
    """Allow a statement again; its memory stays deleted."""
    async with opened() as memory:
        lifted = await memory.tombstones.lift(tombstone_id)
    show_fields(as_mapping(lifted))
