"""Texts to vectors by an OpenAI-compatible endpoint."""

from collections.abc import Sequence

import httpx
import numpy as np
import numpy.typing as npt

from graph_memory.errors import EmbeddingError
from graph_memory.settings import Settings

#: Endpoints refuse what exceeds their model's window, mostly 8191 tokens; local models cut.
_CHARACTERS = 8_000
_SECONDS = 60.0
_CONNECT_SECONDS = 5.0


class Endpoint:
    """An OpenAI-compatible endpoint; it knows no difference between queries and other texts."""

    def __init__(self, settings: Settings) -> None:
        self._url = f"{(settings.embedding_url or '').rstrip('/')}/embeddings"
        self._model = settings.embedding_model
        self._batch_size = settings.embedding_batch_size
        self._key = settings.embedding_api_key.get_secret_value()
        self._client = httpx.AsyncClient(
            headers={"Authorization": f"Bearer {self._key}"} if self._key else None,
            timeout=httpx.Timeout(_SECONDS, connect=_CONNECT_SECONDS),
        )

    async def embed(
        self, texts: Sequence[str], *, query: bool
    ) -> tuple[npt.NDArray[np.float32], list[None]]:
        """Embed in as many requests as the batch size asks for; of tokens it tells nothing."""
        texts = [cut(text, _CHARACTERS) for text in texts]
        parts = batches(texts, self._batch_size)
        return np.concatenate([await self._post(part) for part in parts]), [None] * len(texts)

    async def tokenizer(self) -> None:
        """Return none: how its model splits texts is not known here."""

    async def close(self) -> None:
        """End its connections."""
        await self._client.aclose()

    async def _post(self, texts: list[str]) -> npt.NDArray[np.float32]:
        body = {"model": self._model, "input": texts}
        try:
            response = await self._client.post(self._url, json=body)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise self._failed(f"does not answer ({str(error) or type(error).__name__})") from error
        if not response.is_success:
            raise self._failed(f"answered {response.status_code}: {response.text[:200]!r}")
        try:
            rows = {row["index"]: row["embedding"] for row in response.json()["data"]}
            return np.asarray([rows[i] for i in range(len(texts))], dtype=np.float32)
        except (LookupError, TypeError, ValueError) as error:
            raise self._failed(f"did not answer with {len(texts)} embeddings") from error

    def _failed(self, what: str) -> EmbeddingError:
        """Name the endpoint without the credentials that its URL or its answer may hold."""
        told = what.replace(self._key, "***") if self._key else what
        return EmbeddingError(
            f"The embedding endpoint {self._url.rpartition('@')[2]} {told}. Check "
            "GRAPH_MEMORY_EMBEDDING_URL, GRAPH_MEMORY_EMBEDDING_MODEL and "
            "GRAPH_MEMORY_EMBEDDING_API_KEY."
        )


def cut(text: str, limit: int) -> str:
    """Return at most `limit` characters, lone surrogates, which no tokenizer takes, replaced."""
    return text[:limit].encode("utf-8", "replace").decode("utf-8")


def batches(texts: list[str], size: int) -> list[list[str]]:
    """Return `texts` in runs of at most `size`."""
    return [texts[start : start + size] for start in range(0, len(texts), size)]
