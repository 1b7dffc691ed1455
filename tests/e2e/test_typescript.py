"""The TypeScript SDKs of MCP, versions 1 and 2, over HTTP, over stdio and through mcp-remote."""

import asyncio
import json
import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from tests.conftest import locked, some_transaction_waits
from tests.e2e.test_cancelling import a_call_was_cancelled
from tests.support.mcp_client import serve_arguments, serve_environment, serving
from tests.support.node import NODE, node, packages_folder, started

SDKS = ["@modelcontextprotocol/sdk", "@modelcontextprotocol/client"]


@pytest.fixture(scope="session")
def packages() -> Path:
    return packages_folder()


def check(seen: dict[str, Any]) -> None:
    assert {"add_memory", "search_memory", "memory_traverse"} <= {*seen["tools"]}
    assert seen["prompts"]
    assert all("://" in uri for uri in seen["resources"])
    assert seen["added"] is False
    assert seen["found"]["results"][0]["content"] == "Ada prefers green tea"
    assert seen["refused"]["isError"] is True
    assert "limit" in seen["refused"]["content"][0]["text"]


@pytest.mark.parametrize("sdk", SDKS)
async def test_a_client_over_http_lists_calls_and_aborts(
    memory: GraphMemory,
    driver: AsyncDriver,
    packages: Path,
    sdk: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "graph_memory.audit")
    kept = await memory.add("Ada prefers green tea")
    async with serving(memory) as url:
        program = await started(packages, "client.mjs", sdk, f"{url}/mcp")
        assert program.stdin
        assert program.stdout
        check(json.loads(await program.stdout.readline()))
        async with locked(driver, kept.memory_id):
            program.stdin.write(f"{kept.memory_id}\n".encode())
            await some_transaction_waits(driver)
            program.stdin.write(b"abort\n")
            await a_call_was_cancelled(caplog)
        out, errors = await asyncio.wait_for(program.communicate(), 60)
    assert program.returncode == 0, errors.decode()
    aborted, after = map(json.loads, out.splitlines())
    assert aborted["aborted"] != "deleted"
    assert after["after"]["content"] == "Ada prefers green tea"


@pytest.mark.parametrize("sdk", SDKS)
async def test_a_client_over_stdio_lists_and_calls(
    memory: GraphMemory, packages: Path, sdk: str
) -> None:
    await memory.add("Ada prefers green tea")
    serve = (sys.executable, *serve_arguments("--stdio"))
    own = serve_environment(memory.settings, GRAPH_MEMORY_GROUP_ID=memory.settings.group_id)
    check(json.loads(await node(packages, "client.mjs", sdk, "stdio", *serve, environment=own)))


@pytest.mark.parametrize("sdk", SDKS)
async def test_a_client_over_stdio_reaches_http_through_mcp_remote(
    memory: GraphMemory, packages: Path, sdk: str, tmp_path: Path
) -> None:
    await memory.add("Ada prefers green tea")
    async with serving(memory) as url:
        proxy = (NODE / "bin" / "node", "node_modules/mcp-remote/dist/proxy.js", f"{url}/mcp")
        own = {"MCP_REMOTE_CONFIG_DIR": str(tmp_path)}
        check(json.loads(await node(packages, "client.mjs", sdk, "stdio", *proxy, environment=own)))
