"""Attachments stay with their memory through all that happens to it."""

import json
import secrets
from typing import Any

from hypothesis import HealthCheck, given, settings
from neo4j import AsyncDriver

from graph_memory import Attachment, GraphMemory, NewMemory
from graph_memory.domain.attachments import attachments_json, completed
from graph_memory.domain.inputs import validate
from graph_memory.transfer.import_export import export_lines, import_lines
from tests.conftest import TODAY, Clock
from tests.integration.maintenance.test_run import run
from tests.support.attachments import attachments

PLAN = Attachment("file:///house/plan.png", "image/png", "Plan of the house", "ab" * 32)
TAP = Attachment("https://example.com/tap.py")
BOTH = (PLAN, Attachment(TAP.uri, "text/x-python", language="python"))

LONG = "The plan of the house shows two floors and a garden. " * 40


async def test_attachments_are_stored_with_what_their_address_shows(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    stored = await memory.add("The plan of the house", attachments=[PLAN, TAP])
    assert stored.attachments == BOTH
    outcomes = await memory.add_many(
        [
            {"content": "As fields", "attachments": [{"uri": TAP.uri}]},
            NewMemory(content="As an object", attachments=(TAP,)),
            {"content": "As an address", "attachments": [TAP.uri]},
            {"content": "None", "attachments": []},
            {"content": "Refused", "attachments": ["tap.py"]},
        ]
    )
    found = [await memory.get(each.memory_id) for each in outcomes if each.memory_id]
    assert [each.attachments for each in found] == [*[BOTH[1:]] * 3, ()]
    assert outcomes[-1].error is not None
    records = await driver.execute_query(
        "MATCH (m:Memory {group_id: $group}) WHERE m.attachments_json IS NULL "
        "RETURN m.content AS c",
        group=memory.group(None),
    )
    assert [record["c"] for record in records.records] == ["None"]


async def test_every_read_returns_them(memory: GraphMemory) -> None:
    start = await memory.add("The plan of the house", attachments=[PLAN, TAP])
    other = await memory.add("The tap of the house drips", attachments=[TAP])
    await memory.relations.add(start.memory_id, other.memory_id)
    for profile in ("recall", "weighted", "hybrid"):
        hits = await memory.search("plan of the house", profile=profile)
        assert {hit.memory.attachments for hit in hits} == {BOTH, BOTH[1:]}
        given = await memory.retrieve("plan of the house", profile=profile)
        assert {each.memory.attachments for each in given.memories} == {BOTH, BOTH[1:]}
    assert {m.attachments for m in (await memory.list()).memories} == {BOTH, BOTH[1:]}
    walk = await memory.relations.traverse(start.memory_id)
    assert (walk.start.attachments, walk.nodes[0].attachments) == (BOTH, BOTH[1:])


async def test_an_update_replaces_them_and_the_history_shows_it(
    memory: GraphMemory, clock: Clock
) -> None:
    stored = await memory.add("The plan of the house", attachments=[PLAN])
    long = [f"https://example.com/{'x' * 900}/{n}" for n in range(5)]
    size = len(attachments_json(map(Attachment, long)) or "")
    changes: tuple[Any, ...] = (
        {"content": "The plan of the old house"},
        {"attachments": [PLAN, TAP]},
        {"attachments": long},
        {"attachments": []},
        {"attachments": [TAP]},
        {"clear": ["attachments"]},
        {"attachments": ()},
    )
    seen: list[int] = []
    for each in changes:
        clock.advance(days=1)
        changed, _ = await memory.update(stored.memory_id, **each)
        seen.append(len(changed.attachments))
    assert seen == [1, 2, 5, 0, 1, 0, 0]
    events = await memory.lifecycle.history(stored.memory_id)
    assert [event.detail for event in events if event.kind == "changed"] == [
        f"attachments: {PLAN.uri} → {PLAN.uri}, {TAP.uri} (Python)",
        f"attachments: {PLAN.uri}, {TAP.uri} → {size} characters (Python)",
        f"attachments: {size} characters → none (Python)",
        f"attachments: none → {TAP.uri} (Python)",
        f"attachments: {TAP.uri} → none (Python)",
    ]
    past = await memory.get(stored.memory_id, known_at=TODAY)
    assert (past.content, past.attachments) == ("The plan of the house", ())


async def test_maintenance_and_its_undo_keep_them(
    memory: GraphMemory, driver: AsyncDriver, clock: Clock, group: str
) -> None:
    stored = await memory.add(LONG, attachments=[PLAN, TAP])
    gone = await memory.add("A deleted plan", attachments=[TAP])
    await memory.delete(gone.memory_id)
    clock.advance(days=40)
    await run(memory)
    clock.advance(days=60)
    report = await run(memory)
    assert (report.compressed, report.purged) == (1, 1)
    assert (await memory.get(stored.memory_id, counted=False)).attachments == BOTH
    assert (await memory.maintenance.undo(report.run_id)).refused == 0
    kept = await driver.execute_query(
        "MATCH (m:Memory {group_id: $group}) RETURN m.uuid AS id, m.attachments_json AS json",
        group=group,
    )
    assert {record["id"]: record["json"] for record in kept.records} == {
        stored.memory_id: attachments_json(BOTH),
        gone.memory_id: attachments_json([TAP]),
    }
    await memory.touch(stored.memory_id)
    woken = await memory.get(stored.memory_id)
    assert (woken.content, woken.attachments) == (LONG, BOTH)


async def test_superseding_and_deleting_change_none(memory: GraphMemory) -> None:
    old = await memory.add("The plan of 2024", attachments=[PLAN])
    new = await memory.add("The plan of 2026", attachments=[TAP])
    await memory.lifecycle.mark_obsolete(old.memory_id, "rebuilt", superseded_by=new.memory_id)
    assert (await memory.get(old.memory_id)).attachments == (PLAN,)
    repeated = await memory.add("The plan of 2026", on_duplicate="return", attachments=[PLAN])
    assert repeated.attachments == BOTH[1:]


@given(each=attachments)
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_any_legal_attachments_survive_the_life_of_a_memory(
    memory: GraphMemory, clock: Clock, each: list[Any]
) -> None:
    """Add, rewrite, export, import into another group, and read the history and a backup."""
    here, there = (f"test_{secrets.token_hex(8)}" for _ in range(2))
    legal = validate(NewMemory, {"content": "x", "attachments": each}).attachments
    expected = tuple(map(completed, legal))
    stored = await memory.add("A caption", attachments=each, group_id=here)
    assert stored.attachments == expected
    clock.advance(hours=1)
    changed, _ = await memory.update(stored.memory_id, content="Another one", group_id=here)
    assert changed.attachments == expected
    await memory.update(stored.memory_id, attachments=["s3://a/other"], group_id=here)
    await memory.update(stored.memory_id, attachments=each, group_id=here)
    assert len(await memory.lifecycle.history(stored.memory_id, group_id=here)) >= 2
    lines = [line async for line in export_lines(memory, here)]
    report = await import_lines(memory, lines, there)
    assert (report.stored, report.failed) == (1, 0)
    (copy,) = (await memory.list(group_id=there)).memories
    assert copy.attachments == expected
    again = [line async for line in export_lines(memory, there)]
    assert [_attached(line) for line in again] == [_attached(line) for line in lines]


def _attached(line: str) -> Any:
    read = json.loads(line)
    return read.get("attachments"), read["lifecycle"]["edit_history"]
