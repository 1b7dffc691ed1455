"""The HTTP client of OpenAI-compatible endpoints.

It limits the size of an answer and the time until its last byte, and removes the key from errors.
The client of the package openai does neither, and would not be shorter with both around it.
"""

import asyncio
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import SecretStr

from graph_memory.errors import GraphMemoryError

if TYPE_CHECKING:
    import httpx

_CONNECT_SECONDS = 5.0

#: Longest answer in bytes; a longer one is not read to its end.
_ANSWER_BYTES = 64 * 2**20


class EndpointError(GraphMemoryError):
    """An OpenAI-compatible endpoint fails; the message holds no credentials of URL or answer."""


class Api:
    """The client of an OpenAI-compatible API at a base URL."""

    def __init__(self, url: str, key: SecretStr, *, answer_bytes: int = _ANSWER_BYTES) -> None:
        self._url = url.rstrip("/")
        self._key = key.get_secret_value()
        self._answer_bytes = answer_bytes
        import httpx  # takes a tenth of a second, which a process without an endpoint saves

        self._client = httpx.AsyncClient(
            headers={"Authorization": f"Bearer {self._key}"} if self._key else None
        )

    def address(self, path: str) -> str:
        """Return the URL of a path without credentials."""
        return f"{self._url}/{path}".rpartition("@")[2]

    async def post(self, path: str, body: Mapping[str, Any], *, seconds: float) -> Any:
        """Send a JSON object and return the JSON of the answer.

        Args:
            path: Path below the base URL.
            body: The JSON object.
            seconds: Time limit for the whole answer, however slowly it arrives.

        Raises:
            EndpointError: The answer is late, an error, too long, or not JSON; without secrets.
        """
        import httpx

        timeout = httpx.Timeout(seconds, connect=min(seconds, _CONNECT_SECONDS))
        url = f"{self._url}/{path}"
        try:
            async with (
                asyncio.timeout(seconds),
                self._client.stream("POST", url, json=body, timeout=timeout) as response,
            ):
                content = await self._read(response)
        except (TimeoutError, httpx.TimeoutException) as error:
            raise self._failed(f"does not answer within {seconds:g} s") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = str(error) or type(error).__name__
            raise self._failed(f"does not answer ({reason})") from error
        if not response.is_success:
            shown = content.decode("utf-8", "replace")[:200]
            raise self._failed(f"answered {response.status_code}: {shown!r}")
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            raise self._failed("did not answer with JSON") from error

    async def close(self) -> None:
        """Close its connections."""
        await self._client.aclose()

    async def _read(self, response: "httpx.Response") -> bytes:
        content = bytearray()
        async for part in response.aiter_bytes():
            content += part
            if len(content) > self._answer_bytes:
                raise self._failed(f"answered with more than {self._answer_bytes} bytes")
        return bytes(content)

    def _failed(self, what: str) -> EndpointError:
        return EndpointError(what.replace(self._key, "***") if self._key else what)


def cut(text: str, limit: int) -> str:
    """Return at most `limit` characters; lone surrogates, which tokenizers refuse, are replaced."""
    return text[:limit].encode("utf-8", "replace").decode("utf-8")
