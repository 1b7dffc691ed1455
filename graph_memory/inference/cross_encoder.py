"""Question and memory read together, by a sentence-transformers cross-encoder on this machine.

What embeds texts reads each by itself, once and for all; a cross-encoder reads the two as one text,
and so for every question anew. It is slow and judges well: it is for the best few alone.
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
from graph_memory.ranking.scoring import LEAD

Scores = npt.NDArray[np.float64]

_FIT = "ForSequenceClassification"


class CrossEncoder:
    """A cross-encoder on a thread of its own, opened when first asked.

    Attributes:
        name: The model's, or its folder.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="cross-encoder")
        self._model: Any = None
        self._loaded = False

    @property
    def loaded(self) -> bool:
        """Whether a pair has been read, so that the next ones are quick."""
        return self._loaded

    async def load(self) -> None:
        """Read one pair, which opens the model and warms it up; once.

        Raises:
            SettingsError: The model cannot be opened, or does not tell by one number how well two
                texts go together.
        """
        if not self._loaded:
            await self.read("ready", ["ready"])

    async def read(self, question: str, texts: Sequence[str]) -> Scores:
        """Tell how well texts answer a question.

        Args:
            question: Any text; as of a memory, what exceeds `LEAD` characters is not read.
            texts: At least one; of a pair that exceeds the model's window the longer one is cut.

        Returns:
            An array (texts,), each 0 to 1: the logistic function of what the model says.

        Raises:
            SettingsError: As in `load`.
        """
        asked = cut(question, LEAD)
        scores = await self._run(self._read, [(asked, text) for text in texts])
        self._loaded = True
        return scores

    async def close(self) -> None:
        """End its thread; nothing can be read after."""
        await asyncio.to_thread(self._thread.shutdown)

    def _read(self, pairs: list[tuple[str, str]]) -> Scores:
        from torch.nn import Sigmoid

        if self._model is None:
            self._model = _open_model(self.name)
        use_threads(None)
        # Whatever a model ends in, here it is the same: some publish a Sigmoid, others nothing.
        try:
            made = self._model.predict(pairs, activation_fn=Sigmoid(), show_progress_bar=False)
        except Exception as error:  # as where its tokenizer is another model's
            raise _unfit(self.name, f"cannot read pairs: {error}") from error
        scores = np.asarray(made, dtype=np.float64)
        if not np.isfinite(scores).all():
            raise _unfit(self.name, "says something that is no number; its weights are damaged")
        return scores

    def _run(self, job: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:
        return asyncio.get_running_loop().run_in_executor(self._thread, job, *arguments)


def _open_model(name: str) -> Any:
    try:
        model = read_model(name, "CrossEncoder")
    except Exception as error:  # each kind of model raises its own
        raise _unfit(name, f"cannot be opened: {error}") from error
    if model.num_labels != 1:
        raise _unfit(name, f"tells {model.num_labels} numbers of a pair, not one")
    # Asked for a judge where there is none, the library makes one up, of random numbers.
    made_as = (model.config.architectures or ["nothing known"])[0]
    if len(model) == 1 and not made_as.endswith(_FIT):
        raise _unfit(name, f"has not been trained to judge pairs: it is a {made_as}, no …{_FIT}")
    return model


def _unfit(name: str, fault: str) -> SettingsError:
    return SettingsError(
        f"The cross-encoder '{name}' {fault}. Set GRAPH_MEMORY_RECALL_CROSS_ENCODER to the name or "
        "the folder of a sentence-transformers CrossEncoder with one label, or to nothing: "
        "searches do without."
    )
