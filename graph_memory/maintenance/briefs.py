"""The stage of a run that learns the briefs of long memories."""

from graph_memory.context import Context
from graph_memory.domain.briefs import Brief
from graph_memory.domain.scope import CallScope
from graph_memory.learning import briefs, weights
from graph_memory.learning.briefs import BriefChange
from graph_memory.maintenance.learning import Expected, treated_groups
from graph_memory.maintenance.records import Run
from graph_memory.maintenance.report import LearnedChange
from graph_memory.maintenance.request import Stage
from graph_memory.maintenance.state import RunState


async def learn_briefs(state: RunState) -> None:
    """Store the briefs of the memories for which they change."""
    context, run = state.context, state.run
    for group in await treated_groups(context, run.groups):
        scope = CallScope(group, run.now)
        await weights.forget_lessons(context.graph, group_id=group)
        changes = await briefs.compute(context.graph, context.settings, scope, run.canary)
        await briefs.store(context.graph, scope, changes, run.run_id)
        run.counts.learned += len(changes)
        await state.checkpoint(len(changes))


async def expect_briefs(context: Context, run: Run, shown: int) -> Expected:
    """Return what the stage would change, with the first `shown` changes, the most used first."""
    expected = Expected(0, [])
    for group in await treated_groups(context, run.groups):
        scope = CallScope(group, run.now)
        changes = await briefs.compute(context.graph, context.settings, scope, run.canary)
        expected.count += len(changes)
        changes.sort(key=lambda each: -each.becomes.answers if each.becomes else 0)
        expected.changes += [_change(each) for each in changes[:shown]]
        del expected.changes[shown:]
    return expected


def _change(change: BriefChange) -> LearnedChange:
    return LearnedChange(
        stage=Stage.BRIEFS,
        memory_id=change.memory_id,
        was=None if change.was is None else str(change.was),
        becomes="none" if change.becomes is None else str(change.becomes),
        reason=_reason(change.becomes),
    )


def _reason(brief: Brief | None) -> str:
    if brief is None:
        return "too few of its answers were used"
    return f"the sentences that {brief.answers} used answers asked for most, in characters"
