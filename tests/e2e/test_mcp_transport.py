"""The MCP server on its transports: what HTTP refuses, what health says, how processes end."""

import asyncio
import re
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import pytest_asyncio
from mcp import Client, StdioServerParameters

from graph_memory import GraphMemory, Settings
from graph_memory.database.graph import Graph
from graph_memory.errors import SettingsError
from graph_memory.search import search
from graph_memory.server import serve_http
from tests.conftest import TODAY, Clock
from tests.support.mcp_client import (
    ERAS,
    call,
    refused,
    serve_arguments,
    serve_environment,
    serving,
)
from tests.support.tiny_cross_encoder import write_cross_encoder

JSON_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}


@pytest_asyncio.fixture
async def url(memory: GraphMemory) -> AsyncIterator[str]:
    async with serving(memory) as base:
        yield base


@asynccontextmanager
async def forwarding(host: str, port: int, to_host: str, to_port: int) -> AsyncIterator[int]:
    """Forward a port to another for as long as we like; yield it."""
    writers: list[asyncio.StreamWriter] = []

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection(to_host, to_port)
        writers.extend((writer, there_writer))
        await asyncio.gather(_copy(reader, there_writer), _copy(there_reader, writer))

    server = await asyncio.start_server(forward, host, port)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for writer in writers:
            writer.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while chunk := await reader.read(65_536):
            writer.write(chunk)
    writer.close()


async def test_a_lost_database_is_said_at_once_and_found_again(memory: GraphMemory):
    neo4j = urlsplit(memory.settings.neo4j_uri or "")
    there = (neo4j.hostname or "", neo4j.port or 7687)
    async with AsyncExitStack() as stack:
        port = await stack.enter_async_context(forwarding("127.0.0.1", 0, *there))
        async with (
            Graph.open(memory.settings, uri=f"bolt://127.0.0.1:{port}") as graph,
            serving(GraphMemory.over(graph, memory.context.embedder, memory.settings)) as url,
            httpx.AsyncClient(base_url=url) as http,
            Client(f"{url}/mcp") as client,
        ):
            assert (await http.get("/readyz")).status_code == 200
            await stack.aclose()
            for tool, arguments in (
                ("search_memory", {"query": "x"}),
                ("add_memory", {"content": "x"}),
                ("get_memory", {"memory_id": "x"}),
            ):
                started = time.monotonic()
                said, data = await refused(client, tool, **arguments)
                assert time.monotonic() - started < 5
                assert data["code"] == "unavailable"
                assert "graph-memory doctor" in said
            ready = await http.get("/readyz")
            assert ready.status_code == 503
            assert str(port) in ready.json()["missing"]["neo4j"]
            assert (await http.get("/healthz")).status_code == 200

            async with forwarding("127.0.0.1", port, *there):
                assert (await http.get("/readyz")).status_code == 200
                await call(client, "add_memory", content="x")


async def test_health_and_readiness(url: str, memory: GraphMemory):
    async with httpx.AsyncClient(base_url=url) as http:
        assert (await http.get("/healthz")).json() == {"status": "live"}
        ready = await http.get("/readyz")
        assert ready.status_code == 200, ready.text


async def test_readiness_waits_for_the_model(memory: GraphMemory, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(type(memory.context.embedder), "loaded", property(lambda _: False))
    async with serving(memory) as url, httpx.AsyncClient(base_url=url) as http:
        ready = await http.get("/readyz")
    assert ready.status_code == 503
    assert list(ready.json()["missing"]) == ["embedder"]


async def test_a_server_warms_up_by_what_was_used_last_and_counts_nothing(
    memory: GraphMemory, group: str, clock: Clock
):
    clock.now = TODAY.replace(year=2998)  # later than in any other test
    used = await memory.add("Ada keeps her bees on the roof")
    await memory.add("Grace keeps none")
    await memory.touch(used.memory_id)
    try:
        last = await search.last_used(memory.context.graph)
        assert last == search.LastUsed(group, "Ada keeps her bees on the roof")
        await memory.serving.warm_up()
        await memory.context.accesses.flush()
        assert {m.access_count for m in (await memory.list()).memories} == {0, 1}
    finally:
        await memory.delete_all(confirm="DELETE ALL", permanent=True)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:8765"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "localhost:8765", "Origin": "http://localhost:3000"}, 200),
    ],
)
async def test_pages_of_other_hosts_get_no_answer(url: str, headers: dict[str, str], status: int):
    async with httpx.AsyncClient(base_url=url, headers=JSON_HEADERS) as http:
        answer = await http.post("/mcp", headers=headers, json=_rpc("tools/list"))
        assert answer.status_code == status


