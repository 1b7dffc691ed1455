"""Backups after the first: they link what has not changed, also that of a killed one."""

import asyncio
import os
import random
import shutil
import signal
import sys
from pathlib import Path

import pytest
from neo4j import AsyncDriver
from pydantic import SecretStr

from graph_memory import GraphMemory
from graph_memory.backup import archives, create
from graph_memory.backup.create import Backup
from graph_memory.backup.files import MANIFEST, MEMORIES
from graph_memory.backup.parts import FOLDER, PARTS
from graph_memory.backup.restore import check, restore
from tests.integration.backup.test_backup import everything, own, own_driver

__all__ = ["own", "own_driver"]  # fixtures

KEY = "a key of the tests, which has enough characters"
COUNT = 3000

FILL = """
UNWIND range(1, $count) AS i
CREATE (m:Memory:Entity {
  uuid: 'memory-' + i, group_id: 'g', name: 'memory ' + i, content: 'memory ' + i,
  tags: ['a'], access_count: 0, created_at: datetime('2026-06-01T12:00:00Z'),
  embedding: [j IN range(1, 64) | rand()], name_embedding: [j IN range(1, 64) | rand()]
})
WITH collect(m) AS memories
UNWIND range(0, $count - 2) AS i
WITH memories[i] AS a, memories[i + 1] AS b
CREATE (a)-[:RELATES_TO {name: 'causes', fact_embedding: [j IN range(1, 32) | rand()]}]->(b)
"""

# Makes a backup of the database whose folder, address, password and data root it is given, and
# kills itself with the part of a number.
_KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from graph_memory import read_settings
from graph_memory.backup import create
from graph_memory.database.graph import Graph

def kill_after(event, arguments, made=[]):
    if event == "open" and ".partial_" in str(arguments[0]) and "/graph/" in str(arguments[0]):
        made.append(arguments[0])
        if len(made) > int(sys.argv[5]):
            os.kill(os.getpid(), signal.SIGKILL)

async def main(folder, uri, password, data_dir):
    settings = read_settings(
        data_dir=Path(data_dir), neo4j_uri=uri, neo4j_password=password, backup_path=Path(folder)
    )
    sys.addaudithook(kill_after)
    async with Graph.open(settings) as graph:
        await create.create(graph, settings)

asyncio.run(main(*sys.argv[1:5]))
"""


def keyed(memory: GraphMemory, key: str | None) -> GraphMemory:
    settings = memory.settings.model_copy(update={"backup_key": SecretStr(key or "")})
    return GraphMemory.over(memory.context.graph, memory.context.embedder, settings)


async def back_up(memory: GraphMemory, *, snapshot: bool = False) -> Backup:
    wanted = 0 if snapshot else 10 * COUNT
    return await create.create(memory.context.graph, memory.settings, snapshot_from=wanted)


def written(made: Backup, *others: Path) -> set[str]:
    """Return the names of the files of a backup that are not linked to those of others."""
    known = {each.stat().st_ino for path in others for each in path.rglob("*")}
    files = (each for each in made.backup_path.rglob("*") if each.is_file())
    return {each.name for each in files if each.stat().st_ino not in known}


@pytest.mark.parametrize(
    ("key", "snapshot"),
    [(None, False), (KEY, False), (KEY, True)],
    ids=["held, in clear", "held, encrypted", "snapshot, encrypted"],
)
async def test_a_second_backup_links_what_has_not_changed(
    own: GraphMemory, own_driver: AsyncDriver, key: str | None, snapshot: bool
):
    await own_driver.execute_query(FILL, count=COUNT)
    memory = keyed(own, key)
    first = await back_up(memory, snapshot=snapshot)
    assert first.new_bytes == first.bytes
    same = await back_up(memory, snapshot=snapshot)
    ending = ".enc" if key else ""
    assert written(same, first.backup_path) == {MANIFEST, PARTS + ending, MEMORIES + ending}

    chosen = random.Random(1).sample(range(1, COUNT + 1), COUNT // 100)
    await own_driver.execute_query(
        "MATCH (m:Memory) WHERE m.uuid IN $ids SET m.access_count = 1",
        ids=[f"memory-{n}" for n in chosen],
    )
    before = await everything(own_driver)
    second = await back_up(memory, snapshot=snapshot)
    readable = (second.backup_path / (MEMORIES + ending)).stat().st_size
    new, graph = second.new_bytes - readable, second.bytes - readable
    print(f"\n1 % changed: {new} of {graph} bytes of the graph, and {readable} of memories.json")
    assert new < graph / 3
    listed = archives.stored_backups(memory.settings)
    assert [(each.path, each.bytes, each.new_bytes) for each in listed] == [
        (each.backup_path, each.bytes, each.new_bytes) for each in (first, same, second)
    ]

    for earlier in (first, same):
        shutil.rmtree(earlier.backup_path)
    report = await restore(own.context.graph, memory.settings, second.backup_path, replace=True)
    assert report.memories == COUNT
    assert await everything(own_driver) == before


async def test_a_change_of_texts_and_nodes_is_restored_from_links(
    own: GraphMemory, own_driver: AsyncDriver
):
    await own_driver.execute_query(FILL, count=500)
    await back_up(own)
    await own_driver.execute_query("MATCH (m:Memory {uuid: 'memory-77'}) DETACH DELETE m")
    await own_driver.execute_query("MATCH (m:Memory {uuid: 'memory-99'}) SET m.content = 'new'")
    added = await own.add("a memory that came later", group_id="g")
    await own.delete(added.memory_id, group_id="g")
    before = await everything(own_driver)
    made = await back_up(own)
    assert made.new_bytes < made.bytes
    await restore(own.context.graph, own.settings, made.backup_path, replace=True)
    assert await everything(own_driver) == before


@pytest.mark.skipif(os.name != "posix", reason="kills by signals")
async def test_a_backup_after_a_killed_one_links_its_parts(
    own: GraphMemory, own_driver: AsyncDriver
):
    await own_driver.execute_query(FILL, count=COUNT)
    settings, folder = own.settings, create.folder_of(own.settings)
    password = settings.neo4j_password.get_secret_value()
    given = [str(folder), settings.neo4j_uri or "", password, str(settings.data_dir), "12"]
    killed = await asyncio.create_subprocess_exec(sys.executable, "-c", _KILLED, *given)
    assert await killed.wait() == -signal.SIGKILL
    (partial,) = folder.iterdir()
    kept = folder.with_name("kept")
    shutil.copytree(partial, kept, copy_function=os.link)

    made = await back_up(own)
    linked = {each.name for each in (kept / FOLDER).iterdir()} - written(made, kept)
    assert len(linked) == 12  # of 13, for the last one was not written
    assert list(folder.iterdir()) == [made.backup_path]
    assert made.new_bytes == made.bytes  # it is the first backup
    (backup,) = archives.backups(settings)
    assert check(backup).memories == COUNT


async def test_what_killed_backups_left_goes_with_what_was_erased(own: GraphMemory):
    await own.add("kept", group_id="g")
    folder = create.folder_of(own.settings)
    partial = folder / ".partial_1_killed"
    partial.mkdir(parents=True)
    (partial / "lock").touch()
    assert await own.erasure.prune_backups() == []
    assert list(folder.iterdir()) == []
