"""The stages of a maintenance run, each a batch at a time."""

import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from graph_memory.context import Context
from graph_memory.database.embedding_record import configured_embedding, stored_embedding
from graph_memory.database.graph import Graph
from graph_memory.database.lease import Lease
from graph_memory.decay import policies
from graph_memory.domain.timestamps import instant
from graph_memory.errors import RunLockedError
from graph_memory.maintenance import records
from graph_memory.maintenance.compression import compress_contents
from graph_memory.maintenance.records import Failure, Run
from graph_memory.maintenance.reembedding import rebuild_embeddings
from graph_memory.memories import classification, confidence
from graph_memory.memories.embeddings import groups
from graph_memory.search import session_store

#: Called with the memories done since the last call, and with all there are, where that is known.
Progress = Callable[[int, int | None], None]

#: Memories in one statement: so many transactions, after which a run looks whether to go on.
_TRANSACTIONS = 20

#: Memories in one statement of a full recalculation, at least.
_RANGE = 100_000

#: How long the calls of a caller are remembered; they are counted by the minute.
_CALLED_DAYS = 1.0

#: Above every id.
_END = "\uffff"


class Stage(StrEnum):
    """What a run does, in this order."""

    PROTECTION = "protection"
    DECAY = "decay"
    COMPRESS = "compress"
    CONFIDENCE = "confidence"
    CLASSIFICATION = "classification"
    EMBEDDINGS = "embeddings"
    PURGE = "purge"
    SESSIONS = "sessions"
    RECORDS = "records"


#: What is left out where decay is switched off.
DECAY_STAGES = (Stage.PROTECTION, Stage.DECAY, Stage.CONFIDENCE, Stage.PURGE)


class RunStopped(Exception):  # noqa: N818 - it is no error
    """A run ends early: its time is up, or somebody wants it to pause."""

    def __init__(self, *, truncated: bool) -> None:
        self.truncated = truncated
        super().__init__()


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run goes about it."""

    batch_size: int  #: memories in one transaction
    concurrency: int  #: transactions at a time
    deadline: float  #: of `time.monotonic`
    on_progress: Progress


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of a batch."""

    done: int
    failed: list[Failure]


class RunState:
    """A run at work."""

    def __init__(self, context: Context, run: Run, lease: Lease, options: RunOptions) -> None:
        self.context = context
        self.run = run
        self.options = options
        self.scope: dict[str, Any] = {"groups": run.groups, "canary": run.canary}
        self.at: dict[str, Any] = {
            "now": instant(run.now),
            "decay": policies.parameters(context.settings, run.run_id),
        }
        self._lease = lease
        self._started = time.monotonic() - run.duration_seconds
        self._has_begun = Stage.DECAY not in run.stages

    async def go(self) -> None:
        """Do what is left of the run.

        Raises:
            Stopped: It ends early.
            RunLockedError: It lost its lease to another.
        """
        for stage in Stage:
            if stage in self.run.stages and stage not in self.run.stages_done:
                await self.go_on()
                await _STAGES[stage](self)
                self.run.stages_done.append(stage)

    async def go_on(self, done: int = 0) -> None:
        """Record how far the run has come, `done` memories further, and whether it may go on."""
        self.options.on_progress(done, None)
        if (await self.save()).paused:
            raise RunStopped(truncated=False)
        if self._has_begun and time.monotonic() > self.options.deadline:
            raise RunStopped(truncated=True)

    def ago(self, days: float) -> str:
        """Return the instant so many days before the run's."""
        return instant(self.run.now - timedelta(days=days))

    async def save(self) -> records.RunControl:
        """Record how far the run has come.

        Raises:
            RunLockedError: It lost its lease to another.
        """
        self.run.duration_seconds = round(time.monotonic() - self._started, 3)
        control = await records.save(self.context.graph, self.run, self._lease)
        if not control.held:
            raise RunLockedError
        return control

    async def batches(self, statement: str, counter: str = "", **parameters: Any) -> None:
        """Run a batch statement until nothing is left, and count what it changed."""
        limit = self.options.batch_size * self.options.concurrency * _TRANSACTIONS
        while await self.batch(statement, counter, limit=limit, **parameters) == limit:
            pass

    async def batch(self, statement: str, counter: str = "", **parameters: Any) -> int:
        """Run a batch statement once; what fails in company is tried alone, then passed over.

        Returns:
            How many memories it looked at.
        """
        options = self.options
        first = await self._outcome(statement, options.batch_size, options.concurrency, parameters)
        done, failed = first.done, first.failed
        if failed:
            alone = parameters | ({"limit": len(failed)} if "limit" in parameters else {})
            second = await self._outcome(statement, 1, 1, alone)
            done, failed = done + second.done, second.failed
            await self._pass_over(failed)
        if counter:
            setattr(self.run.counts, counter, getattr(self.run.counts, counter) + done)
        self._has_begun |= counter == "processed"
        await self.go_on(done)
        return done + len(failed)

    async def _pass_over(self, failed: list[Failure]) -> None:
        for failure in failed:
            self.run.fail(failure.memory_id, failure.reason)
        ids = sorted(failure.memory_id for failure in failed)
        await self.context.graph.run("maintenance/stages/skip", memory_ids=ids, now=self.at["now"])

    async def _outcome(
        self, statement: str, batch: int, concurrency: int, parameters: dict[str, Any]
    ) -> _Outcome:
        outcome = await self.context.graph.one(
            statement,
            _Outcome,
            batch=batch,
            concurrency=concurrency,
            **self.at,
            **self.scope,
            **parameters,
        )
        return outcome or _Outcome(0, [])


