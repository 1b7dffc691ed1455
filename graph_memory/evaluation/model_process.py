"""The process that measures one embedding model, so that its memory is measured alone.

The process that compares models sends texts, and receives their vectors, seconds and memory. This
one ends with its connection.
"""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from graph_memory.errors import EmbeddingError
from graph_memory.inference.embedder import Embedder, Vectors
from graph_memory.settings.base import Settings

_STATUS = Path("/proc/self/status")


@dataclass(frozen=True, slots=True)
class Job:
    """Texts to embed, as questions one by one, or as documents together."""

    texts: Sequence[str]
    as_questions: bool


@dataclass(frozen=True, slots=True)
class Opened:
    """The model is open, and makes vectors of so many numbers."""

    dimensions: int


@dataclass(frozen=True, slots=True)
class Embedded:
    """The result of a job.

    Attributes:
        vectors: A row for each text.
        seconds: Of each question, or of all documents together.
        peak_bytes: Most memory that the process has had so far.
    """

    vectors: Vectors
    seconds: list[float]
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The model cannot be opened or reached: the whole message, and the cause alone."""

    message: str
    cause: str


def serve(connection: "Connection[Any, Any]", settings: Settings) -> None:
    """Open the model that settings name, and embed what comes until the connection ends."""
    with suppress(EOFError, OSError, KeyboardInterrupt):
        asyncio.run(_serve(connection, settings))


async def _serve(connection: "Connection[Any, Any]", settings: Settings) -> None:
    # With a cache, a repeated question would take no time.
    settings = settings.model_copy(update={"embedding_cache_size": 0})
    embedder = Embedder(settings, any_width=True)
    try:
        await embedder.load()
        connection.send(Opened(embedder.dimension))
        while True:
            connection.send(await _embed(embedder, connection.recv()))
    except EmbeddingError as error:
        connection.send(Failed(str(error), str(error.__cause__ or error)))
    finally:
        await embedder.close()


async def _embed(embedder: Embedder, job: Job) -> Embedded:
    if not job.as_questions:
        began = time.perf_counter()
        vectors = await embedder.embed(job.texts)
        return Embedded(vectors, [time.perf_counter() - began], peak_bytes())
    rows: list[Vectors] = []
    seconds: list[float] = []
    for text in job.texts:
        began = time.perf_counter()
        rows.append(await embedder.embed_query(text))
        seconds.append(time.perf_counter() - began)
    return Embedded(np.stack(rows), seconds, peak_bytes())


def peak_bytes() -> int:
    """Return the most memory that this process has had; the present one where none is kept."""
    if _STATUS.exists():
        fields = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
        return int(fields["VmHWM"].split()[0]) * 1024
    memory = psutil.Process().memory_info()
    return getattr(memory, "peak_wset", memory.rss)  # the former on Windows
