"""Backups from a snapshot: of one instant, beside writers, without a trace of the second JVM."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings, local_neo4j, read_settings
from graph_memory.backup import create
from graph_memory.backup.restore import restore
from graph_memory.diagnostics.verify import verify
from graph_memory.errors import BackupError
from graph_memory.local_neo4j import process
from graph_memory.local_neo4j.folder import Folder
from tests.integration.backup.test_backup import everything, own, own_driver

__all__ = ["own", "own_driver"]  # fixtures

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills by signals")

# Makes a backup from a snapshot of the database whose data root, address and password it is given.
_BACK_UP = """
import asyncio, sys
from pathlib import Path
from graph_memory import read_settings
from graph_memory.backup import create
from graph_memory.database.graph import Graph

async def main(data_dir, uri, password):
    settings = read_settings(data_dir=Path(data_dir), neo4j_uri=uri, neo4j_password=password)
    async with Graph.open(settings) as graph:
        await create.create(graph, settings, snapshot_from=0)

asyncio.run(main(*sys.argv[1:]))
"""


def snapshot_folder(settings: Settings) -> Folder:
    return Folder(Folder.of(settings).root / "snapshot")


def second_jvm(settings: Settings) -> int | None:
    found = process.find_stray(snapshot_folder(settings).home)
    return found.pid if found else None


async def until(happened: Callable[[], object], seconds: float = 120.0) -> None:
    async with asyncio.timeout(seconds):
        while not happened():  # noqa: ASYNC110 - other processes know of no event
            await asyncio.sleep(0.05)


def assert_no_trace(settings: Settings) -> None:
    assert second_jvm(settings) is None
    assert not snapshot_folder(settings).root.exists()


@dataclass
class Acknowledged:
    """What writers were answered, in the order of the answers."""

    added: list[str] = field(default_factory=list[str])
    deleted: list[str] = field(default_factory=list[str])
    pairs: list[str] = field(default_factory=list[str])
    relations: int = 0
    turn: int = -1  #: of the memory that is updated over and over
    longest: float = 0.0  #: seconds of a write

    def copy(self) -> "Acknowledged":
        known = (list(self.added), list(self.deleted), list(self.pairs))
        return Acknowledged(*known, self.relations, self.turn, self.longest)


MEMORIES = "MATCH (m:Memory) RETURN m.uuid AS id, m.content AS content"
PAIR = "CREATE (a:Pair {key: $key, text: $text})-[:PAIRED]->(:Pair {key: $key, text: $text})"
UNPAIR = "MATCH (p:Pair {key: $key}) DETACH DELETE p"
PAIRS = """
MATCH (p:Pair)
RETURN p.key AS key, count(*) AS nodes, sum(COUNT { (p)-[:PAIRED]-(:Pair {key: p.key}) }) AS ends
"""


@asynccontextmanager
async def writing(memory: GraphMemory, driver: AsyncDriver) -> AsyncIterator[Acknowledged]:
    """Write on in every way during the block."""
    known, over = Acknowledged(), asyncio.Event()
    first = (await memory.add("the first", group_id="g")).memory_id

    async def forever(write: Callable[[int], Awaitable[None]]) -> None:
        turn = 0
        while not over.is_set():
            started = time.monotonic()
            await write(turn)
            known.longest = max(known.longest, time.monotonic() - started)
            turn += 1
            await asyncio.sleep(0.02)

    async def add(turn: int) -> None:
        added = await memory.add(f"memory {turn} {'x' * (turn % 50) * 100}", group_id="g")
        known.added.append(added.memory_id)
        await memory.relations.add(added.memory_id, first, "references", group_id="g")
        known.relations += 1
        if turn % 3 == 2:
            gone = known.added[turn - 1]
            await memory.delete(gone, permanent=True, tombstone=False, group_id="g")
            known.deleted.append(gone)

    async def update(turn: int) -> None:
        await memory.update(first, content=f"the first, turn {turn}", group_id="g")
        known.turn = turn

    async def pair(turn: int) -> None:
        await driver.execute_query(PAIR, key=f"{turn}", text="x" * (turn % 40) * 100)
        known.pairs.append(f"{turn}")
        if turn % 2:
            await driver.execute_query(UNPAIR, key=f"{turn - 1}")

    tasks = [asyncio.create_task(forever(write)) for write in (add, update, pair)]
    try:
        yield known
    finally:
        over.set()
        await asyncio.gather(*tasks)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("backups", [1, pytest.param(5, marks=pytest.mark.stress)])
async def test_backups_beside_writers_hold_one_instant_each(
    own: GraphMemory, own_driver: AsyncDriver, backups: int
):
    graph, settings = own.context.graph, own.settings
    made: list[tuple[Acknowledged, Acknowledged, Path]] = []
    async with writing(own, own_driver) as known:
        await until(lambda: known.turn > 3 and known.deleted)
        for _ in range(backups):
            before = known.copy()
            written = (await create.create(graph, settings, snapshot_from=0)).backup_path
            made.append((before, known.copy(), written))
            latest = await create.status(graph)
            assert (latest.held_seconds, latest.busy_seconds > 0) == (0.0, True)
            assert_no_trace(settings)
    print(f"\nlongest write {known.longest:.2f} s, {len(known.added)} memories added")
    for before, after, path in made:
        await restore(graph, settings, path, replace=True)
        assert not any((await verify(graph, settings)).values())
        await check_instant(own_driver, before, after, known)


async def check_instant(
    driver: AsyncDriver, before: Acknowledged, after: Acknowledged, known: Acknowledged
) -> None:
    """Check a restored database against what was acknowledged before, after and in the end."""
    rows, _, _ = await driver.execute_query(MEMORIES)
    contents = {row["id"]: row["content"] for row in rows}
    assert not contents.keys() & set(before.deleted)
    missing = set(before.added) - contents.keys()
    assert missing <= set(known.deleted)  # after the backup began
    (turn,) = [text.split()[-1] for text in contents.values() if str(text).startswith("the first")]
    assert before.turn <= int(turn) <= after.turn + 1
    pairs, _, _ = await driver.execute_query(PAIRS)
    assert {(row["nodes"], row["ends"]) for row in pairs} == {(2, 2)}
    # Odd pairs stay; an even one is deleted in the turn after it.
    assert {key for key in before.pairs if int(key) % 2} <= {row["key"] for row in pairs}


async def test_a_snapshot_and_a_held_database_give_the_same_backup(
    own: GraphMemory, own_driver: AsyncDriver
):
    ids = [(await own.add(f"memory {n}", group_id="g")).memory_id for n in range(5)]
    await own.relations.add(ids[0], ids[1], "supports", group_id="g")
    await own.delete(ids[4], group_id="g")
    before = await everything(own_driver)
    ways = [
        await create.create(own.context.graph, own.settings, snapshot_from=snapshot_from)
        for snapshot_from in (0, 1000)
    ]
    held, copied = ((each.backup_path / "manifest.json").read_text() for each in ways)
    assert held.splitlines()[3:] == copied.splitlines()[3:]  # but for the time
    await restore(own.context.graph, own.settings, ways[0].backup_path, replace=True)
    assert await everything(own_driver) == before


async def test_the_second_neo4j_takes_vector_indexes_as_they_are(tmp_path: Path):
    settings = read_settings(
        data_dir=tmp_path, local_fast_start=True, local_linger_seconds=0, backup_auto=False
    )
    async with GraphMemory.open(settings) as memory:
        await memory.add("before the end, when Neo4j writes the indexes", group_id="g")
    async with GraphMemory.open(settings) as memory:
        await memory.add("after it", group_id="g")
        instance = local_neo4j.running(settings)
        assert instance
        snapshot = await asyncio.to_thread(local_neo4j.take_snapshot, settings, instance)
        try:
            copied = list(snapshot_folder(settings).home.rglob("schema/index/vector-*/*/1/_*.cfs"))
            # A Neo4j that builds an index deletes its files first, and writes others.
            assert any(shared(file) for file in copied)
        finally:
            await asyncio.to_thread(snapshot.remove)


def shared(file: Path) -> bool:
    return file.stat().st_nlink > 1


@pytest.mark.parametrize("stage", ["copy", "start", "read"])
async def test_a_killed_backup_leaves_no_process_and_no_copy(own: GraphMemory, stage: str):
    settings = own.settings
    await own.add("stays", group_id="g")
    password = settings.neo4j_password.get_secret_value()
    started = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _BACK_UP, str(settings.data_dir), settings.neo4j_uri or "", password
    )
    log = snapshot_folder(settings).console_log
    reached = {
        "copy": snapshot_folder(settings).conf.parent.exists,
        "start": lambda: second_jvm(settings),
        "read": lambda: log.is_file() and "Started." in log.read_text(),
    }
    await until(reached[stage])
    os.kill(started.pid, signal.SIGKILL)
    await started.wait()
    await until(lambda: not snapshot_folder(settings).root.exists(), seconds=20)
    assert_no_trace(settings)


async def test_a_cancelled_backup_leaves_no_process_and_no_copy(own: GraphMemory):
    await own.add("stays", group_id="g")
    making = asyncio.create_task(create.create(own.context.graph, own.settings, snapshot_from=0))
    await until(lambda: second_jvm(own.settings))
    making.cancel()
    with pytest.raises(asyncio.CancelledError):
        await making
    assert_no_trace(own.settings)
    assert list(create.folder_of(own.settings).iterdir()) == []


async def test_where_no_snapshot_can_be_taken_only_a_backup_by_request_holds_writers(
    own: GraphMemory, caplog: pytest.LogCaptureFixture
):
    await own.add("kept", group_id="g")
    obstacle = snapshot_folder(own.settings).root
    obstacle.write_text("a file in the place of the folder")
    try:
        with pytest.raises(BackupError, match="lets writers wait"):
            await create.create(own.context.graph, own.settings, hold_seconds=10, snapshot_from=0)
        made = await create.create(own.context.graph, own.settings, snapshot_from=0)
    finally:
        obstacle.unlink()
    assert made.memories_backed_up == 1
    assert "so writers wait for this backup" in caplog.text
    assert (await create.status(own.context.graph)).held_seconds > 0
