"""Commands for maintenance: maintain, classify-queue, pause, resume, undo, status."""

from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from graph_memory.cli.command import command, note, opened, request
from graph_memory.cli.completion import complete_policy, completing
from graph_memory.cli.lifecycle import assignments
from graph_memory.cli.output import as_mapping, progress, show, show_fields
from graph_memory.cli.values import POLICIES, STAGES, listed
from graph_memory.errors import InvalidArgumentError

if TYPE_CHECKING:
    from graph_memory.api.types import MaintenanceReport

_PAUSED = 3
_TRUNCATED = 4

app = typer.Typer()


@command(app, example="maintain --dry-run")
async def maintain(
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Report what a run would do, and change nothing."),
    ] = False,
    now: Annotated[
        str | None, typer.Option(help="With --dry-run: time to assume, ISO 8601.")
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            help=f"With --dry-run: decay policy to assume: {listed(POLICIES)}, or a .cypher file.",
            autocompletion=complete_policy,
        ),
    ] = None,
    numbers: Annotated[
        list[str] | None,
        typer.Option("--set", help="With --dry-run: decay setting to assume, as key=value."),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Process memories that are not due, too.")
    ] = False,
    stages: Annotated[
        list[str] | None,
        typer.Option(
            "--stage",
            help=f"Stage to run: {listed(STAGES)}; repeatable; default: all.",
            autocompletion=completing(STAGES),
        ),
    ] = None,
    batch_size: Annotated[int | None, typer.Option(help="Memories per transaction.")] = None,
    concurrency: Annotated[int | None, typer.Option(help="Concurrent transactions.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Time limit in seconds.")] = None,
    canary_percent: Annotated[
        int | None, typer.Option(help="Share of the memories to process, in percent.")
    ] = None,
) -> None:
    """Run maintenance: update decay states, expire, purge and compress due memories.

    It processes all groups unless --group names one.

    Exit codes: 0 done, 1 failed, 3 paused, 4 stopped at the time limit, 5 another run holds the
    lock.
    """
    asked: dict[str, Any] = {
        "groups": [request().group] if request().group else None,
        "stages": stages or None,
        "full": full,
        "batch_size": batch_size,
        "concurrency": concurrency,
        "max_seconds": max_seconds,
        "canary_percent": canary_percent,
    }
    _refuse_assumptions(dry_run, {"--now": now, "--policy": policy, "--set": numbers})
    async with opened() as memory:
        if dry_run:
            report = await memory.maintenance.dry_run(
                now=now, policy=policy, numbers=assignments(numbers), **asked
            )
        else:
            with progress("Maintaining") as advance:
                report = await memory.maintenance.run(on_progress=advance, **asked)
    _print_report(report)
    if not report.completed:
        raise typer.Exit(_PAUSED if report.paused else _TRUNCATED)


@command(app, example="pause 'a backup is running'")
async def pause(
    reason: Annotated[
        str, typer.Argument(help="Reason, shown by `status` and `maintain`.")
    ] = "by hand",
) -> None:
    """Pause maintenance. A current run stops after its next batch."""
    async with opened() as memory:
        show_fields(as_mapping(await memory.maintenance.pause(reason)))


@command(app, example="resume")
async def resume() -> None:
    """Resume maintenance after a pause."""
    async with opened() as memory:
        was = await memory.maintenance.resume()
    show_fields({"resumed": was is not None, **(as_mapping(was) if was else {})})


@command(app, example="undo RUN_ID")
async def undo(
    run_id: Annotated[
        str, typer.Argument(help="Id of the maintenance run, or its first characters.")
    ],
) -> None:
    """Undo a maintenance run. Memories changed since then stay as they are."""
    async with opened() as memory:
        undone = await memory.maintenance.undo(run_id)
    for refusal in undone.refusals:
        note(f"{refusal.memory_id}: {refusal.reason}")
    rows = {
        "run_id": undone.run_id,
        "restored": undone.restored,
        "unlearned": undone.unlearned,
        "refused": undone.refused,
    }
    show(undone, ("", ""), rows.items())
    if not request().as_json:
        note(undone.explanation)


