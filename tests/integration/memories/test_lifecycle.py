"""Preservation, recovery and obsolescence of memories, and the causes of their decay."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings
from graph_memory.database.statements import forget_files
from graph_memory.decay.status import describe_status
from graph_memory.errors import (
    DuplicateError,
    InvalidArgumentError,
    NotFoundError,
    NotSoftDeletedError,
    OutsideRecoveryWindowError,
    SettingsError,
    StatementError,
)
from graph_memory.settings.base import read_settings
from tests.conftest import TODAY, Clock
from tests.integration.maintenance.test_run import other


async def test_a_preserved_memory_wakes_and_does_not_fade_until_its_day_is_over(
    memory: GraphMemory, clock: Clock
) -> None:
    stored = await memory.add("the cellar floods in March", importance=3)
    await memory.lifecycle.mark_obsolete(stored.memory_id, "the cellar was drained")
    clock.advance(days=400)
    kept = await memory.lifecycle.preserve(stored.memory_id, until="2027-08-01")
    assert (kept.state, kept.decay_score, kept.protection) == ("ACTIVE", 0.0, "until")
    assert kept.obsolete_at is None
    assert kept.preserve_until is not None
    assert kept.preserve_until.isoformat() == "2027-08-01T23:59:59.999000+00:00"
    assert kept.next_at == kept.preserve_until + timedelta(milliseconds=1)
    assert [(change.state, change.at.date().isoformat()) for change in kept.next_changes] == [
        ("DORMANT", "2027-09-01"),
        ("ARCHIVED", "2027-10-31"),
        ("EXPIRED", "2028-01-29"),
        ("SOFT_DELETED", "2028-01-29"),
        ("PURGED", "2028-04-28"),
    ]
    clock.now = kept.preserve_until
    assert (await memory.lifecycle.status(stored.memory_id)).protection == "until"
    clock.advance(milliseconds=1)
    after = await memory.lifecycle.status(stored.memory_id)
    assert (after.protection, after.decay_score, after.next_state) == (None, 0.0, None)
    assert after.next_changes == kept.next_changes


async def fades_from(memory: GraphMemory, memory_id: str, since: datetime) -> None:
    """Check that a memory fades as if it was used at an instant, now and in the next runs."""
    status = await memory.lifecycle.status(memory_id)
    assert (status.state, status.protection, status.idle_from) == ("ACTIVE", None, since)
    assert status.next_changes[0].at == since + timedelta(days=30, milliseconds=1)
    groups = [memory.group(None)]
    assert (await memory.maintenance.dry_run(groups=groups)).transitioned == {}
    assert (await memory.maintenance.run(groups=groups)).transitioned == {}
    after = await memory.lifecycle.status(memory_id)
    assert (after.idle_from, after.next_changes) == (since, status.next_changes)


@pytest.mark.parametrize("how", ["date", "late run", "release", "setting", "permanent", "writer"])
async def test_a_memory_fades_from_the_end_of_its_protection(
    memory: GraphMemory, driver: AsyncDriver, clock: Clock, how: str
) -> None:
    """And not from its last use, which may be years ago."""
    permanent: dict[str, Any] = {"importance": 9, "stability": 5} if how == "permanent" else {}
    tags = ["Pinned"] if how in ("setting", "writer") else []
    stored = await memory.add("the cellar floods in March", tags=tags, **permanent)
    if how in ("date", "late run", "release"):
        until = TODAY + timedelta(days=1000) if how != "release" else None
        await memory.lifecycle.preserve(stored.memory_id, until=until)
    clock.advance(days=1000)
    await memory.maintenance.run(groups=[stored.group_id])
    if how not in ("date", "late run"):
        clock.advance(hours=1)
    since, later = clock.now, memory
    if how == "release":
        told = await memory.lifecycle.preserve(stored.memory_id, release=True)
        assert [change.state for change in told.next_changes][:2] == ["DORMANT", "ARCHIVED"]
    if how == "writer":
        await driver.execute_query(
            "MATCH (m:Memory {uuid: $id}) SET m.tags = []", id=stored.memory_id
        )
        assert (await memory.lifecycle.status(stored.memory_id)).decay_score == 0.0
        await memory.maintenance.run(groups=[stored.group_id], full=True)
    if how in ("setting", "permanent"):
        rules: dict[str, Any] = {"protected_tags": ("core",), "permanent_importance": 9.5}
        later = other(memory, half_life_base_days=5.0, **rules)
    clock.advance(days={"late run": 20, "date": 0.1}.get(how, 0))
    await fades_from(later, stored.memory_id, since)
    clock.advance(days=31)
    report = await later.maintenance.run(groups=[stored.group_id])
    assert report.transitioned == {"ACTIVE>DORMANT": 1}


async def test_release_leaves_the_other_reasons_to_keep_a_memory(memory: GraphMemory) -> None:
    plain = await memory.add("a plain note")
    tagged = await memory.add("a pinned note", tags=["Pinned"])
    for stored in (plain, tagged):
        await memory.lifecycle.preserve(stored.memory_id)
        assert "preserved" in (await memory.get(stored.memory_id)).tags
    assert (await memory.lifecycle.preserve(plain.memory_id, release=True)).protection is None
    assert (await memory.lifecycle.preserve(tagged.memory_id, release=True)).protection == "tag"
    assert (await memory.get(tagged.memory_id)).tags == ["Pinned"]


async def test_what_cannot_be_preserved_is_refused(memory: GraphMemory) -> None:
    stored = await memory.add("a note")
    with pytest.raises(InvalidArgumentError, match="in the future"):
        await memory.lifecycle.preserve(stored.memory_id, until=TODAY - timedelta(days=1))
    with pytest.raises(InvalidArgumentError, match="absent with release"):
        await memory.lifecycle.preserve(stored.memory_id, until="2030-01-01", release=True)
    with pytest.raises(NotFoundError):
        await memory.lifecycle.preserve("nothing")
    await memory.delete(stored.memory_id)
    with pytest.raises(NotFoundError):
        await memory.lifecycle.preserve(stored.memory_id)


async def test_a_deletion_is_taken_back_with_its_relations(
    memory: GraphMemory, clock: Clock
) -> None:
    a, b = await memory.add("the gate code is 4711"), await memory.add("the gate is at the back")
    await memory.relations.add(a.memory_id, b.memory_id, "part_of", strength=0.9)
    before = await memory.relations.list(a.memory_id)
    await memory.delete(a.memory_id)
    assert await memory.relations.list(b.memory_id) == []
    clock.advance(days=90)
    recovered = await memory.lifecycle.recover(a.memory_id)
    assert (recovered.lifecycle_state, recovered.access_count) == ("ACTIVE", 1)
    assert recovered.last_accessed_at == clock.now
    assert await memory.relations.list(a.memory_id) == before
    with pytest.raises(DuplicateError):
        await memory.add("the gate code is 4711")
    told = (await memory.lifecycle.status(a.memory_id)).history
    assert [(t.from_, t.to, t.reason) for t in told] == [
        ("ACTIVE", "SOFT_DELETED", "delete"),
        ("SOFT_DELETED", "ACTIVE", "recover"),
    ]


async def test_what_cannot_be_recovered_is_told_why(memory: GraphMemory, clock: Clock) -> None:
    kept, lost, twin = [await memory.add(text) for text in ("kept", "lost", "twin")]
    with pytest.raises(NotSoftDeletedError):
        await memory.lifecycle.recover(kept.memory_id)
    with pytest.raises(NotFoundError):
        await memory.lifecycle.recover("nothing")
    await memory.delete(twin.memory_id)
    again = await memory.add("twin")
    with pytest.raises(DuplicateError) as duplicate:
        await memory.lifecycle.recover(twin.memory_id)
    assert duplicate.value.existing_id == again.memory_id
    await memory.delete(lost.memory_id)
    clock.advance(days=90, milliseconds=1)
    with pytest.raises(OutsideRecoveryWindowError, match="until 2026-08-30"):
        await memory.lifecycle.recover(lost.memory_id)


@pytest.mark.parametrize(("state", "years"), [("ARCHIVED", 2), ("EXPIRED", 3)])
async def test_what_is_said_again_is_woken_as_the_duplicate_tells(
    memory: GraphMemory, clock: Clock, state: str, years: int
) -> None:
    stored = await memory.add("the boiler is serviced in May")
    for _ in range(years):  # a memory sinks by one state in a run
        clock.advance(days=365)
        await memory.maintenance.run(groups=[stored.group_id])
    with pytest.raises(DuplicateError, match=f"It is {state}, so searches leave it out"):
        await memory.add("the boiler is serviced in May")
    assert await memory.search("When is the boiler serviced?") == []
    await memory.update(stored.memory_id, content="the boiler is serviced in May")
    (found,) = await memory.search("When is the boiler serviced?")
    assert found.memory.memory_id == stored.memory_id


async def test_an_access_says_that_it_does_not_wake_what_has_expired_and_what_does(
    memory: GraphMemory, clock: Clock
) -> None:
    """Each of the remedies that the hint names is tried."""
    stored = [await memory.add(f"number {i}", importance=2) for i in range(4)]
    touched = await memory.touch(stored[3].memory_id)
    assert (touched.state, touched.hint) == ("ACTIVE", None)
    for days in (40, 60, 100):
        clock.advance(days=days)
        await memory.maintenance.run(groups=[memory.group(None)])
    for each in stored:
        touched = await memory.touch(each.memory_id)
        assert touched.state == "EXPIRED"
        assert touched.hint
        assert "Preserve or update it" in touched.hint
    preserved, updated, recovered, obsolete = (each.memory_id for each in stored)
    await memory.lifecycle.preserve(preserved)
    await memory.update(updated, content="a new text")
    await memory.lifecycle.mark_obsolete(obsolete, "a test")
    await memory.maintenance.run(groups=[memory.group(None)])
    clock.advance(hours=1)
    await memory.maintenance.run(groups=[memory.group(None)])
    assert (await memory.lifecycle.status(recovered)).state == "SOFT_DELETED"
    await memory.lifecycle.recover(recovered)
    states = [(await memory.lifecycle.status(each.memory_id)).state for each in stored]
    assert states == ["ACTIVE", "ACTIVE", "ACTIVE", "EXPIRED"]


async def test_a_memory_tells_what_superseded_it(memory: GraphMemory, clock: Clock) -> None:
    bern, rome = await memory.add("Ada lives in Bern"), await memory.add("Ada lives in Rome")
    clock.advance(days=1)
    await memory.lifecycle.mark_obsolete(bern.memory_id, "she moved", superseded_by=rome.memory_id)
    told = await memory.lifecycle.status(bern.memory_id)
    assert (told.superseded_by, told.is_obsolete) == (rome.memory_id, True)
    assert f"superseded by {rome.memory_id}" in describe_status(told)
    assert (await memory.get(bern.memory_id)).superseded_by == rome.memory_id
    assert (await memory.get(rome.memory_id)).superseded_by is None
    await memory.delete(rome.memory_id)
    told = await memory.lifecycle.status(bern.memory_id)
    assert (told.superseded_by, told.is_obsolete) == (None, True)
    await memory.lifecycle.preserve(bern.memory_id)
    told = await memory.lifecycle.status(bern.memory_id)
    assert (told.superseded_by, told.is_obsolete) == (None, False)


async def test_what_ended_is_said_again_in_other_words_as_the_duplicate_tells(
    memory: GraphMemory, clock: Clock
) -> None:
    bern, rome = await memory.add("Ada lives in Bern"), await memory.add("Ada lives in Rome")
    clock.advance(days=1)
    ended = await memory.lifecycle.mark_obsolete(
        bern.memory_id, "she moved", superseded_by=rome.memory_id
    )
    assert ended.invalid_at is not None
    with pytest.raises(DuplicateError, match=f"true until {ended.invalid_at:%Y-%m-%dT%H:%M}"):
        await memory.add("Ada lives in Bern")
    back = await memory.add("Ada lives in Bern again, since July 2026")
    found = [hit.memory.memory_id for hit in await memory.search("Where does Ada live?")]
    assert set(found) == {back.memory_id, rome.memory_id}


async def test_fifty_clients_on_the_same_ten_memories_lose_no_access(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    outcomes = await memory.add_many([{"content": f"hot spot {i}"} for i in range(10)])
    ids = [outcome.memory_id or "" for outcome in outcomes]

    async def client(number: int) -> None:
        order = ids[number % 10 :] + ids[: number % 10]
        for memory_id in order[:3]:
            await memory.touch(memory_id)
        await memory.context.accesses.flush()
        memory.context.accesses.delivered(memory.context.scope(None, TODAY), order)

    await asyncio.gather(*map(client, range(50)))
    await memory.context.accesses.flush()
    records, _, _ = await driver.execute_query(
        "MATCH (m:Memory {group_id: $group}) RETURN collect(m.access_count) AS counts",
        group=memory.settings.group_id,
    )
    assert records[0]["counts"] == [50 + 15] * 10


async def test_a_scan_only_tells_unless_it_is_to_change(
    memory: GraphMemory, driver: AsyncDriver, clock: Clock
) -> None:
    trusted = await memory.add("the shop opens at nine", confidence=0.8)
    doubted = await memory.add("the shop closes at six", confidence=0.3)
    unsaid = await memory.add("the shop is red")
    clock.advance(days=181)
    told = await memory.lifecycle.scan_confidence()
    assert (told.dry_run, told.scanned, told.applied) == (True, 3, 0)
    assert told.by_kind == {"decay": 1, "obsolete": 1, "skip": 1}
    unchanged = await memory.get(trusted.memory_id, counted=False)
    assert unchanged == replace(trusted, decay_score=unchanged.decay_score)
    done = await memory.lifecycle.scan_confidence(dry_run=False)
    assert (done.applied, done.failed) == (2, [])
    lowered = await memory.get(trusted.memory_id, counted=False)
    assert lowered.confidence == pytest.approx(0.7)
    assert lowered.updated_at == trusted.updated_at
    expired = await memory.lifecycle.status(doubted.memory_id)
    assert (expired.state, expired.obsolete_at) == ("EXPIRED", clock.now)
    assert (await memory.lifecycle.status(unsaid.memory_id)).state == "ACTIVE"
    # A literal second scan steps again; one that leaves an interval does not.
    assert (await memory.lifecycle.scan_confidence(dry_run=False)).applied == 1


async def test_a_status_explains_itself(memory: GraphMemory, clock: Clock) -> None:
    stored = await memory.add("the harvest was late")
    clock.advance(days=45)
    told = await memory.lifecycle.status(stored.memory_id)
    assert told.terms["idle_days"] == 45
    assert told.next_state == "DORMANT"
    assert told.next_at == clock.now
    assert "policy half_life" in describe_status(told)
    assert "45 days since updated_at" in describe_status(told)
    assert len(memory.lifecycle.rules_hash()) == 12


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"half_life_base_days": -1}, "GRAPH_MEMORY_HALF_LIFE_BASE_DAYS"),
        ({"half_life_base_days": float("nan")}, "GRAPH_MEMORY_HALF_LIFE_BASE_DAYS"),
        ({"dormant_days": 100}, "GRAPH_MEMORY_DORMANT_DAYS=100"),
        ({"adaptive_active_threshold": 0.05}, "GRAPH_MEMORY_ADAPTIVE_ARCHIVAL_THRESHOLD=0.1"),
        ({"confidence_floor": 1.5}, "GRAPH_MEMORY_CONFIDENCE_FLOOR"),
        ({"typed_half_life_days": {"task": 0}}, "GRAPH_MEMORY_TYPED_HALF_LIFE_DAYS"),
    ],
)
def test_settings_without_sense_are_refused_by_name(given: dict[str, float], said: str) -> None:
    with pytest.raises(SettingsError, match=said):
        read_settings(**given)


async def test_a_policy_that_is_unknown_or_makes_no_sense_is_refused(
    memory: GraphMemory, settings: Settings, tmp_path: Path
) -> None:
    with pytest.raises(InvalidArgumentError, match="adaptive, half_life, none, typed_importance"):
        await memory.add("a note", decay_policy="quick")
    with pytest.raises(SettingsError, match="quick"):
        async with GraphMemory.open(settings.model_copy(update={"decay_policy": "quick"})):
            pass
    own = settings.model_copy(update={"policy_dir": tmp_path})
    for text, error, said in (
        (
            "{amplitude: 1.0, offset: -1.0, rate: 1.0, places: 3, states: 'stepwise', "
            "expires: true}",
            SettingsError,
            "offset -1, below 0",
        ),
        ("{amplitude: 'much'}", SettingsError, "amplitude 'much', not a number"),
        ("{amplitude: }", StatementError, "Invalid input"),
        ("{amplitude: $mine}", StatementError, r"\$mine is used but not declared"),
    ):
        (tmp_path / "mine.cypher").write_text(f"// Fade.\n// access fragment\n{text}\n")
        forget_files()
        with pytest.raises(error, match=said):
            async with GraphMemory.open(own):
                pass


async def test_a_history_without_numbers_is_told(memory: GraphMemory, driver: AsyncDriver) -> None:
    stored = await memory.add("from elsewhere")
    await driver.execute_query(
        'MATCH (m:Memory {uuid: $id}) SET m.state_history = [\'{"at": "2026-01-01T00:00:00.000Z", '
        '"to": "DORMANT", "reason": "decay"}\']',
        id=stored.memory_id,
    )
    told = [event.detail for event in await memory.lifecycle.history(stored.memory_id)]
    assert "to DORMANT: decay" in told


@pytest.mark.parametrize("rate", [1e-15, 5e-324])
async def test_what_fades_all_but_never_can_be_stored(memory: GraphMemory, rate: float) -> None:
    stored = await memory.add(f"slow {rate}", decay_policy="adaptive", decay_rate=rate)
    status = await memory.lifecycle.status(stored.memory_id)
    assert (status.next_state, status.next_at) == (None, None)
    assert (await memory.lifecycle.forecast(days=700)).transitions == {}


async def test_why_a_memory_was_obsolete_is_told_when_it_is_no_more(
    memory: GraphMemory, clock: Clock
) -> None:
    stored = await memory.add("old")
    clock.advance(days=1)
    await memory.lifecycle.mark_obsolete(stored.memory_id, 'it was wrong, says "Ada"')
    clock.advance(days=1)
    await memory.lifecycle.preserve(stored.memory_id)
    told = [event.detail or "" for event in await memory.lifecycle.history(stored.memory_id)]
    assert any('ACTIVE to EXPIRED: obsolete, it was wrong, says "Ada" (' in each for each in told)
