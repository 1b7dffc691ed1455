"""A million memories in one database: start, recovery, walks, maintenance and backup.

Run `python -m tests.benchmarks.million build`, then `start`, `recover`, `walk`, `maintain` and
`backup`, each with `--folder`. The database stays in that folder, 15 to 20 GB. A part prints its
figures, the bar that it is held to, and the load of the machine. The exit code is 1 if a bar is
missed. Figures are seconds of a machine that others may use: compare them with the references that
are printed beside them.
"""

import argparse
import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any, LiteralString

from neo4j import GraphDatabase
from pydantic import SecretStr

from graph_memory import GraphMemory, Settings, local_neo4j, read_settings
from graph_memory.domain.timestamps import instant
from tests.benchmarks.against_commit import SERVE, serve_process
from tests.benchmarks.corpus import questions
from tests.benchmarks.million_data import MEMORIES, SHARES, build, copy_id, sizes
from tests.benchmarks.soak import Ask, calling
from tests.benchmarks.test_backup import run, writing
from tests.benchmarks.test_traverse import PLAIN, shares

BARS = {
    "start": 20.0,  #: seconds to /readyz
    "recover": 30.0,  #: seconds to /readyz, a search and a write
    "walk": 50.0,  #: ms, p95
    "maintain": 23.5,  #: seconds of a full recalculation: half of 47 s at commit 1aeab78
    "stall": 1.0,  #: seconds, the longest write during a backup
}

_ROUNDS = 3
_GROUP = "tenth"  #: of the calls before and after a kill
_LOAD_SECONDS = 20  # of calls, until the kill
_CLIENTS, _WRITERS = 8, 4
_WALKS = 300
_WALKS_BEFORE = 1500  # until Java has compiled what they run: two minutes
_DUE = 1000
_ALONE_SECONDS = 30  # of the writes without a backup, to compare with

LET_FALL_DUE: LiteralString = """
CYPHER 25 MATCH (m:Memory {group_id: $group}) WITH m LIMIT $due SET m.next_due_at = $now
"""
SET: LiteralString = """
CYPHER 25 MATCH (m:Memory {group_id: $group})
CALL (m) { SET m.measured = rand() } IN TRANSACTIONS OF 500 ROWS
"""


def settings_of(folder: Path) -> Settings:
    """Return the settings of the database in a folder."""
    return read_settings(
        data_dir=folder,
        backup_path=folder / "backups",
        backup_auto=False,
        local_heap_mebibytes=3072,
        local_page_cache_mebibytes=2048,
        local_linger_seconds=0,
        query_timeout_seconds=600.0,  # a slow read of a large group must not end the measurement
    )


def environment_of(settings: Settings) -> dict[str, str]:
    """Return the environment of a process that uses these settings."""
    names = (
        "data_dir",
        "backup_path",
        "backup_auto",
        "local_heap_mebibytes",
        "local_page_cache_mebibytes",
        "local_linger_seconds",
    )
    given = {f"GRAPH_MEMORY_{name.upper()}": str(getattr(settings, name)) for name in names}
    return {**os.environ, **given}


@contextmanager
def neo4j_of(settings: Settings) -> Iterator[Settings]:
    """Run the Neo4j of a folder during the block; yield the settings with its address."""
    instance = local_neo4j.acquire(settings)
    try:
        password = SecretStr(instance.password)
        yield settings.model_copy(update={"neo4j_uri": instance.uri, "neo4j_password": password})
    finally:
        local_neo4j.release(settings)


@contextmanager
def timed(name: str) -> Iterator[list[float]]:
    """Print how long the block takes; the list gets its seconds."""
    began, found = time.monotonic(), list[float]()
    yield found
    found.append(time.monotonic() - began)
    print(f"{name}: {found[0]:.2f} s", flush=True)


def start(settings: Settings) -> float:
    """Start the service with Neo4j stopped and with it up; return the longest start."""
    found: list[float] = []
    for _ in range(_ROUNDS):
        for where, given in (("", settings), ("empty: ", _empty(settings))):
            local_neo4j.stop(given)
            seconds = [_started(f"{where}start with Neo4j stopped", given)]
            with timed(f"{where}start of Neo4j alone"):
                local_neo4j.start(given, keep=True)
            seconds.append(_started(f"{where}start with Neo4j up", given))
            local_neo4j.stop(given)
            found += seconds if given is settings else []
    return max(found)


def _empty(settings: Settings) -> Settings:
    """Return the settings of an empty database beside, as a reference."""
    folder = settings.data_dir.with_name(settings.data_dir.name + "-empty")
    return settings.model_copy(update={"data_dir": folder})


def _started(name: str, settings: Settings) -> float:
    """Serve once; print and return the seconds until the service is ready."""
    began = time.monotonic()
    with serve_process(Path.cwd(), environment_of(settings)):
        seconds = time.monotonic() - began
    print(f"{name}: {seconds:.2f} s", flush=True)
    return seconds


