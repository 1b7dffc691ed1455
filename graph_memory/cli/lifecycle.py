"""Commands for the lifecycle: decay-status, preserve, obsolete, recover, scan, forecast."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import command, note, opened, request, whole_ids
from graph_memory.cli.completion import complete_policy
from graph_memory.cli.memories import Id
from graph_memory.cli.output import as_mapping, show, show_fields
from graph_memory.cli.output_file import replacing, require_drawable
from graph_memory.cli.values import POLICIES, listed

if TYPE_CHECKING:
    from graph_memory.api.types import Event
    from graph_memory.domain.models import Relation

app = typer.Typer()


@command(app, "decay-status", example="decay-status 7c0e4a52")
async def decay_status(memory_id: Id) -> None:
    """Explain the decay of a memory: its score, the reasons, and the dates ahead."""
    from graph_memory.api.types import describe_status

    async with opened() as memory:
        (memory_id,) = await whole_ids(memory, [memory_id])
        found = await memory.lifecycle.status(memory_id)
        rules = memory.lifecycle.rules_hash()
    fields = {**as_mapping(found), "retention": found.retention, "rules": rules}
    show_fields({"explanation": describe_status(found), **fields})


@command(app, example="why 7c0e4a52")
async def why(memory_id: Id) -> None:
    """Explain a memory: the origins of its texts and relations, its state, and what changed it."""
    from graph_memory.api.types import describe_status

    async with opened() as memory:
        (memory_id,) = await whole_ids(memory, [memory_id])
        texts = await memory.lifecycle.origins(memory_id)
        relations = await memory.relations.list(memory_id)
        status = await memory.lifecycle.status(memory_id)
        events = await memory.lifecycle.history(memory_id)
    explanation = describe_status(status)
    answer = {
        "memory_id": memory_id,
        "texts": texts,
        "relations": relations,
        "state": status.state,
    }
    rows = [
        ("memory", memory_id),
        *(("origin", str(each)) for each in texts),
        *(("relation", _sourced(each)) for each in relations if each.origin),
        ("state", explanation),
        *((f"{event.at:%Y-%m-%d %H:%M}", _event(event)) for event in events),
    ]
    show({**answer, "explanation": explanation, "events": events}, ("", ""), rows)


def _sourced(relation: "Relation") -> str:
    """Return a relation as text, with its origin."""
    named = f"{relation.from_id} {relation.relation_type} {relation.to_id}"
    return f"{named} {relation.origin.sentence()}" if relation.origin else named


def _event(event: "Event") -> str:
    """Return an event as text, with its cause."""
    detail = f": {event.detail}" if event.detail else ""
    by = f" ({event.by})" if event.by and event.kind != "changed" else ""
    return f"{event.kind}{detail}{by}"


@command(app, example="preserve 7c0e4a52 --until 2027-01-01")
async def preserve(
    memory_id: Id,
    until: Annotated[
        str | None, typer.Option(help="End of the protection, ISO 8601; default: never.")
    ] = None,
    release: Annotated[bool, typer.Option("--release", help="End the protection.")] = False,
) -> None:
    """Protect a memory from decay, permanently or until a date."""
    from graph_memory.api.types import describe_next_changes

    async with opened() as memory:
        (memory_id,) = await whole_ids(memory, [memory_id])
        kept = await memory.lifecycle.preserve(memory_id, until=until, release=release)
    show_fields(
        {
            "memory_id": kept.memory_id,
            "state": kept.state,
            "decay_score": kept.decay_score,
            "protection": kept.protection,
            "preserve_until": kept.preserve_until,
            "next_changes": as_mapping(kept)["next_changes"]
            if request().as_json
            else describe_next_changes(kept),
        }
    )


@command(app, example="obsolete 7c0e4a52 'the office has moved'")
async def obsolete(
    memory_id: Id,
    reason: Annotated[str, typer.Argument(help="Reason, shown in the history.")],
    superseded_by: Annotated[
        str | None,
        typer.Option(help="Id of the memory that replaces it, or its first characters."),
    ] = None,
) -> None:
    """Expire a memory that is no longer true. Searches omit it; --as-of still finds it."""
    async with opened() as memory:
        (memory_id,) = await whole_ids(memory, [memory_id])
        if superseded_by is not None:
            (superseded_by,) = await whole_ids(memory, [superseded_by])
        marked = await memory.lifecycle.mark_obsolete(
            memory_id, reason, superseded_by=superseded_by
        )
    show_fields(as_mapping(marked))


@command(app, example="recover 7c0e4a52")
async def recover(memory_id: Id) -> None:
    """Restore a deleted memory with its relations."""
    async with opened() as memory:
        (memory_id,) = await whole_ids(memory, [memory_id])
        show_fields(as_mapping(await memory.lifecycle.recover(memory_id)))


@command(app, "scan", example="scan --project tea")
async def scan_confidence(
    memory_ids: Annotated[
        list[str] | None, typer.Argument(help="Ids of the memories; default: all.")
    ] = None,
    project_id: Annotated[
        str | None, typer.Option("--project", help="Project id; default: all.")
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="Change the memories instead of only listing them.")
    ] = False,
) -> None:
    """List memories that were unused for long, and lower their confidence with --apply."""
    async with opened() as memory:
        report = await memory.lifecycle.scan_confidence(
            await whole_ids(memory, memory_ids or ()) or None,
            project_id=project_id,
            dry_run=not apply,
        )
    columns = ("id", "kind", "reason", "confidence", "proposed", "idle days")
    rows = (
        (a.memory_id, a.kind, a.reason, a.current_confidence, a.proposed_confidence, a.age_days)
        for a in report.actions
    )
    show(report, columns, rows)


@command(app, example="forecast --days 90 --plot forecast.svg")
async def forecast(
    days: Annotated[float, typer.Option(help="Length of the forecast in days.")] = 365.0,
    points: Annotated[int, typer.Option(help="Number of intervals.")] = 12,
    now: Annotated[str | None, typer.Option(help="Start, ISO 8601; default: now.")] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            help=f"Decay policy to assume: {listed(POLICIES)}, or a .cypher file.",
            autocompletion=complete_policy,
        ),
    ] = None,
    numbers: Annotated[
        list[str] | None,
        typer.Option("--set", help="Decay setting to assume, as key=value; repeatable."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Plot file to write: .png, .svg or .pdf.")
    ] = None,
) -> None:
    """Forecast the number of memories in each state, and the first to be forgotten."""
    require_drawable(plot)
    async with opened() as memory:
        forecasted = await memory.lifecycle.forecast(
            days=days, points=points, now=now, policy=policy, numbers=assignments(numbers)
        )
    rows = [(p.at, *p.states.values(), bar(list(p.states.values()))) for p in forecasted.points]
    show(forecasted, ("at", *forecasted.points[0].states, ""), rows)
    if not request().as_json:
        for lost in forecasted.first_lost:
            note(f"Forgotten {lost.lost_at:%Y-%m-%d}: {lost.memory_id} {lost.lead}")
    if plot:
        from graph_memory.reporting.plots import plot_forecast

        with replacing(plot) as path:
            plot_forecast(forecasted, path)


def assignments(given: list[str] | None) -> dict[str, str]:
    """Return `key=value` arguments by key."""
    for each in given or ():
        if "=" not in each:
            raise typer.BadParameter(f"--set takes key=value, not {each!r}")
    pairs = [each.split("=", 1) for each in given or ()]
    return {name.strip(): value for name, value in pairs}


_BAR_CHARACTERS = 30
_SHADES = "█▓▒░· "


def bar(counts: list[int]) -> str:
    """Return a bar of shades, in which each count has its share; the darkest is ACTIVE."""
    total = sum(counts) or 1
    ends = [round(_BAR_CHARACTERS * sum(counts[: i + 1]) / total) for i in range(len(counts))]
    return "".join(
        shade * (end - begin) for shade, begin, end in zip(_SHADES, [0, *ends], ends, strict=False)
    )
