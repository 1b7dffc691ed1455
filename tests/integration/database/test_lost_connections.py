"""A connection that is lost: a read is sent again, a write is done once or said to be unknown."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

import pytest
import pytest_asyncio

from graph_memory import GraphMemory, Settings
from graph_memory.database.graph import Graph
from graph_memory.domain.timestamps import instant
from graph_memory.errors import GraphUnavailableError
from tests.conftest import TODAY

MINUTE = instant(TODAY)


class Proxy:
    """Forwards connections to Neo4j, and cuts them when it is told to."""

    def __init__(self, settings: Settings) -> None:
        there = urlsplit(settings.neo4j_uri or "")
        self._there = (there.hostname, there.port or 7687)
        self._open: list[asyncio.StreamWriter] = []
        self.swallows = False  #: the next answer of Neo4j, and its connection with it
        self.refuses = False  #: connections

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """Yield the address to call."""
        server = await asyncio.start_server(self._forward, "127.0.0.1", 0)
        try:
            yield f"bolt://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        finally:
            server.close()
            self.cut()

    def cut(self) -> None:
        """Cut all connections."""
        for writer in self._open:
            writer.close()
        self._open.clear()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.refuses:
            writer.close()
            return
        there_reader, there_writer = await asyncio.open_connection(*self._there)
        self._open += [writer, there_writer]
        await asyncio.gather(
            self._copy(reader, there_writer), self._copy(there_reader, writer, answers=True)
        )

    async def _copy(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool = False
    ) -> None:
        with suppress(ConnectionError):
            while chunk := await reader.read(65_536):
                if answers and self.swallows:
                    self.swallows = False
                    await asyncio.sleep(0.3)  # it has done all it was asked to by then
                    self.cut()
                    return
                writer.write(chunk)
        writer.close()


@pytest.fixture
def proxy(settings: Settings) -> Proxy:
    return Proxy(settings)


@pytest_asyncio.fixture
async def through(settings: Settings, proxy: Proxy, graph: Graph) -> AsyncIterator[Graph]:
    """The database as it is reached through the proxy."""
    async with proxy.listening() as uri, Graph.open(settings, uri=uri) as opened:
        yield opened


async def count(graph: Graph, key: str) -> int | None:
    return await graph.one("auth/rate_limit/count", int, key=key, minute=MINUTE)


async def test_a_write_whose_answer_is_lost_is_not_done_twice(
    through: Graph, proxy: Proxy, graph: Graph
) -> None:
    key = secrets.token_hex(8)
    assert await count(through, key) == 1
    proxy.swallows = True
    with pytest.raises(GraphUnavailableError):
        await count(through, key)
    assert await count(graph, key) == 3
    assert await count(through, key) == 4


async def test_a_read_whose_answer_is_lost_is_sent_again(through: Graph, proxy: Proxy) -> None:
    proxy.swallows = True
    assert await through.one("database/graph/ping", int) == 1
    assert not proxy.swallows


async def test_a_connection_that_went_stale_while_idle_fails_no_write(
    through: Graph, proxy: Proxy
) -> None:
    key = secrets.token_hex(8)
    await asyncio.gather(*(count(through, key) for _ in range(3)))
    proxy.cut()
    await asyncio.sleep(1.2)
    assert await count(through, key) == 4


async def test_a_session_that_cannot_be_stored_is_told_and_nobody_waits_for_it(
    through: Graph,
    proxy: Proxy,
    memory: GraphMemory,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await memory.add("The pump is blue")
    # On a slow machine the usual quarter of a second passes before the connection is lost.
    monkeypatch.setattr("graph_memory.search.session_store._COLLECT_SECONDS", 60)
    service = GraphMemory.over(
        through, memory.context.embedder, memory.settings, clock=memory.clock
    )
    await service.retrieve("pump")
    await service.context.session_store.flush()
    lost = await service.retrieve("pump")  # its session waits for others to be stored with it
    proxy.refuses = True
    proxy.cut()
    await service.close()
    assert "sessions were not stored" in caplog.text
    proxy.refuses = False
    async with asyncio.timeout(30):
        assert (await service.sessions.state(lost.session_id)).loaded == []
