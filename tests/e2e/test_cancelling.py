"""Cancelled calls over HTTP: the server stops their work, in both protocol eras."""

import asyncio
import json
import logging
import threading
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from mcp import Client
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Scope
from graph_memory.inference.onnx_model import OnnxModel
from tests.conftest import locked, some_transaction_waits
from tests.e2e.test_mcp_transport import JSON_HEADERS
from tests.e2e.test_tokens import token
from tests.support.mcp_client import ERAS, serving

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
CANCELLED = -32800


@pytest_asyncio.fixture
async def url(memory: GraphMemory) -> AsyncIterator[str]:
    async with serving(memory) as base:
        yield base


def calling(request_id: object, tool: str, **arguments: Any) -> dict[str, Any]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": request_id, "method": "tools/call", "params": params}


def cancelling(request_id: object) -> dict[str, Any]:
    params = {"requestId": request_id, "reason": "The user pressed Escape."}
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}


def message(answer: httpx.Response) -> dict[str, Any]:
    """Return the last message of a stream of events."""
    return json.loads(answer.text.split("data: ")[-1])


async def connected(http: httpx.AsyncClient) -> dict[str, str]:
    """Shake hands, and return the headers of the connection."""
    answer = await http.post("/mcp", json=INITIALIZE)
    assert message(answer)["result"]["protocolVersion"] == "2025-11-25"
    return {"mcp-session-id": answer.headers["mcp-session-id"]}


async def a_call_was_cancelled(caplog: pytest.LogCaptureFixture) -> None:
    async with asyncio.timeout(20):
        while '"cancelled"' not in caplog.text:  # noqa: ASYNC110 - a log has no event
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("era", ERAS)
async def test_a_cancelled_call_gives_up_its_statement(
    memory: GraphMemory,
    driver: AsyncDriver,
    url: str,
    era: Any,
    caplog: pytest.LogCaptureFixture,
):
    caplog.set_level(logging.INFO, "graph_memory.audit")
    stored = await memory.add("Ada prefers green tea", tags=["tea"])
    async with Client(f"{url}/mcp", mode=era) as client:
        changed = {"memory_id": stored.memory_id, "content": "Ada prefers coffee", "tags": ["x"]}
        async with locked(driver, stored.memory_id):
            call = asyncio.create_task(client.call_tool("update_memory", changed))
            await some_transaction_waits(driver)
            call.cancel()
            await a_call_was_cancelled(caplog)
        left = await memory.get(stored.memory_id)
        assert (left.content, left.tags) == ("Ada prefers green tea", ["tea"])
        assert left.updated_at == stored.updated_at
        assert not (await client.call_tool("update_memory", changed)).is_error


@pytest.mark.parametrize("era", ERAS)
async def test_a_cancelled_call_gives_up_its_embeddings(
    memory: GraphMemory,
    url: str,
    era: Any,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
):
    caplog.set_level(logging.INFO, "graph_memory.audit")
    passes: list[int] = []
    begun, encode = threading.Event(), OnnxModel._encode

    def counted(model: OnnxModel, encodings: Any) -> Any:
        passes.append(len(encodings))
        begun.set()
        return encode(model, encodings)

    monkeypatch.setattr(OnnxModel, "_encode", counted)
    words = " ".join(f"word{number}" for number in range(150))
    many = [{"content": f"The record {number} of {words}"} for number in range(100)]
    async with Client(f"{url}/mcp", mode=era) as client:
        call = asyncio.create_task(client.call_tool("add_memories", {"memories": many}))
        assert await asyncio.to_thread(begun.wait, 20)
        call.cancel()
        await a_call_was_cancelled(caplog)
        await memory.context.embedder.embed(["after the passes that ran"])
    assert sum(passes) < 60
    assert await memory.count() == 0


async def test_only_the_connection_that_sent_a_request_cancels_it(
    memory: GraphMemory, driver: AsyncDriver, url: str
):
    stored = await memory.add("Ada prefers green tea")
    async with httpx.AsyncClient(base_url=url, headers=JSON_HEADERS, timeout=60) as http:
        own, other = await connected(http), await connected(http)
        assert own != other
        async with locked(driver, stored.memory_id):
            deletion = calling(7, "delete_memory", memory_id=stored.memory_id)
            call = asyncio.create_task(http.post("/mcp", json=deletion, headers=own))
            await some_transaction_waits(driver)
            for headers, request_id in ((other, 7), ({}, 7), (own, 8)):
                sent = await http.post("/mcp", json=cancelling(request_id), headers=headers)
                assert sent.status_code == 202
            listed = {"jsonrpc": "2.0", "id": 8, "method": "tools/list"}
            await http.post("/mcp", json=listed, headers=own)
            await some_transaction_waits(driver)
            assert not call.done()
            await http.post("/mcp", json=cancelling("7"), headers=own)
            assert message(await call)["error"]["code"] == CANCELLED
        assert (await memory.get(stored.memory_id)).lifecycle_state == "ACTIVE"
        again = await http.post("/mcp", json=deletion, headers=own)
        assert "error" not in message(again)


@pytest.mark.usefixtures("no_tokens")
async def test_another_caller_does_not_cancel_a_request(
    memory: GraphMemory, driver: AsyncDriver, group: str
):
    stored = await memory.add("Ada prefers green tea")
    ada, grace = [
        {"Authorization": f"Bearer {await token(memory, scope, group)}"}
        for scope in (Scope.WRITE, Scope.ADMIN)
    ]
    async with (
        serving(memory, require_tokens=True) as url,
        httpx.AsyncClient(base_url=url, headers=JSON_HEADERS, timeout=60) as http,
        locked(driver, stored.memory_id),
    ):
        http.headers.update(ada)
        http.headers.update(await connected(http))
        deletion = calling(7, "delete_memory", memory_id=stored.memory_id)
        call = asyncio.create_task(http.post("/mcp", json=deletion))
        await some_transaction_waits(driver)
        await http.post("/mcp", json=cancelling(7), headers=grace)
        await http.post("/mcp", json={"jsonrpc": "2.0", "id": 8, "method": "tools/list"})
        await some_transaction_waits(driver)
        assert not call.done()
        await http.post("/mcp", json=cancelling(7))
        assert message(await call)["error"]["code"] == CANCELLED


async def test_the_id_of_a_connection_is_not_that_of_a_conversation(memory: GraphMemory, url: str):
    await memory.add("Ada prefers green tea")
    ask = calling(2, "retrieve_memories", query="What does Ada drink?")
    async with httpx.AsyncClient(base_url=url, headers=JSON_HEADERS, timeout=60) as http:
        connection = await connected(http)
        for _ in range(2):
            answer = message(await http.post("/mcp", json=ask, headers=connection))
            given = answer["result"]["structuredContent"]
            assert [each["content"] for each in given["memories"]] == ["Ada prefers green tea"]
            assert given["session_id"] not in connection.values()


async def test_a_handshake_alone_names_a_connection(url: str):
    async with httpx.AsyncClient(base_url=url, headers=JSON_HEADERS, timeout=60) as http:
        listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        for body in (json.dumps(listed), "initialize", json.dumps(["initialize"]), "x" * 70_000):
            assert "mcp-session-id" not in (await http.post("/mcp", content=body)).headers
        named = await http.post("/mcp", json=INITIALIZE, headers={"mcp-session-id": "chat1"})
        assert "mcp-session-id" not in named.headers
        assert (await http.delete("/mcp", headers=await connected(http))).status_code == 405
