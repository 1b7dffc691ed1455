"""A server under mixed load for minutes or hours, with what became of its answers and its memory.

Run `make soak` or `python -m tests.benchmarks.soak --minutes 30 --memories 200000`. Readers and
writers call the tools of one server over HTTP, while runs of maintenance, backups and changes of
tokens start from the command line. The output is a table of latencies, the first sixth of the time
beside the last, and the slopes of memory and descriptors. The exit code is 1 if a call failed, an
acknowledged write is missing, or a bar of `Bars` is missed.
"""

import argparse
import asyncio
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from graph_memory import local_neo4j, read_settings
from tests.benchmarks.against_commit import (
    GROUP,
    HEADERS,
    META,
    SERVE,
    fill,
    serve_process,
)
from tests.benchmarks.corpus import questions

#: Call a tool with arguments; return the result.
Ask = Callable[[str, dict[str, Any]], dict[str, Any]]

_SAMPLE_SECONDS = 2.0
_CALL_TIMEOUT_SECONDS = 60
_ERRORS = 20  #: kinds of errors that are shown


@dataclass(frozen=True)
class Load:
    """What is asked of the server, and how often."""

    minutes: float = 30
    readers: int = 8
    writers: int = 4
    reader_pause: float = 0.05  #: seconds between two calls of a reader
    writer_pause: float = 0.5  #: seconds between two calls of a writer
    least_calls: int = 1  #: of each reader and writer, however long they take
    maintain_seconds: float = 60  #: from the start of a run to that of the next
    backup_seconds: float = 300
    token_seconds: float = 15


@dataclass(frozen=True)
class Bars:
    """The bars of the issue that asked for this."""

    latency: float = 1.2  #: p95 of searches in the last sixth of the time over that of the first
    mebibytes_a_minute: float = 1.0  #: growth of the server's resident memory, second half
    descriptors_a_minute: float = 0.5


@dataclass(frozen=True)
class Called:
    """A call: the operation, when it began, how long it took, and its error."""

    operation: str
    began: float  #: seconds since the start
    seconds: float
    error: str | None = None


@dataclass(frozen=True)
class Sample:
    """The resources of the server's process at an instant."""

    at: float  #: seconds since the start
    mebibytes: float
    descriptors: int


