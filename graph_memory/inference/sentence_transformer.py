"""Embeddings by any sentence-transformers model on this machine, which needs an extra.

This module imports sentence_transformers, which takes seconds, before the first embedding.
"""

import asyncio
import importlib.util
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, cast

import numpy as np

from graph_memory.domain.batching import batched
from graph_memory.errors import EmbeddingError
from graph_memory.inference import packaged_model
from graph_memory.inference.openai import cut
from graph_memory.inference.passes import plan_passes
from graph_memory.ranking.late_interaction import WIDTH, Tokens, Vectors, project_tokens
from graph_memory.settings.base import Settings
from graph_memory.wording import install_command

#: Tokens in one pass. Larger passes are not faster, and delay queries.
_PASS_TOKENS = 1024
#: Characters per token beyond which a text is cut, to save the tokenizer time; far above any prose.
_CHARACTERS_PER_TOKEN = 32
_CONNECT_SECONDS = 5.0


class SentenceTransformerModel:
    """A sentence-transformers model on its own thread."""

    def __init__(self, settings: Settings) -> None:
        self._name = settings.embedding_model
        self._batch_size = settings.embedding_batch_size
        # One thread is enough, because torch uses every core, and it needs no locks.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedding")
        self._model: Any = None

    async def embed(self, texts: Sequence[str], *, query: bool) -> tuple[Vectors, list[Tokens]]:
        """Embed texts in many short jobs, so that a query does not wait for a large batch."""
        model = await self._run(self._open)
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
        """Return a copy of the tokenizer of the model; None if the model has none."""
        return await self._run(self._copied_tokenizer)

    async def close(self) -> None:
        """Close its thread."""
        await asyncio.to_thread(self._thread.shutdown)

    async def _plan(self, model: Any, texts: list[str]) -> list[list[int]]:
        # A token has at least one character, so a few short texts fit without a count.
        most = min(self._batch_size, _PASS_TOKENS // max([1, *map(len, texts)]))
        if len(texts) <= max(1, most):
            return [list(range(len(texts)))]
        parts = list(batched(texts, self._batch_size))
        counts = [await self._run(_token_counts, model, part) for part in parts]
        return list(plan_passes(list(chain(*counts)), self._batch_size, _PASS_TOKENS))

    def _open(self) -> Any:
        if self._model is None:
            self._model = _open_model(self._name)
            _all_threads()  # notes the number before a query sets a lower one
        return self._model

    def _copied_tokenizer(self) -> Any:
        shared: Any = getattr(self._open().tokenizer, "backend_tokenizer", None)
        return shared and cast(Any, type(shared)).from_str(shared.to_str())

    def _run(self, job: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:
        return asyncio.get_running_loop().run_in_executor(self._thread, job, *arguments)


def _encode(model: Any, texts: list[str], query: bool) -> list[tuple[Vectors, Tokens]]:
    """Embed texts in one pass, with the vectors of their tokens where the model has them."""
    use_threads(1 if query else None)
    encode = model.encode_query if query else model.encode_document
    prompt = _prompt(model, query)
    made = encode(
        texts, prompt=prompt, batch_size=len(texts), show_progress_bar=False, output_value=None
    )
    vectors = [_array(features["sentence_embedding"]) for features in made]
    return list(zip(vectors, map(_tokens, made, _spans(model, texts, prompt)), strict=True))


def _prompt(model: Any, query: bool) -> str:
    """Return the words that the configuration of a model puts before each text, such as `query: `.

    The class adds an empty prompt `document`, which would hide one with another name.
    """
    prompts: dict[str, str] = getattr(model, "prompts", {})
    names = ("query",) if query else ("document", "passage", "corpus")
    return next(filter(None, map(prompts.get, names)), "")


def use_threads(count: int | None) -> None:
    """Set the number of threads of torch; None sets the number it started with.

    A question is too short to be divided. Beside a busy Neo4j, two threads that wait for one
    another take 1.5 times the processor time of one.
    """
    import torch

    torch.set_num_threads(count or _all_threads())


@cache
def _all_threads() -> int:
    import torch

    return torch.get_num_threads()


def _spans(model: Any, texts: list[str], prompt: str) -> list[list[tuple[int, int]]]:
    """Return the span of each token; nothing if the tokenizer of the model has no spans.

    Tokens of the prompt have an empty span, as special tokens have.
    """
    if not getattr(model.tokenizer, "is_fast", False):
        return [[]] * len(texts)
    read = model.tokenizer(
        [prompt + text for text in texts],
        truncation=True,
        max_length=model.max_seq_length,
        return_offsets_mapping=True,
    )
    before = len(prompt)
    return [
        [(max(0, start - before), max(0, end - before)) for start, end in spans]
        for spans in read["offset_mapping"]
    ]


def _tokens(features: Mapping[str, Any], spans: list[tuple[int, int]]) -> Tokens:
    """Return the tokens of a text; none if the model added others."""
    if "token_embeddings" in features:
        real = _array(features["attention_mask"]).astype(bool)
        if real.sum() == len(spans):
            return project_tokens(spans, _array(features["token_embeddings"])[real])
    return project_tokens([], np.empty((0, WIDTH), np.float32))


def _array(tensor: Any) -> Vectors:
    """Return a tensor as float32 array, from any device and precision."""
    return tensor.float().cpu().numpy()


def _token_counts(model: Any, texts: list[str]) -> list[int]:
    """Return the tokens of each text; its characters, if the model has no attention mask."""
    mask = model.preprocess(texts).get("attention_mask")
    return [len(text) for text in texts] if mask is None else mask.sum(dim=1).tolist()


def _open_model(name: str) -> Any:
    source = name
    if name == packaged_model.NAME:
        source = str(packaged_model.checked_file(packaged_model.WEIGHTS).parent)
    try:
        return read_model(source, "SentenceTransformer")
    except Exception as error:  # each kind of model raises its own
        raise EmbeddingError(
            f"The embedding model '{name}' cannot be opened: {error}. Set "
            f"GRAPH_MEMORY_EMBEDDING_MODEL to '{packaged_model.NAME}', which needs no network, or "
            "to the folder of a model."
        ) from error


def is_installed() -> bool:
    """Return True if the extra of this package is installed."""
    return importlib.util.find_spec("sentence_transformers") is not None


def read_model(source: str, kind: str) -> Any:
    """Read a model of a class of sentence_transformers.

    Args:
        source: Folder or name of the model.
        kind: Name of the class, such as `SentenceTransformer`.

    Raises:
        Exception: Each class raises errors of its own.
    """
    if not is_installed():
        raise ModuleNotFoundError(
            f"It needs an extra of this package; {install_command('sentence-transformers')}"
        )
    # The import below reads this. Threads that spin make torch ten times slower beside a busy
    # Neo4j.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # A few questions are too short to be divided among threads.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    logging.getLogger("sentence_transformers").setLevel(logging.WARNING)
    import sentence_transformers
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # the variable has no effect if the module was imported before

    read = getattr(sentence_transformers, kind)
    # First without the network: a downloaded model opens offline, and unchanged.
    try:
        return read(source, local_files_only=True)
    except OSError:
        if Path(source).exists():
            raise
    _require_hub()
    return read(source)


def _require_hub() -> None:
    """Check that the model hub answers, because its own client retries for over a minute."""
    import httpx
    from huggingface_hub import constants

    try:
        httpx.head(constants.ENDPOINT, timeout=_CONNECT_SECONDS)
    except httpx.HTTPError as error:
        raise ConnectionError(f"no such folder, and its hub does not answer ({error})") from error
