"""Metrics from the database, for operators: memories by state, and totals of runs.

They are the same in every replica. The database keeps them, so a restart does not reset a counter.
"""

import asyncio
import itertools
import json
import logging
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock
from typing import Annotated

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector
from pydantic import BeforeValidator

from graph_memory import metrics
from graph_memory.context import Context
from graph_memory.database.graph import HOME
from graph_memory.decay.forecast import STATES
from graph_memory.diagnostics.stats import ReviewQueue
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.errors import GraphMemoryError
from graph_memory.maintenance.totals import count_expired
from graph_memory.metrics import DURATION_BUCKETS


class DatabaseMetricsCollector(Collector):
    """Collector of the latest metrics that were read from the database."""

    def __init__(
        self, read: "Callable[[], DatabaseMetrics | None]", ahead_days: tuple[int, ...]
    ) -> None:
        self._read = read
        self._ahead_days = ahead_days

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics of the latest census; none before the first census."""
        snapshot = self._read()
        if snapshot is None:
            return
        totals = {total.name: total.value for total in snapshot.totals}
        yield from _counters(totals)
        yield _durations(totals)
        yield from self._gauges(snapshot)

    def describe(self) -> list[Metric]:
        """Return an empty list, because a description would have to read the database."""
        return []

    def _gauges(self, snapshot: "DatabaseMetrics") -> Iterator[Metric]:
        states = GaugeMetricFamily(
            "knowledge_memories_by_state", "Memories of all groups.", labels=["state"]
        )
        counts = dict.fromkeys(STATES[:-1], 0)  # purged memories are not there to be counted
        for state, count in (counts | {s.state: s.memories for s in snapshot.states}).items():
            states.add_metric([state], count)
        yield states
        ahead = GaugeMetricFamily(
            "knowledge_memories_changing_within",
            "Memories whose state or protection changes within so many days, if not used.",
            labels=["days"],
        )
        for days, due in zip(self._ahead_days, snapshot.due, strict=False):
            ahead.add_metric([str(days)], due)
        yield ahead
        last = snapshot.last
        for name, help_text, value in (
            (
                "decay_score_avg",
                "Mean decay score as of the last use or run of each memory, 0 fresh to 1 gone.",
                snapshot.decay_score_avg,
            ),
            (
                "maintenance_last_expired",
                "Memories that the latest run let expire.",
                last.expired if last else 0,
            ),
            (
                "maintenance_last_truncated",
                "1 if the latest run ended at its time limit.",
                last.truncated if last else 0,
            ),
            (
                "maintenance_last_duration_seconds",
                "How long the latest run took.",
                last.duration_seconds if last else 0,
            ),
            (
                "maintenance_last_run_timestamp_seconds",
                "When the latest run began; 0: none yet.",
                _timestamp(last.started_at if last else None),
            ),
            (
                "maintenance_running_timestamp_seconds",
                "When the present run began; 0: none runs.",
                _timestamp(snapshot.running_since),
            ),
            ("maintenance_paused", "1 while maintenance is paused.", snapshot.paused),
            (
                "last_backup_timestamp_seconds",
                "When the latest backup was made; 0: none yet.",
                _timestamp(snapshot.backed_up_at),
            ),
            *_review(snapshot.review),
        ):
            if value is not None:
                yield GaugeMetricFamily(f"knowledge_{name}", help_text, float(value))


def _review(review: ReviewQueue) -> Iterator[tuple[str, str, float]]:
    """Yield name, help text and value of each gauge of the review."""
    yield "pending_writes", "Writes that wait for a review.", review.waiting_writes
    yield (
        "pending_writes_oldest_timestamp_seconds",
        "When the earliest waiting write came; 0: none waits.",
        _timestamp(review.waiting_since),
    )
    yield "open_proposals", "Proposals without a decision.", review.open_proposals
    yield "tombstones", "Statements that were rejected or erased.", review.tombstones


#: The counters without labels: name, help text, and name of the total.
_PLAIN = (
    ("decay_scores_updated", "Memories whose decay runs have reckoned.", "processed"),
    ("decay_errors", "Memories that runs could not treat.", "errors"),
    ("memories_purged", "Memories that runs have erased.", "purged"),
    ("memories_compressed", "Contents that runs have compressed.", "compressed"),
)

#: Totals of the usual changes of state; a run can add others.
_STEPS = tuple(f"transitioned:{was}>{becomes}" for was, becomes in itertools.pairwise(STATES))

#: The labelled counters: name, help text, label, and the name of the total by label value.
_LABELLED: tuple[tuple[str, str, str, Mapping[str, str]], ...] = (
    (
        "decay_maintenance_runs",
        "Maintenance runs that ended.",
        "status",
        {"success": "runs:done", "failure": "runs:failed"},
    ),
    (
        "classification_requests",
        "Memories classified, or left to the fallback.",
        "status",
        {name: f"classification:{name}" for name in ("success", "failure", "fallback")},
    ),
)


def _counters(totals: Mapping[str, float]) -> Iterator[Metric]:
    for name, help_text, total in _PLAIN:
        yield CounterMetricFamily(f"knowledge_{name}", help_text, totals.get(total, 0))
    for name, help_text, label, values in _LABELLED:
        counter = CounterMetricFamily(f"knowledge_{name}", help_text, labels=[label])
        for value, total in values.items():
            counter.add_metric([value], totals.get(total, 0))
        yield counter
    transitions = CounterMetricFamily(
        "knowledge_lifecycle_transitions",
        "Changes of state that runs have made.",
        labels=["from_state", "to_state"],
    )
    for name, value in (dict.fromkeys(_STEPS, 0.0) | dict(totals)).items():
        if name.startswith("transitioned:"):
            transitions.add_metric(name.removeprefix("transitioned:").split(">"), value)
    yield transitions


def _durations(totals: Mapping[str, float]) -> Metric:
    buckets = [(str(float(b)), totals.get(f"duration_le:{b}", 0)) for b in DURATION_BUCKETS]
    count = totals.get("duration_count", 0)
    histogram = HistogramMetricFamily(
        "knowledge_maintenance_duration_seconds", "How long maintenance runs took."
    )
    histogram.add_metric([], [*buckets, ("+Inf", count)], totals.get("duration_seconds", 0))
    return histogram


def _timestamp(at: datetime | None) -> float:
    return 0.0 if at is None else at.timestamp()


#: The days within which future changes of state are counted.
AHEAD_DAYS = (0, 1, 7, 30, 90, 365)

#: Wait of a scrape for a census, and for the first one, before which there are no metrics at all.
#: Prometheus gives up after 10 s by default.
_WAIT_SECONDS = 0.5
_FIRST_WAIT_SECONDS = 8

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StateMetrics:
    """The memories of one state."""

    state: str
    memories: int
    scores: float  #: sum of their stored decay scores


@dataclass(frozen=True, slots=True)
class Total:
    """A total over all runs, such as `transitioned:ACTIVE>DORMANT`."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class EndedRun:
    """The latest run that has ended."""

    started_at: Instant
    duration_seconds: float
    truncated: bool
    transitioned: Annotated[dict[str, int], BeforeValidator(lambda v: json.loads(v))]
    status: str

    @property
    def expired(self) -> int:
        """The number of memories that expired in the run, including those that it then deleted."""
        return count_expired(self.transitioned)


