"""Compare embedding models on data with known answers, by their vectors alone.

Nothing is stored. Each model embeds the memories and their passages as they would be stored, and
the questions, in a process of its own. A memory is as near as its nearest vector, by exact cosine.
"""

import asyncio
import multiprocessing
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from graph_memory.api.service import GraphMemory
from graph_memory.domain.batching import batched
from graph_memory.errors import EmbeddingError, InvalidArgumentError
from graph_memory.evaluation.dataset import Evaluation
from graph_memory.evaluation.metrics import (
    DEPTH,
    Answer,
    Difference,
    Scores,
    differences,
    measure,
    summarise,
)
from graph_memory.evaluation.model_process import Embedded, Failed, Job, Opened, serve
from graph_memory.evaluation.nearest import Corpus, corpora
from graph_memory.inference import packaged_model, sentence_transformer
from graph_memory.inference.embedder import Vectors
from graph_memory.ranking.relevance import calibration_for
from graph_memory.settings.base import Settings
from graph_memory.wording import install_command

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    # The class takes parameters in the types of the standard library, and not when it runs.
    _Connection = Connection[Any, Any]

_BATCH = 100
_BYTES_PER_NUMBER = 4
#: The store holds each vector, and so does its index.
_COPIES = 2

_Advance = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Change:
    """The cost of a change to a model.

    Attributes:
        texts: Stored texts of all groups, which are to be embedded again.
        minutes: Time for it, at the speed and with the lengths of the evaluated data.
        megabytes: Room for the new vectors, in the store and in the index.
        calibrated: True if the model has a calibration, so that results have `relevance`.
    """

    texts: int
    minutes: float
    megabytes: float
    calibrated: bool


@dataclass(frozen=True, slots=True)
class ModelReport:
    """The measures of an embedding model.

    Attributes:
        model: Its name.
        scores: The scores of all questions, then of each category, by its vectors alone.
        differences: To the configured model, by measure; empty for that model.
        question_ms: Milliseconds for a question; the median.
        texts_ms: Milliseconds for 1,000 texts: memories and passages of the data.
        peak_mb: Most memory of a process that runs the model, in megabytes.
        dimensions: Numbers in each vector.
        vector_bytes: Bytes of each vector.
        change: The cost of a change to it; None for the configured model.
    """

    model: str
    scores: list[Scores]
    differences: dict[str, Difference]
    question_ms: float
    texts_ms: float
    peak_mb: float
    dimensions: int
    vector_bytes: int
    change: Change | None


@dataclass(frozen=True, slots=True)
class _Measured:
    """The results of the process of a model."""

    answers: list[Answer]
    dimensions: int
    question_ms: float
    text_ms: float
    peak_bytes: int


def model_settings(settings: Settings, models: Sequence[str]) -> dict[str, Settings]:
    """Return the settings of the configured model and of others, by the name of the model.

    Args:
        settings: They name the configured model, which is the first.
        models: Names or folders of models of sentence-transformers, or the packaged model.

    Raises:
        InvalidArgumentError: A name is empty or given twice, or the model needs an extra.
    """
    seen: set[str] = set()
    for name in models:
        place = str(Path(name).resolve()) if Path(name).is_dir() else name
        if not name.strip():
            raise InvalidArgumentError("model", name, "name a model, or its folder")
        if place in seen:
            raise InvalidArgumentError("model", name, "it is given twice; give each model once")
        seen.add(place)
    others = [name for name in models if name != settings.embedding_model]
    for name in others:
        if name != packaged_model.NAME and not sentence_transformer.is_installed():
            remedy = install_command("sentence-transformers").rstrip(".")
            raise InvalidArgumentError(
                "model", name, f"it needs an extra of this package; {remedy}"
            )
    local = {"embedding_url": None}
    return {settings.embedding_model: settings} | {
        name: settings.model_copy(update={"embedding_model": name, **local}) for name in others
    }


async def compare_models(
    memory: GraphMemory,
    data: Evaluation,
    models: Sequence[str],
    *,
    cutoffs: Sequence[int] = (1, 5, 10),
    on_progress: _Advance = lambda done, of: None,
) -> list[ModelReport]:
    """Measure the configured model, then others, one after the other.

    Args:
        memory: Service whose settings are used, and whose stored texts are counted.
        data: Memories and questions.
        models: Names as in `model_settings`.
        cutoffs: Numbers of results at which to measure recall.
        on_progress: Called with the number of texts done since the last call, and with their total.

    Raises:
        InvalidArgumentError: As in `model_settings`, or a model cannot be opened.
        EmbeddingError: The configured model cannot be opened or reached, or a process ended early.
        ForbiddenError: The caller's grant does not include all groups.
    """
    chosen = model_settings(memory.settings, models)
    texts = (await memory.embeddings.rebuild(dry_run=True)).candidates
    groups = corpora(data)
    parts = sum(len(corpus.texts) for corpus in groups.values())
    total = len(chosen) * (parts + len(data.answerable))
    measured: dict[str, _Measured] = {}
    for name, settings in chosen.items():
        async with _process(settings) as connection:
            run = _Run(connection, name, name == memory.settings.embedding_model)
            measured[name] = await _measure(
                run, data, groups, cutoffs, lambda done: on_progress(done, total)
            )
    stored = texts * parts / len(data.memories)
    return [_report(settings, measured, texts, stored) for settings in chosen.values()]


