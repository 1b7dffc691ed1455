"""How long a run with all stages takes over 100,000 memories of which 1 % have changed."""

import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString

import numpy as np
import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings
from graph_memory.domain.encoding import content_hash, group_key
from graph_memory.domain.timestamps import instant
from graph_memory.maintenance.request import Stage
from graph_memory.server.run import SWITCH_SECONDS
from tests.benchmarks.against_commit import SERVE
from tests.benchmarks.corpus import prose
from tests.benchmarks.test_maintenance import execute
from tests.conftest import Clock
from tests.integration.maintenance.test_run import other

COUNT = 100_000
LONG = 200
ANSWERS = 5
WARM_UP = 50
SEARCHES = 200
LEARN = ("entities", "proposals", "strengths", "centrality", "clusters", "weights", "briefs")

#: Memories of a topic are near each other: each vector is the vector of the topic with noise.
#: All count as compared before, as after a first run, which would take a quarter of an hour.
CREATE: LiteralString = """
CYPHER 25 UNWIND $rows AS row
CALL (row) {
  CREATE (m:Entity:Memory {uuid: row.uuid, group_id: $group, group_key: $key,
    name: left(row.content, 80), summary: left(row.content, 500), content: row.content,
    content_hash: row.hash, proposed_hash: row.hash,
    dedup_key: $group + '|' + row.hash, memory_type: 'fact', tags: ['a'],
    importance: 5.0, importance_source: 'user', stability: 3, stability_source: 'user',
    source: 'user', metadata_json: '{}', lifecycle_state: 'ACTIVE',
    decay_score: 0.0, last_decay_update: $now, access_count: row.topic % 7, passage_count: 0,
    reinforcement_pending: 0, state_changed_at: $now, state_reason: 'created', state_history: [],
    embedding_model: 'all-MiniLM-L6-v2', embedding_dimension: 384, created_at: datetime($now),
    updated_at: $now, next_due_at: $due})
  WITH m, toFloatList([k IN range(0, 383) | sin(row.topic * (k + 1)) + rand() - 0.5]) AS vector
  CALL db.create.setNodeVectorProperty(m, 'embedding', vector)
} IN TRANSACTIONS OF 1000 ROWS
"""
RELATE: LiteralString = """
CYPHER 25 UNWIND range(0, $count - 1) AS i
CALL (i) {
  MATCH (a:Memory {uuid: $group + '-' + i}),
    (b:Memory {uuid: $group + '-' + ((i * 7 + 1) % $count)})
  CREATE (a)-[:RELATES_TO {uuid: $group + '-r' + i, name: 'relates_to', group_id: $group,
    strength: 0.5, fact: 'a', created_at: datetime($now)}]->(b)
} IN TRANSACTIONS OF 2000 ROWS
"""
TEACH: LiteralString = """
CYPHER 25 MERGE (c:Control {key: 'feedback|' + $group})
WITH c UNWIND $lessons AS row
CREATE (c)-[:HAS_LESSON]->(:Lesson {group_id: $group, at: $now, question: row.question,
  memory_ids: [row.id], passages: ['0-900'], useful_ids: [row.id], useless_ids: [], measures: [],
  values: [], scales: [], quotes: [0.0], instants: [0.0], conversations: [0], learned: false})
"""
CHANGE: LiteralString = """
CYPHER 25 UNWIND $rows AS row
CALL (row) {
  MATCH (m:Memory {uuid: row.uuid})
  SET m.content = row.content, m.content_hash = row.hash, m.dedup_key = $group + '|' + row.hash,
      m.brief_json = null
} IN TRANSACTIONS OF 1000 ROWS
"""
FORGET: LiteralString = """
CYPHER 25 MATCH (n) WHERE n.group_id = $group OR n.key ENDS WITH '|' + $group
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS
"""

_PEOPLE = ("Ada", "Grace", "Linus", "Barbara", "Alan", "Edsger", "Donald", "Margaret", "Radia")
_PLACES = ("Lisbon", "Oslo", "Prague", "Quito", "Rome", "Seoul", "Tunis", "Vienna", "Zagreb")


def texts(chance: random.Random) -> list[str]:
    """Return real prose; every tenth text states where a person lives, and the first are long."""
    found = prose(COUNT)
    for number in range(0, COUNT, 10):
        person = f"{chance.choice(_PEOPLE)} {chance.choice('ABCDEFGH')}orl{number % 97}"
        found[number] = f"{person} lives in {chance.choice(_PLACES)}, note {number}"
    for number in range(LONG):
        parts = (f"The part {i} of plan {number} is due in week {i * 3}." for i in range(40))
        found[number] = " ".join(parts)
    return found


