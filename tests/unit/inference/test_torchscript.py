"""Recordings of the real model, read beside the model itself."""

from typing import Any

import numpy as np
import pytest

from graph_memory.inference import sentence_transformer
from graph_memory.inference.torchscript import read_questions, trace

TEXTS = ["tea", "Who moved to Bern last winter?", "a long day " * 300, ""]


@pytest.fixture
def model() -> Any:
    return sentence_transformer._open_model("all-MiniLM-L6-v2")


@pytest.mark.parametrize(
    ("of_questions", "of_texts", "of_tokens"), [(False, 1e-5, 1e-4), (True, 5e-4, 5e-3)]
)
def test_a_recording_reads_as_the_model(
    model: Any, of_questions: bool, of_texts: float, of_tokens: float
) -> None:
    own = model[0].model
    expected = model.encode(TEXTS, output_value=None)
    trace(model)
    assert model[0].model is not own
    read_questions(model, of_questions)
    for batch in (TEXTS, *([text] for text in TEXTS)):
        for text, features in zip(batch, model.encode(batch, output_value=None), strict=True):
            whole = expected[TEXTS.index(text)]
            assert np.allclose(
                features["sentence_embedding"], whole["sentence_embedding"], atol=of_texts
            )
            real = features["attention_mask"].bool()
            before = whole["token_embeddings"][whole["attention_mask"].bool()]
            assert np.allclose(features["token_embeddings"][real], before, atol=of_tokens)


def test_a_question_is_as_similar_to_a_text_as_the_model_finds_them(model: Any) -> None:
    texts = [f"Ada paid {n} francs for the {what}." for n in range(9) for what in ("boat", "tea")]
    asked = [f"{what} {number}?" for number in range(9) for what in ("Who paid", "Where is the")]
    before = model.encode(asked) @ model.encode(texts).T
    trace(model)
    stored = model.encode(texts)
    read_questions(model, True)
    assert np.abs(model.encode(asked) @ stored.T - before).max() < 5e-4


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