def _report(
    settings: Settings, measured: Mapping[str, _Measured], texts: int, vectors: float
) -> ModelReport:
    """Return the measures of a model; the first one is the configured model.

    Args:
        settings: The settings with the name of the model.
        measured: The measures of all models.
        texts: Number of stored texts.
        vectors: Number of their vectors, with those of passages.
    """
    name = settings.embedding_model
    mine, (configured, *_) = measured[name], measured.values()
    vector_bytes = _BYTES_PER_NUMBER * mine.dimensions
    is_other = mine is not configured
    change = Change(
        texts,
        vectors * mine.text_ms / 60_000,
        _COPIES * vectors * vector_bytes / 1e6,
        calibration_for(settings) is not None,
    )
    return ModelReport(
        name,
        summarise(mine.answers),
        differences(mine.answers, configured.answers) if is_other else {},
        mine.question_ms,
        1000 * mine.text_ms,
        mine.peak_bytes / 1e6,
        mine.dimensions,
        vector_bytes,
        change if is_other else None,
    )


@dataclass(frozen=True, slots=True)
class _Run:
    """The process of a model."""

    connection: "_Connection"
    model: str
    is_configured: bool

    async def receive(self) -> Any:
        """Return the next answer of the process.

        Raises:
            InvalidArgumentError: The model cannot be opened.
            EmbeddingError: The configured model cannot be opened, or the process has ended.
        """
        try:
            answer = await asyncio.to_thread(self.connection.recv)
        except (EOFError, OSError) as error:
            raise EmbeddingError(
                f"The process that runs the embedding model '{self.model}' has ended. It may need "
                "more memory than there is; try a smaller model."
            ) from error
        if isinstance(answer, Failed) and self.is_configured:
            raise EmbeddingError(answer.message)
        if isinstance(answer, Failed):
            cause = " ".join(answer.cause.split()).rstrip(". ")
            raise InvalidArgumentError(
                "model", self.model, f"it cannot be opened ({cause}); give the folder of a model"
            )
        return answer

    async def embed(
        self, texts: Sequence[str], on_done: Callable[[int], None], *, as_questions: bool = False
    ) -> Embedded:
        """Embed texts in batches; the seconds are those of each batch, or of each question."""
        made: list[Embedded] = []
        for batch in batched(texts, _BATCH):
            self.connection.send(Job(batch, as_questions))
            made.append(await self.receive())
            on_done(len(batch))
        return Embedded(
            np.concatenate([each.vectors for each in made]),
            list(chain.from_iterable(each.seconds for each in made)),
            made[-1].peak_bytes,
        )


async def _measure(
    run: _Run,
    data: Evaluation,
    groups: Mapping[str, Corpus],
    cutoffs: Sequence[int],
    on_done: Callable[[int], None],
) -> _Measured:
    """Embed the data by a model, and measure its answers, time and memory."""
    opened: Opened = await run.receive()
    texts = [text for corpus in groups.values() for text in corpus.texts]
    asked = [question.text for question in data.answerable]
    documents = await run.embed(texts, on_done)
    questions = await run.embed(asked, on_done, as_questions=True)
    vectors = dict(zip(groups, _divided(documents.vectors, groups.values()), strict=True))
    limit = max((DEPTH, *cutoffs))
    answers = [
        measure(
            each.category,
            each.evidence,
            groups[each.group].nearest(vectors[each.group], vector, limit),
            cutoffs,
        )
        for each, vector in zip(data.answerable, questions.vectors, strict=True)
    ]
    return _Measured(
        answers,
        opened.dimensions,
        1000 * median(questions.seconds),
        1000 * sum(documents.seconds) / len(texts),
        questions.peak_bytes,
    )


def _divided(vectors: Vectors, groups: Iterable[Corpus]) -> list[Vectors]:
    """Return the rows of each group."""
    ends = np.cumsum([len(corpus.texts) for corpus in groups])
    return np.split(vectors, ends[:-1])


@asynccontextmanager
async def _process(settings: Settings) -> AsyncGenerator["_Connection"]:
    """Start a process that opens a model; it ends with the context, whatever it does then."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, settings), daemon=True)
    process.start()
    theirs.close()
    try:
        yield ours
    finally:
        process.kill()
        await asyncio.to_thread(process.join)
        process.close()
        ours.close()
