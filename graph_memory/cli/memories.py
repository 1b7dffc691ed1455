"""Commands for memories: add, update, touch, search, get, list, delete."""

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_memory.cli.attachments import referred
from graph_memory.cli.command import command, note, opened, request, unchecked, whole_ids
from graph_memory.cli.completion import complete_policy, completing
from graph_memory.cli.output import as_mapping, show, show_fields
from graph_memory.cli.values import (
    AUTHORITIES,
    CLEARABLE,
    POLICIES,
    PROFILES,
    RESULT_ORDERS,
    SORTS,
    STATES,
    TYPES,
    listed,
)

if TYPE_CHECKING:
    from graph_memory.api.types import Retrieved
    from graph_memory.domain.models import (
        AddedMemory,
        FoundMemory,
        Memory,
        Relation,
        SearchResults,
    )

app = typer.Typer()

Types = Annotated[
    list[str] | None,
    typer.Option(
        "--type",
        help=f"Allowed type: {listed(TYPES)}; repeatable; default: all.",
        autocompletion=completing(TYPES),
    ),
]
States = Annotated[
    list[str] | None,
    typer.Option(
        "--state",
        help=f"Allowed state: {listed(STATES)}; repeatable.",
        autocompletion=completing(STATES),
    ),
]
Profile = Annotated[
    str, typer.Option(help=f"Ranking: {listed(PROFILES)}.", autocompletion=completing(PROFILES))
]
AnyTags = Annotated[
    list[str] | None, typer.Option("--tag", help="Tag, of which one must match; repeatable.")
]
Since = Annotated[str | None, typer.Option("--from", help="Earliest creation, ISO 8601.")]
Until = Annotated[str | None, typer.Option("--to", help="Latest creation, ISO 8601.")]
Project = Annotated[str | None, typer.Option("--project", help="Project id.")]
MinAuthority = Annotated[
    str | None,
    typer.Option(
        help=f"Least authority: {listed(AUTHORITIES)}.", autocompletion=completing(AUTHORITIES)
    ),
]


AsOf = Annotated[str | None, typer.Option(help="Show what was true at this time, ISO 8601.")]
ResultSort = Annotated[
    str,
    typer.Option(
        "--sort",
        help=f"Order: {listed(RESULT_ORDERS)}; time is the earliest first.",
        autocompletion=completing(RESULT_ORDERS),
    ),
]
MinRelevance = Annotated[float | None, typer.Option(help="Least relevance of a result, 0 to 1.")]
Counted = Annotated[bool, typer.Option(help="Count each result as used, unless of the past.")]
KnownAt = Annotated[str | None, typer.Option(help="Show what was stored at this time, ISO 8601.")]

Id = Annotated[str, typer.Argument(help="Id of the memory, or its first characters.")]
Type = Annotated[
    str | None,
    typer.Option("--type", help=f"Type: {listed(TYPES)}.", autocompletion=completing(TYPES)),
]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="Tag; repeatable.")]
Importance = Annotated[
    float | None, typer.Option(help="Importance, 1 to 10; other numbers become the nearest.")
]
Stability = Annotated[int | None, typer.Option(help="Stability, 1 volatile to 5 permanent.")]
Confidence = Annotated[float | None, typer.Option(help="Confidence, 0 to 1.")]
Parent = Annotated[str | None, typer.Option("--parent", help="Id of the parent memory.")]
Metadata = Annotated[str | None, typer.Option(help="Metadata, a JSON object.")]
Attach = Annotated[
    list[str] | None,
    typer.Option("--attach", help="File or URI to refer to; it is not stored; repeatable."),
]


@command(app, example="add 'Ada prefers green tea' --type preference --tag ada")
async def add(
    content: Annotated[str, typer.Argument(help="Text to store; - reads stdin.")],
    memory_type: Type = None,
    tags: Tags = None,
    importance: Importance = None,
    stability: Stability = None,
    confidence: Confidence = None,
    metadata: Metadata = None,
    attachments: Attach = None,
    title: Annotated[str | None, typer.Option(help="Title; default: the first words.")] = None,
    project_id: Project = None,
    parent_id: Parent = None,
    conversation_id: Annotated[
        str | None,
        typer.Option("--conversation", help="Id of the conversation that the memory continues."),
    ] = None,
    valid_at: Annotated[
        str | None, typer.Option(help="Start of truth, ISO 8601; default: --created-at.")
    ] = None,
    created_at: Annotated[
        str | None, typer.Option(help="Time of creation, ISO 8601; default: now.")
    ] = None,
    memory_id: Annotated[
        str | None, typer.Option("--id", help="Id of the memory; default: a new one.")
    ] = None,
) -> None:
    """Store a memory."""
    details: dict[str, Any] = {
        "memory_type": memory_type,
        "tags": tags,
        "importance": importance,
        "stability": stability,
        "confidence": confidence,
        "metadata": parsed(metadata),
        "attachments": referred(attachments),
        "title": title,
        "project_id": project_id,
        "parent_id": parent_id,
        "conversation_id": conversation_id,
        "valid_at": valid_at,
        "created_at": created_at,
        "memory_id": memory_id,
    }
    given = {name: value for name, value in details.items() if value is not None}
    async with opened("Storing…", model=True) as memory:
        if parent_id is not None:
            (given["parent_id"],) = await whole_ids(memory, [parent_id])
        stored = await memory.add(_text(content), **given)
    _show_added(stored)
    _note_clamped(importance, stored.importance)