async def _protection(state: RunState) -> None:
    await state.batches("maintenance/stages/unprotect")


async def _decay(state: RunState) -> None:
    graph = state.context.graph
    if state.run.full:
        async for ids in ranges(graph):
            await state.batch("maintenance/stages/refresh", "processed", **ids)
            await state.batch("maintenance/stages/all", "processed", **ids)
        return
    due = await count_due(graph, state.run.now, **state.scope)
    state.options.on_progress(0, due)
    await state.batches("maintenance/stages/due", "processed")


async def count_due(
    graph: Graph, at: datetime, *, groups: list[str] | None = None, canary: int = 100
) -> int:
    """Count the memories that a run at an instant has something to do for."""
    found = await graph.one(
        "maintenance/stages/count_due", int, now=instant(at), groups=groups, canary=canary
    )
    return found or 0


async def ranges(graph: Graph) -> AsyncGenerator[dict[str, str]]:
    """Divide all ids into ranges of so many memories, as parameters of a statement."""
    after_id = ""
    while after_id != _END:
        last_id = await graph.one(
            "maintenance/stages/range_end", str, after_id=after_id, limit=_RANGE
        )
        yield {"after_id": after_id, "last_id": last_id or _END}
        after_id = last_id or _END


async def _compress(state: RunState) -> None:
    async for packed in compress_contents(state.context.graph, **state.scope):
        state.run.counts.compressed += packed.compressed
        await state.go_on()


async def _confidence(state: RunState) -> None:
    settings = state.context.settings
    if not settings.confidence_scan_in_maintenance:
        return
    touched = state.run.groups
    for group in await groups(state.context.graph) if touched is None else touched:
        scan = await confidence.scan(
            state.context.graph,
            settings,
            dry_run=False,
            group_id=group,
            now=state.run.now,
            run_id=state.run.run_id,
            canary=state.run.canary,
        )
        for memory_id in scan.failed:
            state.run.fail(memory_id, "it changed while its confidence was lowered")
        await state.go_on(scan.applied)


async def _classification(state: RunState) -> None:
    context = state.context
    if not context.settings.classifies:
        return
    report = await classification.process_queue(
        context.graph,
        context.settings,
        context.chat,
        groups=state.run.groups,
        now=state.run.now,
        run_id=state.run.run_id,
    )
    state.run.counts.classified += report.classified
    await state.go_on(report.classified)


async def _embeddings(state: RunState) -> None:
    context = state.context
    stored = await stored_embedding(context.graph)
    if stored and stored != configured_embedding(context.settings):
        return  # another model is a matter of `embeddings rebuild`
    if not await context.graph.one("maintenance/stages/lacks_vectors", bool):
        return
    for group in await context.graph.rows(
        "maintenance/stages/unembedded", str, groups=state.run.groups
    ):
        report = await rebuild_embeddings(context, group, only_missing=True)
        state.run.counts.embedded += report.rebuilt
        state.run.counts.errors += report.failed
        await state.go_on(report.rebuilt)


async def _purge(state: RunState) -> None:
    settings = state.context.settings
    await state.batches(
        "maintenance/stages/purge",
        "purged",
        deleted_before=state.ago(settings.soft_delete_retention_days),
    )
    await state.context.graph.run(
        "maintenance/stages/erase_purged",
        groups=state.run.groups,
        purged_before=state.ago(settings.undo_retention_days),
        batch=state.options.batch_size,
    )


async def _sessions(state: RunState) -> None:
    before = state.run.now - timedelta(days=state.context.settings.session_ttl_days)
    for group in await state.context.graph.rows(
        "maintenance/stages/idle_sessions", str, groups=state.run.groups, before=instant(before)
    ):
        await session_store.expire(state.context.graph, group_id=group, before=before)


async def _records(state: RunState) -> None:
    await state.context.graph.run(
        "maintenance/stages/erase_changes",
        groups=state.run.groups,
        changed_before=state.ago(state.context.settings.undo_retention_days),
        run_id=state.run.run_id,
        batch=state.options.batch_size,
    )
    await state.context.graph.run(
        "maintenance/stages/erase_jobs",
        groups=state.run.groups,
        ended_before=state.ago(state.context.settings.episode_retention_days),
        batch=state.options.batch_size,
    )
    await state.context.graph.run(
        "maintenance/stages/erase_runs",
        groups=state.run.groups,
        begun_before=state.ago(state.context.settings.undo_retention_days),
        run_id=state.run.run_id,
        batch=state.options.batch_size,
    )
    await state.context.graph.run(
        "maintenance/stages/erase_rates",
        called_before=state.ago(_CALLED_DAYS),
        batch=state.options.batch_size,
    )


_STAGES: dict[Stage, Callable[[RunState], Awaitable[None]]] = {
    Stage.PROTECTION: _protection,
    Stage.DECAY: _decay,
    Stage.COMPRESS: _compress,
    Stage.CONFIDENCE: _confidence,
    Stage.CLASSIFICATION: _classification,
    Stage.EMBEDDINGS: _embeddings,
    Stage.PURGE: _purge,
    Stage.SESSIONS: _sessions,
    Stage.RECORDS: _records,
}
