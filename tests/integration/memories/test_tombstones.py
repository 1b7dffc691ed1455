"""A rejected or erased statement is refused on every way in, until its tombstone is lifted."""

import json
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver
from pydantic import SecretStr

from graph_memory import GraphMemory
from graph_memory.errors import (
    NotFoundError,
    RejectedBeforeError,
    TombstoneNotFoundError,
)
from graph_memory.transfer.import_export import export_lines, import_lines
from tests.conftest import Clock
from tests.integration.maintenance.test_run import other
from tests.support.mcp_client import call, inside, refused

SISTER = "Ada has a favourite sister called Zelda"
NEIGHBOUR = "Ada has a brother called Ben"
VARIANTS = [
    SISTER,
    SISTER.upper(),
    f"  {SISTER}!  ",
    "Аdа hаs а fаvоuritе sistеr cаllеd Zеldа",
    "Ada has a favo\u200burite sister ca\u00adlled Zelda",
    "Ada has a favorite sister called Zelda",
    "Ada really has a favourite sister called Zelda",
    "Ada has a favuorite sister called Zelda",
]
PARAPHRASE = "Zelda is the favourite sister of Ada"


async def memories(driver: AsyncDriver, group: str) -> int:
    """Return the number of memories of a group, deleted ones included."""
    records, _, _ = await driver.execute_query(
        "MATCH (m:Memory {group_id: $group}) RETURN count(m) AS n", group=group
    )
    return records[0]["n"]


async def tombstone_texts(driver: AsyncDriver, group: str) -> str:
    """Return all that the tombstones of a group and their key hold, as one text."""
    records, _, _ = await driver.execute_query(
        "MATCH (t) WHERE t:Tombstone AND t.group_id = $group OR t.key = 'tombstone_key' "
        "RETURN properties(t) AS held",
        group=group,
    )
    return json.dumps([record["held"] for record in records])


async def error_of(memory: GraphMemory, content: str) -> RejectedBeforeError:
    """Return the error that refuses a statement."""
    with pytest.raises(RejectedBeforeError) as refusal:
        await memory.add(content)
    return refusal.value


