"""Fixtures: one real Neo4j and one real embedding model for the whole session, a group per test."""

import asyncio
import gc
import os
import secrets
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, LiteralString

import pytest
import pytest_asyncio
from neo4j import AsyncDriver, AsyncGraphDatabase
from pydantic import SecretStr
from xdist.scheduler import LoadFileScheduling

# A developer's own configuration must not leak into tests; what only says where things are may.
_KEPT = ("GRAPH_MEMORY_TEST_", "GRAPH_MEMORY_CACHE_DIR", "GRAPH_MEMORY_JAVA")
for _name in [n for n in os.environ if n.startswith("GRAPH_MEMORY_") and not n.startswith(_KEPT)]:
    del os.environ[_name]
# Every save of every test would be a reason to back up the whole database.
os.environ["GRAPH_MEMORY_BACKUP_AUTO"] = "false"
# A cold Neo4j on a busy machine plans a large statement for half a minute, and takes seconds to
# accept a connection.
os.environ["GRAPH_MEMORY_QUERY_TIMEOUT_SECONDS"] = "120"
os.environ["GRAPH_MEMORY_CONNECT_TIMEOUT_SECONDS"] = "20"
# The database of the tests ends with them.
os.environ["GRAPH_MEMORY_LOCAL_LINGER_SECONDS"] = "0"
# An existing one is used; the creation would go on after the tests.
os.environ["GRAPH_MEMORY_LOCAL_STARTUP_CACHE"] = "false"
# As in the processes of the command line.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Some virtual machines announce the tiles of AMX and then refuse their instructions, which ends
# the process; of all kernels only those for models of half precision are built of them.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")

from graph_memory import GraphMemory, Settings, local_neo4j, read_settings  # noqa: E402
from graph_memory.database.embedding_record import check_embedding  # noqa: E402
from graph_memory.database.graph import Graph  # noqa: E402
from graph_memory.database.schema import migrate_up  # noqa: E402
from graph_memory.database.statements import spliced  # noqa: E402
from graph_memory.engine import Engine  # noqa: E402
from graph_memory.inference.embedder import Embedder  # noqa: E402
from graph_memory.local_neo4j import LocalNeo4j  # noqa: E402

#: The day on which tests stand, unless they move on.
TODAY = datetime(2026, 6, 1, 12, tzinfo=UTC)


@dataclass
class Clock:
    """A clock that stands still until a test moves it."""

    now: datetime = field(default=TODAY)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **duration: float) -> None:
        self.now += timedelta(**duration)


def engine_with(memory: GraphMemory, **settings: Any) -> Engine:
    """Return the engine of a service with other settings."""
    changed = memory.settings.model_copy(update=settings)
    return replace(memory.context.engine, settings=changed)


def pytest_xdist_auto_num_workers() -> int:
    """Run three workers, each with a Neo4j of its own, or one where the database is a given one."""
    return 1 if "GRAPH_MEMORY_TEST_NEO4J_URI" in os.environ else 3


#: Files whose tests use the second Neo4j. One process runs them, so that it starts and warms up
#: once, and they come first, because together they take longest.
OF_SECOND_NEO4J = (
    "tests/e2e/test_old_versions.py",
    "tests/integration/backup/test_backup.py",
    "tests/integration/backup/test_encrypted.py",
    "tests/integration/backup/test_incremental.py",
    "tests/integration/backup/test_snapshot.py",
    "tests/integration/backup/test_until.py",
    "tests/integration/memories/test_tombstone_model.py",
    "tests/integration/placement/test_lost_home.py",
    "tests/integration/placement/test_moves.py",
    "tests/integration/placement/test_placement.py",
)


class _Scheduling(LoadFileScheduling):
    """Give each process whole files, and one process all files of the second Neo4j."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return "second Neo4j" if file in OF_SECOND_NEO4J else file


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    return _Scheduling(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.nodeid.partition("::")[0] not in OF_SECOND_NEO4J)


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data")


#: The full optimiser waits for five times as many calls and loops as by default: in a run of
#: minutes it took half of the processor time of Neo4j. Without it, large tests take longer.
LATE_OPTIMISATION = (
    "-XX:Tier4InvocationThreshold=25000 -XX:Tier4MinInvocationThreshold=3000 "
    "-XX:Tier4CompileThreshold=75000 -XX:Tier4BackEdgeThreshold=200000"
)


@pytest.fixture(scope="session")
def jvm_options() -> str:
    """Options of the JVM of the managed Neo4j; benchmarks have none, as a service."""
    return LATE_OPTIMISATION


@pytest.fixture(scope="session")
def replan_interval() -> str:
    """Shortest time between two plans of a statement; benchmarks have that of a service.

    Each test adds a group of its own, so plans are made again all the time, for a seventh of the
    processor time of Neo4j.
    """
    return "10m"


@contextmanager
def _started_with(options: str, replan_interval: str) -> Iterator[None]:
    """Start each Neo4j with options of the JVM and an interval of `neo4j.conf`."""
    given = os.environ.get("JDK_JAVA_OPTIONS", "")
    conf = "graph_memory.local_neo4j.configuration._CONF"
    interval = "dbms.cypher.min_replan_interval="
    text: str = resolve_name(conf)
    assert text.count(f"{interval}1m\n") == 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JDK_JAVA_OPTIONS", f"{options} {given}".strip())
        patch.setattr(conf, text.replace(f"{interval}1m\n", f"{interval}{replan_interval}\n"))
        yield


@pytest.fixture(scope="session")
def settings(data_dir: Path, jvm_options: str, replan_interval: str) -> Iterator[Settings]:
    """Settings that name a real Neo4j: a given one, else a container, else a managed local one."""
    if uri := os.environ.get("GRAPH_MEMORY_TEST_NEO4J_URI"):
        yield read_settings(
            data_dir=data_dir,
            neo4j_uri=uri,
            neo4j_user=os.environ.get("GRAPH_MEMORY_TEST_NEO4J_USER", "neo4j"),
            neo4j_password=os.environ.get("GRAPH_MEMORY_TEST_NEO4J_PASSWORD", ""),
        )
    elif _docker_answers():
        from testcontainers.community.neo4j import Neo4jContainer

        with Neo4jContainer(f"neo4j:{local_neo4j.NEO4J_VERSION}") as container:
            yield read_settings(
                data_dir=data_dir,
                neo4j_uri=container.get_connection_url(),
                neo4j_password=container.password,
            )
    else:
        managed = read_settings(data_dir=data_dir)
        with _started_with(jvm_options, replan_interval):
            instance = local_neo4j.acquire(managed)
        try:
            yield managed.model_copy(
                update={"neo4j_uri": instance.uri, "neo4j_password": SecretStr(instance.password)}
            )
        finally:
            local_neo4j.release(managed)


@pytest.fixture(scope="session")
def second_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Settings that start the second Neo4j."""
    return read_settings(data_dir=tmp_path_factory.mktemp("second"), local_fast_start=True)


