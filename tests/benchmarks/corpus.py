"""Memories to measure searches on: plain sentences, embedded by the real model."""

import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from graph_memory import GraphMemory

_WHO = ("Ada", "Grace", "Linus", "Barbara", "Alan", "Edsger", "Donald", "Margaret", "Radia")
_DID = ("prefers", "bought", "sold", "repaired", "lost", "found", "painted", "borrowed", "tested")
_WHAT = (
    "the red bicycle", "a green kettle", "the staging server", "an old camera", "the garden shed",
    "the quarterly report", "a piano lesson", "the release notes", "a flight to Lisbon",
    "the kitchen window", "the login page", "a box of tea", "the vacation plan", "a wooden chair",
)  # fmt: skip
_WHEN = (
    "before breakfast", "on Monday", "after the meeting", "in the rain", "last winter",
    "for her sister", "with some help", "against advice", "at the harbour", "near the office",
)  # fmt: skip
_BATCH = 500

#: Questions at least, and seconds, until Neo4j has compiled its plans, and Java what these do most:
#: a service runs for months. What answers sooner is asked more, or it would be measured unready.
_WARM_UP = 300
_WARM_UP_SECONDS = 60


@asynccontextmanager
async def filled(memory: GraphMemory, group: str, count: int) -> AsyncIterator[None]:
    """Fill a group with sentences, each of its own number, and erase it afterwards."""
    chance = random.Random(1)
    try:
        for start in range(0, count, _BATCH):
            await memory.add_many(
                [
                    {"content": f"{_sentence(chance)}, note {number}"}
                    for number in range(start, min(count, start + _BATCH))
                ],
                group_id=group,
            )
        yield
    finally:
        await memory.delete_all(confirm="DELETE ALL", permanent=True, group_id=group)


def questions(count: int, *, seed: int) -> list[str]:
    """Return questions, no two alike, as a cache of them would measure nothing."""
    chance = random.Random(seed)
    return [f"who {_sentence(chance).partition(' ')[2]} {n}?" for n in range(count)]


async def warm_up(ask: Callable[[str], Awaitable[None]], seed: int) -> None:
    """Ask until what is measured next is as quick as it gets; seeds from `seed` on are used up."""
    ends = time.perf_counter() + _WARM_UP_SECONDS
    while time.perf_counter() < ends:
        for question in questions(_WARM_UP, seed=seed):
            await ask(question)
        seed += 1


def _sentence(chance: random.Random) -> str:
    return " ".join(chance.choice(words) for words in (_WHO, _DID, _WHAT, _WHEN))
