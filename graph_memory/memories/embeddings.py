"""Embeddings of memories, computed in batches and stored with the name of their model."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.domain.encoding import StoredContent
from graph_memory.domain.passages import split
from graph_memory.engine import Engine
from graph_memory.errors import GraphMemoryError, GraphUnavailableError
from graph_memory.inference.embedder import Embedding
from graph_memory.ranking.late_interaction import quantize_tokens
from graph_memory.settings.base import Settings

_log = logging.getLogger(__name__)


async def vectors(engine: Engine, contents: Sequence[str]) -> list[dict[str, Any]]:
    """Embed contents, and return the vectors of each as stored, in the order given.

    These are the vector of the text, up to the window of the model, the vectors of its words if
    enabled, and the same of each passage.
    """
    passages = [split(content) for content in contents]
    parts = [passage.text for each in passages for passage in each]
    texts = [*contents, *parts]
    embeddings = await engine.embedder.embed_tokens(texts)
    stored = [_stored(*each, engine.settings) for each in zip(texts, embeddings, strict=True)]
    of_parts = iter(stored[len(contents) :])
    return [
        {**row, "passages": [{"start": p.start, "end": p.end, **next(of_parts)} for p in each]}
        for row, each in zip(stored[: len(contents)], passages, strict=True)
    ]


def _stored(text: str, embedding: Embedding, settings: Settings) -> dict[str, Any]:
    """Return the vector of a text as stored, and those of its words if they are used."""
    tokens = embedding.tokens if settings.recall_late_weight else None
    words = quantize_tokens(text, tokens, settings.fulltext_analyzer) if tokens else None
    return {"embedding": embedding.vector, "word_vectors": words}


@dataclass(frozen=True, slots=True)
class EmbeddingTask:
    """A memory to embed; `created_at` and `memory_id` continue the paging.

    Attributes:
        embedded: True if only its passages are missing, should it be a long one.
    """

    memory_id: str
    content: StoredContent
    content_hash: str | None
    created_at: str
    embedded: bool = False


async def groups(graph: Graph) -> list[str]:
    """List the groups that have memories, deleted ones included."""
    return await graph.rows("memories/embeddings/groups", str)


async def embed(engine: Engine, group: str, batch: list[EmbeddingTask]) -> int:
    """Embed memories of a group, and return the number stored, 0 if the batch failed."""
    try:
        rows = await _rows(engine, batch)
        written = await engine.graph.rows(
            "memories/embeddings/write",
            str,
            group_id=group,
            memories=rows,
            model=engine.embedder.model,
            dimensions=engine.embedder.dimension,
            graphiti_vectors=engine.settings.graphiti_vectors,
        )
    except GraphUnavailableError:
        raise
    except GraphMemoryError as error:
        _log.warning(
            "Cannot embed %d memories from '%s' on: %s", len(batch), batch[0].memory_id, error
        )
        return 0
    return len(written)


async def _rows(engine: Engine, batch: Sequence[EmbeddingTask]) -> list[dict[str, Any]]:
    """Return the new vectors of memories; an embedded memory without passages keeps its own."""
    kept = [task.embedded and not split(task.content) for task in batch]
    new = [task.content for task, keeps in zip(batch, kept, strict=True) if not keeps]
    embedded = iter(await vectors(engine, new))
    none: dict[str, Any] = {"embedding": None, "word_vectors": None, "passages": []}
    return [
        {
            "memory_id": task.memory_id,
            "content": task.content,
            "content_hash": task.content_hash,
            **(none if keeps else next(embedded)),
        }
        for task, keeps in zip(batch, kept, strict=True)
    ]
