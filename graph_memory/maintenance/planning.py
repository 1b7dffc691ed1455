"""The plan of a maintenance run: its extent, its instant, and the earlier runs to finish first."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from graph_memory.context import Context
from graph_memory.domain.timestamps import instant
from graph_memory.maintenance import records
from graph_memory.maintenance.records import Run
from graph_memory.maintenance.request import RunRequest, Stage

#: The most recorded runs that a plan looks at, the latest first.
_REMEMBERED = 1000


async def new_run(
    context: Context, request: RunRequest, rules: str, run_id: str | None = None
) -> Run:
    """Return the record of a requested run before it begins.

    If some memories may have been scheduled by other rules, the run treats every memory.

    Args:
        context: The context, with the database, settings and clock.
        request: The options that the caller gave.
        rules: The hash of the present rules.
        run_id: The id of the run; None for a new one.
    """
    settings, canary = context.settings, request.canary_percent
    run = Run(
        run_id=run_id or str(uuid.uuid4()),
        now=context.clock(),
        started_at=datetime.now(UTC),
        status="running",
        stages=request.stages_to_run(settings),
        groups=request.groups_to_treat(settings),
        canary=settings.decay_canary_percent if canary is None else canary,
        full=request.full,
        rules=rules,
        policy=settings.decay_policy,
    )
    earlier = await _earlier_runs(context, run)
    if _rules_changed(run, earlier) or await records.scheduled_by_other_rules(context.graph, run):
        run.full, run.now = True, _free_instant(run, earlier)
    return run


async def unfinished_runs(context: Context, rules: str) -> list[Run]:
    """Return the runs to finish, the oldest first.

    A run that began under other rules cannot be finished, and is marked as failed.
    """
    found = await _left(context)
    for run in found:
        if run.rules != rules:
            await records.mark(context.graph, run.run_id, "failed")
    return [run for run in found if run.rules == rules]


async def runs_to_finish(context: Context, rules: str) -> list[Run]:
    """Return what `unfinished_runs` returns, for a dry run: only the stages left of each run."""
    return [
        replace(run, stages=[stage for stage in run.stages if stage not in run.stages_done])
        for run in await _left(context)
        if run.rules == rules
    ]


async def _left(context: Context) -> list[Run]:
    """Return the runs that have not ended, the oldest first, if the caller may use their groups."""
    found = [
        run
        for status in ("running", "stopped")
        for run in await records.runs(context.graph, status, _REMEMBERED)
        if _covers(context.grant.groups, run.groups)
    ]
    return sorted(found, key=lambda run: run.started_at)


def common_groups(some: Sequence[str] | None, others: Sequence[str] | None) -> list[str] | None:
    """Return the groups of two sets; None stands for all groups."""
    if some is None or others is None:
        both = others if some is None else some
        return None if both is None else list(both)
    return sorted(set(some) & set(others))


async def _earlier_runs(context: Context, run: Run) -> list[Run]:
    """Return the earlier runs that may have treated memories of a run, the latest first."""
    found = await records.runs(context.graph, limit=_REMEMBERED)
    return [
        earlier
        for earlier in found
        if Stage.DECAY in earlier.stages and not _disjoint(run.groups, earlier.groups)
    ]


def _rules_changed(run: Run, earlier: list[Run]) -> bool:
    """Check whether some memories of a run were last treated by other rules, or never.

    A run that stopped early, or was undone, does not change the rules of a memory. But a full run
    that failed has treated only some memories by its rules.
    """
    for one in earlier:
        if one.rules != run.rules or (one.full and one.status == "failed"):
            return True
        if (
            one.status in ("done", "undone")
            and one.canary >= run.canary
            and _covers(one.groups, run.groups)
        ):
            return False
    return True


def _free_instant(run: Run, earlier: list[Run]) -> datetime:
    """Return the first instant from the run's on that no run of other rules had.

    A run skips the memories that were treated at its own instant.
    """
    now, taken = run.now, {instant(one.now) for one in earlier if one.rules != run.rules}
    while instant(now) in taken:
        now += timedelta(milliseconds=1)
    return now


def _disjoint(some: Sequence[str] | None, others: Sequence[str] | None) -> bool:
    """Check that two sets of groups have none in common; None stands for all groups."""
    return some is not None and others is not None and not set(some) & set(others)


def _covers(some: Sequence[str] | None, others: Sequence[str] | None) -> bool:
    """Check that a set of groups contains another; None stands for all groups."""
    return some is None or (others is not None and set(others) <= set(some))
