"""Commands for relations: relate, unrelate, traverse, history, analyze."""

from typing import Annotated, Any

import typer

from graph_memory.cli.command import command, opened, unchecked
from graph_memory.cli.output import as_mapping, show, show_fields

app = typer.Typer()

Id = Annotated[str, typer.Argument(help="Id of the memory.")]
From = Annotated[str, typer.Argument(help="Id of the memory at the start.")]
To = Annotated[str, typer.Argument(help="Id of the memory at the end.")]
AsOf = Annotated[str | None, typer.Option(help="Show what was true at this time, ISO 8601.")]
KnownAt = Annotated[str | None, typer.Option(help="Show what was stored at this time, ISO 8601.")]


@command(app)
async def relate(
    from_id: From,
    to_id: To,
    relation_type: Annotated[
        str, typer.Option("--type", help="Type of the relation, such as supports or causes.")
    ] = "relates_to",
    strength: Annotated[float, typer.Option(help="Strength, 0 to 1.")] = 0.5,
    bidirectional: Annotated[
        bool, typer.Option("--both", help="Make the inverse relation, too.")
    ] = False,
    fact: Annotated[str | None, typer.Option(help="Relation as a sentence.")] = None,
    valid_at: Annotated[
        str | None, typer.Option(help="Start of truth, ISO 8601; default: now.")
    ] = None,
    invalid_at: Annotated[
        str | None, typer.Option(help="End of truth, ISO 8601; default: none.")
    ] = None,
    resolve: Annotated[
        str | None,
        typer.Option(help="With contradicts, the memory that supersedes: newer or stronger."),
    ] = None,
) -> None:
    """Relate two memories, or update their relation."""
    async with opened() as memory:
        made = await memory.relations.add(
            from_id,
            to_id,
            unchecked(relation_type),
            strength=strength,
            bidirectional=bidirectional,
            fact=fact,
            valid_at=valid_at,
            invalid_at=invalid_at,
            resolve=unchecked(resolve),
        )
    rows = [as_mapping(relation) for relation in made]
    show({"relations": rows}, [*rows[0]], [[*row.values()] for row in rows])


@command(app)
async def unrelate(
    from_id: From,
    to_id: To,
    relation_type: Annotated[
        str | None, typer.Option("--type", help="Type of the relations; default: all.")
    ] = None,
    both_directions: Annotated[
        bool, typer.Option("--both", help="End relations in the other direction, too.")
    ] = False,
) -> None:
    """End the relations between two memories. --as-of still shows them."""
    async with opened() as memory:
        ended = await memory.relations.remove(
            from_id, to_id, unchecked(relation_type), both_directions=both_directions
        )
    show_fields({"removed": ended})


@command(app)
async def traverse(
    start_memory_id: Annotated[str, typer.Argument(help="Id of the first memory.")],
    algorithm: Annotated[
        str, typer.Option(help="Order: bfs (breadth-first) or dfs (depth-first).")
    ] = "bfs",
    direction: Annotated[
        str, typer.Option(help="Direction of the relations: out, in or both.")
    ] = "out",
    max_depth: Annotated[
        int | None,
        typer.Option("--depth", help="Maximum number of relations in a path, 1 to 5; default: 3."),
    ] = None,
    max_nodes: Annotated[
        int | None,
        typer.Option("--nodes", help="Maximum number of memories, 1 to 1000; default: 100."),
    ] = None,
    relation_types: Annotated[
        list[str] | None,
        typer.Option("--relation", help="Relation type to follow; repeatable; default: all."),
    ] = None,
    types: Annotated[
        list[str] | None, typer.Option("--type", help="Allowed type; repeatable; default: all.")
    ] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", help="Tag, of which one must match; repeatable.")
    ] = None,
    states: Annotated[
        list[str] | None, typer.Option("--state", help="Allowed state; repeatable; default: all.")
    ] = None,
    include_parent_links: Annotated[
        bool, typer.Option("--parents", help="Follow parent links, too.")
    ] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """List the memories connected to a memory, strongest relations first."""
    walk: dict[str, Any] = {
        "algorithm": algorithm,
        "direction": direction,
        "max_depth": max_depth,
        "max_nodes": max_nodes,
        "relation_types": relation_types,
        "types": types,
        "tags": tags,
        "states": states,
        "include_parent_links": include_parent_links,
        "as_of": as_of,
        "known_at": known_at,
    }
    async with opened() as memory:
        walked = await memory.relations.traverse(start_memory_id, **walk)
    rows = ((node.depth, node.memory_id, node.memory_type, node.content) for node in walked.nodes)
    show(walked, ("depth", "id", "type", "content"), rows)


@command(app)
async def history(memory_id: Id) -> None:
    """List what happened to a memory: its versions, states and relations."""
    async with opened() as memory:
        events = await memory.lifecycle.history(memory_id)
    rows = [[event.at, event.kind, event.detail] for event in events]
    show({"memory_id": memory_id, "events": events}, ("at", "what", "detail"), rows)


@command(app)
async def analyze(
    memory_id: Annotated[
        str | None,
        typer.Argument(help="Id of the memory to look around; default: the whole group."),
    ] = None,
    top: Annotated[int, typer.Option(help="Number of connectors and bridges to list.")] = 10,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """Analyse relations: degrees, types, top connectors, bridges and islands."""
    async with opened() as memory:
        found = await memory.relations.analyze(memory_id, top=top, as_of=as_of, known_at=known_at)
    show_fields(as_mapping(found))
