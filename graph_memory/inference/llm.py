"""JSON answers of a language model at an OpenAI-compatible endpoint, with a circuit breaker."""

import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, cast

from graph_memory.errors import LlmError
from graph_memory.inference.openai import Api, EndpointError, cut
from graph_memory.settings.base import Settings
from graph_memory.tracing import model_span

#: Longest answer in bytes; a longer one is not read to its end.
_ANSWER_BYTES = 2**20

#: A fence around JSON, which many local models write in spite of the requested format.
_FENCE = re.compile(r"^```\w*\s*\n(.*?)\n?```\s*$", re.DOTALL)


class Chat:
    """A language model at an endpoint.

    After `llm_breaker_failures` failures in a row the breaker is open for `llm_breaker_seconds`:
    calls fail without a request.
    """

    def __init__(self, settings: Settings) -> None:
        self._api = Api(settings.llm_url or "", settings.llm_api_key, answer_bytes=_ANSWER_BYTES)
        self._settings = settings
        self._failures = 0
        self._open_until = 0.0

    @property
    def cooldown_seconds(self) -> float:
        """Seconds until the breaker closes; 0 if it is closed."""
        return max(0.0, self._open_until - time.monotonic())

    async def ask(
        self,
        messages: Sequence[tuple[str, str]],
        schema: Mapping[str, Any] | None = None,
        *,
        seconds: float | None = None,
    ) -> dict[str, Any]:
        """Send one request without tools, and return the JSON object of the answer.

        Args:
            messages: Roles and texts.
            schema: JSON schema of the answer, which is requested and not checked here.
            seconds: Time limit for the answer, default `llm_timeout_seconds`.

        Raises:
            LlmError: The breaker is open, or the answer is late or not a JSON object.
        """
        if self.cooldown_seconds:
            raise self._error(
                f"is not asked for {self.cooldown_seconds:.0f} s after "
                f"{self._settings.llm_breaker_failures} failures in a row"
            )
        try:
            answer = await self._request(messages, schema, seconds)
        except EndpointError as error:
            self._note_failure()
            raise self._error(str(error)) from error
        self._failures = 0
        return answer

    async def close(self) -> None:
        """Close its connections."""
        await self._api.close()

    async def _request(
        self,
        messages: Sequence[tuple[str, str]],
        schema: Mapping[str, Any] | None,
        seconds: float | None,
    ) -> dict[str, Any]:
        response_format: dict[str, Any] = {"type": "json_object"}
        if schema is not None and self._settings.llm_answer_format == "json_schema":
            named = {"name": schema.get("title", "Answer"), "schema": schema}
            response_format = {"type": "json_schema", "json_schema": named}
        elif schema is not None:
            messages = [*messages, ("user", f"The schema of the answer: {json.dumps(schema)}")]
        body = {
            "model": self._settings.llm_model,
            "messages": [
                {"role": role, "content": cut(text, len(text))} for role, text in messages
            ],
            "response_format": response_format,
        }
        seconds = seconds or self._settings.llm_timeout_seconds
        with model_span("chat", self._settings.llm_model or "", len(messages)):
            answer = await self._api.post("chat/completions", body, seconds=seconds)
        return _object(answer)

    def _note_failure(self) -> None:
        self._failures += 1
        if self._failures >= self._settings.llm_breaker_failures:
            self._failures = 0
            self._open_until = time.monotonic() + self._settings.llm_breaker_seconds

    def _error(self, what: str) -> LlmError:
        return LlmError(
            f"The language model at {self._api.address('chat/completions')} {what}. Check "
            "GRAPH_MEMORY_LLM_URL, GRAPH_MEMORY_LLM_MODEL and GRAPH_MEMORY_LLM_API_KEY."
        )


def _object(answer: Any) -> dict[str, Any]:
    """Return the JSON object in a chat completion."""
    try:
        text: str = answer["choices"][0]["message"]["content"].strip()
        fenced = _FENCE.match(text)
        found = json.loads(fenced[1] if fenced else text)
    except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise EndpointError("did not answer with a JSON object") from error
    if not isinstance(found, dict):
        raise EndpointError("did not answer with a JSON object")
    return cast(dict[str, Any], found)
