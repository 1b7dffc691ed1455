"""The history of a memory shows every change of its values, with the cause and the run."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import timedelta
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.domain.timestamps import instant
from graph_memory.memories.history import Event
from graph_memory.transfer.import_export import export_lines, import_lines
from tests.conftest import TODAY, Clock
from tests.integration.maintenance.test_run import other, run
from tests.integration.memories.test_classification import Make, llm, make, rating
from tests.support.mcp_client import call, inside
from tests.support.scripted_llm import ScriptedLlm

__all__ = ("llm", "make")  # fixtures

#: Fields that count use, follow from other fields, or are events of another kind.
_NOT_CHANGES = {
    "access_count",
    "content",
    "decay_score",
    "importance_source",
    "last_accessed_at",
    "lifecycle_state",
    "protection",
    "superseded_by",
    "updated_at",
}

Act = Callable[[GraphMemory, Clock, str], Awaitable[str]]


async def _update(memory: GraphMemory, clock: Clock, memory_id: str) -> str:
    house = await memory.add("the house")
    await memory.update(
        memory_id,
        metadata={"room": "hall", "k": 2},
        attachments=["https://example.com/hall.png", "file:///hall.txt"],
        tags=["b", 'a "quoted" \\ tag\nof two lines'],
        importance=9,
        memory_type="fact",
        stability=4,
        confidence=0.4,
        project_id="house",
        parent_id=house.memory_id,
        decay_policy="none",
        decay_rate=0.1,
    )
    return "Python"


async def _clear(memory: GraphMemory, clock: Clock, memory_id: str) -> str:
    async with inside(memory) as client:
        cleared = ["confidence", "tags", "metadata", "attachments"]
        await call(client, "update_memory", memory_id=memory_id, clear=cleared)
    return "update_memory"


async def _preserve(memory: GraphMemory, clock: Clock, memory_id: str) -> str:
    await memory.lifecycle.preserve(memory_id, until=clock.now + timedelta(days=30))
    return "Python"


async def _release(memory: GraphMemory, clock: Clock, memory_id: str) -> str:
    await memory.lifecycle.preserve(memory_id)
    clock.advance(days=1)
    async with inside(memory) as client:
        await call(client, "memory_preserve", memory_id=memory_id, release=True)
    return "memory_preserve"


async def _reactivate(memory: GraphMemory, clock: Clock, memory_id: str) -> str:
    newer = await memory.add("the newer one")
    await memory.lifecycle.mark_obsolete(memory_id, "moved", superseded_by=newer.memory_id)
    clock.advance(days=1)
    await memory.update(memory_id, importance=6)
    return "Python"


async def _recover(memory: GraphMemory, clock: Clock, memory_id: str) -> str:
    newer = await memory.add("the newer one")
    await memory.lifecycle.mark_obsolete(memory_id, "moved", superseded_by=newer.memory_id)
    await memory.delete(memory_id)
    clock.advance(days=1)
    await memory.lifecycle.recover(memory_id)
    return "Python"


async def _end_of_preservation(memory: GraphMemory, clock: Clock, memory_id: str) -> str:
    await memory.lifecycle.preserve(memory_id, until=clock.now + timedelta(days=1))
    clock.advance(days=2)
    return f"run {(await run(memory)).run_id}"


async def _scan(memory: GraphMemory, clock: Clock, memory_id: str) -> str:
    clock.advance(days=95)
    await memory.lifecycle.scan_confidence(dry_run=False)
    return "Python"


async def _scan_in_run(memory: GraphMemory, clock: Clock, memory_id: str) -> str:
    clock.advance(days=95)
    report = await run(other(memory, confidence_scan_in_maintenance=True))
    return f"confidence scan, run {report.run_id}"


async def _obsolete_by_scan(memory: GraphMemory, clock: Clock, memory_id: str) -> str:
    await memory.update(memory_id, confidence=0.3)
    clock.advance(days=190)
    report = await run(other(memory, confidence_scan_in_maintenance=True), stages=["confidence"])
    return f"confidence scan, run {report.run_id}"


async def _erosion(memory: GraphMemory, clock: Clock, memory_id: str) -> str:
    await memory.update(memory_id, decay_policy="typed_importance")
    clock.advance(days=60)
    await memory.touch(memory_id)
    return "access"


async def _undo(memory: GraphMemory, clock: Clock, memory_id: str) -> str:
    await memory.lifecycle.preserve(memory_id, until=clock.now + timedelta(days=1))
    clock.advance(days=95)
    report = await run(other(memory, confidence_scan_in_maintenance=True))
    await memory.maintenance.undo(report.run_id)
    return f"undo of run {report.run_id}"


ACTS: tuple[Act, ...] = (
    _update,
    _clear,
    _preserve,
    _release,
    _reactivate,
    _recover,
    _end_of_preservation,
    _scan,
    _scan_in_run,
    _obsolete_by_scan,
    _erosion,
    _undo,
)


async def _values(memory: GraphMemory, memory_id: str) -> dict[str, Any]:
    found = asdict(await memory.get(memory_id, counted=False))
    return {name: value for name, value in found.items() if name not in _NOT_CHANGES}


def _changed(events: list[Event]) -> list[str]:
    return [event.detail or "" for event in events if event.kind == "changed"]


@pytest.mark.parametrize("act", ACTS)
async def test_each_changed_value_is_in_the_history_with_its_cause(
    memory: GraphMemory, clock: Clock, act: Act
) -> None:
    stored = await memory.add(
        "tea",
        importance=7,
        tags=["a"],
        confidence=0.9,
        metadata={"room": "kitchen"},
        attachments=["https://example.com/kitchen.png"],
    )
    seen, before = 0, await _values(memory, stored.memory_id)
    clock.advance(days=1)
    cause = await act(memory, clock, stored.memory_id)
    events = await memory.lifecycle.history(stored.memory_id)
    assert events == sorted(events, key=lambda event: event.at)
    told = _changed(events)
    assert cause in {detail.rsplit("(", 1)[1].removesuffix(")") for detail in told}
    after = await _values(memory, stored.memory_id)
    for name in (name for name in before if before[name] != after[name]):
        seen += 1
        assert any(f"{name}: " in detail or f"{name}." in detail for detail in told), name
    assert seen or act not in (_update, _clear, _preserve, _scan, _scan_in_run, _erosion)


async def test_metadata_and_title_are_shown_by_what_differs(
    memory: GraphMemory, clock: Clock
) -> None:
    stored = await memory.add("tea", title="A drink", metadata={"room": "hall", "n": 1})
    clock.advance(days=1)
    await memory.update(stored.memory_id, title="Tea", metadata={"room": "attic", "n": 1})
    clock.advance(days=1)
    await memory.update(stored.memory_id, metadata={"n": [1, {"of": True}], "long": "x" * 5000})
    clock.advance(days=1)
    await memory.update(stored.memory_id, content="green tea", metadata={})
    told = _changed(await memory.lifecycle.history(stored.memory_id))
    assert told == [
        "title: A drink → Tea; metadata.room: hall → attic (Python)",
        'metadata: {"room": "attic", "n": 1} → 5036 characters (Python)',
        "metadata: 5036 characters → none (Python)",
    ]


async def test_a_new_text_has_its_cause(memory: GraphMemory, clock: Clock) -> None:
    stored = await memory.add("tea")
    clock.advance(days=1)
    async with inside(memory) as client:
        await call(client, "update_memory", memory_id=stored.memory_id, content="green tea")
        clock.advance(days=1)
        await memory.update(stored.memory_id, content="black tea", importance=7)
        told = await call(client, "memory_history", memory_id=stored.memory_id)
    events = await memory.lifecycle.history(stored.memory_id)
    assert [(event.kind, event.detail, event.by) for event in events] == [
        ("created", None, "Python"),
        ("rewritten", "tea", "update_memory"),
        ("changed", "importance: 5 → 7 (Python)", "Python"),
        ("rewritten", "green tea", "Python"),
    ]
    assert [event["by"] for event in told["events"]] == [event.by for event in events]


async def test_preservation_confidence_and_steps_name_both_values_and_the_run(
    memory: GraphMemory, clock: Clock
) -> None:
    stored = await memory.add("tea", importance=2, confidence=0.9, tags=["a"])
    await memory.lifecycle.preserve(stored.memory_id, until=TODAY + timedelta(days=1))
    clock.advance(days=96)
    report = await run(other(memory, confidence_scan_in_maintenance=True))
    events = await memory.lifecycle.history(stored.memory_id)
    assert [event.kind for event in events] == ["created", *["changed"] * 3, "state"]
    until = instant(TODAY + timedelta(days=1))
    kept = f"tags: a → a, preserved; preserve_until: none → {until} (Python)"
    assert events[1].detail == kept
    assert f"run {report.run_id}" in str(events[4].detail)
    assert {event.detail for event in events[2:4]} == {
        f"tags: a, preserved → a; preserve_until: {until} → none (run {report.run_id})",
        f"confidence: 0.9 → 0.8 (confidence scan, run {report.run_id})",
    }


async def test_what_the_language_model_rates_is_in_the_history(
    make: Make, llm: ScriptedLlm, clock: Clock
) -> None:
    memory = make(llm_breaker_seconds=0.0)
    llm.script = lambda _: (503, {"error": "overloaded"})
    first, second = await memory.add("Ada likes tea"), await memory.add("Ada likes cake")
    llm.script = rating(lambda text: (4, 2))
    clock.advance(days=1)
    report = await run(memory)
    rated = f"importance: 6 → 8; stability: 3 → 2 (classification, run {report.run_id})"
    for each in (first, second):
        assert _changed(await memory.lifecycle.history(each.memory_id)) == [rated]
    await memory.maintenance.undo(report.run_id)
    undone = f"importance: 8 → 6; stability: 2 → 3 (undo of run {report.run_id})"
    assert _changed(await memory.lifecycle.history(first.memory_id)) == [undone]
    await memory.maintenance.classify(groups=[memory.group(None)])
    held = _changed(await memory.lifecycle.history(first.memory_id))
    assert held == [undone]


async def test_an_undone_run_is_in_the_history_with_what_it_had_done(
    memory: GraphMemory, driver: AsyncDriver, clock: Clock
) -> None:
    stored, deleted = await memory.add("tea", importance=2), await memory.add("cake")
    await memory.delete(deleted.memory_id)
    clock.advance(days=95)
    report = await run(memory)
    assert (report.transitioned, report.purged) == ({"ACTIVE>DORMANT": 1}, 1)
    before = [line async for line in export_lines(memory)]
    clock.advance(hours=1)
    await memory.maintenance.undo(report.run_id)
    by = f"(undo of run {report.run_id})"
    (event,) = [e for e in await memory.lifecycle.history(stored.memory_id) if e.kind == "changed"]
    assert (event.at, event.detail) == (clock.now, f"lifecycle_state: DORMANT → ACTIVE {by}")
    (purge,) = _changed(await memory.lifecycle.history(deleted.memory_id))
    assert purge.startswith("purged_at: ")
    assert purge.endswith(f" → none {by}")
    after = [line async for line in export_lines(memory)]
    assert len(before) == len(after) == 1
    assert "undo of run" not in after[0]


async def test_a_later_reason_of_an_obsolete_memory_does_not_hide_the_first(
    memory: GraphMemory, clock: Clock
) -> None:
    stored = await memory.add("tea")
    await memory.lifecycle.mark_obsolete(stored.memory_id, 'she says "no"')
    clock.advance(days=1)
    await memory.lifecycle.mark_obsolete(stored.memory_id, "it was cake")
    told = _changed(await memory.lifecycle.history(stored.memory_id))
    assert told == ['obsolete_reason: she says "no" → it was cake (Python)']


async def test_the_changes_of_a_run_survive_export_and_import(
    memory: GraphMemory, group: str, clock: Clock
) -> None:
    await memory.add("tea", confidence=0.9, tags=['a "b" \\ c\nd'])
    clock.advance(days=95)
    await run(other(memory, confidence_scan_in_maintenance=True))
    await memory.update(await _only(memory), tags=["plain"])
    (line,) = [line async for line in export_lines(memory)]
    assert len(json.loads(line)["lifecycle"]["edit_history"]) == 2
    report = await import_lines(memory, [line], f"{group}_copy")
    assert (report.stored, report.errors) == (1, [])


async def _only(memory: GraphMemory) -> str:
    (found,) = (await memory.list()).memories
    return found.memory_id
