"""Restores to an instant: the database looks as it did then, whatever happened after it."""

import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, LiteralString

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings
from graph_memory.api.database import Database
from graph_memory.backup import create, restore
from graph_memory.backup.files import BackupReader
from graph_memory.backup.restore import Restored, unfinished
from graph_memory.domain.models import RelationType
from graph_memory.domain.timestamps import instant
from graph_memory.errors import (
    BackupError,
    GraphMemoryError,
    InvalidArgumentError,
    NotFoundError,
    RejectedBeforeError,
)
from graph_memory.maintenance.request import Stage
from tests.conftest import Clock
from tests.e2e.test_cli import Run, cli, environment  # noqa: F401 - fixtures
from tests.integration.backup.test_backup import (  # noqa: F401 - fixtures
    own,
    own_driver,
)
from tests.integration.learning.test_proposals import TEXTS

LEARNING = (Stage.PROPOSALS, Stage.ENTITIES, Stage.CLUSTERS, Stage.CENTRALITY)

#: All that readers see of a memory and that has dates, its relations and its versions.
_SEEN: LiteralString = """
MATCH (m:Memory)
WITH m ORDER BY m.uuid
RETURN m {.uuid, .group_id, .content, .content_hash, .dedup_key, .name, .summary, .tags,
  .metadata_json, .attachments_json, .importance, .memory_type, .stability, .confidence,
  .project_id, .conversation_id, .decay_policy, .decay_rate, .preserve_until, .lifecycle_state,
  .state_history, .state_changed_at, .state_reason, .edit_history, .soft_deleted_at, .obsolete_at,
  .obsolete_reason, .invalid_at, .ended_at, .updated_at, .valid_at, .origin_authority,
  .origin_way_in, .unprotected_at, .is_protected} AS memory,
  head([(m)-[:HAS_PARENT]->(parent) | parent.uuid]) AS parent,
  COLLECT { MATCH (m)-[:HAS_VERSION]->(v) RETURN v.content + toString(v.expired_at) AS v
    ORDER BY v } AS versions,
  COLLECT { MATCH (m)-[r:RELATES_TO]->(other)
    RETURN r.uuid + r.name + coalesce(r.edge_key, '') + coalesce(toString(r.created_at), '') +
      coalesce(toString(r.expired_at), '') + coalesce(toString(r.invalid_at), '') + other.uuid AS r
    ORDER BY r } AS relations
"""


@pytest.fixture
def clock() -> Clock:
    """A clock before the present, in which backups are made."""
    return Clock(datetime.now(UTC).replace(microsecond=0) - timedelta(days=400))


async def seen(memory: GraphMemory, driver: AsyncDriver) -> dict[str, Any]:
    """Return what readers see of all memories, deleted ones included."""
    await memory.context.accesses.flush()
    rows = (await driver.execute_query(_SEEN)).records
    picture: dict[str, Any] = {row["memory"]["uuid"]: row.data() for row in rows}
    for memory_id, row in picture.items():
        group_id = row["memory"]["group_id"]
        events = await memory.lifecycle.history(memory_id, group_id=group_id)
        row["history"] = [asdict(each) for each in events]
        if row["memory"]["soft_deleted_at"] is None:
            found = asdict(await memory.get(memory_id, counted=False, group_id=group_id))
            for name in ("access_count", "last_accessed_at", "decay_score", "importance_source"):
                found.pop(name)
            row["found"] = found
    return picture


def without_last_change(picture: dict[str, Any]) -> dict[str, Any]:
    """Leave out the date of the last change: a change to the same values leaves no record."""
    for row in picture.values():
        row["memory"].pop("updated_at")
        row.get("found", {}).pop("updated_at", None)
    return picture


def differences(found: dict[str, Any], expected: dict[str, Any]) -> list[str]:
    """List where two pictures differ, for people."""
    told: list[str] = [f"{each}: only in one" for each in sorted(found.keys() ^ expected.keys())]
    for memory_id in found.keys() & expected.keys():
        for part, value in expected[memory_id].items():
            was = found[memory_id].get(part)
            if was == value:
                continue
            if isinstance(value, dict):
                told += [
                    f"{memory_id}.{part}.{k}: {was.get(k)!r} instead of {v!r}"
                    for k, v in value.items()
                    if was.get(k) != v
                ]
            else:
                told.append(f"{memory_id}.{part}: {was!r} instead of {value!r}")
    return told


async def restored_until(memory: GraphMemory, until: datetime | str) -> Restored:
    """Back the database up, and restore it to an instant."""
    await memory.context.accesses.flush()
    made = await create.create(memory.context.graph, memory.settings)
    database = Database(memory.context.graph, memory.settings)
    return await database.restore(made.backup_path, replace=True, until=until)


