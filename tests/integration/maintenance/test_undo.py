"""What a run compresses is read as before; what it changes can be undone, and rehearsed."""

import hashlib
import json
from datetime import timedelta
from typing import Any, LiteralString

import pytest
from neo4j import AsyncDriver
from prometheus_client import REGISTRY

from graph_memory import GraphMemory
from graph_memory.diagnostics.verify import verify
from graph_memory.errors import (
    DuplicateError,
    InvalidArgumentError,
    NotFoundError,
    UndoRefusedError,
)
from graph_memory.maintenance.reembedding import rebuild_embeddings
from graph_memory.transfer.import_export import export_lines, import_lines
from tests.conftest import TODAY, Clock
from tests.integration.maintenance.test_run import look, other, run, states

LONG = "Zeppelin " + "naïve façade, ünïcode and\r\nline ends, 漢字 🎈 — " * 40 + " the end "

EVERYTHING: LiteralString = """
MATCH (n {group_id: $group}) OPTIONAL MATCH (n)-[r]->(o)
RETURN labels(n) AS labels, n {.*, embedding: null} AS n, collect(r {.*, to: o.uuid}) AS r
ORDER BY labels, n.uuid
"""


async def exported(memory: GraphMemory) -> list[str]:
    return [line async for line in export_lines(memory)]


async def everything(driver: AsyncDriver, group: str) -> str:
    """Return a checksum of all that a group has, and of what maintenance keeps."""
    records, _, _ = await driver.execute_query(EVERYTHING, group=group)
    kept, _, _ = await driver.execute_query(
        "MATCH (n) WHERE n:MaintenanceRun OR n:Control OR n:MaintenanceChange "
        "WITH n ORDER BY elementId(n) RETURN n {.*} AS n"
    )
    text = json.dumps([r.data() for r in (*records, *kept)], default=str)
    return hashlib.sha256(text.encode()).hexdigest()


async def archived(memory: GraphMemory, clock: Clock, **details: Any) -> str:
    """Store a long memory and let runs archive it."""
    stored = await memory.add(LONG, importance=6, tags=["air"], **details)
    for days in (40, 60):
        clock.advance(days=days)
        report = await run(memory)
    assert report.compressed == 1
    return stored.memory_id


