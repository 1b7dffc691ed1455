"""Embeddings of the real model, and of real HTTP servers on the loopback interface."""

import asyncio
import contextlib
import importlib
import json
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from graph_memory.errors import EmbeddingError
from graph_memory.inference import (
    onnx_model,
    openai_embeddings,
    packaged_model,
    sentence_transformer,
)
from graph_memory.inference.embedder import Embedder
from graph_memory.inference.passes import plan_passes
from graph_memory.settings.base import read_settings
from tests.support.tiny_embedding_model import write_embedding_model

MIXED = [
    "Ann moved to Bern.",
    "The cat sleeps on the sofa all afternoon, and nobody dares to wake it. " * 12,
    "tea",
    "Backups run at 03:00 UTC and are kept for ninety days.",
] * 8


@pytest_asyncio.fixture(scope="module")
async def embedder() -> AsyncIterator[Embedder]:
    opened = Embedder(read_settings())
    await opened.load()
    yield opened
    await opened.close()


async def error_of(**settings: Any) -> str:
    """Return the error of loading a model with these settings."""
    failing = Embedder(read_settings(**settings))
    with pytest.raises(EmbeddingError) as caught:
        await failing.load()
    assert not failing.loaded
    await failing.close()
    return str(caught.value)


# The local model


async def test_texts_become_unit_rows_in_their_order(embedder: Embedder) -> None:
    vectors = await embedder.embed(MIXED)
    assert vectors.shape == (len(MIXED), embedder.dimension) == (32, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(vectors[:4], vectors[4:8], atol=1e-5)
    np.testing.assert_allclose(await embedder.embed(MIXED[:4][::-1]), vectors[3::-1], atol=1e-5)


async def test_the_same_texts_make_the_same_vectors(embedder: Embedder) -> None:
    np.testing.assert_array_equal(await embedder.embed(MIXED), await embedder.embed(MIXED))


async def test_a_text_in_a_batch_is_embedded_as_if_alone(embedder: Embedder) -> None:
    together = await embedder.embed(MIXED[:8])
    alone = [(await embedder.embed([text]))[0] for text in MIXED[:8]]
    np.testing.assert_allclose(together, alone, atol=1e-5)


async def test_no_texts_make_no_vectors(embedder: Embedder) -> None:
    vectors = await embedder.embed([])
    assert vectors.shape == (0, 384)
    assert vectors.dtype == np.float32


async def test_texts_of_like_meaning_are_close(embedder: Embedder) -> None:
    dog, puppy, invoice = await embedder.embed(
        ["My dog loves the park", "The puppy likes playing outdoors", "The invoice is overdue"]
    )
    assert dog @ puppy > dog @ invoice + 0.2


@pytest.mark.parametrize(
    "text",
    [
        "The quarterly report covers revenue, costs and staffing. " * 18_000,
        "字" * 1_000_000,
        "a" * 1_000_000,
        " " * 1_000_000,
        "\u0301" * 1_000_000,
    ],
    ids=["prose", "ideographs", "one word", "spaces", "combining marks"],
)
async def test_a_megabyte_is_embedded_within_seconds(embedder: Embedder, text: str) -> None:
    started = time.perf_counter()
    (vector,) = await embedder.embed([text])
    assert time.perf_counter() - started < 5
    (seen,) = await embedder.embed([text[:9000]])
    np.testing.assert_allclose(vector, seen, atol=1e-5)


@pytest.mark.parametrize(
    "text", ["", "\0", "a\0b", "é ß 字 \U0001f600 \U00020000 \U000e0001 \U0010fffd", "\ud800 lone"]
)
async def test_any_text_has_a_vector(embedder: Embedder, text: str) -> None:
    np.testing.assert_allclose(np.linalg.norm(await embedder.embed_query(text)), 1, atol=1e-6)


async def test_the_event_loop_runs_on_during_a_batch(embedder: Embedder) -> None:
    ticks = [time.perf_counter()]
    batch = asyncio.create_task(embedder.embed(MIXED))
    while not batch.done():
        await asyncio.sleep(0.005)
        ticks.append(time.perf_counter())
    assert len(ticks) > 10
    assert np.diff(ticks).max() < (ticks[-1] - ticks[0]) / 2


async def test_questions_that_come_while_one_is_read_are_read_in_one_pass(
    embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    sharing = Embedder(read_settings())
    await sharing.load()
    passes: list[int] = []
    encode = onnx_model._encode
    loop, begun, may_read = asyncio.get_running_loop(), asyncio.Event(), Event()

    def encoded(session: Any, encodings: list[Any]) -> Any:
        passes.append(len(encodings))
        loop.call_soon_threadsafe(begun.set)
        assert may_read.wait(60)
        return encode(session, encodings)

    monkeypatch.setattr(onnx_model, "_encode", encoded)
    first, *others = "who sold the piano?", "where is it?", "when does the ferry leave?"
    asked = [asyncio.create_task(sharing.embed_query(first))]
    await begun.wait()
    asked += [asyncio.create_task(sharing.embed_query(question)) for question in others]
    await asyncio.sleep(0)
    may_read.set()
    vectors = await asyncio.gather(*asked)
    assert passes == [1, len(others)]
    await sharing.close()
    for question, vector in zip((first, *others), vectors, strict=True):
        np.testing.assert_allclose(vector, await embedder.embed_query(question), atol=1e-5)


async def test_a_query_overtakes_a_batch(embedder: Embedder) -> None:
    batch = asyncio.create_task(embedder.embed(MIXED * 6))
    await asyncio.sleep(0.05)
    await embedder.embed_query("does this wait for two hundred texts?")
    assert not batch.done()
    await batch


@given(counts=st.lists(st.integers(0, 2000), max_size=200), most=st.integers(1, 64))
def test_passes_hold_every_text_once_and_stay_small(counts: list[int], most: int) -> None:
    passes = list(plan_passes(counts, most, 512))
    assert sorted(index for part in passes for index in part) == list(range(len(counts)))
    for part in passes:
        padded = max(counts[index] for index in part) * len(part)
        assert len(part) <= most
        assert padded <= 512 or len(part) == 1


# Queries


async def test_a_repeated_query_is_answered_from_the_cache(embedder: Embedder) -> None:
    first = await embedder.embed_query("where is the key?")
    assert await embedder.embed_query("where is the key?") is first
    assert first.shape == (384,)
    assert not first.flags.writeable
    (stored,) = await embedder.embed(["where is the key?"])
    np.testing.assert_allclose(stored, first, atol=1e-6)


async def test_the_cache_forgets_the_query_not_used_for_longest() -> None:
    small = Embedder(read_settings(embedding_cache_size=2))
    one, two = await small.embed_query("one"), await small.embed_query("two")
    assert await small.embed_query("one") is one
    await small.embed_query("three")
    assert await small.embed_query("one") is one
    assert await small.embed_query("two") is not two
    await small.close()


async def test_a_cache_of_size_zero_keeps_nothing() -> None:
    forgetful = Embedder(read_settings(embedding_cache_size=0))
    assert await forgetful.embed_query("one") is not await forgetful.embed_query("one")
    await forgetful.close()


async def test_simultaneous_queries_are_embedded_once(embedder: Embedder) -> None:
    impatient, *others = [
        asyncio.create_task(embedder.embed_query("who asks this thrice?")) for _ in range(3)
    ]
    await asyncio.sleep(0)
    impatient.cancel()
    first, second = await asyncio.gather(*others)
    assert first is second


# Opening a model


async def test_a_model_is_opened_once(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[None] = []
    open_model = onnx_model._open_model
    monkeypatch.setattr(onnx_model, "_open_model", lambda: opened.append(None) or open_model())
    fresh = Embedder(read_settings())
    assert not fresh.loaded
    await asyncio.gather(fresh.load(), fresh.embed_query("when?"), fresh.embed(["now"]))
    await fresh.load()
    assert fresh.loaded
    assert len(opened) == 1
    await fresh.close()


async def test_the_packaged_model_needs_no_network_and_says_nothing(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    fresh = Embedder(read_settings())
    await fresh.load()
    await fresh.close()
    assert capfd.readouterr() == ("", "")


def test_importing_the_module_imports_no_model_library() -> None:
    code = (
        "import sys, graph_memory.inference.embedder; "
        "print({'torch', 'transformers', 'onnxruntime', 'tokenizers', 'httpx'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


async def test_a_model_of_another_width_is_refused() -> None:
    message = await error_of(embedding_dimensions=768)
    assert "GRAPH_MEMORY_EMBEDDING_DIMENSIONS=384" in message


@pytest.mark.parametrize("name", ["nobody/no-such-model", "/no/such/folder"])
async def test_an_unknown_model_is_refused_soon(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    importlib.import_module("sentence_transformers")  # takes seconds, and is not measured
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    started = time.perf_counter()
    message = await error_of(embedding_model=name)
    assert f"'{name}'" in message
    assert "no such folder" in message
    assert "GRAPH_MEMORY_EMBEDDING_MODEL" in message
    assert time.perf_counter() - started < 10


async def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    assert "folder of a model" in await error_of(embedding_model=str(tmp_path))


async def test_another_model_is_opened_from_its_folder_with_its_prompts(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(packaged_model.folder() / packaged_model.TOKENIZER))
    tiny = SentenceTransformer(
        modules=[StaticEmbedding(tokenizer, embedding_dim=8)],
        prompts={"query": "question: ", "document": ""},
    )
    tiny.save(str(tmp_path))
    other = Embedder(read_settings(embedding_model=str(tmp_path), embedding_dimensions=8))
    vectors = await other.embed(["tea", "a long walk by the lake"])
    assert vectors.shape == (2, 8)
    assert not np.allclose(await other.embed_query("tea"), vectors[0])
    assert np.allclose(await other.embed_query("tea"), (await other.embed(["question: tea"]))[0])
    await other.close()


@pytest.mark.parametrize("name", ["document", "passage"])
async def test_the_prefixes_of_a_model_stand_before_each_text_and_have_no_tokens(
    name: str, tmp_path: Path
) -> None:
    from sentence_transformers import SentenceTransformer

    folder = tmp_path / "saved"
    SentenceTransformer(str(write_embedding_model(tmp_path / "plain"))).save(str(folder))
    plain = Embedder(read_settings(embedding_model=str(folder)))
    texts = ["tea", "Ada walks by the lake"]
    documents = await plain.embed_tokens([f"passage: {text}" for text in texts])
    question = await plain.embed_query(f"query: {texts[1]}")
    spans = [each.tokens.spans for each in await plain.embed_tokens(texts) if each.tokens]
    await plain.close()
    config = folder / "config_sentence_transformers.json"
    config.write_text(json.dumps({"prompts": {"query": "query: ", name: "passage: "}}))
    prefixed = Embedder(read_settings(embedding_model=str(folder)))
    made = await prefixed.embed_tokens(texts)
    for each, whole, span in zip(made, documents, spans, strict=True):
        np.testing.assert_allclose(each.vector, whole.vector, atol=1e-5)
        assert each.tokens
        assert whole.tokens
        np.testing.assert_array_equal(each.tokens.spans, span)
        own = whole.tokens.vectors[-len(span) :]
        np.testing.assert_allclose(each.tokens.vectors, own, atol=1e-5)
    np.testing.assert_allclose(await prefixed.embed_query(texts[1]), question, atol=1e-5)
    await prefixed.close()


async def test_a_model_of_half_precision_reads_nearly_alike(
    embedder: Embedder, tmp_path: Path
) -> None:
    import torch

    sentence_transformer._open_model(packaged_model.NAME).to(torch.bfloat16).save(str(tmp_path))
    half = Embedder(read_settings(embedding_model=str(tmp_path)))
    for whole, read in zip(
        await embedder.embed_tokens(MIXED[:3]), await half.embed_tokens(MIXED[:3]), strict=True
    ):
        assert read.vector.dtype == np.float32
        assert read.vector @ whole.vector > 0.999
        assert read.tokens
        assert whole.tokens
        assert (read.tokens.vectors * whole.tokens.vectors).sum(axis=1).min() > 0.99
    await half.close()


# An endpoint

Answer = Callable[[list[str]], tuple[int, Any]]


def in_disorder(texts: list[str]) -> tuple[int, Any]:
    """Answer as OpenAI does, with rows in reverse order and of other lengths than 1."""
    rows = [{"index": i, "embedding": [3.0, 4.0, len(t)]} for i, t in enumerate(texts)]
    return 200, {"data": rows[::-1]}


@dataclass
class Endpoint:
    """A server under test; `asked` holds path, authorization and body of each request."""

    url: str = ""
    answer: Answer = in_disorder
    asked: list[tuple[str, str | None, Any]] = field(default_factory=list)

    def embedder(self, **settings: Any) -> Embedder:
        given: dict[str, Any] = {
            "embedding_model": "distant",
            "embedding_url": self.url,
            "embedding_dimensions": 3,
            "embedding_batch_size": 2,
        }
        return Embedder(read_settings(**given | settings))


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    state = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append((self.path, self.headers["Authorization"], body))
            status, answer = state.answer(body["input"])
            content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            with contextlib.suppress(BrokenPipeError):  # the client may have given up
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield state
        server.shutdown()
        thread.join()


async def test_an_endpoint_embeds_in_batches_and_rows_follow_their_index(
    endpoint: Endpoint,
) -> None:
    distant = endpoint.embedder(embedding_api_key="secret")
    vectors = await distant.embed(["a", "bb", "ccc"])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(vectors[:, 2] / vectors[:, 0] * 3, [1, 2, 3], rtol=1e-5)
    assert endpoint.asked == [
        ("/v1/embeddings", "Bearer secret", {"model": "distant", "input": ["a", "bb"]}),
        ("/v1/embeddings", "Bearer secret", {"model": "distant", "input": ["ccc"]}),
    ]
    await distant.close()


async def test_an_endpoint_is_asked_once_for_a_query_and_never_for_more_than_it_takes(
    endpoint: Endpoint,
) -> None:
    distant = endpoint.embedder()
    await distant.load()
    assert distant.loaded
    query = await distant.embed_query("x" * 1_000_000 + "\ud800")
    assert await distant.embed_query("x" * 1_000_000 + "\ud800") is query
    (_, nobody, _), (_, _, body) = endpoint.asked
    assert nobody is None
    assert body["input"] == ["x" * 8000]
    await distant.close()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ((500, b"out of memory"), "answered 500: 'out of memory'"),
        ((401, b"no such key: secret"), "answered 401: 'no such key: ***'"),
        ((200, b"<html>"), "did not answer with JSON"),
        ((200, {"data": []}), "did not answer with 1 embeddings"),
        ((200, ["no"]), "did not answer with 1 embeddings"),
        ((200, {"data": [{"index": 1, "embedding": [1, 2, 3]}]}), "did not answer with 1"),
        ((200, {"data": [{"index": 0, "embedding": "base64"}]}), "did not answer with 1"),
        ((200, {"data": [{"index": 0, "embedding": [1, 2]}]}), "EMBEDDING_DIMENSIONS=2"),
        ((200, {"data": [{"index": 0, "embedding": [0, 0, 0]}]}), "without a direction"),
        ((200, b'{"data": [{"index": 0, "embedding": [NaN, 0, 0]}]}'), "without a direction"),
    ],
)
async def test_a_bad_answer_is_an_error(
    endpoint: Endpoint, answer: tuple[int, Any], expected: str
) -> None:
    endpoint.answer = lambda _: answer
    distant = endpoint.embedder(
        embedding_api_key="secret", embedding_url=endpoint.url.replace("//", "//user:pass@")
    )
    with pytest.raises(EmbeddingError) as caught:
        await distant.load()
    assert expected in str(caught.value)
    assert "GRAPH_MEMORY_EMBEDDING_" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert "pass@" not in str(caught.value)
    await distant.close()


async def test_an_endpoint_that_is_too_slow_is_given_up(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_embeddings, "_SECONDS", 0.1)
    endpoint.answer = lambda texts: time.sleep(0.5) or in_disorder(texts)
    distant = endpoint.embedder()
    with pytest.raises(EmbeddingError, match=r"within 0\.1 s"):
        await distant.embed(["a"])
    await distant.close()


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "http://host:port/v1", "localhost/v1"])
async def test_an_endpoint_that_cannot_be_reached_is_an_error(url: str) -> None:
    message = await error_of(embedding_url=url)
    assert "does not answer" in message
    assert "GRAPH_MEMORY_EMBEDDING_URL" in message