Step = Callable[[GraphMemory, random.Random, list[str]], Awaitable[Any]]


def _some(chance: random.Random, ids: list[str]) -> str:
    return chance.choice(ids)


async def _add(memory: GraphMemory, chance: random.Random, ids: list[str]) -> None:
    details: dict[str, Any] = {"conversation_id": "talk"} if chance.random() < 0.3 else {}
    if ids and chance.random() < 0.3:
        details["parent_id"] = _some(chance, ids)
    text = f"note {chance.randrange(10**9)} on the harbour"
    ids.append((await memory.add(text, tags=["a"], confidence=0.5, **details)).memory_id)


async def _rewrite(memory: GraphMemory, chance: random.Random, ids: list[str]) -> None:
    await memory.update(_some(chance, ids), content=f"text {chance.randrange(10**9)}")


async def _swap(memory: GraphMemory, chance: random.Random, ids: list[str]) -> None:
    """Give a memory the text that another one had, which gets a new one."""
    first, second = _some(chance, ids), _some(chance, ids)
    text = (await memory.get(first, counted=False)).content
    await memory.update(first, content=f"text {chance.randrange(10**9)}")
    await memory.update(second, content=text)


async def _change(memory: GraphMemory, chance: random.Random, ids: list[str]) -> None:
    changes: list[dict[str, Any]] = [
        {"tags": [chance.choice("abc"), 'Ümlaut "x" \\']},
        {"metadata": {"z": chance.random(), "a": [1, "é"]}},
        {"importance": chance.randint(1, 10)},
        {"memory_type": chance.choice(["fact", "task"])},
        {"confidence": chance.choice([0.25, 0.75])},
        {"title": f"title {chance.randrange(9)}"},
        {"project_id": chance.choice("pq"), "stability": chance.randint(1, 5)},
        {"attachments": [f"https://example.com/{chance.randrange(9)}.png"]},
        {"clear": ["tags", "metadata"]},
        {"clear": ["project_id", "confidence"]},
        {"parent_id": _some(chance, ids)},
        {"clear": ["parent_id"]},
        {"decay_policy": "adaptive", "decay_rate": 0.125},
    ]
    await memory.update(_some(chance, ids), **chance.choice(changes))


async def _preserve(memory: GraphMemory, chance: random.Random, ids: list[str]) -> None:
    until = memory.clock() + timedelta(days=3650) if chance.random() < 0.5 else None
    await memory.lifecycle.preserve(_some(chance, ids), until=until)


async def _release(memory: GraphMemory, chance: random.Random, ids: list[str]) -> None:
    await memory.lifecycle.preserve(_some(chance, ids), release=True)


async def _obsolete(memory: GraphMemory, chance: random.Random, ids: list[str]) -> None:
    by = _some(chance, ids) if chance.random() < 0.5 else None
    await memory.lifecycle.mark_obsolete(_some(chance, ids), "it changed", superseded_by=by)


async def _delete(memory: GraphMemory, chance: random.Random, ids: list[str]) -> None:
    await memory.delete(_some(chance, ids))


async def _recover(memory: GraphMemory, chance: random.Random, ids: list[str]) -> None:
    await memory.lifecycle.recover(_some(chance, ids))


async def _relate(memory: GraphMemory, chance: random.Random, ids: list[str]) -> None:
    kind = chance.choice([RelationType.SUPPORTS, RelationType.CAUSES, RelationType.RELATES_TO])
    await memory.relations.add(_some(chance, ids), _some(chance, ids), kind)


async def _unrelate(memory: GraphMemory, chance: random.Random, ids: list[str]) -> None:
    await memory.relations.remove(_some(chance, ids), _some(chance, ids))


async def _maintain(memory: GraphMemory, chance: random.Random, ids: list[str]) -> None:
    await memory.maintenance.run(full=chance.random() < 0.3)


#: Operations, and how often each is chosen.
STEPS: list[tuple[Step, int]] = [
    (_add, 6),
    (_rewrite, 4),
    (_swap, 2),
    (_change, 8),
    (_preserve, 2),
    (_release, 2),
    (_obsolete, 3),
    (_delete, 3),
    (_recover, 2),
    (_relate, 6),
    (_unrelate, 3),
    (_maintain, 2),
]


async def live(
    memory: GraphMemory,
    clock: Clock,
    chance: random.Random,
    ids: list[str],
    hours: Sequence[float],
) -> None:
    """Carry out random operations, with time between them; some are refused."""
    for _ in range(45):
        (step,) = chance.choices(*zip(*STEPS, strict=True))
        clock.advance(hours=chance.choice(hours))
        with suppress(GraphMemoryError, IndexError):
            await step(memory, chance, ids)


