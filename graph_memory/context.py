"""The context that all parts of the public API share: engine, language model, clock and grant."""

import logging
from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Self

from graph_memory.auth.grants import EVERYTHING, Grant
from graph_memory.database import embedding_record
from graph_memory.database.graph import HOME, Graph
from graph_memory.domain.inputs import Clocks, GroupId, Line, MemoryId, validate_value
from graph_memory.domain.models import Memory
from graph_memory.domain.origin import Authority, Origin
from graph_memory.domain.scope import CallScope
from graph_memory.engine import Engine
from graph_memory.errors import DimensionMismatchError, GraphMemoryError
from graph_memory.inference.embedder import Embedder
from graph_memory.inference.llm import Chat
from graph_memory.inference.token_counter import TokenCounter
from graph_memory.memories import read
from graph_memory.memories.absent import not_found
from graph_memory.memories.access import AccessLog
from graph_memory.ranking.profiles import Profile
from graph_memory.search import feedback
from graph_memory.search.feedback import WeightCache
from graph_memory.search.other_names import NameCache
from graph_memory.search.session_store import SessionStore
from graph_memory.settings.base import Settings
from graph_memory.wording import Surface, surface, way_in

#: The authority of a caller without a token, by the surface of the call.
_AUTHORITIES = {
    Surface.PYTHON: Authority.AGENT,
    Surface.MCP: Authority.AGENT,
    Surface.CLI: Authority.PERSON,
}

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Vectors:
    """The difference between the model of the stored vectors and the configured model, if any."""

    mismatch: DimensionMismatchError | None = None


