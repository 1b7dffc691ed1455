"""The server over standard input and output, which answers before its libraries are imported."""

import asyncio
import json
import os
from contextlib import suppress
from importlib import import_module
from threading import Lock, Thread
from typing import Any, cast

from graph_memory.server.handshake import Handshake
from graph_memory.server.running import (
    log_to_stderr,
    until_cancelled,
    until_one_ends,
    until_signalled,
)
from graph_memory.settings.base import Settings
from graph_memory.tracing import export_spans

_CHUNK = 65_536


async def serve_stdio(settings: Settings) -> None:
    """Serve MCP over standard input and output until the client closes them.

    The database and the models open in the background. A call waits for them; if they cannot be
    opened, it fails with the code `unavailable`, and the next call tries again.
    """
    log_to_stderr()
    await until_signalled(_serve(settings, _Wire(Handshake(settings))))


async def _serve(settings: Settings, wire: "_Wire") -> None:
    # In a thread, so that a signal ends the process during the import.
    await asyncio.to_thread(export_spans)
    await asyncio.to_thread(import_module, "graph_memory.server.app")
    from graph_memory.server.opening import Opening

    opening = Opening(settings)
    await until_one_ends(until_cancelled(_answer(opening, wire), wire.end), opening.run(retry=True))


async def _answer(opening: Any, wire: "_Wire") -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    from graph_memory.server.app import build_server

    server = build_server(opening)
    requests = anyio.wrap_file(os.fdopen(wire.requests, encoding="utf-8", errors="replace"))
    results = cast("anyio.AsyncFile[str]", anyio.wrap_file(cast(Any, wire)))
    async with stdio_server(requests, results) as streams:
        await server.run_over(*streams)


class _Wire:
    """Standard input and output, with the handshake between them and the server.

    A thread reads the requests. It answers those of the handshake, and passes all of them on, so
    that the server knows the client. The server's own answers to them are dropped.

    The thread also lets a signal end the server: the SDK would wait for the next line.

    Attributes:
        requests: Descriptor of a pipe with the requests.
    """

    def __init__(self, handshake: Handshake) -> None:
        """Take standard input and output, and start to read."""
        self._handshake = handshake
        self._source, self._sink = os.dup(0), os.dup(1)
        self.requests, write_end = os.pipe()
        self._passed_on = open(write_end, "wb", buffering=0)  # noqa: SIM115
        _divert()
        self._answered: set[int | str] = set()
        self._lock = Lock()
        Thread(target=self._read, daemon=True).start()

    def end(self) -> None:
        """End the input of the server."""
        self._passed_on.close()

    def write(self, text: str) -> None:
        """Write an answer or notification of the server, except for what is answered already."""
        if self._answered:
            message = json.loads(text)
            if "method" not in message and message.get("id") in self._answered:
                self._answered.discard(message["id"])
                return
        self._send(text.encode())

    def flush(self) -> None:
        """Do nothing: each message is written at once."""

    def _read(self) -> None:
        source = os.fdopen(self._source, "rb")
        with suppress(OSError, ValueError), source, self._passed_on:  # the server may have ended
            for line in source:
                if answer := self._handshake.answer(line):
                    self._answered.add(answer["id"])
                    self._send(json.dumps(answer).encode() + b"\n")
                _write_all(self._passed_on.fileno(), line)

    def _send(self, data: bytes) -> None:
        with self._lock:
            _write_all(self._sink, data)


def _divert() -> None:
    """Keep other code from the protocol: it reads nothing, and prints to stderr."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
