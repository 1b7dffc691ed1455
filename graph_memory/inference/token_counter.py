"""Tokens: the one measure of what a text costs a model, for budgets and staleness alike."""

import asyncio
import hashlib
import math
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from graph_memory.inference.embedder import Embedder
from graph_memory.settings.base import Settings

_CHARACTERS_PER_TOKEN = 4

#: Of a word that the tokenizer gives up on: over 100 characters long, or of unknown ones. Models
#: that do not give up split it into about so many bytes, whatever the script.
_BYTES_PER_TOKEN = 4

#: Of a whole text: the tokenizer drops white space, accents and what is invisible.
_MOST_BYTES_PER_TOKEN = 16

#: Texts whose tokens are not counted again; each takes 150 bytes.
_KEPT = 20_000


class TokenCounter:
    """Counts as the embedding model splits texts, else a token for each four characters.

    The model's tokenizer makes one token of a word it gives up on, whose length has no bound; here
    such a word costs one for each four bytes. No text costs less than one for sixteen.
    """

    def __init__(self, embedder: Embedder, settings: Settings) -> None:
        self._embedder = embedder
        self._by_model = settings.token_counter == "model"  # noqa: S105
        self._count: Callable[[Sequence[str]], list[int]] | None = None
        self._known: OrderedDict[bytes, int] = OrderedDict()

    async def count(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, however long; marks around a text are not counted.

        Raises:
            EmbeddingError: The model cannot be opened.
        """
        keys = [_key(text) for text in texts]
        counts = {key: self._known[key] for key in keys if key in self._known}
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in counts}
        if new:
            counts |= zip(new, await self._counted(list(new.values())), strict=True)
        self._keep(counts)
        return [counts[key] for key in keys]

    async def _counted(self, texts: Sequence[str]) -> list[int]:
        if self._count is None:
            tokenizer = await self._embedder.tokenizer() if self._by_model else None
            self._count = _by_model(tokenizer) or by_characters
        return await asyncio.to_thread(self._count, texts)

    def _keep(self, counts: Mapping[bytes, int]) -> None:
        for key, count in counts.items():
            self._known[key] = count
            self._known.move_to_end(key)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)


def _key(text: str) -> bytes:
    """Return what stands for a text, which may be long."""
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def by_characters(texts: Sequence[str]) -> list[int]:
    """Count a token for each four characters begun."""
    return [math.ceil(len(text) / _CHARACTERS_PER_TOKEN) for text in texts]


def _by_model(tokenizer: Any) -> Callable[[Sequence[str]], list[int]] | None:
    """Return a counter that cuts nothing; the model's thread has its tokenizer to itself."""
    shared: Any = getattr(tokenizer, "backend_tokenizer", None)
    if shared is None:
        return None
    own: Any = cast(Any, type(shared)).from_str(shared.to_str())
    own.no_truncation()
    own.no_padding()
    unknown: int | None = tokenizer.unk_token_id

    def count(texts: Sequence[str]) -> list[int]:
        split = own.encode_batch_fast(list(texts), add_special_tokens=False)
        return [
            max(
                len(each) + (_unsplit(own, text, unknown) if unknown in each.ids else 0),
                _begun(text, _MOST_BYTES_PER_TOKEN),
            )
            for text, each in zip(texts, split, strict=True)
        ]

    return count


def _unsplit(own: Any, text: str, unknown: int | None) -> int:
    """Return what the words that the tokenizer gave up on cost beyond the one token of each."""
    split = own.encode(text, add_special_tokens=False)
    spans = (span for token, span in zip(split.ids, split.offsets, strict=True) if token == unknown)
    return sum(_begun(text[begin:end], _BYTES_PER_TOKEN) - 1 for begin, end in spans)


def _begun(text: str, size: int) -> int:
    """Return how many pieces of so many bytes a text begins."""
    return math.ceil(len(text.encode()) / size)
