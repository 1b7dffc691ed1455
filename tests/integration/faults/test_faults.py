"""Faults between the service and Neo4j: nothing acknowledged is lost, nothing is done twice.

Each cell of the matrix strikes an operation with a fault. A caller that gets an error repeats its
call once the fault has ended. The group must then equal that of an undisturbed operation.
"""

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings
from graph_memory.database.graph import Graph
from graph_memory.diagnostics.verify import verify
from graph_memory.errors import GraphMemoryError, GraphTimeoutError, GraphUnavailableError
from graph_memory.inference.embedder import Embedder
from tests.conftest import TODAY
from tests.support.fault_proxy import Fault, FaultProxy, fault_proxy
from tests.support.operations import OPERATIONS, Operation, Picture, Stage, picture

#: Seconds after which a caller must have its answer or an error, and a service must be well again.
_PATIENCE_SECONDS = 40
_RECOVERY_SECONDS = 60

#: A slow answer may arrive; each other fault may only end in one of these errors.
_ALLOWED = (GraphUnavailableError, GraphTimeoutError)

#: The cells of `make test`: each kind of write with a lost answer, and each fault once or twice.
SHORT = [
    ("add", Fault.LOSE, 1.0),
    ("add", Fault.REFUSE, 0.0),
    ("add many", Fault.LOSE, 1.0),
    ("update", Fault.LOSE, 1.0),
    ("update", Fault.CUT, 1.0),
    ("delete", Fault.LOSE, 1.0),
    ("relate", Fault.LOSE, 1.0),
    ("touch", Fault.LOSE, 0.0),
    ("relate", Fault.HALF_CLOSE, 1.0),
    ("maintain", Fault.LOSE, 0.5),
    ("maintain", Fault.CUT, 0.5),
    ("undo", Fault.LOSE, 1.0),
    ("undo", Fault.CUT, 0.5),
    ("import", Fault.LOSE, 0.5),
    ("search", Fault.LOSE, 0.0),
    ("search", Fault.REFUSE, 0.0),
    ("export", Fault.DELAY, 0.0),
    ("retrieve", Fault.THROTTLE, 0.0),
]


@dataclass(frozen=True)
class Seen:
    """The outcome of a cell."""

    answer: str  #: `answered`, or the code of the error
    seconds: float  #: until the answer or the error
    recovery_seconds: float  #: from the end of the fault until the repeated call succeeds
    lost: int  #: memories and relations that an undisturbed operation leaves, and this one did not
    doubled: int  #: memories and relations that this one left beyond those


@dataclass(frozen=True)
class Undisturbed:
    """What an operation leaves and answers without a fault, and its number of statements."""

    picture: Picture
    answer: object
    statements: int


@dataclass(frozen=True)
class Seam:
    """An undisturbed service, one behind the proxy, and the proxy."""

    plain: GraphMemory
    faulty: GraphMemory
    proxy: FaultProxy
    driver: AsyncDriver


@pytest_asyncio.fixture
async def seam(
    graph: Graph, embedder: Embedder, settings: Settings, driver: AsyncDriver
) -> AsyncIterator[Seam]:
    async with seam_of(graph, embedder, settings, driver) as opened:
        yield opened


@contextlib.asynccontextmanager
async def seam_of(
    graph: Graph,
    embedder: Embedder,
    settings: Settings,
    driver: AsyncDriver,
    query_timeout_seconds: float = 12.0,  # a Neo4j that has just started plans its statements
    on_lost: Callable[[GraphUnavailableError], None] = lambda _: None,
) -> AsyncIterator[Seam]:
    """Open a service behind a proxy, with short timeouts."""
    quick = settings.model_copy(
        update={
            "connect_timeout_seconds": 1.0,
            "query_timeout_seconds": query_timeout_seconds,
        }
    )
    async with (
        fault_proxy(graph.address) as proxy,
        Graph.open(quick, uri=f"bolt://127.0.0.1:{proxy.port}", on_lost=on_lost) as behind,
    ):
        plain = GraphMemory.over(graph, embedder, settings)
        faulty = GraphMemory.over(behind, embedder, quick)
        for memory in (plain, faulty):
            memory.context.clock = lambda: TODAY + timedelta(days=365)
        yield Seam(plain, faulty, proxy, driver)