async def test_a_rejected_statement_is_refused_in_any_spelling_and_a_paraphrase_is_not(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    rejected = await memory.add(SISTER)
    neighbour = await memory.add(NEIGHBOUR)
    gone = await memory.lifecycle.reject(rejected.memory_id, reason="a misunderstanding")
    assert gone.memory_id == rejected.memory_id
    before = await memories(driver, group)
    outcomes = await memory.add_many([{"content": text} for text in VARIANTS])
    assert [type(each.error) for each in outcomes] == [RejectedBeforeError] * len(VARIANTS)
    for text in VARIANTS:
        with pytest.raises(RejectedBeforeError):
            await memory.update(neighbour.memory_id, content=text)
    assert await memories(driver, group) == before  # refused, not absorbed or hidden
    paraphrase = await memory.add(PARAPHRASE)
    found = [each.memory.memory_id for each in await memory.search("Who is Ada's sister?")]
    assert {paraphrase.memory_id, neighbour.memory_id} <= set(found)
    assert rejected.memory_id not in found


async def test_the_error_says_when_by_which_way_and_why_and_never_the_text(
    memory: GraphMemory,
) -> None:
    stored = await memory.add(SISTER)
    await memory.lifecycle.reject(stored.memory_id, reason="a misunderstanding")
    (tombstone,) = await memory.tombstones.list()
    error = await error_of(memory, SISTER)
    assert str(error) == (
        "This statement was rejected at 2026-06-01T12:00:00.000Z by Python, because of "
        "'a misunderstanding'. Nothing was stored. "
        f"`tombstones.lift` {tombstone.tombstone_id} allows it again."
    )
    assert (tombstone.reason, tombstone.note, tombstone.memory_id) == (
        "rejected",
        "a misunderstanding",
        stored.memory_id,
    )


async def test_a_tombstone_holds_no_text(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    stored = await memory.add(SISTER)
    await memory.delete(stored.memory_id, permanent=True)
    held = (await tombstone_texts(driver, group)).lower()
    assert '"erased"' in held
    assert not [word for word in SISTER.lower().split() if len(word) > 3 and word in held]
    assert stored.memory_id not in held


async def test_an_erased_statement_is_refused_until_it_is_lifted(
    memory: GraphMemory, group: str
) -> None:
    stored = await memory.add(SISTER)
    await memory.delete(stored.memory_id, permanent=True)
    error = await error_of(memory, SISTER.lower())
    assert "This statement was erased at" in str(error)
    lifted = await memory.tombstones.lift(error.tombstone_id)
    assert (lifted.reason, lifted.group_id, lifted.memory_id) == ("erased", group, None)
    assert await memory.tombstones.list() == []
    with pytest.raises(TombstoneNotFoundError, match="No tombstone"):
        await memory.tombstones.lift(error.tombstone_id)
    assert (await memory.add(SISTER)).content == SISTER


async def test_a_soft_deletion_leaves_no_tombstone(memory: GraphMemory) -> None:
    stored = await memory.add(SISTER)
    await memory.delete(stored.memory_id)
    assert await memory.tombstones.list() == []
    await memory.add(SISTER)


async def test_what_is_not_there_cannot_be_rejected(memory: GraphMemory) -> None:
    with pytest.raises(NotFoundError):
        await memory.lifecycle.reject("absent")
    stored = await memory.add(SISTER)
    await memory.delete(stored.memory_id)
    with pytest.raises(NotFoundError, match="was deleted at"):
        await memory.lifecycle.reject(stored.memory_id)
    with pytest.raises(NotFoundError):
        await memory.delete("absent", permanent=True)
    assert await memory.tombstones.list() == []


async def test_a_recovery_lifts_the_rejection_of_its_own_memory_only(memory: GraphMemory) -> None:
    first = await memory.add(SISTER)
    await memory.delete(first.memory_id)
    second = await memory.add(SISTER)
    await memory.lifecycle.reject(second.memory_id)
    (tombstone,) = await memory.tombstones.list()
    with pytest.raises(RejectedBeforeError):
        await memory.lifecycle.recover(first.memory_id)
    recovered = await memory.lifecycle.recover(second.memory_id)
    assert recovered.lifted == (tombstone.tombstone_id,)
    assert await memory.tombstones.list() == []
    assert (await memory.get(second.memory_id)).content == SISTER


async def test_an_erasure_counts_more_than_an_earlier_rejection(memory: GraphMemory) -> None:
    stored = await memory.add(SISTER)
    await memory.lifecycle.reject(stored.memory_id, reason="wrong")
    await memory.delete(stored.memory_id, permanent=True)
    (tombstone,) = await memory.tombstones.list()
    assert (tombstone.reason, tombstone.memory_id) == ("erased", None)


async def test_groups_do_not_meet(memory: GraphMemory, group: str) -> None:
    theirs = f"{group}_other"
    stored = await memory.add(SISTER)
    await memory.lifecycle.reject(stored.memory_id)
    assert (await memory.add(SISTER, group_id=theirs)).group_id == theirs
    (tombstone,) = await memory.tombstones.list()
    assert await memory.tombstones.list(group_id=theirs) == []
    with pytest.raises(TombstoneNotFoundError):
        await memory.tombstones.lift(tombstone.tombstone_id, group_id=theirs)
    await memory.delete_all(confirm="DELETE ALL", permanent=True)
    assert await memory.tombstones.list() == []
    await memory.add(SISTER)


async def test_a_value_cannot_be_walked_back_by_ordinary_operations(
    memory: GraphMemory,
) -> None:
    claim = await memory.add("Ada prefers the mountains in summer")
    neighbour = await memory.add("Ada prefers the coast in winter")
    await memory.lifecycle.reject(claim.memory_id)
    instead = await memory.add("Ada prefers the islands in summer")
    for _ in range(2):  # restated and corroborated
        await error_of(memory, "Ada prefers the mountains in summer")
        with pytest.raises(RejectedBeforeError):
            await memory.update(instead.memory_id, content="Ada prefers the mountains in summer.")
        (turn,) = await memory.conversations.capture(
            "talk", [{"content": "ada prefers the mountains in summer", "role": "user"}]
        )
        assert (turn.status, turn.memory_id) == ("refused", None)
    assert len(await memory.tombstones.list()) == 1
    found = {each.memory.content for each in await memory.search("What does Ada prefer?")}
    assert found == {instead.content, neighbour.content}


async def test_a_tombstone_outlives_retention_and_every_stage(
    memory: GraphMemory, clock: Clock, group: str
) -> None:
    stored = await memory.add(SISTER)
    kept = await memory.add(NEIGHBOUR, tags=["permanent"])
    await memory.lifecycle.reject(stored.memory_id)
    for _ in range(4):
        clock.advance(days=400)
        await memory.maintenance.run(groups=[group])
    with pytest.raises(NotFoundError):
        await memory.lifecycle.recover(stored.memory_id)
    await error_of(memory, SISTER)
    found = await memory.search("Does Ada have a brother?")
    assert found[0].memory.memory_id == kept.memory_id


async def test_a_retracted_turn_is_not_captured_again_and_the_rest_is(
    memory: GraphMemory, clock: Clock, group: str
) -> None:
    turns: list[Any] = [
        {"content": text, "role": "user"}
        for text in ("I have a sister called Zelda", "I moved to Rome in spring", "I bake bread")
    ]
    captured = await memory.conversations.capture("first", turns)
    await memory.lifecycle.reject(captured[0].memory_id or "", reason="misspoke")
    clock.advance(days=1)
    again = await memory.conversations.capture("second", turns)
    assert [each.status for each in again] == ["refused", "repeated", "repeated"]
    assert "was rejected at" in (again[0].reason or "")
    assert "sister" not in (again[0].reason or "")
    await memory.maintenance.run(groups=[group])
    found = {each.memory.content for each in await memory.search("sister Rome bread")}
    assert found == {"I moved to Rome in spring", "I bake bread"}


async def test_an_import_refuses_the_line_and_stores_the_others(
    memory: GraphMemory, group: str
) -> None:
    stored = await memory.add(SISTER)
    await memory.add(NEIGHBOUR)
    lines = [line async for line in export_lines(memory)]
    assert len(lines) == 2
    await memory.delete(stored.memory_id, permanent=True)
    report = await import_lines(memory, lines)
    assert (report.stored, report.skipped, report.failed) == (0, 1, 1)
    assert report.errors[0].code == "rejected_before"
    assert report.errors[0].line == 1 + [SISTER in line for line in lines].index(True)
    assert "Zelda" not in report.errors[0].message
    elsewhere = await import_lines(memory, lines, f"{group}_elsewhere")
    assert (elsewhere.stored, elsewhere.failed) == (2, 0)


async def test_tools_reject_and_refuse(memory: GraphMemory) -> None:
    async with inside(memory, toolsets=("core", "lifecycle", "learning")) as client:
        added = await call(client, "add_memory", content=SISTER)
        told = await call(
            client, "reject_memory", memory_id=added["memory_id"], reason="misunderstood"
        )
        assert told["memory_id"] == added["memory_id"]
        said, data = await refused(client, "add_memory", content=SISTER.upper())
        assert data["code"] == "rejected_before"
        assert "by reject_memory, because of 'misunderstood'" in said
        assert "`graph-memory tombstones lift`" in said
        assert "zelda" not in said.lower()
        back = await call(client, "recover_soft_deleted", memory_id=added["memory_id"])
        assert len(back["lifted"]) == 1
        await call(client, "delete_memory", memory_id=added["memory_id"], permanent=True)
        said, _ = await refused(client, "add_memory", content=SISTER)
        assert "was erased" in said


async def test_a_key_of_the_settings_is_not_stored(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    keyed = other(memory, tombstone_key=SecretStr("a key for all replicas"))
    stored = await keyed.add(SISTER)
    await keyed.lifecycle.reject(stored.memory_id)
    held = await tombstone_texts(driver, group)
    assert "all replicas" not in held
    replica = other(memory, tombstone_key=SecretStr("a key for all replicas"))
    await error_of(replica, SISTER)
    without = await memory.add(SISTER)  # its hashes are of another key
    assert without.content == SISTER


async def test_a_key_that_is_set_later_keeps_earlier_tombstones(memory: GraphMemory) -> None:
    stored = await memory.add(SISTER)
    await memory.lifecycle.reject(stored.memory_id)
    await error_of(other(memory, tombstone_key=SecretStr("set later")), SISTER)


async def test_an_exported_group_has_no_tombstones(memory: GraphMemory, tmp_path: Path) -> None:
    stored = await memory.add(SISTER)
    await memory.add(NEIGHBOUR)
    await memory.lifecycle.reject(stored.memory_id)
    lines = [line async for line in export_lines(memory)]
    assert len(lines) == 1
    assert "tombstone" not in lines[0]
