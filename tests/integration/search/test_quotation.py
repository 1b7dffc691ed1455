"""An exact quotation finds its memory first, with high relevance, among many."""

import random
import re

import pytest

from graph_memory import GraphMemory
from graph_memory.ranking.terms import content_words
from tests.benchmarks.corpus import filled, prose, sentences

_WORDS = 5
_QUOTED = 100


def quotation(text: str, chance: random.Random) -> str:
    """Return a part of a text with five content words."""
    words = content_words(text, "english")
    first = chance.randrange(len(words) - _WORDS + 1)
    return text[words[first][1] : words[first + _WORDS - 1][2]]


@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    "count",
    [
        1_000,
        pytest.param(10_000, marks=pytest.mark.stress),
        pytest.param(100_000, marks=pytest.mark.stress),
    ],
)
async def test_a_quotation_finds_its_memory_first(
    memory: GraphMemory, group: str, count: int
) -> None:
    chance = random.Random(count)
    paragraphs = prose(min(count, 10_000))
    contents = [*paragraphs, *sentences(count - len(paragraphs))]
    long_enough = [p for p in paragraphs if len(content_words(p, "english")) >= _WORDS]
    async with filled(memory, group, contents):
        asked = 0
        while asked < _QUOTED:
            text = chance.choice(long_enough)
            quoted = quotation(text, chance)
            holders = [content for content in paragraphs if quoted.lower() in content.lower()]
            if len(holders) > 1 or re.fullmatch(r"[\W\d_]*", quoted):
                continue
            best = (await memory.search(quoted, limit=3))[0]
            assert best.memory.content == text, quoted
            assert best.relevance is not None
            assert best.relevance >= 0.9, (quoted, best.relevance)
            asked += 1
