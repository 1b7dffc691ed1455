"""Recordings of the real model, read beside the model itself."""

from typing import Any

import numpy as np
import pytest

from graph_memory import local_model
from graph_memory.traced_model import trace

TEXTS = ["tea", "Who moved to Bern last winter?", "a long day " * 300, ""]


@pytest.fixture
def model() -> Any:
    return local_model._open_model("all-MiniLM-L6-v2")


def test_a_recording_reads_as_the_model(model: Any) -> None:
    own = model[0].model
    expected = model.encode(TEXTS, output_value=None)
    trace(model)
    assert model[0].model is not own
    for batch in (TEXTS, *([text] for text in TEXTS)):
        # Few tokens are read by weights of half the digits.
        few = all(len(text) < 1000 for text in batch)
        for text, features in zip(batch, model.encode(batch, output_value=None), strict=True):
            whole = expected[TEXTS.index(text)]
            assert np.allclose(
                features["sentence_embedding"],
                whole["sentence_embedding"],
                atol=1e-4 if few else 1e-5,
            )
            real = features["attention_mask"].bool()
            before = whole["token_embeddings"][whole["attention_mask"].bool()]
            made = features["token_embeddings"][real]
            assert np.allclose(made, before, atol=5e-3 if few else 1e-4)


def test_two_questions_are_as_similar_as_the_model_finds_them(model: Any) -> None:
    asked = [f"{what} {number}?" for number in range(20) for what in ("Who paid", "Where is the")]
    before = np.stack([model.encode(text) for text in asked])
    trace(model)
    after = np.stack([model.encode(text) for text in asked])
    assert np.abs(after @ after.T - before @ before.T).max() < 5e-4
    assert np.abs((after * before).sum(axis=1) - 1).max() < 1e-6


def test_a_model_that_computes_short_texts_otherwise_is_used_as_it_is(model: Any) -> None:
    own = model[0].model
    forward = own.forward

    def branching(**features: Any) -> Any:
        made = forward(**features)
        if features["input_ids"].shape[1] < 6:
            made.last_hidden_state = -made.last_hidden_state
        return made

    own.forward = branching
    trace(model)
    assert model[0].model is own


def test_a_model_that_cannot_be_recorded_is_used_as_it_is(
    model: Any, caplog: pytest.LogCaptureFixture
) -> None:
    own = model[0].model

    def failing(**_: Any) -> Any:
        raise RuntimeError("not this one")

    own.forward = failing
    with caplog.at_level("INFO", "graph_memory"):
        trace(model)
    assert model[0].model is own
    assert "not this one" in caplog.text
