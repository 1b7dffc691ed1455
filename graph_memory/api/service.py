"""The public API: one object that holds a database, an embedding model and the settings."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Self, Unpack, get_args

from graph_memory.api.adoption import AdoptionApi
from graph_memory.api.arguments import (
    ChangeArguments,
    ClockArguments,
    FilterArguments,
    MemoryDetails,
    OnDuplicate,
    ProfileArgument,
    RetrievalArguments,
    SortArgument,
    with_filters,
)
from graph_memory.api.backups import BackupsApi
from graph_memory.api.embeddings import EmbeddingsApi
from graph_memory.api.episodes import EpisodesApi
from graph_memory.api.facts import FactsApi
from graph_memory.api.feedback import FeedbackApi
from graph_memory.api.lifecycle import LifecycleApi
from graph_memory.api.maintenance import MaintenanceApi
from graph_memory.api.relations import RelationsApi
from graph_memory.api.serving import ServingApi
from graph_memory.api.sessions import SessionsApi
from graph_memory.api.storing import store_many
from graph_memory.api.tokens import TokensApi
from graph_memory.auth.grants import Grant
from graph_memory.backup.create import create
from graph_memory.backup.restore import refuse_unfinished
from graph_memory.context import Context
from graph_memory.database import schema
from graph_memory.database.connection import open_database
from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.diagnostics import stats as diagnostics
from graph_memory.diagnostics.stats import Health, Stats
from graph_memory.domain.inputs import (
    Clocks,
    Filters,
    Limit,
    MemoryChanges,
    MemoryId,
    NewMemory,
    Question,
    validate,
    validate_value,
)
from graph_memory.domain.models import FoundMemory, Memory, SortOrder
from graph_memory.engine import Engine
from graph_memory.errors import (
    DuplicateError,
    GraphMemoryError,
    InvalidArgumentError,
    NotFoundError,
)
from graph_memory.graphiti.worker import Worker
from graph_memory.inference.embedder import Embedder
from graph_memory.memories import read
from graph_memory.memories import update as revise
from graph_memory.memories.access import record_accesses
from graph_memory.memories.add import AddResult
from graph_memory.memories.update import Deleted, DeletedAll
from graph_memory.ranking.profiles import Profile, with_weights
from graph_memory.search import listing, retrieval
from graph_memory.search import search as recall
from graph_memory.search.feedback import add_shift_component
from graph_memory.search.listing import Page
from graph_memory.search.retrieval import Retrieval, Retrieved
from graph_memory.settings.base import Settings, read_settings

_HOW_TO_OPEN = "Open it with `async with GraphMemory.open() as memory:`."


class GraphMemory:
    """A memory service: methods to store, read, search and delete memories, and further parts.

    async with GraphMemory.open() as memory:
        stored = await memory.add("Ada prefers tea", tags=["ada"])
        found = await memory.search("what does Ada drink?")
        await memory.lifecycle.preserve(stored.memory_id)

    Most methods take `group_id`, the tenant, which defaults to `settings.group_id`. They raise
    `InvalidArgumentError` for a value outside its range or an unknown argument, and `NotFoundError`
    for an id that the group does not have. They raise `ForbiddenError` for a group that the
    caller's grant does not include, and `GraphUnavailableError` while Neo4j does not answer.

    Attributes:
        context: Resources that all parts share: database, models, settings, clock and grant.
        relations: Relations between memories: add, remove, traverse, analyze, list.
        lifecycle: Decay, protection, recovery, history and forecast of memories.
        sessions: Memories that each conversation has loaded.
        feedback: Judgements of the usefulness of memories.
        episodes: Texts in which Graphiti finds entities and facts.
        facts: Search of facts and entities for clients of Graphiti.
        maintenance: Maintenance runs.
        backups: Backups of the whole database.
        embeddings: Vectors of stored texts.
        adoption: Conversion of Graphiti's entities into memories, and back.
        tokens: Access tokens of the service.
        serving: Readiness, warm-up and metrics of a server.
    """

    def __init__(self, context: Context | None = None, worker: Worker | None = None) -> None:
        """Assemble the parts; `open` and `over` create the context."""
        if context is None:
            raise TypeError(f"GraphMemory needs an open database. {_HOW_TO_OPEN}")
        self.context = context
        self._worker = worker or Worker(context)
        self.relations = RelationsApi(context)
        self.lifecycle = LifecycleApi(context)
        self.sessions = SessionsApi(context)
        self.feedback = FeedbackApi(context)
        self.episodes = EpisodesApi(context, self._worker)
        self.facts = FactsApi(context)
        self.maintenance = MaintenanceApi(context)
        self.backups = BackupsApi(context)
        self.embeddings = EmbeddingsApi(context)
        self.adoption = AdoptionApi(context)
        self.tokens = TokensApi(context)
        self.serving = ServingApi(context)

    @classmethod
    def over(
        cls,
        graph: Graph,
        embedder: Embedder,
        settings: Settings,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> Self:
        """Return a service on a database and a model that are open; close them after it.

        Args:
            graph: The database.
            embedder: The embedding model.
            settings: The configuration.
            clock: Function that returns the present instant, with a zone.
        """
        return cls(Context(Engine(graph, embedder, settings), clock))

    @classmethod
    @asynccontextmanager
    async def open(
        cls, settings: Settings | None = None, *, preload: bool = False, **overrides: Any
    ) -> AsyncGenerator["GraphMemory"]:
        """Open the configured database, or the local one of this user, and migrate its schema.

        Args:
            settings: The configuration; by default read from the environment and the file.
            preload: True to load the models of searches in the background, not at their first use.
            overrides: Settings by name, in place of those of environment and file; not together
                with `settings`.

        Raises:
            GraphUnavailableError: Nothing answers at the configured address.
            LocalNeo4jError: The local Neo4j cannot be started.
            SchemaError: The Neo4j server is too old.
            SettingsError: A setting is malformed.
        """
        settings = settings or read_settings(**overrides)
        embedder = Embedder(settings)
        loading = [asyncio.create_task(embedder.load_all())] if preload else []
        try:
            async with open_database(settings) as graph:
                memory = cls.over(graph, embedder, settings)
                await schema.check_server(graph)
                await refuse_unfinished(graph)
                if settings.migrate_on_start:
                    await schema.migrate_up(graph, settings)
                await policies.check_policies(graph, settings)
                await memory.context.check_embedding()
                try:
                    yield memory
                finally:
                    await memory.close()
        finally:
            # The call that needs a model reports that it cannot be loaded.
            await asyncio.gather(*loading, return_exceptions=True)
            await embedder.close()

    @property
    def settings(self) -> Settings:
        """The configuration."""
        return self.context.settings

    @property
    def grant(self) -> Grant:
        """The access scope and the groups of the caller."""
        return self.context.grant

    def clock(self) -> datetime:
        """Return the present instant, with a zone."""
        return self.context.clock()

    def group(self, group_id: str | None = None) -> str:
        """Return the tenant of a call: the given one, or the default.

        Raises:
            ForbiddenError: The grant does not include it.
        """
        return self.context.group(group_id)

    def acting_for(self, grant: Grant) -> "GraphMemory":
        """Return this service restricted to a grant; database, models and queues are shared."""
        bound = self.context.acting_for(grant)
        return self if bound is self.context else GraphMemory(bound, self._worker)

    async def close(self) -> None:
        """Finish queued work; no call may follow."""
        await self._worker.close()
        await self.context.close()

    async def add(
        self,
        content: NewMemory | str,
        *,
        on_duplicate: OnDuplicate = "raise",
        group_id: str | None = None,
        **details: Unpack[MemoryDetails],
    ) -> Memory:
        """Store a memory and return it.

        Args:
            content: The text, or a `NewMemory` with all details.
            on_duplicate: `raise` an error for content that is stored already, or `return` the
                stored memory.
            group_id: The tenant.
            details: The other fields of `NewMemory`.

        Raises:
            DuplicateError: The content is stored already; `existing_id` is the memory's id.
            LimitExceededError: The content is longer than `settings.max_content_characters`.
        """
        if on_duplicate not in get_args(OnDuplicate):
            raise InvalidArgumentError("on_duplicate", on_duplicate, "it is 'raise' or 'return'")
        given: NewMemory | Mapping[str, Any] = {"content": content, **details}
        if isinstance(content, NewMemory):
            for name, value in details.items():
                raise InvalidArgumentError(name, value, "set it in the NewMemory")
            given, group_id = content, content.group_id or group_id
        (outcome,) = await self.add_many([given], group_id=group_id)
        memory_id = outcome.memory_id
        if isinstance(outcome.error, DuplicateError) and on_duplicate == "return":
            memory_id = outcome.error.existing_id
        elif outcome.error:
            raise outcome.error
        if not memory_id:
            raise GraphMemoryError("The memory was not stored.")
        return await self.context.read_memory(self.context.scope(group_id), memory_id)

    async def add_many(
        self,
        memories: Iterable[NewMemory | Mapping[str, Any]],
        *,
        group_id: str | None = None,
    ) -> list[AddResult]:
        """Store many memories in a few round trips; a refused memory does not stop the others.

        Args:
            memories: Objects, or mappings with the fields of `NewMemory`.
            group_id: The tenant of memories without a group of their own.

        Returns:
            One result per memory, in the order given: its id, or the error.

        Raises:
            LimitExceededError: There are more than `settings.max_batch`; none is stored.
        """
        return await store_many(self.context, list(memories), group_id)

    async def get(
        self,
        memory_id: str,
        *,
        counted: bool = True,
        group_id: str | None = None,
        **clocks: Unpack[ClockArguments],
    ) -> Memory:
        """Fetch a memory.

        Args:
            memory_id: The id of the memory.
            counted: True to count an access; a read of the past never counts.
            group_id: The tenant.
            clocks: `as_of`: only if the memory was true in the world at this instant; `known_at`:
                only if the graph knew it at this instant, with the text of that time.

        Raises:
            NotFoundError: The group has no such memory, or had none at the instants of `clocks`.
        """
        past, scope = validate(Clocks, clocks), self.context.scope(group_id)
        memory = await self.context.read_memory(scope, memory_id, past)
        if counted:
            self.context.count_accesses(scope, [memory_id], past.as_of or past.known_at)
        return memory

    async def update(
        self, memory_id: str, *, group_id: str | None = None, **changes: Unpack[ChangeArguments]
    ) -> tuple[Memory, bool]:
        """Change a memory; its previous text is kept as a version.

        Args:
            memory_id: The id of the memory.
            group_id: The tenant.
            changes: The fields of `MemoryChanges`, at least one; None leaves a field as it is.

        Returns:
            The changed memory, and True if its vector was computed again.

        Raises:
            DuplicateError: Another memory has the new content.
            NotFoundError: The group has no such memory.
        """
        await self.context.require_vectors()
        return await revise.update(
            self.context.engine,
            self.context.scope(group_id),
            validate_value(MemoryId, memory_id, "memory_id"),
            validate(MemoryChanges, changes),
        )

    async def delete(
        self, memory_id: str, *, permanent: bool = False, group_id: str | None = None
    ) -> Deleted:
        """Delete a memory.

        Args:
            memory_id: The id of the memory.
            permanent: False to allow a recovery for `settings.soft_delete_retention_days`.
            group_id: The tenant.

        Raises:
            NotFoundError: The group has no such memory.
        """
        return await revise.delete(
            self.context.engine,
            self.context.scope(group_id),
            validate_value(MemoryId, memory_id, "memory_id"),
            permanent=permanent,
        )

    async def delete_all(
        self,
        *,
        confirm: str,
        permanent: bool = False,
        backed_up: bool = False,
        group_id: str | None = None,
    ) -> DeletedAll:
        """Delete every memory of the group.

        Args:
            confirm: The text 'DELETE ALL'.
            permanent: True to erase the memories, with the sessions and episodes of the group,
                beyond recovery.
            backed_up: True to back up the whole database first.
            group_id: The tenant.

        Returns:
            The number of memories, and the path of the backup.

        Raises:
            ConfirmationRequiredError: `confirm` is another text.
            BackupError: The backup cannot be written; nothing is deleted.
        """
        scope = self.context.scope(group_id)
        revise.require_confirmation(confirm, scope.group_id)
        await self.context.session_store.flush()  # no session is to be stored after
        path = None
        if backed_up:
            path = (await create(self.context.graph, self.settings)).backup_path
        deleted = await revise.delete_all(
            self.context.engine, scope, confirm=confirm, permanent=permanent
        )
        return DeletedAll(deleted, path)

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        profile: ProfileArgument = Profile.RECALL,
        weights: Sequence[float] | None = None,
        counted: bool = True,
        filters: Filters | None = None,
        group_id: str | None = None,
        **keywords: Unpack[FilterArguments],
    ) -> list[FoundMemory]:
        """Find the memories that answer `query`, best first.

        Args:
            query: A question, or any other text; no part of it acts as query syntax.
            limit: Maximum number of memories, 1 to 50.
            profile: `recall` ranks by meaning and words; `weighted` by meaning, recency and
                importance; `hybrid` by these and nearness in the graph.
            weights: Weights for this call, one per component of `weighted` or `hybrid`; each is at
                least 0, and they sum to 1.
            counted: True to count an access to each memory; a search of the past never counts.
            filters: Filters of the memories.
            group_id: The tenant.
            keywords: Fields of `Filters`, instead of `filters` or beside its other fields.

        Returns:
            Memories with scores, 0 to 1, descending.

        Raises:
            DimensionMismatchError: The stored vectors are of another model than the configured.
            EmbeddingError: The embedding model fails.
        """
        context = self.context
        await context.require_vectors()
        scope, by = context.scope(group_id), validate(Profile, profile, "profile")
        asked = validate(Filters, with_filters(filters, keywords))
        settings, moved = await context.ranking_settings(scope.group_id, by)
        found = await recall.search(
            replace(context.engine, settings=with_weights(settings, by, weights)),
            scope,
            validate_value(Question, query, "query"),
            limit=validate_value(Limit, limit, "limit"),
            filters=asked,
            profile=by,
        )
        ids = [hit.memory.memory_id for hit in found if counted]
        context.count_accesses(scope, ids, asked.as_of or asked.known_at)
        return add_shift_component(found, moved)

    async def retrieve(
        self,
        query: str,
        *,
        filters: Filters | None = None,
        group_id: str | None = None,
        **details: Unpack[RetrievalArguments],
    ) -> Retrieved:
        """Return memories that answer `query` and that the conversation lacks, in a token budget.

        An access to each returned memory is counted, unless the retrieval is of the past.

        Args:
            query: A question, or any other text.
            filters: Filters of the memories.
            group_id: The tenant.
            details: Fields of `Retrieval`: budget in tokens, session, depth, profile. Fields of
                `Filters`, instead of `filters` or beside its other fields.

        Raises:
            DimensionMismatchError: The stored vectors are of another model than the configured.
            EmbeddingError: The embedding model fails.
        """
        context = self.context
        await context.require_vectors()
        scope, asked = context.scope(group_id), validate(Retrieval, with_filters(filters, details))
        settings, moved = await context.ranking_settings(scope.group_id, asked.profile)
        retrieved = await retrieval.retrieve(
            replace(context.engine, settings=settings),
            scope,
            context.token_counter,
            context.session_store,
            validate_value(Question, query, "query"),
            asked,
        )
        ids = [given.memory.memory_id for given in retrieved.memories]
        context.count_accesses(scope, ids, asked.as_of or asked.known_at)
        return replace(retrieved, memories=add_shift_component(retrieved.memories, moved))

    async def touch(self, memory_id: str, *, group_id: str | None = None) -> None:
        """Count an access to a memory, which resets its decay.

        Raises:
            NotFoundError: The group has no such memory.
        """
        scope = self.context.scope(group_id)
        given = validate_value(MemoryId, memory_id, "memory_id")
        if not await record_accesses(self.context.engine, scope, {given: 1}):
            raise NotFoundError(given, scope.group_id)

    async def stats(self, group_id: str | None = None) -> Stats:
        """Count the memories of a group by type and tag, and its relations by type."""
        return await diagnostics.stats(self.context, self.group(group_id))

    async def health(self, group_id: str | None = None) -> Health:
        """Return the states, mean scores, waiting work and last maintenance run of a group."""
        return await diagnostics.health(self.context, self.group(group_id))

    async def list(
        self,
        *,
        sort: SortArgument = SortOrder.IMPORTANCE,
        limit: int = 20,
        cursor: str | None = None,
        filters: Filters | None = None,
        group_id: str | None = None,
        **keywords: Unpack[FilterArguments],
    ) -> Page:
        """List the memories that match filters, one page per call.

        An access to each returned memory is counted, unless the list is of the past.

        Args:
            sort: `importance`, the highest first, or `created_at`, the latest first.
            limit: Maximum number of memories of a page, 1 to 50.
            cursor: `next_cursor` of the page before; None for the first page.
            filters: Filters of the memories.
            group_id: The tenant.
            keywords: Fields of `Filters`, instead of `filters` or beside its other fields.

        Raises:
            InvalidArgumentError: The cursor is malformed, or belongs to another sort order.
        """
        context, scope = self.context, self.context.scope(group_id)
        asked = validate(Filters, with_filters(filters, keywords))
        page = await listing.list_memories(
            context.engine,
            scope,
            filters=asked,
            sort=validate(SortOrder, sort, "sort"),
            limit=validate_value(Limit, limit, "limit"),
            cursor=cursor,
        )
        ids = [memory.memory_id for memory in page.memories]
        context.count_accesses(scope, ids, asked.as_of or asked.known_at)
        return page

    async def count(
        self,
        *,
        filters: Filters | None = None,
        group_id: str | None = None,
        **keywords: Unpack[FilterArguments],
    ) -> int:
        """Count the memories that `list` returns on all its pages; counts no access.

        Args:
            filters: Filters of the memories.
            group_id: The tenant.
            keywords: Fields of `Filters`, instead of `filters` or beside its other fields.
        """
        return await listing.count(
            self.context.graph,
            self.context.scope(group_id),
            validate(Filters, with_filters(filters, keywords)),
        )

    async def complete_id(self, given: str, *, group_id: str | None = None) -> str:
        """Return the only memory id that begins with `given`, from four characters on.

        A whole id needs no query. An unknown one is returned as it is.

        Raises:
            AmbiguousIdError: Several ids begin with it; the error lists them.
        """
        checked = validate_value(MemoryId, given, "memory_id")
        return await read.complete_id(self.context.graph, checked, group_id=self.group(group_id))
