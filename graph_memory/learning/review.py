"""The review of proposals: list, accept and reject them.

An accepted proposal becomes a relation, or one of its memories supersedes the other. The proposal
keeps what an undo restores.
"""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.domain.batching import batched
from graph_memory.domain.inputs import NewRelation
from graph_memory.domain.models import EntityKind, ProposalKind, ProposalStatus, RelationType
from graph_memory.domain.origin import Origin
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import Instant
from graph_memory.engine import Engine
from graph_memory.errors import InvalidArgumentError
from graph_memory.memories import read
from graph_memory.memories.lifecycle import Marked
from graph_memory.memories.relations import edges

#: Proposals in one transaction.
_BATCH = 500

#: The kinds by which the first memory supersedes the second.
_SUPERSEDING = (ProposalKind.SUPERSEDES, ProposalKind.DUPLICATE_OF)

#: What an accepted proposal changes of a relation that exists: nothing.
_NOTHING_GIVEN = {"given_strength": None, "given_metadata_json": None}

#: The properties of a memory that superseding it changes; a proposal keeps their earlier values.
KEPT = (
    "lifecycle_state",
    "state_changed_at",
    "state_reason",
    "state_history",
    "packing_due",
    "ended_at",
    "obsolete_at",
    "obsolete_reason",
    "invalid_at",
    "edit_history",
    "next_due_at",
    "is_protected",
)


@dataclass(frozen=True, slots=True)
class ProposedMemory:
    """A memory that a proposal is about."""

    memory_id: str
    content: str


@dataclass(frozen=True, slots=True)
class ProposedEntity:
    """An entity that a proposal is about."""

    entity_id: str
    kind: EntityKind
    content: str  #: its name


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal: the relation of its first memory or entity to its second, with the reason."""

    proposal_id: str
    kind: ProposalKind
    score: float  #: 0 to 1
    reason: str
    status: ProposalStatus
    first: ProposedMemory | ProposedEntity  #: the newer memory, as a rule
    second: ProposedMemory | ProposedEntity
    created_at: Instant
    run_id: str | None  #: the run that proposed it
    decided_at: Instant | None
    decided_by: str | None  #: the caller, or the setting, that decided
    decided_run_id: str | None  #: the run to undo the decision
    origin: Origin | None  #: None if it was stored before origins were


@dataclass(frozen=True, slots=True)
class Proposals:
    """The proposals of a list, the highest score first, and the number of all."""

    proposals: list[Proposal]
    total: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """A proposal that a decision is about."""

    proposal_id: str
    kind: ProposalKind
    from_id: str
    to_id: str
    score: float
    reason: str
    status: ProposalStatus


@dataclass(frozen=True, slots=True)
class ProposalRefusal:
    """A proposal that was not decided, and the reason."""

    proposal_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The proposals that a list or a decision is about: by id, or by kind and score."""

    proposal_ids: tuple[str, ...] | None = None
    kinds: tuple[ProposalKind, ...] | None = None  #: None: all
    min_score: float = 0.0


@dataclass(slots=True)
class Outcome:
    """The ids of the proposals that were decided, and the refusals."""

    decided: list[str] = field(default_factory=list[str])
    refusals: list[ProposalRefusal] = field(default_factory=list[ProposalRefusal])

    def add(self, other: "Outcome") -> None:
        """Add the outcome of other proposals."""
        self.decided += other.decided
        self.refusals += other.refusals


async def list_proposals(
    graph: Graph, group_id: str, choice: Choice, status: ProposalStatus, limit: int
) -> Proposals:
    """List the proposals of a group, the highest score first."""
    common = {
        "group_id": group_id,
        "status": status,
        "kinds": _names(choice),
        "min_score": choice.min_score,
    }
    found = await graph.rows("learning/review/list", Proposal, limit=limit, **common)
    total = len(found)
    if total == limit:
        total = await graph.one("learning/review/count", int, **common) or 0
    return Proposals(found, total)


async def get(graph: Graph, group_id: str, proposal_id: str) -> Proposal:
    """Return a proposal, decided or not.

    Raises:
        InvalidArgumentError: The group has no such proposal, or a memory of it was deleted.
    """
    found = await graph.one(
        "learning/review/get", Proposal, group_id=group_id, proposal_id=proposal_id
    )
    if found is None:
        raise _no_such(proposal_id, "proposal_id")
    return found


async def complete_ids(graph: Graph, given: Mapping[str, str], group_id: str) -> dict[str, str]:
    """Return the ids of proposals and waiting writes that begin with texts.

    Raises:
        AmbiguousIdError: Several ids begin with a text, and none is that text.
    """
    return await read.complete_ids(
        [graph], given, group_id=group_id, statement="learning/review/ids"
    )


def _no_such(proposal_id: str, argument: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        argument, proposal_id, "the group has no such proposal; list them first"
    )


async def choose(graph: Graph, group_id: str, choice: Choice) -> list[Chosen]:
    """Return the proposals that a decision is about, the highest score first.

    Raises:
        InvalidArgumentError: The group has no proposal of a given id.
    """
    if choice.proposal_ids is None:
        return await graph.rows(
            "learning/review/open",
            Chosen,
            group_id=group_id,
            status=ProposalStatus.OPEN,
            kinds=_names(choice),
            min_score=choice.min_score,
        )
    ids = list(dict.fromkeys(choice.proposal_ids))
    found = await named(graph, group_id, ids)
    if missing := sorted(set(ids) - {each.proposal_id for each in found}):
        raise _no_such(missing[0], "proposal_ids")
    return found


async def named(graph: Graph, group_id: str, proposal_ids: Sequence[str]) -> list[Chosen]:
    """Return the proposals of a group that have some ids, decided or not."""
    return await graph.rows(
        "learning/review/named", Chosen, group_id=group_id, proposal_ids=list(proposal_ids)
    )


