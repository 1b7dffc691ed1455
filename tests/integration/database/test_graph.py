"""The one door to Neo4j: parameters, values, retries, and a database that goes away."""

import asyncio
import time
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any, LiteralString

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings, metrics
from graph_memory.database.graph import Graph
from graph_memory.database.statements import Statement, statements
from graph_memory.errors import (
    GraphOverloadedError,
    GraphTimeoutError,
    GraphUnavailableError,
    LockTimeoutError,
    SettingsError,
    StatementError,
)


@dataclass(frozen=True, slots=True)
class Wrong:
    version: int


def slow_statement() -> Statement:
    """Return a read that keeps the database busy for many seconds."""
    return reading(
        "CYPHER 25 UNWIND range(1, 1000000000) AS n WITH n WHERE n % 7 = 8 RETURN n AS answer"
    )


def greedy_statement() -> Statement:
    """Return a read for which Neo4j books far more memory than it may take: a list for each row."""
    return reading(
        "CYPHER 25 UNWIND range(1, 100000) AS n WITH collect(n) AS numbers "
        "UNWIND range(1, 20000) AS n WITH n, numbers ORDER BY n DESC LIMIT 19999 "
        "RETURN n + size(numbers) AS answer"
    )


def reading(text: LiteralString) -> Statement:
    """Return a statement that reads."""
    ping = statements()["database/graph/ping"]
    return Statement(
        "database/graph/ping", ping.summary, "read", {}, ("answer",), temporal=False, text=text
    )


async def test_rows_become_the_values_asked_for(graph: Graph) -> None:
    assert await graph.one("database/graph/ping", int) == 1
    assert await graph.rows("database/graph/ping", int) == [1]


async def test_one_plan_serves_parameters_of_every_size(graph: Graph, driver: AsyncDriver) -> None:
    async def plans(*groups: str) -> str:
        await driver.execute_query("CALL db.clearQueryCaches()")
        for group in groups:
            prefixes = list(group)
            given = {"group_id": group, "prefixes": prefixes, "limit": 1}
            await graph.run("memories/read/ids", **given)
        cleared = await driver.execute_query("CALL db.clearQueryCaches()")
        return cleared.records[0]["value"]

    assert await plans("a", "b" * 20, "c" * 2000) == await plans("a")


async def test_an_unknown_statement_or_a_wrong_parameter_is_refused_here(graph: Graph) -> None:
    with pytest.raises(StatementError, match="Unknown statement 'database/graph/pong'"):
        await graph.one("database/graph/pong", int)
    with pytest.raises(StatementError, match="with \\['limit'\\]"):
        await graph.one("database/graph/ping", int, limit=3)


async def test_a_value_that_does_not_fit_the_columns_is_refused(graph: Graph) -> None:
    with pytest.raises(StatementError, match="are not the fields"):
        await graph.rows("database/embedding_record/stored", Wrong)


async def test_instants_come_back_as_pythons_own(memory: GraphMemory) -> None:
    stored = await memory.add("tea")
    assert type(stored.created_at) is datetime
    assert stored.created_at.utcoffset() is not None


