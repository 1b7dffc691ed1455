"""A rewrite of the local database: nothing erased stays in its files, and everything else does."""

import asyncio
import contextlib
import os
import re
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from graph_memory import GraphMemory, local_neo4j, read_settings
from graph_memory.api.database import rewrite
from graph_memory.backup import dump
from graph_memory.database.connection import open_database
from graph_memory.domain.batching import batched
from graph_memory.errors import (
    ConfirmationRequiredError,
    LocalNeo4jError,
    PendingReviewError,
    RejectedBeforeError,
)
from graph_memory.settings.base import Settings
from tests.e2e.test_cli import Run, cli, environment  # noqa: F401 - fixtures

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="kills by signals"),
    pytest.mark.timeout(900),
]

#: Rewrites the database of a data root, and is killed after the first rows.
_KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from graph_memory import read_settings
from graph_memory.api.database import rewrite

def kill(done, of):
    if done:
        os.kill(os.getpid(), signal.SIGKILL)

settings = read_settings(
    data_dir=Path(sys.argv[1]), local_fast_start=True, local_heap_mebibytes=256,
    local_page_cache_mebibytes=32,
)
asyncio.run(rewrite(settings, confirm="REWRITE", on_progress=kill))
"""


#: A word of the tests in a file, in the encodings of Neo4j.
_HEXADECIMAL = re.compile(rb"(?:[0-9a-f]\0?){40,}")


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Settings]:
    """Return settings of a data root of its own; what runs there ends with the test."""
    settings = read_settings(
        data_dir=tmp_path / "data root",
        local_fast_start=True,
        local_heap_mebibytes=256,
        local_page_cache_mebibytes=32,
        local_linger_seconds=300,
        backup_auto=False,
        group_id="g",
    )
    yield settings
    local_neo4j.stop(settings)


def in_files(settings: Settings, words: Iterable[str]) -> set[str]:
    """Return those of some hexadecimal words that stand in the files of the database."""
    runs: list[bytes] = []
    for each in (settings.data_dir / "neo4j").rglob("*"):
        with contextlib.suppress(FileNotFoundError):  # Neo4j deletes files during the walk
            held = each.read_bytes().rstrip(b"\0") if each.is_file() else b""
            runs += _HEXADECIMAL.findall(held)
    found = b" ".join(run.replace(b"\0", b"") for run in runs)
    return {word for word in words if word.encode() in found}


async def standing(settings: Settings) -> tuple[int, int, str]:
    """Return the numbers of nodes and relationships, and their checksum, of the whole database."""
    found = dump.Checksum()
    async with open_database(settings) as graph:
        async for block in graph.stream("backup/rewrite/nodes"):
            for row in block:
                found.node(dump.node(*row))
        async for block in graph.stream("backup/rewrite/edges"):
            for row in block:
                found.edge(dump.edge(*row))
    return found.nodes, found.edges, found.hexdigest()


@pytest.mark.parametrize("words", [60, pytest.param(1000, marks=pytest.mark.stress)])
async def test_a_rewrite_leaves_nothing_erased_and_all_that_stands(
    own: Settings, words: int
) -> None:
    gone, kept = ([secrets.token_hex(20) for _ in range(count)] for count in (words, 12))
    local_neo4j.start(own, keep=True)
    async with GraphMemory.open(own) as memory:
        contents = [f"The vault of Olten opens with {word}" for word in (*gone, *kept)]
        ids = [
            added.memory_id or ""
            for some in batched(contents, 100)
            for added in await memory.add_many([{"content": each} for each in some])
        ]
        erased, left = ids[: len(gone)], ids[len(gone) :]
        await memory.relations.add(left[0], left[1])
        await memory.groups.set(single_valued_slots=["lives_in"])
        claim = await memory.add("Alice lives in Paris")
        await memory.lifecycle.reject(claim.memory_id)
        _, secret = await memory.tokens.create("reader", groups=("g",), scope="read")
        receipt = await memory.erasure.erase(erased)
    assert in_files(own, gone)
    before = await standing(own)

    report = await rewrite(own, confirm="REWRITE")
    assert (report.nodes, report.edges, report.checksum) == before
    assert report.left_out == ()
    assert in_files(own, gone) == set()
    assert in_files(own, kept) == set(kept)
    assert local_neo4j.running(own) is not None  # it is kept
    assert await standing(own) == before
    async with GraphMemory.open(own) as memory:
        verified = await memory.erasure.verify(receipt, words=gone, store=own.data_dir)
        assert verified.clean, verified.findings
        assert [each.name for each in await memory.tokens.list()] == ["reader"]
        assert await memory.tokens.verify(secret) is not None
        found = await memory.search(f"Which vault opens with {kept[0]}?")
        assert found[0].memory.memory_id == left[0]
        assert (await memory.relations.traverse(left[0])).nodes[0].memory_id == left[1]
        with pytest.raises(RejectedBeforeError):
            await memory.add("alice lives in paris")
        with pytest.raises(PendingReviewError):
            await memory.add("Alice has moved to Paris")
        assert (await memory.add("Written after the rewrite")).memory_id
        with pytest.raises(LocalNeo4jError, match=f"{os.getpid()} .*Nothing was changed"):
            await rewrite(own, confirm="REWRITE")


async def test_a_rewrite_killed_in_the_middle_changes_nothing_and_is_repeated(
    own: Settings,
) -> None:
    copy = own.data_dir / "neo4j/rewrite"
    gone = secrets.token_hex(20)
    async with GraphMemory.open(own) as memory:
        stored = await memory.add_many(
            [{"content": f"memory {n}: {secrets.token_hex(8)}"} for n in range(600)]
        )
        assert all(each.memory_id for each in stored)
        erased = await memory.add(f"The vault of Olten opens with {gone}")
        await memory.erasure.erase([erased.memory_id])
    before = await standing(own)
    killed = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", _KILLED, own.data_dir],
        capture_output=True,
        timeout=600,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert copy.exists()
    assert await standing(own) == before  # the next start has removed the copy
    assert not copy.exists()
    assert in_files(own, [gone]) == {gone}
    report = await rewrite(own, confirm="REWRITE")
    assert (report.nodes, report.edges, report.checksum) == before
    assert in_files(own, [gone]) == set()
    assert local_neo4j.running(own) is None
    assert await standing(own) == before


async def test_a_cancelled_rewrite_leaves_a_kept_database_running(
    own: Settings,
) -> None:
    local_neo4j.start(own, keep=True)
    async with GraphMemory.open(own) as memory:
        await memory.add("The canteen opens at nine")
    before = await standing(own)

    def cancel(done: int, _: int | None) -> None:
        if done:
            rewriting.cancel()

    rewriting = asyncio.create_task(rewrite(own, confirm="REWRITE", on_progress=cancel))
    with pytest.raises(asyncio.CancelledError):
        await rewriting
    assert local_neo4j.running(own) is not None
    assert not (own.data_dir / "neo4j/rewrite").exists()
    assert await standing(own) == before


def test_the_command_is_for_the_local_database_and_needs_its_confirmation(cli: Run) -> None:  # noqa: F811
    refused = cli("db", "rewrite")
    assert refused.code == 2
    assert "--confirm REWRITE" in refused.err.replace("'", "")
    elsewhere = cli("db", "rewrite", "--confirm", "REWRITE")
    assert elsewhere.code != 0
    assert "neo4j-admin database dump" in elsewhere.err


async def test_the_text_of_a_confirmation_is_exact(own: Settings) -> None:
    with pytest.raises(ConfirmationRequiredError, match="REWRITE"):
        await rewrite(own, confirm="rewrite")
    assert not (own.data_dir / "neo4j").exists()
