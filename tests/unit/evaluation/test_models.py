"""The choice of models to compare, and the process that measures one."""

import subprocess
import sys
from pathlib import Path

import pytest

from graph_memory.errors import InvalidArgumentError
from graph_memory.evaluation.model_process import peak_bytes
from graph_memory.evaluation.models import model_settings
from graph_memory.inference import packaged_model, sentence_transformer
from graph_memory.settings.base import read_settings


def refusal(*models: str) -> str:
    with pytest.raises(InvalidArgumentError) as caught:
        model_settings(read_settings(), models)
    return str(caught.value)


def test_the_configured_model_is_first_and_not_repeated() -> None:
    settings = read_settings(embedding_model="distant", embedding_url="http://127.0.0.1:9/v1")
    chosen = model_settings(settings, [packaged_model.NAME, "distant", "other/model"])
    assert list(chosen) == ["distant", packaged_model.NAME, "other/model"]
    assert chosen["distant"] == settings
    assert chosen["other/model"].embedding_model == "other/model"
    assert chosen["other/model"].embedding_url is None


@pytest.mark.parametrize("name", ["", " "])
def test_a_model_has_a_name(name: str) -> None:
    assert refusal(name) == f"model={name!r} is not allowed: name a model, or its folder."


def test_a_model_is_given_once(tmp_path: Path) -> None:
    assert "model='a/b' is not allowed: it is given twice" in refusal("a/b", "c/d", "a/b")
    folder = str(tmp_path)
    assert "it is given twice" in refusal(folder, f"{folder}/../{tmp_path.name}")


def test_without_the_extra_another_model_is_refused_with_its_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sentence_transformer, "is_installed", lambda: False)
    assert list(model_settings(read_settings(), [packaged_model.NAME])) == [packaged_model.NAME]
    message = refusal("intfloat/e5-small-v2")
    assert message.startswith("model='intfloat/e5-small-v2' is not allowed: it needs an extra")
    assert "`pip install 'graph-memory[sentence-transformers]'`" in message
    assert message.endswith("`uv pip install 'graph-memory[sentence-transformers]'`.")


def test_the_memory_of_a_process_is_its_own_and_the_most_it_has_had() -> None:
    code = (
        "from graph_memory.evaluation.model_process import peak_bytes\n"
        "before = peak_bytes()\n"
        "large = bytearray(b'x') * 300_000_000\n"
        "with_it = peak_bytes()\n"
        "del large\n"
        "print(before, with_it, peak_bytes())\n"
    )
    large = bytearray(b"x") * 300_000_000
    assert peak_bytes() > len(large)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, with_it, after = map(int, done.stdout.split())
    assert before < 250_000_000
    assert with_it - before > 250_000_000
    assert after > with_it - 20_000_000  # the kernel counts roughly
