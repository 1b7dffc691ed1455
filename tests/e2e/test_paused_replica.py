"""A replica is paused (SIGSTOP) for longer than its lease lasts, and another one takes over."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString

import pytest
import pytest_asyncio
from mcp import Client
from mcp.types import CallToolResult
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings
from graph_memory.diagnostics.verify import verify
from tests.conftest import Clock
from tests.e2e.test_mcp_transport import process, said
from tests.support.mcp_client import call, refused

LEASE_SECONDS = 3

#: Errors of a call that was under way when its process was paused, and can be repeated.
MAY_REPEAT = ("unavailable", "timeout")
MEMORIES = 120

pytestmark = pytest.mark.timeout(600)

#: How often runs have changed each memory of a group.
CHANGES: LiteralString = """
MATCH (change:MaintenanceChange {group_id: $group})
RETURN change.memory_id AS memory_id, count(*) AS times
"""

#: The status of the runs of a group, the first one first, and the steps that they counted.
RUNS: LiteralString = """
MATCH (run:MaintenanceRun) WHERE $group IN run.groups
RETURN run.status AS status, run.transitioned AS steps ORDER BY run.started_at
"""


@dataclass(frozen=True, slots=True)
class Server:
    url: str
    process: asyncio.subprocess.Process

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stop the process, and let it go on in the end."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)


@pytest_asyncio.fixture(scope="module")
async def servers(graph: Any, settings: Settings) -> AsyncIterator[list[Server]]:
    """Two servers with a short lease; a test pauses the first."""
    given = {
        "GRAPH_MEMORY_EMBEDDING_URL": "",
        "GRAPH_MEMORY_MAINTENANCE_LEASE_SECONDS": str(LEASE_SECONDS),
    }
    async with AsyncExitStack() as stack:
        started = [await stack.enter_async_context(process(settings, **given)) for _ in range(2)]
        yield [Server((await said(one, "Serving MCP at")).split()[-1], one) for one in started]


async def rows(driver: AsyncDriver, query: LiteralString, group: str) -> list[Any]:
    return [record.values() for record in (await driver.execute_query(query, group=group)).records]


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(120):
        while not await holds():  # noqa: ASYNC110 - Neo4j offers no event
            await asyncio.sleep(0.02)


async def test_a_run_of_a_paused_replica_is_finished_by_another(
    servers: list[Server], memory: GraphMemory, driver: AsyncDriver, clock: Clock, group: str
) -> None:
    clock.now = datetime.now(UTC) - timedelta(days=365)
    notes = [{"content": f"note {n:03} of the harbour", "importance": 2} for n in range(MEMORIES)]
    await memory.add_many(notes)
    await memory.maintenance.run(groups=[group], stages=["decay"])  # the next treats what is due
    run: dict[str, Any] = {"group_id": group, "batch_size": 1, "stages": ["decay"]}
    async with Client(servers[0].url) as ours, Client(servers[1].url) as other:
        running = asyncio.create_task(ours.call_tool("run_decay_maintenance", run))

        async def has_changed_some() -> bool:
            return bool(await rows(driver, CHANGES, group))

        await until(has_changed_some)
        with servers[0].paused():
            assert not running.done()
            _, locked = await refused(other, "run_decay_maintenance", **run)
            assert locked["code"] == "locked"
            taken = await until_taken_over(other, run)
        assert taken.structured_content is not None
        assert taken.structured_content["completed"]
        assert len(taken.structured_content["resumed"]) == 1
        lost = await running
        assert code_of(lost) == "locked"
        assert lost.structured_content
        assert "another run took over" in lost.structured_content["message"]

        times = await rows(driver, CHANGES, group)
        assert len(times) == MEMORIES
        assert {each for _, each in times} == {1}
        ended = await rows(driver, RUNS, group)
        assert [status for status, _ in ended] == ["done", "done", "done"]
        assert [steps.count(str(MEMORIES)) for _, steps in ended] == [0, 1, 0]
        again = await call(ours, "run_decay_maintenance", **run)
        assert again["completed"]
        await goes_on(ours, memory, group)


async def until_taken_over(client: Client, run: dict[str, Any]) -> CallToolResult:
    """Repeat a run until the lease of the paused one has expired."""
    async with asyncio.timeout(20 * LEASE_SECONDS):
        while True:
            done = await client.call_tool("run_decay_maintenance", run)
            if not done.is_error:
                return done
            await asyncio.sleep(0.2)


async def goes_on(client: Client, memory: GraphMemory, group: str) -> None:
    """Check that a replica serves, and that its group is sound."""
    added = await call(client, "add_memory", content="back again", group_id=group)
    shown = await call(client, "get_memory", memory_id=added["memory_id"], group_id=group)
    assert shown["content"] == "back again"
    assert await verify(memory.context.graph, memory.settings, group) == {}


async def test_writes_of_a_paused_replica_are_stored_once(
    servers: list[Server], memory: GraphMemory, group: str
) -> None:
    contents = [f"the kettle number {n} is blue" for n in range(30)]

    def tell(client: Client, content: str) -> Awaitable[CallToolResult]:
        return client.call_tool("add_memory", {"content": content, "group_id": group})

    async with Client(servers[0].url) as ours, Client(servers[1].url) as other:
        waiting = [asyncio.ensure_future(tell(ours, each)) for each in contents]

        async def has_stored_some() -> bool:
            return bool((await memory.list(limit=1)).memories)

        await until(has_stored_some)
        with servers[0].paused():
            repeated = [await tell(other, each) for each in contents]
            await asyncio.sleep(LEASE_SECONDS)
        answers = await asyncio.gather(*waiting)
        for number, answer in enumerate(answers):
            if code_of(answer) in MAY_REPEAT:
                answers[number] = await tell(ours, contents[number])
        first = [id_of(each) for each in answers]
        assert first == [id_of(each) for each in repeated]
        assert len(set(first)) == len((await memory.list(limit=50)).memories) == len(contents)
        await goes_on(ours, memory, group)


def code_of(answer: CallToolResult) -> str | None:
    """Return the code of an error, or None."""
    return (answer.structured_content or {})["code"] if answer.is_error else None


def id_of(answer: CallToolResult) -> str:
    """Return the id of a memory that is stored, by this call or an earlier one."""
    assert answer.structured_content
    assert code_of(answer) in (None, "duplicate")
    return answer.structured_content["existing_id" if answer.is_error else "memory_id"]
