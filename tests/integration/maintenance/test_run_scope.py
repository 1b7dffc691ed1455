"""A run touches only the groups and ids asked for, and finishes only what is the caller's."""

import os
from collections.abc import AsyncIterator
from typing import Any

import psutil
import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from graph_memory import GraphMemory, processes
from graph_memory.auth import rate_limit
from graph_memory.auth.grants import Grant, Scope
from graph_memory.database import lease
from graph_memory.database.lease import Lease
from graph_memory.errors import UndoRefusedError
from graph_memory.maintenance.records import runs
from tests.conftest import Clock
from tests.integration.maintenance.test_run import fill, look, other, run


@pytest_asyncio.fixture(autouse=True)
async def finished(memory: GraphMemory, groups: list[str]) -> AsyncIterator[None]:
    """Leave no unfinished run and no memories behind."""
    yield
    await run(memory)
    for group in groups:
        await memory.context.graph.run("memories/update/erase_all", group_id=group)


@pytest_asyncio.fixture
async def groups(group: str) -> list[str]:
    return [f"{group}_{n}" for n in range(3)]


async def trusted(memory: GraphMemory, groups: list[str], count: int = 1) -> None:
    """Store memories that a scan of confidence lowers after a year."""
    for group in groups:
        await fill(other(memory, group_id=group), count, confidence=0.9, importance=3)


async def lowered(driver: AsyncDriver, groups: list[str]) -> list[int]:
    """Count, by group, the memories that are trusted less than they were."""
    found = [await look(driver, group) for group in groups]
    return [sum(m["confidence"] < 0.9 for m in memories) for memories in found]


async def test_confidence_sinks_in_the_groups_of_the_run_alone(
    memory: GraphMemory, driver: AsyncDriver, groups: list[str], clock: Clock
) -> None:
    scanning = other(memory, confidence_scan_in_maintenance=True)
    await trusted(memory, groups)
    clock.advance(days=120)
    only: dict[str, Any] = {"stages": ["confidence"]}
    limited = other(scanning, decay_enabled_groups=(groups[0],))
    assert (await limited.maintenance.run(groups=[groups[1]], **only)).completed
    assert await lowered(driver, groups) == [0, 0, 0]
    await limited.maintenance.run(**only)
    assert await lowered(driver, groups) == [1, 0, 0]
    await scanning.maintenance.run(groups=groups[:2], **only)
    assert await lowered(driver, groups) == [1, 1, 0]


async def test_confidence_sinks_in_the_canarys_share_alone(
    memory: GraphMemory, driver: AsyncDriver, groups: list[str], clock: Clock
) -> None:
    scanning = other(memory, confidence_scan_in_maintenance=True)
    await trusted(memory, groups[:1], 40)
    clock.advance(days=120)
    for canary, least, most in ((0, 0, 0), (25, 1, 20), (100, 40, 40)):
        await scanning.maintenance.run(
            groups=groups[:1], stages=["confidence"], canary_percent=canary
        )
        (sunk,) = await lowered(driver, groups[:1])
        assert least <= sunk <= most


def bound(memory: GraphMemory, *groups: str) -> GraphMemory:
    """Return the service as an administrator of some groups may use it."""
    return memory.acting_for(Grant("a test", Scope.ADMIN, groups))


async def test_a_tenant_finishes_and_is_told_of_its_own_runs_alone(
    memory: GraphMemory, driver: AsyncDriver, groups: list[str], clock: Clock
) -> None:
    mine, theirs, _ = groups
    for group in (mine, theirs):
        await fill(other(memory, group_id=group), 30, importance=2)
        await memory.maintenance.run(groups=[group])
    clock.advance(days=40)
    short: dict[str, Any] = {"batch_size": 1, "max_seconds": 0.001}
    cut = [await bound(memory, g).maintenance.run(groups=[g], **short) for g in groups[:2]]
    assert [report.truncated for report in cut] == [True, True]
    report = await bound(memory, mine).maintenance.run(groups=[mine])
    assert (report.resumed, report.completed) == ([cut[0].run_id], True)
    moved = [{m["lifecycle_state"] for m in await look(driver, g)} for g in groups[:2]]
    assert moved == [{"DORMANT"}, {"ACTIVE", "DORMANT"}]
    changed = other(memory, dormant_days=20.0)
    assert (await bound(changed, mine).maintenance.run(groups=[mine])).resumed == []
    assert cut[1].run_id in {left.run_id for left in await runs(memory.context.graph, "stopped")}
    assert (await memory.maintenance.run(groups=[mine])).resumed == [cut[1].run_id]


async def test_a_run_that_was_cut_short_and_ended_is_not_cut_short(
    memory: GraphMemory, groups: list[str], clock: Clock
) -> None:
    await fill(other(memory, group_id=groups[0]), 30, importance=2)
    clock.advance(days=40)
    cut = await memory.maintenance.run(groups=groups[:1], batch_size=1, max_seconds=0.001)
    assert cut.truncated
    await memory.maintenance.run(groups=groups[:1])
    (ended,) = [each for each in await runs(memory.context.graph) if each.run_id == cut.run_id]
    assert (ended.status, ended.truncated) == ("done", False)


async def test_runs_and_the_calls_of_callers_are_forgotten_in_time(
    memory: GraphMemory, driver: AsyncDriver, groups: list[str], clock: Clock
) -> None:
    await rate_limit.count(memory.context.graph, "somebody", limit=10, now=clock.now)
    first = await memory.maintenance.run(groups=groups[:1])
    theirs = await memory.maintenance.run(groups=groups[1:])
    clock.advance(days=29)
    second = await memory.maintenance.run(groups=groups[:1])
    kept = {first.run_id, theirs.run_id, second.run_id}
    assert kept <= {each.run_id for each in await runs(memory.context.graph, limit=1000)}
    before = await totals(driver)
    clock.advance(days=2)
    last = await memory.maintenance.run(groups=groups[:1])
    left = {each.run_id for each in await runs(memory.context.graph, limit=1000)}
    assert left & (kept | {last.run_id}) == {theirs.run_id, second.run_id, last.run_id}
    assert not last.full
    after = await totals(driver)
    assert all(after[name] >= value for name, value in before.items())
    with pytest.raises(UndoRefusedError, match="30 days"):
        await memory.maintenance.undo(first.run_id)
    rows, _, _ = await driver.execute_query("MATCH (c:Control {key: 'rate:somebody'}) RETURN c")
    assert rows == []


async def totals(driver: AsyncDriver) -> dict[str, float]:
    rows, _, _ = await driver.execute_query(
        "MATCH (t:Control) WHERE t.key STARTS WITH 'total:' RETURN t.key AS name, t.value AS value"
    )
    return {row["name"]: row["value"] for row in rows}


def test_a_step_of_the_clock_ends_no_process() -> None:
    parent = psutil.Process(os.getppid())
    machine, since = lease._machine(), processes.started_at(parent)
    for seconds, gone in ((0, False), (1, False), (-1, False), (60, True)):
        owner = f"{machine}/{parent.pid}/{since + seconds}/0"
        assert lease._is_dead(owner) is gone


async def test_processes_of_another_container_are_not_taken_for_ended_ones(
    memory: GraphMemory, driver: AsyncDriver, groups: list[str]
) -> None:
    held = Lease(memory.context.graph, memory.settings)
    machine, *process = held.owner.rsplit("/", 3)
    assert lease._is_dead(held.owner)
    for elsewhere in (f"{machine}0", "another/1", machine.split("/")[0]):
        assert not lease._is_dead("/".join((elsewhere, *process)))
