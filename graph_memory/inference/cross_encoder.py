"""Scores of question and memory by a sentence-transformers cross-encoder on this machine.

An embedding model reads every text alone, once. A cross-encoder reads question and memory as one
text, so it has to read each memory again for each question. It is slow and accurate, and is used
for the best few candidates only.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from graph_memory.errors import SettingsError
from graph_memory.inference.openai import cut
from graph_memory.inference.sentence_transformer import read_model, use_threads
from graph_memory.ranking.candidates import LEAD_CHARACTERS
from graph_memory.tracing import model_span

Scores = npt.NDArray[np.float64]

#: End of the class names of models with a classification head.
_HEAD = "ForSequenceClassification"


class CrossEncoder:
    """A cross-encoder on its own thread, opened at its first use.

    Attributes:
        name: Name of the model, or its folder.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="cross-encoder")
        self._model: Any = None
        self._loaded = False

    @property
    def loaded(self) -> bool:
        """True after a pair was scored, so that the next ones are fast."""
        return self._loaded

    async def load(self) -> None:
        """Score one pair, which opens the model and warms it up; only once.

        Raises:
            SettingsError: The model cannot be opened, or does not return one number per pair.
        """
        if not self._loaded:
            await self.score("ready", ["ready"])

    async def score(self, question: str, texts: Sequence[str]) -> Scores:
        """Score how well texts answer a question.

        Args:
            question: Any text; only the first `LEAD_CHARACTERS` are read.
            texts: At least one text; the longer text of a pair that exceeds the window is cut.

        Returns:
            An array (texts,), 0 to 1: the logistic function of the model's output.

        Raises:
            SettingsError: As in `load`.
        """
        asked = cut(question, LEAD_CHARACTERS)
        with model_span("rerank", self.name, len(texts)):
            scores = await self._run(self._predict, [(asked, text) for text in texts])
        self._loaded = True
        return scores

    async def close(self) -> None:
        """Close its thread."""
        await asyncio.to_thread(self._thread.shutdown)

    def _predict(self, pairs: list[tuple[str, str]]) -> Scores:
        from torch.nn import Sigmoid

        if self._model is None:
            self._model = _open_model(self.name)
        use_threads(None)
        # Some published models end in a Sigmoid, others in nothing: here every model has one.
        try:
            made = self._model.predict(pairs, activation_fn=Sigmoid(), show_progress_bar=False)
        except Exception as error:  # such as a tokenizer of another model
            raise _unusable(self.name, f"cannot read pairs: {error}") from error
        scores = np.asarray(made, dtype=np.float64)
        if not np.isfinite(scores).all():
            raise _unusable(
                self.name, "returns a value that is not a number; its weights are damaged"
            )
        return scores

    def _run(self, job: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:
        return asyncio.get_running_loop().run_in_executor(self._thread, job, *arguments)


def _open_model(name: str) -> Any:
    try:
        model = read_model(name, "CrossEncoder")
    except Exception as error:  # each kind of model raises its own
        raise _unusable(name, f"cannot be opened: {error}") from error
    if model.num_labels != 1:
        raise _unusable(name, f"returns {model.num_labels} numbers for a pair, not one")
    # For a model without a classification head, the library adds one with random weights.
    architecture = (model.config.architectures or ["unknown"])[0]
    if len(model) == 1 and not architecture.endswith(_HEAD):
        raise _unusable(
            name, f"was not trained to score pairs: it is a {architecture}, not a …{_HEAD}"
        )
    return model


def _unusable(name: str, fault: str) -> SettingsError:
    return SettingsError(
        f"The cross-encoder '{name}' {fault}. Set GRAPH_MEMORY_RECALL_CROSS_ENCODER to the name or "
        "the folder of a sentence-transformers CrossEncoder with one label, or to an empty value "
        "to search without a cross-encoder."
    )