@pytest.mark.parametrize("seed", range(6))
async def test_a_random_history_is_as_it_was(
    own: GraphMemory,  # noqa: F811
    own_driver: AsyncDriver,  # noqa: F811
    clock: Clock,
    seed: int,
):
    chance, ids = random.Random(seed), list[str]()
    clock.now -= timedelta(days=600)
    await live(own, clock, chance, ids, (0.5, 3, 24, 24 * 9))
    until, expected = clock.now, await seen(own, own_driver)
    clock.advance(seconds=1)
    # The records of runs are kept for 30 days.
    await live(own, clock, chance, ids, (0.5, 3, 24))
    report = await restored_until(own, until)
    clock.now = until
    found = await seen(own, own_driver)
    assert differences(without_last_change(found), without_last_change(expected)) == []
    assert report.taken_back is not None
    assert report.taken_back.memories == len(expected)
    problems = await Database(own.context.graph, own.settings).verify()
    assert not any(problems.values()), problems


async def test_every_operation_after_the_instant_is_taken_back(
    own: GraphMemory,  # noqa: F811
    own_driver: AsyncDriver,  # noqa: F811
    clock: Clock,
):
    one, two, three, four = [
        (await own.add(f"statement {n} on the harbour", conversation_id="talk")).memory_id
        for n in range(4)
    ]
    gone = (await own.add("deleted before")).memory_id
    old = (await own.add("obsolete before")).memory_id
    kept = (await own.add("preserved before")).memory_id
    child = (await own.add("a child", parent_id=one)).memory_id
    clock.advance(days=1)
    await own.update(one, content="the second text", tags=["a"], metadata={"b": 1, "a": "é"})
    await own.relations.add(one, two, "supports")
    await own.relations.add(two, three, "causes")
    await own.delete(gone)
    await own.lifecycle.mark_obsolete(old, "it changed", superseded_by=two)
    await own.lifecycle.preserve(kept)
    await own.maintenance.run(full=True)
    until, expected = clock.now, await seen(own, own_driver)
    clock.advance(days=1)
    later = (await own.add("came later", conversation_id="talk")).memory_id
    await own.relations.add(later, one, "supports")
    await own.relations.add(three, four, "part_of")
    await own.relations.remove(one, two)
    await own.update(one, content="the third text", title="a title", tags=["b"], metadata={})
    await own.update(one, content="the fourth text", importance=9, clear=["tags"])
    await own.update(child, parent_id=two)
    await own.lifecycle.mark_obsolete(three, "wrong", superseded_by=later)
    await own.lifecycle.recover(gone)
    await own.lifecycle.preserve(old)
    await own.lifecycle.preserve(kept, release=True)
    await own.delete(two)
    clock.advance(days=70)
    await own.maintenance.run()
    clock.advance(days=25)
    await own.maintenance.run()  # purges what was deleted
    purged = await own_driver.execute_query("MATCH (m:PurgedMemory) RETURN m.uuid AS id")
    assert [row["id"] for row in purged.records] == [two]

    report = await restored_until(own, until)
    clock.now = until
    assert differences(await seen(own, own_driver), expected) == []
    taken = report.taken_back
    assert taken is not None
    assert (taken.memories, taken.removed, taken.runs_undone) == (8, 1, 2)
    assert (taken.refused, taken.incomplete) == (0, 0)
    assert (
        taken.relations_removed == 4
    )  # with that of the conversation, and the one that supersedes
    assert taken.relations_reopened == 3  # supports and precedes, and the one that superseded
    assert (await own.maintenance.status()).runs == []  # the first one was forgotten by the last
    again = await own.add("came later", conversation_id="talk")
    before = await own.relations.list(again.memory_id)
    assert [(each.relation_type, each.from_id) for each in before] == [("precedes", four)]


async def test_learning_and_decisions_are_taken_back(
    own: GraphMemory,  # noqa: F811
    own_driver: AsyncDriver,  # noqa: F811
    clock: Clock,
):
    for text in TEXTS:
        await own.add(text)
        clock.advance(days=1)
    until, expected = clock.now, await seen(own, own_driver)
    clock.advance(days=1)
    await own.maintenance.run(full=True, stages=LEARNING)
    clock.advance(days=1)
    accepted = await own.proposals.accept(kinds=["duplicate_of", "relates_to"])
    assert accepted.decided == 3
    report = await restored_until(own, until)
    clock.now = until
    assert differences(await seen(own, own_driver), expected) == []
    assert report.taken_back is not None
    assert report.taken_back.runs_undone == 2
    left = await own_driver.execute_query(
        "MATCH (n:Proposal|NamedEntity|LearningChange|MaintenanceChange|MaintenanceRun) "
        "RETURN count(n) AS n"
    )
    assert left.records[0]["n"] == 0


