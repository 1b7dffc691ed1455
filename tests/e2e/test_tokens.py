"""Tokens over HTTP: who gets in, what they see, how soon a revocation tells, what the log says."""

import asyncio
import json
import logging
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from mcp import MCPError
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.auth import tokens
from graph_memory.auth.grants import Scope
from graph_memory.auth.jwt import JwtVerifier
from graph_memory.database.graph import Graph
from graph_memory.server.app import TOOLSETS
from tests.conftest import locked, some_transaction_waits
from tests.e2e.test_mcp_transport import JSON_HEADERS, forwarding
from tests.support.mcp_client import ERAS, bearing, call, refused, serving

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


pytestmark = pytest.mark.usefixtures("no_tokens")


def changed(memory: GraphMemory, **settings: Any) -> GraphMemory:
    other = memory.settings.model_copy(update=settings)
    return GraphMemory.over(
        memory.context.graph, memory.context.embedder, other, clock=memory.clock
    )


async def token(memory: GraphMemory, scope: Scope, *groups: str, days: float | None = None) -> str:
    _, secret = await tokens.create(
        memory.context.graph, "test", groups=groups, scope=scope, days=days, now=memory.clock()
    )
    return secret


async def status(url: str, authorization: str | None) -> int:
    headers = JSON_HEADERS | ({"Authorization": authorization} if authorization else {})
    async with httpx.AsyncClient(base_url=url, headers=headers) as http:
        return (await http.post("/mcp", json=LIST)).status_code


async def test_only_a_valid_token_gets_in(memory: GraphMemory, group: str, clock: Any):
    good = await token(memory, Scope.READ, group)
    brief = await token(memory, Scope.READ, group, days=1)
    async with serving(memory, require_tokens=True) as url:
        assert await status(url, f"Bearer {good}") == 200
        assert await status(url, f"bearer {good}") == 200
        bad = (None, "Bearer", f"Basic {good}", f"Bearer {good}x", f"Bearer {good[:-1]}")
        for authorization in (*bad, f"Bearer {good} {good}", "Bearer " + "x" * 20_000):
            assert await status(url, authorization) == 401
        assert await status(url, f"Bearer {brief}") == 200
        clock.advance(days=2)
    async with serving(memory, require_tokens=True) as url:
        assert await status(url, f"Bearer {brief}") == 401
        async with httpx.AsyncClient(base_url=url) as http:
            assert (await http.get("/readyz")).status_code == 200


@pytest.mark.parametrize("era", ERAS)
async def test_each_caller_sees_and_may_call_the_tools_of_its_scope(
    memory: GraphMemory, group: str, era: Any
):
    tools = [
        tool for name in memory.settings.toolsets for part in TOOLSETS[name] for tool in part.tools
    ]
    async with serving(memory, require_tokens=True) as url:
        for scope in Scope:
            async with bearing(url, await token(memory, scope, group), era) as client:
                seen = {tool.name for tool in (await client.list_tools()).tools}
                assert seen == {tool.name for tool in tools if scope.includes(tool.scope)}
                for tool in tools:
                    if tool.name not in seen:
                        said, data = await refused(client, tool.name)
                        assert data["code"] == "forbidden"
                        assert f"needs scope '{tool.scope}'" in said


def test_the_tools_of_each_scope():
    scopes = {
        tool.name: tool.scope
        for parts in TOOLSETS.values()
        for part in parts
        for tool in part.tools
    }
    reading = {name for name, scope in scopes.items() if scope is Scope.READ}
    assert {"search_memory", "retrieve_memories", "memory_traverse", "get_memory"} <= reading
    assert not reading & {
        "add_memory",
        "memory_relate",
        "delete_memory",
        "run_decay_scan",
        "memory_feedback",
        "save_memory",
        "mark_memory_obsolete",
    }
    assert {name for name, scope in scopes.items() if scope is Scope.ADMIN} >= {
        "run_decay_maintenance",
        "undo_maintenance",
        "delete_all_memories",
    }


