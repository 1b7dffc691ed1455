"""Every Prometheus collector, named and documented once.

What this process does is counted as it happens. What runs, backups and other replicas do is read
from the database (`Census`): it is the same everywhere and outlives every process. Over several
replicas take the `max` of those, not the sum.
"""

from collections.abc import Generator
from contextlib import contextmanager

from prometheus_client import REGISTRY, Counter, Histogram, start_http_server
from prometheus_client.registry import Collector

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
