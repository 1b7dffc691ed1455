"""Decisions on proposals, each a run of its own that can be undone."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from graph_memory.context import Context
from graph_memory.database.lease import Lease
from graph_memory.decay import policies
from graph_memory.domain.models import ProposalStatus
from graph_memory.domain.scope import CallScope
from graph_memory.learning import review, unlearn
from graph_memory.learning.review import Choice, Chosen, Outcome, ProposalRefusal
from graph_memory.maintenance import records
from graph_memory.maintenance.compression import compress_contents
from graph_memory.maintenance.records import Run

#: The stage that the record of such a run names.
_STAGE = "review"

#: Decisions that are made, or taken back, between two checks of the lease.
_BATCH = 500

#: The most proposals and refusals that a report lists; it counts all of them.
_LISTED = 100


@dataclass(frozen=True, slots=True)
class Decision:
    """The result of a decision on proposals, or of a dry run of it."""

    run_id: str | None  #: the run to undo; None if nothing was decided, and for `open`
    dry_run: bool
    status: ProposalStatus  #: of the decided proposals
    decided: int
    refused: int
    proposal_ids: list[str] = field(default_factory=list[str])  #: the first that were decided
    refusals: list[ProposalRefusal] = field(default_factory=list[ProposalRefusal])  #: the first


async def decide(
    context: Context,
    scope: CallScope,
    choice: Choice,
    status: ProposalStatus,
    *,
    dry_run: bool = False,
) -> Decision:
    """Accept or reject proposals, as a run that can be undone.

    Args:
        context: The context; its grant names the caller that decides.
        scope: The tenant and the instant.
        choice: The proposals.
        status: `accepted` or `rejected`.
        dry_run: True to report the proposals without a change.

    Raises:
        InvalidArgumentError: The group has no proposal of a given id.
        RunLockedError: A run is in progress, or took over because this call was held up.
    """
    chosen = await review.choose(context.graph, scope.group_id, choice)
    if dry_run:
        return _decision(_expected(chosen), status, None, dry_run=True)
    if not chosen:
        return _decision(Outcome(), status, None)
    run = decision_run(context, scope, _STAGE)
    async with Lease(context.graph, context.settings) as lease:
        await records.begin(context.graph, run)
        outcome, by = Outcome(), context.grant.caller
        async for batch in lease.batches(chosen, _BATCH):
            if status is ProposalStatus.ACCEPTED:
                outcome.add(await review.accept(context.engine, scope, batch, run.run_id, by))
            else:
                outcome.add(await review.reject(context.graph, scope, batch, run.run_id, by))
        run.status, run.stages_done = "done", run.stages
        run.counts.learned = len(outcome.decided)
        await records.save(context.graph, run, lease.owner)
    return _decision(outcome, status, run.run_id if outcome.decided else None)


async def reopen(
    context: Context, scope: CallScope, proposal_ids: Sequence[str], *, dry_run: bool = False
) -> Decision:
    """Take back the decisions on proposals, whichever runs made them.

    Raises:
        InvalidArgumentError: The group has no proposal of a given id.
        RunLockedError: A run is in progress, or took over because this call was held up.
    """
    choice, outcome = Choice(proposal_ids=tuple(proposal_ids)), Outcome()
    chosen = await review.choose(context.graph, scope.group_id, choice)
    decided = sorted(e.proposal_id for e in chosen if e.status is not ProposalStatus.OPEN)
    for each in chosen:
        if each.status is ProposalStatus.OPEN:
            outcome.refusals.append(ProposalRefusal(each.proposal_id, "it is open already"))
    if dry_run:
        outcome.decided += decided
        return _decision(outcome, ProposalStatus.OPEN, None, dry_run=True)
    async with Lease(context.graph, context.settings) as lease:
        async for batch in lease.batches(decided, _BATCH):
            for each in await unlearn.reopen(context.graph, batch):
                if each.refused is None:
                    outcome.decided.append(each.proposal_id)
                else:
                    outcome.refusals.append(ProposalRefusal(each.proposal_id, each.refused))
        async for _ in compress_contents(context.graph, groups=[scope.group_id], canary=100):
            pass
    return _decision(outcome, ProposalStatus.OPEN, None)


def decision_run(context: Context, scope: CallScope, stage: str) -> Run:
    """Return the record of a run that carries out a decision of a caller."""
    return Run(
        run_id=str(uuid.uuid4()),
        now=scope.now,
        started_at=datetime.now(UTC),
        status="running",
        stages=[stage],
        groups=[scope.group_id],
        canary=100,
        full=False,
        rules=policies.rules_hash(context.settings),
        policy=context.settings.decay_policy,
    )


def _expected(chosen: list[Chosen]) -> Outcome:
    """Return the outcome that a decision would have."""
    outcome = Outcome()
    outcome.decided += [each.proposal_id for each in review.open_ones(chosen, outcome)]
    return outcome


def _decision(
    outcome: Outcome, status: ProposalStatus, run_id: str | None, *, dry_run: bool = False
) -> Decision:
    return Decision(
        run_id=run_id,
        dry_run=dry_run,
        status=status,
        decided=len(outcome.decided),
        refused=len(outcome.refusals),
        proposal_ids=outcome.decided[:_LISTED],
        refusals=outcome.refusals[:_LISTED],
    )