@command(app, example="update 7c0e4a52 --importance 8")
async def update(
    memory_id: Id,
    content: Annotated[str | None, typer.Argument(help="New text; - reads stdin.")] = None,
    supersede_part: Annotated[
        str | None,
        typer.Option(help="Exact words of the content to drop, or to replace by the new text."),
    ] = None,
    memory_type: Type = None,
    tags: Tags = None,
    importance: Importance = None,
    stability: Stability = None,
    confidence: Confidence = None,
    metadata: Metadata = None,
    attachments: Attach = None,
    title: Annotated[str | None, typer.Option(help="New title.")] = None,
    project_id: Project = None,
    parent_id: Parent = None,
    decay_policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            help=f"Decay policy: {listed(POLICIES)}, or one of your own.",
            autocompletion=complete_policy,
        ),
    ] = None,
    decay_rate: Annotated[
        float | None, typer.Option(help="Decay rate per day, for the policy adaptive.")
    ] = None,
    clear: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Field to empty: {listed(CLEARABLE)}; repeatable.",
            autocompletion=completing(CLEARABLE),
        ),
    ] = None,
) -> None:
    """Change a memory. Keep its earlier text as a version; replace its tags and attachments."""
    files, text = referred(attachments), None if content is None else _text(content)
    rewrites = text is not None or supersede_part is not None
    async with opened("Storing…", model=rewrites) as memory:
        (memory_id,) = await whole_ids(memory, [memory_id])
        if parent_id is not None:
            (parent_id,) = await whole_ids(memory, [parent_id])
        changed, _ = await memory.update(
            memory_id,
            content=text,
            supersede_part=supersede_part,
            memory_type=unchecked(memory_type),
            tags=tags,
            importance=importance,
            stability=stability,
            confidence=confidence,
            metadata=parsed(metadata),
            attachments=files,
            title=title,
            project_id=project_id,
            parent_id=parent_id,
            decay_policy=decay_policy,
            decay_rate=decay_rate,
            clear=unchecked(clear or ()),
        )
    if text is not None and text.strip() not in changed.content:
        note("Secrets are stored as their kinds only; see the content.")
    show_fields(as_mapping(changed))
    _note_clamped(importance, changed.importance)


@command(app, example="touch 7c0e4a52")
async def touch(
    memory_id: Id,
    session_id: Annotated[
        str | None,
        typer.Option("--session", help="Session id of the conversation that used the memory."),
    ] = None,
) -> None:
    """Count an access to a memory, so that it fades later."""
    async with opened() as memory:
        (memory_id,) = await whole_ids(memory, [memory_id])
        touched = await memory.touch(memory_id, session_id=session_id)
    show_fields({"memory_id": memory_id, "state": touched.state, "hint": touched.hint})


