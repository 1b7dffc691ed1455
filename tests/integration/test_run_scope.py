"""A run touches only the groups and ids asked for, and finishes only what is the caller's."""

from collections.abc import AsyncIterator
from typing import Any

import pytest_asyncio
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from tests.conftest import Clock
from tests.integration.test_maintenance import fill, look, other, run


@pytest_asyncio.fixture(autouse=True)
async def finished(memory: GraphMemory, groups: list[str]) -> AsyncIterator[None]:
    """Leave no unfinished run and no memories behind."""
    yield
    await run(memory)
    for group in groups:
        await memory.graph.run("revise/erase_all", group_id=group)


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
    assert (await limited.maintain(groups=[groups[1]], **only)).completed
    assert await lowered(driver, groups) == [0, 0, 0]
    await limited.maintain(**only)
    assert await lowered(driver, groups) == [1, 0, 0]
    await scanning.maintain(groups=groups[:2], **only)
    assert await lowered(driver, groups) == [1, 1, 0]


async def test_confidence_sinks_in_the_canarys_share_alone(
    memory: GraphMemory, driver: AsyncDriver, groups: list[str], clock: Clock
) -> None:
    scanning = other(memory, confidence_scan_in_maintenance=True)
    await trusted(memory, groups[:1], 40)
    clock.advance(days=120)
    for canary, least, most in ((0, 0, 0), (25, 1, 20), (100, 40, 40)):
        await scanning.maintain(groups=groups[:1], stages=["confidence"], canary_percent=canary)
        (sunk,) = await lowered(driver, groups[:1])
        assert least <= sunk <= most
