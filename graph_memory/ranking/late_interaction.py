"""Late interaction: MaxSim between the token vectors of a question and of a memory.

The model makes a vector for each token in the same pass that makes the vector of the text. The
token vectors of content words are stored beside the memory. A random projection reduces each to
`WIDTH` numbers, which keeps angles well enough (measured: no loss against all 384 numbers), and
quantisation to one signed byte a number makes it 64 bytes a token.

Source: Khattab and Zaharia, ColBERT (2020), for MaxSim; Johnson and Lindenstrauss (1984), for the
projection.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from graph_memory.ranking.terms import content_words

Vectors = npt.NDArray[np.float32]

#: Numbers of a projected token vector.
WIDTH = 64

#: Exponent of a word's rarity in its weight. In the cosine of texts the rarity is squared, because
#: both sides contribute it; an exponent between 1 and 2 measured best.
_RARITY_POWER = 1.5


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text.

    Attributes:
        spans: Array (n, 2): index of the first character and index after the last one.
        vectors: Array (n, at most `WIDTH`) of unit rows.
    """

    spans: npt.NDArray[np.int32]
    vectors: Vectors


def project_tokens(spans: Sequence[tuple[int, int]], vectors: Vectors) -> Tokens:
    """Return the tokens of a text with projected vectors, without the model's special tokens.

    A special token has an empty span.

    Args:
        spans: Span of each token, in characters.
        vectors: Array (n, dimension) of the model.
    """
    places = np.asarray(spans, dtype=np.int32).reshape(-1, 2)
    kept = places[:, 1] > places[:, 0]
    return Tokens(places[kept], _unit(vectors[kept] @ _projection(vectors.shape[1])))


def quantize_tokens(text: str, tokens: Tokens, analyzer: str) -> bytes:
    """Return the vectors of a text's content words as stored: `WIDTH` signed bytes a token.

    Args:
        text: The text.
        tokens: Its tokens.
        analyzer: Analyser of the full-text index.
    """
    kept = _word_of(tokens, [(start, end) for _, start, end in content_words(text, analyzer)]) >= 0
    vectors = tokens.vectors[kept]
    top = np.abs(vectors).max(axis=1, keepdims=True, initial=1e-9)
    return np.rint(127 * vectors / top).astype(np.int8).tobytes()


def query_token_vectors(
    text: str, tokens: Tokens, terms: Sequence[str], rarity: Sequence[float], analyzer: str
) -> tuple[Vectors, npt.NDArray[np.float64]]:
    """Return the vectors of a question's query terms and their weights, which sum to 1.

    The tokens of a term share its rarity; the weight is that share to the power of 1.5.

    Args:
        text: The question.
        tokens: Its tokens.
        terms: Query terms of the question.
        rarity: Rarity of each query term.
        analyzer: Analyser of the full-text index.

    Returns:
        An (n, `WIDTH`) and an (n,) array. Without a query term of known rarity, all tokens are
        returned with equal weights.
    """
    words = content_words(text, analyzer)
    places = _word_of(tokens, [(start, end) for _, start, end in words])
    known = {term: i for i, term in enumerate(terms)}
    index = np.array([*(known.get(word, -1) for word, _, _ in words), -1], dtype=np.int64)[places]
    kept = index >= 0
    if not kept.any() or not any(rarity):
        count = len(tokens.vectors)
        return tokens.vectors, np.full(count, 1 / max(1, count))
    index = index[kept]
    # Memories added during the count can make the rarity of the commonest words negative.
    shared = np.maximum(0, rarity) / np.maximum(1, np.bincount(index, minlength=len(terms)))
    weights = (shared**_RARITY_POWER)[index]
    return tokens.vectors[kept], weights / max(1e-9, float(weights.sum()))


def max_sim(vectors: Vectors, quantized: Sequence[bytes]) -> Vectors:
    """Return the best cosine of each query token with a token of each memory, 0 to 1.

    Args:
        vectors: Array (n, `WIDTH`), the vectors of the question.
        quantized: Token vectors of each memory as `quantize_tokens` returns them; empty bytes match
            nothing.

    Returns:
        An array (memories, n).
    """
    found = np.zeros((len(quantized), len(vectors)), dtype=np.float32)
    full = [i for i, stored in enumerate(quantized) if stored]
    if not full or not len(vectors):
        return found
    width = vectors.shape[1]
    rows = np.frombuffer(b"".join(quantized[i] for i in full), dtype=np.int8).reshape(-1, width)
    starts = np.cumsum([0, *(len(quantized[i]) // width for i in full[:-1])])
    cosines = _unit(rows.astype(np.float32)) @ vectors.T
    found[full] = np.clip(np.maximum.reduceat(cosines, starts, axis=0), 0, 1)
    return found


def _word_of(tokens: Tokens, words: Sequence[tuple[int, int]]) -> npt.NDArray[np.int64]:
    """Return for each token the index of the word that contains it, or -1."""
    if not words or not len(tokens.spans):
        return np.full(len(tokens.spans), -1, dtype=np.int64)
    starts, ends = np.array(words).T
    index = np.searchsorted(starts, tokens.spans[:, 0], side="right") - 1
    return np.where((index >= 0) & (tokens.spans[:, 0] < ends[index]), index, -1)


@cache
def _projection(dimension: int) -> Vectors:
    """Return the projection matrix (dimension, at most `WIDTH`).

    Stored token vectors depend on it, so it must never change. `RandomState` is the generator whose
    numbers are guaranteed to stay the same.
    """
    if dimension <= WIDTH:
        return np.eye(dimension, dtype=np.float32)
    return np.random.RandomState(0).standard_normal((dimension, WIDTH)).astype(np.float32)


def _unit(rows: Vectors) -> Vectors:
    return rows / np.maximum(1e-9, np.linalg.norm(rows, axis=1, keepdims=True))