async def test_the_only_group_of_a_token_is_its_default(memory: GraphMemory, group: str):
    async with serving(memory, require_tokens=True) as url:
        async with bearing(url, await token(memory, Scope.WRITE, f"{group}_a")) as client:
            added = await call(client, "add_memory", content="mine")
            assert added["memory"]["group_id"] == f"{group}_a"
            said, _ = await refused(client, "list_memories", group_id=group)
            assert said.startswith("forbidden: ")
            with pytest.raises(MCPError, match="not open to this token"):
                await client.read_resource(f"memory://{group}/{added['memory_id']}")
            resource = await client.read_resource(f"memory://{group}_a/{added['memory_id']}")
            assert "mine" in resource.contents[0].text  # type: ignore[union-attr]
        several = await token(memory, Scope.WRITE, f"{group}_a", f"{group}_b")
        async with bearing(url, several) as client:
            said, _ = await refused(client, "add_memory", content="whose?")
            assert f"name one of {group}_a, {group}_b" in said
            await call(client, "add_memory", content="b's", group_id=f"{group}_b")


async def test_a_tenant_makes_no_backup_of_all_and_whoever_may_does(
    memory: GraphMemory, group: str, tmp_path: Path
):
    service = changed(memory, backup_path=tmp_path)
    _, everything = await tokens.create(
        memory.context.graph, "ops", groups=None, scope=Scope.ADMIN, now=memory.clock()
    )
    await memory.add("to be kept")
    async with serving(service, require_tokens=True) as url:
        async with bearing(url, await token(memory, Scope.ADMIN, group)) as client:
            said, _ = await refused(client, "create_backup")
            assert "needs a token for all groups" in said
        assert os.listdir(tmp_path) == []
        async with bearing(url, everything) as client:
            made = await call(client, "create_backup")
    assert (Path(made["backup_path"]) / "manifest.json").is_file()
    assert made["memories_backed_up"] >= 1


async def test_a_revoked_token_is_refused_after_the_cache_time(memory: GraphMemory, group: str):
    given, secret = await tokens.create(
        memory.context.graph, "t", groups=(group,), scope=Scope.READ, now=memory.clock()
    )
    async with serving(changed(memory, token_cache_seconds=0.5), require_tokens=True) as url:
        assert await status(url, f"Bearer {secret}") == 200
        await tokens.revoke(memory.context.graph, given.token_id, now=memory.clock())
        await asyncio.sleep(0.6)
        assert await status(url, f"Bearer {secret}") == 401


async def test_calls_are_limited_over_all_replicas(memory: GraphMemory, group: str):
    secret = await token(memory, Scope.READ, group)
    start = (await memory.add("a lighthouse")).memory_id
    limits = {"rate_limit_per_minute": 12, "traversal_rate_limit_per_minute": 2}
    async with AsyncExitStack() as stack:
        replicas = [
            await stack.enter_async_context(serving(changed(memory, **limits), require_tokens=True))
            for _ in range(2)
        ]
        clients = [await stack.enter_async_context(bearing(url, secret)) for url in replicas]
        asked = [("memory_traverse", {"start_memory_id": start}), ("memory_graph_analysis", {})]
        walks = [
            await client.call_tool(tool, arguments)
            for tool, arguments in asked
            for client in clients
        ]
        assert [walk.is_error for walk in walks] == [False, False, True, True]
        calls = await asyncio.gather(
            *(clients[number % 2].call_tool("list_memories", {}) for number in range(20))
        )
        assert sum(not answer.is_error for answer in calls) == 12 - len(walks)
        said, data = await refused(clients[0], "list_memories")
        assert data["code"] == "rate_limited"
        assert "Try again in" in said


async def test_each_write_leaves_a_line_without_its_content(
    memory: GraphMemory, group: str, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.INFO, "graph_memory.audit")
    secret = await token(memory, Scope.WRITE, group)
    async with serving(memory, require_tokens=True) as url, bearing(url, secret) as client:
        added = await call(client, "add_memory", content="a secret plan")
        await call(client, "search_memory", query="a secret plan")
        await refused(client, "add_memory", content="a secret plan")
        await refused(client, "delete_all_memories", confirm="DELETE ALL")
        await call(client, "add_memories", memories=[{"content": "x"}, {"content": "y"}])
        await refused(client, "add_memory", content="z", group_id="another")
        await refused(client, "create_backup")
    lines = [json.loads(r.getMessage()) for r in caplog.records if r.name == "graph_memory.audit"]
    assert [(line["tool"], line["outcome"], len(line["ids"])) for line in lines] == [
        ("add_memory", "done", 1),
        ("add_memory", "duplicate", 0),
        ("delete_all_memories", "forbidden", 0),
        ("add_memories", "done", 2),
        ("add_memory", "forbidden", 0),
        ("create_backup", "forbidden", 0),
    ]
    assert [line["group"] for line in lines] == [*[group] * 4, "another", ""]
    assert lines[0]["ids"] == [added["memory_id"]]
    assert all(line["caller"].startswith("test/") for line in lines)
    assert "secret plan" not in caplog.text


