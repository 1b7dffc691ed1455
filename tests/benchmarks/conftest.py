"""The Neo4j of benchmarks, which optimises as that of a service does."""

import pytest


@pytest.fixture(scope="session")
def jvm_options() -> str:
    """Options of the JVM of the managed Neo4j."""
    return ""
