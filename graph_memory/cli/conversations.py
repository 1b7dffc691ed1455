"""Commands for conversations: retrieve, feedback, capture, hook."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_memory.cli import hook as hook_client
from graph_memory.cli.command import command, opened, request
from graph_memory.cli.completion import completing
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
from graph_memory.cli.output_file import replacing, require_writable
from graph_memory.cli.values import RESULT_ORDERS, listed
from graph_memory.errors import InvalidArgumentError

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
    sort: Annotated[
        str | None,
        typer.Option(
            help=f"Order: {listed(RESULT_ORDERS)}; default: by the question.",
            autocompletion=completing(RESULT_ORDERS),
        ),
    ] = None,
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
        "sort": sort,
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


@command(app, example="feedback --export lessons.json")
async def feedback(
    reset: Annotated[
        bool, typer.Option("--reset", help="Delete the feedback, lessons and learned weights.")
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(help="File to write: the learned weights and the lessons, as JSON."),
    ] = None,
) -> None:
    """Show the feedback of the group, what was learned from it, and each weight of the ranking."""
    if export:
        require_writable(export, "--export")
    async with opened() as memory:
        if export:
            exported = await memory.feedback.export()
            with replacing(export) as path:
                path.write_text(json.dumps(asdict(exported), ensure_ascii=False), encoding="utf-8")
        learned = await (memory.feedback.reset() if reset else memory.feedback.read())
    fields = as_mapping(learned)
    if request().as_json:
        show_fields(fields)
        return
    rows = [(each.setting, each.configured, each.learned) for each in fields.pop("weights")]
    show_fields(fields)
    show(None, ("weight", "configured", "learned"), rows)


@command(app, example="capture turns.jsonl --conversation chat1 --project notes")
async def capture(
    file: Annotated[
        Path, typer.Argument(help="JSON lines with content, role and position; - reads stdin.")
    ],
    conversation_id: Annotated[str, typer.Option("--conversation", help="Id of the conversation.")],
    project_id: Project = None,
) -> None:
    """Store the turns of a conversation verbatim, without a language model.

    A line is a JSON object with `content`, and `role` (user, assistant, system or tool), `position`
    and `created_at` if they are known. A place of a conversation is captured once. Turns with
    secrets are refused, and noise is left out.
    """
    turns = list(_turns(file))
    async with opened("Storing…", model=True) as memory:
        captured = await memory.conversations.capture(conversation_id, turns, project_id=project_id)
    columns = ("position", "status", "id", "reason")
    rows = [(turn.position, turn.status, turn.memory_id, turn.reason) for turn in captured]
    show([as_mapping(turn) for turn in captured], columns, rows)


@command(app, example="hook --url http://127.0.0.1:8765/mcp")
def hook(
    url: Annotated[
        str | None,
        typer.Option(help="Address of the server; default: GRAPH_MEMORY_URL, or this machine."),
    ] = None,
) -> None:
    """Pass an event of Claude Code, Codex or Cursor from stdin to the running server.

    The output is the text to add to the context of the conversation, empty if no memory is
    relevant. If the server does not answer within two seconds, the output is empty. The exit code
    is 0 in any case.
    """
    hook_client.run(url, request().group)


def _turns(file: Path) -> Iterator[Any]:
    """Yield the objects of a file of JSON lines; `-` is stdin."""
    text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            if line.strip():
                yield json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InvalidArgumentError(
                f"line {number}", line, f"it is not JSON ({error})"
            ) from error


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
