"""Scarce means of the service's own process: file descriptors, and answers of a name server."""

import asyncio
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings
from graph_memory.errors import GraphUnavailableError

LATE_SECONDS = 2.0


@contextmanager
def no_further_descriptors() -> Iterator[None]:
    """Let this process keep its files and sockets, and open no further ones."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def cut_connections(driver: AsyncDriver) -> None:
    """Let Neo4j close all connections of services, so that their next calls need new ones."""
    await driver.execute_query(
        "CALL dbms.listConnections() YIELD connectionId, userAgent "
        "WHERE userAgent = 'graph-memory' WITH collect(connectionId) AS ids "
        "CALL dbms.killConnections(ids) YIELD message RETURN message"
    )


async def test_without_descriptors_calls_are_refused_with_the_reason(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    async def add(number: int) -> None:
        await memory.add(f"lamp {number} is red")

    await add(0)
    await add(1)  # compared with the first: all modules and files are loaded
    await cut_connections(driver)
    with no_further_descriptors():
        ends = await asyncio.gather(*map(add, range(2, 20)), return_exceptions=True)
    for end in ends:
        assert isinstance(end, GraphUnavailableError)
        assert "Too many open files" in str(end)
    await asyncio.gather(*map(add, range(2, 20)))
    assert len((await memory.list(limit=50)).memories) == 20


async def test_a_late_name_server_delays_a_call_and_breaks_nothing(
    settings: Settings, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = socket.getaddrinfo

    def late(host: Any, *given: Any, **named: Any) -> Any:
        if host == "neo4j.example":
            time.sleep(LATE_SECONDS)
            host = "127.0.0.1"
        return find(host, *given, **named)

    monkeypatch.setattr(socket, "getaddrinfo", late)
    uri = f"bolt://neo4j.example:{urlsplit(settings.neo4j_uri or '').port}"
    given = {"neo4j_uri": uri, "group_id": group}
    started = time.monotonic()
    async with GraphMemory.open(settings.model_copy(update=given)) as memory:
        assert time.monotonic() - started > LATE_SECONDS
        added = await memory.add("The name server answers late.")
        assert (await memory.get(str(added.memory_id))).content == added.content
