"""The answers over stdio before the SDK is imported are those of the server."""

import json
import subprocess
import sys
from typing import Any

import pytest

from graph_memory.server import record_handshake
from graph_memory.server.handshake import RECORD_FILE, Handshake
from graph_memory.settings.base import read_settings

LLM = "http://127.0.0.1:1/v1"


def test_the_record_is_that_of_the_server():
    assert RECORD_FILE.read_text() == record_handshake.recorded(), "run `make reference`"


@pytest.mark.parametrize(
    "given",
    [{}, {"toolsets": "core"}, {"toolsets": "all"}, {"llm_url": LLM}, {"toolsets": "compat,core"}],
    ids=str,
)
@pytest.mark.parametrize("version", [*record_handshake.VERSIONS, record_handshake.MODERN])
def test_the_first_requests_are_answered_as_by_the_server(given: dict[str, Any], version: str):
    settings = read_settings(**given)
    requests = record_handshake.legacy_requests(version)
    if version == record_handshake.MODERN:
        requests = record_handshake.modern_requests()
    handshake, expected = Handshake(settings), record_handshake.answers(settings, requests)
    for number, request in enumerate(requests):
        answer = handshake.answer(json.dumps({"jsonrpc": "2.0", "id": number, **request}).encode())
        if request["method"] in expected:
            assert answer
            assert (answer["id"], answer["result"]) == (number, expected[request["method"]])
        else:
            assert answer is None


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"7",
        b"[" * 100_000,
        b'{"jsonrpc": "2.0", "id": null, "method": "tools/list"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": 1}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": []}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": [1]}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": []}}',
    ],
    ids=range(11),
)
def test_what_is_not_expected_waits_for_the_server(line: bytes):
    assert Handshake(read_settings()).answer(line) is None


def test_a_client_stays_in_its_era():
    def ask(handshake: Handshake, request: record_handshake.Message) -> Any:
        return handshake.answer(json.dumps({"jsonrpc": "2.0", "id": 1, **request}).encode())

    (initialize, *_), (discover, *_) = (
        record_handshake.legacy_requests("2025-11-25"),
        record_handshake.modern_requests(),
    )
    legacy, modern = Handshake(read_settings()), Handshake(read_settings())
    assert ask(legacy, initialize)
    assert ask(legacy, initialize) is None
    assert ask(legacy, discover) is None
    assert ask(modern, discover)
    assert ask(modern, initialize) is None
    assert ask(modern, {"method": "tools/list"}) is None


def test_the_answers_need_no_sdk():
    heavy = {"mcp", "neo4j", "numpy", "uvicorn", "starlette"}
    statement = f"import graph_memory.server.stdio, sys; print({heavy} & set(sys.modules))"
    ran = subprocess.run([sys.executable, "-c", statement], capture_output=True, check=True)
    assert ran.stdout.strip() == b"set()"
