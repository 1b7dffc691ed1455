"""The time that the hooks of config/plugins take from a prompt, with the server up."""

from pathlib import Path

import numpy as np
import pytest

from graph_memory import GraphMemory
from tests.benchmarks.corpus import filled, sentences
from tests.conftest import Clock
from tests.e2e.test_hooks import HARNESSES, Session, harness, replay

MEMORIES = 10_000
SESSIONS = 5


@pytest.mark.bench
@pytest.mark.timeout(1800)
@HARNESSES
async def test_a_hook_is_hardly_noticed(
    memory: GraphMemory, group: str, clock: Clock, file: Path
) -> None:
    """Sessions of 40 turns over 10,000 memories: p95 of the hooks of all events at most 300 ms."""
    async with filled(memory, group, sentences(MEMORIES)), harness(memory, file) as running:
        await replay(Session(running, "first"), clock)
        running.seconds.clear()
        for number in range(SESSIONS):
            session = Session(running, f"session-{number}")
            await session.start()
            await replay(session, clock)
        p50, p95 = np.percentile(1000 * np.array(running.seconds), [50, 95])
    print(f"\n{len(running.seconds)} hooks: p50 {p50:.0f} ms, p95 {p95:.0f} ms")
    assert p95 <= 300
