"""Commands on how memories bear on each other: relate, unrelate, traverse, history, analyze."""

from typing import Annotated, Any

import typer

from graph_memory.cli.command import command, opened, unchecked
from graph_memory.cli.output import as_mapping, show, show_fields

app = typer.Typer()

Id = Annotated[str, typer.Argument(help="Id of a memory.")]
From = Annotated[str, typer.Argument(help="Id of the memory it starts at.")]
To = Annotated[str, typer.Argument(help="Id of the memory it ends at.")]
AsOf = Annotated[str | None, typer.Option(help="What was true in the world then, ISO 8601.")]
KnownAt = Annotated[str | None, typer.Option(help="What was known here then, ISO 8601.")]


@command(app)
async def relate(
    from_id: From,
    to_id: To,
    relation_type: Annotated[str, typer.Option("--type", help="supports, ...")] = "relates_to",
    strength: Annotated[float, typer.Option(help="0 to 1.")] = 0.5,
    bidirectional: Annotated[bool, typer.Option("--both", help="Also back, inversely.")] = False,
    fact: Annotated[str | None, typer.Option(help="The relation as a sentence.")] = None,
    valid_at: Annotated[str | None, typer.Option(help="True since, ISO 8601.")] = None,
    invalid_at: Annotated[str | None, typer.Option(help="True until, ISO 8601.")] = None,
    resolve: Annotated[str | None, typer.Option(help="contradicts: newer or stronger.")] = None,
) -> None:
    """Relate two memories; repeating a relation updates it."""
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
    relation_type: Annotated[str | None, typer.Option("--type", help="Default: all.")] = None,
    both_directions: Annotated[bool, typer.Option("--both", help="Also those back.")] = False,
) -> None:
    """End the relations between two memories; the past still shows them."""
    async with opened() as memory:
        ended = await memory.relations.remove(
            from_id, to_id, unchecked(relation_type), both_directions=both_directions
        )
    show_fields({"removed": ended})


@command(app)
async def traverse(
    start_memory_id: Annotated[str, typer.Argument(help="Id of the memory to begin at.")],
    algorithm: Annotated[str, typer.Option(help="bfs or dfs.")] = "bfs",
    direction: Annotated[str, typer.Option(help="out, in or both.")] = "out",
    max_depth: Annotated[int | None, typer.Option("--depth", help="1 to 5; default 3.")] = None,
    max_nodes: Annotated[int | None, typer.Option("--nodes", help="1 to 1000; 100.")] = None,
    relation_types: Annotated[list[str] | None, typer.Option("--relation", help="Only.")] = None,
    types: Annotated[list[str] | None, typer.Option("--type", help="Return only.")] = None,
    tags: Annotated[list[str] | None, typer.Option("--tag", help="Return any of.")] = None,
    states: Annotated[list[str] | None, typer.Option("--state", help="Return only.")] = None,
    include_parent_links: Annotated[bool, typer.Option("--parents", help="Walk them.")] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """Walk from a memory along its relations, the strongest first."""
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
    """Tell what happened to a memory: its texts, states and relations."""
    async with opened() as memory:
        events = await memory.lifecycle.history(memory_id)
    rows = [[event.at, event.kind, event.detail] for event in events]
    show({"memory_id": memory_id, "events": events}, ("at", "what", "detail"), rows)


@command(app)
async def analyze(
    memory_id: Annotated[str | None, typer.Argument(help="Default: the whole group.")] = None,
    top: Annotated[int, typer.Option(help="Connectors and bridges to name.")] = 10,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """Analyse relations: degrees, types, top connectors, bridges, islands."""
    async with opened() as memory:
        found = await memory.relations.analyze(memory_id, top=top, as_of=as_of, known_at=known_at)
    show_fields(as_mapping(found))