@dataclass
class Soak:
    """A load on a server, and what was seen."""

    port: int
    token: str
    pid: int
    environment: dict[str, str]
    load: Load
    calls: list[Called] = field(default_factory=list[Called])
    samples: list[Sample] = field(default_factory=list[Sample])
    acknowledged: dict[str, str] = field(default_factory=dict[str, str])  #: contents by id
    _started: float = field(default_factory=time.monotonic)

    def run(self) -> None:
        """Apply the load until its time is over."""
        load = self.load
        works: list[tuple[Callable[[int], None], int]] = [
            (self._read, load.readers),
            (self._write, load.writers),
            (self._sample, 1),
            (self._repeated("maintain", load.maintain_seconds, self._maintain), 1),
            (self._repeated("backup", load.backup_seconds, self._back_up), 1),
            (self._repeated("tokens", load.token_seconds, self._change_tokens), 1),
        ]
        threads = [
            threading.Thread(target=work, args=(number,))
            for work, count in works
            for number in range(count)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def missing(self) -> list[str]:
        """Return the ids of acknowledged memories that the server does not have, or has changed."""
        with self._client() as ask:
            return [
                memory_id
                for memory_id, content in self.acknowledged.items()
                if self._content(ask, memory_id) != content
            ]

    def _content(self, ask: Ask, memory_id: str) -> str | None:
        answer = ask("get_memory", {"memory_id": memory_id})
        return None if answer["isError"] else answer["structuredContent"]["content"]

    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    def _goes_on(self) -> bool:
        return self._elapsed() < self.load.minutes * 60

    def _turns(self) -> Iterator[int]:
        """Yield the number of each call of a reader or writer, from 1."""
        for turn in itertools.count(1):
            if turn > self.load.least_calls and not self._goes_on():
                return
            yield turn

    def _client(self) -> AbstractContextManager[Ask]:
        return calling(self.port, GROUP, Authorization=f"Bearer {self.token}")

    def _timed(self, operation: str, act: Callable[[], str | None]) -> None:
        """Run one operation; `act` returns its error, or None."""
        began = self._elapsed()
        try:
            error = act()
        except (OSError, HTTPException, ValueError) as failed:
            error = repr(failed)
        self.calls.append(Called(operation, began, self._elapsed() - began, error))

    def _call(self, ask: Ask, tool: str, given: dict[str, Any]) -> dict[str, Any]:
        answers: list[dict[str, Any]] = []

        def act() -> str | None:
            answers.append(ask(tool, given))
            return json.dumps(answers[0]["content"])[:300] if answers[0]["isError"] else None

        self._timed(tool, act)
        return answers[0].get("structuredContent") or {} if answers else {}

    def _read(self, number: int) -> None:
        chance = random.Random(number)
        with self._client() as ask:
            for turn in self._turns():
                (question,) = questions(1, seed=1_000_000 * (number + 1) + turn)
                match chance.choices(("search", "retrieve", "list"), (7, 2, 1))[0]:
                    case "search":
                        self._call(ask, "search_memory", {"query": question})
                    case "retrieve":
                        given = {"query": question, "session_id": f"soak-{number}"}
                        self._call(ask, "retrieve_memories", given)
                    case _:
                        self._call(ask, "list_memories", {"limit": 20})
                time.sleep(self.load.reader_pause)

    def _write(self, number: int) -> None:
        chance = random.Random(-1 - number)
        mine: list[str] = []
        with self._client() as ask:
            for turn in self._turns():
                match chance.choices(("add", "batch", "update", "delete"), (5, 2, 2, 1))[0]:
                    case "update" if mine:
                        self._update(ask, mine[-1], f"Writer {number} corrected it in turn {turn}")
                    case "delete" if len(mine) > 1:
                        self._delete(ask, mine.pop(0))
                    case "batch":
                        contents = [f"Writer {number} counts {turn}.{n}" for n in range(10)]
                        given = {"memories": [{"content": content} for content in contents]}
                        self._call(ask, "add_memories", given)
                    case _:
                        content = f"Writer {number} stores note {turn}"
                        stored = self._call(ask, "add_memory", {"content": content})
                        if memory_id := stored.get("memory_id"):
                            self.acknowledged[memory_id] = content
                            mine.append(memory_id)
                time.sleep(self.load.writer_pause)

    def _update(self, ask: Ask, memory_id: str, content: str) -> None:
        self.acknowledged.pop(memory_id, None)  # after an error, either text may be stored
        if self._call(ask, "update_memory", {"memory_id": memory_id, "content": content}):
            self.acknowledged[memory_id] = content

    def _delete(self, ask: Ask, memory_id: str) -> None:
        self.acknowledged.pop(memory_id)
        self._call(ask, "delete_memory", {"memory_id": memory_id})

    def _repeated(
        self, operation: str, seconds: float, act: Callable[[], str | None]
    ) -> Callable[[int], None]:
        """Return a loop that runs an operation each so many seconds; the first after a third."""

        def loop(_: int) -> None:
            due = seconds / 3
            while self._goes_on():
                if self._elapsed() >= due:
                    due += seconds
                    self._timed(operation, act)
                time.sleep(0.1)

        return loop

    def _command(self, *arguments: str) -> tuple[str | None, Any]:
        """Run a command; return its error and its result."""
        done = subprocess.run(
            [sys.executable, "-c", SERVE, *arguments, "--json"],
            env=self.environment,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            return f"exit code {done.returncode}: {done.stderr.strip()[-300:]}", None
        return None, json.loads(done.stdout)

    def _maintain(self) -> str | None:
        return self._command("maintain", "--group", GROUP)[0]

    def _back_up(self) -> str | None:
        return self._command("backup")[0]

    def _change_tokens(self) -> str | None:
        error, made = self._command("token", "create", "soak", "--groups", GROUP)
        return error or self._command("token", "revoke", made["token_id"])[0]

    def _sample(self, _: int) -> None:
        process = psutil.Process(self.pid)
        while self._goes_on():
            mebibytes = process.memory_info().rss / 2**20
            self.samples.append(Sample(self._elapsed(), mebibytes, process.num_fds()))
            time.sleep(_SAMPLE_SECONDS)


@contextmanager
def calling(port: int, group: str, **headers: str) -> Iterator[Ask]:
    """Connect to a server; yield a function that calls its tools for a group."""
    connection = HTTPConnection("127.0.0.1", port, timeout=_CALL_TIMEOUT_SECONDS)

    def ask(tool: str, given: dict[str, Any]) -> dict[str, Any]:
        parameters = {"name": tool, "arguments": {**given, "group_id": group}, "_meta": META}
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}
        sent = HEADERS | headers | {"Mcp-Name": tool}
        connection.request("POST", "/mcp", json.dumps(request), sent)
        answer = _message(connection.getresponse().read().decode())
        return answer.get("result", {"isError": True, "content": answer})

    try:
        yield ask
    finally:
        connection.close()


def _message(body: str) -> dict[str, Any]:
    """Return the answer of a call: a body of JSON, or the last event of a stream.

    The server streams where an answer takes long.
    """
    if body.startswith("{"):
        return json.loads(body)
    *_, last = (line for line in body.splitlines() if line.startswith("data:"))
    return json.loads(last.removeprefix("data:"))


def slope_a_minute(samples: list[Sample], of: Callable[[Sample], float]) -> float:
    """Return the slope of a resource in the second half of the time, by least squares."""
    late = samples[len(samples) // 2 :]
    if len(late) < 2:
        return 0.0
    return 60 * float(np.polyfit([each.at for each in late], [of(each) for each in late], 1)[0])


def latencies(soak: Soak) -> Iterator[tuple[str, int, int, list[float]]]:
    """Yield for each operation its name, calls, errors, and four times in milliseconds.

    The times are p50 and p95 in the first sixth of the time, and p50 and p95 in the last.
    """
    sixth = soak.load.minutes * 10
    ends = soak.load.minutes * 60
    by_operation: dict[str, list[Called]] = defaultdict(list)
    for called in soak.calls:
        by_operation[called.operation].append(called)
    for name, calls in sorted(by_operation.items()):
        first = [each.seconds for each in calls if each.began < sixth]
        last = [each.seconds for each in calls if each.began >= ends - sixth]
        times = [
            1000 * float(np.percentile(part, share)) if part else float("nan")
            for part in (first, last)
            for share in (50, 95)
        ]
        yield name, len(calls), sum(each.error is not None for each in calls), times


def table(soak: Soak) -> str:
    """Return what was seen, as text."""
    lines = [
        f"{'operation':20} {'calls':>7} {'errors':>6}  p50, p95 first (ms)  p50, p95 last (ms)"
    ]
    for name, calls, errors, times in latencies(soak):
        shown = [f"{value:9.0f}" for value in times]
        lines.append(f"{name:20} {calls:7} {errors:6}  {' '.join(shown)}")
    first, last = soak.samples[0], soak.samples[-1]
    lines.append(
        f"memory {first.mebibytes:.0f} to {last.mebibytes:.0f} MiB, "
        f"{slope_a_minute(soak.samples, lambda each: each.mebibytes):+.2f} MiB a minute; "
        f"descriptors {first.descriptors} to {last.descriptors}, "
        f"{slope_a_minute(soak.samples, lambda each: each.descriptors):+.2f} a minute"
    )
    return "\n".join([*lines, *error_kinds(soak)])


def error_kinds(soak: Soak) -> list[str]:
    """Return the commonest errors with their numbers; those that differ in digits are one."""
    kinds = Counter(re.sub(r"\d+", "N", called.error) for called in soak.calls if called.error)
    return [f"{count} times {error}" for error, count in kinds.most_common(_ERRORS)]


def missed(soak: Soak, bars: Bars) -> list[str]:
    """Return a sentence for each bar that is missed."""
    found = [f"{name}: {errors} errors" for name, _, errors, _ in latencies(soak) if errors]
    for name, _, _, times in latencies(soak):
        if name == "search_memory" and times[3] > bars.latency * times[1]:
            found.append(f"the p95 of searches rose to {times[3] / times[1]:.2f} times")
    if (grown := slope_a_minute(soak.samples, lambda each: each.mebibytes)) > (
        bars.mebibytes_a_minute
    ):
        found.append(f"the memory grows by {grown:.2f} MiB a minute")
    if (opened := slope_a_minute(soak.samples, lambda each: each.descriptors)) > (
        bars.descriptors_a_minute
    ):
        found.append(f"the descriptors grow by {opened:.2f} a minute")
    return found


def main() -> int:
    """Fill a database, serve it, apply the load, print; return the exit code."""
    asked = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        settings = read_settings(data_dir=Path(folder))
        instance = local_neo4j.acquire(settings)
        try:
            asyncio.run(fill(settings.model_copy(update={"group_id": GROUP}), asked.memories))
            environment = {
                **os.environ,
                "GRAPH_MEMORY_NEO4J_URI": instance.uri,
                "GRAPH_MEMORY_NEO4J_PASSWORD": instance.password,
                "GRAPH_MEMORY_DATA_DIR": folder,
                "GRAPH_MEMORY_BACKUP_AUTO": "false",
            }
            load = Load(minutes=asked.minutes, readers=asked.readers, writers=asked.writers)
            return report(*soaked(environment, load), Bars())
        finally:
            local_neo4j.release(settings)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="Minutes of load; default 30.")
    parser.add_argument("--memories", type=int, default=200_000, help="Default 200,000.")
    parser.add_argument("--readers", type=int, default=8, help="Default 8.")
    parser.add_argument("--writers", type=int, default=4, help="Default 4.")
    return parser.parse_args()


def soaked(environment: dict[str, str], load: Load) -> tuple[Soak, list[str]]:
    """Serve the database of the environment under a load; return it and the missing ids."""
    given = ["token", "create", "soak", "--scope", "admin", "--groups", "*", "--json"]
    made = subprocess.run(
        [sys.executable, "-c", SERVE, *given],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    token = json.loads(made.stdout)["token"]
    with serve_process(Path.cwd(), environment) as (process, port):
        soak = Soak(port, token, process.pid, environment, load)
        soak.run()
        return soak, soak.missing()


def report(soak: Soak, missing: list[str], bars: Bars) -> int:
    """Print what was seen; return 1 if something is missing or missed."""
    print(table(soak))
    print(f"{len(soak.acknowledged)} acknowledged memories looked up, {len(missing)} missing")
    for sentence in (found := missed(soak, bars)):
        print(f"missed: {sentence}")
    return 1 if missing or found else 0


if __name__ == "__main__":
    raise SystemExit(main())
