"""The types of the public API, in one place for the server and the commands."""

from graph_memory.api.adoption import AdoptableGroup, Adopted, GroupRename
from graph_memory.api.database import (
    Check,
    Loss,
    MigrationStatus,
    Problem,
    RepairCount,
    Restored,
    Rewritten,
)
from graph_memory.api.embeddings import RebuildReport
from graph_memory.api.episodes import EntityTypes, JobStatus, Kind, NewEpisode
from graph_memory.api.facts import Entity, Fact, FactFilters, Names
from graph_memory.api.feedback import FeedbackExport, Learned, LearnedWeight
from graph_memory.api.lifecycle import (
    DecayStatus,
    Event,
    Forecast,
    Obsolete,
    Points,
    Scan,
    Span,
    TextOrigin,
)
from graph_memory.api.maintenance import (
    MaintenanceReport,
    MaintenanceStatus,
    Pause,
    QueueReport,
    RunId,
    RunRequest,
    UndoReport,
)
from graph_memory.api.pending import PendingWrites
from graph_memory.api.tokens import VerifiedToken
from graph_memory.auth.grants import EVERYTHING, Grant, Scope
from graph_memory.auth.tokens import Token
from graph_memory.backup.archives import RewrittenBackup, StoredBackup
from graph_memory.backup.create import Backup
from graph_memory.backup.group_move import GroupMoved
from graph_memory.backup.until import TakenBack
from graph_memory.database.lease import LeaseState
from graph_memory.database.moves import GroupMove, Phase
from graph_memory.database.placement import GroupPlace
from graph_memory.decay.forecast import STATES, ForecastPoint, ForgottenMemory
from graph_memory.decay.protected import Protected
from graph_memory.decay.status import (
    NextChange,
    Transition,
    describe_next_changes,
    describe_protection,
    describe_status,
)
from graph_memory.diagnostics.erasure_check import Finding, VerifiedErasure
from graph_memory.diagnostics.erasure_choice import NamedMemories, NamedMemory
from graph_memory.diagnostics.groups import PlacedGroup
from graph_memory.diagnostics.stats import (
    Averages,
    EmbeddingCoverage,
    Health,
    LastRun,
    ReviewQueue,
    Stats,
)
from graph_memory.domain.receipts import Receipt, SearchedPlace
from graph_memory.graphiti.adoption import MisplacedGroup
from graph_memory.graphiti.rename_group import is_tenant, remedy
from graph_memory.learning.clustered import Cluster, ClusterMemories, ClusterMemory, Clusters
from graph_memory.learning.mentioned import (
    EntityAlias,
    EntityMention,
    MentionedEntities,
    MentionedEntity,
)
from graph_memory.learning.review import (
    Proposal,
    ProposalRefusal,
    Proposals,
    ProposedEntity,
    ProposedMemory,
)
from graph_memory.maintenance.acting import ClusterChange, LeftMemory
from graph_memory.maintenance.records import Counts, Failure, Run
from graph_memory.maintenance.report import DryRunItem, LearnedChange, UnfinishedRun
from graph_memory.maintenance.request import Stage, StageName
from graph_memory.maintenance.review import Decision
from graph_memory.maintenance.revoking import Revocation
from graph_memory.maintenance.undo import UndoRefusal
from graph_memory.memories.access import Touched
from graph_memory.memories.add import AddResult
from graph_memory.memories.capture import CapturedTurn, TurnStatus
from graph_memory.memories.confidence import Action
from graph_memory.memories.group_settings import GroupSettings
from graph_memory.memories.lifecycle import Resolution
from graph_memory.memories.pending import PendingWrite, Reviewed, ReviewRefusal
from graph_memory.memories.relations import Related
from graph_memory.memories.slots import Slot
from graph_memory.memories.tombstones import Cause, Rejected, Tombstone
from graph_memory.memories.update import CONFIRMATION, Deleted, DeletedAll
from graph_memory.ranking.profiles import Profile
from graph_memory.search.answer import Retrieved, compact_judgement, compact_retrieval
from graph_memory.search.budget import RetrievedMemory
from graph_memory.search.compact import (
    MAX_LINKS,
    PASSAGE_HINT,
    as_json,
    compact_scores,
    given_fields,
    link_fields,
    listed_memory,
)
from graph_memory.search.injection import Injection
from graph_memory.search.listing import Page
from graph_memory.search.retrieval import (
    Budget,
    ConversationTokens,
    Retrieval,
    SearchDepth,
    SessionId,
    Threshold,
)
from graph_memory.search.session import (
    ChangedMemory,
    ChangeReason,
    ContextState,
    LoadedMemory,
    LoadStatus,
)
from graph_memory.traversal.analysis import Analysis, Bridge, Connector, TypeCount
from graph_memory.traversal.traverse import (
    Algorithm,
    AlgorithmName,
    Depth,
    Direction,
    DirectionName,
    Milliseconds,
    NodeCount,
    ReachedMemory,
    RelationTypes,
    Top,
    Walk,
    Walked,
    WalkedRelation,
)

