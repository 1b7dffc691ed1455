"""A hundred thousand memories backed up in bounded memory, restored, and exported alike.

Each has a vector, the vectors of its words, and two relations. Fifty writes a second go on beside
a backup, in a process of their own.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import LiteralString

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings
from graph_memory.backup import create
from graph_memory.backup.files import BackupReader
from graph_memory.backup.restore import check
from tests.integration.backup.test_backup import own, own_driver

__all__ = ["own", "own_driver"]  # fixtures

COUNT = 100_000
MOST_MEBIBYTES = 300
LONGEST_STALL_SECONDS = 1.0
ALONE_SECONDS = 30  # of the same writes without a backup, to compare with

CREATE: LiteralString = """
CYPHER 25 UNWIND range(0, $count - 1) AS i
CALL (i) {
  CREATE (m:Memory:Entity {
    uuid: 'big-' + right('000000' + i, 6), group_id: 'big', group_key: '1', name: 'memory ' + i,
    summary: 'memory ' + i, content: 'memory ' + i, content_hash: toString(i),
    dedup_key: 'big|' + i, tags: ['a', 'b'], metadata_json: '{}', memory_type: 'fact',
    source: 'user', importance: 5.0, importance_source: 'default', stability: 3,
    lifecycle_state: 'ACTIVE', state_changed_at: $now, state_reason: 'created', state_history: [],
    decay_score: 0.0, last_decay_update: $now, access_count: 0, reinforcement_pending: 0,
    classification_status: 'off', created_at: datetime($now), updated_at: $now,
    valid_at: $now, embedding_model: 'all-MiniLM-L6-v2', embedding_dimension: 384
  })-[:HAS_WORDS]->(:WordVectors {group_id: 'big', vectors: reduce(s = '', n IN range(1, 30) |
    s + toString(rand()))})
  WITH m
  CALL db.create.setNodeVectorProperty(m, 'embedding', [n IN range(1, 384) | rand()])
} IN 2 CONCURRENT TRANSACTIONS OF 1000 ROWS
"""
RELATE: LiteralString = """
CYPHER 25 UNWIND range(0, $count - 1) AS i UNWIND [1, 7] AS step
CALL (i, step) {
  MATCH (a:Memory {uuid: 'big-' + right('000000' + i, 6)})
  MATCH (b:Memory {uuid: 'big-' + right('000000' + (i + step) % $count, 6)})
  CREATE (a)-[:RELATES_TO {
    uuid: 'r-' + i + '-' + step, edge_key: a.uuid + '|supports|' + b.uuid, group_id: 'big',
    name: 'supports', strength: 0.5, fact: 'a supports b', episodes: [], metadata_json: '{}',
    created_at: datetime($now), valid_at: datetime($now)
  }]->(b)
} IN TRANSACTIONS OF 2000 ROWS
"""


def run(settings: Settings, *arguments: object) -> tuple[float, float]:
    """Run a command in a process of its own; return its seconds and its most memory, in MiB."""
    program = (
        "import re, sys; from graph_memory.cli import main; code = main(sys.argv[1:]);"
        "most = re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1];"
        "print(int(most) / 1024, file=sys.stderr); sys.exit(code)"
    )
    environment = os.environ | {
        "GRAPH_MEMORY_NEO4J_URI": settings.neo4j_uri or "",
        "GRAPH_MEMORY_NEO4J_PASSWORD": settings.neo4j_password.get_secret_value(),
        "GRAPH_MEMORY_BACKUP_PATH": str(settings.backup_path),
        "GRAPH_MEMORY_DATA_DIR": str(settings.data_dir),
    }
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return time.monotonic() - started, float(done.stderr.split()[-1])


@contextmanager
def writing(
    settings: Settings, memories: int = COUNT, ids: str = "big-{:06}"
) -> Iterator[list[float]]:
    """Write on during the block; afterwards the list holds the writes, p99 and longest stall."""
    password = settings.neo4j_password.get_secret_value()
    program = str(Path(__file__).with_name("writes.py"))
    address = settings.neo4j_uri or ""
    command = [sys.executable, program, address, password, str(memories), ids]
    found: list[float] = []
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        yield found
        found += map(float, writer.communicate()[0].split())


async def create_many(driver: AsyncDriver) -> None:
    for statement in (CREATE, RELATE):
        async with driver.session() as session:
            result = await session.run(statement, count=COUNT, now="2026-06-01T12:00:00.000Z")
            await result.consume()


@pytest.mark.stress
@pytest.mark.timeout(3600)
async def test_writers_go_on_during_a_large_backup(own: GraphMemory, own_driver: AsyncDriver):
    await create_many(own_driver)
    stalls: dict[str, list[float]] = {}
    for way, snapshot_from in (("snapshot", 1), ("held", 10 * COUNT)):
        started = time.monotonic()
        with writing(own.settings) as stalls[way]:
            made = await create.create(own.context.graph, own.settings, snapshot_from=snapshot_from)
        seconds = time.monotonic() - started
        check(BackupReader(made.backup_path))
        with writing(own.settings) as stalls[f"alone, after {way}"]:
            await asyncio.sleep(ALONE_SECONDS)
        print(f"\n{way}: {made.memories_backed_up} memories in {seconds:.1f} s")
    for way, (writes, p99, longest) in stalls.items():
        print(f"{way}: {writes:.0f} writes, p99 {p99:.3f} s, longest stall {longest:.3f} s")
    slowed = 2 * stalls["alone, after snapshot"][2]  # by what else this machine does
    assert stalls["snapshot"][2] <= max(LONGEST_STALL_SECONDS, slowed)
    assert stalls["held"][2] > stalls["snapshot"][2]


@pytest.mark.stress
@pytest.mark.timeout(3600)
async def test_a_large_backup_needs_little_memory_and_restores_to_the_same(
    own: GraphMemory, own_driver: AsyncDriver, tmp_path: Path
):
    await create_many(own_driver)
    settings = own.settings
    seconds, mebibytes = run(settings, "backup")
    print(f"\nbackup of {COUNT}: {seconds:.1f} s, {mebibytes:.0f} MiB")
    run(settings, "--group", "big", "export", "--output", tmp_path / "before.jsonl")
    await own.context.graph.run("backup/restore/erase", batch=2000, owner=None)
    (made,) = (settings.backup_path or tmp_path).iterdir()
    print("restore: {:.1f} s, {:.0f} MiB".format(*run(settings, "restore", made)))
    run(settings, "--group", "big", "export", "--output", tmp_path / "after.jsonl")
    before, after = (tmp_path / "before.jsonl"), (tmp_path / "after.jsonl")
    assert before.read_bytes() == after.read_bytes()
    assert len(before.read_text().splitlines()) == COUNT
    assert mebibytes < MOST_MEBIBYTES
