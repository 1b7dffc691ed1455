"""The stage of a run that lets newer values of single-valued slots supersede older ones."""

from graph_memory.context import Context
from graph_memory.domain.batching import batched
from graph_memory.domain.origin import Origin
from graph_memory.domain.scope import CallScope
from graph_memory.learning import slots
from graph_memory.learning.slots import SlotChange
from graph_memory.maintenance.learning import Expected
from graph_memory.maintenance.records import Run
from graph_memory.maintenance.report import LearnedChange
from graph_memory.maintenance.request import Stage
from graph_memory.maintenance.state import RunState
from graph_memory.memories import group_settings

#: Memories that change between two checks whether the run may go on.
_BATCH = 200


async def settle_slots(state: RunState) -> None:
    """Supersede the memories of single-valued slots, in the groups that have declared some."""
    context, run = state.context, state.run
    for each in await group_settings.with_slots(context.graph, run.groups):
        scope = CallScope(each.group_id, run.now, Origin.of_stage(Stage.SLOTS, run.run_id))
        changes = await slots.find(context.graph, scope, each.single_valued_slots, run.canary)
        for batch in batched(changes, _BATCH):
            run.counts.learned += await slots.apply(context.engine, scope, batch, run.run_id)
            await state.checkpoint(len(batch))


async def expect_slots(context: Context, run: Run, shown: int) -> Expected:
    """Return what the stage would change, with the first `shown` changes."""
    expected = Expected(0, [])
    for each in await group_settings.with_slots(context.graph, run.groups):
        scope = CallScope(each.group_id, run.now)
        changes = await slots.find(context.graph, scope, each.single_valued_slots, run.canary)
        expected.count += len(changes)
        expected.changes += map(_shown, changes)
    del expected.changes[shown:]
    return expected


def _shown(change: SlotChange) -> LearnedChange:
    """Return a change as a report shows it; `memory_id` is the older memory."""
    done = "proposed to be superseded" if change.left else "superseded"
    return LearnedChange(
        stage=Stage.SLOTS,
        memory_id=change.to_id,
        was=f"{change.slot} {change.was}",
        becomes=f"{done} by {change.from_id}: {change.slot} {change.becomes}",
        reason=change.reason,
    )
