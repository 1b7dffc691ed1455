"""Commands for relations: relate, unrelate, traverse, history, analyze."""

from typing import Annotated, Any

import typer

from graph_memory.cli.command import command, opened, unchecked, whole_ids
from graph_memory.cli.completion import completing
from graph_memory.cli.memories import (
    AnyTags,
    AsOf,
    Counted,
    Id,
    KnownAt,
    Metadata,
    States,
    Types,
    parsed,
)
from graph_memory.cli.output import as_mapping, show, show_fields
from graph_memory.cli.values import ALGORITHMS, DIRECTIONS, RELATION_TYPES, RESOLUTIONS, listed

app = typer.Typer()

_BEGINNING = ", or its first characters."

From = Annotated[str, typer.Argument(help=f"Id of the memory at the start{_BEGINNING}")]
To = Annotated[str, typer.Argument(help=f"Id of the memory at the end{_BEGINNING}")]


@command(app, example="relate 7c0e4a52 91bd03fe --type supports")
async def relate(
    from_id: From,
    to_id: To,
    relation_type: Annotated[
        str,
        typer.Option(
            "--type",
            help=f"Type of the relation: {listed(RELATION_TYPES)}.",
            autocompletion=completing(RELATION_TYPES),
        ),
    ] = "relates_to",
    strength: Annotated[
        float | None, typer.Option(help="Strength, 0 to 1; default of a new relation: 0.5.")
    ] = None,
    bidirectional: Annotated[
        bool, typer.Option("--both", help="Make the inverse relation, too.")
    ] = False,
    metadata: Metadata = None,
    fact: Annotated[str | None, typer.Option(help="Relation as a sentence.")] = None,
    valid_at: Annotated[
        str | None, typer.Option(help="Start of truth, ISO 8601; default: now.")
    ] = None,
    invalid_at: Annotated[
        str | None, typer.Option(help="End of truth, ISO 8601; default: none.")
    ] = None,
    resolve: Annotated[
        str | None,
        typer.Option(
            help=f"With contradicts, the memory that supersedes: {listed(RESOLUTIONS)}.",
            autocompletion=completing(RESOLUTIONS),
        ),
    ] = None,
) -> None:
    """Relate two memories, or change their relation; what is not given stays.

    With --type supersedes, the second memory becomes obsolete.
    """
    async with opened() as memory:
        from_id, to_id = await whole_ids(memory, [from_id, to_id])
        made = await memory.relations.add(
            from_id,
            to_id,
            unchecked(relation_type),
            strength=strength,
            bidirectional=bidirectional,
            metadata=parsed(metadata),
            fact=fact,
            valid_at=valid_at,
            invalid_at=invalid_at,
            resolve=unchecked(resolve),
        )
    rows = [as_mapping(relation) for relation in made]
    show({"relations": rows}, [*rows[0]], [[*row.values()] for row in rows])


@command(app, example="unrelate 7c0e4a52 91bd03fe")
async def unrelate(
    from_id: From,
    to_id: To,
    relation_type: Annotated[
        str | None,
        typer.Option(
            "--type",
            help="Type of the relations; default: all.",
            autocompletion=completing(RELATION_TYPES),
        ),
    ] = None,
    both_directions: Annotated[
        bool, typer.Option("--both", help="End relations in the other direction, too.")
    ] = False,
) -> None:
    """End the relations between two memories. --as-of still shows them."""
    async with opened() as memory:
        from_id, to_id = await whole_ids(memory, [from_id, to_id])
        ended = await memory.relations.remove(
            from_id, to_id, unchecked(relation_type), both_directions=both_directions
        )
    show_fields({"removed": ended})


@command(app, example="traverse 7c0e4a52 --depth 2")
async def traverse(
    start_memory_id: Annotated[str, typer.Argument(help=f"Id of the first memory{_BEGINNING}")],
    algorithm: Annotated[
        str,
        typer.Option(
            help="Order: bfs (breadth-first) or dfs (depth-first).",
            autocompletion=completing(ALGORITHMS),
        ),
    ] = "bfs",
    direction: Annotated[
        str,
        typer.Option(
            help=f"Direction of the relations: {listed(DIRECTIONS)}.",
            autocompletion=completing(DIRECTIONS),
        ),
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
        typer.Option(
            "--relation",
            help="Relation type to follow, of any in the graph; repeatable; default: all.",
            autocompletion=completing(RELATION_TYPES),
        ),
    ] = None,
    types: Types = None,
    tags: AnyTags = None,
    states: States = None,
    include_parent_links: Annotated[
        bool, typer.Option("--parents", help="Follow parent links, too.")
    ] = False,
    through_entities: Annotated[
        bool, typer.Option("--entities", help="Walk to memories that mention the same entity, too.")
    ] = False,
    counted: Counted = False,
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
        "through_entities": through_entities,
        "as_of": as_of,
        "known_at": known_at,
    }
    async with opened() as memory:
        (start_memory_id,) = await whole_ids(memory, [start_memory_id])
        walked = await memory.relations.traverse(start_memory_id, counted=counted, **walk)
    rows = ((node.depth, node.memory_id, node.memory_type, node.content) for node in walked.nodes)
    show(walked, ("depth", "id", "type", "content"), rows)


@command(app, example="history 7c0e4a52")
async def history(memory_id: Id) -> None:
    """List what happened to a memory: its versions, changes with causes, and relations."""
    async with opened() as memory:
        (memory_id,) = await whole_ids(memory, [memory_id])
        events = await memory.lifecycle.history(memory_id)
    rows = [
        [e.at, f"{e.kind} by {e.by}" if e.by and e.kind == "rewritten" else e.kind, e.detail]
        for e in events
    ]
    show({"memory_id": memory_id, "events": events}, ("at", "what", "detail"), rows)


@command(app, example="analyze --top 5")
async def analyze(
    memory_id: Annotated[
        str | None,
        typer.Argument(
            help="Id of the memory to look around, or its first characters; "
            "default: the whole group."
        ),
    ] = None,
    top: Annotated[int, typer.Option(help="Number of connectors and bridges to list.")] = 10,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """Analyse relations: degrees, types, top connectors, bridges and islands."""
    async with opened() as memory:
        if memory_id is not None:
            (memory_id,) = await whole_ids(memory, [memory_id])
        found = await memory.relations.analyze(memory_id, top=top, as_of=as_of, known_at=known_at)
    show_fields(as_mapping(found))
