"""The command for entities that memories mention."""

from typing import Annotated

import typer

from graph_memory.cli.command import command, note, opened, request, unchecked
from graph_memory.cli.completion import completing
from graph_memory.cli.output import show
from graph_memory.cli.values import ENTITY_KINDS, listed

app = typer.Typer()


@command(app, example="entities 'Alice Smith'")
async def entities(
    name: Annotated[
        str | None, typer.Argument(help="Name of an entity; default: all of the group.")
    ] = None,
    memory_id: Annotated[
        str | None, typer.Option("--memory", help="Only those that this memory mentions.")
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            help=f"Kind: {listed(ENTITY_KINDS)}; repeatable.",
            autocompletion=completing(ENTITY_KINDS),
        ),
    ] = None,
    limit: Annotated[int, typer.Option(help="Most entities, 1 to 1000.")] = 50,
) -> None:
    """List the entities that memories mention, or the memories that mention one.

    Maintenance finds them in its stage entities.
    """
    async with opened() as memory:
        whole = None if memory_id is None else await memory.complete_id(memory_id)
        found = await memory.entities.list(
            name, memory_id=whole, kinds=unchecked(kinds or None), limit=limit
        )
    if found.total > len(found.entities) and not request().as_json:
        note(f"{len(found.entities)} of {found.total}; --limit shows more.")
    rows = (
        (
            e.kind,
            " = ".join((e.name, *(a.name for a in e.aliases))),
            e.memories,
            m.memory_id,
            ", ".join(map(str, m.starts)),
            m.lead,
        )
        for e in found.entities
        for m in e.mentions[: None if name else 1]
    )
    show(found, ("kind", "name", "memories", "memory", "at", "title"), rows)
