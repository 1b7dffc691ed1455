"""The speed of the default model beside that of the same model by sentence-transformers."""

import time

import numpy as np
import pytest

from graph_memory import read_settings
from graph_memory.inference.onnx_model import OnnxModel
from graph_memory.inference.sentence_transformer import SentenceTransformerModel
from tests.benchmarks.corpus import questions

ROUNDS = 100


@pytest.mark.bench
@pytest.mark.timeout(600)
@pytest.mark.parametrize("together", [1, 8])
async def test_onnx_runtime_reads_sooner(together: int) -> None:
    settings = read_settings()
    models = SentenceTransformerModel(settings), OnnxModel(settings)
    taken: tuple[list[float], ...] = ([], [])
    asked = questions(together * (ROUNDS + 1), seed=5)
    for start in range(0, len(asked), together):
        for model, seconds in zip(models, taken, strict=True):
            began = time.perf_counter()
            await model.embed(asked[start : start + together], query=True)
            seconds.append(time.perf_counter() - began)
    for model in models:
        await model.close()
    before, after = (float(np.median(seconds[1:])) * 1000 for seconds in taken)
    print(f"\n{together} questions: {before:.1f} ms, by ONNX Runtime {after:.1f} ms")
    assert after < before