async def test_a_slow_statement_is_stopped_at_its_time_limit(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    hasty = settings.model_copy(update={"query_timeout_seconds": 0.5})
    async with Graph.open(hasty) as graph:
        monkeypatch.setattr(Graph, "_statement", staticmethod(lambda name: slow_statement()))
        started = time.monotonic()
        with pytest.raises(GraphTimeoutError) as caught:
            await graph.one("database/graph/ping", int)
        assert caught.value.seconds == 0.5
        assert time.monotonic() - started < 20


async def test_a_statement_too_large_for_neo4js_memory_is_no_lost_database(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    impatient = settings.model_copy(update={"retry_seconds": 0.1})
    lost: list[GraphUnavailableError] = []
    async with Graph.open(impatient, on_lost=lost.append) as graph:
        with monkeypatch.context() as patch:
            patch.setattr(Graph, "_statement", staticmethod(lambda name: greedy_statement()))
            with pytest.raises(GraphOverloadedError, match="a larger heap"):
                await graph.one("database/graph/ping", int)
        assert await graph.one("database/graph/ping", int) == 1
    assert not lost


async def test_a_running_statement_tells_its_name(
    graph: Graph, driver: AsyncDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Graph, "_statement", staticmethod(lambda name: slow_statement()))
    running = asyncio.create_task(graph.one("database/graph/ping", int))
    seen: list[str] = []
    for _ in range(50):
        records, _, _ = await driver.execute_query(
            "SHOW TRANSACTIONS YIELD metaData RETURN metaData.statement AS name"
        )
        seen = [record["name"] for record in records if record["name"]]
        if seen:
            break
        await asyncio.sleep(0.1)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert seen == ["database/graph/ping"]


#: The calls that write to a memory, each with the arguments besides its id.
WRITES: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...] = (
    ("update", (), {"importance": 9}),
    ("delete", (), {}),
    ("touch", (), {}),
    ("lifecycle.preserve", (), {}),
    ("relations.add", ("OTHER",), {}),
)


@pytest.mark.parametrize("case", WRITES, ids=lambda case: case[0])
async def test_a_write_that_waits_for_a_lock_is_out_of_time_and_names_the_holder(
    memory: GraphMemory, settings: Settings, driver: AsyncDriver, case: Any
) -> None:
    path, positional, keywords = case
    stored, other, ready = [await memory.add(content) for content in ("tea", "cake", "milk")]
    ends = [other.memory_id if given == "OTHER" else given for given in positional]
    # The first run of a statement waits for its plan, not for a lock. So does the holder query.
    # With more data a statement is planned again, which takes seconds on a slow machine.
    await attrgetter(path)(memory)(ready.memory_id, *ends, **keywords)
    await memory.context.graph._lock_holder()
    hasty = settings.model_copy(update={"query_timeout_seconds": 4.0, "retry_seconds": 0.1})
    async with driver.session() as session, Graph.open(hasty) as graph:
        holder = await session.begin_transaction(metadata={"statement": "elsewhere/edit"})
        await holder.run("MATCH (m:Memory {uuid: $id}) SET m.held = 1", id=stored.memory_id)
        engine = GraphMemory.over(graph, memory.context.embedder, hasty, memory.clock)
        call = attrgetter(path)(engine)
        with pytest.raises(LockTimeoutError, match=r"'elsewhere/edit', for \d+ s") as caught:
            await call(stored.memory_id, *ends, group_id=stored.group_id, **keywords)
        await holder.rollback()
    assert caught.value.code == "timeout"


@pytest.mark.parametrize(("seconds", "at_once"), [(0.5, 1), (6.0, 2)])
async def test_reads_wait_their_turn_but_not_for_long(
    settings: Settings,
    driver: AsyncDriver,
    monkeypatch: pytest.MonkeyPatch,
    seconds: float,
    at_once: int,
) -> None:
    one_by_one = settings.model_copy(
        update={"neo4j_concurrent_reads": 1, "query_timeout_seconds": seconds}
    )
    async with Graph.open(one_by_one) as graph:
        monkeypatch.setattr(Graph, "_statement", staticmethod(lambda name: slow_statement()))
        reads = [asyncio.create_task(graph.one("database/graph/ping", int)) for _ in range(2)]
        seen: list[int] = []
        while not all(read.done() for read in reads):
            records, _, _ = await driver.execute_query(
                "SHOW TRANSACTIONS YIELD metaData WHERE metaData.statement = 'database/graph/ping' "
                "RETURN count(*) AS running"
            )
            seen.append(records[0]["running"])
            await asyncio.sleep(0.05)
        ends = await asyncio.gather(*reads, return_exceptions=True)
    assert max(seen) == at_once
    # Neither was stopped for the time it waited.
    assert {type(end) for end in ends} == {GraphTimeoutError}


async def test_a_dead_address_is_unavailable_at_once(settings: Settings) -> None:
    dead = settings.model_copy(update={"neo4j_uri": "bolt://127.0.0.1:1"})
    lost: list[GraphUnavailableError] = []
    started = time.monotonic()
    with pytest.raises(GraphUnavailableError) as caught:
        async with Graph.open(dead, on_lost=lost.append):
            pass
    assert time.monotonic() - started < 5
    assert caught.value.address == "bolt://127.0.0.1:1"
    assert lost


async def test_a_wrong_password_names_the_variable(settings: Settings) -> None:
    with pytest.raises(SettingsError, match="GRAPH_MEMORY_NEO4J_USER and _PASSWORD"):
        async with Graph.open(settings, password="wrong"):
            pass


async def test_a_missing_database_names_the_variable(settings: Settings) -> None:
    elsewhere = settings.model_copy(update={"neo4j_database": "nowhere"})
    with pytest.raises(SettingsError, match="GRAPH_MEMORY_NEO4J_DATABASE"):
        async with Graph.open(elsewhere):
            pass


async def test_routing_addresses_serve_as_well(settings: Settings) -> None:
    uri = (settings.neo4j_uri or "").replace("bolt://", "neo4j://")
    async with Graph.open(settings, uri=uri) as graph:
        assert await graph.one("database/graph/ping", int) == 1


async def test_every_statement_is_measured(graph: Graph) -> None:
    def count() -> float:
        return metrics.statement_seconds.labels("database/graph/ping", "ok")._sum.get()

    before = count()
    await graph.one("database/graph/ping", int)
    assert count() > before


async def test_writers_on_the_same_memories_neither_deadlock_nor_lose_a_count(
    memory: GraphMemory,
) -> None:
    outcomes = await memory.add_many([{"content": f"hot {n}"} for n in range(10)])
    ids = [outcome.memory_id or "" for outcome in outcomes]
    for turn in range(50):
        shuffled = ids[turn % 10 :] + ids[: turn % 10]
        memory.context.accesses.delivered(memory.context.scope(None), shuffled)
    await memory.context.accesses.flush()
    page = await memory.list(limit=50)
    assert {m.access_count for m in page.memories} == {50}