async def test_pages_of_the_origins_named_may_call(memory: GraphMemory, url: str):
    page, other = "https://app.example.com", "https://evil.example"
    settings = memory.settings.model_copy(update={"cors_origins": (page,)})
    open_to_page = GraphMemory.over(memory.context.graph, memory.context.embedder, settings)
    asked = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,mcp-protocol-version",
    }
    async with serving(open_to_page) as base, httpx.AsyncClient(headers=JSON_HEADERS) as http:
        for origin, allowed in ((page, page), (other, None)):
            preflight = await http.options(f"{base}/mcp", headers={"Origin": origin, **asked})
            assert preflight.headers.get("Access-Control-Allow-Origin") == allowed
            answer = await http.post(
                f"{base}/mcp", headers={"Origin": origin}, json=_rpc("tools/list")
            )
            assert answer.status_code == (200 if allowed else 403)
            assert answer.headers.get("Access-Control-Allow-Origin") == allowed
        closed = await http.options(f"{url}/mcp", headers={"Origin": page, **asked})
        assert closed.status_code == 405
        assert "Access-Control-Allow-Origin" not in closed.headers


async def test_allowed_hosts_are_answered(memory: GraphMemory):
    settings = memory.settings.model_copy(update={"allowed_hosts": ("mem.example.com",)})
    allowed = GraphMemory.over(memory.context.graph, memory.context.embedder, settings)
    async with (
        serving(allowed) as url,
        httpx.AsyncClient(base_url=url, headers=JSON_HEADERS) as http,
    ):
        for host in ("mem.example.com", "mem.example.com:8443", "localhost"):
            answer = await http.post("/mcp", headers={"Host": host}, json=_rpc("tools/list"))
            assert answer.status_code == 200


async def test_a_body_too_large_is_refused(memory: GraphMemory):
    settings = memory.settings.model_copy(update={"max_request_bytes": 2**12})
    small = GraphMemory.over(memory.context.graph, memory.context.embedder, settings)
    async with serving(small) as url, httpx.AsyncClient(base_url=url, headers=JSON_HEADERS) as http:
        answer = await http.post("/mcp", content=b" " * 2**13)
        assert answer.status_code == 413
        assert (await http.get("/mcp")).status_code == 405
        assert (await http.post("/mcp", json=_rpc("tools/list"))).status_code == 200


def _calling(tool: bytes, arguments: bytes) -> bytes:
    return (
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", '
        b'"params": {"name": "' + tool + b'", "arguments": ' + arguments + b"}}"
    )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b"null",
        b"\xff\xfe",
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": 7}',
        _calling(b"get_memory", b"[]"),
        _calling(b"search_memory", rb'{"query": "\ud800"}'),
        _calling(b"search_memory", rb'{"\ud800": 1}'),
        _calling(b"search_memory", b'{"query": "x", "limit": 1e400}'),
        _calling(b"add_memory", b'{"content": ' + b"[" * 9999 + b"]" * 9999 + b"}"),
    ],
    ids=range(11),
)
async def test_malformed_requests_do_no_harm(url: str, body: bytes):
    async with httpx.AsyncClient(base_url=url, headers=JSON_HEADERS) as http:
        answer = await http.post("/mcp", content=body)
        assert answer.status_code < 500
        assert "Traceback" not in answer.text
        assert (await http.get("/readyz")).status_code == 200


