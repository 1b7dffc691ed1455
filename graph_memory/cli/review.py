"""Commands for the review of proposals and waiting writes."""

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import command, note, opened, request, unchecked
from graph_memory.cli.completion import completing
from graph_memory.cli.output import as_mapping, show
from graph_memory.cli.values import PROPOSAL_KINDS, PROPOSAL_STATUSES, listed

if TYPE_CHECKING:
    from graph_memory.api.service import GraphMemory
    from graph_memory.api.types import Decision, PendingWrite, Reviewed

app = typer.Typer(
    no_args_is_help=True, help="Review what maintenance proposes, and writes that wait."
)

_KIND = f"Kind: {listed(PROPOSAL_KINDS)}; repeatable"

Ids = Annotated[
    list[str] | None, typer.Argument(help="Ids of writes or of proposals, from `review list`.")
]
Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", help=f"{_KIND}.", autocompletion=completing(PROPOSAL_KINDS)),
]
LeastScore = Annotated[float | None, typer.Option("--min-score", help="Least score, 0 to 1.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Report what would be decided, and change nothing.")
]
Writes = Annotated[bool, typer.Option("--writes", help="All writes that wait for a review.")]


@command(app, "list", example="review list --kind duplicate_of")
async def list_proposals(
    kinds: Kinds = None,
    min_score: Annotated[float, typer.Option(help="Least score, 0 to 1.")] = 0.0,
    status: Annotated[
        str,
        typer.Option(
            help=f"Status: {listed(PROPOSAL_STATUSES)}.",
            autocompletion=completing(PROPOSAL_STATUSES),
        ),
    ] = "open",
    limit: Annotated[int, typer.Option(help="Most proposals, 1 to 1000.")] = 50,
) -> None:
    """List writes that wait for a review, and proposals, the highest score first.

    With --kind, --min-score or another status, only proposals are listed.
    """
    waiting = None
    async with opened() as memory:
        if not kinds and not min_score and status == "open":
            waiting = await memory.pending.list(limit=limit)
        found = await memory.proposals.list(
            kinds=unchecked(kinds or None),
            min_score=min_score,
            status=unchecked(status),
            limit=limit,
        )
    if found.total > len(found.proposals) and not request().as_json:
        note(f"{len(found.proposals)} of {found.total}; --limit shows more.")
    writes = waiting.writes if waiting else []
    rows = [
        *((w.pending_id, w.kind, "", w.content, w.memory_id or "", _why(w)) for w in writes),
        *(
            (p.proposal_id, p.kind, p.score, p.first.content, p.second.content, p.reason)
            for p in found.proposals
        ),
    ]
    answer = {**as_mapping(found), "writes": writes, "writes_total": waiting and waiting.total}
    show(answer, ("id", "kind", "score", "first", "second", "reason"), rows)


def _why(write: "PendingWrite") -> str:
    """Return the rule by which a write waits, its origin and its authority."""
    return f"{write.rule}; {write.origin}, {write.origin.authority or 'unknown'}"


@command(app, example="review accept --kind duplicate_of --min-score 0.98 --dry-run")
async def accept(
    proposal_ids: Ids = None,
    kinds: Kinds = None,
    min_score: LeastScore = None,
    writes: Writes = False,
    dry_run: DryRun = False,
) -> None:
    """Accept writes that wait, or proposals by id or by kind and score.

    A write becomes a memory or a change, with its own authority. A proposal becomes a relation.
    With duplicate_of and supersedes, the second memory becomes obsolete. With same_as, two
    entities count as one. `undo` takes a decision on proposals back.
    """
    async with opened(model=True) as memory:
        if waiting := await _waiting(memory, proposal_ids, writes):
            _print_reviewed(waiting, "accepted", await _accepted(memory, waiting, dry_run))
            return
        decision = await memory.proposals.accept(
            proposal_ids or None,
            kinds=unchecked(kinds or None),
            min_score=min_score,
            dry_run=dry_run,
        )
    _print_decision(decision)


@command(app, example="review reject PROPOSAL_ID")
async def reject(
    proposal_ids: Ids = None,
    kinds: Kinds = None,
    min_score: LeastScore = None,
    writes: Writes = False,
    reason: Annotated[
        str | None, typer.Option(help="Reason, for later writes of the same statement.")
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Reject writes that wait, or proposals by id or by kind and score.

    The statement of a rejected write is refused from then on. A proposal is not made again.
    """
    async with opened() as memory:
        if waiting := await _waiting(memory, proposal_ids, writes):
            done = None if dry_run else await memory.pending.reject(waiting, reason=reason)
            _print_reviewed(waiting, "rejected", done)
            return
        decision = await memory.proposals.reject(
            proposal_ids or None,
            kinds=unchecked(kinds or None),
            min_score=min_score,
            dry_run=dry_run,
        )
    _print_decision(decision)


@command(app, example="review reopen PROPOSAL_ID")
async def reopen(
    proposal_ids: Annotated[
        list[str], typer.Argument(help="Ids of proposals, from `review list --status accepted`.")
    ],
    dry_run: DryRun = False,
) -> None:
    """Take back decisions on proposals. Entities that were one are two again."""
    async with opened() as memory:
        decision = await memory.proposals.reopen(proposal_ids, dry_run=dry_run)
    _print_decision(decision)


def _print_decision(decision: "Decision") -> None:
    if not request().as_json:
        for refusal in decision.refusals:
            note(f"{refusal.proposal_id}: {refusal.reason}")
    rows = {
        "run_id": decision.run_id,
        "would be" if decision.dry_run else "were": str(decision.status),
        "decided": str(decision.decided),
        "refused": str(decision.refused),
    }
    show(decision, ("", ""), rows.items())


async def _waiting(memory: "GraphMemory", given: list[str] | None, everything: bool) -> list[str]:
    """Return the given ids if they are of waiting writes, or all such; empty for proposals."""
    if everything and given:
        raise typer.BadParameter("give ids, or --writes for all")
    if not everything and not given:
        return []
    found = (await memory.pending.list(limit=1000)).writes
    known = [write.pending_id for write in found]
    if everything:
        return known
    chosen = [each for each in given or () if each in known]
    if chosen and len(chosen) < len(given or ()):
        raise typer.BadParameter("some ids are of writes, and some are not; decide on each kind")
    return chosen


async def _accepted(
    memory: "GraphMemory", pending_ids: list[str], dry_run: bool
) -> "Reviewed | None":
    return None if dry_run else await memory.pending.accept(pending_ids)


def _print_reviewed(pending_ids: list[str], verb: str, reviewed: "Reviewed | None") -> None:
    """Print the result of a review of writes; None for that of a dry run."""
    if reviewed is None:
        count = str(len(pending_ids))
        show({"dry_run": True, "done": pending_ids}, ("", ""), [(f"would be {verb}", count)])
        return
    if not request().as_json:
        for refusal in reviewed.refusals:
            note(f"{refusal.pending_id}: {refusal.reason}")
    rows = {verb: str(len(reviewed.done)), "refused": str(len(reviewed.refusals))}
    show(reviewed, ("", ""), rows.items())
