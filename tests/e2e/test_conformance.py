"""The server before programs that are not ours: the official suite, MCP Inspector, a browser.

They run on the Node that the development dependencies bring.
"""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from graph_memory import GraphMemory
from graph_memory.reporting.html import page
from graph_memory.reporting.report import report
from graph_memory.server.recording import recorded
from tests.support.mcp_client import serving
from tests.support.node import HERE, node, packages_folder

SUITE = "node_modules/{}/dist/index.js"
INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"


@pytest.fixture(scope="session")
def packages() -> Path:
    return packages_folder()


@pytest_asyncio.fixture
async def url(memory: GraphMemory) -> AsyncIterator[str]:
    await memory.add("Ada prefers green tea", tags=["ada"])
    async with serving(memory) as base:
        yield f"{base}/mcp"


@pytest.mark.parametrize(
    ("package", "revision", "passing"),
    [
        ("@modelcontextprotocol/conformance", "handshake", 8),
        ("conformance-next", "stateless", 14),
    ],
    ids=["until 2025-11-25", "2026-07-28"],
)
async def test_the_official_suite_finds_what_it_expects(
    url: str, packages: Path, package: str, revision: str, passing: int
) -> None:
    """What is not applicable, and why, stands in the baseline: whatever else fails, fails here."""
    draft = () if revision == "handshake" else ("--spec-version", "2026-07-28", "--suite", "all")
    out = await node(
        packages,
        SUITE.format(package),
        "server",
        "--url",
        url,
        "--expected-failures",
        HERE / f"{revision}.yml",
        *draft,
    )
    passed = re.findall(r"^✓ (\S+): [1-9]", out, re.MULTILINE)
    assert len(passed) >= passing, passed
    assert {"tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"} <= {*passed}


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_the_inspector_lists_calls_and_is_refused(
    url: str, packages: Path, era: str, memory: GraphMemory
) -> None:
    common = (INSPECTOR, "--cli", url, "--transport", "http", "--protocol-era", era, "--method")

    listed = json.loads(await node(packages, *common, "tools/list"))
    names = {tool["name"] for tool in listed["tools"]}
    assert {"add_memory", "search_memory", "memory_traverse"} <= names

    found = await node(
        packages,
        *common,
        "tools/call",
        "--tool-name",
        "search_memory",
        "--tool-arg",
        "query=what does Ada drink?",
        "--format",
        "json",
    )
    answer: dict[str, Any] = json.loads(found)["result"]
    (hit,) = answer["structuredContent"]["results"]
    assert hit["content"] == "Ada prefers green tea"

    uri = f"memory://{memory.settings.group_id}/{hit['memory_id']}"
    assert "green tea" in await node(packages, *common, "resources/read", "--uri", uri)

    refused = await node(
        packages,
        *common,
        "tools/call",
        "--tool-name",
        "get_memory",
        "--tool-arg",
        "memory_id=nothing",
        code=5,
    )
    assert '"code": "not_found"' in refused


async def test_the_manifest_of_the_bundle_is_valid(packages: Path) -> None:
    cli = "node_modules/@anthropic-ai/mcpb/dist/cli/cli.js"
    manifest = Path(__file__).parents[2] / "config" / "mcpb" / "manifest.json"
    assert "passes" in await node(packages, cli, "validate", manifest)


async def test_the_report_is_seen_in_a_real_browser(
    memory: GraphMemory, packages: Path, tmp_path: Path
) -> None:
    hostile = "<script>alert('script')</script><img src=x onerror=alert(1)>"
    hub = await memory.add(hostile, importance=7)
    other = await memory.add("the harbour is near")
    await memory.relations.add(other.memory_id, hub.memory_id, "references")
    file = tmp_path / "report.html"
    found = await report(memory)
    answers = await recorded(memory, found.leads, found.group_id)
    file.write_text(page(found, answers), encoding="utf-8")

    seen = json.loads(await node(packages, "look.mjs", file.as_uri()))

    assert seen["title"] == f"Memories of {memory.settings.group_id}"
    assert seen["mode"] == "CSS1Compat"
    assert seen["headings"] == [
        "States",
        "Retention",
        "The coming year",
        "Top connectors",
        "Health",
        "Last runs",
    ]
    assert len(seen["pictures"]) == 4
    assert all(width > 300 for width in seen["pictures"])
    assert seen["wider"] <= 0
    assert seen["widerOnAPhone"] <= 0
    assert seen["dark"] == {"paper": "rgb(24, 26, 27)", "ink": "rgb(221, 221, 221)"}
    assert hostile in seen["text"]
    assert "Way in" in seen["life"]
    assert hostile in seen["life"]
    assert seen["faults"] == []
    assert {address.split(":")[0] for address in seen["requests"]} == {"file"}
