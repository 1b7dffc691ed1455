"""Questions to a language model by an OpenAI-compatible endpoint, answered in JSON."""

import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

from graph_memory.errors import LlmError
from graph_memory.inference.openai import Api, EndpointError, cut
from graph_memory.settings.base import Settings

#: More than any answer asked for; an endpoint that sends without end is not read to it.
_ANSWER_BYTES = 2**20

#: Around JSON many local models put a fence, whatever format is asked for.
_FENCE = re.compile(r"^```\w*\s*\n(.*?)\n?```\s*$", re.DOTALL)


class Chat:
    """A language model behind an endpoint; after several failures it is left alone for a while."""

    def __init__(self, settings: Settings) -> None:
        self._api = Api(settings.llm_url or "", settings.llm_api_key, answer_bytes=_ANSWER_BYTES)
        self._settings = settings
        self._failures = 0
        self._rests_until = 0.0

    @property
    def rests_seconds(self) -> float:
        """For how long it is still left alone; 0 if it may be asked."""
        return max(0.0, self._rests_until - time.monotonic())

    async def ask(
        self,
        messages: Sequence[tuple[str, str]],
        schema: Mapping[str, Any] | None = None,
        *,
        seconds: float | None = None,
    ) -> dict[str, Any]:
        """Ask once, with no tools within reach, and return the JSON object of the answer.

        Args:
            messages: Roles and texts.
            schema: The JSON schema of the answer; it is asked for, not checked here.
            seconds: Time for the answer; `llm_timeout_seconds` by default.

        Raises:
            LlmError: It is left alone at present, or does not answer as it should.
        """
        if self.rests_seconds:
            raise self._failed(
                f"is left alone for {self.rests_seconds:.0f} s after "
                f"{self._settings.llm_breaker_failures} failures in a row"
            )
        try:
            answer = await self._asked(messages, schema, seconds)
        except EndpointError as error:
            self._note_failure()
            raise self._failed(str(error)) from error
        self._failures = 0
        return answer

    async def close(self) -> None:
        """End its connections."""
        await self._api.close()

    async def _asked(
        self,
        messages: Sequence[tuple[str, str]],
        schema: Mapping[str, Any] | None,
        seconds: float | None,
    ) -> dict[str, Any]:
        wanted: dict[str, Any] = {"type": "json_object"}
        if schema is not None and self._settings.llm_answer_format == "json_schema":
            named = {"name": schema.get("title", "Answer"), "schema": schema}
            wanted = {"type": "json_schema", "json_schema": named}
        elif schema is not None:
            messages = [*messages, ("user", f"The schema of the answer: {json.dumps(schema)}")]
        body = {
            "model": self._settings.llm_model,
            "messages": [
                {"role": role, "content": cut(text, len(text))} for role, text in messages
            ],
            "response_format": wanted,
        }
        answer = await self._api.post(
            "chat/completions", body, seconds=seconds or self._settings.llm_timeout_seconds
        )
        return _object(answer)

    def _note_failure(self) -> None:
        self._failures += 1
        if self._failures >= self._settings.llm_breaker_failures:
            self._failures = 0
            self._rests_until = time.monotonic() + self._settings.llm_breaker_seconds

    def _failed(self, what: str) -> LlmError:
        return LlmError(
            f"The language model at {self._api.address('chat/completions')} {what}. Check "
            "GRAPH_MEMORY_LLM_URL, GRAPH_MEMORY_LLM_MODEL and GRAPH_MEMORY_LLM_API_KEY."
        )


def _object(answer: Any) -> dict[str, Any]:
    """Return the JSON object that a chat completion holds."""
    try:
        said: str = answer["choices"][0]["message"]["content"].strip()
        fenced = _FENCE.match(said)
        found = json.loads(fenced[1] if fenced else said)
    except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise EndpointError("did not answer with a JSON object") from error
    if not isinstance(found, dict):
        raise EndpointError("did not answer with a JSON object")
    return cast(dict[str, Any], found)
