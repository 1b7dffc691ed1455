"""The public API: one object that holds a database, an embedding model and the settings."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self, Unpack

from graph_memory.api.arguments import (
    FilterArguments,
    ProfileArgument,
    ResultOrderArgument,
    RetrievalArguments,
    SortArgument,
    with_filters,
)
from graph_memory.api.memories import MemoriesApi
from graph_memory.api.parts import Parts
from graph_memory.auth.grants import Grant
from graph_memory.backup.restore import refuse_unfinished
from graph_memory.context import Context
from graph_memory.database import embedding_record, schema
from graph_memory.database.connection import open_database
from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.diagnostics import stats as diagnostics
from graph_memory.diagnostics.stats import Health, Stats
from graph_memory.domain.inputs import (
    Filters,
    Limit,
    Question,
    Unit,
    validate,
    validate_value,
)
from graph_memory.domain.models import FoundMemory, ResultOrder, SearchResults, SortOrder
from graph_memory.engine import Engine
from graph_memory.inference.embedder import Embedder
from graph_memory.ranking.profiles import Profile, with_weights
from graph_memory.search import listing, retrieval
from graph_memory.search import search as recall
from graph_memory.search.answer import Retrieved
from graph_memory.search.budget import RetrievedMemory, relevant
from graph_memory.search.judgement import require_calibration
from graph_memory.search.listing import Page
from graph_memory.search.retrieval import Retrieval
from graph_memory.settings.base import Settings, read_settings

if TYPE_CHECKING:
    from graph_memory.graphiti.worker import Worker

_HOW_TO_OPEN = "Open it with `async with GraphMemory.open() as memory:`."


class _Preparation:
    """The preparation of each database before its first use."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.opened = False  #: the service is open, so that a server comes late

    async def prepare(self, graph: Graph) -> None:
        """Check the server and migrate its schema; of a late server, check the vectors as well."""
        await schema.check_server(graph)
        await refuse_unfinished(graph)
        if self._settings.migrate_on_start:
            await schema.migrate_up(graph, self._settings)
        if self.opened:
            await embedding_record.check_embedding(graph, self._settings)


