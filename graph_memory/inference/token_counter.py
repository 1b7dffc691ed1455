"""Token counts of texts, the measure of budgets and staleness."""

import asyncio
import hashlib
import math
from collections.abc import Callable, Sequence
from typing import Any

from cachetools import LRUCache

from graph_memory.inference.embedder import Embedder
from graph_memory.settings.base import Settings

_CHARACTERS_PER_TOKEN = 4

#: Bytes per token of a word that the tokenizer replaces by its unknown token: a word of more than
#: 100 characters, or of unknown characters. Other models split such a word into about so many
#: bytes, whatever the script.
_BYTES_PER_TOKEN = 4

#: Most bytes per token of a text. The tokenizer drops white space, accents and invisible
#: characters.
_MOST_BYTES_PER_TOKEN = 16

#: Entries of the cache, of 150 bytes each.
_CACHE_SIZE = 20_000


class TokenCounter:
    """Counts with the tokenizer of the embedding model, or one token per four characters.

    The tokenizer makes one token of an unknown word, whatever its length; here such a word counts
    one token per four bytes. Every text counts at least one token per sixteen bytes.
    """

    def __init__(self, embedder: Embedder, settings: Settings) -> None:
        self._embedder = embedder
        self._by_model = settings.token_counter == "model"  # noqa: S105
        self._count: Callable[[Sequence[str]], list[int]] | None = None
        self._cache: LRUCache[bytes, int] = LRUCache(_CACHE_SIZE)

    async def count(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of texts of any length, without special tokens around a text.

        Raises:
            EmbeddingError: The model cannot be opened.
        """
        keys = [_key(text) for text in texts]
        counts = {key: self._cache[key] for key in keys if key in self._cache}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in counts}
        if new:
            counts |= zip(new, await self._count_new(list(new.values())), strict=True)
            self._cache.update((key, counts[key]) for key in new)
        return [counts[key] for key in keys]

    async def count_contents(self, contents: Sequence[tuple[str, str]]) -> list[int]:
        """Count the tokens of contents of memories, each given with its id.

        Raises:
            EmbeddingError: The model cannot be opened.
        """
        return await self.count([text for _, text in contents])

    async def _count_new(self, texts: Sequence[str]) -> list[int]:
        if self._count is None:
            tokenizer = await self._embedder.tokenizer() if self._by_model else None
            self._count = _by_model(tokenizer) or by_characters
        return await asyncio.to_thread(self._count, texts)


def _key(text: str) -> bytes:
    """Return the digest of a text, which may be long."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def by_characters(texts: Sequence[str]) -> list[int]:
    """Return ceil(characters / 4) for each text."""
    return [math.ceil(len(text) / _CHARACTERS_PER_TOKEN) for text in texts]


def _by_model(own: Any) -> Callable[[Sequence[str]], list[int]] | None:
    """Return a counter with a tokenizer that it may change, or None without one."""
    if own is None:
        return None
    own.no_truncation()
    own.no_padding()
    # The unigram models of SentencePiece do not name the token, which is always this.
    unknown: int | None = own.token_to_id(getattr(own.model, "unk_token", None) or "<unk>")

    def count(texts: Sequence[str]) -> list[int]:
        split = own.encode_batch_fast(list(texts), add_special_tokens=False)
        return [
            max(
                len(each) + (_extra_tokens(own, text, unknown) if unknown in each.ids else 0),
                _ceil_bytes(text, _MOST_BYTES_PER_TOKEN),
            )
            for text, each in zip(texts, split, strict=True)
        ]

    return count


def _extra_tokens(own: Any, text: str, unknown: int | None) -> int:
    """Return the tokens of the unknown words of a text beyond the one token of each."""
    split = own.encode(text, add_special_tokens=False)
    spans = (span for token, span in zip(split.ids, split.offsets, strict=True) if token == unknown)
    return sum(_ceil_bytes(text[begin:end], _BYTES_PER_TOKEN) - 1 for begin, end in spans)


def _ceil_bytes(text: str, size: int) -> int:
    """Return ceil(bytes / size) of a text."""
    return math.ceil(len(text.encode()) / size)
