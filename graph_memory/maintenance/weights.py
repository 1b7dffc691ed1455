"""The stage of a run that learns the weights of the ranking of each group."""

from collections.abc import Sequence

from graph_memory.context import Context
from graph_memory.domain.scope import CallScope
from graph_memory.learning import weights
from graph_memory.learning.weights import WeightsChange
from graph_memory.maintenance.learning import Expected, treated_groups
from graph_memory.maintenance.records import Run
from graph_memory.maintenance.report import LearnedChange
from graph_memory.maintenance.request import Stage
from graph_memory.maintenance.state import RunState
from graph_memory.search.feedback import GroupWeights

_CONFIGURED = "configured weights"


async def learn_weights(state: RunState) -> None:
    """Store the weights of the groups for which they change."""
    context, run = state.context, state.run
    for group in await treated_groups(context, run.groups):
        scope = CallScope(group, run.now)
        await weights.forget_lessons(context.graph, group_id=group)
        change = await weights.compute(context.graph, context.settings, scope, run.canary)
        if change.was != change.becomes:
            await weights.store(context.graph, scope, change, run.run_id)
            context.forget_learned()
            run.counts.learned += 1
        await state.checkpoint()


async def expect_weights(context: Context, run: Run, shown: int) -> Expected:
    """Return what the stage would change; for an unchanged group, the reason and the gain."""
    expected = Expected(0, [])
    for group in await treated_groups(context, run.groups):
        scope = CallScope(group, run.now)
        change = await weights.compute(context.graph, context.settings, scope, run.canary)
        expected.count += change.was != change.becomes
        if change.lessons or change.was:
            expected.changes.append(as_learned(change))
    del expected.changes[shown:]
    return expected


async def changed_weights(context: Context, runs: Sequence[Run]) -> list[LearnedChange]:
    """Return the weights that runs changed."""
    found: list[LearnedChange] = []
    for run in runs:
        if Stage.WEIGHTS in run.stages:
            found += map(as_learned, await weights.changed_by(context.graph, run.run_id))
    return found


def as_learned(change: WeightsChange) -> LearnedChange:
    """Return a change of weights as a report shows it; `memory_id` is the group."""
    return LearnedChange(
        stage=Stage.WEIGHTS,
        memory_id=change.group_id,
        was=_shown(change.was),
        becomes=_shown(change.becomes),
        reason=change.reason,
    )


def _shown(learned: GroupWeights | None) -> str:
    """Return each weight with the configured one, and the share of the searches."""
    if learned is None:
        return _CONFIGURED
    moved = ", ".join(
        f"{name} {learned.before[name]:g} > {value:g}"
        for name, value in sorted(learned.settings.items())
    )
    share = "" if learned.canary >= 100 else f" for {learned.canary} % of the searches"
    return f"{moved}{share}"
