"""Every Prometheus collector, named and documented once.

What this process does is counted as it happens. What runs, backups and other replicas do is read
from the database (`Census`): it is the same everywhere and outlives every process. Over several
replicas take the `max` of those, not the sum.
"""

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from prometheus_client import REGISTRY, Counter, Histogram, start_http_server
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from graph_memory.census import Census

#: With the bounds that are promised: a walk in 0.1 s, a retrieval in 0.2.
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10, 30)

#: Upper bounds of a run's duration, in seconds; runs add themselves to those they keep within.
DURATION_BUCKETS = (1, 5, 30, 60, 120, 300, 600)

statement_seconds = Histogram(
    "graph_memory_statement_seconds",
    "Time from sending a Cypher statement to its last row.",
    ["statement", "outcome"],
    buckets=_SECONDS,
)

tool_seconds = Histogram(
    "graph_memory_tool_seconds",
    "Time from a tool's call to its answer; outcome is done, or the code of the error.",
    ["tool", "outcome"],
    buckets=_SECONDS,
)

access_failures = Counter(
    "graph_memory_access_failures",
    "Deliveries of memories whose access could not be counted; the reads themselves succeeded.",
)

duplicates = Counter(
    "graph_memory_duplicates", "Memories that were not stored, as their content was already."
)


class CensusCollector(Collector):
    """Publishes what the database knows of itself, as far as it was read."""

    def __init__(self, read: "Callable[[], Census | None]", ahead_days: tuple[int, ...]) -> None:
        self._read = read
        self._ahead_days = ahead_days

    def collect(self) -> Iterator[Metric]:
        """Describe the latest census; nothing before the first."""
        census = self._read()
        if census is None:
            return
        totals = {total.name: total.value for total in census.totals}
        yield from _counters(totals)
        yield _durations(totals)
        yield from self._gauges(census)

    def describe(self) -> list[Metric]:
        """Tell the registry nothing beforehand: that would read the database."""
        return []

    def _gauges(self, census: "Census") -> Iterator[Metric]:
        states = GaugeMetricFamily(
            "knowledge_memories_by_state", "Memories of all groups.", labels=["state"]
        )
        for row in census.states:
            states.add_metric([row.state], row.memories)
        yield states
        ahead = GaugeMetricFamily(
            "knowledge_memories_changing_within",
            "Memories whose state or protection changes within so many days, if not used.",
            labels=["days"],
        )
        for days, due in zip(self._ahead_days, census.due, strict=False):
            ahead.add_metric([str(days)], due)
        yield ahead
        last = census.last
        for name, help_text, value in (
            ("decay_score_avg", "Mean stored decay score, 0 fresh to 1 gone.",
             census.decay_score_avg),
            ("maintenance_last_expired", "Memories that the latest run let expire.",
             last and last.expired),
            ("maintenance_last_truncated", "1 if the latest run ended at its time limit.",
             last and last.truncated),
            ("maintenance_last_duration_seconds", "How long the latest run took.",
             last and last.duration_seconds),
            ("maintenance_last_run_timestamp_seconds", "When the latest run began.",
             last and _timestamp(last.started_at)),
            ("maintenance_running_timestamp_seconds", "When the present run began; 0: none runs.",
             _timestamp(census.running_since) or 0),
            ("maintenance_paused", "1 while maintenance is paused.", census.paused),
            ("last_backup_timestamp_seconds", "When the latest backup was made.",
             _timestamp(census.backed_up_at)),
        ):  # fmt: skip
            if value is not None:
                yield GaugeMetricFamily(f"knowledge_{name}", help_text, float(value))


def run_totals(duration_seconds: float) -> dict[str, float]:
    """Return what a run adds to the totals for the histogram of durations."""
    kept = {f"duration_le:{b}": 1.0 for b in DURATION_BUCKETS if duration_seconds <= b}
    return {"duration_count": 1, "duration_seconds": duration_seconds, **kept}


@contextmanager
def served(host: str, port: int) -> Generator[int]:
    """Publish every collector at http://host:port/metrics; yield the port, which 0 leaves free.

    Raises:
        OSError: The address cannot be listened on.
    """
    server, thread = start_http_server(port, addr=host)
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def publishing(collector: Collector) -> Generator[None]:
    """Publish a collector while this lasts."""
    REGISTRY.register(collector)
    try:
        yield
    finally:
        REGISTRY.unregister(collector)


#: The name of each counter without labels, what it counts, and the total it is.
_PLAIN = (
    ("decay_scores_updated", "Memories whose decay runs have reckoned.", "processed"),
    ("decay_errors", "Memories that runs could not treat.", "errors"),
    ("memories_purged", "Memories that runs have erased.", "purged"),
    ("memories_compressed", "Contents that runs have compressed.", "compressed"),
)

#: The name of each labelled counter, its label, and which total each value is.
_LABELLED: tuple[tuple[str, str, str, Mapping[str, str]], ...] = (
    ("decay_maintenance_runs", "Maintenance runs that ended.", "status",
     {"success": "runs:done", "failure": "runs:failed"}),
    ("classification_requests", "Memories classified, or left to the fallback.", "status",
     {name: f"classification:{name}" for name in ("success", "failure", "fallback")}),
)  # fmt: skip


def _counters(totals: Mapping[str, float]) -> Iterator[Metric]:
    for name, help_text, total in _PLAIN:
        yield CounterMetricFamily(f"knowledge_{name}", help_text, totals.get(total, 0))
    for name, help_text, label, values in _LABELLED:
        counter = CounterMetricFamily(f"knowledge_{name}", help_text, labels=[label])
        for value, total in values.items():
            counter.add_metric([value], totals.get(total, 0))
        yield counter
    arrows = CounterMetricFamily(
        "knowledge_lifecycle_transitions",
        "Changes of state that runs have made.",
        labels=["from_state", "to_state"],
    )
    for name, value in totals.items():
        if name.startswith("transitioned:"):
            arrows.add_metric(name.removeprefix("transitioned:").split(">"), value)
    yield arrows


def _durations(totals: Mapping[str, float]) -> Metric:
    buckets = [(str(float(b)), totals.get(f"duration_le:{b}", 0)) for b in DURATION_BUCKETS]
    count = totals.get("duration_count", 0)
    histogram = HistogramMetricFamily(
        "knowledge_maintenance_duration_seconds", "How long maintenance runs took."
    )
    histogram.add_metric([], [*buckets, ("+Inf", count)], totals.get("duration_seconds", 0))
    return histogram


def _timestamp(at: datetime | None) -> Any:
    return None if at is None else at.timestamp()
