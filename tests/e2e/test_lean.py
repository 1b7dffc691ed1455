"""The lean answers of the tools: their size, their fields, and the budget they keep."""

import json
import secrets
import string
from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
import pytest_asyncio
from mcp.types import CallToolResult

from graph_memory import GraphMemory
from graph_memory.search.compact import LEAD
from graph_memory.transfer import demo
from graph_memory.transfer.import_export import import_lines
from tests.conftest import Clock
from tests.support.mcp_client import call, inside, text

#: Characters of JSON per token of a large language model.
PER_TOKEN = 3.4

QUESTIONS = (
    *demo.QUESTIONS,
    "Tidepool",
    "What happened on Emil's oldest phone?",
    "lattice quantum chromodynamics gluon",
)

#: A text of over 200 tokens, which has passages.
LONG = " ".join(
    f"Chapter {n} is about the harbour crane number {n}, built by Ada." for n in range(60)
).replace("crane number 41", "lighthouse of Alexandria")


@pytest_asyncio.fixture
async def prefix(memory: GraphMemory, group: str) -> str:
    """Store the story of the demo; return the beginning of its ids, as long as in the demo."""
    own = "".join(secrets.choice(string.ascii_letters) for _ in range(4)) + "-"
    lines = [line.replace("demo-", own) for line in demo._lines(memory.clock())]
    await import_lines(memory, lines, group)
    return own


