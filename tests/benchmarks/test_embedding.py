"""The speed of the compiled model beside that of the model as it comes."""

import time
from typing import Any

import numpy as np
import pytest

from graph_memory.inference import sentence_transformer
from graph_memory.inference.torchscript import compile_for_cpu
from tests.benchmarks.corpus import questions

ROUNDS = 100


@pytest.mark.bench
@pytest.mark.timeout(600)
@pytest.mark.parametrize("together", [1, 8])
def test_a_compiled_model_reads_sooner(together: int) -> None:
    as_it_comes = sentence_transformer._open_model("all-MiniLM-L6-v2")
    _, compiled = compile_for_cpu(as_it_comes)
    sentence_transformer.use_threads(1)
    taken: dict[str, list[float]] = {"as it comes": [], "compiled": []}
    asked = questions(together * (ROUNDS + 1), seed=5)
    for start in range(0, len(asked), together):
        for name, model in (("as it comes", as_it_comes), ("compiled", compiled)):
            taken[name].append(_seconds(model, asked[start : start + together]))
    before, after = (float(np.median(seconds[1:])) * 1000 for seconds in taken.values())
    print(
        f"\n{together} questions: {before:.1f} ms, compiled {after:.1f} ms: {before / after:.1f}x"
    )
    assert after < before


def _seconds(model: Any, texts: list[str]) -> float:
    began = time.perf_counter()
    model.encode_query(texts, batch_size=len(texts), show_progress_bar=False)
    return time.perf_counter() - began
