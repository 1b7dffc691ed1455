"""The stage of a run that links memories to the entities that they mention."""

from collections.abc import Sequence

from graph_memory.context import Context
from graph_memory.domain.scope import CallScope
from graph_memory.learning.entities import EntityLink, ReadMemory, read_mentions, store_mentions
from graph_memory.maintenance.learning import Expected, treated_groups
from graph_memory.maintenance.records import Run
from graph_memory.maintenance.report import LearnedChange
from graph_memory.maintenance.request import Stage
from graph_memory.maintenance.state import RunState

#: Entities that a change of a dry run names.
_NAMED = 5


async def link_entities(state: RunState) -> None:
    """Link the memories that are new or changed to the entities that they mention."""
    context, run = state.context, state.run
    for group in await treated_groups(context, run.groups):
        scope = CallScope(group, run.now)
        async for read in read_mentions(context.graph, context.settings, scope, run.canary):
            await store_mentions(context.graph, scope, read, run.run_id)
            run.counts.learned += sum(each.changed for each in read)
            await state.checkpoint(len(read))


async def expect_entities(context: Context, run: Run, shown: int) -> Expected:
    """Return the memories that the stage would link, with the first `shown` of them."""
    expected = Expected(0, [])
    for group in await treated_groups(context, run.groups):
        scope = CallScope(group, run.now)
        async for read in read_mentions(context.graph, context.settings, scope, run.canary):
            changed = [each for each in read if each.changed]
            expected.count += len(changed)
            expected.changes += [_change(each) for each in changed]
            del expected.changes[shown:]
    return expected


def _change(memory: ReadMemory) -> LearnedChange:
    return LearnedChange(
        stage=Stage.ENTITIES,
        memory_id=memory.memory_id,
        was=_named(memory.before) if memory.before else None,
        becomes="mentions " + _named(memory.mentions),
        reason="its text changed" if memory.before else "its text was not read yet",
    )


def _named(links: Sequence[EntityLink]) -> str:
    in_order = sorted(links, key=lambda link: link.starts)
    names = ", ".join(f"'{link.text}'" for link in in_order[:_NAMED])
    more = len(links) - _NAMED
    return (names or "nothing") + (f" and {more} more" if more > 0 else "")
