"""Growth of searches, adds, lists, due passes and backups with the memories and the tenants.

Run `python -m tests.benchmarks.growth --folder FOLDER`. Each database is built in the folder, and
kept there for a second run. With `--million`, the largest group of the database that
`tests.benchmarks.million build` made is measured, too. The output is a table of figures, and the
exponent of a power that is fitted to each row: 0 if the cost stays, 1 if it grows in proportion.
"""

import argparse
import asyncio
import random
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from graph_memory import GraphMemory, Settings, local_neo4j
from graph_memory.domain.timestamps import instant
from tests.benchmarks.corpus import questions
from tests.benchmarks.million import LET_FALL_DUE, execute, neo4j_of, settings_of
from tests.benchmarks.million_data import MEMORIES, build, sizes

MEMORIES_OF_A_TENANT = (10_000, 100_000)
TENANTS = (1, 10, 100, 1000)
EACH = 200  #: memories of each of several tenants

_SEARCHES, _ADDS, _PAGES, _PASSES = 200, 50, 50, 5
_WARM_UP = 100
_MEMORIES_OF_A_PAGE = 50
_DUE = 1000  #: memories that a due pass treats, of all tenants together

#: Seconds, or milliseconds of the calls, by operation.
Figures = dict[str, float]


@dataclass(frozen=True, slots=True)
class Point:
    """A database to measure: where it is, and the memories of each tenant that is measured."""

    folder: Path
    tenants: Mapping[str, int]


def one_tenant(folder: Path) -> list[Point]:
    """Return the databases of one tenant each, the smallest first."""
    return [Point(folder / f"memories-{n}", {"tenant": n}) for n in MEMORIES_OF_A_TENANT]


def many_tenants(folder: Path) -> list[Point]:
    """Return the databases of several tenants, the fewest first."""
    return [
        Point(folder / f"tenants-{n}", {f"tenant_{i}": EACH for i in range(n)}) for n in TENANTS
    ]


def measure(point: Point) -> Figures:
    """Build a database if it does not exist, measure it, and print its figures."""
    settings = settings_of(point.folder)
    exists = point.folder.exists()
    with neo4j_of(settings) as given:
        if not exists:
            asyncio.run(build(given, point.tenants))
        figures = asyncio.run(_measured(given, list(point.tenants)))
    local_neo4j.stop(settings)
    shown = ", ".join(f"{name} {value:.1f}" for name, value in figures.items())
    print(f"{point.folder.name}: {shown}", flush=True)
    return figures


async def _measured(settings: Settings, groups: Sequence[str]) -> Figures:
    chance = random.Random(3)
    async with GraphMemory.open(settings) as memory:
        search, p95 = await _searches(memory, groups, chance)
        add = await _adds(memory, groups, chance)
        page = await _pages(memory, groups[0])
        due = [await _due_pass(memory, groups) for _ in range(_PASSES + 1)]
        began = time.monotonic()
        await memory.backups.create()
        backup = time.monotonic() - began
    return {
        "search p50, ms": search,
        "search p95, ms": p95,
        "add p50, ms": add,
        "page of a list p50, ms": page,
        "due pass, s": statistics.median(due[1:]),
        "backup, s": backup,
    }


async def _searches(
    memory: GraphMemory, groups: Sequence[str], chance: random.Random
) -> tuple[float, float]:
    """Return p50 and p95 of searches, in milliseconds."""
    found = list[float]()
    for question in questions(_WARM_UP + _SEARCHES, seed=5):
        began = time.perf_counter()
        await memory.search(question, group_id=chance.choice(groups))
        found.append(1000 * (time.perf_counter() - began))
    p50, p95 = np.percentile(found[_WARM_UP:], (50, 95)).tolist()
    return p50, p95


async def _adds(memory: GraphMemory, groups: Sequence[str], chance: random.Random) -> float:
    """Return p50 of the adds of a memory, in milliseconds."""
    found = list[float]()
    for number in range(2 * _ADDS):
        content = f"Note {number} of {time.time_ns()} is about a walk along the river"
        began = time.perf_counter()
        await memory.add(content, group_id=chance.choice(groups))
        found.append(1000 * (time.perf_counter() - began))
    return statistics.median(found[_ADDS:])


async def _pages(memory: GraphMemory, group: str) -> float:
    """Return p50 of the pages of a list, in milliseconds."""
    found, cursor = list[float](), None
    for _ in range(2 * _PAGES):
        began = time.perf_counter()
        page = await memory.list(limit=_MEMORIES_OF_A_PAGE, cursor=cursor, group_id=group)
        found.append(1000 * (time.perf_counter() - began))
        cursor = page.next_cursor  # of a small group the first page follows the last
    return statistics.median(found[_PAGES:])


async def _due_pass(memory: GraphMemory, groups: Sequence[str]) -> float:
    """Let memories fall due, and return the seconds of the run that treats them."""
    now = instant(memory.clock())
    for group, due in _due_of(groups):
        execute(memory.settings, LET_FALL_DUE, group=group, due=due, now=now)
    began = time.monotonic()
    report = await memory.maintenance.run(groups=list(groups), stages=("decay",), max_seconds=3600)
    seconds = time.monotonic() - began
    if report.processed < min(_DUE, EACH * len(groups)) // 2:
        raise RuntimeError(f"only {report.processed} memories were due")
    return seconds


def _due_of(groups: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield the memories of each tenant that fall due."""
    yield from ((group, max(1, _DUE // len(groups))) for group in groups)


def show(name: str, counts: Sequence[int], figures: Sequence[Figures]) -> None:
    """Print the figures by count, with the exponent of a fitted power."""
    print(f"\n| {name} | {' | '.join(f'{count:,}' for count in counts)} | exponent |")
    print("|---" * (len(counts) + 2) + "|")
    for operation in figures[0]:
        values = [each[operation] for each in figures]
        exponent = np.polyfit(np.log(counts), np.log(values), 1)[0]
        cells = " | ".join(f"{value:.3g}" for value in values)
        print(f"| {operation} | {cells} | {exponent:.2f} |", flush=True)


def main() -> None:
    """Measure the growth with the memories of a tenant, then with the number of tenants."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="Folder of the databases.")
    parser.add_argument("--million", type=Path, help="Folder of a database of a million memories.")
    asked = parser.parse_args()
    folder: Path = asked.folder.resolve()
    points = one_tenant(folder)
    if asked.million:
        points.append(Point(asked.million.resolve(), {"most": sizes(MEMORIES)["most"]}))
    counts = [next(iter(point.tenants.values())) for point in points]
    show("memories of one tenant", counts, [measure(point) for point in points])
    found = [measure(point) for point in many_tenants(folder)]
    show(f"tenants of {EACH} memories", TENANTS, found)


if __name__ == "__main__":
    main()
