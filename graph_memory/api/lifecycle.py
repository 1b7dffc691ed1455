"""The part of the public API that is about what becomes of a memory."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from graph_memory.context import Context
from graph_memory.decay import policies
from graph_memory.decay.forecast import Forecast, forecast
from graph_memory.decay.status import DecayStatus
from graph_memory.domain.inputs import Line, MemoryId, validate_value
from graph_memory.domain.models import Memory
from graph_memory.domain.timestamps import EndMoment, SimulatedTime
from graph_memory.memories import confidence, lifecycle
from graph_memory.memories.confidence import Scan

Span = Annotated[float, Field(gt=0, le=36_500, allow_inf_nan=False)]
Points = Annotated[int, Field(ge=1, le=366)]


class Custody(Context):
    """Memories kept, recovered, and explained."""

    async def decay_status(self, memory_id: str, *, group_id: str | None = None) -> DecayStatus:
        """Tell how far a memory has faded, why, and what will next become of it and when."""
        return await lifecycle.status(
            self.graph,
            self.settings,
            validate_value(MemoryId, memory_id, "memory_id"),
            group_id=self.group(group_id),
            now=self.clock(),
        )

    def decay_rules(self) -> str:
        """Return the hash of the policies and their numbers, which each change of state notes."""
        return policies.rules_hash(self.settings)

    async def preserve(
        self,
        memory_id: str,
        *,
        until: Any = None,
        release: bool = False,
        group_id: str | None = None,
    ) -> DecayStatus:
        """Keep a memory from fading, for good or through `until`, and wake it; or `release` it.

        `until` is an instant or a date, ISO 8601; a date alone means the end of that day, UTC.
        """
        return await lifecycle.preserve(
            self.graph,
            self.settings,
            validate_value(MemoryId, memory_id, "memory_id"),
            until=None if until is None else validate_value(EndMoment, until, "until"),
            release=release,
            group_id=self.group(group_id),
            now=self.clock(),
        )

    async def recover(self, memory_id: str, *, group_id: str | None = None) -> Memory:
        """Take back a deletion and return the memory; this counts as an access.

        Raises:
            DuplicateError: Its content was stored anew meanwhile.
            NotSoftDeletedError: It is not deleted.
            OutsideRecoveryWindowError: It was deleted too long ago.
        """
        group = self.group(group_id)
        given = validate_value(MemoryId, memory_id, "memory_id")
        await lifecycle.recover(self.graph, self.settings, given, group_id=group, now=self.clock())
        return await self._read(given, group)

    async def forecast(
        self,
        *,
        days: float = 365.0,
        points: int = 12,
        now: Any = None,
        policy: str | None = None,
        numbers: Mapping[str, str] | None = None,
        group_id: str | None = None,
    ) -> Forecast:
        """Tell what will be forgotten when, under the policy or a supposed one; writes nothing.

        Args:
            days: How far to look, above 0 to 36,500.
            points: Into how many intervals, 1 to 366.
            now: Where to begin, ISO 8601, from 1970 to 8999; by default now.
            policy: Another policy's name, or a file with one.
            numbers: Other decay settings, by name.
            group_id: The tenant.
        """
        settings, graph = self.settings, self.graph
        if policy is not None or numbers:
            settings = policies.with_overrides(settings, policy, numbers or {})
            graph = graph.with_settings(settings)
            await policies.check_policies(graph, settings)
        return await forecast(
            graph,
            settings,
            days=validate_value(Span, days, "days"),
            points=validate_value(Points, points, "points"),
            group_id=self.group(group_id),
            now=self.clock() if now is None else validate_value(SimulatedTime, now, "now"),
        )

    async def scan_confidence(
        self,
        memory_ids: Sequence[str] | None = None,
        *,
        project_id: str | None = None,
        dry_run: bool = True,
        group_id: str | None = None,
    ) -> Scan:
        """Lower by a step the confidence of memories unused for long; a dry run changes nothing."""
        given: Any = None
        if memory_ids is not None:
            given = [validate_value(MemoryId, each, "memory_ids") for each in memory_ids]
        return await confidence.scan(
            self.graph,
            self.settings,
            memory_ids=given,
            project_id=None
            if project_id is None
            else validate_value(Line, project_id, "project_id"),
            dry_run=dry_run,
            group_id=self.group(group_id),
            now=self.clock(),
        )
