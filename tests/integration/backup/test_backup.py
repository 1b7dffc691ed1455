"""Backups and restores on a Neo4j of their own: the restored database equals the original."""

import asyncio
import gzip
import json
import math
import os
import secrets
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from neo4j import AsyncDriver, AsyncGraphDatabase

from graph_memory import GraphMemory, Settings, read_settings
from graph_memory.auth import tokens
from graph_memory.auth.grants import Scope
from graph_memory.backup import create
from graph_memory.backup.files import MANIFEST, BackupReader
from graph_memory.backup.parts import FOLDER
from graph_memory.backup.restore import restore, unfinished
from graph_memory.backup.schedule import AutoBackup, seconds_until_due
from graph_memory.database.embedding_record import record_embedding
from graph_memory.database.graph import Graph
from graph_memory.database.lease import Lease
from graph_memory.domain.timestamps import instant
from graph_memory.errors import (
    BackupError,
    NotFoundError,
    PendingReviewError,
    RejectedBeforeError,
)
from graph_memory.inference.embedder import Embedder
from graph_memory.transfer.import_export import export_lines
from tests.conftest import TODAY, Clock
from tests.e2e.test_cli import Run, cli, environment  # noqa: F401 - fixtures
from tests.support.whole_database import empty

#: hours since the last backup, memories, whether one is due
DUE = [
    (None, 1, True),
    (24, 7, False),
    (24.01, 7, True),
    (1, 100, True),
    (1, 101, False),
    (1, 0, False),
]


def seconds(
    hours: float | None,
    memories: int,
    saved: int = 1,
    held_seconds: float = 0.0,
    backed_up: int | None = None,
    busy_seconds: float = 0.0,
) -> float:
    at = None if hours is None else TODAY - timedelta(hours=hours)
    latest = create.BackupStatus(at, held_seconds, backed_up, memories, busy_seconds)
    return seconds_until_due(latest, TODAY, read_settings(), saved)


@pytest.mark.parametrize(("hours", "memories", "expected"), DUE)
def test_when_a_backup_is_due(hours: float | None, memories: int, expected: bool):
    assert seconds(hours, memories) == (0 if expected else math.inf)


@pytest.mark.parametrize(("memories", "saved", "expected"), [(103, 5, True), (103, 3, False)])
def test_a_batch_that_passes_a_multiple_makes_one_due(memories: int, saved: int, expected: bool):
    assert seconds(1, memories, saved) == (0 if expected else math.inf)


def test_writers_wait_for_backups_at_most_a_hundredth_of_the_time():
    assert seconds(1, 100, held_seconds=37) == 100
    assert seconds(1, 100, held_seconds=36) == 0
    assert seconds(25, 101, held_seconds=3600) == 0  # the interval is kept


def test_backups_work_beside_writers_for_at_most_a_tenth_of_the_time():
    assert seconds(1, 100, busy_seconds=370) == 100
    assert seconds(1, 100, busy_seconds=360) == 0
    assert seconds(25, 101, busy_seconds=360_000) == 0  # the interval is kept


def test_a_backup_that_was_put_off_is_due_after_later_saves():
    assert seconds(0.5, 107, held_seconds=36, backed_up=99) == 1800
    assert seconds(2, 107, held_seconds=36, backed_up=99) == 0
    assert seconds(2, 107, held_seconds=36, backed_up=100) == math.inf


