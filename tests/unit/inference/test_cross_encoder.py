"""The cross-encoder alone: a real model on disk, and models that are refused."""

import asyncio
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph_memory import read_settings
from graph_memory.errors import SettingsError
from graph_memory.inference import packaged_model
from graph_memory.inference.cross_encoder import CrossEncoder
from graph_memory.inference.embedder import Embedder
from graph_memory.ranking.candidates import LEAD_CHARACTERS
from tests.support.tiny_cross_encoder import judged, write_cross_encoder

TEXTS = ["Ada drinks green tea", "the cat", "字" * 2000, "Backups run at night. " * 40]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_cross_encoder(tmp_path / "model")


async def error_of(name: Path | str) -> str:
    """Return the error of loading it, which is the same twice."""
    failing = CrossEncoder(str(name))
    with pytest.raises(SettingsError):
        await failing.load()
    with pytest.raises(SettingsError) as caught:
        await failing.load()
    assert not failing.loaded
    await failing.close()
    message = str(caught.value)
    assert f"'{name}'" in message
    assert "GRAPH_MEMORY_RECALL_CROSS_ENCODER" in message
    return message


async def test_a_score_is_that_of_the_model_between_0_and_1(folder: Path) -> None:
    opened = CrossEncoder(str(folder))
    for question in ("what does Ada drink?", "x" * LEAD_CHARACTERS):
        expected = judged(folder, question, TEXTS)
        assert max(expected) - min(expected) > 0.01
        np.testing.assert_allclose(await opened.score(question, TEXTS), expected, atol=1e-5)
        np.testing.assert_allclose(
            await opened.score(question, TEXTS[1:2]), expected[1:2], atol=1e-5
        )
    await opened.close()


async def test_a_model_with_and_without_a_sigmoid_has_the_same_scores(folder: Path) -> None:
    import torch
    from sentence_transformers import CrossEncoder as Model

    expected = judged(folder, "tea?", TEXTS)
    for activation in (torch.nn.Identity(), torch.nn.Sigmoid()):
        model = Model(str(folder), activation_fn=activation)
        model.save_pretrained(str(folder / type(activation).__name__))
        opened = CrossEncoder(str(folder / type(activation).__name__))
        np.testing.assert_allclose(await opened.score("tea?", TEXTS), expected, atol=1e-5)
        await opened.close()


async def test_a_question_of_any_length_and_kind_is_read(folder: Path) -> None:
    opened = CrossEncoder(str(folder))
    for question in ("", "\ud800 lone", "why " * 250_000):
        (score,) = await opened.score(question, ["tea"])
        assert 0 <= score <= 1
    same = [
        await opened.score(text, ["tea"])
        for text in ("y" * LEAD_CHARACTERS, "y" * LEAD_CHARACTERS + "!" * LEAD_CHARACTERS)
    ]
    assert same[0] == same[1]
    await opened.close()


async def test_it_is_opened_once_and_without_the_network(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    opened = CrossEncoder(str(folder))
    assert not opened.loaded
    await asyncio.gather(opened.load(), opened.load())
    model = opened._model
    await opened.load()
    assert opened.loaded
    assert opened._model is model
    await opened.close()


async def test_the_embedder_has_one_only_if_the_settings_name_it(folder: Path) -> None:
    without = Embedder(read_settings())
    assert without.cross_encoder is None
    await without.close()
    having = Embedder(read_settings(recall_cross_encoder=str(folder)))
    assert having.cross_encoder
    await having.load_all()
    assert having.loaded
    assert having.cross_encoder.loaded
    await having.close()
    with pytest.raises(RuntimeError, match="shutdown"):
        await having.cross_encoder.score("a", ["b"])


async def test_a_model_that_says_two_things_is_refused(tmp_path: Path) -> None:
    message = await error_of(write_cross_encoder(tmp_path, labels=2))
    assert "returns 2 numbers for a pair, not one" in message


async def test_a_model_that_embeds_is_refused_rather_than_given_a_random_judge() -> None:
    message = await error_of(packaged_model.folder())
    assert "was not trained to score pairs" in message
    assert "BertModel" in message


@pytest.mark.parametrize("name", ["nobody/no-such-model", "/no/such/folder"])
async def test_an_unknown_model_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    assert "no such folder" in await error_of(name)


def _cut_short(weights: Path) -> None:
    with weights.open("r+b") as file:
        file.truncate(weights.stat().st_size // 2)


def _without_numbers(weights: Path) -> None:
    from safetensors.torch import load_file, save_file

    tensors: dict[str, Any] = load_file(weights)
    tensors["classifier.bias"][:] = float("nan")
    save_file(tensors, weights, metadata={"format": "pt"})


def _of_fewer_words(weights: Path) -> None:
    """Keep the tokenizer, which then returns tokens that the model does not know."""
    from safetensors.torch import load_file, save_file

    tensors: dict[str, Any] = load_file(weights)
    name = "bert.embeddings.word_embeddings.weight"
    tensors[name] = tensors[name][:100].clone()
    save_file(tensors, weights, metadata={"format": "pt"})
    config = weights.with_name("config.json")
    config.write_text(config.read_text().replace('"vocab_size": 30522', '"vocab_size": 100'))


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (Path.unlink, "cannot be opened"),
        (_cut_short, "cannot be opened"),
        (_without_numbers, "returns a value that is not a number"),
        (_of_fewer_words, "cannot read pairs"),
    ],
)
async def test_a_damaged_model_is_refused(folder: Path, damage: Any, expected: str) -> None:
    damage(folder / "model.safetensors")
    assert expected in await error_of(folder)
