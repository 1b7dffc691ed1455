"""Fifty writes a second beside a measurement: `python writes.py URI PASSWORD MEMORIES IDS`.

Each changes a memory, and creates one with a relation. IDS is the format of the ids of the memories
by their number, as `big-{:06}`. They go on until the input
ends. The output is their number, the 99th percentile and the longest, in seconds.
"""

import asyncio
import sys
import time
from typing import LiteralString

from neo4j import AsyncDriver, AsyncGraphDatabase

RATE, WRITERS = 50, 5

WRITE: LiteralString = """
CREATE (m:Memory {uuid: $key, group_id: 'later', content: $key})
WITH m MATCH (old:Memory {uuid: $old}) SET old.access_count = old.access_count + 1
CREATE (m)-[:RELATES_TO {uuid: $key, group_id: 'later'}]->(old)
"""


async def main(uri: str, password: str, memories: int, ids: str) -> None:
    seconds: list[float] = []
    over = asyncio.Event()
    async with AsyncGraphDatabase.driver(uri, auth=("neo4j", password)) as driver:
        writers = [write(driver, n, memories, ids, seconds, over) for n in range(WRITERS)]
        writing = asyncio.gather(*writers)
        await asyncio.to_thread(sys.stdin.read)
        over.set()
        await writing
    seconds.sort()
    sys.stdout.write(f"{len(seconds)} {seconds[len(seconds) * 99 // 100]} {seconds[-1]}\n")


async def write(
    driver: AsyncDriver,
    number: int,
    memories: int,
    ids: str,
    seconds: list[float],
    over: asyncio.Event,
) -> None:
    turn, due = 0, time.monotonic()
    async with driver.session() as session:
        while not over.is_set():
            await asyncio.sleep(due - time.monotonic())
            started = time.monotonic()
            old = ids.format((turn * 7919 + number) % memories)
            await (await session.run(WRITE, key=f"{started}-{number}-{turn}", old=old)).consume()
            seconds.append(time.monotonic() - started)
            turn += 1
            due = max(due + WRITERS / RATE, started)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]))
