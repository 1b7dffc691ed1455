"""The order of the files of tests, and which of them one process runs."""

from collections.abc import Mapping

import pytest
from xdist.scheduler import LoadFileScheduling

#: Folders and files by scope, in the order in which the processes take them; the others come last.
#: One process runs a scope: the second Neo4j starts and warms up once, runs seldom wait for each
#: other, and no test loses the indexes that the tests of Graphiti drop. What needs the database
#: alone comes late, because the files that follow can run beside it.
SCOPES: Mapping[str, tuple[str, ...]] = {
    "the second Neo4j": (
        "tests/e2e/test_old_versions.py",
        "tests/integration/backup/",
        "tests/integration/memories/test_tombstone_model.py",
        "tests/integration/placement/test_moves.py",
        "tests/integration/placement/test_placement.py",
    ),
    "runs": (
        "tests/e2e/test_maintenance.py",
        "tests/e2e/test_paused_replica.py",
        "tests/e2e/test_replicas.py",
        "tests/e2e/test_review.py",
        "tests/e2e/test_soak.py",
        "tests/integration/faults/",
        "tests/integration/learning/",
        "tests/integration/maintenance/",
    ),
    "Graphiti": (
        "tests/e2e/test_graphiti_cli.py",
        "tests/integration/graphiti/test_client.py",
        "tests/integration/graphiti/test_episodes.py",
        "tests/integration/graphiti/test_queue.py",
        "tests/integration/graphiti/test_stock_graphiti.py",
    ),
    "others": ("tests/e2e/", "tests/integration/"),
    "alone": (
        "tests/e2e/test_erasure.py",
        "tests/integration/database/test_data_migrations.py",
        "tests/integration/database/test_explain.py",
        "tests/integration/database/test_graph.py",
        "tests/integration/database/test_losses.py",
        "tests/integration/database/test_schema.py",
        "tests/integration/diagnostics/test_erasure.py",
        "tests/integration/diagnostics/test_erasure_by_name.py",
        "tests/integration/diagnostics/test_metrics.py",
        "tests/integration/diagnostics/test_repair.py",
        "tests/integration/maintenance/test_reembedding.py",
        "tests/integration/search/test_other_model.py",
    ),
    "a Neo4j of its own": (
        "tests/e2e/test_cold_start.py",
        "tests/e2e/test_rewrite.py",
        "tests/integration/faults/test_disk.py",
        "tests/integration/faults/test_memory_limit.py",
        "tests/integration/local_neo4j/",
    ),
}

#: Scopes whose files are taken one by one, each by the next free process.
_BY_FILE = frozenset({"others", "a Neo4j of its own", None})


def _scope(file: str) -> str | None:
    """Return the scope of `SCOPES` that names a file, the longest name first."""
    found = [
        (len(name), scope)
        for scope, names in SCOPES.items()
        for name in names
        if file.startswith(name)
    ]
    return max(found)[1] if found else None


class FileScheduling(LoadFileScheduling):
    """Give each process whole files, and one process all files of a scope."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        scope = _scope(file)
        return file if scope in _BY_FILE else str(scope)


def rank(item: pytest.Item) -> int:
    """Return the place of a test in the order of scopes; tests without one come last."""
    order = [*SCOPES, None]
    return order.index(_scope(item.nodeid.partition("::")[0]))