async def test_a_compressed_content_is_read_as_it_was(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    memory_id = await archived(memory, clock)
    (stored,) = await look(driver, group)
    assert (stored["is_compressed"], stored["content"]) == (True, LONG[:500])
    assert len(stored["content_gz"]) < len(LONG.encode()) / 4
    assert (await memory.get(memory_id, counted=False)).content == LONG
    (found,) = await memory.search("Zeppelin façade", states=["ARCHIVED"])
    assert found.memory.content == LONG
    await memory.context.accesses.flush()
    (woken,) = await look(driver, group)
    assert (woken["content"], woken["is_compressed"]) == (LONG, False)
    assert woken["content_hash"] == hashlib.sha256(LONG.encode()).hexdigest()


async def test_a_compressed_memory_is_exported_embedded_and_changed_whole(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    memory_id = await archived(memory, clock)
    lines = await exported(memory)
    assert json.loads(lines[0])["content"] == LONG
    assert (await rebuild_embeddings(memory.context, group)).rebuilt == 1
    twin = other(memory, group_id=f"{group}_2")
    assert (await import_lines(twin, lines, f"{group}_2")).stored == 1
    assert [json.loads(line)["content"] for line in await exported(twin)] == [LONG]
    changed, _ = await memory.update(memory_id, content="a short one")
    assert changed.content == "a short one"
    past = await memory.get(memory_id, counted=False, known_at=TODAY)
    assert past.content == LONG
    clock.advance(hours=1)
    await run(memory)
    assert (await memory.get(memory_id, counted=False)).content == "a short one"
    await memory.context.graph.run("memories/update/erase_all", group_id=f"{group}_2")


async def test_what_stays_archived_through_a_change_is_compressed_again(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    memory_id = await archived(memory, clock)
    await memory.add("a twin", tags=["air"])
    with pytest.raises(DuplicateError):
        await memory.update(memory_id, content="a twin")
    assert (await run(memory)).compressed == 1
    await memory.update(memory_id, decay_policy="adaptive", confidence=0.1)
    clock.advance(hours=1)
    assert (await run(memory)).compressed == 1
    stored = {m["uuid"]: m["lifecycle_state"] for m in await look(driver, group)}
    assert stored[memory_id] == "ARCHIVED"
    assert (await memory.get(memory_id, counted=False)).content == LONG


async def test_undo_leaves_the_export_as_it_was_byte_for_byte(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    hub = await archived(memory, clock)
    others = [await memory.add(f"beside it {i}", importance=2, confidence=0.9) for i in range(4)]
    for each in others:
        await memory.relations.add(each.memory_id, hub, "supports", strength=0.7)
    await memory.lifecycle.preserve(others[0].memory_id, until="2026-10-01")
    clock.advance(days=150)
    before, raw = await exported(memory), await look(driver, group)
    report = await run(other(memory, confidence_scan_in_maintenance=True))
    assert report.transitioned
    assert await exported(memory) != before
    undone = await memory.maintenance.undo(report.run_id)
    assert (undone.refused, undone.restored) == (0, 4)
    assert await exported(memory) == before
    after = await look(driver, group)
    scores = ("decay_score", "last_decay_update", "next_due_at", "packing_due", "held_until")
    for was, now in zip(raw, after, strict=True):
        noted = now.get("edit_history", [])
        now["edit_history"] = [entry for entry in noted if '"by": "undo of run ' not in entry]
        assert len(noted) - len(now["edit_history"]) == ("held_until" in now)
        was.setdefault("edit_history", [])
        changed = {k for k in was.keys() | now.keys() if was.get(k) != now.get(k)}
        assert changed <= set(scores), changed
    with pytest.raises(UndoRefusedError, match="already"):
        await memory.maintenance.undo(report.run_id)
    rehearsed = await memory.maintenance.dry_run(groups=[group])
    with pytest.raises(UndoRefusedError, match="no such run"):
        await memory.maintenance.undo(rehearsed.run_id)


@pytest.mark.parametrize("days", [7.0, 0.0, 40.0])
async def test_an_undo_holds_for_some_days_and_is_foreseen(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock, days: float
) -> None:
    """No stage of a run repeats what was undone: steps, purge, end of protection, confidence."""
    holding = other(memory, undo_hold_days=days, confidence_scan_in_maintenance=True)
    for policy in ("half_life", "adaptive", "typed_importance"):
        await holding.add(f"idle, {policy}", importance=2, decay_policy=policy)
    await holding.add("gone by score", decay_policy="adaptive", confidence=0.0, importance=1)
    await holding.add("doubted", confidence=0.9)
    kept = await holding.add("kept for a time")
    await holding.lifecycle.preserve(kept.memory_id, until=TODAY + timedelta(days=20))
    deleted = await holding.add("deleted")
    await holding.delete(deleted.memory_id)
    clock.advance(days=95)
    before = await states(driver, group)
    report = await run(holding)
    assert report.purged == 1
    undone = await holding.maintenance.undo(report.run_id)
    assert undone.restored == 7
    assert undone.held_until == (clock.now + timedelta(days=days) if days else None)
    assert await states(driver, group) == before
    if days:
        assert f"until {undone.held_until:%Y-%m-%d}" in undone.explanation
        status = await holding.lifecycle.status(kept.memory_id)
        assert (status.next_at, status.held_until) == (undone.held_until, undone.held_until)
        held = await holding.lifecycle.forecast(days=days - 1, points=1)
        assert held.transitions == {}
        used = await holding.add("used")
        for full in (False, True):
            clock.advance(days=days / 3)
            told = await holding.maintenance.dry_run(groups=[group], full=full)
            assert (told.transitioned, told.purged) == ({}, 0)
            done = await run(holding, full=full)
            assert (done.transitioned, done.purged, done.compressed) == ({}, 0, 0)
        assert await states(driver, group) == before | {"used": "ACTIVE"}
        await holding.delete(used.memory_id, permanent=True)
        clock.now = undone.held_until or clock.now
    else:
        assert "The next run applies the rules" in undone.explanation
        clock.advance(hours=1)
    forecast = await holding.lifecycle.forecast(days=1e-6, points=1)
    again = await run(holding)
    assert (again.transitioned, again.purged) == (report.transitioned, report.purged)
    assert forecast.transitions["ACTIVE>SOFT_DELETED"] == 1


async def test_use_and_preservation_go_on_while_an_undo_holds(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    ids = [(await memory.add(f"number {i}", importance=2)).memory_id for i in range(4)]
    for days in (40, 60):
        clock.advance(days=days)
        report = await run(memory)
    await memory.maintenance.undo(report.run_id)
    assert set((await states(driver, group)).values()) == {"DORMANT"}
    await memory.touch(ids[0])
    await memory.lifecycle.preserve(ids[1])
    await memory.update(ids[2], importance=7)
    await memory.lifecycle.mark_obsolete(ids[3], "a test")
    after = {"number 0": "ACTIVE", "number 1": "ACTIVE", "number 2": "ACTIVE"}
    assert await states(driver, group) == after | {"number 3": "EXPIRED"}


async def test_undo_refuses_what_was_changed_since_and_names_it(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    used, kept, gone, twice, plain = [
        await memory.add(f"number {i}", importance=2) for i in range(5)
    ]
    for days in (40, 60, 100):
        clock.advance(days=days)
        await run(memory)
    clock.advance(hours=1)
    report = await run(memory)
    assert report.transitioned == {"EXPIRED>SOFT_DELETED": 5}
    await memory.lifecycle.recover(used.memory_id)
    await memory.add("number 1", importance=2)
    await memory.context.graph.run(
        "memories/update/erase", group_id=group, memory_ids=[gone.memory_id], tombstones=[]
    )
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) SET m.tags = ['new']", id=twice.memory_id
    )
    undone = await memory.maintenance.undo(report.run_id)
    assert (undone.restored, undone.refused) == (1, 4)
    reasons = {refusal.memory_id: refusal.reason for refusal in undone.refusals}
    assert "ACTIVE" in reasons[used.memory_id]
    assert "stored again" in reasons[kept.memory_id]
    assert "erased" in reasons[gone.memory_id]
    assert "tags" in reasons[twice.memory_id]
    assert (await states(driver, group))["number 4"] == "EXPIRED"
    assert plain.memory_id not in reasons


@pytest.mark.parametrize("act", ["reject", "erase"])
async def test_undo_brings_back_no_statement_that_was_rejected_since(
    memory: GraphMemory, clock: Clock, act: str
) -> None:
    first = await memory.add("Ada has a sister called Zelda", importance=2)
    other = await memory.add("The canteen opens at nine", importance=2)
    for days in (40, 60, 100):
        clock.advance(days=days)
        await run(memory)
    clock.advance(hours=1)
    report = await run(memory)
    assert report.transitioned == {"EXPIRED>SOFT_DELETED": 2}
    again = await memory.add("ADA has a sister called Zelda!")
    if act == "reject":
        await memory.lifecycle.reject(again.memory_id)
    else:
        await memory.delete(again.memory_id, permanent=True)
    undone = await memory.maintenance.undo(report.run_id)
    assert (undone.restored, undone.refused) == (1, 1)
    (refusal,) = undone.refusals
    assert refusal.memory_id == first.memory_id
    assert f"its statement was {act}ed".replace("eed", "ed") in refusal.reason
    assert (await memory.get(other.memory_id)).lifecycle_state == "EXPIRED"
    with pytest.raises(NotFoundError):
        await memory.get(first.memory_id)


async def test_a_purge_hides_a_memory_until_it_is_undone_or_erased(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    first = await memory.add("first", importance=2)
    second = await memory.add("second", importance=2)
    await memory.relations.add(first.memory_id, second.memory_id, "supports")
    await memory.update(first.memory_id, content="first, rewritten")
    await memory.delete(first.memory_id)
    before = await look(driver, group)
    clock.advance(days=90)
    assert (await run(memory)).purged == 0
    clock.advance(hours=1)
    report = await run(memory)
    assert report.purged == 1
    with pytest.raises(NotFoundError):
        await memory.lifecycle.history(first.memory_id)
    assert await memory.relations.list(second.memory_id) == []
    problems = await verify(memory.context.graph, memory.settings)
    assert group not in problems
    undone = await memory.maintenance.undo(report.run_id)
    assert undone.refused == 0
    (back,) = [m for m in await look(driver, group) if m["uuid"] == first.memory_id]
    assert back["soft_deleted_at"] == before[0]["soft_deleted_at"]
    keys, _, _ = await driver.execute_query(
        "MATCH (:Memory {uuid: $id})-[r:RELATES_TO]->() RETURN r.edge_key AS key",
        id=first.memory_id,
    )
    assert keys[0]["key"] == f"{first.memory_id}|supports|{second.memory_id}"
    assert (await run(memory)).purged == 0  # the undo holds
    clock.advance(days=7)
    report = await run(memory)
    assert report.purged == 1
    clock.advance(days=31)
    await run(memory)
    left, _, _ = await driver.execute_query(
        "MATCH (n {group_id: $group}) WHERE n:PurgedMemory OR n:MemoryVersion RETURN n", group=group
    )
    assert left == []
    with pytest.raises(UndoRefusedError, match="30 days"):
        await memory.maintenance.undo(report.run_id)


async def test_of_a_run_of_others_a_group_learns_nothing(
    memory: GraphMemory, clock: Clock, group: str
) -> None:
    await memory.add("first", importance=2)
    clock.advance(days=40)
    report = await run(memory)
    unknown = report.run_id[:-1] + "x"
    with pytest.raises(UndoRefusedError) as of_none:
        await memory.maintenance.undo(unknown, group_id=f"{group}_2")
    for _ in range(2):
        with pytest.raises(UndoRefusedError) as of_others:
            await memory.maintenance.undo(report.run_id, group_id=f"{group}_2")
        assert str(of_others.value) == str(of_none.value).replace(unknown, report.run_id)
        if _ == 0:
            assert (await memory.maintenance.undo(report.run_id, group_id=group)).restored == 1


async def test_to_erase_a_group_leaves_nothing_to_bring_back(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    gone = await memory.add("a secret", conversation_id="talk")
    kept = await memory.add("another", tags=["telling"], conversation_id="talk")
    await memory.feedback.add(kept.memory_id, True, query="another")
    await driver.execute_query(
        "CREATE (:Episodic {uuid: $group + 'e', group_id: $group, content: 'a secret was told'}) "
        "CREATE (:EpisodeJob {job_id: $group, group_id: $group, position: 1, name: 'a secret'}) "
        "CREATE (:EpisodeQueue {group_id: $group}) "
        "CREATE (:Community {uuid: $group + 'c', group_id: $group, summary: 'all secrets'}) "
        "CREATE (:EntityBefore {uuid: $group + 'b', group_id: $group, was_content: 'a secret'})",
        group=group,
    )
    await memory.delete(gone.memory_id)
    clock.advance(days=90, hours=1)
    report = await run(memory)
    assert report.purged == 1
    await memory.add("the secret of others", group_id=f"{group}_2")
    for each in (group, f"{group}_2"):
        await memory.retrieve("what is the secret?", session_id="s", group_id=each)
    await memory.context.accesses.flush()
    assert (await memory.delete_all(confirm="DELETE ALL", permanent=True)).deleted == 1
    left, _, _ = await driver.execute_query(
        "MATCH (n) WHERE any(key IN keys(n) WHERE n[key] = $group "
        " OR n[key] STARTS WITH $group + '|' OR n[key] ENDS WITH '|' + $group) "
        "RETURN labels(n) AS labels, n.before_tags AS tags",
        group=group,
    )
    assert {(*row["labels"], *(row["tags"] or ())) for row in left} == {("MaintenanceChange",)}
    state = await memory.sessions.state("s", group_id=f"{group}_2")
    assert len(state.loaded) == 1
    undone = await memory.maintenance.undo(report.run_id)
    assert (undone.restored, undone.refused) == (0, 2)


async def test_a_purged_content_may_be_stored_again_under_its_id(
    memory: GraphMemory, clock: Clock, group: str
) -> None:
    stored = await memory.add("come back", memory_id="fixed-id")
    await memory.relations.add(stored.memory_id, (await memory.add("an end")).memory_id)
    await memory.delete("fixed-id")
    clock.advance(days=91)
    report = await run(memory)
    await memory.add("come back", memory_id="fixed-id")
    undone = await memory.maintenance.undo(report.run_id)
    (refusal,) = [r for r in undone.refusals if r.memory_id == "fixed-id"]
    assert "its id" in refusal.reason
    await memory.context.graph.run("memories/update/erase_all", group_id=group)


async def test_a_dry_run_says_what_a_run_does_and_writes_nothing(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    for i in range(6):
        await memory.add(f"trivial {i}", importance=2 + i)
    await memory.delete((await memory.add("deleted")).memory_id)
    await run(memory)
    clock.advance(days=95)
    before, counted = await everything(driver, group), samples()
    told = await memory.maintenance.dry_run(groups=[group])
    assert await everything(driver, group) == before
    assert samples() == counted
    done = await run(memory)
    for name in ("processed", "transitioned", "soft_deleted", "purged", "compressed"):
        assert getattr(told, name) == getattr(done, name), name
    assert (told.dry_run, told.purged, len(told.would_go_first)) == (True, 1, done.processed)
    assert told.would_go_first[0].decay_score == max(c.decay_score for c in told.would_go_first)


async def test_a_dry_run_knows_what_lacks_confidence(
    memory: GraphMemory, group: str, clock: Clock
) -> None:
    scanning = other(memory, confidence_scan_in_maintenance=True)
    ages = {"new": 10, "older": 200, "oldest": 400}
    await scanning.add_many(
        {
            "content": f"{age} {policy}",
            "confidence": 0.3,
            "decay_policy": policy,
            "importance": 2,
            "created_at": TODAY - timedelta(days=days),
        }
        for age, days in ages.items()
        for policy in ("none", "half_life", "adaptive")
    )
    for _ in range(4):
        told = await scanning.maintenance.dry_run(groups=[group])
        assert told.transitioned == (await run(scanning)).transitioned
        clock.advance(days=1)


async def test_a_dry_run_may_suppose_another_day_policy_and_numbers(
    memory: GraphMemory, group: str, clock: Clock
) -> None:
    for i in range(3):
        await memory.add(f"trivial {i}", importance=2)
    await run(memory)

    async def suppose(**what_if: Any) -> dict[str, int]:
        told = await memory.maintenance.dry_run(**what_if, groups=[group])
        return dict(told.transitioned)

    assert await suppose() == {}
    assert await suppose(now="2026-08-01T00:00:00Z") == {"ACTIVE>DORMANT": 3}
    assert await suppose(now="2026-08-01", policy="none") == {}
    assert await suppose(now="2026-08-01", policy="adaptive") == {"ACTIVE>DORMANT": 3}
    assert await suppose(now="2026-08-01", numbers={"dormant_days": "80"}) == {}
    for wrong in ({"policy": "no_such"}, {"numbers": {"nonsense": "1"}}, {"now": "never"}):
        with pytest.raises(InvalidArgumentError):
            await suppose(**wrong)


def samples() -> dict[str, float]:
    """Return all metrics but the time that statements take."""
    return {
        f"{s.name}{s.labels}": s.value
        for metric in REGISTRY.collect()
        for s in metric.samples
        if s.name.startswith(("graph_memory", "knowledge")) and "statement_seconds" not in s.name
    }


async def test_a_tenant_undoes_its_own_part_of_a_run(memory: GraphMemory, clock: Clock) -> None:
    other = f"{memory.settings.group_id}_other"
    mine, theirs = await memory.add("mine"), await memory.add("theirs", group_id=other)
    clock.advance(days=40)
    report = await memory.maintenance.run(groups=[memory.settings.group_id, other])
    undone = await memory.maintenance.undo(report.run_id, group_id=other)
    assert (undone.restored, undone.refused) == (1, 0)
    assert (await memory.lifecycle.status(mine.memory_id)).state == "DORMANT"
    assert (await memory.lifecycle.status(theirs.memory_id, group_id=other)).state == "ACTIVE"
    assert (await memory.maintenance.undo(report.run_id)).restored == 1
    assert (await memory.lifecycle.status(mine.memory_id)).state == "ACTIVE"


async def test_to_erase_a_memory_leaves_nothing_that_tells_of_it(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    gone, kept = [
        (await memory.add(f"{name} smokes", tags=["secret"], importance=2)).memory_id
        for name in ("Ada", "Bob")
    ]
    for memory_id in (gone, kept):
        await driver.execute_query(
            "CREATE (:EntityBefore {uuid: $id, group_id: $group, was_content: 'smokes'})",
            id=memory_id,
            group=group,
        )
    lines = [line async for line in export_lines(memory)]
    clock.advance(days=31)
    report = await run(memory)
    await memory.delete(gone, permanent=True)
    left, _, _ = await driver.execute_query(
        "MATCH (n {group_id: $group}) WHERE n:EntityBefore OR n:MaintenanceChange "
        "RETURN coalesce(n.uuid, n.memory_id) AS id, "
        "  coalesce(n.before_tags, n.was_content) AS told",
        group=group,
    )
    told = {(row["id"], str(row["told"])) for row in left}
    assert told == {(gone, "None"), (kept, "smokes"), (kept, "['secret']")}

    await import_lines(memory, lines)  # another of its id is not what the run had changed
    undone = await memory.maintenance.undo(report.run_id)
    assert undone.restored == 1
    assert [each.memory_id for each in undone.refusals] == [gone]
