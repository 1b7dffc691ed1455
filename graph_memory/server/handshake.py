"""Answers to the first requests of a client over stdio, while the SDK is still being imported.

`handshake.json` holds what the server answers; `record_handshake.py` writes it, and a test compares
both. A request that differs in any way from the expected ones waits for the server.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from graph_memory.settings.base import Settings

RECORD_FILE = Path(__file__).with_name("handshake.json")

_META = "io.modelcontextprotocol/"

Request = Mapping[str, Any]


class Handshake:
    """The first requests of one client, in one of the two protocol eras."""

    def __init__(self, settings: Settings) -> None:
        """Read the recorded answers for the toolsets of the settings."""
        self._record: dict[str, Any] = json.loads(RECORD_FILE.read_text(encoding="utf-8"))
        self._record["lists"]["tools/list"] = {"tools": [*self._tools(settings)]}
        self._era: str | None = None

    def answer(self, line: bytes) -> dict[str, Any] | None:
        """Return the answer to a request; None if the server has to answer it."""
        try:
            request = _object(json.loads(line))
        except (ValueError, RecursionError):
            return None
        if request is None or not isinstance(request.get("id"), int | str):
            return None
        result = self._result(request)
        return result and {"jsonrpc": "2.0", "id": request["id"], "result": result}

    def _result(self, request: Request) -> dict[str, Any] | None:
        method, params = request.get("method"), _object(request.get("params", {}))
        if not isinstance(method, str) or params is None:
            return None
        if method == "initialize":
            return self._initialize(params)
        if params.keys() - {"_meta"}:
            return None
        if _is_modern(params, self._record["modern"]):
            return self._modern(method)
        return self._record["lists"].get(method) if self._era == "legacy" else None

    def _initialize(self, params: Mapping[str, Any]) -> dict[str, Any] | None:
        version, client = params.get("protocolVersion"), _object(params.get("clientInfo"))
        named = client is not None and {"name", "version"} <= client.keys()
        able = _object(params.get("capabilities")) is not None
        if self._era or version not in self._record["versions"] or not (named and able):
            return None
        self._era = "legacy"
        return {**self._record["initialize"], "protocolVersion": version}

    def _modern(self, method: str) -> dict[str, Any] | None:
        lists, envelope = self._record["lists"], self._record["envelope"]
        if self._era == "legacy" or method not in {"server/discover", *lists}:
            return None
        self._era = "modern"
        return {**(lists.get(method) or self._record["discover"]), **envelope}

    def _tools(self, settings: Settings) -> Iterator[dict[str, Any]]:
        record = self._record
        for name in chosen_tools(settings, record["toolsets"], record["episodes"]):
            yield record["tools"][name]


def chosen_tools(
    settings: Settings, toolsets: Mapping[str, Sequence[str]], episodes: Sequence[str]
) -> list[str]:
    """Return the names of the tools of the settings.

    A language model adds the toolset graphiti; without one, the tools of episodes are left out.
    """
    if settings.llm_url is not None:
        names = dict.fromkeys((*settings.toolsets, "graphiti"))
        return [tool for name in names for tool in toolsets[name]]
    return [tool for name in settings.toolsets for tool in toolsets[name] if tool not in episodes]


def _is_modern(params: Mapping[str, Any], version: str) -> bool:
    meta = _object(params.get("_meta")) or {}
    described = all(
        _object(meta.get(f"{_META}{name}")) is not None
        for name in ("clientInfo", "clientCapabilities")
    )
    return described and meta.get(f"{_META}protocolVersion") == version


def _object(value: Any) -> dict[str, Any] | None:
    """Return a JSON object; None for any other value."""
    return cast(dict[str, Any], value) if isinstance(value, dict) else None
