"""Actions on the memories of a cluster, each a run of its own that can be undone."""

from dataclasses import dataclass, field

from graph_memory.context import Context
from graph_memory.database.lease import Lease
from graph_memory.domain.models import ClusterAction
from graph_memory.domain.scope import CallScope
from graph_memory.learning import acting
from graph_memory.learning.acting import Act, Candidate
from graph_memory.maintenance import records
from graph_memory.maintenance.review import decision_run

#: The stage that the record of such a run names.
_STAGE = "act"

#: Memories in one transaction.
_BATCH = 500

#: The most memories and refusals that a report lists; it counts all of them.
_LISTED = 100


@dataclass(frozen=True, slots=True)
class LeftMemory:
    """A memory that an action left as it is, and the reason."""

    memory_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class ClusterChange:
    """The result of an action on the memories of a cluster, or of a dry run of it."""

    run_id: str | None  #: the run to undo; None if nothing changed
    dry_run: bool
    action: ClusterAction
    cluster_id: str
    changed: int  #: memories
    left: int  #: memories that stay as they are
    memory_ids: list[str] = field(default_factory=list[str])  #: the first that changed
    refusals: list[LeftMemory] = field(default_factory=list[LeftMemory])  #: the first


async def act_on(
    context: Context, scope: CallScope, act: Act, *, dry_run: bool = False
) -> ClusterChange:
    """Act on the memories of a cluster, as a run that can be undone.

    Args:
        context: The context.
        scope: The tenant and the instant.
        act: The action and the cluster.
        dry_run: True to report the memories without a change.

    Raises:
        RunLockedError: A run is in progress, or took over because this call was held up.
    """
    chosen = await acting.choose(context.graph, scope, act)
    wanted = [each.memory_id for each in chosen if each.refused is None]
    if dry_run or not wanted:
        return _change(act, chosen, wanted if dry_run else [], None, dry_run=dry_run)
    run = decision_run(context, scope, _STAGE)
    async with Lease(context.graph, context.settings) as lease:
        await records.begin(context.graph, run)
        done: list[str] = []
        async for batch in lease.batches(wanted, _BATCH):
            done += await acting.carry_out(context.engine, scope, act, batch, run.run_id)
        run.status, run.stages_done = "done", run.stages
        run.counts.learned = len(done)
        await records.save(context.graph, run, lease.owner)
    return _change(act, chosen, done, run.run_id if done else None)


def _change(
    act: Act, chosen: list[Candidate], done: list[str], run_id: str | None, *, dry_run: bool = False
) -> ClusterChange:
    left = [LeftMemory(each.memory_id, each.refused) for each in chosen if each.refused]
    return ClusterChange(
        run_id=run_id,
        dry_run=dry_run,
        action=act.action,
        cluster_id=act.cluster_id,
        changed=len(done),
        left=len(chosen) - len(done),
        memory_ids=done[:_LISTED],
        refusals=left[:_LISTED],
    )