@dataclass(frozen=True, slots=True)
class DatabaseMetrics:
    """The state of the database at an instant."""

    states: list[StateMetrics] = field(default_factory=list[StateMetrics])
    due: list[int] = field(default_factory=list[int])  #: for each of `AHEAD_DAYS`
    totals: list[Total] = field(default_factory=list[Total])
    last: EndedRun | None = None
    running_since: Instant | None = None
    paused: bool = False
    backed_up_at: Instant | None = None
    review: ReviewQueue = field(default_factory=ReviewQueue)

    @property
    def decay_score_avg(self) -> float | None:
        """Mean decay score, 0 fresh to 1 gone; None without memories."""
        memories = sum(row.memories for row in self.states)
        return sum(row.scores for row in self.states) / memories if memories else None


async def read_metrics(context: Context) -> DatabaseMetrics | None:
    """Read the metrics in one statement on each server; None if it returns no row.

    A server that does not answer is left out, unless it is the configured database.
    """
    now = context.clock()
    soon = [instant(now + timedelta(days=days)) for days in AHEAD_DAYS]
    whole: DatabaseMetrics | None = None
    for each in context.servers:
        try:
            found = await each.graph.one(
                "diagnostics/database_metrics/read", DatabaseMetrics, now=instant(now), soon=soon
            )
        except GraphMemoryError as error:
            if each.graph.name == HOME:
                raise
            _log.warning("The metrics leave out server '%s': %s", each.graph.name, error)
            continue
        whole = _both(whole, found) if whole and found else whole or found
    return whole


