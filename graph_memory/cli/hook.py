"""The command `hook`: it passes an event of a harness to the running server, within two seconds.

A harness waits for its hooks, so this module imports the standard library only, and never fails: if
the server does not answer in time, stdout stays empty and the exit code is 0.
"""

import json
import os
import sys
import threading
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPSConnection
from typing import Any, TextIO, cast
from urllib.parse import urlsplit

#: Seconds after which the harness goes on without an answer, by default.
BUDGET_SECONDS = 2.0

#: Events whose answer is added to the context, by harness: those of Cursor expect JSON.
_CURSOR_STARTS = ("sessionStart",)
_CURSOR_PROMPTS = ("beforeSubmitPrompt",)

_PROTOCOL = "2026-07-28"
_HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
    "MCP-Protocol-Version": _PROTOCOL,
    "Mcp-Method": "tools/call",
    "Mcp-Name": "serve_hook",
}
_META = {
    "io.modelcontextprotocol/protocolVersion": _PROTOCOL,
    "io.modelcontextprotocol/clientInfo": {"name": "graph-memory-hook", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}

Event = Mapping[str, Any]


def run(url: str | None = None, group: str | None = None, events: TextIO | None = None) -> None:
    """Read an event from stdin, and print what the harness adds to its context.

    Args:
        url: Address of the server; default: GRAPH_MEMORY_URL, or this machine.
        group: The tenant; default: that of the server.
        events: The stream to read; default: stdin.
    """
    answers: list[str] = []
    seconds = _budget_seconds()

    def work() -> None:
        try:
            event = json.load(events or sys.stdin)
            answers.append(_answer(event, url or _default_url(), group, seconds))
        except Exception as error:  # a hook must never break its harness
            print(f"graph-memory hook: {error}", file=sys.stderr)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    worker.join(seconds)
    if worker.is_alive():
        print("graph-memory hook: the server did not answer in time.", file=sys.stderr)
    elif answers and answers[0]:
        print(answers[0])


def main(arguments: list[str]) -> int | None:
    """Run the command for plain arguments; None for others, which need the command line.

    Args:
        arguments: What follows the name of the program.
    """
    if arguments[:1] != ["hook"] or not set(arguments[1::2]) <= {"--url", "--group"}:
        return None
    if len(arguments) % 2 == 0:
        return None
    given = dict(zip(arguments[1::2], arguments[2::2], strict=True))
    run(given.get("--url"), given.get("--group"))
    return 0


def _default_url() -> str:
    port = os.environ.get("GRAPH_MEMORY_PORT", "8765")
    return os.environ.get("GRAPH_MEMORY_URL", f"http://127.0.0.1:{port}/mcp")


def _budget_seconds() -> float:
    try:
        return float(os.environ.get("GRAPH_MEMORY_HOOK_SECONDS", BUDGET_SECONDS))
    except ValueError:
        return BUDGET_SECONDS


def _answer(event: Event, url: str, group: str | None, seconds: float) -> str:
    """Return the text for the harness, empty for nothing."""
    arguments = _arguments(event)
    if group:
        arguments["group_id"] = group
    added = _call(url, arguments, seconds)
    name = str(event.get("hook_event_name", ""))
    if name in (*_CURSOR_STARTS, *_CURSOR_PROMPTS):
        return json.dumps(_cursor_answer(name, added), ensure_ascii=False) if added else ""
    return "" if added == "{}" else added


def _cursor_answer(name: str, added: str) -> dict[str, Any]:
    going_on = {"continue": True} if name in _CURSOR_PROMPTS else {}
    return {**going_on, "additional_context": added}


def _arguments(event: Event) -> dict[str, str]:
    """Return the arguments of the tool for an event of Claude Code, Codex or Cursor."""
    roots: Any = event.get("workspace_roots") or [None]
    given = {
        "event": event.get("hook_event_name"),
        "session_id": event.get("conversation_id") or event.get("session_id"),
        "prompt": event.get("prompt"),
        "reply": event.get("last_assistant_message") or event.get("text"),
        "turn_id": event.get("turn_id") or event.get("prompt_id") or event.get("generation_id"),
        "cwd": event.get("cwd") or roots[0],
        "source": event.get("source"),
    }
    return {name: value for name, value in given.items() if isinstance(value, str) and value}


def _call(url: str, arguments: Mapping[str, str], seconds: float) -> str:
    """Call the tool, and return the text of its answer."""
    address = urlsplit(url)
    connect = HTTPSConnection if address.scheme == "https" else HTTPConnection
    connection = connect(address.netloc, timeout=seconds)
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "serve_hook", "arguments": arguments, "_meta": _META},
    }
    token = os.environ.get("GRAPH_MEMORY_TOKEN")
    bearer = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        connection.request("POST", address.path, json.dumps(body), {**_HEADERS, **bearer})
        response = connection.getresponse()
        return _text(response.status, response.read().decode())
    finally:
        connection.close()


def _text(status: int, body: str) -> str:
    """Return the text in an answer, which is JSON or a stream of events.

    Raises:
        ValueError: The server refused the call.
    """
    events = [line[5:] for line in body.splitlines() if line.startswith("data:")]
    message = cast(dict[str, Any], json.loads(events[-1] if events else body or "{}"))
    result: dict[str, Any] = message.get("result") or {}
    text = "".join(str(part.get("text", "")) for part in result.get("content", []))
    if status != 200 or result.get("isError") or "error" in message:
        raise ValueError(text or str(message.get("error") or f"status {status}"))
    return text
