"""Maintenance of groups on several servers: a run on each, and one report.

The runs on all servers have the same id, so that one undo takes all of them back. A server that
does not answer fails the call, but only after the runs of the others have ended.
"""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from graph_memory.context import Context
from graph_memory.database import lease
from graph_memory.database.lease import LeaseState
from graph_memory.decay.protected import Protected
from graph_memory.maintenance import records
from graph_memory.maintenance.at_once import at_once
from graph_memory.maintenance.dry_run import Overrides, simulate
from graph_memory.maintenance.records import Counts, Pause, Run
from graph_memory.maintenance.report import MaintenanceReport
from graph_memory.maintenance.request import Progress, RunRequest
from graph_memory.maintenance.run import maintain
from graph_memory.maintenance.stages import count_due
from graph_memory.maintenance.undo import LISTED, UndoReport, undo
from graph_memory.memories.classification import QueueReport, process_queue

#: Runs that a status lists, the latest first.
_RUNS = 10


async def maintain_all(
    context: Context, request: RunRequest, on_progress: Progress
) -> MaintenanceReport:
    """Run maintenance on the servers of the groups; arguments and errors as in `maintain`."""
    parts = _parts(context, request)
    if len(parts) == 1:
        return await maintain(*parts[0], on_progress)
    # A server that did not answer when runs were paused has no record of the pause.
    await records.refuse_if_paused(context.graph)
    run_id = str(uuid.uuid4())

    def progress(done: int, of: int | None) -> None:
        """Report what is done; no server knows the number of all memories."""
        on_progress(done, None)

    return _merged(await at_once(parts, lambda part: maintain(*part, progress, run_id)))


async def simulate_all(
    context: Context, request: RunRequest, overrides: Overrides
) -> MaintenanceReport:
    """Return the report that a run on the servers of the groups would have."""
    parts = _parts(context, request)
    return _merged(await at_once(parts, lambda part: simulate(*part, overrides)))


def _parts(context: Context, request: RunRequest) -> list[tuple[Context, RunRequest]]:
    """Return the servers of a run, each with the request for its groups.

    A run holds the lease that a move of a group needs, so a move that was killed does not stop it.
    """
    servers = context.servers
    if len(servers) > 1:
        servers = [each.on(each.graph.unguarded()) for each in servers]
    if request.groups is None or len(servers) == 1:
        return [(each, request) for each in servers]
    on = {each.graph.name: list[str]() for each in servers}
    for group_id in request.groups:
        on[context.of(group_id).graph.name].append(group_id)
    chosen = [each for each in servers if on[each.graph.name]]
    return [(each, replace(request, groups=tuple(on[each.graph.name]))) for each in chosen]


#: The fields of a report that are sums over the servers, and those that are lists of all.
_SUMS = tuple(each.name for each in fields(Counts))
_LISTS = ("resumed", "failed", "would_go_first", "unfinished", "would_learn", "weights")


def _merged(reports: Sequence[MaintenanceReport]) -> MaintenanceReport:
    """Return the reports of all servers as one."""
    first = reports[0]
    if len(reports) == 1:
        return first
    transitioned = Counter[str]()
    for each in reports:
        transitioned.update(each.transitioned)
    changed: dict[str, Any] = {
        **{name: sum(getattr(each, name) for each in reports) for name in _SUMS},
        **{name: [one for each in reports for one in getattr(each, name)] for name in _LISTS},
        "transitioned": dict(sorted(transitioned.items())),
        "duration_seconds": max(each.duration_seconds for each in reports),
        "completed": all(each.completed for each in reports),
        "full": any(each.full for each in reports),
        "truncated": any(each.truncated for each in reports),
        "paused": any(each.paused for each in reports),
        "protected": _protected([each.protected for each in reports]),
        "groups": _groups(reports),
    }
    return replace(first, **changed)


def _protected(found: Sequence[Protected]) -> Protected:
    return Protected(
        found[0].tags,
        by_tag=sum(each.by_tag for each in found),
        by_importance=sum(each.by_importance for each in found),
        until_date=sum(each.until_date for each in found),
        ended=sum(each.ended for each in found),
    )


def _groups(reports: Iterable[MaintenanceReport]) -> list[str] | None:
    groups = set[str]()
    for each in reports:
        if each.groups is None:
            return None
        groups.update(each.groups)
    return sorted(groups)


