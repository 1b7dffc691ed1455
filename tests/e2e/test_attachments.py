"""Attachments over MCP and on the command line."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult, ResourceLink

from graph_memory import Attachment, GraphMemory
from tests.e2e.test_cli import Run, cli, environment  # noqa: F401 - fixtures
from tests.e2e.test_lean import PER_TOKEN, fields, tokens
from tests.support.mcp_client import call, inside, serving, text

PLAN: Any = {
    "uri": "https://example.com/plan.png",
    "media_type": "image/png",
    "title": "Plan of the house",
}
TAP: Any = {"uri": "file:///house/tap.py", "media_type": "text/x-python"}

QUESTION = "What does the plan of the house show?"


def links(result: CallToolResult) -> list[dict[str, Any]]:
    """Return the links of an answer as JSON; all blocks after the first are links."""
    first, *others = result.content
    assert first.type == "text"
    assert all(isinstance(each, ResourceLink) for each in others)
    return [each.model_dump(by_alias=True, exclude_none=True) for each in others]


async def test_tools_take_addresses_and_objects_and_show_them(memory: GraphMemory) -> None:
    async with inside(memory) as client:
        given = [{**PLAN, "sha256": "AB" * 32, "language": ""}, TAP["uri"]]
        added = await call(client, "add_memory", content="The house", attachments=given)
        whole = [
            PLAN | {"sha256": "ab" * 32, "language": None},
            TAP | {"title": None, "sha256": None, "language": "python"},
        ]
        assert added["memory"]["attachments"] == whole
        items = [
            {"content": "The house at night", "attachments": TAP["uri"]},
            {"content": "The house in winter", "attachments": [PLAN]},
        ]
        assert (await call(client, "add_memories", memories=items))["stored"] == 2

        result = await client.call_tool("get_memory", {"memory_id": added["memory_id"]})
        assert fields(result)["attachments"] == whole
        shown = [
            "[image/png: Plan of the house, https://example.com/plan.png]",
            "[text/x-python python: file:///house/tap.py]",
        ]
        assert text(result).splitlines()[-2:] == shown
        assert links(result) == []

        changes = {"memory_id": added["memory_id"], "attachments": [TAP["uri"]]}
        changed = await call(client, "update_memory", **changes)
        assert changed["memory"]["attachments"] == whole[1:]
        cleared = {"memory_id": added["memory_id"], "clear": ["attachments"]}
        assert (await call(client, "update_memory", **cleared))["memory"]["attachments"] == []


@pytest.mark.parametrize(
    ("tool", "arguments", "place"),
    [
        ("search_memory", {"query": QUESTION}, "results"),
        ("list_memories", {}, "results"),
        ("retrieve_memories", {"query": QUESTION}, "memories"),
    ],
)
async def test_lists_show_what_leads_to_an_attachment(
    memory: GraphMemory, tool: str, arguments: dict[str, Any], place: str
) -> None:
    await memory.add("The plan of the house shows two floors", attachments=[PLAN, TAP["uri"]])
    await memory.add("Nothing is attached to this plan of the house")
    async with inside(memory) as client:
        result = await client.call_tool(tool, arguments)
        found = {each["content"][:3]: each for each in fields(result)[place]}
        assert found["The"]["attachments"] == [PLAN, TAP]
        assert "attachments" not in found["Not"]
        assert "[image/png: Plan of the house, https://example.com/plan.png]" in text(result)
        assert "[text/x-python: file:///house/tap.py]" in text(result)
        full = fields(await client.call_tool(tool, {**arguments, "detail": "full"}))
        assert sorted(len(each["attachments"]) for each in full[place]) == [0, 2]


async def test_of_many_attachments_the_first_are_listed(memory: GraphMemory) -> None:
    many = [f"s3://plans/{number}" for number in range(20)]
    stored = await memory.add("The plans of the house", attachments=many)
    async with inside(memory) as client:
        result = await client.call_tool("list_memories", {})
        (listed,) = fields(result)["results"]
        assert [each["uri"] for each in listed["attachments"]] == many[:5]
        assert listed["more_attachments"] == 15
        assert "[file: s3://plans/4] and 15 more files:" in text(result)
        whole = await call(client, "get_memory", memory_id=stored.memory_id)
        assert [each["uri"] for each in whole["attachments"]] == many


@pytest.mark.parametrize("detail", ["lean", "full"])
async def test_links_are_sent_if_the_operator_asks_for_them(
    memory: GraphMemory, detail: str
) -> None:
    stored = await memory.add("The plan of the house", attachments=[PLAN, TAP["uri"]])
    other = await memory.add("The tap of the house", attachments=[TAP["uri"]])
    await memory.relations.add(stored.memory_id, other.memory_id)
    plan = {
        "type": "resource_link",
        "name": PLAN["title"],
        "uri": PLAN["uri"],
        "mimeType": PLAN["media_type"],
    }
    tap = {
        "type": "resource_link",
        "name": "tap.py",
        "uri": TAP["uri"],
        "mimeType": TAP["media_type"],
    }
    calls = [
        ("search_memory", {"query": QUESTION, "detail": detail}),
        ("retrieve_memories", {"query": QUESTION, "detail": detail}),
        ("list_memories", {"detail": detail}),
        ("memory_traverse", {"start_memory_id": stored.memory_id, "detail": detail}),
        ("get_memory", {"memory_id": stored.memory_id}),
    ]
    async with inside(memory, resource_links=True) as client:
        for tool, arguments in calls:
            result = await client.call_tool(tool, arguments)
            assert sorted(links(result), key=lambda each: each["uri"]) == [tap, plan], tool
        analysis = await client.call_tool("memory_graph_analysis", {})
        assert links(analysis) == []


async def test_an_answer_has_twenty_links_at_most(memory: GraphMemory) -> None:
    for one in range(6):
        many = [f"s3://plans/{one}/{number}" for number in range(5)]
        await memory.add(f"The plan of house {one}", attachments=many)
    async with inside(memory, resource_links=True) as client:
        result = await client.call_tool("list_memories", {})
    assert len(links(result)) == 20


async def test_clients_of_an_early_protocol_get_no_links(memory: GraphMemory) -> None:
    stored = await memory.add("The plan of the house", attachments=[PLAN])
    settings = memory.settings.model_copy(update={"resource_links": True})
    context = memory.context
    linking = GraphMemory.over(context.graph, context.embedder, settings, clock=memory.clock)
    asked = {"name": "get_memory", "arguments": {"memory_id": stored.memory_id}}
    async with serving(linking) as url:
        kinds = {
            version: [each["type"] for each in await raw_call(url, version, asked)]
            for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
        }
        for era in ("auto", "legacy"):
            async with Client(f"{url}/mcp", mode=era) as client:
                result = await client.call_tool("get_memory", asked["arguments"])
                assert len(links(result)) == 1
    await linking.context.accesses.flush()
    assert [len(each) for each in kinds.values()] == [1, 1, 2, 2]


async def test_links_count_within_the_budget(memory: GraphMemory) -> None:
    for one in range(30):
        many = [
            Attachment(f"https://example.com/{one}/{'plan' * 9}{number}.png", title="Plan " * one)
            if one
            else Attachment(f"https://example.com/{number}")
            for number in range(one % 4)
        ]
        await memory.add(f"The plan of house {one} shows {one} floors", attachments=many)
    for linked in (False, True):
        async with inside(memory, resource_links=linked) as client:
            for budget in (150, 400, 1000, 4000):
                asked = {"query": QUESTION, "max_tokens": budget}
                result = await client.call_tool("retrieve_memories", asked)
                answer, sent = fields(result), links(result)
                assert answer["memories"] or budget < 400
                assert tokens(answer) <= answer["tokens_used"] <= budget
                size = len(text(result)) + sum(map(size_of, sent))
                assert size / PER_TOKEN <= answer["tokens_used"]
                assert bool(sent) is (linked and any(map(attached, answer["memories"])))


def size_of(link: dict[str, Any]) -> int:
    return len(json.dumps(link, ensure_ascii=False, separators=(",", ":"))) + 1


def attached(memory: dict[str, Any]) -> bool:
    return "attachments" in memory


async def raw_call(url: str, version: str, asked: dict[str, Any]) -> list[dict[str, Any]]:
    """Call a tool with a version of the protocol with handshake; return the content blocks."""
    import httpx2

    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
    headers = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": version,
    }
    async with httpx2.AsyncClient(timeout=60) as http:
        answer = await http.post(f"{url}/mcp", json=message, headers=headers)
    (data,) = [line[6:] for line in answer.text.splitlines() if line.startswith("data: {")]
    return json.loads(data)["result"]["content"]


def test_the_command_line_takes_files_and_addresses(
    cli: Run,  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = tmp_path / "two floors" / "tap.py"
    file.parent.mkdir()
    file.write_bytes(b"print('drip')\n")
    monkeypatch.chdir(tmp_path)
    local = {
        "uri": file.as_uri(),
        "media_type": "text/x-python",
        "title": None,
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "language": "python",
    }
    remote = {
        "uri": PLAN["uri"],
        "media_type": "image/png",
        "title": None,
        "sha256": None,
        "language": None,
    }
    assert "%20" in file.as_uri()
    options = ("--attach", "two floors/tap.py", "--attach", PLAN["uri"])
    added = cli("add", "The tap drips", *options, "--json").json
    assert added["attachments"] == [local, remote]
    assert file.as_uri() in cli("get", added["memory_id"]).out
    (found,) = cli("search", "the tap", "--json").json["results"]
    assert found["attachments"] == [local, remote]
    changed = cli("update", added["memory_id"], "--attach", file, "--json").json
    assert changed["attachments"] == [local]
    (line,) = cli("export").out.splitlines()
    kept = {name: value for name, value in local.items() if value}
    assert json.loads(line)["attachments"] == [kept]
    cleared = cli("update", added["memory_id"], "--clear", "attachments", "--json").json
    assert cleared["attachments"] == []
    lines = tmp_path / "memories.jsonl"
    lines.write_text(json.dumps({"content": "Imported", "attachments": [PLAN["uri"], kept]}))
    assert cli("import", lines).code == 0
    (imported,) = cli("search", "imported", "--limit", "1", "--json").json["results"]
    assert imported["attachments"] == [remote, local]


def test_a_file_that_cannot_be_read_stores_nothing(
    cli: Run,  # noqa: F811
    tmp_path: Path,
) -> None:
    refused = cli("add", "The tap drips", "--attach", "missing.png")
    assert refused.code == 2
    assert "--attach='missing.png' is not allowed: the file does not exist" in refused.err
    assert "it is a folder" in cli("add", "The tap drips", "--attach", tmp_path).err
    assert cli("list").out == ""