@pytest.fixture(scope="session")
def second_neo4j(second_settings: Settings) -> Iterator[LocalNeo4j]:
    """A second Neo4j, for tests that replace a whole database, move groups to it or kill it.

    Each module empties it first.
    """
    instance = local_neo4j.acquire(second_settings)
    try:
        yield instance
    finally:
        local_neo4j.release(second_settings)


@pytest.fixture(scope="session")
def own_settings(second_settings: Settings, second_neo4j: LocalNeo4j) -> Settings:
    """Settings of a service on the second Neo4j, which holds nothing but what tests put there."""
    given = {"neo4j_uri": second_neo4j.uri, "neo4j_password": SecretStr(second_neo4j.password)}
    return second_settings.model_copy(update=given)


@pytest_asyncio.fixture(scope="session")
async def graph(settings: Settings) -> AsyncIterator[Graph]:
    """A database with our schema, shared by all tests; each works in a group of its own."""
    async with Graph.open(settings) as opened:
        await migrate_up(opened, settings)
        await check_embedding(opened, settings)
        yield opened


@pytest_asyncio.fixture(scope="session")
async def embedder(settings: Settings) -> AsyncIterator[Embedder]:
    loaded = Embedder(settings)
    await loaded.load()
    yield loaded
    await loaded.close()


@pytest_asyncio.fixture(scope="session")
async def driver(settings: Settings) -> AsyncIterator[AsyncDriver]:
    """A driver of our own, to look at the database as any other client does."""
    auth = (settings.neo4j_user, settings.neo4j_password.get_secret_value())
    async with AsyncGraphDatabase.driver(settings.neo4j_uri or "", auth=auth) as opened:
        yield opened


@pytest_asyncio.fixture
async def no_tokens(driver: AsyncDriver) -> AsyncIterator[None]:
    """No tokens before the test, and none after it: a server that has one would begin to serve."""
    await driver.execute_query("MATCH (t:AccessToken) DELETE t")
    yield
    await driver.execute_query("MATCH (t:AccessToken) DELETE t")


RunFragment = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture
def fragment(driver: AsyncDriver) -> RunFragment:
    """Run one fragment of `cypher/` after a clause that binds its variables; return its row."""

    async def run(name: str, before: str, **parameters: Any) -> dict[str, Any]:
        statement = "\n".join(("CYPHER 25", before, spliced(f"// include {name}"), "RETURN *"))
        records, _, _ = await driver.execute_query(statement, parameters)  # type: ignore[arg-type]
        return records[0].data()

    return run


@pytest.fixture
def group() -> str:
    return f"test_{secrets.token_hex(8)}"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest_asyncio.fixture
async def memory(
    graph: Graph, embedder: Embedder, settings: Settings, group: str, clock: Clock
) -> AsyncIterator[GraphMemory]:
    """The public API on the shared database, its default group fresh, its clock in our hands."""
    opened = GraphMemory.over(
        graph, embedder, settings.model_copy(update={"group_id": group}), clock=clock
    )
    yield opened
    await opened.context.accesses.flush()


async def some_transaction_waits(driver: AsyncDriver) -> None:
    """Return as soon as a transaction waits for what another has locked."""
    waiting: LiteralString = (
        "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN status"
    )
    async with asyncio.timeout(30):
        while not (await driver.execute_query(waiting)).records:
            pass  # asking takes its time


@asynccontextmanager
async def locked(driver: AsyncDriver, memory_id: str) -> AsyncIterator[None]:
    """Keep writers of a memory waiting."""
    async with driver.session() as session, await session.begin_transaction() as holding:
        await holding.run("MATCH (m:Memory {uuid: $id}) SET m.locked = true", id=memory_id)
        yield
        await holding.rollback()


def _docker_answers() -> bool:
    """Tell whether an engine answers; the command line alone proves nothing."""
    from docker.errors import DockerException

    import docker

    with warnings.catch_warnings():
        # Where no engine answers, docker leaves its socket to the garbage collector.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            return bool(docker.from_env(timeout=2).ping())
        except DockerException:
            return False
        finally:
            gc.collect()
