"""Servers answer at once while Neo4j and the model start, and report a start that fails."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, StdioServerParameters

from graph_memory import local_neo4j, read_settings
from graph_memory.settings.base import Settings
from tests.support.mcp_client import call, refused, serve_arguments

pytestmark = pytest.mark.skipif(os.name != "posix", reason="uses signals and a script as Java")

#: The time-out of several agent frameworks, in seconds.
IMPATIENT = 5
#: The beginning of messages while Neo4j starts, with its jars in the cache or not.
STARTING = ("Neo4j is starting", "Neo4j is being downloaded and started")
PATIENT = 240

#: An embedding endpoint that does not answer, in the place of a model that loads for seconds.
DEAF = {"EMBEDDING_URL": "http://127.0.0.1:1/v1"}


@pytest.fixture
def cold(tmp_path: Path) -> Iterator[Settings]:
    """Return settings of an empty data folder; what runs there ends with the test."""
    settings = read_settings(data_dir=tmp_path / "data")
    yield settings
    local_neo4j.stop(settings)


def _environment(settings: Settings, **more: str) -> dict[str, str]:
    given = {"DATA_DIR": str(settings.data_dir), "METRICS_ENABLED": "false", **more}
    return os.environ | {f"GRAPH_MEMORY_{name}": value for name, value in given.items()}


@asynccontextmanager
async def _connected(
    settings: Settings, era: Any, given: dict[str, str], seconds: float = PATIENT
) -> AsyncIterator[Client]:
    """Connect over stdio, with a time-out for each answer."""
    parameters = StdioServerParameters(
        command=sys.executable, args=serve_arguments("--stdio"), env=_environment(settings, **given)
    )
    async with Client(parameters, mode=era, read_timeout_seconds=seconds) as client:
        yield client


@pytest.mark.timeout(600)
async def test_an_impatient_client_connects_cold_and_sees_progress_before_the_first_answer(
    cold: Settings,
):
    messages: list[str] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        messages.append(message or "")

    settings = {"LOCAL_FAST_START": "true", "LOCAL_LINGER_SECONDS": "600"}
    for era in ("auto", "legacy"):
        async with _connected(cold, era, settings, IMPATIENT) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            assert "search_memory" in tools
            await client.list_prompts()
            await client.list_resource_templates()
            found = await client.call_tool(
                "search_memory",
                {"query": "tea"},
                read_timeout_seconds=PATIENT,
                progress_callback=note,
            )
            assert not found.is_error
    assert any(message.startswith(STARTING) for message in messages), messages


def _write_java(folder: Path, script: str) -> Path:
    """Write a shell script that passes for Java 25."""
    executable = folder / "bin" / "java"
    executable.parent.mkdir(parents=True, exist_ok=True)
    executable.write_text(f"#!/bin/sh\n{script}\n")
    executable.chmod(0o755)
    (folder / "release").write_text('JAVA_VERSION="25"\n')
    return folder


async def test_a_start_that_fails_is_reported_by_the_call_and_the_next_call_tries_again(
    cold: Settings, tmp_path: Path
):
    java = tmp_path / "java"
    async with _connected(cold, "auto", {"JAVA": str(java), **DEAF}) as client:
        said, data = await refused(client, "search_memory", query="tea")
        assert data["code"] == "unavailable"
        assert "is not a Java executable" in said
        _write_java(java, "echo the store is broken; exit 3")
        said, data = await refused(client, "list_memories")
        assert data["code"] == "unavailable"
        assert "the store is broken" in said
        assert await client.list_tools()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_http_listens_while_neo4j_starts_and_a_signal_ends_the_start(
    cold: Settings, tmp_path: Path, number: signal.Signals
):
    java = _write_java(tmp_path / "java", "sleep 60; true")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    started = await asyncio.create_subprocess_exec(
        sys.executable,
        *serve_arguments(),
        env=_environment(cold, JAVA=str(java), **DEAF, PORT=str(port)),
        stderr=asyncio.subprocess.PIPE,
    )
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as http:
        async with asyncio.timeout(60):
            while not await _listens(http):  # noqa: ASYNC110 - only a request shows it
                await asyncio.sleep(0.05)
        ready = await http.get("/readyz")
        assert ready.status_code == 503
        assert "Neo4j is starting" in ready.json()["missing"]["neo4j"]
    started.send_signal(number)
    _, errors = await started.communicate()
    assert (started.returncode, b"Traceback" in errors) == (0, False), errors
    status = local_neo4j.status(cold)
    assert (status.running, status.users) == (False, [])


async def _listens(http: httpx.AsyncClient) -> bool:
    try:
        return (await http.get("/healthz")).status_code == 200
    except httpx.TransportError:
        return False


async def test_a_client_that_leaves_during_the_start_ends_the_server(
    cold: Settings, tmp_path: Path
):
    java = _write_java(tmp_path / "java", "sleep 60; true")
    async with _connected(cold, "legacy", {"JAVA": str(java), **DEAF}) as client:
        assert await client.list_tools()
        waiting = asyncio.create_task(call(client, "list_memories"))
        await asyncio.sleep(0.1)
        waiting.cancel()
    assert local_neo4j.status(cold).users == []