async def test_a_write_whose_caller_goes_away_leaves_a_line_too(
    memory: GraphMemory, driver: AsyncDriver, group: str, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.INFO, "graph_memory.audit")
    stored = await memory.add("to be deleted")
    secret = await token(memory, Scope.WRITE, group)
    deletion = {"name": "delete_memory", "arguments": {"memory_id": stored.memory_id}}
    said = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": deletion}
    headers = JSON_HEADERS | {"Authorization": f"Bearer {secret}"}
    async with (
        serving(memory, require_tokens=True) as url,
        locked(driver, stored.memory_id),
        httpx.AsyncClient(headers=headers) as http,
    ):
        leaving = asyncio.create_task(http.post(f"{url}/mcp", json=said, timeout=60))
        await some_transaction_waits(driver)
        leaving.cancel()
        async with asyncio.timeout(10):
            while "delete_memory" not in caplog.text:  # noqa: ASYNC110 - a log has no event
                await asyncio.sleep(0.05)
    lines = [r for r in caplog.records if r.name == "graph_memory.audit"]
    line = json.loads(lines[0].getMessage())
    assert (line["tool"], line["ids"], line["outcome"]) == (
        "delete_memory",
        [stored.memory_id],
        "cancelled",
    )


async def test_callers_are_told_when_the_database_is_away(memory: GraphMemory, group: str):
    from urllib.parse import urlsplit

    neo4j = urlsplit(memory.settings.neo4j_uri or "")
    secret = await token(memory, Scope.READ, group)
    async with AsyncExitStack() as stack:
        there = (neo4j.hostname or "", neo4j.port or 7687)
        port = await stack.enter_async_context(forwarding("127.0.0.1", 0, *there))
        async with Graph.open(memory.settings, uri=f"bolt://127.0.0.1:{port}") as graph:
            away = GraphMemory.over(graph, memory.context.embedder, memory.settings)
            async with (
                serving(away, require_tokens=True) as url,
                bearing(url, secret, "legacy") as client,
            ):
                await call(client, "list_memories")
                await stack.aclose()
                await asyncio.sleep(memory.settings.token_cache_seconds)
                _, data = await refused(client, "list_memories")
                assert data["code"] == "unavailable"


# --- JWTs of an identity provider

Sign = Callable[..., str]
ISSUER, AUDIENCE = "https://idp.example", "graph-memory"


@pytest.fixture
def provider() -> Iterator[tuple[str, Sign]]:
    """An identity provider: the address of its keys, and a way to sign as it does."""
    private = rsa.generate_private_key(public_exponent=65_537, key_size=2048)
    key = json.loads(RSAAlgorithm.to_jwk(private.public_key()))
    keys = json.dumps({"keys": [key | {"kid": "one", "use": "sig", "alg": "RS256"}]}).encode()

    class Keys(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(keys if self.path == "/keys" else b"<html>Not here</html>")

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    def sign(key: Any = private, algorithm: str = "RS256", **claims: Any) -> str:
        usual = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": "ada",
            "scope": "openid memory:write",
            "exp": datetime.now(UTC) + timedelta(hours=1),
        }
        said = {k: v for k, v in (usual | claims).items() if v is not None}
        return jwt.encode(said, key, algorithm, {"kid": "one"})

    server = ThreadingHTTPServer(("127.0.0.1", 0), Keys)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/keys", sign
    server.shutdown()
    thread.join()
    server.server_close()


