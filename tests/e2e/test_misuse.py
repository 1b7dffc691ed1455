"""Requests for what cannot be: each answer is an error that names it, and never a defect."""

import base64
import json
from typing import Any

import pytest
from mcp import Client, MCPError
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from tests.support.mcp_client import call, inside, refused

TOOLSETS = ("core", "graph", "lifecycle", "admin", "graphiti")


async def refused_argument(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool that must say which argument is wrong; return what it says."""
    said, data = await refused(client, tool, **arguments)
    assert data["code"] in ("invalid_argument", "limit_exceeded"), said
    return said


async def test_metadata_too_deep_is_refused_wherever_it_comes_in(memory: GraphMemory):
    deep: Any = {"a": json.loads("[" * 200 + "]" * 200)}
    async with inside(memory) as client:
        first = (await call(client, "add_memory", content="tea", metadata={"a": [1]}))["memory_id"]
        second = (await call(client, "add_memory", content="coffee"))["memory_id"]
        for tool, given in (
            ("add_memory", {"content": "x"}),
            ("update_memory", {"memory_id": first}),
            ("memory_relate", {"from_id": first, "to_id": second, "relation_type": "supports"}),
        ):
            assert "32 levels" in await refused_argument(client, tool, metadata=deep, **given)
        related = [{"target_id": first, "metadata": deep}]
        said = await refused_argument(client, "add_memory", content="x", relationships=related)
        assert "relationships.0.metadata" in said
        many = await call(client, "add_memories", memories=[{"content": "x", "metadata": deep}])
        assert "32 levels" in many["results"][0]["error"]["message"]
        assert len((await call(client, "list_memories"))["results"]) == 2


async def test_what_cannot_be_told_is_a_defect_that_the_log_explains(
    memory: GraphMemory, driver: AsyncDriver, group: str, caplog: pytest.LogCaptureFixture
):
    stored = await memory.add("tea")
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) SET m.metadata_json = $deep",
        id=stored.memory_id,
        deep='{"a": ' + "[" * 300 + "]" * 300 + "}",
    )
    async with inside(memory) as client:
        said, data = await refused(client, "list_memories")
        assert (data["code"], "See its log for the reason" in said) == ("failed", True)
        with pytest.raises(MCPError, match="failed: The call failed inside the server"):
            await client.read_resource(f"memory://{group}/{stored.memory_id}")
    assert "list_memories failed" in caplog.text
    assert "Reading a resource failed" in caplog.text


async def test_a_bare_number_is_no_instant(memory: GraphMemory):
    async with inside(memory, toolsets=TOOLSETS) as client:
        for tool, name, given in (
            ("list_memories", "as_of", {}),
            ("list_memories", "date_to", {}),
            ("search_memory", "known_at", {"query": "tea"}),
            ("memory_forecast", "now", {}),
            ("search_facts", "valid_at_after", {"query": "tea"}),
        ):
            for number in ("2026", "20260601", 0, 1780272000):
                said = await refused_argument(client, tool, **{name: number}, **given)
                assert f"{name}={number!r} is not allowed" in said
                assert "2026-06-01T12:00:00Z" in said
        many = await call(client, "add_memories", memories=[{"content": "x", "created_at": "2026"}])
        assert "created_at='2026'" in many["results"][0]["error"]["message"]


async def test_a_clock_or_a_number_beyond_all_dates_is_an_argument_out_of_its_range(
    memory: GraphMemory,
):
    await memory.add("tea", importance=5)
    async with inside(memory) as client:
        for now in ("9999-12-31", "9998-12-31", "0001-01-01", "0001-01-01T00:00:00+05:00"):
            said = await refused_argument(client, "memory_forecast", now=now, days=400)
            assert f"now='{now}'" in said
            await refused_argument(client, "run_decay_maintenance", dry_run=True, now=now)
        for now in ("1970-01-01", "8999-12-31"):
            await call(client, "memory_forecast", now=now, days=36_500)
            await call(client, "run_decay_maintenance", now=now, dry_run=True)
        for number in (
            "soft_delete_retention_days",
            "obsolete_retention_days",
            "half_life_base_days",
            "expired_days",
        ):
            for days in ("1e300", "36501"):
                said = await refused_argument(client, "memory_forecast", numbers={number: days})
                assert f"numbers={{'{number}': '{days}'}}" in said
                assert "less than or equal to 36500" in said
        said = await refused_argument(
            client, "memory_forecast", numbers={"half_life_base_days": "[" * 100_000}
        )
        assert "should be a valid number" in said


@pytest.mark.parametrize(
    ("policy", "numbers"),
    [
        ("adaptive", {"adaptive_base_decay_rate": "1e-300"}),
        ("typed_importance", {"typed_half_life_days": '{"general": 1e300}'}),
    ],
)
async def test_what_fades_slower_than_numbers_go_does_not_fade(
    memory: GraphMemory, policy: str, numbers: dict[str, str]
):
    await memory.add("tea", importance=5)
    async with inside(memory) as client:
        told = await call(client, "memory_forecast", policy=policy, numbers=numbers, days=36_500)
        assert told["transitions"] == {}


async def test_a_memory_may_hardly_fade_at_all(memory: GraphMemory):
    async with inside(memory) as client:
        slow = {"content": "tea", "decay_policy": "adaptive", "decay_rate": 1e-300}
        stored = await call(client, "add_memory", **slow)
        status = await call(client, "memory_decay_status", memory_id=stored["memory_id"])
        assert status["predicted_at"] is None


async def test_a_forged_cursor_is_refused(memory: GraphMemory):
    for content in ("tea", "coffee"):
        await memory.add(content)

    def forged(**changed: Any) -> str:
        position = {
            "sort": "importance",
            "importance": 5.0,
            "id": "x",
            "created_at": "2026-06-01T12:00:00.000Z",
        }
        return base64.urlsafe_b64encode(json.dumps({**position, **changed}).encode()).decode()

    async with inside(memory) as client:
        ours = (await call(client, "list_memories", limit=1))["next_cursor"]
        assert len((await call(client, "list_memories", cursor=ours))["results"]) == 1
        await call(client, "list_memories", cursor=forged())
        for cursor in (
            *(forged(importance=value) for value in (10**400, 10**25, True, -1, "5", None, [5])),
            forged(importance=float("nan")),
            *(forged(id=value) for value in ("\ud800", "", 5, None)),
            *(
                forged(created_at=value)
                for value in (
                    "2026-06-01x12:00:00Z",
                    "2026-W23-1T12:00:00Z",
                    "2026-13-01T12:00:00.000Z",
                    5,
                    "2026",
                )
            ),
            base64.urlsafe_b64encode(b"[" * 100_000).decode(),
            base64.urlsafe_b64encode(b"[]").decode(),
            "\ud800",
        ):
            said = await refused_argument(client, "list_memories", cursor=cursor)
            assert "pass next_cursor of a page sorted by importance" in said


async def test_what_is_supposed_wrongly_shows_no_other_setting(memory: GraphMemory):
    async with inside(memory, llm_url="http://127.0.0.1:1", dormant_score=0.25) as client:
        for numbers, shown, rule in (
            (
                {"dormant_days": "60", "archived_days": "30"},
                "numbers={'dormant_days': '60', 'archived_days': '30'} is",
                "each of dormant_days, archived_days, expired_days must be at most the next one",
            ),
            ({"ARCHIVED_SCORE": "0.1"}, "numbers={'archived_score': '0.1'} is", "dormant_score"),
            (
                {"dormant_days": "-1"},
                "numbers={'dormant_days': '-1'} is",
                "greater than or equal to 0.001",
            ),
            (
                {"half_life_table_days": "x"},
                "numbers={'half_life_table_days': 'x'} is",
                "valid number",
            ),
            ({"llm_api_key": "x"}, "numbers={'llm_api_key': 'x'} is", "not a decay setting"),
        ):
            said = await refused_argument(client, "memory_forecast", numbers=numbers)
            assert shown in said
            assert rule in said
            assert not any(word in said for word in ("http", "Secret", "0.25", "=180", "Value err"))


async def test_what_is_not_there_is_named(memory: GraphMemory, group: str):
    stored = await memory.add("tea")
    foreign = await memory.add("theirs", group_id=f"{group}_2")
    known = stored.memory_id
    async with inside(memory, toolsets=TOOLSETS) as client:
        for tool, given, missing in (
            ("memory_unrelate", {"from_id": known, "to_id": "nope"}, "'nope'"),
            ("memory_unrelate", {"from_id": foreign.memory_id, "to_id": known}, foreign.memory_id),
            (
                "run_decay_scan",
                {"memory_ids": [known, "nope", foreign.memory_id]},
                f"'nope, {foreign.memory_id}'",
            ),
            ("search_facts", {"query": "tea", "entity_id": "nope"}, "'nope'"),
            ("search_facts", {"query": "tea", "entity_id": foreign.memory_id}, foreign.memory_id),
        ):
            said, data = await refused(client, tool, **given)
            assert data["code"] == "not_found"
            assert missing in said
            assert known not in said
        assert (await call(client, "search_facts", query="tea", entity_id=known))["facts"] == []
        assert (await call(client, "run_decay_scan", memory_ids=[known]))["scanned"] == 1
        other = await memory.add("coffee")
        ended = await call(client, "memory_unrelate", from_id=known, to_id=other.memory_id)
        assert ended["removed"] == 0
    await memory.context.graph.run("memories/update/erase_all", group_id=f"{group}_2")


async def test_errors_name_and_show_what_the_caller_gave(memory: GraphMemory):
    first, second = await memory.add("tea"), await memory.add("coffee")
    ends = {"from_id": first.memory_id, "to_id": second.memory_id}
    async with inside(memory, toolsets=TOOLSETS) as client:
        for tool, given, said_of in (
            ("search_facts", {"query": "x", "relation_names": ["x"] * 51}, "relation_names="),
            ("search_nodes", {"query": "x", "entity_types": ["x"] * 51}, "entity_types="),
            (
                "memory_relate",
                {**ends, "relation_type": "supports", "resolve": "newer"},
                "resolve='newer'",
            ),
            (
                "memory_relate",
                {
                    **ends,
                    "relation_type": "supports",
                    "valid_at": "2026-06-02",
                    "invalid_at": "2026-06-01",
                },
                "invalid_at='2026-06-01T00:00:00+00:00'",
            ),
            (
                "add_memory",
                {"content": "x", "relationships": [{"target_id": "a", "foo": 1}]},
                "relationships.0.foo=1 is not allowed: unknown argument; valid are target_",
            ),
        ):
            assert said_of in await refused_argument(client, tool, **given)
        many = await call(client, "add_memories", memories=[{"contents": "x"}])
        assert (
            "contents='x' is not allowed: unknown argument; valid are content"
            in (many["results"][0]["error"]["message"])
        )


async def test_resources_are_counted_as_tools_are(memory: GraphMemory, group: str):
    stored = await memory.add("tea")
    async with inside(memory, rate_limit_per_minute=2) as client:
        await call(client, "list_memories")
        await client.read_resource(f"memory://{group}/{stored.memory_id}")
        with pytest.raises(MCPError, match="rate_limited: More than 2 calls"):
            await client.read_resource(f"memory://{group}/{stored.memory_id}")
        _, data = await refused(client, "list_memories")
        assert data["code"] == "rate_limited"
