"""Script for maintainers that writes `handshake.json`: `make reference` runs it.

It asks the real server, with all of its tools.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types
from mcp.shared.message import SessionMessage

from graph_memory.server.app import TOOLSETS, build_server
from graph_memory.server.handshake import RECORD_FILE
from graph_memory.server.opening import Opening
from graph_memory.server.tools import episodes
from graph_memory.settings.base import Settings, read_settings

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN = "2026-07-28"
LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")

_CLIENT = {"name": "recorder", "version": "1"}
_MODERN_PARAMS = {
    "_meta": {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": _CLIENT,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
}

Message = Mapping[str, Any]


def legacy_requests(version: str) -> list[Message]:
    """Return the first messages of a client with a handshake."""
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": _CLIENT}
    initialize = {"method": "initialize", "params": params}
    return [initialize, {"method": "notifications/initialized"}, *({"method": m} for m in LISTS)]


def modern_requests() -> list[Message]:
    """Return the first messages of a client without a handshake."""
    return [{"method": m, "params": _MODERN_PARAMS} for m in ("server/discover", *LISTS)]


def answers(settings: Settings, messages: Sequence[Message]) -> dict[str, dict[str, Any]]:
    """Return the results of the server by method."""
    return asyncio.run(_answers(settings, messages))


async def _answers(settings: Settings, messages: Sequence[Message]) -> dict[str, dict[str, Any]]:
    results: dict[str, dict[str, Any]] = {}
    async with _connected(settings) as (send, receive):
        for number, message in enumerate(messages):
            request = {"jsonrpc": "2.0", **message}
            notification = message["method"].startswith("notifications/")
            request |= {} if notification else {"id": number}
            parsed = mcp_types.jsonrpc_message_adapter.validate_python(request)
            await send.send(SessionMessage(parsed))
            if not notification:
                answer = (await receive.receive()).message
                text = answer.model_dump_json(by_alias=True, exclude_unset=True)
                results[message["method"]] = json.loads(text)["result"]
    return results


@asynccontextmanager
async def _connected(settings: Settings) -> AsyncGenerator[Any]:
    server = build_server(Opening(settings))
    send, requests = anyio.create_memory_object_stream[SessionMessage | Exception](1)
    results, receive = anyio.create_memory_object_stream[SessionMessage](1)
    async with anyio.create_task_group() as group:
        group.start_soon(server.run_over, requests, results)
        yield send, receive
        group.cancel_scope.cancel()
    for stream in (send, requests, results, receive):
        stream.close()


def recorded() -> str:
    """Return the text of the record, a tool a line."""
    settings = read_settings(toolsets=("all",), llm_url="http://127.0.0.1:1/v1")
    legacy = answers(settings, legacy_requests(VERSIONS[-1]))
    modern = answers(settings, modern_requests())
    tools = {tool["name"]: tool for tool in legacy.pop("tools/list")["tools"]}
    initialize, discover = legacy.pop("initialize"), modern.pop("server/discover")
    del initialize["protocolVersion"]
    envelope = {k: v for k, v in discover.items() if k in modern["prompts/list"]}
    names = {
        name: [tool.name for part in parts for tool in part.tools]
        for name, parts in TOOLSETS.items()
    }
    record = {
        "versions": VERSIONS,
        "modern": MODERN,
        "initialize": initialize,
        "discover": {k: v for k, v in discover.items() if k not in envelope},
        "envelope": envelope,
        "lists": legacy,
        "toolsets": names,
        "episodes": [tool.name for tool in episodes.toolset.tools],
    }
    lines = [f'"{name}": {json.dumps(value)}' for name, value in record.items()]
    body = ",\n".join(f'  "{name}": {json.dumps(tool)}' for name, tool in tools.items())
    return "{\n" + ",\n".join(lines) + ',\n"tools": {\n' + body + "\n}\n}\n"


def main() -> None:
    """Write the record."""
    RECORD_FILE.write_text(recorded(), encoding="utf-8")


if __name__ == "__main__":
    main()
