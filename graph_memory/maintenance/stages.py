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
from graph_memory.maintenance.compression import pack
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
FADING = (Stage.PROTECTION, Stage.DECAY, Stage.CONFIDENCE, Stage.PURGE)


class Stopped(Exception):  # noqa: N818 - it is no error
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


class Work:
    """A run at work."""

    def __init__(self, context: Context, run: Run, lease: Lease, effort: RunOptions) -> None:
        self.context = context
        self.run = run
        self.effort = effort
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
        self.effort.on_progress(done, None)
        if (await self.save()).paused:
            raise Stopped(truncated=False)
        if self._has_begun and time.monotonic() > self.effort.deadline:
            raise Stopped(truncated=True)

    def ago(self, days: float) -> str:
        """Return the instant so many days before the run's."""
        return instant(self.run.now - timedelta(days=days))

    async def save(self) -> records.Standing:
        """Record how far the run has come.

        Raises:
            RunLockedError: It lost its lease to another.
        """
        self.run.duration_seconds = round(time.monotonic() - self._started, 3)
        standing = await records.save(self.context.graph, self.run, self._lease)
        if not standing.held:
            raise RunLockedError
        return standing

    async def batches(self, statement: str, counter: str = "", **parameters: Any) -> None:
        """Run a batch statement until nothing is left, and count what it changed."""
        limit = self.effort.batch_size * self.effort.concurrency * _TRANSACTIONS
        while await self.batch(statement, counter, limit=limit, **parameters) == limit:
            pass

    async def batch(self, statement: str, counter: str = "", **parameters: Any) -> int:
        """Run a batch statement once; what fails in company is tried alone, then passed over.

        Returns:
            How many memories it looked at.
        """
        effort = self.effort
        first = await self._outcome(statement, effort.batch_size, effort.concurrency, parameters)
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


async def _protection(work: Work) -> None:
    await work.batches("maintenance/stages/unprotect")


async def _decay(work: Work) -> None:
    graph = work.context.graph
    if work.run.full:
        async for ids in ranges(graph):
            await work.batch("maintenance/stages/refresh", "processed", **ids)
            await work.batch("maintenance/stages/all", "processed", **ids)
        return
    due = await count_due(graph, work.run.now, **work.scope)
    work.effort.on_progress(0, due)
    await work.batches("maintenance/stages/due", "processed")


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


async def _compress(work: Work) -> None:
    async for packed in pack(work.context.graph, **work.scope):
        work.run.counts.compressed += packed.compressed
        await work.go_on()


async def _confidence(work: Work) -> None:
    settings = work.context.settings
    if not settings.confidence_scan_in_maintenance:
        return
    touched = work.run.groups
    for group in await groups(work.context.graph) if touched is None else touched:
        scan = await confidence.scan(
            work.context.graph,
            settings,
            dry_run=False,
            group_id=group,
            now=work.run.now,
            run_id=work.run.run_id,
            canary=work.run.canary,
        )
        for memory_id in scan.failed:
            work.run.fail(memory_id, "it changed while its confidence was lowered")
        await work.go_on(scan.applied)


async def _classification(work: Work) -> None:
    context = work.context
    if not context.settings.classifies:
        return
    report = await classification.process_queue(
        context.graph,
        context.settings,
        context.chat,
        groups=work.run.groups,
        now=work.run.now,
        run_id=work.run.run_id,
    )
    work.run.counts.classified += report.classified
    await work.go_on(report.classified)


async def _embeddings(work: Work) -> None:
    context = work.context
    stored = await stored_embedding(context.graph)
    if stored and stored != configured_embedding(context.settings):
        return  # another model is a matter of `embeddings rebuild`
    if not await context.graph.one("maintenance/stages/lacks_vectors", bool):
        return
    for group in await context.graph.rows(
        "maintenance/stages/unembedded", str, groups=work.run.groups
    ):
        report = await rebuild_embeddings(context, group, only_missing=True)
        work.run.counts.embedded += report.rebuilt
        work.run.counts.errors += report.failed
        await work.go_on(report.rebuilt)


async def _purge(work: Work) -> None:
    settings = work.context.settings
    await work.batches(
        "maintenance/stages/purge",
        "purged",
        deleted_before=work.ago(settings.soft_delete_retention_days),
    )
    await work.context.graph.run(
        "maintenance/stages/erase_purged",
        groups=work.run.groups,
        purged_before=work.ago(settings.undo_retention_days),
        batch=work.effort.batch_size,
    )


async def _sessions(work: Work) -> None:
    before = work.run.now - timedelta(days=work.context.settings.session_ttl_days)
    for group in await work.context.graph.rows(
        "maintenance/stages/idle_sessions", str, groups=work.run.groups, before=instant(before)
    ):
        await session_store.expire(work.context.graph, group_id=group, before=before)


async def _records(work: Work) -> None:
    await work.context.graph.run(
        "maintenance/stages/erase_changes",
        groups=work.run.groups,
        changed_before=work.ago(work.context.settings.undo_retention_days),
        run_id=work.run.run_id,
        batch=work.effort.batch_size,
    )
    await work.context.graph.run(
        "maintenance/stages/erase_jobs",
        groups=work.run.groups,
        ended_before=work.ago(work.context.settings.episode_retention_days),
        batch=work.effort.batch_size,
    )
    await work.context.graph.run(
        "maintenance/stages/erase_runs",
        groups=work.run.groups,
        begun_before=work.ago(work.context.settings.undo_retention_days),
        run_id=work.run.run_id,
        batch=work.effort.batch_size,
    )
    await work.context.graph.run(
        "maintenance/stages/erase_rates",
        called_before=work.ago(_CALLED_DAYS),
        batch=work.effort.batch_size,
    )


_STAGES: dict[Stage, Callable[[Work], Awaitable[None]]] = {
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
