"""The state of a maintenance run in progress: its record, its options and its parameters."""

import time
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from graph_memory.context import Context
from graph_memory.domain.timestamps import instant
from graph_memory.errors import LeaseLostError
from graph_memory.maintenance import records
from graph_memory.maintenance.records import Run, RunControl
from graph_memory.maintenance.request import RunOptions, Stage


class RunStopped(Exception):  # noqa: N818 - not an error
    """Signal that a run stops early: its time is over, or maintenance is paused."""

    def __init__(self, *, truncated: bool) -> None:
        self.truncated = truncated
        super().__init__()


class RunState:
    """A run in progress.

    Args:
        context: The context, with the database, settings and models.
        run: The record of the run, which grows as the run goes on.
        owner: The owner of the lease that the run holds.
        options: The sizes and the time limit.
        decay: The parameters of the decay formulas, without a run.
        finished: The instants of the earlier runs that the call has finished; the memories that
            they moved are left to the next call.
    """

    def __init__(
        self,
        context: Context,
        run: Run,
        owner: str,
        options: RunOptions,
        decay: Mapping[str, Any],
        finished: Sequence[datetime] = (),
    ) -> None:
        self.context = context
        self.run = run
        self.options = options
        self.scope: dict[str, Any] = {"groups": run.groups, "canary": run.canary}
        self.at: dict[str, Any] = {
            "now": instant(run.now),
            "decay": {**decay, "run_id": run.run_id, "by": f"run {run.run_id}"},
            "finished": [instant(each) for each in finished],
        }
        self._owner = owner
        self._started = time.monotonic() - run.duration_seconds
        self._may_stop = Stage.DECAY not in run.stages

    def ago(self, days: float) -> str:
        """Return the instant `days` before the run's instant."""
        return instant(self.run.now - timedelta(days=days))

    def count(self, counter: str, done: int) -> None:
        """Add to a counter of the run.

        The time limit stops a run only after its first decay batch, so that every run advances.
        """
        counts = self.run.counts
        setattr(counts, counter, getattr(counts, counter) + done)
        self._may_stop |= counter == "processed"

    async def checkpoint(self, done: int = 0) -> None:
        """Report that `done` more memories are treated, save the run, and check that it may go on.

        Raises:
            RunStopped: Maintenance is paused, or the time is over.
            LeaseLostError: The run has lost its lease.
        """
        self.options.on_progress(done, None)
        if (await self.save()).paused:
            raise RunStopped(truncated=False)
        if self._may_stop and time.monotonic() > self.options.deadline:
            raise RunStopped(truncated=True)

    async def save(self) -> RunControl:
        """Save the record of the run.

        Raises:
            LeaseLostError: The run has lost its lease.
        """
        self.run.duration_seconds = round(time.monotonic() - self._started, 3)
        control = await records.save(self.context.graph, self.run, self._owner)
        if not control.held:
            raise LeaseLostError
        return control
