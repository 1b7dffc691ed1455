"""A run treats what is due, once; it can be cut short, killed, repeated and undone."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.archive import export_lines
from graph_memory.maintenance import Report
from tests.conftest import Clock


async def run(memory: GraphMemory, **request: Any) -> Report:
    """Run maintenance on the test's own group."""
    return await memory.maintain(groups=[memory.group(None)], **request)


async def exported(memory: GraphMemory) -> list[str]:
    return [line async for line in export_lines(memory)]


async def test_a_run_takes_each_memory_one_step(memory: GraphMemory, clock: Clock) -> None:
    stored = await memory.add("a fact", importance=5)
    clock.advance(days=400)
    arrows = []
    for _ in range(5):
        clock.advance(hours=1)
        report = await run(memory)
        arrows += list(report.transitioned)
    assert arrows == ["ACTIVE>DORMANT", "DORMANT>ARCHIVED", "ARCHIVED>EXPIRED", "EXPIRED>SOFT_DELETED"]
    clock.advance(days=91)
    report = await run(memory)
    assert report.purged == 1
    undone = await memory.undo_maintenance(report.run_id)
    assert undone.restored == 1
