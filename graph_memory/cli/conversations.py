"""Commands for conversations: retrieve, feedback."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_memory.cli.command import command, opened
from graph_memory.cli.memories import (
    AnyTags,
    AsOf,
    Counted,
    KnownAt,
    MinRelevance,
    Profile,
    Project,
    Since,
    States,
    Types,
    Until,
    note_known,
)
from graph_memory.cli.output import as_mapping, show, show_fields

if TYPE_CHECKING:
    from graph_memory.api.types import RetrievedMemory

app = typer.Typer()


@command(app, example="retrieve 'what does Ada drink?' --max-tokens 500 --session chat1")
async def retrieve(
    query: Annotated[str, typer.Argument(help="Question, or any text.")],
    max_tokens: Annotated[
        int | None, typer.Option(help="Token budget of the contents; default: 2000.")
    ] = None,
    search_depth: Annotated[
        int | None,
        typer.Option("--depth", help="Relations to follow from an anchor, 0 to 5; default: 2."),
    ] = None,
    anchor_count: Annotated[
        int | None,
        typer.Option("--anchors", help="Number of best results to start from; default: 3."),
    ] = None,
    session_id: Annotated[
        str | None,
        typer.Option("--session", help="Session id of the conversation; default: a new one."),
    ] = None,
    conversation_tokens: Annotated[
        int | None, typer.Option(help="Length of the conversation in tokens.")
    ] = None,
    staleness_threshold: Annotated[
        int | None, typer.Option(help="Tokens after which a memory may repeat; default: 4096.")
    ] = None,
    profile: Profile = "recall",
    weights: Annotated[
        list[float] | None,
        typer.Option("--weight", help="Weight of the profile, in its order; repeatable."),
    ] = None,
    min_relevance: MinRelevance = None,
    counted: Counted = True,
    memory_types: Types = None,
    tags: AnyTags = None,
    states: States = None,
    date_from: Since = None,
    date_to: Until = None,
    project_id: Project = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """Fetch memories that answer a question and are new to a conversation, within a budget."""
    details: dict[str, Any] = {
        "max_tokens": max_tokens,
        "search_depth": search_depth,
        "anchor_count": anchor_count,
        "session_id": session_id,
        "conversation_tokens": conversation_tokens,
        "staleness_threshold": staleness_threshold,
        "profile": profile,
        "weights": weights,
        "min_relevance": min_relevance,
        "memory_types": memory_types,
        "tags": tags,
        "states": states,
        "date_from": date_from,
        "date_to": date_to,
        "project_id": project_id,
        "as_of": as_of,
        "known_at": known_at,
    }
    async with opened("Searching…", model=True) as memory:
        retrieved = await memory.retrieve(query, counted=counted, **details)
    columns = ("score", "relevance", "tokens", "distance", "status", "id", "content")
    fields = as_mapping(retrieved) | {"memories": [_flat(m) for m in retrieved.memories]}
    show(fields, columns, map(_row, retrieved.memories))
    note_known(retrieved)


@command(app, example="feedback --reset")
async def feedback(
    reset: Annotated[bool, typer.Option("--reset", help="Delete the feedback.")] = False,
) -> None:
    """Show the effect of feedback on the ranking of the group."""
    async with opened() as memory:
        learned = await (memory.feedback.reset() if reset else memory.feedback.read())
        show_fields(as_mapping(learned))


def _flat(given: "RetrievedMemory") -> dict[str, Any]:
    return {
        **as_mapping(given.memory),
        **{name: value for name, value in as_mapping(given).items() if name != "memory"},
    }


def _row(given: "RetrievedMemory") -> tuple[object, ...]:
    return (
        given.score,
        given.relevance,
        given.tokens,
        given.distance,
        given.status,
        given.memory.memory_id,
        given.memory.content,
    )
