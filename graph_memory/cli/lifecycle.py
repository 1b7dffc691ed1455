"""Commands on how memories fade: status, preserve, recover, scan."""

from typing import Annotated

import typer

from graph_memory.cli.command import command, opened
from graph_memory.cli.output import as_mapping, show, show_fields

app = typer.Typer()

Id = Annotated[str, typer.Argument(help="Id of a memory.")]


@command(app, "decay-status")
async def decay_status(memory_id: Id) -> None:
    """Explain how far a memory has faded, and what will become of it and when."""
    from graph_memory.fading import explained

    async with opened() as memory:
        found = await memory.decay_status(memory_id)
        rules = memory.decay_rules()
    fields = {**as_mapping(found), "retention": found.retention, "rules": rules}
    show_fields({"explanation": explained(found), **fields})


@command(app)
async def preserve(
    memory_id: Id,
    until: Annotated[str | None, typer.Option(help="Last day or instant, ISO 8601.")] = None,
    release: Annotated[bool, typer.Option("--release", help="Let it fade again.")] = False,
) -> None:
    """Keep a memory from fading, for good or until a date."""
    async with opened() as memory:
        kept = await memory.preserve(memory_id, until=until, release=release)
    show_fields(
        {
            "memory_id": kept.memory_id,
            "state": kept.state,
            "decay_score": kept.decay_score,
            "protection": kept.protection,
            "preserve_until": kept.preserve_until,
        }
    )


@command(app)
async def recover(memory_id: Id) -> None:
    """Take back a deletion, relations included."""
    async with opened() as memory:
        show_fields(as_mapping(await memory.recover(memory_id)))


@command(app, "scan")
async def scan_confidence(
    memory_ids: Annotated[list[str] | None, typer.Argument(help="Only these.")] = None,
    project_id: Annotated[str | None, typer.Option("--project", help="Only its.")] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Change them, not only tell.")] = False,
) -> None:
    """Lower the confidence of memories unused for long, or tell which; see --apply."""
    async with opened() as memory:
        report = await memory.scan_confidence(
            memory_ids or None, project_id=project_id, dry_run=not apply
        )
    columns = ("id", "kind", "reason", "confidence", "proposed", "idle days")
    rows = (
        (a.memory_id, a.kind, a.reason, a.current_confidence, a.proposed_confidence, a.age_days)
        for a in report.actions
    )
    show(report, columns, rows)
