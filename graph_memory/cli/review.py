"""Commands for the review of proposals: list, accept, reject, reopen."""

from typing import TYPE_CHECKING, Annotated

import typer

from graph_memory.cli.command import command, note, opened, request, unchecked
from graph_memory.cli.completion import completing
from graph_memory.cli.output import show
from graph_memory.cli.values import PROPOSAL_KINDS, PROPOSAL_STATUSES, listed

if TYPE_CHECKING:
    from graph_memory.api.types import Decision

app = typer.Typer(no_args_is_help=True, help="Review the relations that maintenance proposes.")

_KIND = f"Kind: {listed(PROPOSAL_KINDS)}; repeatable"

Ids = Annotated[
    list[str] | None, typer.Argument(help="Ids of proposals, from `review list`; or give rules.")
]
Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", help=f"{_KIND}.", autocompletion=completing(PROPOSAL_KINDS)),
]
LeastScore = Annotated[float | None, typer.Option("--min-score", help="Least score, 0 to 1.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Report what would be decided, and change nothing.")
]


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
    """List proposals, the highest score first."""
    async with opened() as memory:
        found = await memory.proposals.list(
            kinds=unchecked(kinds or None),
            min_score=min_score,
            status=unchecked(status),
            limit=limit,
        )
    if found.total > len(found.proposals) and not request().as_json:
        note(f"{len(found.proposals)} of {found.total}; --limit shows more.")
    rows = (
        (p.proposal_id, p.kind, p.score, p.first.content, p.second.content, p.reason)
        for p in found.proposals
    )
    show(found, ("id", "kind", "score", "first", "second", "reason"), rows)


@command(app, example="review accept --kind duplicate_of --min-score 0.98 --dry-run")
async def accept(
    proposal_ids: Ids = None,
    kinds: Kinds = None,
    min_score: LeastScore = None,
    dry_run: DryRun = False,
) -> None:
    """Accept proposals, by id or by kind and score. `undo` takes the decision back.

    Each becomes a relation. With duplicate_of and supersedes, the second memory becomes obsolete.
    With same_as, two entities count as one.
    """
    async with opened() as memory:
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
    dry_run: DryRun = False,
) -> None:
    """Reject proposals, by id or by kind and score; they are not made again."""
    async with opened() as memory:
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
