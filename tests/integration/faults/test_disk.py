"""A full disk: writes are refused before it harms Neo4j, and a Neo4j that it harmed comes back."""

import asyncio
import os
import resource
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from graph_memory import GraphMemory, local_neo4j, read_settings
from graph_memory.database import disk_space
from graph_memory.diagnostics.verify import verify
from graph_memory.errors import (
    BackupError,
    DatabaseStoppedError,
    DiskFullError,
    GraphUnavailableError,
)

DISK = "450m"  #: Neo4j needs 135 MB for an empty database, and writes a reserve of 128 MiB
WORDS = "A full disk must not lose what was acknowledged. " * 40


@asynccontextmanager
async def away_from_others(root: Path) -> AsyncIterator[GraphMemory]:
    """Open a service with a database of its own, which may be harmed."""
    settings = read_settings(
        data_dir=root,
        local_fast_start=True,
        local_heap_mebibytes=512,
        local_linger_seconds=0,
        backup_auto=False,
    )
    async with GraphMemory.open(settings) as memory:
        yield memory


async def fill(memory: GraphMemory, name: str) -> list[str]:
    contents = [{"content": f"{name} {number}. {WORDS}"} for number in range(20)]
    return [str(each.memory_id) for each in await memory.add_many(contents)]


async def until_back(memory: GraphMemory, memory_id: str) -> None:
    async with asyncio.timeout(150):
        while True:
            try:
                await memory.get(memory_id, counted=False)
                return
            except GraphUnavailableError:
                await asyncio.sleep(0.5)


async def read_all(memory: GraphMemory, memory_ids: list[str]) -> None:
    for memory_id in memory_ids:
        assert (await memory.get(memory_id, counted=False)).memory_id == memory_id


@pytest.fixture(scope="module")
async def memory(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[GraphMemory]:
    async with away_from_others(tmp_path_factory.mktemp("disk")) as memory:
        yield memory


async def test_a_write_without_space_is_refused_and_reads_go_on(
    memory: GraphMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = await fill(memory, "with space")
    with monkeypatch.context() as patch:
        patch.setattr(disk_space, "RESERVE_BYTES", 2**60)
        with pytest.raises(DiskFullError, match="Nothing was written; reads go on"):
            await memory.add("one more")
        with pytest.raises(DiskFullError):
            await memory.maintenance.run()
        assert await memory.search("full disk")
        await read_all(memory, stored)
    assert (await memory.add("one more")).memory_id


async def test_a_neo4j_that_cannot_write_is_restarted(memory: GraphMemory) -> None:
    stored = await fill(memory, "before")
    instance = local_neo4j.running(memory.settings)
    assert instance is not None
    limit_files(instance.pid, 1)
    with pytest.raises(DatabaseStoppedError, match="often a full disk"):
        await fill(memory, "during")
    await until_back(memory, stored[0])
    await read_all(memory, stored + await fill(memory, "after"))
    revived = local_neo4j.running(memory.settings)
    assert revived is not None
    assert revived.pid != instance.pid
    assert await verify(memory.context.graph, memory.settings) == {}


@pytest.mark.stress
@pytest.mark.timeout(1200)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a file system")
async def test_a_full_file_system_loses_nothing_acknowledged(tmp_path: Path) -> None:
    with file_system(tmp_path) as disk:
        async with away_from_others(disk / "data") as memory:
            stored = await fill(memory, "before")
            await memory.backups.create()
            for operation in (
                memory.backups.create,
                memory.maintenance.run,
                lambda: fill(memory, "during"),
            ):
                await asyncio.gather(becomes_full(disk), refused(operation))
                await read_all(memory, stored)
                (disk / "ballast").unlink()
                await until_back(memory, stored[0])
                await operation()
            stored += await fill(memory, "after")
            await read_all(memory, stored)
            assert await verify(memory.context.graph, memory.settings) == {}


async def becomes_full(disk: Path) -> None:
    """Fill a file system to the last byte while something else runs."""
    with (disk / "ballast").open("wb", buffering=0) as ballast, suppress(OSError):
        while True:
            ballast.write(bytes(2**20))
            await asyncio.sleep(0)


async def refused(operation: Callable[[], Awaitable[object]]) -> None:
    """Repeat an operation until the disk is too full for it."""
    async with asyncio.timeout(120):
        while True:
            try:
                await operation()
            except (DiskFullError, BackupError, DatabaseStoppedError):
                return


@contextmanager
def file_system(folder: Path) -> Iterator[Path]:
    """Mount a small file system in memory."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)]
    subprocess.run(command, check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def limit_files(pid: int, size: int) -> None:
    """Let a process fail at each write beyond `size` bytes of a file, as on a full disk."""
    _, hard = psutil.Process(pid).rlimit(resource.RLIMIT_FSIZE)
    psutil.Process(pid).rlimit(resource.RLIMIT_FSIZE, (size, hard))
