"""Requests to a language model, over real HTTP."""

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest

from graph_memory.errors import LlmError
from graph_memory.inference.llm import Chat
from graph_memory.settings.base import read_settings
from tests.support.scripted_llm import ScriptedLlm, prompt_of, says, schema_of, scripted_llm

SCHEMA = {"title": "Colour", "type": "object", "properties": {"colour": {"type": "string"}}}


@pytest.fixture
def llm() -> Iterator[ScriptedLlm]:
    with scripted_llm() as running:
        yield running


def chat(llm: ScriptedLlm, **settings: Any) -> Chat:
    return Chat(read_settings(llm_url=llm.url, llm_model="small", llm_api_key="secret", **settings))


async def test_an_answer_is_an_object_and_no_tools_are_offered(llm: ScriptedLlm) -> None:
    llm.script = lambda _: says({"colour": "green"})
    model = chat(llm)
    assert await model.ask([("user", "which \ud800 colour?")], SCHEMA) == {"colour": "green"}
    (body,) = llm.asked
    assert body["model"] == "small"
    assert schema_of(body) == "Colour"
    assert set(body) == {"model", "messages", "response_format"}
    assert llm.keys == ["Bearer secret"]
    await model.close()


async def test_an_api_without_schemas_gets_the_schema_as_text(llm: ScriptedLlm) -> None:
    llm.script = lambda _: says('```json\n{"colour": "green"}\n```')
    model = chat(llm, llm_answer_format="json_object")
    assert await model.ask([("user", "which colour?")], SCHEMA) == {"colour": "green"}
    assert llm.asked[0]["response_format"] == {"type": "json_object"}
    assert '"Colour"' in prompt_of(llm.asked[0])
    await model.close()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ((503, {"error": "busy, secret"}), "answered 503"),
        ((200, b"<html>"), "did not answer with JSON"),
        ((200, b'{"a":' * 100_000), "did not answer with JSON"),
        ((200, {"choices": []}), "did not answer with a JSON object"),
        ((200, ["no"]), "did not answer with a JSON object"),
        (says(""), "did not answer with a JSON object"),
        (says("I would rather not."), "did not answer with a JSON object"),
        (says('{"colour": "gre'), "did not answer with a JSON object"),
        (says([1, 2]), "did not answer with a JSON object"),
        (says({"colour": "x" * 2**21}), "more than 1048576 bytes"),
    ],
    ids=range(10),
)
async def test_a_bad_answer_is_an_error(llm: ScriptedLlm, answer: Any, expected: str) -> None:
    llm.script = lambda _: answer
    model = chat(llm)
    with pytest.raises(LlmError) as caught:
        await model.ask([("user", "which colour?")], SCHEMA)
    assert expected in str(caught.value)
    assert "GRAPH_MEMORY_LLM_URL" in str(caught.value)
    assert "secret" not in str(caught.value)
    await model.close()


async def test_a_slow_answer_is_an_error(llm: ScriptedLlm) -> None:
    llm.script = lambda _: time.sleep(0.5) or says({})
    model = chat(llm)
    with pytest.raises(LlmError, match=r"within 0\.1 s"):
        await model.ask([("user", "quick!")], seconds=0.1)
    await model.close()


async def test_after_failures_in_a_row_the_breaker_is_open(llm: ScriptedLlm) -> None:
    llm.script = lambda _: (500, {})
    model = chat(llm, llm_breaker_failures=2, llm_breaker_seconds=0.3)
    for _ in range(2):
        with pytest.raises(LlmError, match="answered 500"):
            await model.ask([("user", "?")])
    with pytest.raises(LlmError, match="is not asked for"):
        await model.ask([("user", "?")])
    assert len(llm.asked) == 2
    await asyncio.sleep(0.35)
    llm.script = lambda _: says({"well": True})
    assert await model.ask([("user", "?")]) == {"well": True}
    assert model.cooldown_seconds == 0
    await model.close()


async def test_a_model_that_is_not_there_is_an_error() -> None:
    model = Chat(read_settings(llm_url="http://127.0.0.1:9/v1"))
    with pytest.raises(LlmError, match="does not answer"):
        await model.ask([("user", "?")])
    await model.close()
