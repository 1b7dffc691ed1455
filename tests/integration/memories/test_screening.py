"""Secrets in new contents are masked or refused, on every way in, and their kinds are told."""

import json
from pathlib import Path

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.errors import InvalidArgumentError
from graph_memory.transfer.import_export import import_lines
from tests.integration.maintenance.test_run import other
from tests.support.mcp_client import call, inside, refused

KEY = "AKIAIOSFODNN7EXAMPLE"
CARD = "4111 1111 1111 1111"
GIVEN = f"Deploy with {KEY}; pay with {CARD}."
MASKED = "Deploy with [AWS access key]; pay with [card number]."
KINDS = ["AWS access key", "card number"]


async def everything(driver: AsyncDriver, group: str) -> str:
    """Return all properties of the nodes of a group as one text."""
    records, _, _ = await driver.execute_query(
        "MATCH (n) WHERE n.group_id = $group RETURN n {.*, embedding: null} AS node", group=group
    )
    return json.dumps([record["node"] for record in records], default=str)


async def test_a_secret_is_masked_and_its_kind_is_told(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    added = await memory.add(GIVEN, title=f"the key {KEY}")
    assert (added.content, list(added.masked)) == (MASKED, KINDS)
    changed, _ = await memory.update(added.memory_id, content=f"Use {KEY} no longer.")
    assert changed.content == "Use [AWS access key] no longer."
    same, rewritten = await memory.update(added.memory_id, content=f"Use {KEY} no longer.")
    assert (same.content, rewritten) == (changed.content, False)
    (repeated,) = await memory.add_many([{"content": f"Use {KEY} no longer."}])
    assert repeated.error is not None
    stored = await everything(driver, group)
    assert KEY not in stored
    assert CARD not in stored
    found = await memory.search("Which key is used no longer?", limit=1)
    assert found[0].memory.memory_id == added.memory_id


async def test_a_client_is_told_what_was_masked(memory: GraphMemory) -> None:
    async with inside(memory) as client:
        added = await call(client, "add_memory", content=GIVEN)
        assert (added["memory"]["content"], added["masked"]) == (MASKED, KINDS)
        plain = await call(client, "add_memory", content="Ada drinks tea.")
        assert "masked" not in plain
        batch = await call(
            client, "add_memories", memories=[{"content": f"a {KEY}"}, {"content": "b"}]
        )
        assert [each.get("masked") for each in batch["results"]] == [KINDS[:1], None]
        changed = await call(
            client, "update_memory", memory_id=plain["memory_id"], content=f"Ada has {CARD}"
        )
        assert (changed["memory"]["content"], changed["masked"]) == (
            "Ada has [card number]",
            KINDS[1:],
        )
        assert "masked" not in await call(
            client, "update_memory", memory_id=plain["memory_id"], content="Ada has a card"
        )


async def test_a_secret_is_refused_without_being_named(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    strict = other(memory, secrets="refuse")
    with pytest.raises(InvalidArgumentError, match="AWS access key, card number") as error:
        await strict.add(GIVEN)
    assert KEY not in str(error.value)
    kept = await strict.add("a plain text")
    with pytest.raises(InvalidArgumentError, match="looks like a secret"):
        await strict.update(kept.memory_id, content=GIVEN)
    async with inside(memory, secrets="refuse") as client:
        said, _ = await refused(client, "add_memory", content=GIVEN)
    assert "AWS access key" in said
    assert KEY not in said + await everything(driver, group)


async def test_a_secret_is_stored_where_the_setting_says_so(memory: GraphMemory) -> None:
    added = await other(memory, secrets="store").add(GIVEN)
    assert (added.content, added.masked) == (GIVEN, ())


async def test_an_import_masks_contents_and_earlier_texts_once(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    line = {
        "memory_id": f"{group}-one",
        "content": GIVEN,
        "versions": [
            {
                "content": f"Earlier {KEY}.",
                "created_at": "2026-01-01T00:00:00Z",
                "expired_at": "2026-02-01T00:00:00Z",
            }
        ],
    }
    report = await import_lines(memory, [json.dumps(line)])
    assert (report.stored, report.masked, report.errors) == (1, 1, [])
    assert KEY not in await everything(driver, group)
    again = await import_lines(memory, [json.dumps(line)])
    assert (again.stored, again.skipped) == (0, 1)


async def test_an_import_finds_what_was_stored_before_secrets_were_masked(
    memory: GraphMemory, tmp_path: Path, group: str
) -> None:
    added = await other(memory, secrets="store").add(GIVEN)
    line = {"memory_id": added.memory_id, "content": GIVEN}
    report = await import_lines(memory, [json.dumps(line)])
    assert (report.stored, report.skipped) == (0, 1)
    strict = await import_lines(other(memory, secrets="refuse"), [json.dumps(line)])
    assert (strict.failed, strict.errors[0].code) == (1, "invalid_argument")
