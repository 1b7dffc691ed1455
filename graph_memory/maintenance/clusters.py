"""The stage of a run that finds clusters of memories."""

from collections.abc import Iterable

from graph_memory.context import Context
from graph_memory.domain.scope import CallScope
from graph_memory.learning import clusters
from graph_memory.learning.clusters import Change
from graph_memory.maintenance.learning import Expected, treated_groups
from graph_memory.maintenance.records import Run
from graph_memory.maintenance.report import LearnedChange
from graph_memory.maintenance.request import Stage
from graph_memory.maintenance.state import RunState


async def find_clusters(state: RunState) -> None:
    """Look up the nearest memories of new and changed ones, and store the clusters that change."""
    context, run = state.context, state.run
    for group in await treated_groups(context, run.groups):
        scope = CallScope(group, run.now)
        network = await clusters.read(context.graph, context.settings, scope, run.canary)
        async for looked in clusters.look_up(context.graph, scope, network):
            await clusters.note_near(context.graph, scope, looked, run.run_id)
            await state.checkpoint(len(looked.notes))
        computed = await clusters.compute(scope, network)
        await clusters.store(context.graph, scope, computed, run.run_id)
        run.counts.learned += len(computed.changes)
        await state.checkpoint(len(computed.changes))


async def expect_clusters(context: Context, run: Run, shown: int) -> Expected:
    """Return the changes of clusters that the stage would store, with the first `shown`."""
    expected = Expected(0, [])
    for group in await treated_groups(context, run.groups):
        scope = CallScope(group, run.now)
        network = await clusters.read(context.graph, context.settings, scope, run.canary)
        async for _ in clusters.look_up(context.graph, scope, network):
            pass  # the results are in the network
        computed = await clusters.compute(scope, network)
        expected.count += len(computed.changes)
        expected.changes += _described(computed.changes, computed.reason)
        del expected.changes[shown:]
    return expected


def _described(changes: Iterable[Change], reason: str) -> list[LearnedChange]:
    """Describe changes; those of the most central memories, which name the label, come first."""
    ordered = sorted(changes, key=lambda each: ("|" not in each.becomes, each.memory_id))
    return [
        LearnedChange(
            stage=Stage.CLUSTERS,
            memory_id=each.memory_id,
            was=_named(each.was) if each.was else None,
            becomes=_named(each.becomes) if each.becomes else "none",
            reason=reason,
        )
        for each in ordered
    ]


def _named(place: str) -> str:
    cluster_id, _, label = place.partition("|")
    return f"{cluster_id}, centre of '{label}'" if label else cluster_id
