"""Memories to measure searches on, embedded by the real model: plain sentences, and real prose."""

import ast
import random
import re
import sysconfig
import time
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from graph_memory import GraphMemory

_WHO = ("Ada", "Grace", "Linus", "Barbara", "Alan", "Edsger", "Donald", "Margaret", "Radia")
_DID = ("prefers", "bought", "sold", "repaired", "lost", "found", "painted", "borrowed", "tested")
_WHAT = (
    "the red bicycle",
    "a green kettle",
    "the staging server",
    "an old camera",
    "the garden shed",
    "the quarterly report",
    "a piano lesson",
    "the release notes",
    "a flight to Lisbon",
    "the kitchen window",
    "the login page",
    "a box of tea",
    "the vacation plan",
    "a wooden chair",
)
_WHEN = (
    "before breakfast",
    "on Monday",
    "after the meeting",
    "in the rain",
    "last winter",
    "for her sister",
    "with some help",
    "against advice",
    "at the harbour",
    "near the office",
)
_BATCH = 500

#: Questions at least, and seconds, until Neo4j has compiled its plans, and Java what these do most:
#: a service runs for months. What answers sooner is asked more, or it would be measured unready.
_WARM_UP = 300
_WARM_UP_SECONDS = 60


@asynccontextmanager
async def filled(memory: GraphMemory, group: str, contents: Sequence[str]) -> AsyncIterator[None]:
    """Fill a group with memories, and erase it afterwards."""
    try:
        for start in range(0, len(contents), _BATCH):
            await memory.add_many(
                [{"content": content} for content in contents[start : start + _BATCH]],
                group_id=group,
            )
        yield
    finally:
        await memory.delete_all(confirm="DELETE ALL", permanent=True, group_id=group)


def sentences(count: int) -> list[str]:
    """Return sentences of few words, each of its own number."""
    chance = random.Random(1)
    return [f"{_sentence(chance)}, note {number}" for number in range(count)]


def prose(count: int) -> list[str]:
    """Return paragraphs of what libraries that are installed here say of themselves, mixed.

    They differ as people's texts do, and some nearly repeat others: a vector index finds them less
    easily than `sentences`.
    """
    chance = random.Random(1)
    paths = sorted(Path(sysconfig.get_path("purelib")).rglob("*.py"))
    chance.shuffle(paths)
    found: dict[str, None] = {}
    for path in paths:
        found |= dict.fromkeys(_paragraphs(path))
        if len(found) >= count:
            return chance.sample(list(found), count)
    raise LookupError(f"only {len(found)} paragraphs are installed here")


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


def _paragraphs(path: Path) -> Iterator[str]:
    """Yield the paragraphs of prose in the docstrings of a module."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return  # a template, or of another Python
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for paragraph in re.split(r"\n\s*\n", ast.get_docstring(node) or ""):
                line = " ".join(paragraph.split())
                if 40 <= len(line) <= 400 and line[0].isupper() and ">>>" not in line:
                    yield line
