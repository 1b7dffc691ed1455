"""The default database: a managed local Neo4j Community, without Docker or an installation.

The service calls `acquire` and `release`; the `db` commands and `doctor` call the rest.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graph_memory.local_neo4j.instance import LocalNeo4j
    from graph_memory.local_neo4j.jars import NEO4J_VERSION, missing_jars
    from graph_memory.local_neo4j.java import Java, find_java
    from graph_memory.local_neo4j.rewriting import Rewriting
    from graph_memory.local_neo4j.sharing import (
        LocalNeo4jStatus,
        acquire,
        log_tail,
        release,
        replace,
        running,
        start,
        status,
        stop,
    )
    from graph_memory.local_neo4j.snapshot import Snapshot, take_snapshot
    from graph_memory.local_neo4j.startup_cache import create_startup_cache

__all__ = [
    "NEO4J_VERSION",
    "Java",
    "LocalNeo4j",
    "LocalNeo4jStatus",
    "Rewriting",
    "Snapshot",
    "acquire",
    "create_startup_cache",
    "find_java",
    "log_tail",
    "missing_jars",
    "release",
    "replace",
    "running",
    "start",
    "status",
    "stop",
    "take_snapshot",
]

_MODULES = {
    "NEO4J_VERSION": "jars",
    "Java": "java",
    "LocalNeo4j": "instance",
    "Rewriting": "rewriting",
    "find_java": "java",
    "Snapshot": "snapshot",
    "create_startup_cache": "startup_cache",
    "missing_jars": "jars",
    "take_snapshot": "snapshot",
}


def __getattr__(name: str) -> Any:
    """Import a name on its first use: the keeper needs only a part of this package."""
    if name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    module = import_module(f"{__name__}.{_MODULES.get(name, 'sharing')}")
    return getattr(module, name)
