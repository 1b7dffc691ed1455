"""Every migration up and down over a hundred thousand memories of old versions, and killed.

`-s` prints the table of `docs/guides/upgrade.md`. GRAPH_MEMORY_TEST_UPGRADE_MEMORIES changes the
number of memories.
"""

import asyncio
import os
import random
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import LiteralString

import pytest
import pytest_asyncio
from neo4j import AsyncDriver, AsyncGraphDatabase
from pydantic import SecretStr

from graph_memory import Settings, local_neo4j, read_settings
from graph_memory.backup import create
from graph_memory.database import schema
from graph_memory.database.embedding_record import record_embedding
from graph_memory.database.graph import Graph
from graph_memory.database.indexes import missing_indexes
from graph_memory.database.migrations import MIGRATIONS
from graph_memory.diagnostics.verify import verify
from tests.support.multiplied import load

pytestmark = [pytest.mark.stress, pytest.mark.timeout(4 * 3600)]

VERSIONS = Path(__file__).parents[2] / "data" / "old_versions"
MEMORIES = int(os.environ.get("GRAPH_MEMORY_TEST_UPGRADE_MEMORIES", "100000"))
NEWEST = MIGRATIONS[-1].version
KILLS = 5
_START_SECONDS = 1.5  # until a command has opened the database

#: Largest heap of a transaction, by Neo4j's estimate; of all rows at once it would be a multiple.
MOST_MEBIBYTES = 64
#: Longest time that a read of one memory may take, by a scan where its index is absent.
SLOWEST_READ_SECONDS = 5.0

_MAIN = "import sys; from graph_memory.cli import main; sys.exit(main())"

#: What later versions write into the database, which a migration down has to delete.
LATER: tuple[LiteralString, ...] = (
    "MATCH (m:Memory) WHERE m.embedding IS NOT NULL CALL (m) { "
    "CREATE (m)-[:HAS_PASSAGE]->(p:Passage {group_id: m.group_id, uuid: m.uuid + '-0'}) "
    "SET m.passage_count = 1 WITH m, p "
    "CALL db.create.setNodeVectorProperty(p, 'embedding', toFloatList(m.embedding)) "
    "} IN TRANSACTIONS OF 1000 ROWS",
    "UNWIND range(0, 999) AS n CREATE (:NamedEntity {uuid: 'entity-' + n, group_id: 'atelier'})",
    # the first entities have most mentions: a tenth of all memories has the first
    "MATCH (m:Memory) CALL (m) { "
    "MATCH (e:NamedEntity {uuid: 'entity-' + toString(toInteger(1000 * rand() ^ 3))}) "
    "CREATE (m)-[:HAS_MENTION]->(e) SET m.mentions_hash = 'x', m.mention_count = 1 "
    "} IN TRANSACTIONS OF 1000 ROWS",
    "MATCH (m:Memory) CALL (m) { SET m.proposed_hash = 'x', m.centrality = rand() "
    "CREATE (:LearningChange {run_id: 'run', group_id: m.group_id, stage: 'centrality'}) "
    "CREATE (:Proposal {uuid: 'p-' + m.uuid, group_id: m.group_id, status: 'open'}) "
    "CREATE (:Tombstone {uuid: 't-' + m.uuid, key: 't-' + m.uuid, group_id: m.group_id, "
    "bucket: 'b-' + m.uuid, slots: 'a b'}) "
    "CREATE (:PendingWrite {pending_key: 'w-' + m.uuid, group_id: m.group_id}) "
    "} IN TRANSACTIONS OF 1000 ROWS",
)


@dataclass
class Watch:
    """What other clients see during a migration."""

    mebibytes: float = 0.0  #: the largest transaction
    query: str = ""
    reads: list[float] = field(default_factory=list)  #: seconds of each


