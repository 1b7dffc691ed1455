"""The whole matrix of faults and operations, on a Neo4j of its own; prints the table of the docs.

Run with `-s`, it prints the rows of the table in `docs/guides/faults.md`.
"""

import asyncio
import os
import signal
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest
import pytest_asyncio
from neo4j import AsyncGraphDatabase
from pydantic import SecretStr

from graph_memory import Settings, local_neo4j, read_settings
from graph_memory.database.embedding_record import check_embedding
from graph_memory.database.graph import Graph
from graph_memory.database.schema import migrate_up
from graph_memory.errors import GraphMemoryError, GraphTimeoutError, GraphUnavailableError
from graph_memory.inference.embedder import Embedder
from tests.integration.faults.test_faults import (
    Seam,
    Seen,
    Undisturbed,
    seam_of,
    strike,
    undisturbed,
)
from tests.support.fault_proxy import Fault
from tests.support.operations import OPERATIONS, Operation

#: The places among the statements of an operation where a fault strikes once.
_ONCE = (Fault.CUT, Fault.LOSE)
_PLACES = {fault: (0.0, 0.5, 1.0) if fault in _ONCE else (1.0,) for fault in Fault}


class OwnNeo4j:
    """A managed Neo4j that a test may stop and kill; it is started again when it is lost."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._starting: asyncio.Task[None] | None = None
        self._harmed = 0

    def harm(self, fault: Fault) -> None:
        instance = local_neo4j.running(self._settings)
        assert instance is not None
        self._harmed = instance.pid
        os.kill(instance.pid, signal.SIGSTOP if fault is Fault.STOP else signal.SIGKILL)

    def go_on(self) -> None:
        """Continue a stopped process."""
        with suppress(ProcessLookupError):
            if self._harmed:
                os.kill(self._harmed, signal.SIGCONT)
        self._harmed = 0

    def restart(self, _: GraphUnavailableError) -> None:
        """Start it in the background, as `open_database` does for a lost local Neo4j."""
        if self._starting is None or self._starting.done():
            self._starting = asyncio.create_task(self._start())

    async def _start(self) -> None:
        with suppress(GraphMemoryError):
            await asyncio.to_thread(local_neo4j.start, self._settings)


@asynccontextmanager
async def own_neo4j(
    root: Path, embedder: Embedder, query_timeout_seconds: float
) -> AsyncIterator[tuple[Seam, OwnNeo4j]]:
    """Start a Neo4j, and open a service behind a proxy to it."""
    managed = read_settings(data_dir=root, local_fast_start=True, local_heap_mebibytes=512)
    instance = local_neo4j.acquire(managed)
    neo4j = OwnNeo4j(managed)
    settings = managed.model_copy(
        update={"neo4j_uri": instance.uri, "neo4j_password": SecretStr(instance.password)}
    )
    auth = ("neo4j", instance.password)
    try:
        async with (
            Graph.open(settings, on_lost=neo4j.restart) as graph,
            AsyncGraphDatabase.driver(instance.uri, auth=auth) as driver,
        ):
            await migrate_up(graph, settings)
            await check_embedding(graph, settings)
            async with seam_of(
                graph, embedder, settings, driver, query_timeout_seconds, neo4j.restart
            ) as seam:
                seam.proxy.on_strike = neo4j.harm
                yield seam, neo4j
    finally:
        neo4j.go_on()
        local_neo4j.release(managed)


@pytest_asyncio.fixture
async def own(
    tmp_path_factory: pytest.TempPathFactory, embedder: Embedder
) -> AsyncIterator[tuple[Seam, OwnNeo4j]]:
    async with own_neo4j(tmp_path_factory.mktemp("faults"), embedder, 4.0) as opened:
        yield opened


#: The operations during which Neo4j is killed; its start takes most of the time of a cell.
_KILLED = ("add", "maintain", "undo", "backup", "restore")


@pytest.mark.stress
@pytest.mark.timeout(3600)
async def test_the_whole_matrix(own: tuple[Seam, OwnNeo4j]) -> None:
    seam, neo4j = own
    cells = {name: defaultdict[Fault, list[Seen]](list) for name in OPERATIONS}
    rights: dict[str, Undisturbed] = {}
    failures: list[str] = []
    for name, fault, place in planned():
        operation = OPERATIONS[name]
        try:
            if fault is Fault.DELAY:
                rights[name] = await planned_once(seam, operation)
            right = rights[name]
            seen = await strike(seam, operation, fault, place, right, neo4j.go_on)
        except Exception as error:
            failures.append(f"{name} {fault} {place}: {error!r}")
            print(failures[-1], flush=True)
            neo4j.go_on()
            continue
        cells[name][fault].append(seen)
        if seen.lost or seen.doubled:
            failures.append(f"{name} {fault} {place}: {seen}")
        print(f"{name} {fault} {place}: {seen}", flush=True)
    print("\n".join([*rows(cells), *failures]))
    assert failures == []


async def planned_once(seam: Seam, operation: Operation) -> Undisturbed:
    """Run an operation until Neo4j has planned its statements, and once more."""
    for _ in range(3):
        with suppress(GraphTimeoutError):
            await undisturbed(seam, operation)
            break
    return await undisturbed(seam, operation)


def planned() -> Iterator[tuple[str, Fault, float]]:
    """Yield the cells: operation, fault and place."""
    for name in OPERATIONS:
        for fault, places in _PLACES.items():
            if fault is not Fault.KILL:
                yield from ((name, fault, place) for place in places)
    yield from ((name, Fault.KILL, 0.5) for name in _KILLED)


def rows(cells: Mapping[str, Mapping[Fault, list[Seen]]]) -> list[str]:
    """Return the table in Markdown: for each cell the answers while the fault lasts."""
    lines = ["| operation | " + " | ".join(Fault) + " |", "|---" * (len(Fault) + 1) + "|"]
    for name, row in cells.items():
        each = [", ".join(sorted({seen.answer for seen in row.get(fault, [])})) for fault in Fault]
        lines.append(f"| {name} | " + " | ".join(each) + " |")
    return lines
