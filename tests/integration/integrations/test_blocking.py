"""Scripts without an event loop use a memory by blocking calls."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from graph_memory.errors import NotFoundError
from graph_memory.integrations.blocking import open_blocking
from graph_memory.settings.base import Settings


def test_a_script_adds_and_searches(settings: Settings, group: str) -> None:
    with open_blocking(settings.model_copy(update={"group_id": group})) as (memory, call):
        stored = call(memory.add, "Grace drinks black coffee", tags=["grace"])
        (found,) = call(memory.search, "what does Grace drink?", limit=1)
        assert found.memory.memory_id == stored.memory_id
        assert call(memory.relations.list, stored.memory_id) == []
        with pytest.raises(NotFoundError, match="missing"):
            call(memory.get, "missing")


def test_threads_and_a_running_loop_use_one_memory(settings: Settings, group: str) -> None:
    texts = [f"fact number {number} about tea" for number in range(8)]
    given = settings.model_copy(update={"group_id": group})
    with open_blocking(given) as (memory, call), ThreadPoolExecutor(4) as threads:
        stored = list(threads.map(lambda text: call(memory.add, text).memory_id, texts))

        async def in_a_notebook() -> int:
            return call(memory.stats).total

        assert asyncio.run(in_a_notebook()) == len(set(stored)) == 8


def test_after_the_context_a_call_fails(settings: Settings, group: str) -> None:
    with open_blocking(settings.model_copy(update={"group_id": group})) as (memory, call):
        call(memory.stats)
    with pytest.raises(RuntimeError, match="portal"):
        call(memory.stats)
