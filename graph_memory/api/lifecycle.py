"""The lifecycle of memories: decay, protection, recovery, history and forecast."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, cast

from pydantic import Field

from graph_memory.api.arguments import Time
from graph_memory.context import Context
from graph_memory.decay import policies
from graph_memory.decay.forecast import Forecast, forecast
from graph_memory.decay.status import DecayStatus
from graph_memory.domain.inputs import Line, MemoryId, validate_selection, validate_value
from graph_memory.domain.models import RecoveredMemory
from graph_memory.domain.timestamps import EndMoment, SimulatedTime
from graph_memory.learning import centrality
from graph_memory.memories import confidence, lifecycle, tombstones
from graph_memory.memories.confidence import Scan
from graph_memory.memories.history import Event, TextOrigin, history_of, texts_of
from graph_memory.memories.lifecycle import Obsolete
from graph_memory.memories.standing import require_standing
from graph_memory.memories.tombstones import Rejected

Span = Annotated[float, Field(gt=0, le=36_500, allow_inf_nan=False)]
Numbers = Mapping[str, Any]
Points = Annotated[int, Field(ge=1, le=366)]


class LifecycleApi:
    """The lifecycle of the memories of a `GraphMemory`: `memory.lifecycle`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def status(self, memory_id: str, *, group_id: str | None = None) -> DecayStatus:
        """Return the decay of a memory, its cause, and the next state with its instant.

        If a run has measured the centrality, the three relations that give most of it follow.

        Raises:
            NotFoundError: The group has no such memory.
        """
        context, scope = self._context, self._context.scope(group_id)
        given = validate_value(MemoryId, memory_id, "memory_id")
        status = await lifecycle.status(context.engine, scope, given)
        if status.centrality is None:
            return status
        through = await centrality.explain(context.graph, scope, given)
        return replace(status, central_through=through)

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
        """Protect a memory from decay and make it ACTIVE, or `release` it from protection.

        Args:
            memory_id: The memory.
            until: Last instant of the protection; a date alone means the end of the day, UTC. None
                for no end.
            release: True to end the protection.
            group_id: The tenant.

        Raises:
            InvalidArgumentError: `until` has passed, or is given with `release`.
            NotFoundError: The group has no such memory.
        """
        return await lifecycle.preserve(
            self._context.engine,
            self._context.scope(group_id),
            validate_value(MemoryId, memory_id, "memory_id"),
            until=None if until is None else validate_value(EndMoment, cast(Any, until), "until"),
            release=release,
        )

    async def reject(
        self, memory_id: str, *, reason: str | None = None, group_id: str | None = None
    ) -> Rejected:
        """Delete a memory that is wrong, and refuse its statement from now on.

        The memory can be recovered like a deleted one, which lifts the refusal. Spelling variants
        of the statement are refused as well, whichever way they come. The text is not kept for it.

        Args:
            memory_id: The memory.
            reason: The reason, shown when the statement is refused.
            group_id: The tenant.

        Raises:
            ForbiddenError: The caller's texts wait for a review, and the memory has a higher
                authority.
            NotFoundError: The group has no such memory.
        """
        engine, scope = self._context.engine, self._context.scope(group_id)
        given = validate_value(MemoryId, memory_id, "memory_id")
        await require_standing(engine, scope, [given])
        return await tombstones.reject(
            engine,
            scope,
            given,
            note=None if reason is None else validate_value(Line, reason, "reason"),
        )

    async def recover(self, memory_id: str, *, group_id: str | None = None) -> RecoveredMemory:
        """Undo the deletion of a memory, and return it; this counts as an access.

        If the memory was rejected, its statement is allowed again.

        Raises:
            DuplicateError: The content was stored again after the deletion.
            NotFoundError: The group has no such memory.
            NotSoftDeletedError: The memory is not deleted.
            OutsideRecoveryWindowError: `settings.soft_delete_retention_days` have passed.
            RejectedBeforeError: Another memory with its statement was rejected or erased.
        """
        context, scope = self._context, self._context.scope(group_id)
        given = validate_value(MemoryId, memory_id, "memory_id")
        lifted = await lifecycle.recover(context.engine, scope, given)
        return RecoveredMemory.of_recovery(await context.read_memory(scope, given), lifted)

    async def mark_obsolete(
        self,
        memory_id: str,
        reason: str,
        *,
        superseded_by: str | None = None,
        group_id: str | None = None,
    ) -> Obsolete:
        """Mark a memory obsolete for a reason; searches omit it from then on.

        With `superseded_by`, the memory is true until the instant at which that memory became true.
        It stays readable by id, and searches with an earlier `as_of` find it.

        Args:
            memory_id: The memory.
            reason: The reason, for the history.
            superseded_by: The memory that replaces it; None if there is none.
            group_id: The tenant.

        Raises:
            InvalidArgumentError: The successor is the memory itself, is not true now, or differs
                from the current successor.
            NotFoundError: The group lacks one of the memories.
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
        """List the events of a memory, the earliest first: texts, changes and relations.

        Raises:
            NotFoundError: The group never had such a memory, or it was erased.
        """
        return await history_of(
            self._context.graph,
            validate_value(MemoryId, memory_id, "memory_id"),
            group_id=self._context.group(group_id),
        )

    async def origins(self, memory_id: str, *, group_id: str | None = None) -> list[TextOrigin]:
        """List the texts of a memory with the way in, caller and authority, the earliest first.

        Raises:
            NotFoundError: The group never had such a memory, or it was erased.
        """
        return await texts_of(
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
        numbers: Mapping[str, Any] | None = None,
        group_id: str | None = None,
    ) -> Forecast:
        """Forecast the states of the memories of a group, without a write.

        Args:
            days: Length of the forecast, above 0, at most 36,500 days.
            points: Number of intervals, 1 to 366.
            now: Start of the forecast, from 1970 to 8999; by default now.
            policy: Policy to assume: its name, or the path of a `.cypher` file. None for the
                current one.
            numbers: Decay settings to assume, by name: values, or their text.
            group_id: The tenant.

        Raises:
            InvalidArgumentError: A policy, file or setting does not exist, or a value is out of
                range.
        """
        settings, graph = self._context.settings, self._context.graph
        assumed = validate_value(Numbers, numbers or {}, "numbers")
        if policy is not None or assumed:
            settings = policies.with_overrides(settings, policy, assumed)
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
        """Lower the confidence of memories unused for long, and expire the least trusted.

        Args:
            memory_ids: The memories to scan, at least one; None for all.
            project_id: The project to scan; None for all.
            dry_run: True to report the changes without making them.
            group_id: The tenant.

        Raises:
            NotFoundError: The group lacks some of `memory_ids`; the error names them.
        """
        return await confidence.scan(
            self._context.engine,
            self._context.scope(group_id),
            memory_ids=validate_selection(MemoryId, memory_ids, "memory_ids"),
            project_id=None
            if project_id is None
            else validate_value(Line, project_id, "project_id"),
            dry_run=dry_run,
        )
