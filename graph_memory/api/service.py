"""The public API: one object that holds a database, an embedding model and the settings."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from graph_memory.api.conversations import Conversations
from graph_memory.api.episodes import Extraction
from graph_memory.api.facts import FactSearch
from graph_memory.api.lifecycle import Custody
from graph_memory.api.maintenance import Upkeep
from graph_memory.api.relations import Connections
from graph_memory.backup.create import create
from graph_memory.backup.restore import refuse_unfinished
from graph_memory.database import schema
from graph_memory.database.connection import open_database
from graph_memory.decay import policies
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
from graph_memory.errors import (
    ForbiddenError,
    GraphMemoryError,
    InvalidArgumentError,
    NotFoundError,
)
from graph_memory.inference.embedder import Embedder
from graph_memory.memories import add as remember
from graph_memory.memories import update as revise
from graph_memory.memories.access import record_accesses
from graph_memory.memories.add import AddResult
from graph_memory.memories.update import Deleted, DeletedAll
from graph_memory.ranking.profiles import Profile, with_weights
from graph_memory.search import listing
from graph_memory.search import search as recall
from graph_memory.search.feedback import explained
from graph_memory.search.listing import Page
from graph_memory.settings.base import Settings, read_settings


class GraphMemory(Connections, Conversations, Custody, Extraction, FactSearch, Upkeep):
    """A memory service, open.

    async with GraphMemory.open() as memory:
        stored = await memory.add("Ada prefers tea", tags=["ada"])
        found = await memory.search("what does Ada drink?")

    Every method takes `group_id`, the tenant, which defaults to `settings.group_id`. Each raises
    `InvalidArgumentError` for a value outside its range or an unknown argument, `NotFoundError` for
    an id the group does not have, and `GraphUnavailableError` while Neo4j does not answer.
    """

    @classmethod
    @asynccontextmanager
    async def open(
        cls, settings: Settings | None = None, *, preload: bool = False, **overrides: Any
    ) -> AsyncGenerator["GraphMemory"]:
        """Open the configured database, or the local one of this user, and bring its schema up.

        Args:
            settings: The configuration; read from environment and file if not given.
            preload: Load the models that search meanwhile, rather than at their first use.
            overrides: Settings that win over environment and file, where `settings` is not given.

        Raises:
            GraphUnavailableError: Nothing answers at the configured address.
            LocalNeo4jError: The local Neo4j cannot be started.
            SchemaError: The server is too old.
            SettingsError: A setting is malformed.
        """
        settings = settings or read_settings(**overrides)
        embedder = Embedder(settings)
        loading = [asyncio.create_task(embedder.load_all())] if preload else []
        try:
            async with open_database(settings) as graph:
                memory = cls(graph, embedder, settings)
                await schema.check_server(graph)
                await refuse_unfinished(graph)
                if settings.migrate_on_start:
                    await schema.migrate_up(graph, settings)
                await policies.check_policies(graph, settings)
                await memory.check_embedding()
                try:
                    yield memory
                finally:
                    await memory.settle()
        finally:
            # A model that cannot be loaded is reported by whoever needs it.
            await asyncio.gather(*loading, return_exceptions=True)
            await embedder.close()

    async def add(
        self, content: NewMemory | str, *, group_id: str | None = None, **details: Any
    ) -> Memory:
        """Store a memory and return it; `details` are the fields of `NewMemory`.

        Raises:
            DuplicateError: The content is stored already; the error has the id.
        """
        given: NewMemory | Mapping[str, Any] = {"content": content, **details}
        if isinstance(content, NewMemory):
            for name, value in details.items():
                raise InvalidArgumentError(name, value, "say it in the NewMemory")
            given, group_id = content, content.group_id or group_id
        (outcome,) = await self.add_many([given], group_id=group_id)
        if outcome.error or not outcome.memory_id:
            raise outcome.error or GraphMemoryError("The memory was not stored.")
        return await self._read(outcome.memory_id, self.group(group_id))

    async def add_many(
        self,
        memories: Iterable[NewMemory | Mapping[str, Any]],
        *,
        group_id: str | None = None,
    ) -> list[AddResult]:
        """Store many memories in a few round trips; one refused does not stop the others.

        Returns:
            One outcome a memory, in their order: its id, or the error.

        Raises:
            LimitExceededError: More than `settings.max_batch`; none is looked at.
        """
        said = list(memories)
        remember.check_count(said, self.settings)
        await self._require_vectors()
        given = [self._checked_memory(memory) for memory in said]
        default = self.group(group_id)
        groups: dict[str, list[tuple[int, NewMemory]]] = {}
        outcomes: dict[int, AddResult] = {}
        for position, memory in enumerate(given):
            if isinstance(memory, NewMemory):
                group = self.group(memory.group_id) if memory.group_id else default
                groups.setdefault(group, []).append((position, memory))
            else:
                outcomes[position] = AddResult(None, memory)
        for group, members in groups.items():
            stored = await remember.add_many(
                self.graph,
                self.embedder,
                self.settings,
                [memory for _, memory in members],
                group_id=group,
                now=self.clock(),
                chat=self.chat if self.settings.classifies else None,
            )
            outcomes |= {p: outcome for (p, _), outcome in zip(members, stored, strict=True)}
            if count := sum(outcome.error is None for outcome in stored):
                self.on_saved(count)
        return [outcomes[position] for position in range(len(given))]

    async def get(
        self, memory_id: str, *, counted: bool = True, group_id: str | None = None, **clocks: Any
    ) -> Memory:
        """Fetch a memory; this counts as an access unless `counted` is false, or it is the past.

        Args:
            memory_id: Its id.
            counted: Whether this is an access.
            group_id: The tenant.
            clocks: `as_of`, only if it was true in the world then; `known_at`, only if this graph
                knew it then, and in the words of then.
        """
        past = validate(Clocks, clocks)
        memory = await self._read(memory_id, self.group(group_id), past)
        if counted:
            self._delivered([memory_id], self.group(group_id), past.as_of or past.known_at)
        return memory

    async def update(
        self, memory_id: str, *, group_id: str | None = None, **changes: Any
    ) -> tuple[Memory, bool]:
        """Change a memory; `changes` are the fields of `MemoryChanges`.

        Returns:
            The memory as it is now, and whether it was embedded anew.

        Raises:
            DuplicateError: Another memory has the new content.
        """
        await self._require_vectors()
        return await revise.update(
            self.graph,
            self.embedder,
            self.settings,
            validate_value(MemoryId, memory_id, "memory_id"),
            validate(MemoryChanges, changes),
            group_id=self.group(group_id),
            now=self.clock(),
        )

    async def delete(
        self, memory_id: str, *, permanent: bool = False, group_id: str | None = None
    ) -> Deleted:
        """Delete a memory, recoverably unless `permanent`."""
        return await revise.delete(
            self.graph,
            self.settings,
            validate_value(MemoryId, memory_id, "memory_id"),
            permanent=permanent,
            group_id=self.group(group_id),
            now=self.clock(),
        )

    async def delete_all(
        self,
        *,
        confirm: str,
        permanent: bool = False,
        backed_up: bool = False,
        group_id: str | None = None,
    ) -> DeletedAll:
        """Delete every memory of the group, `backed_up` first if wanted; `confirm` is 'DELETE ALL'.

        Raises:
            ConfirmationRequiredError: `confirm` is anything else.
            BackupError: The backup cannot be written; nothing is deleted.
        """
        group = self.group(group_id)
        revise.require_confirmation(confirm, group)
        await self.sessions.flush()  # none is to be stored after
        path = None
        if backed_up:
            path = (await create(self.graph, self.settings)).backup_path
        deleted = await revise.delete_all(
            self.graph,
            self.settings,
            confirm=confirm,
            permanent=permanent,
            group_id=group,
            now=self.clock(),
        )
        return DeletedAll(deleted, path)

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        profile: str = Profile.RECALL,
        weights: Sequence[float] | None = None,
        counted: bool = True,
        group_id: str | None = None,
        **filters: Any,
    ) -> list[FoundMemory]:
        """Find the memories that answer `query`, best first; `filters` are those of `Filters`.

        `weights` are the profile's for this call. What is returned counts as accessed, unless
        `counted` is false, or the question is about the past.
        """
        await self._require_vectors()
        group, now = self.group(group_id), self.clock()
        by, asked = validate(Profile, profile, "profile"), validate(Filters, filters)
        settings, moved = await self._tuned(group, by)
        found = await recall.search(
            self.graph,
            self.embedder,
            with_weights(settings, by, weights),
            validate_value(Question, query, "query"),
            group_id=group,
            now=now,
            limit=validate_value(Limit, limit, "limit"),
            filters=asked,
            profile=by,
        )
        ids = [hit.memory.memory_id for hit in found if counted]
        self._delivered(ids, group, asked.as_of or asked.known_at)
        return explained(found, moved)

    async def list(
        self,
        *,
        sort: str = SortOrder.IMPORTANCE,
        limit: int = 20,
        cursor: str | None = None,
        group_id: str | None = None,
        **filters: Any,
    ) -> Page:
        """List memories a page at a time; `filters` are those of `Filters`.

        What is returned counts as accessed, unless the question is about the past.
        """
        group, asked = self.group(group_id), validate(Filters, filters)
        page = await listing.list_memories(
            self.graph,
            self.settings,
            group_id=group,
            now=self.clock(),
            filters=asked,
            sort=validate(SortOrder, sort, "sort"),
            limit=validate_value(Limit, limit, "limit"),
            cursor=cursor,
        )
        ids = [memory.memory_id for memory in page.memories]
        self._delivered(ids, group, asked.as_of or asked.known_at)
        return page

    async def touch(self, memory_id: str, *, group_id: str | None = None) -> None:
        """Count an access to a memory."""
        group = self.group(group_id)
        given = validate_value(MemoryId, memory_id, "memory_id")
        if not await record_accesses(
            self.graph, self.settings, {given: 1}, group_id=group, now=self.clock()
        ):
            raise NotFoundError(given, group)

    def _checked_memory(
        self, memory: NewMemory | Mapping[str, Any]
    ) -> NewMemory | InvalidArgumentError | ForbiddenError:
        """Return a memory that may be stored, or why it may not."""
        try:
            given = validate(NewMemory, memory)
            policies.require_policy(self.settings, given.decay_policy)
            if given.group_id:
                self.group(given.group_id)
            if given.memory_id:
                self.grant.require_every_group("a memory_id of your own")
            return given
        except (InvalidArgumentError, ForbiddenError) as error:
            return error
