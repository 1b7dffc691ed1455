"""The stage of a run that learns how strong relations are."""

from graph_memory.context import Context
from graph_memory.domain.scope import CallScope
from graph_memory.learning import strengths
from graph_memory.learning.strengths import StrengthChange
from graph_memory.maintenance.learning import Expected, treated_groups
from graph_memory.maintenance.records import Run
from graph_memory.maintenance.report import LearnedChange
from graph_memory.maintenance.request import Stage
from graph_memory.maintenance.state import RunState


async def learn_strengths(state: RunState) -> None:
    """Store the strengths of the relations for which they change."""
    context, run = state.context, state.run
    for group in await treated_groups(context, run.groups):
        scope = CallScope(group, run.now)
        changes = await strengths.compute(context.graph, context.settings, scope, run.canary)
        await strengths.store(context.graph, scope, changes, run.run_id)
        run.counts.learned += len(changes)
        await state.checkpoint(len(changes))


async def expect_strengths(context: Context, run: Run, shown: int) -> Expected:
    """Return what the stage would change, with the first `shown` changes, the greatest first."""
    expected = Expected(0, [])
    for group in await treated_groups(context, run.groups):
        scope = CallScope(group, run.now)
        changes = await strengths.compute(context.graph, context.settings, scope, run.canary)
        expected.count += len(changes)
        changes.sort(key=lambda each: -abs(_after(each) - _before(each)))
        expected.changes += [_change(each) for each in changes[:shown]]
        del expected.changes[shown:]
    return expected


def _change(change: StrengthChange) -> LearnedChange:
    return LearnedChange(
        stage=Stage.STRENGTHS,
        memory_id=change.from_id,
        was=f"{_before(change):g}",
        becomes=f"{_after(change):g}",
        reason=f"{change.name} {change.to_id}: {_cause(change)}",
    )


def _cause(change: StrengthChange) -> str:
    learned = change.becomes
    if learned is None:
        return "its type or its uses no longer count"
    sessions = "1 session" if learned.uses == 1 else f"{learned.uses} sessions"
    return (
        f"used together in {sessions}, last on {learned.last_used_at[:10]}; given {change.given:g}"
    )


def _before(change: StrengthChange) -> float:
    return change.was.strength if change.was else change.given


def _after(change: StrengthChange) -> float:
    return change.becomes.strength if change.becomes else change.given
