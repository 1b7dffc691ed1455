"""Commands for the review of proposals and waiting writes."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import command, note, opened, request, unchecked
from graph_memory.cli.completion import completing
from graph_memory.cli.output import progress, show
from graph_memory.cli.review_queue import Filter, fields_of, on_terminal, read, settle
from graph_memory.cli.values import (
    AUTHORITIES,
    PROPOSAL_KINDS,
    PROPOSAL_STATUSES,
    WRITE_KINDS,
    listed,
)
from graph_memory.errors import ConfirmationRequiredError, InvalidArgumentError

if TYPE_CHECKING:
    from graph_memory.api.service import GraphMemory
    from graph_memory.api.types import Decision, PendingWrite, Reviewed

app = typer.Typer(
    no_args_is_help=True, help="Review what maintenance proposes, and writes that wait."
)

#: Writes that one call decides, between two steps of the progress bar.
_BATCH = 20

_KINDS = (*WRITE_KINDS, *PROPOSAL_KINDS)

Ids = Annotated[
    list[str] | None,
    typer.Argument(help="Ids of writes or of proposals, or their first characters."),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        help=f"Kind of writes: {listed(WRITE_KINDS)}; of proposals: {listed(PROPOSAL_KINDS)}; "
        "repeatable.",
        autocompletion=completing(_KINDS),
    ),
]
LeastScore = Annotated[
    float | None, typer.Option("--min-score", help="Least score of proposals, 0 to 1.")
]
Authorities = Annotated[
    list[str] | None,
    typer.Option(
        "--authority",
        help=f"Authority of writes: {listed(AUTHORITIES)}; repeatable.",
        autocompletion=completing(AUTHORITIES),
    ),
]
Ways = Annotated[
    list[str] | None,
    typer.Option(
        "--way", help="Tool or command by which writes came, as `list` shows it; repeatable."
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Report what would be decided, and change nothing.")
]
Writes = Annotated[bool, typer.Option("--writes", help="All writes that wait for a review.")]


@command(app, "list", example="review list --authority tool")
async def list_proposals(
    kinds: Kinds = None,
    min_score: LeastScore = None,
    authorities: Authorities = None,
    ways: Ways = None,
    status: Annotated[
        str,
        typer.Option(
            help=f"Status: {listed(PROPOSAL_STATUSES)}.",
            autocompletion=completing(PROPOSAL_STATUSES),
        ),
    ] = "open",
    limit: Annotated[int, typer.Option(help="Most writes and most proposals, 1 to 1000.")] = 50,
) -> None:
    """List writes that wait for a review, and proposals, the highest score first.

    Options that concern only one of them, or another status, list that one alone.
    """
    wanted = Filter(kinds, min_score, authorities, ways)
    waiting = found = None
    async with opened() as memory:
        if not wanted.of_proposals and status == "open":
            waiting = await memory.pending.list(limit=limit, **wanted.for_writes())
        if not wanted.of_writes:
            found = await memory.proposals.list(
                status=unchecked(status), limit=limit, **wanted.for_proposals()
            )
    writes = waiting.writes if waiting else []
    proposals = found.proposals if found else []
    _note_more("writes", len(writes), waiting and waiting.total)
    _note_more("proposals", len(proposals), found and found.total)
    rows = [
        *((w.pending_id, w.kind, "", w.content, w.memory_id or "", _why(w)) for w in writes),
        *(
            (p.proposal_id, p.kind, p.score, p.first.content, p.second.content, p.reason)
            for p in proposals
        ),
    ]
    answer = {
        "proposals": proposals,
        "total": found.total if found else 0,
        "writes": writes,
        "writes_total": waiting and waiting.total,
    }
    show(answer, ("id", "kind", "score", "first", "second", "reason"), rows)


def _note_more(what: str, shown: int, total: int | None) -> None:
    if total is not None and total > shown and not request().as_json:
        note(f"{shown} of {total} {what}; --limit shows more.")


def _why(write: "PendingWrite") -> str:
    """Return the rule by which a write waits, its origin and its authority."""
    return f"{write.rule}; {write.origin}, {write.origin.authority or 'unknown'}"


@command(app, "show", example="review show 5b2a4c0e")
async def show_one(
    queue_id: Annotated[
        str, typer.Argument(help="Id of a write or of a proposal, or its first characters.")
    ],
) -> None:
    """Show a write that waits or a proposal: the whole text, its origin, and why it is here."""
    async with opened() as memory:
        found = await read(memory, await memory.proposals.complete_id(queue_id))
    show(found.answer, ("", ""), fields_of(found))


@command(app, example="review decide --authority tool")
async def decide(
    kinds: Kinds = None,
    min_score: LeastScore = None,
    authorities: Authorities = None,
    ways: Ways = None,
) -> None:
    """Settle writes that wait and proposals by keys, one after the other, on a terminal.

    a accepts, r rejects, s skips, q or Ctrl-C quits, ? shows the keys. Each decision counts at
    once.
    """
    wanted = Filter(kinds, min_score, authorities, ways)
    if request().as_json or not on_terminal():
        raise typer.BadParameter(
            "keys need a terminal, and no --json; list with `graph-memory review list`, and "
            "decide with `graph-memory review accept` and `graph-memory review reject`"
        )
    async with opened(model=True) as memory:
        await settle(memory, wanted)


@command(app, example="review accept --kind duplicate_of --min-score 0.98 --dry-run")
async def accept(
    proposal_ids: Ids = None,
    kinds: Kinds = None,
    min_score: LeastScore = None,
    authorities: Authorities = None,
    ways: Ways = None,
    writes: Writes = False,
    confirm: Annotated[
        str, typer.Option(help="Confirmation of writes without ids: 'ACCEPT ALL'.")
    ] = "",
    dry_run: DryRun = False,
) -> None:
    """Accept writes that wait, or proposals, by id or by other options.

    A write becomes a memory or a change, with its own authority. A proposal becomes a relation.
    With duplicate_of and supersedes, the second memory becomes obsolete. With same_as, two
    entities count as one. `undo` takes a decision on proposals back.
    """
    wanted = Filter(kinds, min_score, authorities, ways)
    async with opened(model=True) as memory:
        ids = await _whole_ids(memory, proposal_ids)
        if _by_rule(ids, wanted, writes) and not dry_run and confirm != "ACCEPT ALL":
            await _require_confirmation(memory, wanted, "Accepting", "ACCEPT ALL")
        waiting = await _waiting(memory, ids, wanted, writes)
        if waiting is not None:
            done = None if dry_run else await _decided(waiting, "accepted", memory.pending.accept)
            _print_reviewed(waiting, "accepted", done)
            return
        decision = await memory.proposals.accept(
            ids or None, dry_run=dry_run, **wanted.for_decision()
        )
    _print_decision(decision)


@command(app, example="review reject 5b2a4c0e --reason 'from a forged page'")
async def reject(
    proposal_ids: Ids = None,
    kinds: Kinds = None,
    min_score: LeastScore = None,
    authorities: Authorities = None,
    ways: Ways = None,
    writes: Writes = False,
    reason: Annotated[
        str | None, typer.Option(help="Reason, for later writes of the same statement.")
    ] = None,
    confirm: Annotated[
        str, typer.Option(help="Confirmation of writes without ids: 'REJECT ALL'.")
    ] = "",
    dry_run: DryRun = False,
) -> None:
    """Reject writes that wait, or proposals, by id or by other options.

    The statement of a rejected write is refused from then on. A proposal is not made again.
    """
    wanted = Filter(kinds, min_score, authorities, ways)
    async with opened() as memory:
        ids = await _whole_ids(memory, proposal_ids)
        if _by_rule(ids, wanted, writes) and not dry_run and confirm != "REJECT ALL":
            await _require_confirmation(memory, wanted, "Rejecting", "REJECT ALL")
        waiting = await _waiting(memory, ids, wanted, writes)
        if waiting is not None:

            async def rejected(batch: Sequence[str]) -> "Reviewed":
                return await memory.pending.reject(batch, reason=reason)

            done = None if dry_run else await _decided(waiting, "rejected", rejected)
            _print_reviewed(waiting, "rejected", done)
            return
        decision = await memory.proposals.reject(
            ids or None, dry_run=dry_run, **wanted.for_decision()
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
        ids = await _whole_ids(memory, proposal_ids)
        decision = await memory.proposals.reopen(ids, dry_run=dry_run)
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


async def _whole_ids(memory: "GraphMemory", given: Sequence[str] | None) -> list[str]:
    """Return the ids of writes and proposals that the arguments of a command are, or begin."""
    return [await memory.proposals.complete_id(each) for each in given or ()]


def _by_rule(ids: Sequence[str], wanted: Filter, everything: bool) -> bool:
    """Return True for a decision on all writes that match, without ids."""
    by_rule = everything or wanted.of_writes
    if by_rule and ids:
        raise typer.BadParameter("give ids of writes, or options that choose them, but not both")
    if everything and wanted.of_proposals:
        raise typer.BadParameter("--writes is for writes, and another option for proposals")
    return by_rule


async def _require_confirmation(
    memory: "GraphMemory", wanted: Filter, doing: str, needed: str
) -> None:
    """Refuse a decision on many writes that is not confirmed; it cannot be undone as one."""
    found = await memory.pending.list(limit=1, **wanted.for_writes())
    if found.total:
        raise ConfirmationRequiredError(f"{doing} {found.total:,} waiting writes", needed)


async def _waiting(
    memory: "GraphMemory", ids: Sequence[str], wanted: Filter, everything: bool
) -> Sequence[str] | None:
    """Return the ids of the writes that a decision is about; None if it is about proposals."""
    if _by_rule(ids, wanted, everything):
        return await memory.pending.ids(**wanted.for_writes())
    chosen = [each for each in ids if await _waits(memory, each)]
    if chosen and len(chosen) < len(ids):
        raise typer.BadParameter("some ids are of writes, and some are not; decide on each kind")
    return chosen or None


async def _waits(memory: "GraphMemory", queue_id: str) -> bool:
    """Return True if an id is that of a write that waits."""
    with suppress(InvalidArgumentError):
        await memory.pending.get(queue_id)
        return True
    return False


async def _decided(
    ids: Sequence[str], verb: str, decide: "Callable[[Sequence[str]], Awaitable[Reviewed]]"
) -> "Reviewed":
    """Decide on writes in batches, with a progress bar. An interruption reports the number."""
    from graph_memory.api.types import Reviewed
    from graph_memory.domain.batching import batched

    together = Reviewed()
    with progress("Reviewing", len(ids)) as advance:
        try:
            for batch in batched(ids, _BATCH):
                reviewed = await decide(batch)
                together.done += reviewed.done
                together.refusals += reviewed.refusals
                advance(len(batch))
        except asyncio.CancelledError:
            note(f"At least {len(together.done):,} of {len(ids):,} writes were {verb}.")
            raise
    return together


def _print_reviewed(pending_ids: Sequence[str], verb: str, reviewed: "Reviewed | None") -> None:
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