class Context:
    """The resources of a `GraphMemory`: engine, clock, queues behind calls, and a grant.

    Attributes:
        engine: Database, embedding model and settings.
        clock: Function that returns the present instant, with a zone.
        accesses: Accesses that are counted after the answer.
        session_store: Sessions of conversations.
        weights: Weights that groups have learned.
        names: Names of entities that are one.
        token_counter: Counter of the tokens of contents.
        chat: Language model; None if the settings have none.
        grant: Scope and groups of the caller; everything by default.
        on_saved: Function that is called after each save with the number of memories and the
            tenant.
    """

    def __init__(
        self, engine: Engine, clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self.engine = engine
        self._whole = engine.graph
        self.clock = clock
        self.accesses = AccessLog(engine)
        self.session_store = SessionStore(engine.graph, engine.settings)
        self.weights = WeightCache(engine.graph)
        self.names = NameCache(engine.graph, engine.settings.fulltext_analyzer)
        self.token_counter = TokenCounter(engine.embedder, engine.settings)
        self.chat = Chat(engine.settings) if engine.settings.llm_url else None
        self.grant = EVERYTHING
        self.on_saved: Callable[[int, str], None] = lambda count, group_id: None
        self._vectors = _Vectors()

    @property
    def graph(self) -> Graph:
        """The database."""
        return self.engine.graph

    @property
    def whole(self) -> Graph:
        """The database with all servers, also in a context on one of them."""
        return self._whole

    @property
    def servers(self) -> list[Self]:
        """This context on each server that has groups, the configured database first."""
        return list(map(self.on, self.graph.servers))

    def of(self, group_id: str) -> Self:
        """Return this context on the server that has a group."""
        return self.on(self.graph.of(group_id))

    def on(self, graph: Graph) -> Self:
        """Return this context on one server; models, queues and grant are shared."""
        if graph is self.graph:
            return self
        bound = copy(self)
        bound.engine = replace(self.engine, graph=graph, settings=graph.own(self.settings))
        return bound

    @property
    def embedder(self) -> Embedder:
        """The embedding model."""
        return self.engine.embedder

    @property
    def settings(self) -> Settings:
        """The configuration."""
        return self.engine.settings

    def acting_for(self, grant: Grant) -> Self:
        """Return this context restricted to a grant; database, models and queues are shared."""
        if grant == self.grant:
            return self
        bound = copy(self)
        bound.grant = grant
        return bound

    async def close(self) -> None:
        """Finish queued writes, and close the language model; no call may follow."""
        await self.session_store.flush()
        await self.accesses.flush()
        if self.chat:
            await self.chat.close()

    async def check_embedding(self) -> None:
        """Compare the model of the stored vectors with the configured one, and keep the difference.

        A difference is logged; `require_vectors` raises it.
        """
        known, self._vectors.mismatch = self._vectors.mismatch, None
        for graph in self._whole.servers:
            try:
                await embedding_record.check_embedding(graph, self.settings)
            except DimensionMismatchError as error:
                self._vectors.mismatch = error
                if known is None:  # a caller that needs vectors checks again, and raises it
                    _log.warning("%s", error)
            except GraphMemoryError:
                if graph.name == HOME:
                    raise  # another server is checked once it answers

    async def require_vectors(self) -> None:
        """Check that the stored vectors are of the configured model.

        A known difference is checked again, because a rebuild may have repaired it.

        Raises:
            DimensionMismatchError: They are of another model or width.
        """
        if self._vectors.mismatch:
            await self.check_embedding()
        if self._vectors.mismatch:
            raise self._vectors.mismatch

    def group(self, group_id: str | None) -> str:
        """Return the tenant of a call: the given one, or the default.

        Raises:
            ForbiddenError: The grant does not include it.
            InvalidArgumentError: It is not a group id, or none is given and the grant has several.
        """
        given = None if group_id is None else validate_value(GroupId, group_id, "group_id")
        return self.grant.group(given, self.settings.group_id)

    def scope(self, group_id: str | None, now: datetime | None = None) -> CallScope:
        """Return the scope of a call: its tenant as `group` returns it, and its present instant.

        Args:
            group_id: The tenant; None for the default.
            now: The instant; None for the time of the clock.

        Raises:
            ForbiddenError: The grant does not include the tenant.
            InvalidArgumentError: It is not a group id, or none is given and the grant has several.
        """
        return CallScope(self.group(group_id), now or self.clock(), self.origin())

    def origin(self) -> Origin:
        """Return the origin of the texts that the current call writes.

        A token has an authority of its own. Without a token it follows from the surface, and the
        setting `authority_ceiling` limits it.
        """
        authority = self.grant.authority
        if authority is None:
            ceiling = self.settings.authority_ceiling
            authority = Authority.least((_AUTHORITIES[surface()], ceiling))
        return Origin(way_in(), self.grant.caller, authority, self.grant.origin_id)

    async def read_memory(
        self,
        scope: CallScope,
        memory_id: str,
        clocks: Clocks = Clocks(),  # noqa: B008 - immutable
    ) -> Memory:
        """Fetch a memory without counting an access.

        Raises:
            InvalidArgumentError: `memory_id` is not an id.
            NotFoundError: The group has no such memory, or had none at the instants of `clocks`.
        """
        given = validate_value(MemoryId, memory_id, "memory_id")
        found = await read.get_many(self.engine, scope, [given], clocks)
        if not found:
            raise await not_found(self.graph, scope.group_id, given, clocks=clocks)
        return found[0]

    def count_accesses(
        self, scope: CallScope, memory_ids: Iterable[str], past: datetime | None = None
    ) -> None:
        """Count an access to each memory, unless the answer was about a `past` instant."""
        if past is None:
            self.accesses.delivered(scope, list(memory_ids))

    def note_use(self, scope: CallScope, memory_id: str, session_id: str | None) -> None:
        """Note that a conversation used a memory, if it had received it before.

        Raises:
            InvalidArgumentError: `session_id` is not an id.
        """
        if session_id is not None:
            given = validate_value(Line, session_id, "session_id")
            self.session_store.used(scope, given, memory_id)

    def forget_learned(self) -> None:
        """Read learned weights and names again, because a run or a decision changed them."""
        self.weights.clear()
        self.names.clear()

    async def ranking_engine(self, group: str, profile: Profile, question: str) -> Engine:
        """Return the engine of a search in a group, with what the group has learned.

        The other profiles than `recall` use neither the names nor the weights of a group.
        """
        if profile is not Profile.RECALL:
            return self.engine
        named = replace(self.engine, names=await self.names.read(group))
        if "weights" not in self.settings.learn:
            return named
        learned = await self.weights.read(group)
        return replace(named, learned=feedback.weights_for(question, learned))
