"""Proposals of relations and aliases: list, accept, reject and reopen them."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from graph_memory.api.arguments import ProposalKindArgument, ProposalStatusArgument
from graph_memory.context import Context
from graph_memory.domain.inputs import MemoryId, Unit, validate, validate_selection, validate_value
from graph_memory.domain.models import ProposalKind, ProposalStatus
from graph_memory.errors import InvalidArgumentError
from graph_memory.learning import review
from graph_memory.learning.review import Choice, Proposal, Proposals
from graph_memory.maintenance.review import Decision, decide, reopen
from graph_memory.wording import argument

ProposalLimit = Annotated[int, Field(ge=1, le=1000)]


class ProposalsApi:
    """The proposals of a `GraphMemory`: `memory.proposals`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def list(
        self,
        *,
        kinds: Sequence[ProposalKindArgument] | None = None,
        min_score: float = 0.0,
        status: ProposalStatusArgument = ProposalStatus.OPEN,
        limit: int = 50,
        group_id: str | None = None,
    ) -> Proposals:
        """List proposals, the highest score first, and count all that match.

        Args:
            kinds: The kinds to list; None for all.
            min_score: The least score, 0 to 1.
            status: The status: `open`, `accepted` or `rejected`.
            limit: Maximum number of proposals, 1 to 1,000.
            group_id: The tenant.
        """
        return await review.list_proposals(
            self._context.graph,
            self._context.group(group_id),
            _choice(None, kinds, min_score),
            validate(ProposalStatus, status, "status"),
            validate_value(ProposalLimit, limit, "limit"),
        )

    async def get(self, proposal_id: str, *, group_id: str | None = None) -> Proposal:
        """Return a proposal with its memories or entities, decided or not.

        Raises:
            InvalidArgumentError: The group has no such proposal, or a memory of it was deleted.
        """
        given = validate_value(MemoryId, proposal_id, "proposal_id")
        return await review.get(self._context.graph, self._context.group(group_id), given)

    async def complete_id(self, given: str, *, group_id: str | None = None) -> str:
        """Return the only id of a proposal or a waiting write that begins with `given`.

        Four characters or more complete an id. An unknown one is returned as it is.

        Raises:
            AmbiguousIdError: Several ids begin with it; the error lists them.
        """
        checked = {"proposal_id": validate_value(MemoryId, given, "proposal_id")}
        group = self._context.group(group_id)
        return (await review.complete_ids(self._context.graph, checked, group))["proposal_id"]

    async def accept(
        self,
        proposal_ids: Sequence[str] | None = None,
        *,
        kinds: Sequence[ProposalKindArgument] | None = None,
        min_score: float | None = None,
        dry_run: bool = False,
        group_id: str | None = None,
    ) -> Decision:
        """Accept proposals: each becomes a relation, or its first memory supersedes the second.

        The relation `same_as` makes two entities one for reads. `reopen` takes it back.

        The decision is a run: `maintenance.undo` takes it back by its `run_id`.

        Args:
            proposal_ids: The proposals; None for all open ones that match the other arguments.
            kinds: The kinds to accept; None for all.
            min_score: The least score, 0 to 1.
            dry_run: True to report the proposals without a change.
            group_id: The tenant.

        Raises:
            InvalidArgumentError: The group has no such proposal, or nothing chooses proposals.
            RunLockedError: A maintenance run is in progress.
        """
        choice = _decidable(proposal_ids, kinds, min_score)
        return await self._decide(choice, ProposalStatus.ACCEPTED, dry_run, group_id)

    async def reject(
        self,
        proposal_ids: Sequence[str] | None = None,
        *,
        kinds: Sequence[ProposalKindArgument] | None = None,
        min_score: float | None = None,
        dry_run: bool = False,
        group_id: str | None = None,
    ) -> Decision:
        """Reject proposals, so that they are not made again; see `accept`."""
        choice = _decidable(proposal_ids, kinds, min_score)
        return await self._decide(choice, ProposalStatus.REJECTED, dry_run, group_id)

    async def reopen(
        self,
        proposal_ids: Sequence[str],
        *,
        dry_run: bool = False,
        group_id: str | None = None,
    ) -> Decision:
        """Take back the decisions on proposals, so that they are open again.

        Entities that were one are two again. A decision stays if what it made was changed since.

        Args:
            proposal_ids: The proposals, accepted or rejected.
            dry_run: True to report the proposals without a change.
            group_id: The tenant.

        Returns:
            The decision `open`. It has no run, because the proposals can be decided again.

        Raises:
            InvalidArgumentError: The group has no such proposal.
            RunLockedError: A maintenance run is in progress.
        """
        choice = _decidable(proposal_ids, None, None)
        scope = self._context.scope(group_id)
        context = self._context.of(scope.group_id)
        decision = await reopen(context, scope, choice.proposal_ids or (), dry_run=dry_run)
        self._context.forget_learned()
        return decision

    async def _decide(
        self, choice: Choice, status: ProposalStatus, dry_run: bool, group_id: str | None
    ) -> Decision:
        scope = self._context.scope(group_id)
        context = self._context.of(scope.group_id)
        decision = await decide(context, scope, choice, status, dry_run=dry_run)
        self._context.forget_learned()
        return decision


def _decidable(
    proposal_ids: Sequence[str] | None,
    kinds: Sequence[ProposalKindArgument] | None,
    min_score: float | None,
) -> Choice:
    """Return the choice of a decision, which must name what it is about.

    Raises:
        InvalidArgumentError: Nothing is given, or ids together with a kind or a score.
    """
    by_rule = kinds is not None or min_score is not None
    if (proposal_ids is None) is not by_rule:
        either = f"{argument('kinds')} or {argument('min_score')}"
        raise InvalidArgumentError(
            "proposal_ids", proposal_ids, f"give ids, or choose by {either}, but not both"
        )
    return _choice(proposal_ids, kinds, 0.0 if min_score is None else min_score)


def _choice(
    proposal_ids: Sequence[str] | None, kinds: Sequence[Any] | None, min_score: float
) -> Choice:
    selected: Any = validate_selection(ProposalKind, kinds, "kinds")
    return Choice(
        proposal_ids=validate_selection(MemoryId, proposal_ids, "proposal_ids"),
        kinds=selected,
        min_score=validate_value(Unit, min_score, "min_score"),
    )