class GraphMemory(MemoriesApi, Parts):
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
        conversations: Capture of conversations, and memories for their context.
        feedback: Judgements of the usefulness of memories.
        episodes: Texts in which Graphiti finds entities and facts.
        facts: Search of facts and entities for clients of Graphiti.
        maintenance: Maintenance runs.
        proposals: Proposals of relations and aliases: list, accept, reject and reopen.
        pending: Writes that wait for a review: list, accept and reject.
        entities: Entities that memories mention.
        clusters: Clusters of related memories: list, read, and act on all memories of one.
        groups: Groups: their settings, their servers, and moves between servers.
        erasure: Permanent deletion with a receipt, and the check of receipts.
        backups: Backups of the whole database.
        embeddings: Vectors of stored texts.
        adoption: Conversion of Graphiti's entities into memories, and back.
        tombstones: Statements that are refused, because they were rejected or erased.
        tokens: Access tokens of the service.
        serving: Readiness, warm-up and metrics of a server.
    """

    def __init__(self, context: Context | None = None, worker: "Worker | None" = None) -> None:
        """Assemble the parts; `open` and `over` create the context."""
        if context is None:
            raise TypeError(f"GraphMemory needs an open database. {_HOW_TO_OPEN}")
        super().__init__(context, worker)

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
        interrupted = False
        try:
            preparation = _Preparation(settings)
            async with open_database(settings, preparation.prepare) as graph:
                memory = cls.over(graph, embedder, settings)
                await policies.check_policies(graph, settings)
                await memory.context.check_embedding()
                preparation.opened = True
                try:
                    yield memory
                finally:
                    await memory.close()
        except asyncio.CancelledError:
            interrupted = True
            for task in loading:
                task.cancel()
            raise
        finally:
            # The call that needs a model reports that it cannot be loaded.
            await asyncio.gather(*loading, return_exceptions=True)
            await embedder.close(wait=not interrupted)

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
        await self._close_worker()
        await self.context.close()

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        profile: ProfileArgument = Profile.RECALL,
        weights: Sequence[float] | None = None,
        min_relevance: float = 0.0,
        sort: ResultOrderArgument = ResultOrder.SCORE,
        counted: bool = True,
        filters: Filters | None = None,
        group_id: str | None = None,
        **keywords: Unpack[FilterArguments],
    ) -> SearchResults:
        """Find the memories that answer `query`, best first.

        Args:
            query: A question, or any other text; no part of it acts as query syntax.
            limit: Maximum number of memories, 1 to 50.
            profile: `recall` ranks by meaning and words; `weighted` by meaning, recency and
                importance; `hybrid` by these and nearness in the graph.
            weights: Weights for this call, one per component of `weighted` or `hybrid`; each is at
                least 0, and they sum to 1.
            min_relevance: Relevance below which a memory is left out, 0 to 1. More than 0 needs the
                profile `recall` and an embedding model that has a calibration.
            sort: `time` returns the best memories in the order of their time, the earliest first.
                The time of a memory is `valid_at`, or else `created_at`.
            counted: True to count an access to each memory whose relevance is at least
                `settings.access_min_relevance`; a search of the past never counts.
            filters: Filters of the memories.
            group_id: The tenant.
            keywords: Fields of `Filters`, instead of `filters` or beside its other fields.

        Returns:
            A list of memories with scores, 0 to 1, descending, or the earliest first by `sort`. Its
            attributes `known` and `known_reason` show whether the group has an answer.

        Raises:
            DimensionMismatchError: The stored vectors are of another model than the configured.
            EmbeddingError: The embedding model fails.
        """
        context = self.context
        await context.require_vectors()
        scope, by = context.scope(group_id), validate(Profile, profile, "profile")
        asked = validate(Filters, with_filters(filters, keywords))
        least = validate_value(Unit, min_relevance, "min_relevance")
        require_calibration(least, by, context.settings)
        question = validate_value(Question, query, "query")
        engine = await context.ranking_engine(scope.group_id, by, question)
        found = await recall.search(
            replace(engine, settings=with_weights(engine.settings, by, weights)),
            scope,
            question,
            limit=validate_value(Limit, limit, "limit"),
            filters=asked,
            profile=by,
            min_relevance=least,
            sort=validate(ResultOrder, sort, "sort"),
        )
        used = self._used(found) if counted else []
        context.count_accesses(scope, used, asked.as_of or asked.known_at)
        return found

    async def retrieve(
        self,
        query: str,
        *,
        counted: bool = True,
        filters: Filters | None = None,
        group_id: str | None = None,
        **details: Unpack[RetrievalArguments],
    ) -> Retrieved:
        """Return memories that answer `query` and that the conversation lacks, in a token budget.

        Args:
            query: A question, or any other text.
            counted: True to count an access to each returned memory whose relevance is at least
                `settings.access_min_relevance`; a retrieval of the past never counts.
            filters: Filters of the memories.
            group_id: The tenant.
            details: Fields of `Retrieval`: budget in tokens of the contents, or of the compact
                answer; session, depth, profile, `min_relevance`, `sort`. Fields of `Filters`,
                instead of `filters` or beside its others.

        Raises:
            DimensionMismatchError: The stored vectors are of another model than the configured.
            EmbeddingError: The embedding model fails.
        """
        context = self.context
        await context.require_vectors()
        scope, asked = context.scope(group_id), validate(Retrieval, with_filters(filters, details))
        require_calibration(asked.min_relevance or 0.0, asked.profile, context.settings)
        question = validate_value(Question, query, "query")
        retrieved = await retrieval.retrieve(
            await context.ranking_engine(scope.group_id, asked.profile, question),
            scope,
            context.token_counter,
            context.session_store,
            question,
            asked,
        )
        used = self._used(retrieved.memories) if counted else []
        context.count_accesses(scope, used, asked.as_of or asked.known_at)
        return retrieved

    def _used(self, given: Iterable[FoundMemory | RetrievedMemory]) -> list[str]:
        """Return the ids of the memories whose delivery counts as an access."""
        least = self.settings.access_min_relevance
        return [hit.memory.memory_id for hit in given if relevant(hit.relevance, least)]

    async def stats(self, group_id: str | None = None) -> Stats:
        """Count the memories of a group by type and tag, and its relations by type."""
        group = self.group(group_id)
        return await diagnostics.stats(self.context.of(group), group)

    async def health(self, group_id: str | None = None) -> Health:
        """Return the states, mean scores, waiting work and last maintenance run of a group."""
        group = self.group(group_id)
        return await diagnostics.health(self.context.of(group), group)

    async def list(
        self,
        *,
        sort: SortArgument = SortOrder.IMPORTANCE,
        limit: int = 20,
        cursor: str | None = None,
        counted: bool = False,
        filters: Filters | None = None,
        group_id: str | None = None,
        **keywords: Unpack[FilterArguments],
    ) -> Page:
        """List the memories that match filters, one page per call.

        Args:
            sort: `importance`, the highest first, or `created_at`, the latest first.
            limit: Maximum number of memories of a page, 1 to 50.
            cursor: `next_cursor` of the page before; None for the first page.
            counted: True to count an access to each memory; a list of the past never counts.
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
        ids = [memory.memory_id for memory in page.memories] if counted else []
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
