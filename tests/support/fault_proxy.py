"""A TCP proxy between the service and Neo4j that injects faults.

A fault strikes at a statement: the proxy finds the requests that carry a Bolt message RUN, and lets
as many of them through as the test asks for. It may count writes alone: a read names its mode.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urlsplit

#: The head of a Bolt message RUN: a structure of three fields with the signature 0x10.
_RUN = b"\xb3\x10"

#: The mode of a read among the details of a RUN; a write has none.
_READ = b"\x84mode\x81r"

_DELAY_SECONDS = 0.2
_THROTTLED_BYTES = 4096
_THROTTLED_PAUSE_SECONDS = 0.005


class Fault(StrEnum):
    """The faults. The first two slow answers down, each other one loses them.

    STOP and KILL need a Neo4j of the test's own.
    """

    DELAY = "delay"  #: each answer arrives 0.2 s late, until the fault ends
    THROTTLE = "throttle"  #: answers arrive at 800 KB/s, until the fault ends
    CUT = "cut"  #: the connection is cut before Neo4j gets the statement, once
    LOSE = "lose"  #: Neo4j executes the statement, its answer is lost with the connection, once
    HALF_CLOSE = "half-close"  #: Neo4j's side of the connection is closed at the statement, once
    REFUSE = "refuse"  #: every connection is cut, and new ones are refused, until the fault ends
    SILENCE = "silence"  #: nothing passes until the fault ends; then all goes on
    STOP = "stop"  #: the process of Neo4j is stopped (SIGSTOP) until the fault ends
    KILL = "kill"  #: the process of Neo4j is killed (SIGKILL) once


@dataclass
class FaultProxy:
    """A proxy that forwards connections to Neo4j, and the fault it injects."""

    address: tuple[str, int]  #: of Neo4j
    port: int = 0
    statements: int = 0  #: seen since the last call of `arm` or `heal`
    struck: bool = False
    on_strike: Callable[[Fault], None] = lambda fault: None  #: harms the process of Neo4j
    _fault: Fault | None = None
    _after: int = 0
    _writes_only: bool = False
    _open: asyncio.Event = field(default_factory=asyncio.Event)
    _writers: set[asyncio.StreamWriter] = field(default_factory=set[asyncio.StreamWriter])

    def arm(self, fault: Fault | None, after: int = 0, *, writes_only: bool = False) -> None:
        """Inject a fault as soon as so many statements have passed; None only counts them."""
        self._fault, self._after, self._writes_only = fault, after, writes_only
        self.statements, self.struck = 0, False
        self._open.set()

    def heal(self) -> None:
        """End the fault."""
        self.arm(None)

    def cut(self) -> None:
        """Cut every connection."""
        for writer in self._writers:
            writer.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward one connection until either side ends it."""
        if self._active(Fault.REFUSE):
            writer.transport.abort()
            return
        try:
            there, back = await asyncio.open_connection(*self.address)
        except OSError:
            writer.transport.abort()
            return
        pair = _Pair(client=writer, server=back)
        self._writers |= {writer, back}
        try:
            await asyncio.gather(self._requests(reader, pair), self._answers(there, pair))
        finally:
            pair.abort()
            self._writers -= {writer, back}

    async def _requests(self, reader: asyncio.StreamReader, pair: "_Pair") -> None:
        with suppress(ConnectionError):
            while data := await reader.read(2**18):
                if _RUN in data and not (self._writes_only and _READ in data):
                    self._strike(pair)
                    self.statements += 1
                await self._open.wait()
                if pair.cut:
                    break
                pair.server.write(data)
                await pair.server.drain()
        if not pair.loses:
            pair.abort()

    def _strike(self, pair: "_Pair") -> None:
        """Begin the fault if this is its statement."""
        if self._fault is None or self.struck or self.statements < self._after:
            return
        self.struck = True
        match self._fault:
            case Fault.CUT:
                pair.cut = True
            case Fault.LOSE:
                pair.loses = True
            case Fault.HALF_CLOSE:
                pair.client.write_eof()
            case Fault.REFUSE:
                pair.cut = True
                self.cut()
            case Fault.SILENCE:
                self._open.clear()
            case Fault.STOP | Fault.KILL:
                self.on_strike(self._fault)
            case Fault.DELAY | Fault.THROTTLE:
                pass

    async def _answers(self, reader: asyncio.StreamReader, pair: "_Pair") -> None:
        with suppress(ConnectionError, RuntimeError):  # RuntimeError: written after the half-close
            while data := await reader.read(2**18):
                await self._open.wait()
                if pair.loses:
                    break
                if self._active(Fault.DELAY):
                    await asyncio.sleep(_DELAY_SECONDS)
                await self._write(pair.client, data)
        pair.abort()

    async def _write(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        size = _THROTTLED_BYTES if self._active(Fault.THROTTLE) else len(data)
        for begin in range(0, len(data), size):
            writer.write(data[begin : begin + size])
            await writer.drain()
            if size < len(data):
                await asyncio.sleep(_THROTTLED_PAUSE_SECONDS)

    def _active(self, fault: Fault) -> bool:
        return self._fault is fault and self.struck


@dataclass
class _Pair:
    """The two ends of a connection, and its fate."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    cut: bool = False
    loses: bool = False

    def abort(self) -> None:
        self.client.transport.abort()
        self.server.transport.abort()


@asynccontextmanager
async def fault_proxy(uri: str) -> AsyncIterator[FaultProxy]:
    """Listen on a free port in front of a Neo4j."""
    neo4j = urlsplit(uri)
    proxy = FaultProxy((neo4j.hostname or "127.0.0.1", neo4j.port or 7687))
    proxy.heal()
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        proxy.heal()
        proxy.cut()
        server.close()
