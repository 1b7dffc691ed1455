"""A run treats what is due, once; it can be cut short, killed and repeated."""

import asyncio
import os
import signal
import sys
import time
from asyncio.subprocess import Process
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any, LiteralString

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings
from graph_memory.database.lease import Lease
from graph_memory.domain.timestamps import instant
from graph_memory.errors import InvalidArgumentError, RunLockedError, RunsPausedError
from graph_memory.maintenance.records import runs
from graph_memory.maintenance.report import MaintenanceReport
from graph_memory.maintenance.request import Stage
from tests.conftest import TODAY, Clock, some_transaction_waits

LOOK: LiteralString = "MATCH (m:Memory {group_id: $group}) RETURN m {.*} AS m ORDER BY m.content"


async def run(memory: GraphMemory, **request: Any) -> MaintenanceReport:
    """Run maintenance on the test's own group."""
    return await memory.maintenance.run(groups=[memory.group(None)], **request)


def other(memory: GraphMemory, **settings: Any) -> GraphMemory:
    """Return the same service under other settings."""
    return GraphMemory.over(
        memory.context.graph,
        memory.context.embedder,
        memory.settings.model_copy(update=settings),
        memory.clock,
    )


async def look(driver: AsyncDriver, group: str) -> list[dict[str, Any]]:
    records, _, _ = await driver.execute_query(LOOK, group=group)
    return [record["m"] for record in records]


async def states(driver: AsyncDriver, group: str) -> dict[str, str]:
    return {m["content"]: m["lifecycle_state"] for m in await look(driver, group)}


async def fill(memory: GraphMemory, count: int, **details: Any) -> list[str]:
    outcomes = await memory.add_many(
        {"content": f"note {i:03} of {memory.group(None)}", **details} for i in range(count)
    )
    return [str(outcome.memory_id) for outcome in outcomes]


@pytest_asyncio.fixture(autouse=True)
async def resumed(memory: GraphMemory) -> AsyncIterator[None]:
    """Leave no pause and no unfinished run behind."""
    yield
    await memory.maintenance.resume()
    await run(memory)


