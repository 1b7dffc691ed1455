"""The process of a caller is killed at random points of an operation, twenty times each."""

import asyncio
import contextlib
import json
import random
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
import pytest_asyncio

from graph_memory import Settings
from graph_memory.diagnostics.verify import verify
from graph_memory.inference.embedder import Embedder
from tests.integration.faults.test_fault_matrix import own_neo4j, planned_once
from tests.integration.faults.test_faults import Seam, repeat, settled, staged
from tests.support.operations import OPERATIONS, Operation, Stage, picture

KILLS = 20
KILLED = (
    "add",
    "add many",
    "update",
    "import",
    "maintain",
    "undo",
    "backup",
    "restore",
    "restore to an instant",
)

#: The process is killed up to this share of the time of an undisturbed operation after its start.
_LATEST = 1.1


@dataclass(frozen=True)
class Child:
    """A process that runs one operation."""

    process: asyncio.subprocess.Process

    async def answer(self) -> list[str]:
        """Return the words of its next line; none if it ended."""
        assert self.process.stdout
        return (await self.process.stdout.readline()).decode().split(maxsplit=1)

    def write(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n".encode())


@contextlib.asynccontextmanager
async def child(settings: Settings, operation: Operation, stage: Stage) -> AsyncIterator[Child]:
    """Start a process that is ready to run an operation, and kill it in the end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.support.operation_process",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    started = Child(process)
    asked = {"operation": operation.name, "settings": given(settings), "stage": described(stage)}
    try:
        started.write(json.dumps(asked))
        assert await started.answer() == ["ready"]
        yield started
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def given(settings: Settings) -> dict[str, str]:
    """Return the settings by which a process finds a database."""
    return {
        "neo4j_uri": settings.neo4j_uri or "",
        "neo4j_user": settings.neo4j_user,
        "neo4j_password": settings.neo4j_password.get_secret_value(),
        "data_dir": str(settings.data_dir),
    }


def described(stage: Stage) -> dict[str, object]:
    """Return the stage of an operation as JSON has it."""
    return {
        "group": stage.group,
        "ids": stage.ids,
        "run_id": stage.run_id,
        "backup": str(stage.backup),
        "until": stage.until,
        "lines": stage.lines,
    }


async def undisturbed_seconds(seam: Seam, operation: Operation) -> float:
    """Return the time that an operation takes in a process that is not killed."""
    stage = await staged(seam, operation)
    async with child(seam.plain.settings, operation, stage) as running:
        running.write("")
        word, seconds = await running.answer()
        assert word == "done", seconds
        return float(seconds)


async def killed(seam: Seam, operation: Operation, stage: Stage, after: float) -> bool:
    """Kill a process `after` seconds; return whether it had answered that the operation is done."""
    async with child(seam.plain.settings, operation, stage) as running:
        running.write("")
        await asyncio.sleep(after)
        running.process.kill()
        return (await running.answer() or [""])[0] == "done"


@pytest_asyncio.fixture
async def seam(tmp_path_factory: pytest.TempPathFactory, embedder: Embedder) -> AsyncIterator[Seam]:
    async with own_neo4j(tmp_path_factory.mktemp("kills"), embedder, 60.0) as (opened, _):
        yield opened


@pytest.mark.stress
@pytest.mark.timeout(3600)
async def test_a_killed_caller_loses_nothing_and_doubles_nothing(seam: Seam) -> None:
    failures: list[str] = []
    for name in KILLED:
        operation, chance = OPERATIONS[name], random.Random(name)
        right = await planned_once(seam, operation)
        seconds = await undisturbed_seconds(seam, operation)
        acknowledged = 0
        for number in range(KILLS):
            stage = await staged(seam, operation)
            after = chance.uniform(0, _LATEST * seconds)
            done = await killed(seam, operation, stage, after)
            acknowledged += done
            if done and (found := await picture(seam.driver, stage)) != right.picture:
                failures.append(f"{name} {number}: acknowledged, and {right.picture - found} lost")
            if not done:
                await repeat(seam, operation, stage)
            found = await settled(seam, stage, right.picture)
            if found != right.picture:
                lost, doubled = right.picture - found, found - right.picture
                failures.append(f"{name} {number}: {lost} lost, {doubled} twice")
            if problems := await verify(seam.plain.context.graph, seam.plain.settings, stage.group):
                failures.append(f"{name} {number}: {problems}")
        print(f"{name}: {KILLS} kills within {_LATEST * seconds:.2f} s, {acknowledged} answered")
    assert failures == []
