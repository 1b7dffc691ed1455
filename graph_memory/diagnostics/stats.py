"""Statistics and health of a group, counted in ranges of ids, so that no statement reads it all."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import Self

from graph_memory.backup import create
from graph_memory.context import Context
from graph_memory.database.ranges import id_ranges
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
class _Tagged:
    name: str  #: in lower case
    spellings: list[str]
    count: int


@dataclass(frozen=True, slots=True)
class _Related:
    name: str
    count: int
    strengths: float


@dataclass(frozen=True, slots=True)
class _Contents:
    """The counts of all ranges of a group."""

    types: Counter[str] = field(default_factory=Counter[str])
    tags: list[_Tagged] = field(default_factory=list[_Tagged])
    relations: list[_Related] = field(default_factory=list[_Related])


@dataclass(frozen=True, slots=True)
class _Values:
    """The sum and the number of the values of a property."""

    total: float
    count: int


@dataclass(frozen=True, slots=True)
class _HealthCounts:
    protected: int
    decay_score: _Values
    importance: _Values
    stability: _Values
    confidence: _Values
    classification_pending: int
    first_deleted_at: Instant | None


async def stats(context: Context, group_id: str) -> Stats:
    """Count the memories, tags and relations of a group; relations count as of now.

    Args:
        context: The context, with the database, the model and the clock.
        group_id: The tenant.
    """
    settings = context.settings
    counted = await _contents(context, group_id)
    return Stats(
        group_id=group_id,
        total=counted.types.total(),
        by_type=_most_frequent(counted.types),
        by_tag=dict(islice(_most_frequent(_named(counted.tags)).items(), _TAGS)),
        relations=_relations(counted.relations),
        embedding=EmbeddingCoverage(
            settings.embedding_model,
            settings.embedding_dimensions,
            await _missing(context, group_id),
        ),
        last_backup=(await create.status(context.graph)).at,
    )


async def _contents(context: Context, group_id: str) -> _Contents:
    graph, found = context.graph, _Contents()
    holding = {"now": instant(context.clock()), "as_of": None, "known_at": None}
    async for ids in id_ranges(graph, group_id=group_id):
        within = {"group_id": group_id, **ids}
        for row in await graph.rows("diagnostics/stats/types", _Count, **within):
            found.types[row.name] += row.count
        found.tags.extend(await graph.rows("diagnostics/stats/tags", _Tagged, **within))
        found.relations.extend(
            await graph.readable_rows("diagnostics/stats/relations", _Related, **within, **holding)
        )
    return found


def _named(tags: Iterable[_Tagged]) -> Counter[str]:
    """Count memories by tag; a tag that is spelt in one way keeps its spelling."""
    counts: Counter[str] = Counter()
    spellings: defaultdict[str, set[str]] = defaultdict(set)
    for tag in tags:
        counts[tag.name] += tag.count
        spellings[tag.name].update(tag.spellings)
    return Counter(
        {
            next(iter(spellings[name])) if len(spellings[name]) == 1 else name: count
            for name, count in counts.items()
        }
    )


def _relations(found: Iterable[_Related]) -> dict[str, TypeCount]:
    counts: Counter[str] = Counter()
    strengths: defaultdict[str, float] = defaultdict(float)
    for row in found:
        counts[row.name] += row.count
        strengths[row.name] += row.strengths
    return {
        name: TypeCount(count, round(strengths[name] / count, 4))
        for name, count in _most_frequent(counts).items()
    }


def _most_frequent(counts: Counter[str]) -> dict[str, int]:
    """Return counts with the largest first, and equal ones by name."""
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


async def health(context: Context, group_id: str) -> Health:
    """Return the health of a group; scores are as of now, as in every answer.

    Memories that another client has damaged are left out of the averages and of what is pending.

    Args:
        context: The context, with the database, the settings and the clock.
        group_id: The tenant.
    """
    graph, settings = context.graph, context.settings
    counts = await _health_counts(context, group_id)
    deleted = [each.first_deleted_at for each in counts if each.first_deleted_at]
    (review,) = await graph.rows("diagnostics/stats/review", ReviewQueue, group_id=group_id)
    retention = timedelta(days=settings.soft_delete_retention_days)
    runs = await records.runs(graph, limit=_RUNS)
    ours = (run for run in runs if run.groups is None or group_id in run.groups)
    return Health(
        group_id=group_id,
        states=dict.fromkeys(LifecycleState, 0) | await states_now(graph, group_id),
        protected=sum(each.protected for each in counts),
        averages=Averages(
            decay_score=_mean(each.decay_score for each in counts),
            importance=_mean(each.importance for each in counts),
            stability=_mean(each.stability for each in counts),
            confidence=_mean(each.confidence for each in counts),
        ),
        classification_pending=sum(each.classification_pending for each in counts),
        embeddings_missing=await _missing(context, group_id),
        review=review,
        last_run=next(map(LastRun.of, ours), None),
        paused=await records.paused(graph),
        recoverable_until_soonest=min(deleted) + retention if deleted else None,
    )


async def _health_counts(context: Context, group_id: str) -> list[_HealthCounts]:
    """Return the counts of each range of a group."""
    found: list[_HealthCounts] = []
    scope = {"group_id": group_id, "now": instant(context.clock())}
    decay = policies.rules(context.settings)
    async for ids in id_ranges(context.graph, group_id=group_id):
        found += await context.graph.sound_rows(
            "diagnostics/stats/health", _HealthCounts, **scope, **ids, decay=decay
        )
    return found


def _mean(of_ranges: Iterable[_Values]) -> float | None:
    """Return the mean of the values of all ranges, rounded to four decimal places."""
    each = [*of_ranges]
    count = sum(values.count for values in each)
    return round(sum(values.total for values in each) / count, 4) if count else None


async def _missing(context: Context, group_id: str) -> int:
    """Count the texts that `rebuild_embeddings` would embed."""
    report = await rebuild_embeddings(context, group_id, only_missing=True, dry_run=True)
    return report.candidates