def fields(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, text(result)
    assert result.structured_content is not None
    return result.structured_content


def tokens(answer: object) -> float:
    return len(json.dumps(answer, ensure_ascii=False, separators=(",", ":"))) / PER_TOKEN


def empty(value: Any, where: str = "") -> Iterator[str]:
    """Yield the places of nulls, empty texts, lists and objects."""
    if value in (None, "", [], {}):
        yield where
    if isinstance(value, dict | list):
        for name, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from empty(each, f"{where}.{name}")


@pytest.mark.usefixtures("prefix")
async def test_ten_results_cost_at_most_750_tokens(memory: GraphMemory):
    async with inside(memory) as client:
        for question in QUESTIONS:
            result = await client.call_tool("search_memory", {"query": question})
            answer = fields(result)
            assert len(answer["results"]) == 10
            assert tokens(answer) <= 750, question
            assert len(text(result)) / PER_TOKEN <= tokens(answer)
            assert list(empty(answer)) == []
            for hit in answer["results"]:
                scores = {"score", "relevance", "similarity"}
                assert {"memory_id", "content", "date", *scores} <= hit.keys()
                assert all(len(str(hit[name])) <= 5 for name in scores)


@pytest.mark.usefixtures("prefix")
async def test_a_budget_bounds_the_whole_answer(memory: GraphMemory):
    async with inside(memory) as client:
        for question, (budget, most) in product(QUESTIONS, ((500, 560), (None, 2200))):
            asked = {"query": question, "max_tokens": budget}
            result = await client.call_tool("retrieve_memories", asked)
            answer = fields(result)
            assert tokens(answer) <= most
            assert tokens(answer) <= answer["tokens_used"] <= (budget or 2000)
            assert len(text(result)) / PER_TOKEN <= answer["tokens_used"]
            assert [place for place in empty(answer) if place != ".memories"] == []
            assert answer["memories"] or answer["known"] == "no"


async def test_no_answer_of_a_conversation_exceeds_its_budget(
    memory: GraphMemory, clock: Clock, prefix: str
):
    """Memories that are loaded, refreshed, changed, long, and tagged in other scripts."""
    long = await memory.add(LONG, tags=["港", "起重机"])
    status = set[str]()
    async with inside(memory) as client:
        for turn, budget in product(range(5), (1, 60, 200, 500, 1500, 5000)):
            asked = {"query": f"{QUESTIONS[turn % 3]} harbour crane", "session_id": f"s{budget}"}
            more = {"max_tokens": budget, "conversation_tokens": 4000 * turn}
            result = await client.call_tool("retrieve_memories", asked | more)
            answer = fields(result)
            if budget < 100:  # too small for a memory
                assert answer["memories"] == []
            else:
                assert tokens(answer) <= answer["tokens_used"] <= budget
                assert len(text(result)) / PER_TOKEN <= answer["tokens_used"]
            status |= {each.get("status", "new") for each in answer["memories"]}
            if budget == 5000:
                clock.advance(days=1)
                await memory.update(f"{prefix}tea", content=f"Nora drinks tea {turn}.")
                await memory.update(long.memory_id, content=f"{LONG} Edition {turn}.")
    assert status == {"new", "refreshed", "changed"}


async def test_full_detail_has_every_field(memory: GraphMemory, prefix: str):
    async with inside(memory) as client:
        question = {"query": demo.QUESTIONS[0], "detail": "full"}
        (best, *_) = (await call(client, "search_memory", **question))["results"]
        assert {
            "components",
            "importance",
            "lifecycle_state",
            "decay_score",
            "metadata",
        } <= best.keys()
        page = await call(client, "list_memories", detail="full")
        assert page["results"][0].keys() >= {"importance", "created_at", "stability"}
        retrieved = await call(client, "retrieve_memories", **question)
        assert retrieved.keys() >= {
            "anchors",
            "refreshed",
            "changed",
            "skipped_loaded",
            "total_tokens",
        }
        assert retrieved["memories"][0].keys() >= {"components", "tokens", "distance", "status"}
        walked = await call(
            client, "memory_traverse", start_memory_id=f"{prefix}tea", detail="full"
        )
        assert walked["nodes"][0].keys() >= {"path", "decay_score"}
        assert walked["edges"]


async def test_a_lean_memory_has_what_differs_from_the_defaults(memory: GraphMemory, clock: Clock):
    plain = await memory.add("Ada prefers green tea")
    rich = await memory.add(
        "Ada moved to Oslo",
        memory_type="fact",
        tags=["ada"],
        metadata={"page": 3},
        valid_at=clock.now - timedelta(days=40),
    )
    await memory.lifecycle.mark_obsolete(rich.memory_id, "moved again")
    async with inside(memory) as client:
        page = await call(client, "list_memories", states=["ACTIVE", "EXPIRED"], sort="created_at")
        page["results"].sort(key=lambda each: each["content"])
        assert page == {
            "results": [
                {
                    "memory_id": rich.memory_id[:8],
                    "content": "Ada moved to Oslo",
                    "type": "fact",
                    "tags": ["ada"],
                    "date": "2026-06-01",
                    "valid_at": "2026-04-22",
                    "state": "EXPIRED",
                    "metadata": {"page": 3},
                },
                {
                    "memory_id": plain.memory_id[:8],
                    "content": "Ada prefers green tea",
                    "date": "2026-06-01",
                },
            ]
        }
        (hit,) = (await call(client, "search_memory", query="Ada's tea"))["results"]
        assert hit.keys() == {
            *("memory_id", "content", "date", "score", "relevance", "similarity"),
        }


async def test_of_a_long_memory_a_part_is_sent_with_advice(memory: GraphMemory):
    stored = await memory.add(LONG)
    async with inside(memory) as client:
        found = await client.call_tool(
            "search_memory", {"query": "Who built the lighthouse of Alexandria?"}
        )
        answer = fields(found)
        (hit,) = answer["results"]
        start, end = hit["passage"]
        assert hit["content"] == LONG[start:end] != LONG
        assert "Alexandria" in hit["content"]
        assert answer["hint"] in text(found)
        assert "get_memory returns the whole" in answer["hint"]
        listed = await call(client, "list_memories")
        assert listed["results"][0]["content"] == LONG[:LEAD]
        assert listed["results"][0]["passage"] == [0, LEAD]
        assert "get_memory" in listed["hint"]
        whole = await call(client, "get_memory", memory_id=stored.memory_id)
        assert whole["content"] == LONG


async def test_a_walk_names_the_relation_to_each_memory(memory: GraphMemory, prefix: str):
    async with inside(memory) as client:
        walk = {"start_memory_id": f"{prefix}postgres", "direction": "both", "max_depth": 2}
        result = await client.call_tool("memory_traverse", walk)
        answer = fields(result)
        assert list(empty(answer)) == []
        nodes = {node["memory_id"]: node for node in answer["nodes"]}
        locked, backup = nodes[f"{prefix}locked"], nodes[f"{prefix}backup"]
        assert (locked["relation"], locked["depth"]) == ("caused_by", 1)
        assert (backup["relation"], backup["inverse"]) == ("depends_on", True)
        assert {"inverse", "from_id"}.isdisjoint(locked)
        assert nodes[f"{prefix}nora"]["from_id"] in nodes
        assert answer["truncated"] is True
        assert "More memories exist" in text(result)


@pytest.mark.usefixtures("prefix")
async def test_nothing_found_comes_with_advice_in_both_blocks(memory: GraphMemory):
    async with inside(memory) as client:
        result = await client.call_tool("search_memory", {"query": "tea", "tags": ["absent"]})
        answer = fields(result)
        assert answer["results"] == []
        assert answer["known"] == "no"
        assert answer["hint"].startswith("Try other words")
        assert answer["hint"] in text(result)
        small = fields(
            await client.call_tool(
                "retrieve_memories", {"query": demo.QUESTIONS[0], "max_tokens": 9}
            )
        )
        assert (small["memories"], small["hint"]) == ([], "No memory fits into max_tokens.")


async def test_a_clamped_importance_is_reported(memory: GraphMemory):
    async with inside(memory) as client:
        stored = await client.call_tool("add_memory", {"content": "x", "importance": 99})
        said = "importance=99 is outside 1 to 10; 10 was used."
        assert fields(stored)["hint"] == said
        assert said in text(stored)
        assert fields(stored)["memory"]["importance"] == 10
        many = await call(client, "add_memories", memories=[{"content": "y", "importance": 0}])
        assert many["hint"].startswith("memories.0.importance=0 is outside")
        fine = await call(client, "add_memory", content="z", importance=10)
        assert "hint" not in fine


async def test_a_bare_date_is_the_end_of_that_day(memory: GraphMemory, clock: Clock):
    stored = await memory.add("Ada prefers green tea")
    today, before = str(clock.now.date()), str(clock.now.date() - timedelta(days=1))
    async with inside(memory) as client:
        for name in ("as_of", "known_at", "date_to"):
            for day, found in ((today, [stored.memory_id[:8]]), (before, [])):
                answer = await call(client, "search_memory", query="tea", **{name: day})
                assert [hit["memory_id"] for hit in answer["results"]] == found, (name, day)
        since = await call(client, "search_memory", query="tea", date_from=today)
        assert len(since["results"]) == 1
    for day in (today, clock.now.date()):
        assert len((await memory.list(as_of=day)).memories) == 1  # type: ignore[arg-type]


@pytest.mark.usefixtures("prefix")
async def test_strict_models_may_send_every_argument_empty(memory: GraphMemory):
    async with inside(memory) as client:
        empties = {
            "tags": "nora",
            "memory_types": [],
            "date_from": "",
            "group_id": "",
            "weights": [],
        }
        answer = await call(client, "search_memory", query="tea", profile="", limit="", **empties)
        assert answer["results"]
        assert all("nora" in hit["tags"] for hit in answer["results"])
        page = await call(client, "list_memories", memory_type="", states=[], cursor="", sort="")
        assert len(page["results"]) == 20
