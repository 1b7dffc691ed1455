"""The learning toolset: proposals of relations, decisions on them, entities and clusters."""

from typing import Annotated, Literal

from pydantic import Field

from graph_memory.api.service import GraphMemory
from graph_memory.api.types import ClusterChange, Decision, MentionedEntities, Proposals
from graph_memory.domain import inputs
from graph_memory.domain.inputs import MemoryId
from graph_memory.domain.models import ClusterAction, EntityKind, ProposalKind, ProposalStatus
from graph_memory.errors import InvalidArgumentError
from graph_memory.server import parameters
from graph_memory.server.tool import DESTROYS, ON_PAGE, READS, Toolset
from graph_memory.server.views.clusters import ClusterChangeView, ClustersView
from graph_memory.server.views.entities import EntitiesView
from graph_memory.server.views.learning import DecisionView, ProposalsView

toolset = Toolset()

Kinds = Annotated[
    tuple[ProposalKind, ...] | None,
    Field(
        description="Kinds: relates_to, duplicate_of, contradicts, supersedes, same_as; "
        "default: all."
    ),
    parameters.WORDS,
]


@toolset.tool("List proposals", READS, meta=ON_PAGE)
async def list_proposals(
    memory: GraphMemory,
    kinds: Kinds = None,
    min_score: Annotated[
        float, Field(ge=0, le=1, description="Least score."), parameters.REAL
    ] = 0.0,
    status: Annotated[
        ProposalStatus, Field(description="Status: open, accepted or rejected."), parameters.WORD
    ] = ProposalStatus.OPEN,
    limit: parameters.Limit = 20,
    group_id: parameters.GroupId = None,
) -> ProposalsView:
    """List the relations that maintenance proposes when a user wants to tidy up the memories."""
    found: Proposals = await memory.proposals.list(
        kinds=kinds, min_score=min_score, status=status, limit=limit, group_id=group_id
    )
    return ProposalsView.of(found)


@toolset.tool("List entities", READS)
async def list_entities(
    memory: GraphMemory,
    name: Annotated[inputs.Text | None, Field(description="Only entities of this name.")] = None,
    memory_id: Annotated[
        MemoryId | None, Field(description="Only entities of this memory.")
    ] = None,
    kinds: Annotated[
        tuple[EntityKind, ...] | None,
        Field(description="Kinds: name, mail, url, path, identifier, code, date; default: all."),
        parameters.WORDS,
    ] = None,
    limit: parameters.Limit = 20,
    group_id: parameters.GroupId = None,
) -> EntitiesView:
    """List what memories mention, such as names, when a user asks for all memories of one.

    Maintenance finds entities by rule in its stage entities.
    """
    found: MentionedEntities = await memory.entities.list(
        name, memory_id=memory_id, kinds=kinds, limit=limit, group_id=group_id
    )
    return EntitiesView.of(found)


@toolset.tool("List clusters", READS)
async def list_clusters(
    memory: GraphMemory,
    cluster_id: Annotated[
        inputs.Line | None, Field(description="Only this one, with its memories.")
    ] = None,
    limit: parameters.Limit = 20,
    group_id: parameters.GroupId = None,
) -> ClustersView:
    """List clusters of related memories when a user wants an overview, or to treat many at once.

    Maintenance finds clusters in its stage clusters.
    """
    if cluster_id is None:
        return ClustersView.of(await memory.clusters.list(limit=limit, group_id=group_id))
    found = await memory.clusters.get(cluster_id, limit=limit, group_id=group_id)
    return ClustersView(clusters=[found.cluster], total=1, memories=found.memories)


@toolset.tool("Decide on proposals", DESTROYS)
async def decide_proposals(
    memory: GraphMemory,
    decision: Annotated[
        Literal["accept", "reject", "reopen"],
        Field(description="Decision: accept, reject, or reopen what was decided."),
        parameters.WORD,
    ],
    proposal_ids: Annotated[
        tuple[MemoryId, ...] | None,
        Field(description="Ids; or choose by kinds and min_score."),
        parameters.WORDS,
    ] = None,
    kinds: Kinds = None,
    min_score: Annotated[
        float | None, Field(ge=0, le=1, description="Least score."), parameters.REAL
    ] = None,
    dry_run: Annotated[bool, Field(description="Only report.")] = False,
    group_id: parameters.GroupId = None,
) -> DecisionView:
    """Accept or reject proposals after a user has decided, or if they are certainly right.

    An accepted one becomes a relation; with duplicate_of and supersedes the second memory becomes
    obsolete, with same_as two entities count as one. undo_maintenance takes the decision back by
    its run_id, and reopen by proposal_ids.
    """
    if decision == "reopen":
        if proposal_ids is None or kinds is not None or min_score is not None:
            raise InvalidArgumentError("proposal_ids", proposal_ids, "give only ids to reopen")
        opened: Decision = await memory.proposals.reopen(
            proposal_ids, dry_run=dry_run, group_id=group_id
        )
        return DecisionView.of(opened)
    decide = memory.proposals.accept if decision == "accept" else memory.proposals.reject
    decided: Decision = await decide(
        proposal_ids, kinds=kinds, min_score=min_score, dry_run=dry_run, group_id=group_id
    )
    return DecisionView.of(decided)


@toolset.tool("Act on a cluster", DESTROYS)
async def act_on_cluster(
    memory: GraphMemory,
    cluster_id: Annotated[inputs.Line, Field(description="Id from list_clusters.")],
    action: Annotated[
        ClusterAction,
        Field(description="Action: preserve, tag or obsolete."),
        parameters.WORD,
    ],
    tag: Annotated[inputs.Line | None, Field(description="Tag to add, for tag.")] = None,
    reason: Annotated[inputs.Line | None, Field(description="Reason, for obsolete.")] = None,
    dry_run: Annotated[bool, Field(description="Only report.")] = False,
    group_id: parameters.GroupId = None,
) -> ClusterChangeView:
    """Preserve, tag or mark obsolete all memories of a cluster after a user has asked for it.

    undo_maintenance takes the action back by its run_id.
    """
    changed: ClusterChange = await memory.clusters.act(
        cluster_id, action, tag=tag, reason=reason, dry_run=dry_run, group_id=group_id
    )
    return ClusterChangeView.of(changed)
