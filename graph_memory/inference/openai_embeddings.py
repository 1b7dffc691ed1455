"""Embeddings by an OpenAI-compatible endpoint."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from graph_memory.domain.batching import batched
from graph_memory.errors import EmbeddingError
from graph_memory.inference.openai import Api, EndpointError, cut
from graph_memory.settings.base import Settings

#: Characters of a text that are sent. Endpoints refuse texts beyond the window of their model,
#: mostly 8191 tokens; local models cut them.
_CHARACTERS = 8_000
_SECONDS = 60.0


class Endpoint:
    """An OpenAI-compatible endpoint, which embeds queries and documents alike."""

    def __init__(self, settings: Settings) -> None:
        self._api = Api(settings.embedding_url or "", settings.embedding_api_key)
        self._model = settings.embedding_model
        self._batch_size = settings.embedding_batch_size

    async def embed(
        self, texts: Sequence[str], *, query: bool
    ) -> tuple[npt.NDArray[np.float32], list[None]]:
        """Embed texts, `embedding_batch_size` per request; there are no tokens."""
        texts = [cut(text, _CHARACTERS) for text in texts]
        parts = list(batched(texts, self._batch_size))
        return np.concatenate([await self._post(part) for part in parts]), [None] * len(texts)

    async def tokenizer(self) -> None:
        """Return None: the tokenizer of the endpoint is not known."""

    async def close(self) -> None:
        """Close its connections."""
        await self._api.close()

    async def _post(self, texts: list[str]) -> npt.NDArray[np.float32]:
        body = {"model": self._model, "input": texts}
        try:
            answer = await self._api.post("embeddings", body, seconds=_SECONDS)
            rows = {row["index"]: row["embedding"] for row in answer["data"]}
            return np.asarray([rows[i] for i in range(len(texts))], dtype=np.float32)
        except EndpointError as error:
            raise self._failed(str(error)) from error
        except (LookupError, TypeError, ValueError) as error:
            raise self._failed(f"did not answer with {len(texts)} embeddings") from error

    def _failed(self, what: str) -> EmbeddingError:
        return EmbeddingError(
            f"The embedding endpoint {self._api.address('embeddings')} {what}. Check "
            "GRAPH_MEMORY_EMBEDDING_URL, GRAPH_MEMORY_EMBEDDING_MODEL and "
            "GRAPH_MEMORY_EMBEDDING_API_KEY."
        )