async def test_a_jwt_of_the_identity_provider_is_taken(
    memory: GraphMemory, group: str, provider: tuple[str, Sign]
):
    url_of_keys, sign = provider
    trusting = changed(
        memory,
        jwt_jwks_url=url_of_keys,
        jwt_issuer=ISSUER,
        jwt_audience=AUDIENCE,
        resource_url="https://memory.example.com/mcp",
    )
    past = datetime.now(UTC) - timedelta(hours=1)
    other_key = rsa.generate_private_key(public_exponent=65_537, key_size=2048)
    async with serving(trusting, require_tokens=True) as url:
        async with bearing(url, sign(groups=[group])) as client:
            await call(client, "add_memory", content="by ada")
            _, data = await refused(client, "list_memories", group_id="others")
            assert data["code"] == "forbidden"
            _, data = await refused(client, "delete_all_memories", confirm="DELETE ALL")
            assert data["code"] == "forbidden"
        own = await token(memory, Scope.READ, group)
        assert await status(url, f"Bearer {own}") == 200
        for bad in (
            sign(groups=[group], exp=past),
            sign(groups=[group], iss="https://evil.example"),
            sign(groups=[group], aud="another"),
            sign(groups=[group], scope="openid read"),
            sign(groups=["a-b"]),
            sign(),
            sign(groups=[group], sub=None),
            sign(groups=[group], exp=None),
            sign(other_key, groups=[group]),
            sign("a shared secret of some thirty-two bytes", "HS256", groups=[group]),
            sign("", "none", groups=[group]),
            "a.b.c",
        ):
            assert await status(url, f"Bearer {bad}") == 401
        async with httpx.AsyncClient(base_url=url, headers=JSON_HEADERS) as http:
            metadata = await http.get("/.well-known/oauth-protected-resource/mcp")
            assert metadata.json()["authorization_servers"] == [ISSUER]
            challenge = (await http.post("/mcp", json=LIST)).headers["www-authenticate"]
            assert "resource_metadata=" in challenge


@contextmanager
def silent_provider(begun: bytes = b"") -> Iterator[str]:
    """A provider that answers nothing more, and breaks off if it has `begun`; yield its address."""
    connections: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    connections.append(connection)
                    if begun:
                        connection.recv(4096)
                        connection.sendall(begun)
                        time.sleep(0.1)
                        reset = struct.pack("ii", 1, 0)
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
                        connection.close()

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield "http://127.0.0.1:{1}/keys".format(*listener.getsockname())
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            for connection in connections:
                connection.close()


async def test_keys_that_break_off_are_none(
    memory: GraphMemory, group: str, provider: tuple[str, Sign], caplog: pytest.LogCaptureFixture
):
    begun = b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"keys": ['
    with silent_provider(begun) as address:
        broken = {"jwt_jwks_url": address, "jwt_issuer": ISSUER, "jwt_audience": AUDIENCE}
        async with serving(changed(memory, **broken), require_tokens=True) as url:
            assert await status(url, f"Bearer {provider[1](groups=[group])}") == 401
    assert "cannot be fetched" in caplog.text


async def test_a_silent_provider_keeps_nobody_waiting_again_and_again(
    memory: GraphMemory, group: str, provider: tuple[str, Sign]
):
    with silent_provider() as address:
        silent = {"jwt_jwks_url": address, "jwt_issuer": ISSUER, "jwt_audience": AUDIENCE}
        verifier = JwtVerifier(changed(memory, **silent).settings)
        began = time.monotonic()
        strangers = [
            asyncio.create_task(verifier.verify(provider[1](groups=[f"{group}_{number}"])))
            for number in range(40)
        ]
        await asyncio.sleep(0.5)
        await asyncio.to_thread(time.monotonic)  # other work of the service
        assert time.monotonic() - began < 3
        assert set(await asyncio.gather(*strangers)) == {None}
        assert time.monotonic() - began < 10


@pytest.mark.parametrize("place", ["", "http://127.0.0.1:1/"])
async def test_where_keys_cannot_be_fetched_jwts_are_refused(
    memory: GraphMemory,
    group: str,
    provider: tuple[str, Sign],
    caplog: pytest.LogCaptureFixture,
    place: str,
):
    address = place or provider[0].replace("/keys", "/page")
    deaf = {"jwt_jwks_url": address, "jwt_issuer": ISSUER, "jwt_audience": AUDIENCE}
    async with serving(changed(memory, **deaf), require_tokens=True) as url:
        assert await status(url, f"Bearer {provider[1](groups=[group])}") == 401
    assert "cannot be fetched" in caplog.text
