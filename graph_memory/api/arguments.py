"""The keyword arguments of the public API, typed so that a type checker finds misspelt ones.

Each `TypedDict` mirrors the dataclass that checks the values at run time; a test compares them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import date, datetime
from typing import Any, Literal, Required, TypedDict

from graph_memory.domain.attachments import Attachment
from graph_memory.domain.inputs import Clearable, Filters, NewRelation, validate
from graph_memory.domain.models import (
    ClusterAction,
    EntityKind,
    LifecycleState,
    MemoryType,
    ProposalKind,
    ProposalStatus,
    RelationType,
    ResultOrder,
    SortOrder,
    Source,
)
from graph_memory.domain.origin import Authority
from graph_memory.errors import InvalidArgumentError
from graph_memory.maintenance.request import Stage
from graph_memory.memories.lifecycle import Resolution
from graph_memory.ranking.profiles import Profile
from graph_memory.traversal.traverse import Algorithm, Direction

#: An instant: a datetime, a date, or a text as ISO 8601; without a zone it is UTC.
Time = datetime | date | str
Strings = list[str] | tuple[str, ...]

MemoryTypeArgument = (
    MemoryType
    | Literal[
        "general",
        "fact",
        "preference",
        "conversation",
        "task",
        "ephemeral",
        "concept",
        "procedure",
        "context",
    ]
)
StateArgument = LifecycleState | Literal["ACTIVE", "DORMANT", "ARCHIVED", "EXPIRED", "SOFT_DELETED"]
RelationTypeArgument = (
    RelationType
    | Literal[
        "references",
        "contradicts",
        "supports",
        "extends",
        "causes",
        "caused_by",
        "precedes",
        "follows",
        "part_of",
        "contains",
        "relates_to",
        "depends_on",
        "leads_to",
        "supersedes",
    ]
)
SourceArgument = Source | Literal["user", "system", "derived"]
SortArgument = SortOrder | Literal["importance", "created_at"]
ResultOrderArgument = ResultOrder | Literal["score", "time"]
ProfileArgument = Profile | Literal["recall", "weighted", "hybrid"]
ResolutionArgument = Resolution | Literal["newer", "stronger"]
AlgorithmArgument = Algorithm | Literal["bfs", "dfs"]
DirectionArgument = Direction | Literal["out", "in", "both"]
StageArgument = (
    Stage
    | Literal[
        "protection",
        "decay",
        "compress",
        "confidence",
        "classification",
        "embeddings",
        "entities",
        "slots",
        "proposals",
        "strengths",
        "centrality",
        "clusters",
        "weights",
        "briefs",
        "purge",
        "sessions",
        "records",
    ]
)
ProposalKindArgument = (
    ProposalKind | Literal["relates_to", "duplicate_of", "contradicts", "supersedes", "same_as"]
)
EntityKindArgument = (
    EntityKind | Literal["name", "mail", "url", "path", "identifier", "code", "date"]
)
AuthorityArgument = Authority | Literal["person", "agent", "tool", "import", "derived"]
ProposalStatusArgument = ProposalStatus | Literal["open", "accepted", "rejected"]
ClusterActionArgument = ClusterAction | Literal["preserve", "tag", "obsolete"]
OnDuplicate = Literal["raise", "return"]


class ClockArguments(TypedDict, total=False):
    """The instants of a read on both clocks; fields of `Clocks`."""

    as_of: Time | None
    known_at: Time | None


class FilterArguments(TypedDict, total=False):
    """The filters of a search or list; fields of `Filters`."""

    memory_types: Sequence[MemoryTypeArgument] | None
    tags: Strings | None
    date_from: Time | None
    date_to: Time | None
    states: Sequence[StateArgument] | None
    project_id: str | None
    min_authority: AuthorityArgument | None
    as_of: Time | None
    known_at: Time | None


class RetrievalArguments(FilterArguments, total=False):
    """The budget, session and filters of a retrieval; fields of `Retrieval`."""

    max_tokens: int | None
    search_depth: int | None
    anchor_count: int | None
    staleness_threshold: int | None
    session_id: str | None
    conversation_tokens: int | None
    profile: ProfileArgument
    weights: Sequence[float] | None
    min_relevance: float | None
    budget_of: Literal["contents", "answer"]
    sort: ResultOrderArgument | None


class RelationDetails(TypedDict, total=False):
    """A relation without its ends and type; fields of `NewRelation`."""

    strength: float | None
    bidirectional: bool
    fact: str | None
    valid_at: Time | None
    invalid_at: Time | None
    metadata: Mapping[str, Any] | None


class RelationArguments(RelationDetails, total=False):
    """A relation from a new memory; fields of `NewRelation`."""

    target_id: Required[str]
    relation_type: RelationTypeArgument


class AttachmentArguments(TypedDict, total=False):
    """A file, image or piece of code by reference; fields of `Attachment`."""

    uri: Required[str]
    media_type: str | None
    title: str | None
    sha256: str | None
    language: str | None


#: An attachment, or only its address.
AttachmentArgument = Attachment | AttachmentArguments | str


class MemoryDetails(TypedDict, total=False):
    """A new memory without its content and group; fields of `NewMemory`."""

    memory_type: MemoryTypeArgument
    tags: Strings
    metadata: Mapping[str, Any]
    attachments: Sequence[AttachmentArgument]
    importance: float | None
    stability: int | None
    confidence: float | None
    source: SourceArgument
    title: str | None
    project_id: str | None
    parent_id: str | None
    conversation_id: str | None
    relationships: Sequence[NewRelation | RelationArguments]
    decay_policy: str | None
    decay_rate: float | None
    valid_at: Time | None
    created_at: Time | None
    memory_id: str | None
    copied_from: str | None


class ChangeArguments(TypedDict, total=False):
    """The changes to a memory; fields of `MemoryChanges`."""

    content: str | None
    supersede_part: str | None
    metadata: Mapping[str, Any] | None
    attachments: Sequence[AttachmentArgument] | None
    tags: Strings | None
    importance: float | None
    memory_type: MemoryTypeArgument | None
    stability: int | None
    confidence: float | None
    project_id: str | None
    parent_id: str | None
    title: str | None
    decay_policy: str | None
    decay_rate: float | None
    clear: Sequence[Clearable]


class WalkArguments(TypedDict, total=False):
    """The bounds, filters and clocks of a walk; fields of `Walk`."""

    algorithm: AlgorithmArgument
    max_depth: int | None
    max_nodes: int | None
    relation_types: Strings | None
    types: Sequence[MemoryTypeArgument] | None
    tags: Strings | None
    states: Sequence[StateArgument] | None
    direction: DirectionArgument
    include_parent_links: bool
    through_entities: bool
    time_budget_ms: int | None
    as_of: Time | None
    known_at: Time | None


class EpisodeDetails(TypedDict, total=False):
    """An episode without its content; fields of `NewEpisode`."""

    name: str | None
    source: Literal["text", "message", "json"]
    source_description: str
    reference_time: Time | None
    entity_types: Mapping[str, str]
    saga: str | None
    update_communities: bool


class FactArguments(TypedDict, total=False):
    """The filters of a search of facts; fields of `FactFilters`."""

    names: Strings | None
    entity_id: str | None
    as_of: Time | None
    valid_after: Time | None
    valid_before: Time | None
    invalid_after: Time | None
    invalid_before: Time | None


class RunArguments(TypedDict, total=False):
    """The options of a maintenance run; fields of `RunRequest`."""

    groups: Strings | None
    stages: Sequence[StageArgument] | None
    full: bool
    batch_size: int | None
    concurrency: int | None
    max_seconds: float | None
    canary_percent: int | None


def with_filters(filters: Filters | None, keywords: Mapping[str, object]) -> dict[str, object]:
    """Return the keywords of a call together with the fields of `filters`.

    Raises:
        InvalidArgumentError: A field is in both, or a value of `filters` is out of range.
    """
    if filters is None:
        return dict(keywords)
    given = {name: value for name, value in keywords.items() if value is not None}
    checked = validate(Filters, filters, "filters")
    listed = {field.name: getattr(checked, field.name) for field in fields(Filters)}
    listed = {name: value for name, value in listed.items() if value is not None}
    for name in given.keys() & listed.keys():
        raise InvalidArgumentError(name, given[name], f"filters.{name} is given, too; give one")
    return listed | given