def _both(some: DatabaseMetrics, others: DatabaseMetrics) -> DatabaseMetrics:
    """Return the metrics of two servers as one: sums, the latest run, and the earlier backup."""
    ended = [each.last for each in (some, others) if each.last]
    backups = [each.backed_up_at for each in (some, others)]
    return DatabaseMetrics(
        states=_states([*some.states, *others.states]),
        due=[sum(pair) for pair in zip(some.due, others.due, strict=True)],
        totals=_totals([*some.totals, *others.totals]),
        last=max(ended, key=lambda run: run.started_at, default=None),
        running_since=some.running_since or others.running_since,
        paused=some.paused or others.paused,
        # One server without a backup is one too many.
        backed_up_at=None if None in backups else min(filter(None, backups)),
        review=_reviews(some.review, others.review),
    )


def _states(rows: Iterable[StateMetrics]) -> list[StateMetrics]:
    memories, scores = Counter[str](), defaultdict[str, float](float)
    for row in rows:
        memories[row.state] += row.memories
        scores[row.state] += row.scores
    return [StateMetrics(state, n, scores[state]) for state, n in memories.items()]


def _totals(rows: Iterable[Total]) -> list[Total]:
    sums = defaultdict[str, float](float)
    for row in rows:
        sums[row.name] += row.value
    return list(map(Total, sums, sums.values()))


def _reviews(some: ReviewQueue, others: ReviewQueue) -> ReviewQueue:
    waiting = [each.waiting_since for each in (some, others) if each.waiting_since]
    return ReviewQueue(
        waiting_writes=some.waiting_writes + others.waiting_writes,
        open_proposals=some.open_proposals + others.open_proposals,
        waiting_since=min(waiting, default=None),
        tombstones=some.tombstones + others.tombstones,
    )


@contextmanager
def publishing(context: Context) -> Generator[None]:
    """Publish the metrics of the database while the context lasts; call it in the event loop."""
    watch = MetricsCache(context, asyncio.get_running_loop())
    with metrics.registered(DatabaseMetricsCollector(watch.read, AHEAD_DAYS)):
        yield


class MetricsCache:
    """Cache of the census, for scrapes in other threads than the event loop.

    A scrape that finds an old census starts a new one in the event loop of the database, and waits
    for it half a second. If the census takes longer, as with millions of memories, the scrape gets
    the old one, and the next scrape gets the new one. The first census is waited for longer.
    """

    def __init__(self, context: Context, loop: asyncio.AbstractEventLoop) -> None:
        self._context = context
        self._loop = loop
        self._latest: DatabaseMetrics | None = None
        self._taken_at = -float("inf")
        self._taking: Future[None] | None = None
        self._lock = Lock()

    def read(self) -> DatabaseMetrics | None:
        """Return the latest census; None before the first."""
        with self._lock:
            old = time.monotonic() - self._taken_at > self._context.settings.metrics_cache_seconds
            if old and (self._taking is None or self._taking.done()):
                self._taking = asyncio.run_coroutine_threadsafe(self._refresh(), self._loop)
            taking = self._taking
        if taking is not None:
            wait([taking], _FIRST_WAIT_SECONDS if self._latest is None else _WAIT_SECONDS)
        return self._latest

    async def _refresh(self) -> None:
        try:
            self._latest = await read_metrics(self._context)
            self._taken_at = time.monotonic()
        except GraphMemoryError as error:
            _log.warning("The memories could not be counted for the metrics: %s", error)
        except Exception:  # a scrape does not show the error, so log it
            _log.exception("The memories could not be counted for the metrics.")
