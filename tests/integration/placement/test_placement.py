"""Groups on two Neo4j servers: each whole on its own, and a lost server takes its groups alone."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings, local_neo4j
from graph_memory.api.database import Database, examine
from graph_memory.diagnostics.database_metrics import read_metrics
from graph_memory.errors import BackupError, GraphUnavailableError
from graph_memory.local_neo4j import LocalNeo4j
from graph_memory.maintenance import records
from graph_memory.server import build_server
from graph_memory.server.app import http_app
from graph_memory.transfer.import_export import export_lines, import_lines
from tests.integration.placement.conftest import EAST, HOME
from tests.support.scripted_llm import ScriptedLlm

_URL = "http://127.0.0.1:8765"

pytestmark = pytest.mark.timeout(600)


async def groups_of(driver: AsyncDriver) -> set[str]:
    """Return the groups that any node or relation of a database names, as sessions do too."""
    named = "{0}.group_id IS NOT NULL RETURN collect(DISTINCT {0}.group_id) AS groups"
    nodes = await driver.execute_query("MATCH (n) WHERE " + named.format("n"))
    edges = await driver.execute_query("MATCH ()-[r]->() WHERE " + named.format("r"))
    return {*nodes.records[0]["groups"], *edges.records[0]["groups"]}


async def use(memory: GraphMemory, group: str) -> dict[str, Any]:
    """Call what an agent and an operator call, and return what does not depend on ids."""
    names: dict[str, str] = {}
    for text in ("Ada drinks tea", "Tea grows in Assam", "Bob drinks beer", "Eve sings"):
        names[(await memory.add(text, tags=["t"], group_id=group)).memory_id] = text
    ada, tea, bob, eve = names
    await memory.relations.add(ada, tea, "supports", group_id=group)
    asked = await memory.search("what does Ada drink?", limit=3, group_id=group)
    first = await memory.retrieve("what does Ada drink?", max_tokens=200, group_id=group)
    second = await memory.retrieve(
        "and Bob?", max_tokens=200, session_id=first.session_id, group_id=group
    )
    walked = await memory.relations.traverse(ada, group_id=group)
    await memory.update(bob, content="Bob drinks cider", group_id=group)
    await memory.lifecycle.reject(eve, reason="wrong", group_id=group)
    refused = await refusal(memory, "Eve sings", group)
    erased = await memory.erasure.erase([bob], group_id=group)
    checked = await memory.erasure.verify(erased)
    run = await memory.maintenance.run(groups=[group], full=True)
    page = await memory.list(sort="created_at", group_id=group)
    listed = sorted(each.content for each in page.memories)
    undone = await memory.maintenance.undo(run.run_id)
    revoked = await memory.maintenance.revoke_source(since="2020-01-01", group_id=group)
    back = await memory.maintenance.undo(revoked.run_id or "")
    stats = await memory.stats(group)
    health = await memory.health(group)
    return {
        "found": [each.memory.content for each in asked],
        "retrieved": [sorted(e.memory.content for e in r.memories) for r in (first, second)],
        "walked": (len(walked.nodes), len(walked.edges)),
        "refused": refused,
        "erased": [(each.place, each.found, each.removed) for each in erased.places],
        "erasure": (checked.signed, checked.clean),
        "run": (run.processed, run.errors, run.completed, run.groups == [group]),
        "undone": (undone.restored, undone.refused),
        "revoked": (revoked.memories, back.restored),
        "listed": listed,
        "stats": (stats.total, stats.by_tag, stats.embedding.missing),
        "health": (health.states, health.last_run is not None),
    }


async def refusal(memory: GraphMemory, text: str, group: str) -> str:
    """Return the type of the error that a memory is refused with."""
    try:
        await memory.add(text, group_id=group)
    except Exception as error:
        return type(error).__name__
    return "stored"


async def test_a_group_is_whole_on_its_server_and_works_as_on_one(
    service: GraphMemory, there: AsyncDriver, driver: AsyncDriver
):
    await service.maintenance.run(groups=[HOME, EAST])  # finishes what other tests left
    on_home, on_east = await use(service, HOME), await use(service, EAST)
    assert on_east == on_home
    assert on_home["refused"] == "RejectedBeforeError"
    await service.context.session_store.flush()
    await service.context.accesses.flush()
    assert await groups_of(there) == {EAST}
    here = await groups_of(driver)
    assert HOME in here
    assert EAST not in here


async def test_copies_on_another_server_are_erased_with_the_original(service: GraphMemory):
    original = await service.add("The vault in Bergen is green", group_id=HOME)
    await service.add("The cellar in Bergen is dry", group_id=HOME)
    lines = [line async for line in export_lines(service, HOME)]
    await import_lines(service, lines, EAST)  # keeps the ids, which its server did not have
    receipt = await service.erasure.erase([original.memory_id], copies=True, group_id=HOME)
    (copied,) = receipt.copies
    assert (copied.group_id, copied.memory_ids) == (EAST, (original.memory_id,))
    left = {each.content for each in (await service.list(group_id=EAST, limit=50)).memories}
    assert "The cellar in Bergen is dry" in left
    assert "The vault in Bergen is green" not in left
    checked = await service.erasure.verify(receipt)
    assert checked.clean, checked.findings


async def test_one_run_treats_both_servers_and_one_undo_takes_it_back(service: GraphMemory):
    done = [0]
    for group in (HOME, EAST):
        await service.add(f"Something of {group}", group_id=group)
    expected = await service.maintenance.dry_run(groups=[HOME, EAST], full=True)
    run = await service.maintenance.run(
        groups=[HOME, EAST], full=True, on_progress=lambda n, of: done.append(n)
    )
    each = [await service.maintenance.run(groups=[g], full=True) for g in (HOME, EAST)]
    assert run.processed == sum(one.processed for one in each) == expected.processed
    assert (run.groups, run.completed) == (sorted([HOME, EAST]), True)
    status = await service.maintenance.status()
    (recorded,) = [one for one in status.runs if one.run_id == run.run_id]
    assert (recorded.counts.processed, recorded.status) == (run.processed, "done")
    await service.maintenance.undo(run.run_id)
    assert (await service.maintenance.pause("a test")) is not None
    ended = await service.maintenance.resume()
    assert ended
    assert ended.reason == "a test"
    assert await service.maintenance.resume() is None


async def test_groups_are_listed_and_explained(service: GraphMemory, there: AsyncDriver):
    found = {each.group_id: each for each in await service.groups.list()}
    assert (found[HOME].server, found[EAST].server) == ("home", "east")
    assert found[EAST].memories > 0
    assert found[EAST].placed
    assert service.groups.place(EAST).rule == "rule 1: groups east_*"
    assert (service.groups.place(HOME).server, service.groups.place(HOME).rule) == ("home", None)
    await there.execute_query("CREATE (:Entity:Memory {uuid: 'stray', group_id: 'stray'})")
    try:
        strays = [each for each in await service.groups.list() if not each.placed]
        assert [(each.group_id, each.server) for each in strays] == [("stray", "east")]
        async with Database.open(service.settings) as database:
            problems = (await database.verify("stray"))["stray"]
        assert ("server 'east'", 1) in [(p.problem[16:29], p.count) for p in problems]
    finally:
        await there.execute_query("MATCH (m {uuid: 'stray'}) DELETE m")


async def test_checks_and_migrations_go_over_both(service: GraphMemory):
    async with Database.open(service.settings) as database:
        assert await database.verify(EAST) == {}
        assert {HOME, EAST} <= set(await database.groups())
        assert await database.repair(EAST) == []
        assert await database.migrate() == []
        assert all(each.applied_at for each in await database.migrations())
        assert await database.repair_indexes() == []
    checks = {each.name: each.status for each in await examine(service.settings)}
    assert (checks["server east"], checks["schema of east"]) == ("ok", "ok")
    rebuilt = await service.embeddings.rebuild(group_id=EAST)
    assert rebuilt.rebuilt == rebuilt.candidates > 0
    await service.serving.warm_up()
    await service.serving.add_passages()


async def test_the_metrics_are_those_of_all_servers(service: GraphMemory):
    whole = await read_metrics(service.context)
    parts = [await read_metrics(each) for each in service.context.servers]
    counts = [sum(row.memories for row in part.states) for part in parts if part]
    assert whole
    assert sum(row.memories for row in whole.states) == sum(counts)
    assert len(counts) == 2
    assert min(counts) > 0


async def test_proposals_are_decided_on_the_server_of_their_group(service: GraphMemory):
    for text in ("The invoice of May is paid", "The invoice of May is paid."):
        await service.add(text, group_id=EAST)
    await service.maintenance.run(groups=[EAST], stages=["proposals"])
    found = await service.proposals.list(kinds=["duplicate_of"], group_id=EAST)
    assert found.total == 1
    decided = await service.proposals.accept([found.proposals[0].proposal_id], group_id=EAST)
    assert (decided.decided, decided.refused) == (1, 0)
    undone = await service.maintenance.undo(decided.run_id or "", group_id=EAST)
    assert undone.changed


@pytest.mark.usefixtures("imported", "script")
async def test_an_episode_is_read_into_the_server_of_its_group(
    placed: Settings, llm: ScriptedLlm, there: AsyncDriver, driver: AsyncDriver
):
    model = {"llm_url": llm.url, "episode_retry_seconds": 0.0}
    async with GraphMemory.open(placed.model_copy(update=model)) as memory:
        read = await memory.episodes.add("Bob works at Acme.", wait=True, group_id=EAST)
        assert (read.status, read.error, read.entities, read.facts) == ("done", None, 2, 1)
        facts = await memory.facts.search("Where does Bob work?", group_id=EAST)
        assert [each.fact for each in facts] == ["Bob works at Acme"]
    assert await groups_of(there) == {EAST}
    assert EAST not in await groups_of(driver)


async def test_each_server_has_its_backups(service: GraphMemory, tmp_path: Path):
    with pytest.raises(BackupError, match="backup of each server"):
        await service.backups.create()
    made = {each.server: each for each in await service.backups.create_all()}
    folder = service.settings.backup_folder
    assert made["home"].backup_path.parent == folder
    assert made["east"].backup_path.parent == folder / "east"
    assert {each.path for each in await service.backups.list()} == {
        each.backup_path for each in made.values()
    }
    before = {each.group_id: each.memories for each in await service.groups.list()}
    async with Database.open(service.settings) as database:
        with pytest.raises(BackupError, match="does not name the server"):
            await database.restore(tmp_path / "backup_20260101T000000Z", replace=True)
        await database.restore(made["east"].backup_path, replace=True)
    assert {each.group_id: each.memories for each in await service.groups.list()} == before


async def test_the_tool_backs_up_each_server(service: GraphMemory):
    async with Client(build_server(service)) as client:
        answer = await client.call_tool("create_backup", {})
    made = answer.structured_content
    assert made is not None
    folders = [Path(path).parent for path in (made["backup_path"], *made["other_backup_paths"])]
    backups = service.settings.backup_folder
    assert folders == [backups, backups / "east"]
    stored = {each.path: each.memories for each in await service.backups.list()}
    paths = (made["backup_path"], *made["other_backup_paths"])
    assert made["memories_backed_up"] == sum(stored[Path(path)] or 0 for path in paths)


@asynccontextmanager
async def killed(second_settings: Settings, east: LocalNeo4j) -> AsyncIterator[None]:
    """Kill the second server, and start it again in the end."""
    os.kill(east.pid, signal.SIGKILL)
    try:
        yield
    finally:
        assert (await asyncio.to_thread(local_neo4j.start, second_settings)).uri == east.uri


async def test_a_lost_server_takes_down_its_groups_alone(
    service: GraphMemory, second_settings: Settings, east: LocalNeo4j
):
    web = httpx.ASGITransport(http_app(service))
    async with (
        httpx.AsyncClient(transport=web, base_url=_URL) as client,
        killed(second_settings, east),
    ):
        with pytest.raises(GraphUnavailableError, match="server 'east'"):
            await service.search("tea", group_id=EAST)
        with pytest.raises(GraphUnavailableError, match="server 'east'"):
            await service.add("Ada drinks water", group_id=EAST)
        assert await service.search("what does Ada drink?", group_id=HOME)
        stored = await service.add("Ada sleeps", group_id=HOME)
        assert await service.get(stored.memory_id, group_id=HOME)
        assert (await service.maintenance.run(groups=[HOME])).completed
        with pytest.raises(GraphUnavailableError, match="server 'east'"):
            await service.maintenance.run(groups=[HOME, EAST])
        here = service.context.servers[0].graph
        runs = [each for each in await records.runs(here, limit=50) if HOME in (each.groups or [])]
        assert runs[0].status == "done"
        lost = await service.serving.unavailable_servers()
        assert list(lost) == ["east"]
        answer = await client.get("/readyz")
        assert answer.status_code == 200
        assert list(answer.json()["unavailable"]) == ["east"]
        checks = {each.name: each for each in await examine(service.settings)}
        assert checks["server east"].status == "fail"
        async with GraphMemory.open(service.settings) as late:
            assert await late.search("what does Ada drink?", group_id=HOME)
            with pytest.raises(GraphUnavailableError, match="server 'east'"):
                await late.stats(EAST)
    async with asyncio.timeout(120):
        while await service.serving.unavailable_servers():  # noqa: ASYNC110 - it knows no event
            await asyncio.sleep(0.5)
    assert await service.search("what does Ada drink?", group_id=EAST)
    assert (await service.add("Ada drinks water", group_id=EAST)).memory_id


async def test_without_a_file_the_database_is_not_wrapped(memory: GraphMemory):
    assert type(memory.context.graph).__name__ == "Graph"
    assert memory.context.of("anything") is memory.context
    assert memory.context.servers == [memory.context]
