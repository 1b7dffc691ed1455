"""The texts of evaluated memories, and the memories nearest to a question. No I/O.

A long memory has the vector of its beginning and those of its passages, as in the database.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graph_memory.domain.passages import split
from graph_memory.evaluation.dataset import Evaluation, EvaluationMemory
from graph_memory.evaluation.metrics import Hit

_CHARACTERS_PER_TOKEN = 4

#: Factor of `fragments/ranking/chance.cypher`, twice, because a cosine has twice the range of a
#: similarity from 0 to 1.
_CHANCE = 2 * 0.04

_Numbers = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Corpus:
    """The texts of a group.

    Attributes:
        texts: Texts to embed: contents and passages.
        hits: The memory of each text, by its id in the data, and the tokens of the text.
        chances: Gain of the cosine of each text by the number of passages of its memory.
    """

    texts: Sequence[str]
    hits: Sequence[Hit]
    chances: _Numbers

    def nearest(self, vectors: _Numbers, question: _Numbers, limit: int) -> list[Hit]:
        """Return the memories nearest to a question, each with its nearest text.

        Args:
            vectors: Unit rows, one for each text.
            question: Unit vector.
            limit: Most memories.
        """
        found: dict[str, Hit] = {}
        order: list[int] = np.argsort(self.chances - vectors @ question, kind="stable").tolist()
        for place in order:
            found.setdefault(self.hits[place].id, self.hits[place])
            if len(found) == limit:
                break
        return list(found.values())


def corpora(data: Evaluation) -> Mapping[str, Corpus]:
    """Return the texts of each group, by its name."""
    names = dict.fromkeys(memory.group for memory in data.memories)
    return {name: _corpus([m for m in data.memories if m.group == name]) for name in names}


def _corpus(memories: Sequence[EvaluationMemory]) -> Corpus:
    texts: list[str] = []
    hits: list[Hit] = []
    chances: list[float] = []
    for memory in memories:
        passages = [passage.text for passage in split(memory.content)]
        chance = _CHANCE * math.sqrt(2 * math.log(len(passages))) if passages else 0.0
        new = [memory.content, *passages]
        texts += new
        hits += [Hit(memory.id, math.ceil(len(text) / _CHARACTERS_PER_TOKEN)) for text in new]
        chances += [0.0, *[chance] * len(passages)]
    return Corpus(texts, hits, np.array(chances, np.float32))
