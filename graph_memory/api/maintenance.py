"""The part of the public API that is about maintenance, and what there is to maintain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

from pydantic import Field

from graph_memory.context import Context
from graph_memory.database import lease
from graph_memory.database.lease import LeaseState
from graph_memory.diagnostics.stats import Health, Stats, health, stats
from graph_memory.domain.inputs import Line, validate, validate_value
from graph_memory.domain.timestamps import Instant
from graph_memory.errors import SettingsError
from graph_memory.maintenance import records
from graph_memory.maintenance.dry_run import Overrides, rehearse
from graph_memory.maintenance.records import Pause, Run
from graph_memory.maintenance.run import Report, RunRequest, maintain
from graph_memory.maintenance.stages import Progress, count_due
from graph_memory.maintenance.undo import Undone, undo
from graph_memory.memories import classification
from graph_memory.memories.classification import QueueReport

Budget = Annotated[int, Field(ge=0, le=1_000_000)]
RunId = Annotated[str, Field(min_length=1, max_length=64)]


@dataclass(frozen=True, slots=True)
class MaintenanceStatus:
    """What there is to know about maintenance."""

    paused: Pause | None
    running: LeaseState | None
    due_now: int  #: memories that the next run has something to do for
    due_in_a_day: int
    runs: list[Run]  #: the latest first


class Upkeep(Context):
    """Maintenance: run, rehearsed, paused, undone."""

    async def maintain(
        self, *, on_progress: Progress = lambda done, of: None, **request: Any
    ) -> Report:
        """Let memories fade, and do what is due; `request` are the fields of `RunRequest`.

        Raises:
            RunsPausedError: Maintenance is paused.
            RunLockedError: Another run is on its way.
        """
        return await maintain(self, validate(RunRequest, request), on_progress)

    async def rehearse_maintenance(
        self, *, what_if: Mapping[str, Any] | None = None, **request: Any
    ) -> Report:
        """Tell what a run would do, and change nothing; `what_if` are the fields of `Overrides`."""
        return await rehearse(
            self, validate(RunRequest, request), validate(Overrides, what_if or {})
        )

    async def undo_maintenance(self, run_id: str, *, group_id: str | None = None) -> Undone:
        """Put back what a run changed; memories changed since stay as they are, and are named.

        Without a group the whole run is undone; with one, what it changed of that group.

        Raises:
            UndoRefusedError: The run cannot be undone.
            RunLockedError: A run is on its way.
        """
        given = validate_value(RunId, run_id, "run_id")
        group = None if group_id is None else self.group(group_id)
        return await undo(self.graph, self.settings, given, group_id=group, now=self.clock())

    async def pause_maintenance(self, reason: str = "no reason given") -> Pause | None:
        """Keep runs from beginning, and stop the present one after its next batch."""
        return await records.pause(self.graph, validate_value(Line, reason, "reason"))

    async def resume_maintenance(self) -> Pause | None:
        """Let runs begin again; return what kept them, if anything did."""
        return await records.resume(self.graph)

    async def maintenance_status(self) -> MaintenanceStatus:
        """Tell whether runs are paused, who runs, what is due, and how the latest runs went."""
        now: Instant = self.clock()
        return MaintenanceStatus(
            paused=await records.paused(self.graph),
            running=await lease.lease_state(self.graph),
            due_now=await count_due(self.graph, now),
            due_in_a_day=await count_due(self.graph, now + timedelta(days=1)),
            runs=await records.runs(self.graph),
        )

    async def stats(self, group_id: str | None = None) -> Stats:
        """Count what a group holds: memories by type and tag, relations by type."""
        return await stats(self, self.group(group_id))

    async def health(self, group_id: str | None = None) -> Health:
        """Tell how a group fares: its states and averages, what waits, and when runs last were."""
        return await health(self, self.group(group_id))

    async def classify_queue(
        self, *, budget: int | None = None, groups: Sequence[str] | None = None
    ) -> QueueReport:
        """Have the language model rate memories that wait for it, so many at most; of all groups.

        Raises:
            SettingsError: There is no language model.
        """
        if not self.settings.classifies:
            raise SettingsError(
                "No language model rates memories. Set GRAPH_MEMORY_LLM_URL, and leave "
                "GRAPH_MEMORY_CLASSIFICATION_ENABLED on."
            )
        return await classification.process_queue(
            self.graph,
            self.settings,
            self.chat,
            groups=None if groups is None else [self.group(group) for group in groups],
            now=self.clock(),
            budget=None if budget is None else validate_value(Budget, budget, "budget"),
        )