@dataclass
class Clients:
    """Clients of a server that call it until it is killed."""

    port: int
    group: str
    acknowledged: dict[str, str] = field(default_factory=dict[str, str])  #: contents by id
    calls: int = 0
    _over: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Call the server during the block."""
        works: list[tuple[Callable[[Ask, int], None], int]] = [
            (self._search, _CLIENTS),
            (self._write, _WRITERS),
        ]
        threads = [
            threading.Thread(target=self._repeat, args=(work, number))
            for work, count in works
            for number in range(count)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._over.set()
            for thread in threads:
                thread.join()

    def _repeat(self, work: Callable[[Ask, int], None], number: int) -> None:
        turn = 0
        with suppress(OSError, HTTPException, ValueError), calling(self.port, self.group) as ask:
            while not self._over.is_set():
                work(ask, 1_000_000 * number + turn)
                self.calls += 1
                turn += 1

    def _search(self, ask: Ask, turn: int) -> None:
        (question,) = questions(1, seed=turn)
        ask("search_memory", {"query": question})

    def _write(self, ask: Ask, turn: int) -> None:
        content = f"Before the kill a writer stored note {turn} of {self.port}"
        answer = ask("add_memory", {"content": content})
        if not answer["isError"]:
            self.acknowledged[answer["structuredContent"]["memory_id"]] = content


def recover(settings: Settings) -> float:
    """Kill service and JVM under load, start again; return the seconds to the first write."""
    longest = 0.0
    for _ in range(_ROUNDS):
        clients = _killed(settings)
        with timed("recovered, searched and written") as whole:
            began = time.monotonic()
            with serve_process(Path.cwd(), environment_of(settings)) as (_, port):
                print(f"  ready: {time.monotonic() - began:.2f} s")
                with calling(port, clients.group) as ask:
                    _first_calls(ask)
                    whole.append(time.monotonic() - began)
                    print(f"  searched and written: {whole[0]:.2f} s")
                    _check_kept(ask, clients)
        longest = max(longest, whole[0])
    subprocess.run(
        [sys.executable, "-c", SERVE, "verify", "--group", _GROUP],
        env=environment_of(settings),
        check=True,
    )
    return longest


def _killed(settings: Settings) -> Clients:
    """Serve, apply the load, and kill the service and the JVM."""
    with serve_process(Path.cwd(), environment_of(settings)) as (process, port):
        clients = Clients(port, _GROUP)
        with clients.running():
            time.sleep(_LOAD_SECONDS)
            if (instance := local_neo4j.running(settings)) is None:
                raise LookupError("Neo4j does not run")
            os.kill(process.pid, signal.SIGKILL)
            os.kill(instance.pid, signal.SIGKILL)
            process.wait()
    stored = len(clients.acknowledged)
    print(f"killed after {clients.calls} calls; {stored} memories acknowledged", flush=True)
    return clients


def _first_calls(ask: Ask) -> None:
    """Search and write once.

    Raises:
        RuntimeError: A call failed.
    """
    for tool, given in (
        ("search_memory", {"query": "Who painted the red bicycle?"}),
        ("add_memory", {"content": f"After the kill at {time.time()}"}),
    ):
        answer = ask(tool, given)
        if answer["isError"]:
            raise RuntimeError(f"{tool} failed: {answer['content']}")


def _check_kept(ask: Ask, clients: Clients) -> None:
    """Look up every acknowledged memory.

    Raises:
        RuntimeError: One is missing or changed.
    """
    for memory_id, content in clients.acknowledged.items():
        answer = ask("get_memory", {"memory_id": memory_id})
        if answer["isError"] or answer["structuredContent"]["content"] != content:
            raise RuntimeError(f"the acknowledged memory {memory_id} is lost")
    print(f"  {len(clients.acknowledged)} acknowledged memories looked up, none lost", flush=True)


def walk(settings: Settings) -> float:
    """Walk from memories of the largest group over HTTP; return the larger p95, in ms."""
    count, chance = sizes(MEMORIES)["most"], random.Random(2)
    found: dict[str, list[float]] = {}
    with (
        neo4j_of(settings) as given,
        serve_process(Path.cwd(), environment_of(settings)) as (_, port),
        GraphDatabase.driver(given.neo4j_uri or "", auth=_auth(given)) as driver,
        calling(port, "most") as ask,
    ):
        for turn in range(_WALKS_BEFORE + _WALKS):
            begin = copy_id("most", chance.randrange(count))
            for direction, pattern in PLAIN.items():
                began = time.perf_counter()
                asked = {"start_memory_id": begin, "direction": direction}
                answer = ask("memory_traverse", asked)
                between = time.perf_counter()
                driver.execute_query(pattern, start=begin, group="most")
                if answer["isError"]:
                    raise RuntimeError(f"memory_traverse failed: {answer['content']}")
                if turn >= _WALKS_BEFORE:
                    ended = time.perf_counter()
                    found.setdefault(direction, []).append(1000 * (between - began))
                    found.setdefault(f"{direction}, plain", []).append(1000 * (ended - between))
    for name, values in found.items():
        print("walk {}: p50 {:.0f} ms, p95 {:.0f} ms".format(name, *shares(values)))
    return max(shares(found[direction])[1] for direction in PLAIN)


def _auth(settings: Settings) -> tuple[str, str]:
    return settings.neo4j_user, settings.neo4j_password.get_secret_value()


def maintain(settings: Settings) -> float:
    """Measure runs over each group and over all; return the seconds of a full recalculation."""
    with neo4j_of(settings) as given:
        return asyncio.run(_maintained(given))


async def _maintained(settings: Settings) -> float:
    async with GraphMemory.open(settings) as memory:

        async def ran(name: str, groups: list[str], **how: Any) -> float:
            began = time.monotonic()
            report = await memory.maintenance.run(groups=groups, max_seconds=3600, **how)
            seconds = time.monotonic() - began
            print(f"{name}: {report.processed} treated in {seconds:.2f} s", flush=True)
            return seconds

        await ran("all that is due already", list(SHARES))
        for _ in range(_ROUNDS):
            for group in SHARES:
                execute(settings, LET_FALL_DUE, group=group, due=_DUE, now=instant(memory.clock()))
                await ran(f"{_DUE} due in {group}", [group], stages=("decay",))
        found: list[float] = []
        for concurrency, batch_size in ((1, 500), (2, 500), (2, 2000)):
            with timed("SET of one property") as reference:
                for group in SHARES:
                    execute(settings, SET, group=group)
            how: dict[str, Any] = {"concurrency": concurrency, "batch_size": batch_size}
            name = f"full, {concurrency} transactions of {batch_size}"
            found.append(await ran(name, list(SHARES), full=True, stages=("decay",), **how))
            print(f"  {found[-1] / reference[0]:.2f} times the SET", flush=True)
        return min(found)


def execute(settings: Settings, text: LiteralString, **given: Any) -> None:
    """Run a statement in transactions of its own."""
    with (
        GraphDatabase.driver(settings.neo4j_uri or "", auth=_auth(settings)) as driver,
        driver.session() as session,
    ):
        session.run(text, given).consume()


def backup(settings: Settings) -> float:
    """Back up beside fifty writes a second, and restore; return the longest stall, in seconds."""
    count = sizes(MEMORIES)["most"]
    with neo4j_of(settings) as given:
        stalls: dict[str, list[float]] = {}
        with writing(given, count, "most-{:07}") as stalls["alone"]:
            time.sleep(_ALONE_SECONDS)
        with writing(given, count, "most-{:07}") as stalls["backup"]:
            seconds, mebibytes = run(given, "backup")
    made = max((settings.data_dir / "backups").iterdir())
    size = sum(each.stat().st_size for each in made.rglob("*") if each.is_file())
    print(f"backup: {seconds:.0f} s, {mebibytes:.0f} MiB of memory, {size / 2**20:.0f} MiB")
    for way, (writes, p99, longest) in stalls.items():
        print(f"{way}: {writes:.0f} writes, p99 {p99:.3f} s, longest {longest:.3f} s", flush=True)
    folder = settings.data_dir.with_name(settings.data_dir.name + "-restored")
    with neo4j_of(settings.model_copy(update={"data_dir": folder})) as other:
        seconds, mebibytes = run(other, "restore", made)  # compares the counts and the checksum
    print(f"restore, verified: {seconds:.0f} s, {mebibytes:.0f} MiB of memory", flush=True)
    return stalls["backup"][2]


PARTS: dict[str, Callable[[Settings], float]] = {
    "start": start,
    "recover": recover,
    "walk": walk,
    "maintain": maintain,
    "backup": backup,
}


def main() -> int:
    """Build the database, or measure a part; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["build", *PARTS])
    parser.add_argument("--folder", type=Path, required=True, help="Folder of the database.")
    asked = parser.parse_args()
    settings = settings_of(asked.folder.resolve())
    if asked.part == "build":
        with neo4j_of(settings) as given:
            asyncio.run(build(given, sizes(MEMORIES)))
        return 0
    print(f"load average {os.getloadavg()[0]:.1f}", flush=True)
    found = PARTS[asked.part](settings)
    bar = BARS["stall" if asked.part == "backup" else asked.part]
    print(f"load average {os.getloadavg()[0]:.1f}; {found:.2f}, bar {bar:g}")
    return 1 if found > bar else 0


if __name__ == "__main__":
    raise SystemExit(main())
