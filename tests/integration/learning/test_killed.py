"""A run that is killed while it learns is finished by the next, as an undisturbed run ends."""

import json
import re
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from tests.integration.maintenance.test_run import killed, other, run
from tests.support.dump import dump

STAGES = ["entities", "proposals", "strengths", "centrality", "clusters"]

#: Values that differ between two runs that learn the same.
_OF_A_RUN = re.compile(r'"(?:run|origin)_id": "[^"]*"|\d{4}-\d\d-\d\dT[\d:.]+Z')


async def learned(driver: AsyncDriver, group: str) -> list[str]:
    """Return what a group contains, without records, ids and instants of runs."""
    rows = await dump(driver, group)
    kept = [row for row in rows if "LearningChange" not in (row.get("labels") or ())]
    return sorted(_OF_A_RUN.sub("", json.dumps(row, default=str, sort_keys=True)) for row in kept)


@pytest.mark.parametrize("after", [1, 2, 3, 4])
async def test_a_run_killed_while_it_learns_is_finished_by_the_next(
    memory: GraphMemory, driver: AsyncDriver, group: str, after: int
) -> None:
    memory = other(memory, learn=tuple(STAGES), undo_hold_days=0)
    memory.context.clock = lambda: datetime.now(UTC)  # as the killed process has it
    people = ("Ada Lovelace", "Grace Hopper", "Alan Turing")
    added = await memory.add_many(
        [{"content": f"{people[i % 3]} keeps the green kettle number {i}."} for i in range(30)]
    )
    ids = [str(each.memory_id) for each in added]
    for one, two in pairwise(ids):
        await memory.relations.add(one, two, "supports")
    untouched = await learned(driver, group)

    undisturbed = await run(memory)
    expected = await learned(driver, group)
    assert expected != untouched
    await memory.maintenance.undo(undisturbed.run_id)
    assert await learned(driver, group) == untouched

    again = {"GRAPH_MEMORY_LEARN": ",".join(STAGES), "GRAPH_MEMORY_UNDO_HOLD_DAYS": "0"}
    while not await killed(memory.settings, group, driver, after, **again):
        ended, *_ = (await memory.maintenance.status()).runs  # faster than the kill
        await memory.maintenance.undo(ended.run_id)
        assert await learned(driver, group) == untouched
    report = await run(memory)
    assert (report.completed, len(report.resumed)) == (True, 1)
    assert await learned(driver, group) == expected
