"""Texts to unit vectors: by a model on this machine, or by an OpenAI-compatible endpoint."""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from graph_memory.errors import EmbeddingError
from graph_memory.inference.cross_encoder import CrossEncoder
from graph_memory.inference.openai_embeddings import Endpoint
from graph_memory.inference.sentence_transformer import LocalModel
from graph_memory.ranking.late_interaction import Tokens
from graph_memory.settings.base import Settings

Vector = npt.NDArray[np.float32]
Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Reading:
    """What a model makes of a text.

    Attributes:
        vector: Of the whole, unit length, shape (dimension,).
        tokens: Of each token in its place; none of them if the model does not
            tell them apart, and None if an endpoint was asked.
    """

    vector: Vector
    tokens: Tokens | None


class Embedder:
    """Maps texts to vectors of length 1, with the model the settings name.

    Attributes:
        model: The model's name, as stored with each vector.
        dimension: Numbers in each vector.
        reads_words: Whether its readings have tokens.
        cross_encoder: Reads a question and a memory together; None unless the settings name one.
    """

    def __init__(self, settings: Settings) -> None:
        """Make an embedder of the model that `settings` name, which has loaded nothing yet."""
        self.model = settings.embedding_model
        self.dimension = settings.embedding_dimensions
        self._source = Endpoint(settings) if settings.embedding_url else LocalModel(settings)
        self.reads_words = not settings.embedding_url
        name = settings.recall_cross_encoder
        self.cross_encoder = CrossEncoder(name) if name else None
        self._loaded = False
        self._cache_size = settings.embedding_cache_size
        self._cache: OrderedDict[bytes, Reading] = OrderedDict()
        self._asked: dict[bytes, asyncio.Task[Reading]] = {}
        self._waiting: list[tuple[str, asyncio.Future[Reading]]] = []
        self._reading = asyncio.Lock()

    @property
    def loaded(self) -> bool:
        """Whether a vector of the right width has been made, so that the next one is quick."""
        return self._loaded

    async def load(self) -> None:
        """Embed one word, which opens the model, warms it up and proves its width; once.

        Raises:
            EmbeddingError: The model cannot be opened or reached, or is of another width.
        """
        if not self._loaded:
            await self._read(["ready"])

    async def load_all(self) -> None:
        """Load what searches need: the model, then the cross-encoder, if there is to be one.

        Raises:
            EmbeddingError: As in `load`.
            SettingsError: The cross-encoder cannot be used.
        """
        await self.load()
        if self.cross_encoder:
            await self.cross_encoder.load()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed `texts`, of any length, as something to be found; what a model cannot see is cut.

        Returns:
            An (n, dimension) array of unit rows, in the order of `texts`.

        Raises:
            EmbeddingError: As in `load`, or the endpoint failed; no vector is returned.
        """
        readings = await self.read(texts)
        empty = np.empty((0, self.dimension), np.float32)
        return np.stack([reading.vector for reading in readings]) if readings else empty

    async def read(self, texts: Sequence[str]) -> list[Reading]:
        """Embed `texts` as `embed` does, each with its tokens."""
        return await self._read(texts) if texts else []

    async def embed_query(self, text: str) -> Vector:
        """Embed `text` as something to search with; repeated and simultaneous queries cost once.

        Returns:
            A read-only unit vector of shape (dimension,); errors are those of `embed`.
        """
        return (await self.read_query(text)).vector

    async def read_query(self, text: str) -> Reading:
        """Embed `text` as `embed_query` does, with its tokens."""
        # A query may be as long as a memory: the cache holds its digest.
        key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        if (task := self._asked.get(key)) is None:
            task = self._asked[key] = asyncio.create_task(self._read_and_keep(key, text))
            task.add_done_callback(lambda _: self._asked.pop(key, None))
        # Who gives up waiting must not cancel the others.
        return await asyncio.shield(task)

    async def tokenizer(self) -> Any:
        """Return the model's own tokenizer, to be copied, not used; None where it is not here."""
        return await self._source.tokenizer()

    async def close(self) -> None:
        """End the models' threads or the endpoint's connections; nothing can be embedded after."""
        await self._source.close()
        if self.cross_encoder:
            await self.cross_encoder.close()

    async def _read_and_keep(self, key: bytes, text: str) -> Reading:
        reading = await self._read_in_turn(text)
        reading.vector.setflags(write=False)
        self._cache[key] = reading
        if len(self._cache) > self._cache_size:
            self._cache.popitem(last=False)
        return reading

    async def _read_in_turn(self, text: str) -> Reading:
        """Read a query together with those that come while others are read.

        A pass over four takes as long as two of one. Whoever comes first to the lock reads for all
        who wait.
        """
        read: asyncio.Future[Reading] = asyncio.get_running_loop().create_future()
        self._waiting.append((text, read))
        async with self._reading:
            if not read.done():
                await self._read_waiting()
        return await read

    async def _read_waiting(self) -> None:
        batch, self._waiting = self._waiting, []
        try:
            readings = await self._read([text for text, _ in batch], query=True)
        except Exception as error:  # whatever it is, each of them is told
            for _, waiting in batch:
                waiting.set_exception(error)
        else:
            for (_, waiting), reading in zip(batch, readings, strict=True):
                waiting.set_result(reading)

    async def _read(self, texts: Sequence[str], *, query: bool = False) -> list[Reading]:
        rows, tokens = await self._source.embed(texts, query=query)
        if (width := rows.shape[-1]) != self.dimension:
            raise EmbeddingError(
                f"The model '{self.model}' makes vectors of {width} numbers, but {self.dimension} "
                f"are configured. Set GRAPH_MEMORY_EMBEDDING_DIMENSIONS={width}, or "
                "GRAPH_MEMORY_EMBEDDING_MODEL to another model."
            )
        self._loaded = True
        return list(map(Reading, _unit_rows(rows, self.model), tokens))


def _unit_rows(rows: Vectors, model: str) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and lengths.all()):
        raise EmbeddingError(
            f"The model '{model}' made a vector without a direction. Set "
            "GRAPH_MEMORY_EMBEDDING_MODEL to another model."
        )
    return (rows / lengths).astype(np.float32, copy=False)
