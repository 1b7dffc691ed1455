"""Hostile calls over HTTP: wrong types for each argument of each tool, and malformed requests.

Ten tenants hold a word of high entropy each. No call may make the server fail, show its insides,
or show one tenant the word of another. The calls follow from a seed.
"""

import asyncio
import json
import random
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from mcp.types import Tool

from graph_memory import GraphMemory
from graph_memory.server import build_server
from graph_memory.server.app import TOOLSETS
from tests.e2e.test_mcp_transport import JSON_HEADERS
from tests.e2e.test_tenants import Tenant, tenants  # noqa: F401 - a fixture
from tests.support.mcp_client import serving

AT_ONCE = 4

#: What only a defect shows to a client.
_INSIDES = re.compile(
    r"Traceback|File \\?\"/|site-packages|graph_memory\.[a-z_]+\.|pydantic|neo4j\.exceptions|"
    r"asyncio|\"code\": ?\"(?:failed|statement)\"|object at 0x"
)

#: Values of every type and shape, most of them wrong for most arguments.
_VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    3,
    2**63,
    -(10**30),
    1e308,
    0.5,
    "",
    " ",
    "x",
    "x" * 5000,
    "\x00\x1b[31m\u202e",
    "\ufdd0\uffff",
    "NaN",
    "2026-02-30T25:00:00Z",
    "1970-01-01",
    "../../etc/passwd",
    "'}) MATCH (n) DETACH DELETE n //",
    "*:* OR group_key:[0 TO 9]",
    "${jndi:ldap://127.0.0.1/x}",
    "{{7*7}}<script>alert(1)</script>",
    [],
    [None],
    ["x"] * 300,
    [[["x"]]],
    {},
    {"__proto__": {"x": 1}},
    {"x": {"y": [1, {"z": None}]}},
    {"$ne": ""},
)

_METHODS = (
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "ping",
    "initialize",
    "notifications/cancelled",
    "no/such/method",
)


@dataclass(frozen=True)
class Sent:
    """A request: the tenant that sends it, its body and its headers."""

    tenant: Tenant
    body: bytes
    headers: tuple[tuple[str, str], ...] = ()


class Fuzzer:
    """Requests that follow from a seed and from the schemas of the tools."""

    def __init__(self, seed: int, tools: list[Tool], of: list[Tenant]) -> None:
        self._chance = random.Random(seed)
        self._tools = tools
        self._tenants = of

    def requests(self, count: int) -> Iterator[Sent]:
        """Yield so many requests; each tool comes in turn, and each ninth request is malformed."""
        for number in range(count):
            tenant = self._chance.choice(self._tenants)
            if number % 9 == 8:
                yield self._malformed(tenant)
            else:
                tool = self._tools[number % len(self._tools)]
                yield Sent(tenant, json.dumps(self._call(tool, tenant)).encode())

    def _call(self, tool: Tool, tenant: Tenant) -> dict[str, Any]:
        properties = tool.input_schema.get("properties", {})
        required = tool.input_schema.get("required", [])
        given = {
            name: self._value(name, schema, tenant)
            for name, schema in properties.items()
            if name in required or self._chance.random() < 0.3
        }
        if self._chance.random() < 0.1:
            given[self._chance.choice(("x", "__class__", "self", "context"))] = 1
        return _rpc("tools/call", {"name": tool.name, "arguments": given})

    def _value(self, name: str, schema: dict[str, Any], tenant: Tenant) -> Any:
        """Return a fitting value in half of the cases, so that the call gets beyond its checks."""
        if self._chance.random() < 0.5:
            return self._chance.choice(_VALUES)
        other = self._chance.choice(self._tenants)
        if name.endswith("_id") or name == "id":
            return self._chance.choice((*tenant.ids, other.ids[0], other.session_id, other.run_id))
        kinds = {part.get("type") for part in (schema, *schema.get("anyOf", []))}
        if "integer" in kinds:
            return self._chance.choice((1, 5, 100))
        if "number" in kinds:
            return self._chance.choice((0, 0.5, 5))
        if "boolean" in kinds:
            return self._chance.choice((True, False))
        if "array" in kinds:
            return [self._chance.choice(("secret number", *tenant.ids))]
        if "object" in kinds:
            return {"key": "value"}
        return self._chance.choice(("secret number", other.group, "supports", "2026-06-01"))

    def _malformed(self, tenant: Tenant) -> Sent:
        tool = self._chance.choice(self._tools)
        whole = json.dumps(self._call(tool, tenant)).encode()
        chance = self._chance
        match chance.randrange(8):
            case 0:
                return Sent(tenant, whole[: chance.randrange(len(whole))])
            case 1:
                place = chance.randrange(len(whole))
                return Sent(tenant, whole[:place] + chance.randbytes(3) + whole[place + 3 :])
            case 2:
                return Sent(tenant, b"[" * 50_000)
            case 3:
                deep = "[" * 3000 + "]" * 3000
                body = _rpc("tools/call", {"name": tool.name, "arguments": {"query": "DEEP"}})
                return Sent(tenant, json.dumps(body).replace('"DEEP"', deep).encode())
            case 4:
                params = chance.choice(_VALUES)
                return Sent(tenant, json.dumps(_rpc(chance.choice(_METHODS), params)).encode())
            case 5:
                changed = _rpc("tools/list", {}) | {
                    chance.choice(("jsonrpc", "id", "method")): chance.choice(_VALUES)
                }
                return Sent(tenant, json.dumps(changed).encode())
            case 6:
                return Sent(tenant, json.dumps([_rpc("ping", {})] * 500).encode())
            case _:
                name = chance.choice(("Content-Type", "Accept", "MCP-Protocol-Version", "X-Long"))
                value = chance.choice(("", "x" * 3000, "text/html", "1e9", "2026-07-28"))
                return Sent(tenant, whole, ((name, value),))