@dataclass
class Large:
    """A Neo4j of its own with many memories."""

    settings: Settings
    graph: Graph
    driver: AsyncDriver
    right: tuple[int, int, str] | None = None  #: the checksum of the memories with all migrations
    seconds: dict[str, float] = field(default_factory=lambda: {"down": 30.0, "up": 120.0})

    async def verified(self) -> None:
        """Check that `verify` finds nothing."""
        began = time.monotonic()
        assert await verify(self.graph, self.settings) == {}
        print(f"verified in {time.monotonic() - began:.1f} s", flush=True)

    async def checksum(self) -> tuple[int, int, str]:
        found = await create.checksum(self.graph)
        return found.nodes, found.edges, found.hexdigest()

    async def erased(self, at: int) -> None:
        """Erase everything, and give the empty database the schema of a version."""
        await schema.migrate_up(self.graph, self.settings)
        await self.graph.run("backup/restore/erase", batch=2000, owner=None)
        await schema.migrate_down(self.graph, to=at)

    async def up_to(self, version: int) -> list[int]:
        """Migrate as the program did whose last migration this is."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(schema, "MIGRATIONS", MIGRATIONS[:version])
            return await schema.migrate_up(self.graph, self.settings)

    async def with_later_data(self) -> None:
        async with self.driver.session() as session:
            for statement in LATER:
                await (await session.run(f"CYPHER 25 {statement}")).consume()

    def command(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start the command line on this database."""
        environment = os.environ | {
            "GRAPH_MEMORY_NEO4J_URI": self.settings.neo4j_uri or "",
            "GRAPH_MEMORY_NEO4J_PASSWORD": self.settings.neo4j_password.get_secret_value(),
            "GRAPH_MEMORY_DATA_DIR": str(self.settings.data_dir / "of_the_command"),
        }
        return subprocess.Popen([sys.executable, "-c", _MAIN, *arguments], env=environment)

    @asynccontextmanager
    async def watched(self) -> AsyncIterator[Watch]:
        """Read memories, and measure the transactions of others, for the length of the context."""
        watch, ids = Watch(), await self._some_ids()
        tasks = [asyncio.create_task(part) for part in (self._read(watch, ids), self._weigh(watch))]
        try:
            yield watch
        finally:
            failed = [task.exception() for task in tasks if task.done()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        assert failed == []

    async def _some_ids(self) -> list[str]:
        query = "MATCH (m:Memory) RETURN m.uuid AS id LIMIT 1000"
        return [row["id"] for row in (await self.driver.execute_query(query)).records]

    async def _read(self, watch: Watch, ids: list[str]) -> None:
        query = "MATCH (m:Memory {uuid: $id}) RETURN m.content AS content"
        while True:
            began = time.monotonic()
            found = await self.driver.execute_query(query, id=random.choice(ids))
            assert found.records[0]["content"]
            watch.reads.append(time.monotonic() - began)
            await asyncio.sleep(0.2)

    async def _weigh(self, watch: Watch) -> None:
        query = (
            "SHOW TRANSACTIONS YIELD currentQuery AS query, estimatedUsedHeapMemory AS bytes "
            "WHERE bytes IS NOT NULL RETURN query, bytes ORDER BY bytes DESC LIMIT 1"
        )
        while True:
            for row in (await self.driver.execute_query(query)).records:
                if row["bytes"] / 2**20 > watch.mebibytes:
                    watch.mebibytes, watch.query = row["bytes"] / 2**20, row["query"]
            await asyncio.sleep(0.2)


@pytest.fixture(scope="module")
def managed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    # a single statement of `verify` reads all memories of a group
    settings = read_settings(
        data_dir=tmp_path_factory.mktemp("upgrades"), query_timeout_seconds=600.0
    )
    instance = local_neo4j.acquire(settings)
    try:
        yield settings.model_copy(
            update={"neo4j_uri": instance.uri, "neo4j_password": SecretStr(instance.password)}
        )
    finally:
        local_neo4j.release(settings)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def large(managed: Settings) -> AsyncIterator[Large]:
    """A Neo4j that holds only what these tests put into it."""
    auth = (managed.neo4j_user, managed.neo4j_password.get_secret_value())
    async with (
        Graph.open(managed) as graph,
        AsyncGraphDatabase.driver(managed.neo4j_uri or "", auth=auth) as driver,
    ):
        await schema.migrate_up(graph, managed)
        await record_embedding(graph, managed)
        yield Large(managed, graph, driver)


def checked(watch: Watch) -> str:
    """Check what others saw of a migration; return it."""
    assert watch.mebibytes <= MOST_MEBIBYTES, watch.query
    slowest = max(watch.reads, default=0.0)
    assert slowest <= SLOWEST_READ_SECONDS
    return f"{watch.mebibytes:.1f} MiB, {len(watch.reads)} reads, slowest {slowest:.2f} s"


async def test_memories_of_an_old_version_come_up_down_and_up(large: Large):
    await large.erased(at=11)
    began = time.monotonic()
    count = await load(large.graph, VERSIONS / "1aeab78", MEMORIES)
    print(f"\n{count} memories as 1aeab78 wrote them: {time.monotonic() - began:.0f} s")
    old = await large.checksum()
    for version in range(12, NEWEST + 1):
        await timed(large, large.up_to(version), [version])
    await large.verified()
    large.right = await large.checksum()
    assert await schema.migrate_down(large.graph, to=11) == list(range(NEWEST, 11, -1))
    assert await large.checksum() == old
    await schema.migrate_up(large.graph, large.settings)
    await large.with_later_data()
    down = {
        version: await timed(large, schema.migrate_down(large.graph, to=version - 1), [version])
        for version in range(NEWEST, 0, -1)
    }
    up = {n: await timed(large, large.up_to(n), [n]) for n in range(1, NEWEST + 1)}
    large.seconds = {"down": sum(down.values()), "up": sum(up.values())}
    for step in MIGRATIONS:
        n = step.version
        print(f"| {n} | {step.summary} | {up[n]:.1f} | {down[n]:.1f} |")
    print(f"in all: up {large.seconds['up']:.0f} s, down {large.seconds['down']:.0f} s")
    await large.verified()
    assert await large.checksum() == large.right


async def timed(large: Large, migrating: Awaitable[list[int]], versions: list[int]) -> float:
    """Migrate, and check what others see of it; return the seconds."""
    began = time.monotonic()
    async with large.watched() as watch:
        assert await migrating == versions
        seconds = time.monotonic() - began
    print(f"{versions}: {seconds:.1f} s, {checked(watch)}", flush=True)
    return seconds


async def test_a_killed_migration_is_finished_by_the_next(large: Large):
    if large.right is None:  # this test runs alone
        await large.erased(at=11)
        await load(large.graph, VERSIONS / "1aeab78", MEMORIES)
        await schema.migrate_up(large.graph, large.settings)
        large.right = await large.checksum()
    await large.with_later_data()
    chance = random.Random(41)
    for direction, arguments in (("down", ["--to", "0", "--confirm", "DELETE"]), ("up", [])):
        unfinished = 0
        for _ in range(KILLS):
            after = _START_SECONDS + chance.uniform(0, large.seconds[direction] / 3)
            unfinished += await killed(large, after, "migrate", direction, *arguments)
        assert unfinished
        with large.command("migrate", direction, *arguments) as running:
            assert await asyncio.to_thread(running.wait) == 0
    await large.verified()
    assert await large.checksum() == large.right


async def killed(large: Large, after: float, *arguments: str) -> bool:
    """Kill a command after so many seconds; return whether it had not ended."""
    with large.command(*arguments) as running:
        try:
            assert await asyncio.to_thread(running.wait, after) == 0
        except subprocess.TimeoutExpired:
            running.kill()
    steps = await schema.migration_status(large.graph)
    applied = sum(step.applied_at is not None for step in steps)
    ended = "killed" if running.returncode else "ended"
    print(f"{arguments[1]}, {ended} within {after:.1f} s: {applied} applied", flush=True)
    if applied == NEWEST and arguments[1] == "up":
        assert await missing_indexes(large.graph) == []  # searches work
    return running.returncode != 0


@pytest.mark.parametrize("folder", ["0face19", "7131cd4"])
async def test_memories_of_older_versions_come_up(large: Large, folder: str):
    """The stored form differs before migration 9: bytes, and instants of Neo4j."""
    at = {"0face19": 2, "7131cd4": 6}[folder]
    await large.erased(at=at)
    count = await load(large.graph, VERSIONS / folder, MEMORIES // 5)
    old = await large.checksum()
    began = time.monotonic()
    async with large.watched() as watch:
        await schema.migrate_up(large.graph, large.settings)
    print(f"\n{folder}: {count} memories in {time.monotonic() - began:.0f} s, {checked(watch)}")
    await large.verified()
    await schema.migrate_down(large.graph, to=at)
    assert await large.checksum() == old
