"""The parts of a `GraphMemory`, each imported and made at its first use: a command needs few."""

from functools import cached_property
from typing import TYPE_CHECKING

from graph_memory.context import Context

if TYPE_CHECKING:
    from graph_memory.api.adoption import AdoptionApi
    from graph_memory.api.backups import BackupsApi
    from graph_memory.api.clusters import ClustersApi
    from graph_memory.api.conversations import ConversationsApi
    from graph_memory.api.embeddings import EmbeddingsApi
    from graph_memory.api.entities import EntitiesApi
    from graph_memory.api.episodes import EpisodesApi
    from graph_memory.api.erasure import ErasureApi
    from graph_memory.api.facts import FactsApi
    from graph_memory.api.feedback import FeedbackApi
    from graph_memory.api.groups import GroupsApi
    from graph_memory.api.lifecycle import LifecycleApi
    from graph_memory.api.maintenance import MaintenanceApi
    from graph_memory.api.pending import PendingApi
    from graph_memory.api.proposals import ProposalsApi
    from graph_memory.api.relations import RelationsApi
    from graph_memory.api.serving import ServingApi
    from graph_memory.api.sessions import SessionsApi
    from graph_memory.api.tokens import TokensApi
    from graph_memory.api.tombstones import TombstonesApi
    from graph_memory.graphiti.worker import Worker


class Parts:
    """The parts of a service on a context."""

    def __init__(self, context: Context, worker: "Worker | None" = None) -> None:
        self.context = context
        if worker:
            self._worker = worker

    @cached_property
    def _worker(self) -> "Worker":
        """The reader of episodes, which all services on the same database share."""
        from graph_memory.graphiti.worker import Worker

        return Worker(self.context)

    async def _close_worker(self) -> None:
        if "_worker" in self.__dict__:
            await self._worker.close()

    @cached_property
    def relations(self) -> "RelationsApi":
        """Relations between memories: add, remove, traverse, analyze, list."""
        from graph_memory.api.relations import RelationsApi

        return RelationsApi(self.context)

    @cached_property
    def lifecycle(self) -> "LifecycleApi":
        """Decay, protection, recovery, history and forecast of memories."""
        from graph_memory.api.lifecycle import LifecycleApi

        return LifecycleApi(self.context)

    @cached_property
    def sessions(self) -> "SessionsApi":
        """Memories that each conversation has loaded."""
        from graph_memory.api.sessions import SessionsApi

        return SessionsApi(self.context)

    @cached_property
    def conversations(self) -> "ConversationsApi":
        """Capture of conversations, and memories for their context."""
        from graph_memory.api.conversations import ConversationsApi

        return ConversationsApi(self.context)

    @cached_property
    def feedback(self) -> "FeedbackApi":
        """Judgements of the usefulness of memories."""
        from graph_memory.api.feedback import FeedbackApi

        return FeedbackApi(self.context)

    @cached_property
    def episodes(self) -> "EpisodesApi":
        """Texts in which Graphiti finds entities and facts."""
        from graph_memory.api.episodes import EpisodesApi

        return EpisodesApi(self.context, self._worker)

    @cached_property
    def facts(self) -> "FactsApi":
        """Search of facts and entities for clients of Graphiti."""
        from graph_memory.api.facts import FactsApi

        return FactsApi(self.context)

    @cached_property
    def maintenance(self) -> "MaintenanceApi":
        """Maintenance runs."""
        from graph_memory.api.maintenance import MaintenanceApi

        return MaintenanceApi(self.context)

    @cached_property
    def proposals(self) -> "ProposalsApi":
        """Proposals of relations and aliases: list, accept, reject and reopen."""
        from graph_memory.api.proposals import ProposalsApi

        return ProposalsApi(self.context)

    @cached_property
    def pending(self) -> "PendingApi":
        """Writes that wait for a review: list, accept and reject."""
        from graph_memory.api.pending import PendingApi

        return PendingApi(self.context, self.episodes)

    @cached_property
    def entities(self) -> "EntitiesApi":
        """Entities that memories mention."""
        from graph_memory.api.entities import EntitiesApi

        return EntitiesApi(self.context)

    @cached_property
    def clusters(self) -> "ClustersApi":
        """Clusters of related memories: list, read, and act on all memories of one."""
        from graph_memory.api.clusters import ClustersApi

        return ClustersApi(self.context)

    @cached_property
    def groups(self) -> "GroupsApi":
        """Groups: their settings, their servers, and moves between servers."""
        from graph_memory.api.groups import GroupsApi

        return GroupsApi(self.context)

    @cached_property
    def erasure(self) -> "ErasureApi":
        """Permanent deletion with a receipt, and the check of receipts."""
        from graph_memory.api.erasure import ErasureApi

        return ErasureApi(self.context)

    @cached_property
    def backups(self) -> "BackupsApi":
        """Backups of the whole database."""
        from graph_memory.api.backups import BackupsApi

        return BackupsApi(self.context)

    @cached_property
    def embeddings(self) -> "EmbeddingsApi":
        """Vectors of stored texts."""
        from graph_memory.api.embeddings import EmbeddingsApi

        return EmbeddingsApi(self.context)

    @cached_property
    def adoption(self) -> "AdoptionApi":
        """Conversion of Graphiti's entities into memories, and back."""
        from graph_memory.api.adoption import AdoptionApi

        return AdoptionApi(self.context)

    @cached_property
    def tombstones(self) -> "TombstonesApi":
        """Statements that are refused, because they were rejected or erased."""
        from graph_memory.api.tombstones import TombstonesApi

        return TombstonesApi(self.context)

    @cached_property
    def tokens(self) -> "TokensApi":
        """Access tokens of the service."""
        from graph_memory.api.tokens import TokensApi

        return TokensApi(self.context)

    @cached_property
    def serving(self) -> "ServingApi":
        """Readiness, warm-up and metrics of a server."""
        from graph_memory.api.serving import ServingApi

        return ServingApi(self.context)
