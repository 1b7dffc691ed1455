"""The compiled graphs of the real model, compared with the model itself."""

from typing import Any

import numpy as np
import pytest

from graph_memory.inference import sentence_transformer
from graph_memory.inference.torchscript import compile_for_cpu

TEXTS = ["tea", "Who moved to Bern last winter?", "a long day " * 300, ""]


@pytest.fixture
def model() -> Any:
    return sentence_transformer._open_model("all-MiniLM-L6-v2")


@pytest.mark.parametrize(
    ("query", "of_texts", "of_tokens"), [(False, 1e-5, 1e-4), (True, 5e-4, 5e-3)]
)
def test_a_compiled_model_computes_as_the_model(
    model: Any, query: bool, of_texts: float, of_tokens: float
) -> None:
    expected = model.encode(TEXTS, output_value=None)
    compiled = compile_for_cpu(model)[query]
    assert compiled[0].model is not model[0].model
    for batch in (TEXTS, *([text] for text in TEXTS)):
        for text, features in zip(batch, compiled.encode(batch, output_value=None), strict=True):
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
    documents, queries = compile_for_cpu(model)
    assert np.abs(queries.encode(asked) @ documents.encode(texts).T - before).max() < 5e-4


def test_a_model_that_computes_short_texts_otherwise_is_used_as_it_is(model: Any) -> None:
    own = model[0].model
    forward = own.forward

    def branching(**features: Any) -> Any:
        made = forward(**features)
        if features["input_ids"].shape[1] < 6:
            made.last_hidden_state = -made.last_hidden_state
        return made

    own.forward = branching
    assert compile_for_cpu(model) == (model, model)
    assert model[0].model is own


def test_a_model_that_cannot_be_compiled_is_used_as_it_is(
    model: Any, caplog: pytest.LogCaptureFixture
) -> None:
    own = model[0].model

    def failing(**_: Any) -> Any:
        raise RuntimeError("not this one")

    own.forward = failing
    with caplog.at_level("WARNING", "graph_memory"):
        assert compile_for_cpu(model) == (model, model)
    assert model[0].model is own
    assert "not this one" in caplog.text
