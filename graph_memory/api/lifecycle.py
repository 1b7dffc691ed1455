"""The lifecycle of memories: fading, protection, deletion taken back, history and forecast."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast

from pydantic import Field

from graph_memory.api.arguments import Time
from graph_memory.context import Context
from graph_memory.decay import policies
from graph_memory.decay.forecast import Forecast, forecast
from graph_memory.decay.status import DecayStatus
from graph_memory.domain.inputs import Line, MemoryId, validate_value
from graph_memory.domain.models import Memory
from graph_memory.domain.timestamps import EndMoment, SimulatedTime
from graph_memory.memories import confidence, lifecycle
from graph_memory.memories.confidence import Scan
from graph_memory.memories.history import Event, history_of
from graph_memory.memories.lifecycle import Obsolete

Span = Annotated[float, Field(gt=0, le=36_500, allow_inf_nan=False)]
Points = Annotated[int, Field(ge=1, le=366)]


class LifecycleApi:
    """The lifecycle of the memories of a `GraphMemory`: `memory.lifecycle`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def status(self, memory_id: str, *, group_id: str | None = None) -> DecayStatus:
        """Return how far a memory has faded and why, its next state and the instant of it.

        Raises:
            NotFoundError: The group has no such memory.
        """
        return await lifecycle.status(
            self._context.engine,
            self._context.scope(group_id),
            validate_value(MemoryId, memory_id, "memory_id"),
        )

    def rules_hash(self) -> str:
        """Return the hash of the policies and their numbers, which each transition records."""
        return policies.rules_hash(self._context.settings)

    async def preserve(
        self,
        memory_id: str,
        *,
        until: Time | None = None,
        release: bool = False,
        group_id: str | None = None,
    ) -> DecayStatus:
        """Keep a memory from fading and make it ACTIVE, or `release` it.

        Args:
            memory_id: The memory.
            until: The last instant of it; a date alone means its end, UTC; None is without end.
            release: Let it fade again.
            group_id: The tenant.

        Raises:
            NotFoundError: The group has no such memory.
        """
        return await lifecycle.preserve(
            self._context.engine,
            self._context.scope(group_id),
            validate_value(MemoryId, memory_id, "memory_id"),
            until=None if until is None else validate_value(EndMoment, cast(Any, until), "until"),
            release=release,
        )

    async def recover(self, memory_id: str, *, group_id: str | None = None) -> Memory:
        """Take back a deletion and return the memory; this counts as an access.

        Raises:
            DuplicateError: Its content has been stored again since.
            NotFoundError: The group has no such memory.
            NotSoftDeletedError: It is not deleted.
            OutsideRecoveryWindowError: It was deleted too long ago.
        """
        context, scope = self._context, self._context.scope(group_id)
        given = validate_value(MemoryId, memory_id, "memory_id")
        await lifecycle.recover(context.engine, scope, given)
        return await context.read_memory(scope, given)

    async def mark_obsolete(
        self,
        memory_id: str,
        reason: str,
        *,
        superseded_by: str | None = None,
        group_id: str | None = None,
    ) -> Obsolete:
        """Expire a memory and record the reason.

        With `superseded_by` it stops being true at the instant that memory began to be. It stays
        readable by id, and before that instant with `as_of`.

        Raises:
            NotFoundError: The group has no such memory.
        """
        return await lifecycle.mark_obsolete(
            self._context.engine,
            self._context.scope(group_id),
            validate_value(MemoryId, memory_id, "memory_id"),
            validate_value(Line, reason, "reason"),
            superseded_by=None
            if superseded_by is None
            else validate_value(MemoryId, superseded_by, "superseded_by"),
        )

    async def history(self, memory_id: str, *, group_id: str | None = None) -> list[Event]:
        """List the events of a memory in order: its texts, states and relations.

        Raises:
            NotFoundError: The group has no such memory.
        """
        return await history_of(
            self._context.graph,
            validate_value(MemoryId, memory_id, "memory_id"),
            group_id=self._context.group(group_id),
        )

    async def forecast(
        self,
        *,
        days: float = 365.0,
        points: int = 12,
        now: Time | None = None,
        policy: str | None = None,
        numbers: Mapping[str, str] | None = None,
        group_id: str | None = None,
    ) -> Forecast:
        """Forecast the states of a group's memories, under its policy or another; writes nothing.

        Args:
            days: The span, above 0 to 36,500 days.
            points: The intervals of it, 1 to 366.
            now: The beginning, from 1970 to 8999; by default now.
            policy: Another policy's name, or a file with one.
            numbers: Other decay settings, by name.
            group_id: The tenant.

        Raises:
            InvalidArgumentError: There is no such policy, file or setting.
        """
        settings, graph = self._context.settings, self._context.graph
        if policy is not None or numbers:
            settings = policies.with_overrides(settings, policy, numbers or {})
            graph = graph.with_settings(settings)
            await policies.check_policies(graph, settings)
        begin = None if now is None else validate_value(SimulatedTime, cast(Any, now), "now")
        return await forecast(
            graph,
            settings,
            self._context.scope(group_id, begin),
            days=validate_value(Span, days, "days"),
            points=validate_value(Points, points, "points"),
        )

    async def scan_confidence(
        self,
        memory_ids: Sequence[str] | None = None,
        *,
        project_id: str | None = None,
        dry_run: bool = True,
        group_id: str | None = None,
    ) -> Scan:
        """Lower by a step the confidence of memories long unused; a dry run changes nothing."""
        given: Any = None
        if memory_ids is not None:
            given = [validate_value(MemoryId, each, "memory_ids") for each in memory_ids]
        return await confidence.scan(
            self._context.engine,
            self._context.scope(group_id),
            memory_ids=given,
            project_id=None
            if project_id is None
            else validate_value(Line, project_id, "project_id"),
            dry_run=dry_run,
        )
