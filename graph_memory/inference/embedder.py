"""Embeddings of texts, by a model on this machine or by an OpenAI-compatible endpoint."""

import asyncio
import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from cachetools import LRUCache

from graph_memory.errors import EmbeddingError, OnnxRuntimeError
from graph_memory.inference import packaged_model, sentence_transformer
from graph_memory.inference.cross_encoder import CrossEncoder
from graph_memory.inference.onnx_model import OnnxModel
from graph_memory.inference.openai_embeddings import Endpoint
from graph_memory.inference.sentence_transformer import SentenceTransformerModel
from graph_memory.ranking.late_interaction import Tokens
from graph_memory.settings.base import Settings
from graph_memory.tracing import model_span

_log = logging.getLogger(__name__)

Vector = npt.NDArray[np.float32]
Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Embedding:
    """The vector of a text, and the vectors of its tokens.

    Attributes:
        vector: Unit vector of the text, shape (dimension,).
        tokens: Tokens with their vectors. Empty if the model has no token vectors; None if an
            endpoint made the embedding.
    """

    vector: Vector
    tokens: Tokens | None


class Embedder:
    """The embedding model that the settings name, and the cross-encoder if they name one.

    Queries are micro-batched: the model embeds queries that arrive during a pass together in the
    next one. Repeated queries come from an LRU cache of `embedding_cache_size` entries.

    Attributes:
        model: Name of the model, as stored with each vector.
        dimension: Numbers in each vector; with `any_width`, known once the model is loaded.
        has_tokens: True if embeddings have tokens.
        cross_encoder: The cross-encoder; None unless the settings name one.
    """

    def __init__(self, settings: Settings, *, any_width: bool = False) -> None:
        """Make an embedder without loading its model.

        Args:
            settings: They name the model.
            any_width: Take the width of the model in place of `embedding_dimensions`.
        """
        self.model = settings.embedding_model
        self.dimension = settings.embedding_dimensions
        self._settings = settings
        self._source = _source(settings)
        self.has_tokens = not settings.embedding_url
        name = settings.recall_cross_encoder
        self.cross_encoder = CrossEncoder(name) if name else None
        self._loaded = False
        self._any_width = any_width
        self._cache: LRUCache[bytes, Embedding] = LRUCache(settings.embedding_cache_size)
        self._in_progress: dict[bytes, asyncio.Task[Embedding]] = {}
        self._queue: list[tuple[str, asyncio.Future[Embedding]]] = []
        self._pass = asyncio.Lock()

    @property
    def loaded(self) -> bool:
        """True after a vector of the configured width was made, so that the next one is fast."""
        return self._loaded

    async def load(self) -> None:
        """Embed one word, which opens the model, warms it up and checks its width; only once.

        Raises:
            EmbeddingError: The model cannot be opened or reached, or has another width.
        """
        if not self._loaded:
            await self._embed(["ready"])

    async def load_all(self) -> None:
        """Load the models of a search: the embedding model, then the cross-encoder if configured.

        Raises:
            EmbeddingError: As in `load`.
            SettingsError: The cross-encoder cannot be used.
        """
        await self.load()
        if self.cross_encoder:
            await self.cross_encoder.load()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed documents of any length; text beyond the window of the model is cut.

        Returns:
            An (n, dimension) array of unit rows, in the order of `texts`.

        Raises:
            EmbeddingError: As in `load`, or the endpoint failed; no vector is returned.
        """
        embeddings = await self.embed_tokens(texts)
        empty = np.empty((0, self.dimension), np.float32)
        return np.stack([each.vector for each in embeddings]) if embeddings else empty

    async def embed_tokens(self, texts: Sequence[str]) -> list[Embedding]:
        """Embed documents as `embed` does, with their tokens."""
        return await self._embed(texts) if texts else []

    async def embed_query(self, text: str) -> Vector:
        """Embed a query; repeated and simultaneous queries are embedded once.

        Returns:
            A read-only unit vector of shape (dimension,).

        Raises:
            EmbeddingError: As in `embed`.
        """
        return (await self.embed_query_tokens(text)).vector

    async def embed_query_tokens(self, text: str) -> Embedding:
        """Embed a query as `embed_query` does, with its tokens."""
        # A query may be as long as a memory, so the key of the cache is a digest.
        key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        if key in self._cache:
            return self._cache[key]
        if (task := self._in_progress.get(key)) is None:
            task = self._in_progress[key] = asyncio.create_task(self._embed_and_cache(key, text))
            task.add_done_callback(lambda _: self._in_progress.pop(key, None))
        # A caller that is cancelled must not cancel the task, which other callers await.
        return await asyncio.shield(task)

    async def tokenizer(self) -> Any:
        """Return a tokenizer of the model for the caller alone; None for an endpoint."""
        return await self._source.tokenizer()

    async def close(self, *, wait: bool = True) -> None:
        """Close the connections to the endpoint, or the threads of the models.

        Args:
            wait: False to leave a thread that loads a model to its end, after an interruption.
        """
        if wait or isinstance(self._source, Endpoint):
            await self._source.close()
        if wait and self.cross_encoder:
            await self.cross_encoder.close()

    def forget(self) -> None:
        """Empty the cache of queries."""
        self._cache.clear()

    async def _embed_and_cache(self, key: bytes, text: str) -> Embedding:
        embedding = await self._embed_queued(text)
        embedding.vector.setflags(write=False)
        if self._cache.maxsize:
            self._cache[key] = embedding
        return embedding

    async def _embed_queued(self, text: str) -> Embedding:
        """Embed a query together with the queries that arrive during the current pass.

        A pass over four queries takes as long as two passes over one. The first task to get the
        lock embeds all queries in the queue.
        """
        result: asyncio.Future[Embedding] = asyncio.get_running_loop().create_future()
        self._queue.append((text, result))
        async with self._pass:
            if not result.done():
                await self._embed_queue()
        return await result

    async def _embed_queue(self) -> None:
        batch, self._queue = self._queue, []
        try:
            embeddings = await self._embed([text for text, _ in batch], query=True)
        except Exception as error:  # every caller gets the error, whatever it is
            for _, result in batch:
                result.set_exception(error)
        else:
            for (_, result), embedding in zip(batch, embeddings, strict=True):
                result.set_result(embedding)

    async def _embed(self, texts: Sequence[str], *, query: bool = False) -> list[Embedding]:
        with model_span("embeddings", self.model, len(texts)):
            rows, tokens = await self._read(texts, query=query)
        width = rows.shape[-1]
        if self._any_width and not self._loaded:
            self.dimension = width
        if width != self.dimension:
            raise EmbeddingError(
                f"The model '{self.model}' makes vectors of {width} numbers, but {self.dimension} "
                f"are configured. Set GRAPH_MEMORY_EMBEDDING_DIMENSIONS={width}, or "
                "GRAPH_MEMORY_EMBEDDING_MODEL to another model."
            )
        self._loaded = True
        return list(map(Embedding, _unit_rows(rows, self.model), tokens))

    async def _read(
        self, texts: Sequence[str], *, query: bool
    ) -> tuple[Vectors, Sequence[Tokens | None]]:
        """Embed texts by sentence-transformers where ONNX Runtime cannot run."""
        source = self._source
        try:
            return await source.embed(texts, query=query)
        except OnnxRuntimeError as error:
            if not sentence_transformer.is_installed():
                raise
            _log.warning("sentence-transformers runs the model instead: %s", error)
            if self._source is source:
                self._source = SentenceTransformerModel(self._settings)
                await source.close()
            return await self._source.embed(texts, query=query)


def _source(settings: Settings) -> Endpoint | OnnxModel | SentenceTransformerModel:
    """Return the source of the vectors of a model."""
    if settings.embedding_url:
        return Endpoint(settings)
    if settings.embedding_model == packaged_model.NAME:
        return OnnxModel(settings)
    return SentenceTransformerModel(settings)


def _unit_rows(rows: Vectors, model: str) -> Vectors:
    """Return rows of length 1; a row of zeros, NaN or infinity is an error."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and lengths.all()):
        raise EmbeddingError(
            f"The model '{model}' made a vector without a direction. Set "
            "GRAPH_MEMORY_EMBEDDING_MODEL to another model."
        )
    return (rows / lengths).astype(np.float32, copy=False)