@command(app, example="search 'what does Ada drink?' --limit 5")
async def search(
    query: Annotated[str, typer.Argument(help="Question, or any text.")],
    limit: Annotated[int, typer.Option(help="Maximum number of results, 1 to 50.")] = 10,
    profile: Profile = "recall",
    min_relevance: MinRelevance = None,
    counted: Counted = True,
    sort: ResultSort = "score",
    memory_types: Types = None,
    tags: AnyTags = None,
    states: States = None,
    date_from: Since = None,
    date_to: Until = None,
    project_id: Project = None,
    min_authority: MinAuthority = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """Find the memories that answer a question, best first."""
    async with opened("Searching…", model=True) as memory:
        found = await memory.search(
            query,
            limit=limit,
            profile=unchecked(profile),
            min_relevance=min_relevance or 0.0,
            counted=counted,
            sort=unchecked(sort),
            memory_types=unchecked(memory_types),
            tags=tags,
            states=unchecked(states),
            date_from=date_from,
            date_to=date_to,
            project_id=project_id,
            min_authority=unchecked(min_authority),
            as_of=as_of,
            known_at=known_at,
        )
    answer = {"results": results(found), **vars(found)}
    show(answer, ("score", "relevance", *_COLUMNS), map(_hit, found))
    note_known(found)


@command(app, example="get 7c0e4a52")
async def get(
    memory_id: Id, counted: Counted = False, as_of: AsOf = None, known_at: KnownAt = None
) -> None:
    """Show a memory and its relations."""
    async with opened() as memory:
        (memory_id,) = await whole_ids(memory, [memory_id])
        found = await memory.get(memory_id, counted=counted, as_of=as_of, known_at=known_at)
        relations = await memory.relations.list(memory_id, as_of=as_of, known_at=known_at)
    fields = as_mapping(found)
    links = (("relation", _described(r)) for r in relations)
    show({**fields, "relations": relations}, ("", ""), [*fields.items(), *links])


def _described(relation: "Relation") -> str:
    """Return a relation as text, with its strength if that was learned."""
    text = f"{relation.from_id} {relation.relation_type} {relation.to_id}"
    learned = relation.learned
    if learned is None:
        return text
    return (
        f"{text} (strength {relation.strength:g}, given {learned.given_strength:g}, "
        f"uses: {learned.uses}, last on {learned.last_used_at:%Y-%m-%d})"
    )


@command(app, "list", example="list --sort created_at --type fact")
async def list_memories(
    sort: Annotated[
        str, typer.Option(help=f"Order: {listed(SORTS)}.", autocompletion=completing(SORTS))
    ] = "importance",
    limit: Annotated[int, typer.Option(help="Maximum number of results, 1 to 50.")] = 20,
    cursor: Annotated[
        str | None, typer.Option(help="Cursor: `next_cursor` of the previous page.")
    ] = None,
    counted: Counted = False,
    memory_types: Types = None,
    tags: AnyTags = None,
    states: States = None,
    date_from: Since = None,
    date_to: Until = None,
    project_id: Project = None,
    min_authority: MinAuthority = None,
    as_of: AsOf = None,
    known_at: KnownAt = None,
) -> None:
    """List memories in pages, the most important or the newest first."""
    filters: dict[str, Any] = {
        "memory_types": memory_types,
        "tags": tags,
        "states": states,
        "date_from": date_from,
        "date_to": date_to,
        "project_id": project_id,
        "min_authority": min_authority,
        "as_of": as_of,
        "known_at": known_at,
    }
    total = None
    async with opened() as memory:
        page = await memory.list(
            sort=unchecked(sort), limit=limit, cursor=cursor, counted=counted, **filters
        )
        if page.next_cursor and sys.stdout.isatty() and not request().as_json:
            total = await memory.count(**filters)
    answer = {"results": page.memories, "next_cursor": page.next_cursor}
    show(answer, _COLUMNS, map(_row, page.memories))
    if total is not None:
        note(f"{len(page.memories)} of {total:,}; next: --cursor {page.next_cursor}")


def results(found: Sequence["FoundMemory"]) -> list[dict[str, Any]]:
    """Return found memories for JSON, each with its scores beside the fields of the memory."""
    return [
        {**as_mapping(hit.memory), **{k: v for k, v in as_mapping(hit).items() if k != "memory"}}
        for hit in found
    ]


def note_known(found: "SearchResults | Retrieved") -> None:
    """Print a note if the answer is doubtful or memories were left out; JSON has the fields."""
    if request().as_json:
        return
    if found.known and found.known != "yes":
        note(f"Known: {found.known}. {found.known_reason}")
    if found.left_out:
        note(f"{found.left_out} less relevant results were left out; see --min-relevance.")


def _show_added(stored: "AddedMemory") -> None:
    """Print a new memory, with notes on masked secrets and on what it may contradict."""
    fields = as_mapping(stored)
    if not request().as_json:
        _note_masked(fields.pop("masked"))
        for conflict in fields.pop("possible_conflicts"):
            note(str(conflict))
    show_fields(fields)


def _note_masked(kinds: "Sequence[str]") -> None:
    """Print a note if a text contained secrets."""
    if kinds:
        named = ", ".join(kinds)
        note(f"Secrets are stored as their kinds only: {named}.")


def _note_clamped(given: float | None, stored: float) -> None:
    """Print a note if an importance outside the range became the nearest number in it."""
    if given is not None and given != stored:
        note(f"--importance {given:g} was stored as {stored:g}: it is from 1 to 10.")


_COLUMNS = ("id", "type", "importance", "created", "content")


def _row(memory: "Memory") -> tuple[object, ...]:
    return (
        memory.memory_id,
        memory.memory_type,
        memory.importance,
        memory.created_at,
        memory.content,
    )


def _hit(hit: "FoundMemory") -> tuple[object, ...]:
    *properties, content = _row(hit.memory)
    text = hit.passage.text if hit.passage else content
    return (hit.score, hit.relevance, *properties, text)


def _text(content: str) -> str:
    return sys.stdin.read() if content == "-" else content


def parsed(metadata: str | None) -> Any:
    """Return the JSON value of `--metadata`. The API checks that it is an object."""
    try:
        return None if metadata is None else json.loads(metadata)
    except ValueError as error:
        raise typer.BadParameter(
            f"--metadata={metadata!r:.80} is not valid JSON ({error}); give an object in quotes."
        ) from error
