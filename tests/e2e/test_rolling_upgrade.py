"""A rolling upgrade: the program of an earlier commit serves while this one migrates, and back.

Both run as processes of their own over one database. The earlier program comes out of the history
of the repository: one without the last migration, and one with eleven migrations.
"""

import asyncio
import contextlib
import json
import random
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from mcp import Client

from graph_memory.database import schema
from graph_memory.database.migrations import MIGRATIONS
from tests.e2e.test_mcp_transport import said
from tests.integration.database.test_upgrades import VERSIONS, Large, large, managed
from tests.support.mcp_client import serve_arguments, serve_environment
from tests.support.multiplied import load

__all__ = ["large", "managed"]  # fixtures

pytestmark = [pytest.mark.stress, pytest.mark.timeout(1800)]

ROOT = Path(__file__).parents[2]
MEMORIES = 5000
NEWEST = MIGRATIONS[-1].version
SIDE_BY_SIDE_SECONDS = 20.0

#: The last migration of a version, by its commit; the fixture of a version is named like it.
LAST = {
    folder.name: max(map(int, json.loads((folder / "expected.json").read_text())["migrations"]))
    for folder in VERSIONS.iterdir()
    if (folder / "expected.json").is_file()
}
NEIGHBOUR = next(commit for commit, last in LAST.items() if last == NEWEST - 1)


@dataclass
class Replica:
    """A server of one program, and what it has acknowledged."""

    client: Client
    name: str
    contents: dict[str, str] = field(default_factory=dict)
    slowest: float = 0.0

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        began = time.monotonic()
        answer = await self.client.call_tool(tool, {"group_id": "atelier", **arguments})
        self.slowest = max(self.slowest, time.monotonic() - began)
        assert not answer.is_error, f"{self.name} {tool}: {answer.content}"
        return answer.structured_content or {}

    async def use(self) -> None:
        """Write and read without a pause, until this is cancelled."""
        while True:
            content = f"{self.name} noted that barrel {len(self.contents)} is {random.random()}"
            stored = await self.call("add_memory", content=content)
            self.contents[stored["memory_id"]] = content
            await self.check(random.choice(list(self.contents.items())))
            await self.call("search_memory", query="which barrel is it?", limit=5)

    async def check(self, expected: tuple[str, str]) -> None:
        found = await self.call("get_memory", memory_id=expected[0])
        assert found["content"] == expected[1]


@asynccontextmanager
async def served(large: Large, checkout: Path, name: str) -> AsyncIterator[Replica]:
    """Serve with the program of a checkout."""
    process = await started(large, checkout)
    try:
        async with asyncio.timeout(120):
            url = (await said(process, "Serving MCP at")).split()[-1]
            await answered(url)
        drained = asyncio.create_task(process.communicate())
        async with Client(url) as client:
            yield Replica(client, name)
        process.terminate()
        await drained
    finally:
        if process.returncode is None:
            process.kill()


async def answered(url: str) -> None:
    """Wait until a server listens: earlier ones name their address before."""
    address = urlsplit(url)
    while True:
        with contextlib.suppress(ConnectionRefusedError):
            _, writer = await asyncio.open_connection(address.hostname, address.port)
            writer.close()
            return
        await asyncio.sleep(0.1)


async def started(large: Large, checkout: Path) -> asyncio.subprocess.Process:
    environment = serve_environment(large.settings, PYTHONPATH=str(checkout))
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *serve_arguments(),
        env=environment,
        cwd=checkout,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )


@asynccontextmanager
async def using(*replicas: Replica) -> AsyncIterator[None]:
    """Let callers use the servers for the length of the context."""
    tasks = [asyncio.create_task(replica.use()) for replica in replicas]
    try:
        yield
    finally:
        failed = [task.exception() for task in tasks if task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    assert failed == []


def checkout_of(commit: str, folder: Path) -> Path:
    """Write the files of a commit into a folder."""
    folder.mkdir()
    archive = subprocess.run(
        ["git", "-C", str(ROOT), "archive", commit], capture_output=True, check=False
    )
    assert archive.returncode == 0, f"no history of the repository: {archive.stderr.decode()}"
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
    return folder


@pytest.mark.parametrize("commit", [NEIGHBOUR, "1aeab78"])
async def test_an_earlier_program_serves_beside_this_one_and_again_after_the_way_back(
    large: Large, tmp_path: Path, commit: str
):
    last = LAST[commit]
    earlier = checkout_of(commit, tmp_path / "earlier")
    await large.erased(at=last)
    await load(large.graph, VERSIONS / commit, MEMORIES)
    async with served(large, earlier, "old") as old, using(old):
        await asyncio.sleep(5)
        before = len(old.contents)
        began = time.monotonic()
        async with served(large, ROOT, "new") as new:
            print(f"\n{commit}: migrated and served after {time.monotonic() - began:.1f} s")
            assert len(old.contents) > before  # it served during the migration
            slowest = old.slowest
            async with using(new):
                await asyncio.sleep(SIDE_BY_SIDE_SECONDS)
            for expected in [*old.contents.items(), *new.contents.items()]:
                await new.check(expected)
                await old.check(expected)
            print(f"old {len(old.contents)}, new {len(new.contents)} writes, no error")
            print(f"slowest of the old {slowest:.2f} s, then {old.slowest:.2f} s")
    stored = old.contents | new.contents
    await large.verified()

    refused = await started(large, earlier)
    _, errors = await refused.communicate()
    print(errors.decode().strip().splitlines()[-1])
    assert refused.returncode
    assert f"migrate down --to {last}" in errors.decode()

    with large.command("migrate", "down", "--to", str(last)) as running:
        assert await asyncio.to_thread(running.wait, 60) == 0
    async with served(large, earlier, "old again") as old:
        for expected in stored.items():
            await old.check(expected)
        async with using(old):
            await asyncio.sleep(5)
    stored |= old.contents
    async with served(large, ROOT, "new again") as new:
        for expected in stored.items():
            await new.check(expected)
    steps = await schema.migration_status(large.graph)
    assert all(step.applied_at for step in steps)
    await large.verified()
