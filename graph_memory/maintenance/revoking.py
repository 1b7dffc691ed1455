"""Revocation of a source: a run that takes back all that came from it, and can be undone."""

from dataclasses import dataclass, field

from graph_memory.context import Context
from graph_memory.database.lease import Lease
from graph_memory.domain.scope import CallScope
from graph_memory.learning import revoking
from graph_memory.learning.revoking import RevokedSource, SourcedMemory
from graph_memory.maintenance import records
from graph_memory.maintenance.review import decision_run

#: The stage that the record of such a run names.
_STAGE = "revoke"

#: Memories or relations in one transaction.
_BATCH = 500

#: The most ids that a report lists; it counts all of them.
_LISTED = 100


@dataclass(frozen=True, slots=True)
class Revocation:
    """The result of a revocation, or of a dry run of it.

    Attributes:
        run_id: The run to undo; None if nothing changed.
        dry_run: Whether it was a dry run.
        memories: Number of memories that were soft-deleted.
        derived: Number of those that came another way, below a memory of the source.
        relations: Number of relations that were ended.
        memory_ids: The first of the memories.
        rewritten: The first memories with an earlier text from another caller. Recover one to
            write the earlier text again.
    """

    run_id: str | None
    dry_run: bool
    memories: int
    derived: int
    relations: int
    memory_ids: list[str] = field(default_factory=list[str])
    rewritten: list[str] = field(default_factory=list[str])


async def revoke_source(
    context: Context, scope: CallScope, source: RevokedSource, reason: str, *, dry_run: bool
) -> Revocation:
    """Soft-delete all memories of a source and below them, and end its relations, as one run.

    Args:
        context: The context.
        scope: The tenant and the instant.
        source: The source.
        reason: The reason, for the history.
        dry_run: True to report the memories without a change.

    Raises:
        RunLockedError: A run is in progress, or took over because this call was held up.
    """
    chosen = await revoking.choose(context.graph, scope, source)
    relations = await revoking.relations_of(context.graph, scope, source)
    wanted = [each.memory_id for each in chosen]
    if dry_run or not (wanted or relations):
        return _report(chosen, wanted, len(relations), None, dry_run=dry_run)
    run = decision_run(context, scope, _STAGE)
    async with Lease(context.graph, context.settings) as lease:
        await records.begin(context.graph, run)
        ended, done = 0, list[str]()
        async for batch in lease.batches(relations, _BATCH):
            ended += await revoking.end_relations(context.graph, scope, batch, run.run_id)
        async for batch in lease.batches(wanted, _BATCH):
            done += await revoking.revoke(context.engine, scope, batch, run.run_id, reason)
        run.status, run.stages_done = "done", run.stages
        run.counts.learned = len(done) + ended
        await records.save(context.graph, run, lease.owner)
    return _report(chosen, done, ended, run.run_id if done or ended else None)


def _report(
    chosen: list[SourcedMemory],
    done: list[str],
    relations: int,
    run_id: str | None,
    *,
    dry_run: bool = False,
) -> Revocation:
    gone = set(done)
    revoked = [each for each in chosen if each.memory_id in gone]
    return Revocation(
        run_id=run_id,
        dry_run=dry_run,
        memories=len(revoked),
        derived=sum(each.derived for each in revoked),
        relations=relations,
        memory_ids=[each.memory_id for each in revoked][:_LISTED],
        rewritten=[each.memory_id for each in revoked if each.rewritten][:_LISTED],
    )
