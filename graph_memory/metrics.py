"""Every Prometheus collector, named and documented once."""

from collections.abc import Generator
from contextlib import contextmanager

from prometheus_client import Counter, Histogram, start_http_server

statement_seconds = Histogram(
    "graph_memory_statement_seconds",
    "Time from sending a Cypher statement to its last row.",
    ["statement", "outcome"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)

access_failures = Counter(
    "graph_memory_access_failures",
    "Deliveries of memories whose access could not be counted; the reads themselves succeeded.",
)


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