def rows(group: str, contents: Sequence[str], numbers: Iterable[int]) -> list[dict[str, Any]]:
    """Return the memories of these numbers; each tenth is near the one before it."""
    return [
        {
            "uuid": f"{group}-{number}",
            "topic": number - (number % 10 == 1),
            "content": contents[number],
            "hash": content_hash(contents[number]),
        }
        for number in numbers
    ]


async def search_milliseconds(memory: GraphMemory, group: str, enough: asyncio.Event) -> float:
    """Search again and again until there are enough, and return the p95 in milliseconds."""
    taken: list[float] = []
    while not enough.is_set() or len(taken) < WARM_UP + SEARCHES:
        began = time.perf_counter()
        await memory.search(f"who repaired the kettle {len(taken)}?", group_id=group)
        taken.append(1000 * (time.perf_counter() - began))
    return float(np.percentile(taken[WARM_UP:], 95))


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads take turns as often as in the server."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    yield
    sys.setswitchinterval(before)


async def command(settings: Settings, group: str) -> None:
    """Run maintenance with all stages as cron does, in a process of its own."""
    given = {
        "NEO4J_URI": settings.neo4j_uri or "",
        "NEO4J_PASSWORD": settings.neo4j_password.get_secret_value(),
        "DATA_DIR": str(settings.data_dir),
        "LEARN": json.dumps(LEARN),
    }
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", SERVE, "maintain", "--group", group),
        env=os.environ | {f"GRAPH_MEMORY_{name}": value for name, value in given.items()},
    )
    assert await process.wait() == 0
    print(f"the command: {time.perf_counter() - began:.1f} s", flush=True)


@pytest.mark.bench
@pytest.mark.timeout(7200)
@pytest.mark.usefixtures("switching")
async def test_all_stages_over_a_hundred_thousand_memories_of_which_one_percent_changed(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    """A run takes at most 60 s, and searches beside it twice as long as without.

    The memories are of yesterday: the command goes by the real time, and would treat all of them if
    they had been left for months.
    """
    clock.now = datetime.now(UTC) - timedelta(days=1)
    contents = await asyncio.to_thread(texts, random.Random(0))
    learning = other(memory, learn=LEARN)
    at = {"group": group, "now": instant(clock.now), "key": group_key(group)}
    lessons = [
        {"id": f"{group}-{i}", "question": f"when is part {k} of the plan due?"}
        for i in range(LONG)
        for k in range(ANSWERS)
    ]

    async def run(name: str, **request: Any) -> float:
        clock.advance(minutes=1)
        report = await learning.maintenance.run(groups=[group], max_seconds=7000, **request)
        assert (report.completed, report.errors) == (True, 0)
        seconds = report.duration_seconds
        print(f"{name}: {report.learned} learned, {seconds:.1f} s", flush=True)
        return seconds

    async def change() -> None:
        for number in range(0, COUNT, 100):
            contents[number] += " Again."
        changed = rows(group, contents, range(0, COUNT, 100))
        await execute(driver, CHANGE, rows=changed, group=group)

    try:
        await learning.groups.set(single_valued_slots=["lives_in"])
        for start in range(0, COUNT, 10_000):
            some = rows(group, contents, range(start, start + 10_000))
            await execute(driver, CREATE, rows=some, due="9999-01-01T12:00", **at)
        await execute(driver, RELATE, count=COUNT, group=group, now=at["now"])
        await driver.execute_query(TEACH, lessons=lessons, group=group, now=at["now"])
        await run("all stages, first")
        await run("all stages, nothing changed")
        await change()
        seconds = await run("all stages, 1 % changed")
        await change()
        for stage in (Stage.ENTITIES, Stage.SLOTS, *LEARN[1:]):
            await run(f"{stage} alone, 1 % changed", stages=[stage])
        enough = asyncio.Event()
        enough.set()
        idle = await search_milliseconds(memory, group, enough)
        beside: dict[str, float] = {}
        for name, running in (
            ("of the same process", lambda: run("all stages, beside searches")),
            ("as a command", lambda: command(learning.settings, group)),
        ):
            await change()
            enough.clear()
            searches = asyncio.create_task(search_milliseconds(memory, group, enough))
            await running()
            enough.set()
            beside[name] = await searches
            print(f"p95 of searches {idle:.0f} ms alone, {beside[name]:.0f} ms beside a run {name}")
    finally:
        await execute(driver, FORGET, group=group)
    assert seconds < 60
    assert max(beside.values()) < 2 * idle