async def undo_all(
    context: Context, run_id: str, *, group_id: str | None, now: datetime
) -> UndoReport:
    """Undo a run on each server that has it; arguments and errors as in `undo`.

    The beginning of an id is enough.

    Raises:
        AmbiguousIdError: Several runs have ids that begin so.
    """
    servers = context.servers if group_id is None else [context.of(group_id)]
    graphs = [each.graph for each in servers]
    given = {"run_id": run_id}
    run_id = (await records.complete_ids(graphs, given, group_id=group_id))["run_id"]
    if len(servers) > 1:
        found = [await records.find(each.graph, run_id) for each in servers]
        having = [each for each, run in zip(servers, found, strict=True) if run]
        standing = [
            each for each, run in zip(servers, found, strict=True) if run and run.status != "undone"
        ]
        servers = standing or having[:1] or servers[:1]
    undone = [
        await undo(each.graph, each.settings, run_id, group_id=group_id, now=now)
        for each in servers
    ]
    return _undone(undone)


def _undone(reports: Sequence[UndoReport]) -> UndoReport:
    whole, *others = reports
    for each in others:
        whole.restored += each.restored
        whole.unlearned += each.unlearned
        whole.held += each.held
        whole.refused += each.refused
        whole.refusals = [*whole.refusals, *each.refusals][:LISTED]
    return whole


async def classify_all(
    context: Context, *, groups: Sequence[str] | None, budget: int | None
) -> QueueReport:
    """Rate waiting memories on the servers of the groups, within one budget."""
    left = context.settings.classification_budget if budget is None else budget
    reports: list[QueueReport] = []
    for each in context.servers:
        own = groups and [one for one in groups if context.of(one).graph is each.graph]
        if groups is not None and not own:
            continue
        now = context.clock()
        done = await process_queue(each.engine, context.chat, groups=own, now=now, budget=left)
        left -= done.classified + done.unrated
        reports.append(done)
    return _rated(reports)


def _rated(reports: Sequence[QueueReport]) -> QueueReport:
    if len(reports) == 1:
        return reports[0]
    return QueueReport(
        classified=sum(each.classified for each in reports),
        unrated=sum(each.unrated for each in reports),
        pending=sum(each.pending for each in reports),
        fallback_share=max((each.fallback_share for each in reports), default=0.0),
        error=next((each.error for each in reports if each.error), None),
    )


async def pause_all(context: Context, reason: str) -> Pause | None:
    """Pause runs on all servers, and return the pause of the configured database."""
    done = await at_once(context.servers, lambda each: records.pause(each.graph, reason))
    return done[0]


async def resume_all(context: Context) -> Pause | None:
    """Let runs start again on all servers, and return the pause that ends."""
    done = await at_once(context.servers, lambda each: records.resume(each.graph))
    return next(filter(None, done), None)


async def running(context: Context) -> LeaseState | None:
    """Return the run in progress on any server."""
    found = await at_once(context.servers, lambda each: lease.lease_state(each.graph))
    return next(filter(None, found), None)


async def due(context: Context, now: datetime) -> int:
    """Count the memories of all servers with a transition that is due."""
    return sum(await at_once(context.servers, lambda each: count_due(each.graph, now)))


async def latest_runs(context: Context) -> list[Run]:
    """List the latest runs; a run on several servers is one, with the sums of its counts."""
    by_id: dict[str, Run] = {}
    for runs in await at_once(context.servers, lambda each: records.runs(each.graph)):
        for run in runs:
            known = by_id.get(run.run_id)
            by_id[run.run_id] = _both(known, run) if known else run
    latest = sorted(by_id.values(), key=lambda run: run.started_at, reverse=True)
    return latest[:_RUNS]


def _both(run: Run, other: Run) -> Run:
    """Return a run on two servers as one; what has not ended on one has not ended."""
    unended = next((each for each in (run, other) if each.status not in ("done", "undone")), other)
    return replace(
        run,
        status=unended.status,
        counts=Counts(**{name: _sum(run.counts, other.counts, name) for name in _SUMS}),
        transitioned=_added(run.transitioned, other.transitioned),
        failed=[*run.failed, *other.failed],
        duration_seconds=max(run.duration_seconds, other.duration_seconds),
        truncated=run.truncated or other.truncated,
    )


def _sum(some: Counts, others: Counts, name: str) -> int:
    return getattr(some, name) + getattr(others, name)


def _added(some: Mapping[str, int], others: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted((Counter(some) + Counter(others)).items()))
