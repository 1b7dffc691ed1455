"""A maintenance run: hold the lease, finish earlier runs, run the stages, and record the result.

A run counts all idle times up to one instant. It works in batches, the most overdue memories first.
After each batch it stops if maintenance is paused or its time is over. The next call finishes a run
that stopped or was killed, at the instant at which that run began. Then it begins its own run,
without the memories that the finished run moved: each call moves a memory by one step at most.
"""

import logging
from collections.abc import Sequence

from graph_memory.context import Context
from graph_memory.database.lease import Lease
from graph_memory.decay import policies
from graph_memory.decay.protected import count_protected
from graph_memory.errors import GraphUnavailableError
from graph_memory.maintenance import records, totals
from graph_memory.maintenance.planning import new_run, unfinished_runs
from graph_memory.maintenance.records import Run
from graph_memory.maintenance.report import MaintenanceReport, report_of
from graph_memory.maintenance.request import Progress, RunRequest, run_options
from graph_memory.maintenance.stages import run_stages
from graph_memory.maintenance.state import RunState, RunStopped
from graph_memory.maintenance.weights import changed_weights

_log = logging.getLogger(__name__)


async def maintain(
    context: Context,
    request: RunRequest,
    on_progress: Progress = lambda done, of: None,
    run_id: str | None = None,
) -> MaintenanceReport:
    """Run maintenance; first finish the earlier runs whose groups are open to the caller.

    Args:
        context: The context, with the database, settings and clock.
        request: The options of the run.
        on_progress: Called after each batch.
        run_id: The id of the run, which several servers share; None for a new one.

    Raises:
        RunsPausedError: Maintenance is paused.
        RunLockedError: Another run is in progress.
        GraphUnavailableError: Neo4j did not answer; the next run finishes this one.
    """
    graph, settings = context.graph, context.settings
    await records.refuse_if_paused(graph)
    options = run_options(settings, request, on_progress)
    decay = policies.parameters(settings)
    resumed: list[Run] = []
    async with Lease(graph, settings) as lease:
        for left in await unfinished_runs(context, decay["rules"]):
            finished = [run.now for run in resumed]
            resumed.append(left)
            await _finish(RunState(context, left, lease.owner, options, decay, finished))
            if left.status == "stopped":
                return await _report(context, left, resumed)
        run = await new_run(context, request, decay["rules"], run_id)
        await records.begin(graph, run)
        finished = [run.now for run in resumed]
        await _finish(RunState(context, run, lease.owner, options, decay, finished))
    return await _report(context, run, resumed)


async def _report(context: Context, run: Run, resumed: Sequence[Run]) -> MaintenanceReport:
    graph, settings = context.graph, context.settings
    protected = await count_protected(graph, settings, run.now, run.groups, noted=True)
    weights = await changed_weights(context, [*resumed, run])
    return report_of(run, protected, resumed=resumed, weights=weights)


async def _finish(state: RunState) -> None:
    """Run the stages that are left of a run, and record how it ended."""
    run = state.run
    run.status, run.truncated = "running", False
    try:
        await run_stages(state)
        run.status = "done"
    except RunStopped as stopped:
        run.status, run.truncated = "stopped", stopped.truncated
    except GraphUnavailableError:
        raise  # the end cannot be recorded, so the next run finishes this one
    except BaseException:
        run.status = "failed"
        await _close(state)
        raise
    await _close(state)


async def _close(state: RunState) -> None:
    """Record the end of a run, and add it to the totals unless a later run goes on with it."""
    graph, run = state.context.graph, state.run
    await totals.count_transitions(graph, run)
    await state.save()
    if run.status != "stopped":
        await totals.add_totals(graph, run)
    level = logging.WARNING if run.counts.errors else logging.INFO
    _log.log(level, "Run %s %s: %s", run.run_id, run.status, run.counts)