async def accept(
    engine: Engine, scope: CallScope, chosen: Sequence[Chosen], run_id: str, decided_by: str
) -> Outcome:
    """Accept open proposals; each becomes a relation, or one memory supersedes the other.

    The relation of two entities makes them one for reads. Both nodes stay as they are.

    Args:
        engine: The database, and the decay policies.
        scope: The tenant, the start of the relations, and the origin of the decision.
        chosen: The proposals.
        run_id: The run that decides, for undo.
        decided_by: The caller, or the setting, that decides.
    """
    outcome = Outcome()
    for batch in batched(open_ones(chosen, outcome), _BATCH):
        related = [each for each in batch if each.kind not in (*_SUPERSEDING, ProposalKind.SAME_AS)]
        await _relate(engine.graph, scope, related, outcome, run_id, decided_by)
        merged = [each for each in batch if each.kind is ProposalKind.SAME_AS]
        await _merge(engine.graph, scope, merged, outcome, run_id, decided_by)
        for each in batch:
            if each.kind in _SUPERSEDING:
                await _supersede(engine, scope, each, outcome, run_id, decided_by)
    return outcome


async def reject(
    graph: Graph, scope: CallScope, chosen: Sequence[Chosen], run_id: str, decided_by: str
) -> Outcome:
    """Reject open proposals, so that they are not proposed again; see `accept`."""
    outcome = Outcome()
    for batch in batched(open_ones(chosen, outcome), _BATCH):
        outcome.decided += await graph.rows(
            "learning/review/reject",
            str,
            proposal_ids=sorted(each.proposal_id for each in batch),
            run_id=run_id,
            decided_by=decided_by,
            **scope.parameters(),
        )
    return outcome


def _names(choice: Choice) -> list[str] | None:
    return None if choice.kinds is None else list(choice.kinds)


def open_ones(chosen: Sequence[Chosen], outcome: Outcome) -> list[Chosen]:
    """Return the open proposals, and refuse the others."""
    for each in chosen:
        if each.status is not ProposalStatus.OPEN:
            reason = f"it was {each.status} already; reopen it first"
            outcome.refusals.append(ProposalRefusal(each.proposal_id, reason))
    return [each for each in chosen if each.status is ProposalStatus.OPEN]


def _provenance(proposal: Chosen, run_id: str) -> dict[str, str]:
    """Return the metadata of a relation that a proposal became."""
    return {"proposal_id": proposal.proposal_id, "run_id": run_id}


async def _relate(
    graph: Graph,
    scope: CallScope,
    chosen: Sequence[Chosen],
    outcome: Outcome,
    run_id: str,
    decided_by: str,
) -> None:
    rows = [
        edge | _NOTHING_GIVEN | {"proposal_id": each.proposal_id}
        for each in chosen
        for edge in edges(each.from_id, _relation(each, run_id))
    ]
    if not rows:
        return
    done = await graph.rows(
        "learning/review/relate",
        str,
        relations=rows,
        run_id=run_id,
        decided_by=decided_by,
        origin={**scope.derived(run_id)["origin"], "above": []},
        **scope.parameters(),
    )
    _count(outcome, chosen, done, "one of its memories was deleted")


async def _merge(
    graph: Graph,
    scope: CallScope,
    chosen: Sequence[Chosen],
    outcome: Outcome,
    run_id: str,
    decided_by: str,
) -> None:
    """Connect the two entities of each proposal by a relation."""
    rows = [
        {"proposal_id": each, "relation_id": str(uuid.uuid4())}
        for each in sorted(each.proposal_id for each in chosen)
    ]
    if not rows:
        return
    done = await graph.rows(
        "learning/review/merge",
        str,
        merges=rows,
        run_id=run_id,
        decided_by=decided_by,
        **scope.parameters(),
        **scope.derived(run_id),
    )
    _count(outcome, chosen, done, "no memory mentions one of its entities any more")


def _count(outcome: Outcome, chosen: Sequence[Chosen], done: list[str], refused: str) -> None:
    outcome.decided += done
    for each in sorted({each.proposal_id for each in chosen} - set(done)):
        outcome.refusals.append(ProposalRefusal(each, refused))


def _relation(proposal: Chosen, run_id: str) -> NewRelation:
    return NewRelation(
        target_id=proposal.to_id,
        relation_type=RelationType(proposal.kind),
        strength=proposal.score,
        metadata=_provenance(proposal, run_id),
    )


async def _supersede(
    engine: Engine, scope: CallScope, proposal: Chosen, outcome: Outcome, run_id: str, by: str
) -> None:
    """Let the first memory of a proposal supersede the second, unless it is refused."""
    reason = f"{proposal.kind}: {proposal.reason}"[:256]
    marked = await engine.graph.one(
        "learning/review/supersede",
        Marked,
        proposal_id=proposal.proposal_id,
        memory_id=proposal.to_id,
        superseded_by=proposal.from_id,
        relation_id=str(uuid.uuid4()),
        reason=reason,
        metadata=json.dumps(_provenance(proposal, run_id)),
        kept=list(KEPT),
        run_id=run_id,
        decided_by=by,
        decay=policies.parameters(engine.settings, run_id) | {"because": json.dumps(reason)},
        **scope.parameters(),
        **scope.derived(run_id),
    )
    if marked is None:
        refused = "one of its memories was deleted"
    elif marked.refused:
        refused = marked.error(proposal.from_id).expected
    else:
        outcome.decided.append(proposal.proposal_id)
        return
    outcome.refusals.append(ProposalRefusal(proposal.proposal_id, refused))
