"""Prometheus metrics of this process, and the exporter.

Metrics of runs, backups and the stored data come from the database instead
(`diagnostics/database_metrics`). They are equal in all replicas: take their `max`, not their sum.
"""

from collections.abc import Generator
from contextlib import contextmanager

from prometheus_client import REGISTRY, Counter, Gauge, Histogram, start_http_server
from prometheus_client.registry import Collector

#: Bucket bounds in seconds, among them the limits of a walk (0.1) and a retrieval (0.2).
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10, 30)

#: Bucket bounds of the duration of a run, in seconds.
DURATION_BUCKETS = (1, 5, 30, 60, 120, 300, 600)

statement_seconds = Histogram(
    "graph_memory_statement_seconds",
    "Seconds from sending a Cypher statement to its last row.",
    ["statement", "outcome"],
    buckets=_SECONDS,
)

tool_seconds = Histogram(
    "graph_memory_tool_seconds",
    "Seconds from the call of a tool to its answer; outcome is done, or the code of the error.",
    ["tool", "outcome"],
    buckets=_SECONDS,
)

waiting_calls = Gauge(
    "graph_memory_waiting_calls", "Tool calls that wait until others have ended (concurrent_calls)."
)

access_failures = Counter(
    "graph_memory_access_failures",
    "Accesses to memories that could not be counted; the reads themselves succeeded.",
)

duplicates = Counter(
    "graph_memory_duplicates",
    "Memories that were not stored because their content was already stored.",
)


def run_totals(duration_seconds: float) -> dict[str, float]:
    """Return the counters that a run adds to the histogram of durations."""
    kept = {f"duration_le:{b}": 1.0 for b in DURATION_BUCKETS if duration_seconds <= b}
    return {"duration_count": 1, "duration_seconds": duration_seconds, **kept}


@contextmanager
def exported(host: str, port: int) -> Generator[int]:
    """Publish all metrics at http://host:port/metrics, and yield the port; 0 takes a free one.

    Raises:
        OSError: The address is in use or not of this machine.
    """
    server, thread = start_http_server(port, addr=host)
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def registered(collector: Collector) -> Generator[None]:
    """Publish a collector for the length of the context."""
    REGISTRY.register(collector)
    try:
        yield
    finally:
        REGISTRY.unregister(collector)
