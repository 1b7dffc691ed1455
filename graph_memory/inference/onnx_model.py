"""Embeddings by the default model, `all-MiniLM-L6-v2`, run by ONNX Runtime on the CPU.

Each pass uses one thread, and several passes run at once. Threads inside a pass wait for one
another, which takes processor time from Neo4j (measured). Questions have a thread of their own, so
that they wait for no document.
"""

import asyncio
import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from graph_memory.errors import OnnxRuntimeError
from graph_memory.inference import packaged_model
from graph_memory.inference.openai import cut
from graph_memory.inference.passes import plan_passes
from graph_memory.ranking.late_interaction import Tokens, Vectors, project_tokens
from graph_memory.settings.base import Settings

#: Tokens in one pass. Larger passes are not faster, and need more memory.
_PASS_TOKENS = 512
#: Characters per token beyond which a text is cut, to save the tokenizer time; far above any prose.
_CHARACTERS_PER_TOKEN = 32
#: Most passes over documents at once; each needs memory for its intermediate results.
_MOST_PASSES = 4

#: The vector of a text, and its tokens with their vectors.
_Embedding = tuple[Vectors, Tokens]


@dataclass(frozen=True, slots=True)
class _Model:
    tokenizer: Any
    session: Any
    words: Vectors  # a row for each id of the tokenizer
    weights: Any  # the session refers to them, but does not own them


class OnnxModel:
    """The default model, opened at its first use."""

    def __init__(self, settings: Settings) -> None:
        self._batch_size = settings.embedding_batch_size
        self._lanes = min(_MOST_PASSES, os.cpu_count() or 1)
        self._documents = ThreadPoolExecutor(self._lanes, thread_name_prefix="documents")
        self._questions = ThreadPoolExecutor(1, thread_name_prefix="questions")
        self._opening = Lock()
        self._model: _Model | None = None

    async def embed(self, texts: Sequence[str], *, query: bool) -> tuple[Vectors, list[Tokens]]:
        """Embed texts in short passes, so that several callers share the threads.

        Raises:
            EmbeddingError: The model cannot be opened.
        """
        pool, lanes = (self._questions, 1) if query else (self._documents, self._lanes)
        encodings = await _run(pool, self._tokenize, texts)
        passes = list(plan_passes(list(map(len, encodings)), self._batch_size, _PASS_TOKENS))
        made: dict[int, _Embedding] = {}
        waiting = iter(passes)

        async def lane() -> None:
            for part in waiting:
                read = await _run(pool, self._encode, [encodings[i] for i in part])
                made.update(zip(part, read, strict=True))

        await asyncio.gather(*(lane() for _ in range(min(lanes, len(passes)))))
        vectors, tokens = zip(*(made[i] for i in range(len(texts))), strict=True)
        return np.stack(vectors), list(tokens)

    async def tokenizer(self) -> Any:
        """Read the tokenizer of the model, without opening the model."""
        return await _run(self._questions, _read_tokenizer)

    async def close(self) -> None:
        """Close its threads."""
        await asyncio.to_thread(self._documents.shutdown)
        await asyncio.to_thread(self._questions.shutdown)

    def _open(self) -> _Model:
        with self._opening:
            if self._model is None:
                self._model = _open_model()
            return self._model

    def _tokenize(self, texts: Sequence[str]) -> list[Any]:
        limit = _CHARACTERS_PER_TOKEN * packaged_model.WINDOW
        return self._open().tokenizer.encode_batch([cut(text, limit) for text in texts])

    def _encode(self, encodings: Sequence[Any]) -> list[_Embedding]:
        return _encode(self._open(), encodings)


def _run(pool: ThreadPoolExecutor, job: Callable[..., Any], *values: Any) -> asyncio.Future[Any]:
    return asyncio.get_running_loop().run_in_executor(pool, job, *values)


def _encode(model: _Model, encodings: Sequence[Any]) -> list[_Embedding]:
    """Embed tokenized texts in one pass."""
    ids = np.zeros((len(encodings), max(map(len, encodings))), np.int64)
    mask = np.zeros_like(ids)
    for row, each in enumerate(encodings):
        ids[row, : len(each)] = each.ids
        mask[row, : len(each)] = 1
    inputs = {"word_vectors": model.words[ids], "attention_mask": mask}
    (made,) = model.session.run(None, inputs)
    real = [row[: len(each)] for row, each in zip(made, encodings, strict=True)]
    return [
        (rows.mean(axis=0), project_tokens(each.offsets, rows))
        for rows, each in zip(real, encodings, strict=True)
    ]


def _read_tokenizer() -> Any:
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # its threads would outlive a fork
    from tokenizers import Tokenizer

    path = packaged_model.checked_file(packaged_model.TOKENIZER)
    tokenizer: Any = Tokenizer.from_file(str(path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _open_model() -> _Model:
    """Open tokenizer and graph, with the packaged weights.

    Raises:
        EmbeddingError: A file is missing or damaged.
        OnnxRuntimeError: ONNX Runtime cannot be loaded, or cannot run the graph.
    """
    tokenizer, weights = _read_tokenizer(), packaged_model.read_weights()
    tokenizer.enable_truncation(packaged_model.WINDOW)
    words = weights.pop(packaged_model.WORDS)
    return _Model(tokenizer, _open_session(weights), words, weights)


def _open_session(weights: Mapping[str, Any]) -> Any:
    # Read at the import below. Without it, ONNX Runtime stores an identifier of the machine and
    # events in the home folder, and sends them to its maker.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        onnxruntime: Any = importlib.import_module("onnxruntime")
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3  # errors only
        options.intra_op_num_threads = 1
        shared = [onnxruntime.OrtValue.ortvalue_from_numpy(value) for value in weights.values()]
        options.add_external_initializers(list(weights), shared)
        return onnxruntime.InferenceSession(
            packaged_model.GRAPH.read_bytes(), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # an import and each kind of graph raise their own
        raise OnnxRuntimeError(error) from error