@command(app, "revoke-source", example="revoke-source --token 3f9c0a1b2d4e --dry-run")
async def revoke_source(
    token: Annotated[
        str | None,
        typer.Option(help="Id of a token, its name/id, or the subject of a JWT."),
    ] = None,
    run: Annotated[
        str | None, typer.Option(help="Id of a maintenance run, or its first characters.")
    ] = None,
    import_id: Annotated[
        str | None, typer.Option("--import", help="Id of an import, from its report.")
    ] = None,
    episode_id: Annotated[
        str | None,
        typer.Option("--episode", help="Id of the job of an episode, or its first characters."),
    ] = None,
    conversation_id: Annotated[
        str | None, typer.Option("--conversation", help="Id of a conversation.")
    ] = None,
    since: Annotated[str | None, typer.Option(help="Earliest time of a text, ISO 8601.")] = None,
    reason: Annotated[
        str, typer.Option(help="Reason, shown in the history.")
    ] = "its source was revoked",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Report what would be revoked, and stop.")
    ] = False,
) -> None:
    """Take back all memories and relations that came from a source, and what is below them.

    The memories are soft-deleted as one run, which `undo` takes back. All options must match.
    """
    async with opened() as memory:
        revoked = await memory.maintenance.revoke_source(
            reason,
            token=token,
            run=run,
            import_id=import_id,
            episode_id=episode_id,
            conversation_id=conversation_id,
            since=since,
            dry_run=dry_run,
        )
    rows = {
        "run_id": revoked.run_id,
        "would be deleted" if dry_run else "deleted": str(revoked.memories),
        "of which derived": str(revoked.derived),
        "relations": str(revoked.relations),
    }
    show(revoked, ("", ""), rows.items())
    if revoked.rewritten and not request().as_json:
        note(
            f"Earlier texts of {len(revoked.rewritten)} memories came another way; "
            "`graph-memory why ID` shows them."
        )


@command(app, example="status")
async def status() -> None:
    """Show maintenance: a pause, the current run, due memories and the latest runs."""
    async with opened() as memory:
        found = await memory.maintenance.status()
    if not request().as_json:
        if found.paused:
            note(f"Paused since {found.paused.since:%Y-%m-%d %H:%M}: {found.paused.reason}")
        if found.running:
            note(f"Running: {found.running.owner}")
        note(f"Due now: {found.due_now}; in a day: {found.due_in_a_day}")
    columns = ("run", "started", "status", "processed", "transitioned", "errors", "seconds")
    rows = (
        (
            run.run_id,
            run.started_at,
            run.status,
            run.counts.processed,
            run.transitioned,
            run.counts.errors,
            run.duration_seconds,
        )
        for run in found.runs
    )
    show(found, columns, rows)


@command(app, "classify-queue", example="classify-queue --budget 20")
async def classify_queue(
    budget: Annotated[
        int | None, typer.Option(help="Maximum number of memories to classify.")
    ] = None,
) -> None:
    """Rate waiting memories by the language model, in all groups unless --group names one."""
    groups = [group] if (group := request().group) else None
    async with opened() as memory:
        report = await memory.maintenance.classify(budget=budget, groups=groups)
    if report.error and not request().as_json:
        note(report.error)
    show_fields(as_mapping(report))
    if report.error:
        raise typer.Exit(1)


#: Fields of a report that its line leaves out.
_NOT_IN_LINE = (
    "failed",
    "would_go_first",
    "stages",
    "resumed",
    "paused",
    "truncated",
    "unfinished",
    "would_learn",
    "weights",
)


def _refuse_assumptions(dry_run: bool, given: dict[str, object]) -> None:
    for option, value in given.items():
        if value is not None and not dry_run:
            raise InvalidArgumentError(
                option, value, "a run uses the clock and the settings; add --dry-run"
            )


def _print_report(report: "MaintenanceReport") -> None:
    """Print a report: one line for the log of a cron job, and notes on failures."""
    if not request().as_json:
        for failure in report.failed:
            note(f"{failure.memory_id}: {failure.reason}")
        for left in report.unfinished:
            note(left.explanation)
        for change in (*report.would_learn, *report.weights):
            was = "" if change.was is None else f"{change.was} > "
            note(f"{change.stage}: {change.memory_id} {was}{change.becomes}: {change.reason}")
    if report.warning:
        note(report.warning)
    shown = {name: value for name, value in as_mapping(report).items() if name not in _NOT_IN_LINE}
    shown["groups"] = ",".join(report.groups or ())
    counts = as_mapping(shown.pop("protected"))
    shown["protecting_tags"] = ",".join(counts.pop("tags"))
    shown["protected"] = counts
    if report.dry_run:
        columns = ("memory", "lead", "was", "becomes", "score")
        rows = [list(as_mapping(candidate).values()) for candidate in report.would_go_first]
        if not request().as_json:
            note(_line(shown))
        show(report, columns, rows)
    else:
        show(report, ("",), [[_line(shown)]])


def _line(fields: dict[str, Any]) -> str:
    return " ".join(f"{name}={_word(value)}" for name, value in fields.items() if value)


def _word(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{k}:{v}" for k, v in cast(dict[str, int], value).items())
    return f"{value:%Y-%m-%dT%H:%M:%SZ}" if hasattr(value, "tzinfo") else str(value)