@pytest.mark.parametrize(("name", "fault", "position"), SHORT)
async def test_a_fault_loses_nothing_and_doubles_nothing(
    seam: Seam, name: str, fault: Fault, position: float
) -> None:
    right = await undisturbed(seam, OPERATIONS[name])
    seen = await strike(seam, OPERATIONS[name], fault, position, right)
    assert (seen.lost, seen.doubled) == (0, 0)


async def undisturbed(seam: Seam, operation: Operation) -> Undisturbed:
    """Run an operation without a fault."""
    stage = await staged(seam, operation)
    seam.proxy.arm(None, writes_only=not operation.reads)
    answer = await operation.act(seam.faulty, stage)
    return Undisturbed(await picture(seam.driver, stage), answer, seam.proxy.statements)


async def staged(seam: Seam, operation: Operation) -> Stage:
    stage = Stage(seam.plain, f"fault_{secrets.token_hex(6)}")
    await stage.set_up()
    if operation.prepare:
        await operation.prepare(stage)
    return stage


async def strike(
    seam: Seam,
    operation: Operation,
    fault: Fault,
    position: float,
    right: Undisturbed,
    heal: Callable[[], None] = lambda: None,
) -> Seen:
    """Run an operation under a fault; a caller that gets an error repeats it after the fault.

    `position` is the place of the fault among the writes of an operation that writes, else among
    its reads: 0 for the first, 1 for the last.
    """
    stage = await staged(seam, operation)
    before = await picture(seam.driver, stage)
    after = int(position * (right.statements - 1))
    seam.proxy.arm(fault, after, writes_only=not operation.reads)
    started = time.monotonic()
    error = await attempt(seam, operation, stage)
    seconds = time.monotonic() - started
    if not seam.proxy.struck:  # statements that were sent once only are missing
        assert seam.proxy.statements < right.statements
        fewer = replace(right, statements=seam.proxy.statements)
        return await strike(seam, operation, fault, position, fewer, heal)
    seam.proxy.heal()
    heal()
    healed = time.monotonic()
    if error:
        assert isinstance(error, (*_ALLOWED, *operation.fails)), repr(error)
        assert str(error).endswith("."), str(error)
        if operation.repeats:
            await repeat(seam, operation, stage)
    recovery = time.monotonic() - healed
    await until_up(seam.plain)
    found = await settled(seam, stage, right.picture)
    if error and not operation.repeats and found == before:
        found = right.picture  # not acknowledged and not done
    wrong_answer = operation.reads and stage.answer != right.answer
    assert await verify(seam.plain.context.graph, seam.plain.settings, stage.group) == {}
    return Seen(
        error.code if error else "answered",
        seconds,
        recovery if error else 0.0,
        (right.picture - found).total() + wrong_answer,
        (found - right.picture).total(),
    )


async def attempt(seam: Seam, operation: Operation, stage: Stage) -> GraphMemoryError | None:
    """Call once; return the error. No call may hang."""
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            stage.answer = await operation.act(seam.faulty, stage)
    except GraphMemoryError as error:
        return error
    return None


async def repeat(seam: Seam, operation: Operation, stage: Stage) -> None:
    """Repeat a call until it succeeds, or until its answer is that it is done already."""
    async with asyncio.timeout(_RECOVERY_SECONDS):
        while error := await attempt(seam, operation, stage):
            if isinstance(error, operation.done):
                return
            await asyncio.sleep(0.1)


async def until_up(memory: GraphMemory) -> None:
    """Wait until Neo4j answers: it may have been killed after the last statement."""
    async with asyncio.timeout(_RECOVERY_SECONDS):
        while True:
            with contextlib.suppress(GraphUnavailableError):
                await memory.context.graph.run("database/graph/ping")
                return
            await asyncio.sleep(0.2)


async def settled(seam: Seam, stage: Stage, expected: Picture) -> Picture:
    """Return the picture; a statement whose answer is lost may still be running in Neo4j."""
    found = await picture(seam.driver, stage)
    for _ in range(20):
        if found == expected:
            break
        await asyncio.sleep(0.1)
        found = await picture(seam.driver, stage)
    return found