def _rpc(method: str, params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@pytest.mark.parametrize(
    "calls",
    [
        300,
        pytest.param(10_000, marks=[pytest.mark.stress, pytest.mark.timeout(3600)]),
    ],
)
async def test_hostile_calls_break_nothing_and_show_nothing(
    memory: GraphMemory,
    tenants: list[Tenant],  # noqa: F811
    caplog: pytest.LogCaptureFixture,
    calls: int,
) -> None:
    service = GraphMemory.over(
        memory.context.graph,
        memory.context.embedder,
        memory.settings.model_copy(update={"toolsets": tuple(TOOLSETS)}),
        clock=memory.clock,
    )
    tools = await build_server(service).list_tools()
    planned = list(Fuzzer(41, tools, tenants).requests(calls))
    faults: list[str] = []
    async with (
        serving(service, require_tokens=True) as url,
        httpx.AsyncClient(base_url=url, timeout=60) as http,
    ):
        turn = asyncio.Semaphore(AT_ONCE)

        async def send(sent: Sent) -> None:
            headers = {**JSON_HEADERS, "Authorization": f"Bearer {sent.tenant.token}"}
            async with turn:
                answer = await http.post(
                    "/mcp", content=sent.body, headers=headers | dict(sent.headers)
                )
            faults.extend(found_in(sent, answer.status_code, answer.text, tenants))

        await asyncio.gather(*map(send, planned))
        assert (await http.get("/readyz")).status_code == 200
    await service.context.accesses.flush()
    await service.context.session_store.flush()
    assert faults == []
    assert "Traceback" not in caplog.text


def found_in(sent: Sent, status: int, text: str, tenants: list[Tenant]) -> Iterator[str]:  # noqa: F811
    """Yield what an answer shows that it must not."""
    said = f"{sent.body[:600]!r} {sent.headers}: {status} {text[:600]}"
    if status >= 500:
        yield f"failed: {said}"
    if found := _INSIDES.search(text):
        yield f"shows {found[0]!r}: {said}"
    for tenant in tenants:
        if tenant is not sent.tenant and (tenant.canary in text or tenant.token in text):
            yield f"leaks of {tenant.group}: {said}"


#: Bytes that are no HTTP request, or one beyond every limit.
RAW = {
    "no http": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 100,
    "huge header": b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 2**20 + b"\r\n\r\n",
    "many headers": b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"a: b\r\n" * 50_000 + b"\r\n",
    "two lengths": (
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n"
        b"Content-Length: 6\r\n\r\nxxxxx"
    ),
    "length and chunks": (
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n"
    ),
    "wrong chunk": (
        b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n"
    ),
    "negative length": b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
    "nul in the path": b"GET /\x00 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "climbing path": b"GET /../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "folded header": b"GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n X: y\r\n\r\n",
}


async def test_malformed_http_is_refused_and_slow_bodies_hold_up_no_other(
    memory: GraphMemory,
) -> None:
    async with serving(memory) as url:
        slow = [await anext(opened(url)) for _ in range(50)]
        for _, writer in slow:
            writer.write(
                b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                b"Content-Length: 1000\r\n\r\n{"
            )
            await writer.drain()
        answers = {name: await answer_to(url, request) for name, request in RAW.items()}
        async with httpx.AsyncClient(base_url=url, timeout=10) as http:
            assert (await http.get("/readyz")).status_code == 200
        for _, writer in slow:
            writer.transport.abort()
    for name, answer in answers.items():
        assert re.match(rb"HTTP/1\.1 4\d\d |$", answer), (name, answer[:200])
        assert not _INSIDES.search(answer.decode("latin-1")), name


async def opened(url: str) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """Yield a connection to the server."""
    address = urlsplit(url)
    yield await asyncio.open_connection(address.hostname, address.port)


async def answer_to(url: str, request: bytes) -> bytes:
    """Send bytes and return what comes back until the server closes, or for two seconds."""
    reader, writer = await anext(opened(url))
    answer = b""
    try:
        async with asyncio.timeout(2):
            writer.write(request)
            writer.write_eof()
            while block := await reader.read(65_536):
                answer += block
    except (TimeoutError, ConnectionError):
        pass
    writer.transport.abort()
    return answer


async def test_a_body_that_is_no_message_is_refused_in_a_sentence(memory: GraphMemory) -> None:
    async with (
        serving(memory) as url,
        httpx.AsyncClient(base_url=url, headers=JSON_HEADERS) as http,
    ):
        for body in ([_rpc("ping", {})], _rpc("ping", 7), {"jsonrpc": "1.0"}):
            answer = await http.post("/mcp", json=body)
            error = answer.json()["error"]
            assert (answer.status_code, error["code"]) == (400, -32600)
            assert error["message"].startswith("The body is not a JSON-RPC 2.0 message. Send one ")
