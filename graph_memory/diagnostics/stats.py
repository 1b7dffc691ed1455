"""Statistics and health of a group."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from graph_memory.backup import create
from graph_memory.context import Context
from graph_memory.decay import policies
from graph_memory.decay.forecast import states_now
from graph_memory.domain.models import LifecycleState
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.maintenance import records
from graph_memory.maintenance.records import Pause, Run
from graph_memory.maintenance.reembedding import rebuild_embeddings
from graph_memory.traversal.analysis import TypeCount

#: The most tags that statistics list.
_TAGS = 20

#: The most runs, the latest first, among which the last run for a group is searched.
_RUNS = 1000


@dataclass(frozen=True, slots=True)
class EmbeddingCoverage:
    """The embedding model, and the number of texts without a vector of it."""

    model: str
    dimensions: int
    missing: int


@dataclass(frozen=True, slots=True)
class Stats:
    """The contents of a group, without deleted memories and without relations that have ended."""

    group_id: str
    total: int
    by_type: dict[str, int]  #: the most frequent first
    by_tag: dict[str, int]  #: the most frequent twenty
    relations: dict[str, TypeCount]  #: by type, the most frequent first
    embedding: EmbeddingCoverage
    last_backup: datetime | None  #: of the whole database


@dataclass(frozen=True, slots=True)
class Averages:
    """Means over the memories that are not deleted; None without a value."""

    decay_score: float | None  #: 0 fresh to 1 gone, as of now
    importance: float | None  #: 1 to 10
    stability: float | None  #: 1 to 5
    confidence: float | None  #: 0 to 1


@dataclass(frozen=True, slots=True)
class LastRun:
    """The latest maintenance run and its result."""

    run_id: str
    started_at: datetime
    status: str  #: running, done, stopped, failed or undone
    truncated: bool  #: it stopped at its time limit
    duration_seconds: float

    @classmethod
    def of(cls, run: Run) -> Self:
        """Return a run without its counts, which may include other groups."""
        return cls(run.run_id, run.started_at, run.status, run.truncated, run.duration_seconds)


@dataclass(frozen=True, slots=True)
class ReviewQueue:
    """The work that waits for a review, and the number of tombstones."""

    waiting_writes: int = 0
    open_proposals: int = 0
    waiting_since: Instant | None = None  #: instant of the earliest waiting write
    tombstones: int = 0


@dataclass(frozen=True, slots=True)
class Health:
    """The health of a group: its memories by state, their averages, and the pending work."""

    group_id: str
    states: dict[str, int]  #: memories by lifecycle state
    protected: int  #: memories that do not fade
    averages: Averages
    classification_pending: int
    embeddings_missing: int
    review: ReviewQueue
    last_run: LastRun | None  #: the latest run that treated the group
    paused: Pause | None  #: the pause of maintenance, if it is paused
    recoverable_until_soonest: datetime | None  #: of the deleted memories


@dataclass(frozen=True, slots=True)
class _Count:
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class _Related:
    name: str
    count: int
    avg_strength: float


@dataclass(frozen=True, slots=True)
class _HealthCounts:
    protected: int
    averages: Averages
    classification_pending: int
    first_deleted_at: Instant | None


async def stats(context: Context, group_id: str) -> Stats:
    """Count the memories, tags and relations of a group; relations count as of now.

    Args:
        context: The context, with the database, the model and the clock.
        group_id: The tenant.
    """
    graph, settings = context.graph, context.settings
    types = await graph.rows("diagnostics/stats/types", _Count, group_id=group_id)
    tags = await graph.rows("diagnostics/stats/tags", _Count, group_id=group_id, limit=_TAGS)
    related = await graph.readable_rows(
        "diagnostics/stats/relations",
        _Related,
        group_id=group_id,
        now=instant(context.clock()),
        as_of=None,
        known_at=None,
    )
    return Stats(
        group_id=group_id,
        total=sum(row.count for row in types),
        by_type={row.name: row.count for row in types},
        by_tag={row.name: row.count for row in tags},
        relations={row.name: TypeCount(row.count, row.avg_strength) for row in related},
        embedding=EmbeddingCoverage(
            settings.embedding_model,
            settings.embedding_dimensions,
            await _missing(context, group_id),
        ),
        last_backup=(await create.status(graph)).at,
    )


async def health(context: Context, group_id: str) -> Health:
    """Return the health of a group; scores are as of now, as in every answer.

    Memories that another client has damaged are left out of the averages and of what is pending.

    Args:
        context: The context, with the database, the settings and the clock.
        group_id: The tenant.
    """
    graph, settings = context.graph, context.settings
    (counts,) = await graph.sound_rows(
        "diagnostics/stats/health",
        _HealthCounts,
        group_id=group_id,
        now=instant(context.clock()),
        decay=policies.rules(settings),
    )
    (review,) = await graph.rows("diagnostics/stats/review", ReviewQueue, group_id=group_id)
    retention = timedelta(days=settings.soft_delete_retention_days)
    runs = await records.runs(graph, limit=_RUNS)
    ours = (run for run in runs if run.groups is None or group_id in run.groups)
    return Health(
        group_id=group_id,
        states=dict.fromkeys(LifecycleState, 0) | await states_now(graph, group_id),
        protected=counts.protected,
        averages=counts.averages,
        classification_pending=counts.classification_pending,
        embeddings_missing=await _missing(context, group_id),
        review=review,
        last_run=next(map(LastRun.of, ours), None),
        paused=await records.paused(graph),
        recoverable_until_soonest=counts.first_deleted_at and counts.first_deleted_at + retention,
    )


async def _missing(context: Context, group_id: str) -> int:
    """Count the texts that `rebuild_embeddings` would embed."""
    report = await rebuild_embeddings(context, group_id, only_missing=True, dry_run=True)
    return report.candidates