async def test_erasures_and_rejections_hold(
    own: GraphMemory,  # noqa: F811
    clock: Clock,
):
    erased = await own.add("the code of the door is 4711")
    receipted = await own.add("Ada lives in Bonn")
    wrong = await own.add("the harbour is closed")
    rewritten = await own.add("the pier is green")
    clock.advance(days=1)
    until = clock.now
    clock.advance(days=1)
    await own.delete(erased.memory_id, permanent=True)
    await own.erasure.erase([receipted.memory_id])
    await own.lifecycle.reject(wrong.memory_id, reason="a mistake")
    await own.update(rewritten.memory_id, content="the pier is blue")
    other = await own.add("the pier is green")
    await own.lifecycle.reject(other.memory_id)

    report = await restored_until(own, until)
    assert report.taken_back is not None
    assert (report.taken_back.memories, report.taken_back.refused) == (2, 2)
    left = (await own.list()).memories
    assert [each.content for each in left] == ["the pier is blue"]
    for content in (erased.content, wrong.content, rewritten.content):
        with pytest.raises(RejectedBeforeError):
            await own.add(content)
    with pytest.raises(NotFoundError):
        await own.get(wrong.memory_id)


async def test_before_the_first_memory_nothing_is_left(
    own: GraphMemory,  # noqa: F811
    clock: Clock,
):
    until = clock.now
    clock.advance(days=1)
    await own.add("the first")
    report = await restored_until(own, until)
    assert report.taken_back is not None
    assert (report.taken_back.memories, report.taken_back.removed) == (0, 1)
    assert (await own.list()).memories == []


async def test_instants_after_the_backup_and_unreadable_ones_are_refused(
    own: GraphMemory,  # noqa: F811
):
    await own.add("stays")
    made = await create.create(own.context.graph, own.settings)
    database = Database(own.context.graph, own.settings)
    made_at = BackupReader(made.backup_path).manifest().created_at
    with pytest.raises(BackupError, match="Name a later backup") as error:
        await database.restore(made.backup_path, replace=True, until="2999-01-01")
    assert made_at in str(error.value)
    with pytest.raises(InvalidArgumentError, match="ISO 8601"):
        await database.restore(made.backup_path, replace=True, until="2026")
    assert [each.content for each in (await own.list()).memories] == ["stays"]
    done = await database.restore(made.backup_path, replace=True, until=made_at)
    assert (done.memories, done.taken_back and done.taken_back.set_back) == (1, 0)


async def test_an_interrupted_restore_names_the_whole_command(
    own: GraphMemory,  # noqa: F811
    own_driver: AsyncDriver,  # noqa: F811
    clock: Clock,
):
    await own.add("early")
    clock.advance(days=1)
    until, expected = clock.now, await seen(own, own_driver)
    clock.advance(days=1)
    await own.add("late")
    made = await create.create(own.context.graph, own.settings)
    await own.context.graph.run(
        "backup/restore/begin",
        path=str(made.backup_path),
        before=None,
        until=instant(until),
        now=instant(clock.now),
    )
    interrupted = await unfinished(own.context.graph)
    assert interrupted is not None
    repeat = f"graph-memory restore {made.backup_path} --until {instant(until)}"
    assert interrupted.command == repeat
    with pytest.raises(BackupError, match="--until"):
        await restore.refuse_unfinished(own.context.graph)
    database = Database(own.context.graph, own.settings)
    await database.restore(made.backup_path, until=instant(until))
    clock.now = until
    assert differences(await seen(own, own_driver), expected) == []
    assert await unfinished(own.context.graph) is None


def test_the_command_line_restores_to_a_time(
    cli: Run,  # noqa: F811
    own_settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    password = own_settings.neo4j_password.get_secret_value()
    monkeypatch.setenv("GRAPH_MEMORY_NEO4J_URI", own_settings.neo4j_uri or "")
    monkeypatch.setenv("GRAPH_MEMORY_NEO4J_PASSWORD", password)
    monkeypatch.setenv("GRAPH_MEMORY_DATA_DIR", str(tmp_path))
    group = ("--group", "until_cli")
    before = cli("add", "to be kept", *group, "--json").json["memory_id"]
    exported = cli("export", *group).out
    until = instant(datetime.now(UTC))
    cli("add", "written later", *group)
    assert cli("delete", before, *group).code == 0
    made = cli("backup", "--json").json["backup_path"]
    restored = cli("restore", made, "--replace", "--until", until, "--json")
    assert restored.code == 0, restored.err
    assert restored.json["until"] == until
    assert (restored.json["removed"], restored.json["set_back"]) == (1, 1)
    assert "stay as in the backup" in restored.err
    assert cli("export", *group).out == exported
    empty = cli("restore", made, "--replace", "--until", "2001-01-01")
    assert (empty.code, "none is left" in empty.err) == (0, True)
    assert "to be kept" not in cli("list", *group).out
