"""What a tenant waits while another floods the server, and what 200 callers get at once.

Run `python -m tests.benchmarks.overload`. Callers of a quiet tenant search one after the other,
alone and beside the callers of a busy one, in turns. The output is the ratio of both p95, with a
95 % interval. Then 200 callers of one tenant search at once.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import count
from multiprocessing.synchronize import Event
from pathlib import Path

import numpy as np

from graph_memory import local_neo4j, read_settings
from tests.benchmarks.against_commit import HEADERS, META, ask, fill, interval, serving
from tests.benchmarks.corpus import questions

_BUSY, _QUIET = "busy", "quiet"
_TOOL = "search_memory"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--path", type=Path, default=Path.cwd(), help="Checkout that serves.")
    parser.add_argument("--memories", type=int, default=5000, help="Of each tenant; default 5,000.")
    parser.add_argument("--rounds", type=int, default=5, help="Rounds; default 5.")
    parser.add_argument("--calls", type=int, default=100, help="Quiet calls a round; default 100.")
    parser.add_argument("--busy", type=int, default=100, help="Callers that flood; default 100.")
    parser.add_argument("--quiet", type=int, nargs="+", default=[1, 4], help="Default 1 4.")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        settings = read_settings(data_dir=Path(folder))
        instance = local_neo4j.acquire(settings)
        try:
            for group in (_BUSY, _QUIET):
                asyncio.run(fill(settings.model_copy(update={"group_id": group}), asked.memories))
            environment = {
                **os.environ,
                "GRAPH_MEMORY_NEO4J_URI": instance.uri,
                "GRAPH_MEMORY_NEO4J_PASSWORD": instance.password,
                "GRAPH_MEMORY_BACKUP_AUTO": "false",
                "GRAPH_MEMORY_MIGRATE_ON_START": "false",
            }
            with serving(asked.path, environment) as port:
                compare(port, asked)
                crowd(port, 200)
        finally:
            local_neo4j.release(settings)


def compare(port: int, asked: argparse.Namespace) -> None:
    """Measure quiet callers alone and beside the flood, and print the ratios."""
    seeds = count(1)
    quiet_searches(port, 4, 400, next(seeds))  # the first calls are slower
    for callers in asked.quiet:
        alone, beside = list[float](), list[float]()
        for _ in range(asked.rounds):
            alone.append(quiet_searches(port, callers, asked.calls, next(seeds)))
            with flood(port, asked.busy):
                beside.append(quiet_searches(port, callers, asked.calls, next(seeds)))
        times = f"{np.median(alone) * 1000:.0f} ms alone, {np.median(beside) * 1000:.0f} ms beside"
        ratios = [second / first for first, second in zip(alone, beside, strict=True)]
        print(f"{callers} quiet callers, p95: {times}; {interval(ratios)}", flush=True)


def quiet_searches(port: int, callers: int, calls: int, seed: int) -> float:
    """Search as the quiet tenant, and return p95 in seconds."""
    asked = [{"query": text, "group_id": _QUIET} for text in questions(calls, seed=seed)]
    with ThreadPoolExecutor(callers) as threads:
        parts = threads.map(lambda i: ask(port, _TOOL, asked[i::callers]), range(callers))
        return float(np.percentile([second for part in parts for second in part], 95))


@contextmanager
def flood(port: int, callers: int) -> Iterator[None]:
    """Let callers of the busy tenant search without a break, in a process of their own."""
    over = multiprocessing.Event()
    process = multiprocessing.Process(target=_flood, args=(port, callers, over))
    process.start()
    time.sleep(3)
    try:
        yield
    finally:
        over.set()
        process.join()


def _flood(port: int, callers: int, over: Event) -> None:
    _leave_processors()

    def run(caller: int) -> None:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        for text in questions(100_000, seed=caller):
            if over.is_set():
                break
            outcome(connection, text)
        connection.close()

    with ThreadPoolExecutor(callers) as threads:
        list(threads.map(run, range(callers)))


def _leave_processors() -> None:
    """Give this process the lowest priority, as if it ran on another machine."""
    os.nice(19)
    autogroup = Path("/proc/self/autogroup")  # Linux: priorities count within a session only
    if autogroup.exists():
        os.setsid()
        autogroup.write_text("19")


def outcome(connection: HTTPConnection, text: str) -> tuple[str, float]:
    """Search as the busy tenant; return `done` or the code of the error, and the seconds."""
    arguments = {"query": text, "group_id": _BUSY}
    parameters = {"name": _TOOL, "arguments": arguments, "_meta": META}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}
    began = time.perf_counter()
    connection.request("POST", "/mcp", json.dumps(request), HEADERS | {"Mcp-Name": _TOOL})
    answer = json.loads(connection.getresponse().read())["result"]
    code = answer["structuredContent"]["code"] if answer["isError"] else "done"
    return code, time.perf_counter() - began


def crowd(port: int, callers: int) -> None:
    """Let callers search five times each, and print the outcomes and the longest wait."""

    def run(caller: int) -> list[tuple[str, float]]:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        found = [outcome(connection, text) for text in questions(5, seed=caller)]
        connection.close()
        return found

    with ThreadPoolExecutor(callers) as threads:
        found = [each for part in threads.map(run, range(callers)) for each in part]
    seconds = [each for _, each in found]
    median, longest = np.median(seconds), max(seconds)
    outcomes = dict(Counter(code for code, _ in found))
    print(f"{callers} callers: {outcomes}, {median:.1f} s (median), {longest:.1f} s (longest)")


if __name__ == "__main__":
    main()