def test_where_backups_go(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    assert create.folder_of(read_settings(data_dir=tmp_path)) == tmp_path / "backups"
    monkeypatch.setenv("MEMORY_BACKUP_PATH", str(tmp_path / "elsewhere"))
    assert create.folder_of(read_settings()) == tmp_path / "elsewhere"
    monkeypatch.setenv("GRAPH_MEMORY_BACKUP_PATH", str(tmp_path / "ours"))
    assert create.folder_of(read_settings()) == tmp_path / "ours"


@pytest_asyncio.fixture
async def own(
    own_settings: Settings, embedder: Embedder, tmp_path: Path, clock: Clock
) -> AsyncIterator[GraphMemory]:
    """A service on that Neo4j, empty; its backups go into a folder of the test's."""
    settings = own_settings.model_copy(update={"backup_path": tmp_path / "backups"})
    async with Graph.open(settings) as graph:
        await empty(graph, settings)
        await graph.run(
            "backup/create/record",
            at="2000-01-01T00:00:00.000Z",
            held_seconds=0.0,
            busy_seconds=0.0,
            memories=0,
        )
        await record_embedding(graph, settings)
        memory = GraphMemory.over(graph, embedder, settings, clock=clock)
        yield memory
        await memory.context.accesses.flush()


@pytest_asyncio.fixture
async def own_driver(own_settings: Settings) -> AsyncIterator[AsyncDriver]:
    auth = (own_settings.neo4j_user, own_settings.neo4j_password.get_secret_value())
    async with AsyncGraphDatabase.driver(own_settings.neo4j_uri or "", auth=auth) as opened:
        yield opened


async def everything(driver: AsyncDriver) -> tuple[list[str], list[str]]:
    """Return all nodes and relationships that a backup holds, ids left out."""
    nodes, _, _ = await driver.execute_query(
        "MATCH (n) WHERE NOT n:SchemaMigration|AccessToken "
        "AND NOT coalesce(n.key, '') IN ['maintenance', 'backup', 'restore'] RETURN n"
    )
    edges, _, _ = await driver.execute_query("MATCH (a)-[r]->(b) RETURN a, r, b")
    return (
        sorted(f"{sorted(row['n'].labels)} {sorted(row['n'].items())}" for row in nodes),
        sorted(
            f"{sorted(row['a'].items())} {row['r'].type} {sorted(row['r'].items())} "
            f"{sorted(row['b'].items())}"
            for row in edges
        ),
    )


async def fill(memory: GraphMemory, driver: AsyncDriver, clock: Clock) -> None:
    """Make something of every kind there is."""
    ids = [
        (
            await memory.add(
                f"memory {n} {'x' * 3000}",
                tags=["a"],
                confidence=0.5,
                attachments=[
                    {"uri": f"https://example.com/茶{n}.png", "title": 'Ada\'s "plan"'},
                    {"uri": "file:///tap.py", "sha256": "ab" * 32},
                ],
                group_id=group,
            )
        ).memory_id
        for group in ("one", "two")
        for n in range(5)
    ]
    await memory.relations.add(ids[0], ids[1], "supports", metadata={"k": 1}, group_id="one")
    await memory.relations.add(ids[1], ids[2], "causes", group_id="one")
    await memory.relations.remove(ids[1], ids[2], group_id="one")
    await memory.update(ids[0], content="rewritten", group_id="one")
    await memory.add("a child", parent_id=ids[0], conversation_id="c", group_id="one")
    await memory.add("the next", conversation_id="c", group_id="one")
    await memory.retrieve("memory", session_id="s", group_id="one")
    await memory.groups.set(single_valued_slots=["lives_in"], group_id="one")
    await memory.delete(ids[3], group_id="one")
    await memory.delete(ids[4], permanent=True, group_id="one")
    await memory.context.accesses.flush()
    clock.advance(days=40)
    await memory.maintenance.run()
    clock.advance(days=60)
    await memory.maintenance.run()  # archives, and compresses
    await driver.execute_query("MATCH (m:Memory {uuid: $id}) SET m.brief_json = '{}'", id=ids[5])
    await driver.execute_query(
        "CREATE (:Episodic {day: date('2026-01-01'), span: duration('P1DT2H'), numbers: [1, 2],"
        " at: datetime('2026-01-01T00:00:00.123456789+01:00[Europe/Paris]'), wide: $wide,"
        " days: [date('2026-01-01'), date('2026-01-03')], spans: [duration('P1D')], times:"
        " [datetime('2026-01-01T00:00+01:00[Europe/Paris]')], none: [],"
        " local: localdatetime('2026-01-01T00:00:00')})-[:MENTIONS {at: datetime()}]->(:Entity"
        " {name: 'not ours', name_embedding: $wide})",
        wide=[0.1 * n for n in range(20)],
    )


async def test_a_backup_restores_everything(
    own: GraphMemory, own_driver: AsyncDriver, clock: Clock
):
    await fill(own, own_driver, clock)
    found = await own.search("memory", group_id="two", states=["ACTIVE", "DORMANT", "ARCHIVED"])
    await own.context.accesses.flush()
    exported = [line for group in ("one", "two") async for line in export_lines(own, group)]
    before = await everything(own_driver)
    made = await create.create(own.context.graph, own.settings)
    assert made.memories_backed_up == 10  # one is purged, one erased
    await own.add("later", group_id="one")
    await own.delete_all(confirm="DELETE ALL", permanent=True, group_id="two")

    report = await restore(own.context.graph, own.settings, made.backup_path, replace=True)
    assert report.memories == 10
    assert await everything(own_driver) == before
    again = [line for group in ("one", "two") async for line in export_lines(own, group)]
    assert again == exported
    refound = await own.search("memory", group_id="two", states=["ACTIVE", "DORMANT", "ARCHIVED"])
    assert [hit.memory.memory_id for hit in refound] == [hit.memory.memory_id for hit in found]
    assert report.backup_before is not None
    assert BackupReader(report.backup_before).manifest().memories == 6

    second = await restore(own.context.graph, own.settings, report.backup_before, replace=True)
    assert second.memories == 6
    assert [m.content for m in (await own.list(group_id="one")).memories].count("later") == 1


def test_the_command_line_restores_a_whole_backup(
    cli: Run,  # noqa: F811
    own_settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    password = own_settings.neo4j_password.get_secret_value()
    monkeypatch.setenv("GRAPH_MEMORY_NEO4J_URI", own_settings.neo4j_uri or "")
    monkeypatch.setenv("GRAPH_MEMORY_NEO4J_PASSWORD", password)
    monkeypatch.setenv("GRAPH_MEMORY_DATA_DIR", str(tmp_path))
    before, after = (
        cli("add", text, "--json").json["memory_id"] for text in ("to be kept", "related to it")
    )
    cli("relate", before, after)
    exported = cli("export").out
    made = cli("backup", "--json").json
    cli("add", "written later")
    assert cli("delete", before).code == 0
    restored = cli("restore", made["backup_path"], "--replace", "--json")
    assert restored.code == 0, restored.err
    assert restored.json["memories"] == made["memories_backed_up"]
    assert cli("export").out == exported
    assert "written later" not in cli("list").out
    later = BackupReader(Path(restored.json["backup_before"])).manifest().memories
    assert later == restored.json["memories"] + 1  # "written later"; the deleted one is in both


async def test_a_backup_can_be_read_by_people(
    own: GraphMemory, own_driver: AsyncDriver, clock: Clock
):
    await fill(own, own_driver, clock)
    made = await create.create(own.context.graph, own.settings)
    told = json.loads((made.backup_path / "memories.json").read_text())
    assert told.keys() == {"export_timestamp", "memories", "total_memories"}
    assert told["total_memories"] == len(told["memories"]) == made.memories_backed_up
    whole = [m for m in told["memories"] if m["group_id"] == "two"]
    assert {m["lifecycle_state"] for m in whole} == {"ARCHIVED"}
    assert all(m["content"].endswith("x" * 3000) for m in whole)
    assert {m["attachments"][0]["media_type"] for m in whole} == {"image/png"}
    assert not {"embedding", "dedup_key", "attachments_json"} & told["memories"][0].keys()


async def test_a_backup_holds_no_tokens(own: GraphMemory, clock: Clock):
    _, secret = await tokens.create(
        own.context.graph, "t", groups=None, scope=Scope.READ, now=clock()
    )
    made = await create.create(own.context.graph, own.settings)
    lines = list(BackupReader(made.backup_path).lines())
    assert lines
    assert "AccessToken" not in "".join(lines)
    await restore(own.context.graph, own.settings, made.backup_path)
    assert await tokens.find(own.context.graph, secret) is not None


async def test_a_backup_is_of_one_instant_while_others_write(own: GraphMemory):
    written = 0

    async def write() -> None:
        nonlocal written
        while True:  # two memories a call: both or none; then a relation to the pair before
            names = [f"{side} {written:05}" for side in ("left", "right")]
            outcomes = await own.add_many([{"content": name} for name in names], group_id="g")
            left, right = (str(outcome.memory_id) for outcome in outcomes)
            await own.relations.add(left, right, "supports", group_id="g")
            written += 1

    await own.add_many([{"content": f"early {n}"} for n in range(500)], group_id="g")
    writer = asyncio.create_task(write())
    while written < 3 and not writer.done():  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    made = await create.create(own.context.graph, own.settings)
    at_end = written
    while written == at_end and not writer.done():  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    assert not writer.done(), writer.exception()
    writer.cancel()
    records = list(BackupReader(made.backup_path).records())
    contents = [r["properties"]["content"] for r in records if "Memory" in r.get("labels", ())]
    pairs = sorted(text for text in contents if not text.startswith("early"))
    lefts = [text.split()[1] for text in pairs if text.startswith("left")]
    rights = [text.split()[1] for text in pairs if text.startswith("right")]
    assert lefts == rights == [f"{n:05}" for n in range(len(lefts))]
    related = sum(record.get("type") == "RELATES_TO" for record in records)
    assert related in (len(lefts), len(lefts) - 1)
    assert len(lefts) >= 3


async def test_a_backup_does_not_wait_for_the_end_of_a_run(own: GraphMemory):
    await own.add("kept")
    async with asyncio.timeout(60), Lease(own.context.graph, own.settings):  # as a run holds it
        assert (await own.backups.create()).memories_backed_up == 1


async def test_a_run_among_backups_completes(own: GraphMemory, clock: Clock):
    await own.add_many([{"content": f"note {n}"} for n in range(100)])
    await own.maintenance.run(full=True)
    clock.advance(days=1)
    async with asyncio.timeout(120):
        run = asyncio.create_task(own.maintenance.run(full=True, batch_size=1))
        while not run.done():
            assert (await own.backups.create()).memories_backed_up == 100
    assert run.result().processed == 100


def part_with(path: Path, text: str) -> Path:
    """Return the part of a backup that holds a text."""
    found = (path / FOLDER).iterdir()
    return next(each for each in found if text.encode() in gzip.decompress(each.read_bytes()))


async def test_a_damaged_backup_changes_nothing(own: GraphMemory, own_driver: AsyncDriver):
    await own.add("kept", group_id="g")
    made = await create.create(own.context.graph, own.settings)
    await own.add("later", group_id="g")
    before = await everything(own_driver)
    graph_file = part_with(made.backup_path, "kept")
    manifest = made.backup_path / MANIFEST
    whole, said = graph_file.read_bytes(), manifest.read_text()
    text = gzip.decompress(whole).decode()
    for damage in (
        whole[:-20],
        whole[:50] + b"\0\0\0\0" + whole[54:],
        gzip.compress(text.replace("kept", "kepp").encode()),
        gzip.compress("".join(text.splitlines(keepends=True)[:-1]).encode()),
        b"",
    ):
        graph_file.write_bytes(damage)
        with pytest.raises(BackupError, match="damaged"):
            await restore(own.context.graph, own.settings, made.backup_path, replace=True)
    graph_file.write_bytes(whole)
    for broken in ("{", "[]", said.replace('"nodes"', '"knots"')):
        manifest.write_text(broken)
        with pytest.raises(BackupError, match="not a backup"):
            await restore(own.context.graph, own.settings, made.backup_path, replace=True)
    manifest.write_text(said.replace('"format": 3', '"format": 9'))
    with pytest.raises(BackupError, match="format 9"):
        await restore(own.context.graph, own.settings, made.backup_path, replace=True)
    assert await everything(own_driver) == before
    assert await unfinished(own.context.graph) is None


def test_what_cannot_be_pruned_spoils_no_backup_that_was_made(
    settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    create.prune(settings.model_copy(update={"backup_path": tmp_path / "gone"}))
    assert f"Cannot delete old backups: [Errno 2] No such file or directory: '{tmp_path}" in (
        caplog.text
    )


async def test_memories_are_not_replaced_without_a_word(own: GraphMemory):
    await own.add("kept", group_id="g")
    made = await create.create(own.context.graph, own.settings)
    with pytest.raises(BackupError, match="--replace"):
        await restore(own.context.graph, own.settings, made.backup_path)


async def test_an_interrupted_restore_is_never_taken_for_a_whole_one(
    own: GraphMemory, own_driver: AsyncDriver
):
    await own.add_many([{"content": f"memory {n}"} for n in range(700)], group_id="g")
    before = await everything(own_driver)
    made = await create.create(own.context.graph, own.settings)

    class Killed(BaseException):
        """As if the process had been killed."""

    def kill(done: int, _: int | None) -> None:
        if done:
            raise Killed

    with pytest.raises(Killed):
        await restore(
            own.context.graph, own.settings, made.backup_path, replace=True, on_progress=kill
        )
    begun = await unfinished(own.context.graph)
    assert begun is not None
    assert begun.path == str(made.backup_path)
    assert begun.before is not None
    with pytest.raises(BackupError, match=f"interrupted.*{begun.before}"):
        async with GraphMemory.open(own.settings):
            pass
    report = await restore(own.context.graph, own.settings, made.backup_path)
    assert report.backup_before == Path(begun.before)
    assert await everything(own_driver) == before
    async with GraphMemory.open(own.settings) as opened:
        assert len((await opened.list(limit=50, group_id="g")).memories) == 50


async def test_tombstones_survive_a_restore_and_apply_to_what_is_restored(own: GraphMemory):
    rejected = await own.add("Ada has a sister called Zelda", group_id="g")
    erased = await own.add("Ada has a brother called Ben", group_id="g")
    kept = await own.add("Ada has an uncle called Carl", group_id="g")
    made = await create.create(own.context.graph, own.settings)
    await own.lifecycle.reject(rejected.memory_id, group_id="g")
    await own.delete(erased.memory_id, permanent=True, group_id="g")
    before = await own.tombstones.list(group_id="g")
    report = await restore(own.context.graph, own.settings, made.backup_path, replace=True)
    assert (report.memories, report.rejected, report.erased) == (3, 1, 1)
    assert await own.tombstones.list(group_id="g") == before
    found = await own.list(group_id="g")
    assert [each.memory_id for each in found.memories] == [kept.memory_id]
    for content in (rejected.content, erased.content):
        with pytest.raises(RejectedBeforeError):
            await own.add(content.upper(), group_id="g")
    recovered = await own.lifecycle.recover(rejected.memory_id, group_id="g")
    assert len(recovered.lifted) == 1
    with pytest.raises(NotFoundError):
        await own.lifecycle.recover(erased.memory_id, group_id="g")


async def test_a_restored_relation_loses_a_rejected_and_an_erased_fact(own: GraphMemory):
    rejected = await own.add("Ada has a sister called Zelda", group_id="g")
    erased = await own.add("The vault opens at nine", group_id="g")
    ada = await own.add("Ada is a baker", group_id="g")
    for number, fact in enumerate((rejected.content, "the vault opens at NINE", "Ada bakes rye")):
        other = await own.add(f"The neighbour {number}", group_id="g")
        await own.relations.add(ada.memory_id, other.memory_id, fact=fact, group_id="g")
    made = await create.create(own.context.graph, own.settings)
    await own.lifecycle.reject(rejected.memory_id, group_id="g")
    await own.delete(erased.memory_id, permanent=True, group_id="g")
    report = await restore(own.context.graph, own.settings, made.backup_path, replace=True)
    assert (report.rejected, report.erased, report.facts) == (1, 1, 2)
    facts = [each.fact for each in await own.relations.list(ada.memory_id, group_id="g")]
    assert sorted(map(str, facts)) == ["Ada bakes rye", "relates_to", "relates_to"]
    again = await restore(own.context.graph, own.settings, made.backup_path, replace=True)
    assert again.facts == 2


async def test_a_restore_keeps_rejected_values_and_lets_them_wait(own: GraphMemory):
    await own.groups.set(single_valued_slots=["lives_in"], group_id="g")
    first = await own.add("Alice lives in Paris", group_id="g")
    older = await own.add("Alice has moved to Paris", group_id="g")
    await own.add("Alice bakes bread", group_id="g")
    made = await create.create(own.context.graph, own.settings)
    await own.lifecycle.reject(first.memory_id, group_id="g")
    report = await restore(own.context.graph, own.settings, made.backup_path, replace=True)
    assert (report.rejected, report.erased, report.waiting) == (1, 0, 1)
    (waiting,) = (await own.pending.list(group_id="g")).writes
    assert (waiting.content, waiting.origin.way_in) == (older.content, "graph-memory restore")
    assert waiting.rule.startswith("rejected_before: this value of lives_in was rejected at")
    assert older.origin is not None
    assert waiting.origin.authority == older.origin.authority
    with pytest.raises(PendingReviewError):
        await own.add("Alice is based in Paris", group_id="g")
    made = await create.create(own.context.graph, own.settings)
    again = await restore(own.context.graph, own.settings, made.backup_path, replace=True)
    assert (again.rejected, again.waiting) == (0, 0)
    done = await own.pending.accept([waiting.pending_id], group_id="g")
    assert done.done == [waiting.pending_id]
    assert (await own.get(waiting.pending_id, group_id="g")).content == older.content
    with pytest.raises(RejectedBeforeError):
        await own.add(first.content, group_id="g")


async def test_a_backup_holds_tombstones_and_the_keys_of_two_databases_stay_side_by_side(
    own: GraphMemory,
):
    first = await own.add("Ada has a sister called Zelda", group_id="g")
    await own.lifecycle.reject(first.memory_id, group_id="g")
    made = await create.create(own.context.graph, own.settings)
    # Another database, so to say.
    await own.context.graph.run("backup/restore/erase", batch=1000, owner=None)
    second = await own.add("Ada has a brother called Ben", group_id="g")
    await own.lifecycle.reject(second.memory_id, group_id="g")
    await restore(own.context.graph, own.settings, made.backup_path, replace=True)
    assert len(await own.tombstones.list(group_id="g")) == 2
    for content in (first.content, second.content):
        with pytest.raises(RejectedBeforeError):
            await own.add(content, group_id="g")
    again = await restore(own.context.graph, own.settings, made.backup_path, replace=True)
    assert (again.rejected, again.erased) == (0, 0)
    assert len(await own.tombstones.list(group_id="g")) == 2


async def test_tombstones_survive_an_interrupted_restore(own: GraphMemory):
    stored = await own.add_many([{"content": f"memory {n}"} for n in range(600)], group_id="g")
    made = await create.create(own.context.graph, own.settings)
    await own.lifecycle.reject(stored[7].memory_id or "", group_id="g")

    class Killed(BaseException):
        """As if the process had been killed."""

    def kill(done: int, _: int | None) -> None:
        if done:
            raise Killed

    with pytest.raises(Killed):
        await restore(
            own.context.graph, own.settings, made.backup_path, replace=True, on_progress=kill
        )
    report = await restore(own.context.graph, own.settings, made.backup_path)
    assert report.rejected == 1
    with pytest.raises(RejectedBeforeError):
        await own.add("memory 7", group_id="g")


async def test_an_interrupted_restore_can_be_repeated_with_another_backup(own: GraphMemory):
    stored = await own.add("Ada has a sister called Zelda", group_id="g")
    older = await create.create(own.context.graph, own.settings)
    await own.lifecycle.reject(stored.memory_id, group_id="g")
    made = await create.create(own.context.graph, own.settings)
    before = await own.tombstones.list(group_id="g")

    class Killed(BaseException):
        """As if the process had been killed."""

    def kill(done: int, _: int | None) -> None:
        if done:
            raise Killed

    with pytest.raises(Killed):  # the tombstone and the key of its hash are loaded, and set aside
        await restore(
            own.context.graph, own.settings, made.backup_path, replace=True, on_progress=kill
        )
    report = await restore(own.context.graph, own.settings, older.backup_path)
    assert (report.rejected, report.erased) == (1, 0)
    assert await own.tombstones.list(group_id="g") == before


async def test_what_stood_beside_a_tombstone_in_the_backup_stands_after_the_restore(
    own: GraphMemory,
):
    await own.groups.set(single_valued_slots=["lives_in"], group_id="g")
    rejected = await own.add("Alice lives in Paris", group_id="g")
    others = ("ALICE lives in Paris!", "Alice has moved to Paris")
    kept = {(await own.add(content, group_id="g")).memory_id for content in others}
    await own.lifecycle.reject(rejected.memory_id, group_id="g")
    made = await create.create(own.context.graph, own.settings)
    unrelated = await own.add("Ada has a sister called Zelda", group_id="g")
    await own.lifecycle.reject(unrelated.memory_id, group_id="g")
    report = await restore(own.context.graph, own.settings, made.backup_path, replace=True)
    assert (report.rejected, report.erased, report.waiting) == (0, 0, 0)
    assert {each.memory_id for each in (await own.list(group_id="g")).memories} == kept
    assert len(await own.tombstones.list(group_id="g")) == 2


async def test_the_tombstone_of_the_database_replaces_that_of_the_backup(own: GraphMemory):
    first = await own.add("Ada has a sister called Zelda", group_id="g")
    second = await own.add("ADA has a sister called Zelda!", group_id="g")
    await own.lifecycle.reject(first.memory_id, group_id="g")
    made = await create.create(own.context.graph, own.settings)
    await own.lifecycle.reject(second.memory_id, group_id="g", reason="still wrong")
    before = await own.tombstones.list(group_id="g")
    report = await restore(own.context.graph, own.settings, made.backup_path, replace=True)
    assert (report.rejected, report.erased) == (1, 0)
    assert await own.tombstones.list(group_id="g") == before
    with pytest.raises(RejectedBeforeError):  # it was rejected as the second
        await own.lifecycle.recover(first.memory_id, group_id="g")
    assert len((await own.lifecycle.recover(second.memory_id, group_id="g")).lifted) == 1


async def test_a_second_erasure_of_a_statement_holds_after_a_restore(own: GraphMemory):
    first = await own.add("Ada has a sister called Zelda", group_id="g")
    second = await own.add("ADA has a sister called Zelda!", group_id="g")
    await own.delete(first.memory_id, permanent=True, group_id="g")
    made = await create.create(own.context.graph, own.settings)
    await own.delete(second.memory_id, permanent=True, group_id="g")
    report = await restore(own.context.graph, own.settings, made.backup_path, replace=True)
    assert (report.rejected, report.erased) == (0, 1)
    assert not (await own.list(group_id="g")).memories


async def test_restoring_deletes_neither_its_backup_nor_the_one_it_makes(own: GraphMemory):
    await own.add("wanted back", group_id="g")
    settings = own.settings.model_copy(update={"backup_keep": 1})
    older = await create.create(own.context.graph, own.settings)
    made = await create.create(own.context.graph, own.settings)
    await own.add("later", group_id="g")

    def fail(done: int, _: int | None) -> None:
        if done:
            raise BackupError("The disk went away.")

    with pytest.raises(BackupError, match=r"disk went away\.(?s:.*)backup_") as failed:
        await restore(own.context.graph, settings, made.backup_path, replace=True, on_progress=fail)
    begun = await unfinished(own.context.graph)
    assert begun is not None
    assert str(begun.before) in str(failed.value)
    assert {path.name for path in create.folder_of(settings).iterdir()} == {
        older.backup_path.name,
        made.backup_path.name,
        Path(str(begun.before)).name,
    }

    report = await restore(own.context.graph, settings, made.backup_path)
    assert [m.content for m in (await own.list(group_id="g")).memories] == ["wanted back"]
    assert set(create.folder_of(settings).iterdir()) == {made.backup_path, report.backup_before}

    assert report.backup_before is not None  # what was there before is restored as any other
    await restore(own.context.graph, settings, report.backup_before, replace=True)
    assert len((await own.list(group_id="g")).memories) == 2


async def test_what_a_killed_backup_left_is_removed_after_a_day(own: GraphMemory):
    folder = create.folder_of(own.settings)
    yesterday = datetime.now(UTC).timestamp() - 25 * 3600
    killed, slow, fresh = (folder / f".partial_{name}" for name in ("1_killed", "2_slow", "3"))
    for partial in (killed, slow, fresh):
        partial.mkdir(parents=True)
        (partial / "spool").write_text("half of it")
    for path in (killed / "spool", killed, slow):
        os.utime(path, (yesterday, yesterday))
    made = await create.create(own.context.graph, own.settings)
    assert set(folder.iterdir()) == {slow, fresh, made.backup_path}


async def test_the_latest_are_kept(own: GraphMemory):
    await own.add("a memory", group_id="g")
    settings = own.settings.model_copy(update={"backup_keep": 3})
    stranger = create.folder_of(settings) / "backup_of_mine"
    stranger.mkdir(parents=True)
    made = [await create.create(own.context.graph, settings) for _ in range(5)]
    left = {path.name for path in create.folder_of(settings).iterdir()}
    assert left == {*(b.backup_path.name for b in made[-3:]), "backup_of_mine"}


async def test_a_backup_follows_a_save_when_it_is_due(own: GraphMemory):
    settings = own.settings.model_copy(update={"backup_every_n": 5})
    service = GraphMemory.over(own.context.graph, own.context.embedder, settings)
    other = GraphMemory.over(own.context.graph, own.context.embedder, settings)
    automatic_backups = AutoBackup(service.context)
    another = AutoBackup(other.context)

    async def save(*saving: tuple[GraphMemory, AutoBackup]) -> int:
        for memory, auto in saving:
            memory.context.on_saved = auto.saved
        await asyncio.gather(*(m.add(secrets.token_hex(8), group_id="g") for m, _ in saving))
        for _, auto in saving:
            await auto.wait()
        folder = create.folder_of(settings)
        return len(list(folder.iterdir())) if folder.exists() else 0

    ours, theirs = (service, automatic_backups), (other, another)
    assert await save(ours, theirs) == 1  # the last was in the year 2000; of two, one makes it
    assert await save(ours) == 1
    assert await save(ours) == 1
    # However long writers waited for the first one here.
    await own.context.graph.run(
        "backup/create/record",
        at=instant(datetime.now(UTC)),
        held_seconds=0.0,
        busy_seconds=0.0,
        memories=0,
    )
    assert await save(ours) == 2  # the fifth memory
    await own.context.graph.run(
        "backup/create/record",
        at="2090-01-01T00:00:00.000Z",
        held_seconds=0.0,
        busy_seconds=0.0,
        memories=0,
    )
    assert await save(ours) == 3  # a clock was wrong


async def test_a_backup_that_comes_too_soon_is_put_off_and_not_dropped(own: GraphMemory):
    settings = own.settings.model_copy(update={"backup_every_n": 2})
    service = GraphMemory.over(own.context.graph, own.context.embedder, settings)
    automatic_backups = AutoBackup(service.context)
    service.context.on_saved = automatic_backups.saved
    folder = create.folder_of(settings)

    async def save(number: int, held_seconds: float) -> None:
        now = instant(datetime.now(UTC))
        await own.context.graph.run(
            "backup/create/record",
            at=now,
            held_seconds=held_seconds,
            busy_seconds=0.0,
            memories=0,
        )
        for _ in range(number):
            await service.add(secrets.token_hex(8), group_id="g")

    await save(2, held_seconds=1000)
    await automatic_backups.wait()  # as at the end of a server
    assert not folder.exists()
    await save(1, held_seconds=0.02)  # two seconds; no other save follows
    async with asyncio.timeout(60):
        while not (folder.exists() and list(folder.iterdir())):  # noqa: ASYNC110
            await asyncio.sleep(0.1)
    await automatic_backups.wait()


async def test_a_backup_that_keeps_writers_waiting_is_given_up(own: GraphMemory):
    await own.add("written", group_id="g")
    with pytest.raises(BackupError, match="quiet hour"):
        await create.create(own.context.graph, own.settings, hold_seconds=0.001)
    await own.add("and written on", group_id="g")
    assert list(create.folder_of(own.settings).iterdir()) == []


async def test_no_save_fails_by_a_backup(
    own: GraphMemory, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    (tmp_path / "file").write_text("")
    settings = own.settings.model_copy(update={"backup_path": tmp_path / "file"})
    service = GraphMemory.over(own.context.graph, own.context.embedder, settings)
    automatic_backups = AutoBackup(service.context)
    service.context.on_saved = automatic_backups.saved
    await service.add("stored all the same", group_id="g")
    await automatic_backups.wait()
    assert "The backup after a save failed" in caplog.text
    assert "GRAPH_MEMORY_BACKUP_PATH" in caplog.text