async def test_ten_idle_years_take_nothing_that_is_protected_or_important(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    await memory.add("kept by a tag", importance=1, tags=["Pinned"])
    await memory.add("kept by importance", importance=9, stability=5)
    await memory.add("important", importance=6)
    await memory.add("kept for a year", importance=1, tags=["preserved"])
    await driver.execute_query(
        "MATCH (m:Memory {group_id: $group, content: 'kept for a year'}) "
        "SET m.preserve_until = $at",
        group=group,
        at=instant(TODAY + timedelta(days=365)),
    )
    await memory.add("trivial", importance=2)
    clock.advance(days=3650)
    seen: list[dict[str, int]] = []
    for _ in range(6):
        seen.append(dict((await run(memory)).transitioned))
        clock.advance(hours=1)
    assert [sum(arrows.values()) for arrows in seen] == [3, 3, 2, 2, 0, 0]
    assert await states(driver, group) == {
        "kept by a tag": "ACTIVE",
        "kept by importance": "ACTIVE",
        "important": "ARCHIVED",
        "kept for a year": "SOFT_DELETED",
        "trivial": "SOFT_DELETED",
    }
    (kept,) = [m for m in await look(driver, group) if m["content"] == "kept for a year"]
    assert (kept["tags"], kept.get("preserve_until")) == ([], None)


async def test_a_policy_by_score_deletes_at_once_and_records_both_steps(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    await memory.add("adaptive", decay_policy="adaptive", importance=5)
    clock.advance(days=600)
    report = await run(memory)
    assert (report.transitioned, report.soft_deleted) == ({"ACTIVE>SOFT_DELETED": 1}, 1)
    (gone,) = await look(driver, group)
    assert len(gone["state_history"]) == 2
    assert gone["soft_deleted_at"] == instant(clock.now)


async def test_repeating_a_run_at_one_instant_changes_nothing(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    await fill(memory, 5, importance=2)
    await fill_other_ages(memory)
    clock.advance(days=100)
    first = await run(memory)
    assert first.full
    assert first.processed == 8
    before = await look(driver, group)
    again, full = await run(memory), await run(memory, full=True)
    assert (again.processed, again.full, full.processed) == (0, False, 0)
    assert await look(driver, group) == before


async def fill_other_ages(memory: GraphMemory) -> list[str]:
    ages = {"of last month": 40, "of last year": 400, "of the future": -50}
    outcomes = await memory.add_many(
        {"content": content, "created_at": TODAY - timedelta(days=days), "importance": 2}
        for content, days in ages.items()
    )
    return [str(outcome.memory_id) for outcome in outcomes]


async def test_two_runs_come_to_the_score_of_one_and_the_clock_may_go_back(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    ids = await fill_other_ages(memory)
    clock.advance(days=20)
    await run(memory, full=True)
    clock.advance(days=7)
    await run(memory, full=True)
    twice = {m["content"]: m["decay_score"] for m in await look(driver, group)}
    shown = [await memory.get(i, counted=False) for i in ids]
    at_once = {m.content: m.decay_score for m in shown}
    assert twice == at_once
    assert twice["of the future"] == 0.0
    clock.advance(days=-30)
    before = await states(driver, group)
    assert not (await run(memory)).errors
    assert await states(driver, group) == before


async def test_a_memory_that_cannot_be_treated_is_named_and_passed_over(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    ids = await fill(memory, 12, importance=2)
    await run(memory)
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $a}) SET m.last_accessed_at = 'yesterday' "
        "WITH m MATCH (n:Memory {uuid: $b}) SET n.updated_at = 'yesterday'",
        a=ids[3],
        b=ids[7],
    )
    clock.advance(days=40)
    report = await run(memory, batch_size=4)
    assert (report.errors, report.processed, report.completed) == (2, 10, True)
    assert {failure.memory_id for failure in report.failed} == {ids[3], ids[7]}
    assert Counter((await states(driver, group)).values()) == {"DORMANT": 10, "ACTIVE": 2}
    clock.advance(days=1)
    assert (await run(memory, full=True)).errors == 2


async def test_pause_lock_and_time_limit(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    await fill(memory, 60, importance=2)
    await run(memory)
    clock.advance(days=40)
    async with Lease(memory.context.graph, memory.settings):
        with pytest.raises(RunLockedError):
            await run(memory)
        assert (await memory.maintenance.status()).running
    await memory.maintenance.pause("a test")
    with pytest.raises(RunsPausedError, match="a test"):
        await run(memory)
    assert (await memory.maintenance.status()).paused
    assert await memory.maintenance.resume()
    cut = await run(memory, batch_size=1, max_seconds=0.001)
    assert (cut.completed, cut.truncated, cut.processed) == (False, True, 20)
    rest = await run(memory)
    assert (rest.resumed, rest.completed) == ([cut.run_id], True)
    assert set((await states(driver, group)).values()) == {"DORMANT"}
    assert all(len(m["state_history"]) == 1 for m in await look(driver, group))


async def test_a_run_that_is_cut_short_has_treated_the_most_overdue(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    await fill(memory, 25)
    outcomes = await memory.add_many(
        {"content": f"older note {n}", "created_at": TODAY - timedelta(days=10)} for n in range(20)
    )
    overdue = {str(outcome.memory_id) for outcome in outcomes}
    await run(memory)
    clock.advance(days=40)
    cut = await run(memory, batch_size=1, max_seconds=0.001)
    assert (cut.truncated, cut.processed) == (True, 20)
    treated = {m["uuid"] for m in await look(driver, group) if m["lifecycle_state"] != "ACTIVE"}
    assert treated == overdue


async def test_concurrent_transactions_treat_each_memory_once(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    await fill(memory, 40, importance=2)
    await run(memory)
    clock.advance(days=40)
    report = await run(memory, batch_size=3, concurrency=4)
    assert (report.processed, report.errors) == (40, 0)
    assert report.transitioned == {"ACTIVE>DORMANT": 40}
    assert all(len(m["state_history"]) == 1 for m in await look(driver, group))


async def test_one_run_treats_thousands(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    (first,) = await fill(memory, 1, importance=2)
    await run(memory)
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) UNWIND range(1, 2999) AS i CREATE (copy:Entity:Memory) "
        "SET copy = m {.*, uuid: m.uuid + '-' + i, dedup_key: m.dedup_key + '-' + i, "
        "embedding: null}",
        id=first,
    )
    clock.advance(days=40)
    report = await run(memory, stages=["decay"])
    assert (report.completed, report.processed, report.errors) == (True, 3000, 0)
    assert report.transitioned == {"ACTIVE>DORMANT": 3000}
    await memory.delete_all(confirm="DELETE ALL", permanent=True)


LOST: LiteralString = """
MATCH (m:Memory {group_id: $group})
SET m.decay_policy = 'adaptive', m.confidence = 0.0, m.next_due_at = $now
"""


@pytest.mark.parametrize("days", [60, 101])
async def test_a_call_that_finishes_a_run_and_runs_moves_a_memory_by_one_step(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock, days: int
) -> None:
    """Also if the interrupted run deleted memories so long ago that they would be purged."""
    purged = days > 90
    await fill(memory, 50, importance=2)
    await run(memory)
    if purged:
        await driver.execute_query(LOST, group=group, now=instant(clock.now))
    clock.advance(days=40)
    cut = await run(memory, batch_size=1, max_seconds=0.001)
    assert (cut.truncated, cut.processed) == (True, 20)
    clock.advance(days=days)
    await memory.add("another", importance=2, created_at=TODAY)
    rest = await run(memory)
    assert (rest.resumed, rest.purged) == ([cut.run_id], 0)
    assert rest.transitioned == {"ACTIVE>DORMANT": 1}
    found = Counter((await states(driver, group)).values())
    assert found == ({"SOFT_DELETED": 50, "DORMANT": 1} if purged else {"DORMANT": 51})
    clock.advance(hours=1)
    after = await run(memory)
    assert after.purged == (50 if purged else 0)
    assert after.transitioned == {"DORMANT>ARCHIVED": 1 if purged else 51}


async def test_two_runs_at_once_are_one(memory: GraphMemory, clock: Clock) -> None:
    await fill(memory, 5, importance=2)
    clock.advance(days=40)
    outcomes = await asyncio.gather(run(memory), run(memory), return_exceptions=True)
    kinds = Counter(type(outcome) for outcome in outcomes)
    assert kinds == {MaintenanceReport: 1, RunLockedError: 1}


async def test_a_run_that_is_paused_on_its_way_stops_and_goes_on_later(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    await fill(memory, 45, importance=2)
    clock.advance(days=40)
    await run(memory, stages=["records"])
    running = asyncio.create_task(run(memory, batch_size=1))
    await memory.maintenance.pause("on its way")
    try:
        report = await running
        assert (report.completed, report.paused) == (False, True)
    except RunsPausedError:
        pass  # it came first
    await memory.maintenance.resume()
    await run(memory)
    assert set((await states(driver, group)).values()) == {"DORMANT"}


async def test_canary_and_flags_choose_the_same_memories_each_time(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    await fill(memory, 80, importance=2)
    clock.advance(days=40)
    assert (await run(other(memory, decay_enabled=False))).processed == 0
    nothing = await run(other(memory, decay_enabled_groups=("elsewhere",)))
    assert (nothing.processed, nothing.groups) == (0, [])
    assert "GRAPH_MEMORY_DECAY_ENABLED_GROUPS" in (nothing.warning or "")
    first = await run(memory, canary_percent=25)
    assert (first.groups, first.warning) == ([group], None)
    assert 5 <= first.processed <= 40
    chosen = [m["uuid"] for m in await look(driver, group) if m["lifecycle_state"] == "DORMANT"]
    assert len(chosen) == first.processed
    clock.advance(days=60)
    await run(memory, canary_percent=25)
    again = [m["uuid"] for m in await look(driver, group) if m["lifecycle_state"] != "ACTIVE"]
    assert again == chosen
    assert (await run(memory)).processed == 80 - len(chosen)


async def test_stages_run_in_their_order_and_only_those_asked_for(
    memory: GraphMemory, group: str, clock: Clock
) -> None:
    await fill(memory, 3, importance=2)
    clock.advance(days=40)
    report = await run(memory, stages=["purge", "protection"])
    assert (report.stages, report.processed) == (["protection", "purge"], 0)
    learning = [
        "entities",
        "proposals",
        "strengths",
        "centrality",
        "clusters",
        "weights",
        "briefs",
    ]
    usual = [stage for stage in Stage if stage not in learning]
    assert (await run(memory)).stages == usual
    (latest, *_) = await runs(memory.context.graph)
    assert (latest.groups, latest.status, latest.stages_done) == ([group], "done", usual)
    with pytest.raises(InvalidArgumentError, match="stages"):
        await run(memory, stages=["nonsense"])


async def test_other_rules_are_applied_to_every_memory(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    await fill(memory, 4, importance=2)
    await run(memory)
    clock.advance(days=8)
    assert (await run(memory)).processed == 0
    hasty = other(memory, dormant_days=5.0, half_life_base_days=4.0)
    report = await run(hasty)
    assert (report.full, report.transitioned) == (True, {"ACTIVE>DORMANT": 4})
    assert not (await run(hasty)).full


OTHERWISE = {"decay_policy": "none"}


@pytest.mark.parametrize("how", ["undone", "stopped", "touched", "failed"])
async def test_what_other_rules_have_scheduled_is_scheduled_anew_when_they_are_gone(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock, how: str
) -> None:
    (memory_id,) = await fill(memory, 1, importance=2)
    await run(memory)
    clock.advance(hours=1)
    away = other(memory, **OTHERWISE)
    if how == "undone":
        await away.maintenance.undo((await run(away)).run_id)
    elif how == "stopped":
        assert (await run(away, max_seconds=0.0001)).truncated
    elif how == "failed":
        report = await run(memory, full=True)
        await driver.execute_query(
            "MATCH (run:MaintenanceRun {run_id: $id}) SET run.status = 'failed' "
            "WITH run MATCH (m:Memory {uuid: $memory_id}) SET m.next_due_at = null",
            id=report.run_id,
            memory_id=memory_id,
        )
    else:
        await away.touch(memory_id)
        await memory.touch(memory_id)
        await away.touch(memory_id)
    clock.advance(hours=1)
    assert (await run(memory)).full
    assert not (await run(memory)).full
    clock.advance(days=40)
    report = await run(memory)
    assert (report.full, report.transitioned) == (False, {"ACTIVE>DORMANT": 1})


async def test_other_rules_are_applied_at_the_instant_of_the_last_run(
    memory: GraphMemory, clock: Clock
) -> None:
    await fill(memory, 1, importance=2)
    clock.advance(days=1)
    await run(other(memory, **OTHERWISE))
    report = await run(memory)
    assert (report.full, report.processed) == (True, 1)
    clock.advance(days=40)
    assert (await run(memory)).transitioned == {"ACTIVE>DORMANT": 1}


@pytest.mark.parametrize("full", [False, True])
async def test_a_run_does_not_overtake_an_access(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock, full: bool
) -> None:
    (memory_id,) = await fill(memory, 1, importance=2)
    await run(memory)
    clock.advance(days=40)
    async with driver.session() as session, await session.begin_transaction() as accessing:
        await accessing.run(
            "MATCH (m:Memory {uuid: $id}) SET m.last_accessed_at = $now",
            id=memory_id,
            now=instant(clock.now),
        )
        running = asyncio.create_task(run(memory, full=full))
        await some_transaction_waits(driver)
        await accessing.commit()
    assert (await running).transitioned == {}
    assert set((await states(driver, group)).values()) == {"ACTIVE"}


async def started(settings: Settings, group: str, **more: str) -> Process:
    """Start a run over a group in a process of its own, with variables of the environment."""
    environment = (
        os.environ
        | more
        | {
            "GRAPH_MEMORY_NEO4J_URI": settings.neo4j_uri or "",
            "GRAPH_MEMORY_NEO4J_USER": settings.neo4j_user,
            "GRAPH_MEMORY_NEO4J_PASSWORD": settings.neo4j_password.get_secret_value(),
        }
    )
    program = Path(sys.executable).with_name("graph-memory")
    return await asyncio.create_subprocess_exec(
        program,
        "maintain",
        "--group",
        group,
        "--batch-size",
        "1",
        env=environment,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )


async def killed(
    settings: Settings, group: str, driver: AsyncDriver, after: int, **more: str
) -> bool:
    """Start a run in a process of its own, and kill it after a number of recorded changes.

    Args:
        settings: The database.
        group: The group that the run treats.
        driver: A driver of the database.
        after: Number of records of changes.
        more: Variables of the environment.

    Returns:
        False if the run had ended before it was killed.
    """
    process = await started(settings, group, **more)
    changed, deadline = 0, time.monotonic() + 60
    while changed < after and process.returncode is None and time.monotonic() < deadline:
        records, _, _ = await driver.execute_query(
            "MATCH (c:MaintenanceChange|LearningChange {group_id: $group}) RETURN count(c)",
            group=group,
        )
        changed = records[0][0]
    if process.returncode is None:
        process.send_signal(signal.SIGKILL)
    await process.wait()
    records, _, _ = await driver.execute_query(
        "MATCH (r:MaintenanceRun) WHERE r.groups = [$group] AND r.status <> 'done' RETURN count(r)",
        group=group,
    )
    return bool(records[0][0])


def comparable(memories: list[dict[str, Any]]) -> list[Any]:
    return [
        (
            m["content"][:8],
            m["lifecycle_state"],
            m.get("is_compressed", False),
            [
                entry[entry.index('"from"') : entry.index('"reason"')]
                for entry in m["state_history"]
            ],
        )
        for m in memories
    ]


async def survive(memory: GraphMemory, driver: AsyncDriver, after: int) -> None:
    """Kill a run, finish it, and compare with memories whose runs nobody disturbed."""
    group, twin = memory.group(None), f"{memory.group(None)}_{after}"
    await memory.context.graph.run("memories/update/erase_all", group_id=group)
    for each in (memory, other(memory, group_id=twin)):
        await fill(each, 60, importance=2)
    now = memory.context.clock
    memory.context.clock = lambda: TODAY + timedelta(days=365)
    try:
        await killed(memory.settings, group, driver, after)
        report = await run(memory)
        assert (report.completed, len(report.resumed)) == (True, 1)
        await memory.maintenance.run(groups=[twin])
        assert comparable(await look(driver, group)) == comparable(await look(driver, twin))
    finally:
        memory.context.clock = now
        await memory.context.graph.run("memories/update/erase_all", group_id=twin)


@pytest.mark.parametrize("after", [25])
async def test_a_killed_run_is_finished_by_the_next(
    memory: GraphMemory, driver: AsyncDriver, after: int
) -> None:
    await survive(memory, driver, after)


@pytest.mark.stress
@pytest.mark.timeout(900)
async def test_runs_killed_at_twenty_points_end_as_undisturbed_ones(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    for after in range(1, 60, 3):
        await survive(memory, driver, after)