def _rpc(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@asynccontextmanager
async def process(
    settings: Settings, *options: str, **more: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a server whose embedding endpoint does not answer: it starts quickly, and stays up."""
    deaf = "http://127.0.0.1:1/v1"
    environment = serve_environment(settings, **{"GRAPH_MEMORY_EMBEDDING_URL": deaf, **more})
    started = await asyncio.create_subprocess_exec(
        sys.executable,
        *serve_arguments(*options),
        env=environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
        await started.communicate()


async def said(started: asyncio.subprocess.Process, words: str) -> str:
    """Return the line of standard error that holds `words`, once it is there."""
    assert started.stderr is not None
    while line := (await started.stderr.readline()).decode():
        if words in line:
            return line
    raise AssertionError(f"the server ended without saying '{words}'")


async def test_a_server_says_when_it_did_what(settings: Settings):
    async with process(settings, "--stdio") as started:
        line = await said(started, "Searches do not work yet")
    assert re.match(r"\d{4}-\d\d-\d\d [\d:,]+ WARNING graph_memory\.\S+: ", line)


async def test_a_process_loads_its_cross_encoder_and_says_nothing_of_it(
    graph: Graph, settings: Settings, group: str, tmp_path: Path
):
    folder = write_cross_encoder(tmp_path)
    more = {"GRAPH_MEMORY_EMBEDDING_URL": "", "GRAPH_MEMORY_RECALL_CROSS_ENCODER": str(folder)}
    async with process(settings, GRAPH_MEMORY_GROUP_ID=group, **more) as started:
        assert started.stderr is not None
        lines = [(await started.stderr.readline()).decode() for _ in range(2)]
        assert ["Metrics at" in lines[0], "Serving MCP at" in lines[1]] == [True, True], lines
        url = lines[1].split()[-1]
        async with httpx.AsyncClient() as http:
            assert (await http.get(url.replace("/mcp", "/readyz"))).status_code == 200
        async with Client(url) as client:
            await call(client, "add_memory", content="Ada prefers tea")
            (hit,) = (await call(client, "search_memory", query="tea", detail="full"))["results"]
            assert hit["components"]["cross"] == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_process_serves_until_a_signal_stops_it_cleanly(
    graph: Graph, settings: Settings, number: signal.Signals
):
    async with process(settings) as started:
        metrics = (await said(started, "Metrics at")).split()[-1]
        url = (await said(started, "Serving MCP at")).split()[-1]
        async with httpx.AsyncClient() as http:
            published = (await http.get(metrics)).text
            assert "graph_memory_statement_seconds" in published
            assert 'knowledge_memories_by_state{state="ACTIVE"}' in published
        async with Client(url) as client:
            await call(client, "list_memories", group_id="nobody")
            _, data = await refused(client, "search_memory", query="x")
            assert data["code"] == "embedding_failed"
            begun = time.monotonic()
            started.send_signal(number)
            await asyncio.sleep(0.1)
            started.send_signal(number)  # a second one, as of an impatient user, breaks nothing off
            output, errors = await started.communicate()
        assert time.monotonic() - begun < 10
        assert started.returncode == 0
        assert output == b""
        assert b"Traceback" not in errors, errors.decode()
        logged = errors.decode().splitlines()
        assert "Shutting down." in logged[-2]
        assert "Stopped." in logged[-1]


async def test_a_signal_stops_the_stdio_server_although_its_input_is_open(
    graph: Graph, settings: Settings
):
    async with process(settings, "--stdio") as started:
        await said(started, "Searches do not work yet")
        started.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(started.wait(), 20) == 0


@pytest.mark.parametrize("era", ERAS)
async def test_the_tools_work_over_stdio(graph: Graph, settings: Settings, group: str, era: Any):
    server = StdioServerParameters(
        command=sys.executable,
        args=serve_arguments("--stdio"),
        env=serve_environment(settings, GRAPH_MEMORY_GROUP_ID=group),
    )
    async with Client(server, mode=era) as client:
        added = await call(client, "add_memory", content="Ada prefers tea")
        (hit,) = (await call(client, "search_memory", query="tea"))["results"]
        assert hit["memory_id"] == added["memory_id"][:8]


async def test_a_taken_port_is_said_with_the_setting_that_moves_it(settings: Settings):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(SettingsError, match=f"{port}.*GRAPH_MEMORY_PORT"):
            await serve_http(settings.model_copy(update={"port": port}))


async def test_a_taken_metrics_port_is_no_reason_to_die(graph: Graph, settings: Settings):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        async with process(settings, GRAPH_MEMORY_METRICS_PORT=str(port)) as started:
            assert str(port) in await said(started, "GRAPH_MEMORY_METRICS_PORT")
            await said(started, "Serving MCP at")


@pytest.mark.parametrize(
    ("host", "required"), [("0.0.0.0", False), ("::", False), ("127.0.0.1", True)]
)
async def test_where_tokens_are_asked_for_and_there_are_none_nothing_is_served(
    settings: Settings, no_tokens: None, host: str, required: bool
):
    changed = {"host": host, "port": 0, "require_tokens": required, "metrics_port": 0}
    with pytest.raises(SettingsError, match=r"token create.*--insecure-no-auth"):
        await serve_http(settings.model_copy(update=changed))
