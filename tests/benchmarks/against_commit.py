"""Searches, retrievals and imports of this checkout beside those of an earlier commit.

Run `python -m tests.benchmarks.against_commit REVISION`. Both serve the same database. Rounds
alternate, and so does the order within a round: whatever else the machine does meets both. The
output is the ratio of each round's percentiles, this checkout's divided by the other's, with a
95 % interval of their geometric mean.
"""

import argparse
import asyncio
import json
import math
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import accumulate, count
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np

from graph_memory import GraphMemory, Settings, local_neo4j, read_settings
from tests.benchmarks.corpus import questions, sentences

HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
SERVE = "from graph_memory.cli import main; raise SystemExit(main())"
GROUP = "bench"
TOOLS = ["search_memory", "retrieve_memories", "add_memories"]
#: Memories in a call of `add_memories`, and questions for which one such call is measured.
_BATCH, _QUESTIONS_PER_BATCH = 100, 16
#: The 0.975 quantiles of Student's t by degrees of freedom, and what they approach.
_QUANTILES = {4: 2.776, 9: 2.262, 14: 2.145, 19: 2.093, 29: 2.045}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("revision", help="Commit to compare with.")
    parser.add_argument("--memories", type=int, default=10_000, help="Memories; default 10,000.")
    parser.add_argument("--rounds", type=int, default=10, help="Rounds; default 10.")
    parser.add_argument("--calls", type=int, default=200, help="Calls a round; default 200.")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8], help="Default 1 8.")
    parser.add_argument("--tools", nargs="+", default=TOOLS, choices=TOOLS, help="Default all.")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, checkout(asked.revision) as other:
        settings = read_settings(data_dir=Path(folder))
        instance = local_neo4j.acquire(settings)
        try:
            given = settings.model_copy(update={"group_id": GROUP})
            asyncio.run(fill(given, asked.memories))
            environment = {
                **os.environ,
                "GRAPH_MEMORY_NEO4J_URI": instance.uri,
                "GRAPH_MEMORY_NEO4J_PASSWORD": instance.password,
                "GRAPH_MEMORY_BACKUP_AUTO": "false",
                # An earlier commit does not know the migrations of this one.
                "GRAPH_MEMORY_MIGRATE_ON_START": "false",
            }
            with serving(Path.cwd(), environment) as new, serving(other, environment) as old:
                compare(new, old, asked)
        finally:
            local_neo4j.release(settings)


@contextmanager
def checkout(revision: str) -> Iterator[Path]:
    """Check a commit out beside this one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "other"
        subprocess.run(["git", "worktree", "add", "--detach", path, revision], check=True)
        try:
            yield path
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", path], check=True)


async def fill(settings: Settings, memories: int) -> None:
    """Store the memories to search."""
    contents = sentences(memories)
    async with GraphMemory.open(settings) as memory:
        for start in range(0, memories, 500):
            await memory.add_many([{"content": text} for text in contents[start : start + 500]])


@contextmanager
def serving(path: Path, environment: dict[str, str]) -> Iterator[int]:
    """Serve a checkout's code; yield the port."""
    with serve_process(path, environment) as (_, port):
        yield port


@contextmanager
def serve_process(
    path: Path, environment: dict[str, str]
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Serve a checkout's code; yield the process and the port."""
    port, metrics = free_ports()
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, "serve"],
        cwd=path,
        env={
            **environment,
            "PYTHONPATH": str(path),
            "GRAPH_MEMORY_PORT": str(port),
            "GRAPH_MEMORY_METRICS_PORT": str(metrics),
        },
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_ready(port)
        yield process, port
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def free_ports() -> tuple[int, int]:
    """Return two free ports."""
    with socket.socket() as one, socket.socket() as two:
        one.bind(("127.0.0.1", 0))
        two.bind(("127.0.0.1", 0))
        return one.getsockname()[1], two.getsockname()[1]


def wait_ready(port: int) -> None:
    """Wait until a server answers that it is ready."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            with urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
                if answer.status == 200:
                    return
        except OSError:
            pass
        time.sleep(0.2)
    raise TimeoutError(f"port {port} is not ready")


def compare(new: int, old: int, asked: argparse.Namespace) -> None:
    """Alternate rounds between both servers and print the ratios."""
    seeds = count(1)  # no text twice: the model's cache knows it
    for tool in asked.tools:
        calls = asked.calls // _QUESTIONS_PER_BATCH if tool == "add_memories" else asked.calls
        for clients in asked.clients:
            for port in (new, old, new, old):
                measure(port, tool, clients, 2 * calls, next(seeds))
            ratios: dict[int, list[float]] = {50: [], 95: []}
            for number in range(asked.rounds):
                ports = (new, old) if number % 2 else (old, new)
                taken = {p: measure(p, tool, clients, calls, next(seeds)) for p in ports}
                for percentile, found in ratios.items():
                    pair = [float(np.percentile(taken[p], percentile)) for p in (new, old)]
                    found.append(pair[0] / pair[1])
            for percentile, found in ratios.items():
                print(f"{tool}, {clients} clients, p{percentile}: {interval(found)}", flush=True)


def measure(port: int, tool: str, clients: int, calls: int, seed: int) -> list[float]:
    """Have clients send one call after the other; return what each takes, in seconds."""
    if tool == "add_memories":
        asked = [_batch(seed, number) for number in range(calls)]
    else:
        asked = [{"query": question} for question in questions(calls, seed=seed)]
    with ThreadPoolExecutor(clients) as threads:
        parts = threads.map(lambda i: ask(port, tool, asked[i::clients]), range(clients))
        return [second for part in parts for second in part]


def _batch(seed: int, number: int) -> dict[str, Any]:
    """Return the arguments of a call that stores memories of one to eight sentences."""
    texts = questions(5 * _BATCH, seed=hash((seed, number)))
    lengths = [1 + index % 8 for index in range(_BATCH)]
    starts = accumulate(lengths, initial=0)
    parts = zip(starts, lengths, strict=False)
    contents = [f"{seed}.{number}: {' '.join(texts[at : at + length])}" for at, length in parts]
    return {"memories": [{"content": content} for content in contents]}


def ask(port: int, tool: str, asked: list[dict[str, Any]]) -> list[float]:
    """Send calls over one connection."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    taken: list[float] = []
    for given in asked:
        parameters = {"name": tool, "arguments": {"group_id": GROUP, **given}, "_meta": META}
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}
        began = time.perf_counter()
        connection.request("POST", "/mcp", json.dumps(request), HEADERS | {"Mcp-Name": tool})
        answer = json.loads(connection.getresponse().read())
        taken.append(time.perf_counter() - began)
        assert answer["result"]["isError"] is False, answer
    connection.close()
    return taken


def interval(ratios: list[float]) -> str:
    """Return the geometric mean of ratios with its 95 % interval, and every ratio."""
    logs = [math.log(ratio) for ratio in ratios]
    mean, spread = statistics.fmean(logs), statistics.stdev(logs) / math.sqrt(len(logs))
    half = _QUANTILES.get(len(logs) - 1, 1.96) * spread
    low, high = math.exp(mean - half), math.exp(mean + half)
    every = " ".join(f"{ratio:.2f}" for ratio in ratios)
    return f"{math.exp(mean):.3f} ({low:.3f} to {high:.3f}); rounds {every}"


if __name__ == "__main__":
    main()
