"""Late interaction: how well each word of a question is met somewhere in a memory.

Besides the vector of a whole text, the model makes one of each token in its place, in the same
pass. Those of telling words are kept beside the memory: 64 bytes a token, after a random projection
that keeps angles well enough (measured: no loss against all 384 numbers).

Source: Khattab and Zaharia, ColBERT (2020), for the sum of best matches; Johnson and Lindenstrauss
(1984), for the projection.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from graph_memory.ranking.terms import telling

Vectors = npt.NDArray[np.float32]

#: Numbers kept of a token's vector.
WIDTH = 64

#: A word counts by its rarity to this power: by more than itself, as in the cosine of texts, where
#: it is squared, since both sides bring it; measured best between the two.
_RARITY_POWER = 1.5


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text: where each stands, and its vector.

    Attributes:
        spans: Array (n, 2): first character and the one after the last.
        vectors: Array (n, at most `WIDTH`) of unit rows.
    """

    spans: npt.NDArray[np.int32]
    vectors: Vectors


def reduced(spans: Sequence[tuple[int, int]], vectors: Vectors) -> Tokens:
    """Return the tokens of a text, without the model's own marks, which span no character.

    Args:
        spans: Where each token stands.
        vectors: Array (n, dimension), as the model made them.
    """
    places = np.asarray(spans, dtype=np.int32).reshape(-1, 2)
    kept = places[:, 1] > places[:, 0]
    return Tokens(places[kept], _unit(vectors[kept] @ _projection(vectors.shape[1])))


def packed(text: str, tokens: Tokens, analyzer: str) -> bytes:
    """Return the vectors of a text's telling words as stored: `WIDTH` signed bytes each."""
    kept = _word_of(tokens, [(start, end) for _, start, end in telling(text, analyzer)]) >= 0
    vectors = tokens.vectors[kept]
    top = np.abs(vectors).max(axis=1, keepdims=True, initial=1e-9)
    return np.rint(127 * vectors / top).astype(np.int8).tobytes()


def asked(
    text: str, tokens: Tokens, words: Sequence[str], rarity: Sequence[float], analyzer: str
) -> tuple[Vectors, npt.NDArray[np.float64]]:
    """Return the vectors of a question's telling words and how much each counts; together 1.

    Args:
        text: The question.
        tokens: Its tokens.
        words: The words that were looked up.
        rarity: Of each of them, how rare it is; its tokens share it, and what is rare counts for
            more than its share.
        analyzer: Of the full-text index.

    Returns:
        An (n, `WIDTH`) and an (n,) array; without telling words, every token counts alike.
    """
    said = telling(text, analyzer)
    places = _word_of(tokens, [(start, end) for _, start, end in said])
    known = {word: i for i, word in enumerate(words)}
    index = np.array([*(known.get(word, -1) for word, _, _ in said), -1], dtype=np.int64)[places]
    kept = index >= 0
    if not kept.any() or not any(rarity):
        count = len(tokens.vectors)
        return tokens.vectors, np.full(count, 1 / max(1, count))
    index = index[kept]
    # Below 0 is what memories that come while they are counted leave of the commonest words.
    shared = np.maximum(0, rarity) / np.maximum(1, np.bincount(index, minlength=len(words)))
    weights = (shared**_RARITY_POWER)[index]
    return tokens.vectors[kept], weights / max(1e-9, float(weights.sum()))


def met(vectors: Vectors, packs: Sequence[bytes]) -> Vectors:
    """Return how well memories meet each word of a question, 0 to 1.

    Args:
        vectors: Of the question's words, array (n, `WIDTH`).
        packs: Of each memory, what `packed` made of it; of none, the memory meets nothing.

    Returns:
        An array (memories, n): the best cosine of each word with one of the memory's.
    """
    found = np.zeros((len(packs), len(vectors)), dtype=np.float32)
    full = [i for i, pack in enumerate(packs) if pack]
    if not full or not len(vectors):
        return found
    width = vectors.shape[1]
    rows = np.frombuffer(b"".join(packs[i] for i in full), dtype=np.int8).reshape(-1, width)
    starts = np.cumsum([0, *(len(packs[i]) // width for i in full[:-1])])
    cosines = _unit(rows.astype(np.float32)) @ vectors.T
    found[full] = np.clip(np.maximum.reduceat(cosines, starts, axis=0), 0, 1)
    return found


def _word_of(tokens: Tokens, words: Sequence[tuple[int, int]]) -> npt.NDArray[np.int64]:
    """Return for each token the index of the word it is of, or -1."""
    if not words or not len(tokens.spans):
        return np.full(len(tokens.spans), -1, dtype=np.int64)
    starts, ends = np.array(words).T
    index = np.searchsorted(starts, tokens.spans[:, 0], side="right") - 1
    return np.where((index >= 0) & (tokens.spans[:, 0] < ends[index]), index, -1)


@cache
def _projection(dimension: int) -> Vectors:
    """Return a matrix (dimension, at most `WIDTH`), the same for ever: what is stored rests on it.

    `RandomState` is the generator whose numbers are promised not to change.
    """
    if dimension <= WIDTH:
        return np.eye(dimension, dtype=np.float32)
    return np.random.RandomState(0).standard_normal((dimension, WIDTH)).astype(np.float32)


def _unit(rows: Vectors) -> Vectors:
    return rows / np.maximum(1e-9, np.linalg.norm(rows, axis=1, keepdims=True))
