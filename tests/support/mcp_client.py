"""What the tests of the MCP server share: servers to talk to, and ways to talk."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

from graph_memory import GraphMemory, Settings
from graph_memory.server import build_server, http_app

#: Both protocol eras that clients speak.
ERAS = ("auto", "legacy")

#: Every operator of Lucene's query language.
LUCENE = '+ - && || ! ( ) { } [ ] ^ " ~ * ? : \\ /'


@asynccontextmanager
async def serving(memory: GraphMemory, *, require_tokens: bool = False) -> AsyncIterator[str]:
    """Serve on a free port; yield the base URL."""
    # Without the protocol's number asyncio leaves small packets waiting for one another, for 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    app = http_app(memory, require_tokens=require_tokens)
    server = uvicorn.Server(uvicorn.Config(app, http="h11", log_config=None, access_log=False))
    task = asyncio.create_task(server._serve(sockets=[listener]))
    while not server.started:  # noqa: ASYNC110 - uvicorn offers no event
        await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task


@asynccontextmanager
async def bearing(
    url: str, token: str, mode: Any = "auto", **headers: str
) -> AsyncIterator[Client]:
    """Connect over HTTP with a token."""
    async with httpx2.AsyncClient(
        headers={"Authorization": f"Bearer {token}", **headers}, timeout=60
    ) as http:
        transport = streamable_http_client(f"{url}/mcp", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


@asynccontextmanager
async def inside(memory: GraphMemory, **changed: Any) -> AsyncIterator[Client]:
    """Connect to a server in this process, with some settings changed."""
    settings = memory.settings.model_copy(update=changed)
    other = GraphMemory.over(
        memory.context.graph, memory.context.embedder, settings, clock=memory.clock
    )
    async with Client(build_server(other)) as client:
        yield client
    await other.context.accesses.flush()
    await other.context.session_store.flush()


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool that must succeed."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text(result)
    assert result.structured_content is not None
    return result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    """Call a tool that must refuse; return what it says, as text and as data."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, text(result)
    assert result.structured_content is not None
    assert text(result) == "{code}: {message}".format(**result.structured_content)
    return text(result), result.structured_content


def text(result: CallToolResult) -> str:
    return result.content[0].text  # type: ignore[union-attr]


def serve_arguments(*options: str) -> list[str]:
    """Return the arguments of Python that serve as users do."""
    return ["-c", "from graph_memory.cli import main; raise SystemExit(main())", "serve", *options]


def serve_environment(settings: Settings, **more: str) -> dict[str, str]:
    """Return the environment of a server over the database of a test."""
    return {
        **os.environ,
        "GRAPH_MEMORY_DATA_DIR": str(settings.data_dir),
        "GRAPH_MEMORY_NEO4J_URI": settings.neo4j_uri or "",
        "GRAPH_MEMORY_NEO4J_USER": settings.neo4j_user,
        "GRAPH_MEMORY_NEO4J_PASSWORD": settings.neo4j_password.get_secret_value(),
        "GRAPH_MEMORY_PORT": "0",
        "GRAPH_MEMORY_METRICS_PORT": "0",
        **more,
    }
