"""A dry run after an interrupted run says what would first be finished, and foresees the run."""

import json
from datetime import timedelta

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.maintenance.records import runs
from tests.conftest import Clock
from tests.integration.maintenance.test_recalculation import cut_full_run
from tests.integration.maintenance.test_run import fill, other, resumed, run, states
from tests.support.mcp_client import inside, text

__all__ = ("resumed",)  # a fixture


async def _interrupted(memory: GraphMemory, clock: Clock) -> str:
    """Store 30 memories that are due, and begin a run, which treats 20 of them."""
    await fill(memory, 30, importance=2)
    await run(memory)
    clock.advance(days=40)
    cut = await run(memory, batch_size=1, max_seconds=0.001)
    assert (cut.truncated, cut.processed) == (True, 20)
    return cut.run_id


async def _interrupted_full(memory: GraphMemory, clock: Clock) -> tuple[str, int]:
    """Store 30 memories, and begin a run that treats the first ones; return its id and number."""
    await fill(memory, 30, importance=2)
    await run(memory)
    clock.advance(days=40)
    cut = await cut_full_run(memory, limit=20)
    assert cut.processed < 30
    return cut.run_id, cut.processed


@pytest.mark.parametrize("full", [False, True])
async def test_a_dry_run_foresees_the_finish_of_an_interrupted_run(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock, full: bool
) -> None:
    deleted = [await memory.add(f"deleted {n}") for n in range(3)]
    for each in deleted[:2]:
        await memory.delete(each.memory_id)
    clock.advance(days=85)
    await memory.delete(deleted[2].memory_id)
    if full:
        run_id, treated = await _interrupted_full(memory, clock)
    else:
        run_id, treated = await _interrupted(memory, clock), 20
    begun = clock.now
    clock.advance(days=60)
    created = clock.now - timedelta(days=50)
    another = await memory.add("another", importance=2, created_at=created)
    before = await states(driver, group)
    told = await memory.maintenance.dry_run(groups=[group], full=full)
    assert await states(driver, group) == before
    (stopped,) = await runs(memory.context.graph, "stopped")
    assert stopped.run_id == run_id
    (left,) = told.unfinished
    assert (told.resumed, left.run_id, left.now, left.groups) == ([run_id], run_id, begun, [group])
    rest = 30 - treated
    # A full one treats the new memory, too, unless it has treated the range of its id.
    follows = full and another.memory_id > stopped.treated_to
    assert left.processed == rest + follows
    assert (left.transitioned, left.purged) == ({"ACTIVE>DORMANT": rest}, 2)
    assert "decay" in left.stages
    assert "protection" not in left.stages
    done = await run(memory, full=full)
    assert (done.resumed, done.completed) == ([run_id], True)
    assert (told.transitioned, told.purged) == (done.transitioned, done.purged)
    assert told.transitioned == {"ACTIVE>DORMANT": 1}
    after = await memory.maintenance.dry_run(groups=[group], full=full)
    assert (after.unfinished, after.resumed) == ([], [])


async def test_command_and_tool_say_what_would_first_be_finished(
    memory: GraphMemory, group: str, clock: Clock
) -> None:
    run_id = await _interrupted(memory, clock)
    async with inside(memory) as client:
        result = await client.call_tool("run_decay_maintenance", {"dry_run": True})
    said = f"Run {run_id} of {clock.now:%Y-%m-%d %H:%M} UTC was interrupted, and would first be "
    assert f"{said}finished for {group}, from the stage decay: 10 memories; " in text(result)
    assert result.structured_content
    assert result.structured_content["unfinished"][0]["run_id"] == run_id
    json.dumps(result.structured_content)


async def test_what_other_rules_or_other_groups_began_is_not_foreseen(
    memory: GraphMemory, group: str, clock: Clock
) -> None:
    run_id = await _interrupted(memory, clock)
    changed = other(memory, dormant_days=20.0)
    for told in (
        await changed.maintenance.dry_run(groups=[group]),
        await memory.maintenance.dry_run(groups=[group], policy="adaptive"),
    ):
        assert (told.unfinished, told.resumed) == ([], [])
    assert [left.run_id for left in await runs(memory.context.graph, "stopped")] == [run_id]
