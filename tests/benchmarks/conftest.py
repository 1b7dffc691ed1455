"""The Neo4j of benchmarks, which optimises and plans as that of a service does."""

import pytest


@pytest.fixture(scope="session")
def jvm_options() -> str:
    """Options of the JVM of the managed Neo4j."""
    return ""


@pytest.fixture(scope="session")
def replan_interval() -> str:
    """Shortest time between two plans of a statement."""
    return "1m"