__all__ = [
    "CONFIRMATION",
    "EVERYTHING",
    "MAX_LINKS",
    "PASSAGE_HINT",
    "STATES",
    "Action",
    "AddResult",
    "AdoptableGroup",
    "Adopted",
    "Algorithm",
    "AlgorithmName",
    "Analysis",
    "Averages",
    "Backup",
    "Bridge",
    "Budget",
    "CapturedTurn",
    "Cause",
    "ChangeReason",
    "ChangedMemory",
    "Check",
    "Cluster",
    "ClusterChange",
    "ClusterMemories",
    "ClusterMemory",
    "Clusters",
    "Connector",
    "ContextState",
    "ConversationTokens",
    "Counts",
    "DecayStatus",
    "Decision",
    "Deleted",
    "DeletedAll",
    "Depth",
    "Direction",
    "DirectionName",
    "DryRunItem",
    "EmbeddingCoverage",
    "Entity",
    "EntityAlias",
    "EntityMention",
    "EntityTypes",
    "Event",
    "Fact",
    "FactFilters",
    "Failure",
    "FeedbackExport",
    "Finding",
    "Forecast",
    "ForecastPoint",
    "ForgottenMemory",
    "Grant",
    "GroupMove",
    "GroupMoved",
    "GroupPlace",
    "GroupRename",
    "GroupSettings",
    "Health",
    "Injection",
    "JobStatus",
    "Kind",
    "LastRun",
    "Learned",
    "LearnedChange",
    "LearnedWeight",
    "LeaseState",
    "LeftMemory",
    "LoadStatus",
    "LoadedMemory",
    "Loss",
    "MaintenanceReport",
    "MaintenanceStatus",
    "MentionedEntities",
    "MentionedEntity",
    "MigrationStatus",
    "Milliseconds",
    "MisplacedGroup",
    "NamedMemories",
    "NamedMemory",
    "Names",
    "NewEpisode",
    "NextChange",
    "NodeCount",
    "Obsolete",
    "Page",
    "Pause",
    "PendingWrite",
    "PendingWrites",
    "Phase",
    "PlacedGroup",
    "Points",
    "Problem",
    "Profile",
    "Proposal",
    "ProposalRefusal",
    "Proposals",
    "ProposedEntity",
    "ProposedMemory",
    "Protected",
    "QueueReport",
    "ReachedMemory",
    "RebuildReport",
    "Receipt",
    "Rejected",
    "Related",
    "RelationTypes",
    "RepairCount",
    "Resolution",
    "Restored",
    "Retrieval",
    "Retrieved",
    "RetrievedMemory",
    "ReviewQueue",
    "ReviewRefusal",
    "Reviewed",
    "Revocation",
    "Rewritten",
    "RewrittenBackup",
    "Run",
    "RunId",
    "RunRequest",
    "Scan",
    "Scope",
    "SearchDepth",
    "SearchedPlace",
    "SessionId",
    "Slot",
    "Span",
    "Stage",
    "StageName",
    "Stats",
    "StoredBackup",
    "TakenBack",
    "TextOrigin",
    "Threshold",
    "Token",
    "Tombstone",
    "Top",
    "Touched",
    "Transition",
    "TurnStatus",
    "TypeCount",
    "UndoRefusal",
    "UndoReport",
    "UnfinishedRun",
    "VerifiedErasure",
    "VerifiedToken",
    "Walk",
    "Walked",
    "WalkedRelation",
    "as_json",
    "compact_judgement",
    "compact_retrieval",
    "compact_scores",
    "describe_next_changes",
    "describe_protection",
    "describe_status",
    "given_fields",
    "is_tenant",
    "link_fields",
    "listed_memory",
    "remedy",
]
