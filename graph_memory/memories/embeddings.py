"""Embeddings of memories, computed in batches and stored with the name of their model."""

import logging
from dataclasses import dataclass
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.domain.encoding import StoredContent
from graph_memory.engine import Engine
from graph_memory.errors import GraphMemoryError, GraphUnavailableError
from graph_memory.inference.embedder import Embedding
from graph_memory.ranking.late_interaction import quantize_tokens
from graph_memory.settings.base import Settings

_log = logging.getLogger(__name__)


def vectors(content: str, embedding: Embedding, settings: Settings) -> dict[str, Any]:
    """Return the stored vectors of a content: of the whole text, and of its words if enabled."""
    tokens = embedding.tokens if settings.recall_late_weight else None
    words = quantize_tokens(content, tokens, settings.fulltext_analyzer) if tokens else None
    return {"embedding": embedding.vector, "word_vectors": words}


@dataclass(frozen=True, slots=True)
class EmbeddingTask:
    """A memory to embed; `created_at` and `memory_id` continue the paging."""

    memory_id: str
    content: StoredContent
    content_hash: str | None
    created_at: str


async def groups(graph: Graph) -> list[str]:
    """List the groups that have memories, deleted ones included."""
    return await graph.rows("memories/embeddings/groups", str)


async def embed(engine: Engine, group: str, batch: list[EmbeddingTask]) -> int:
    """Embed memories of a group, and return the number stored, 0 if the batch failed."""
    try:
        embeddings = await engine.embedder.embed_tokens([task.content for task in batch])
        rows = [
            {
                "memory_id": task.memory_id,
                "content": task.content,
                "content_hash": task.content_hash,
                **vectors(task.content, embedding, engine.settings),
            }
            for task, embedding in zip(batch, embeddings, strict=True)
        ]
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
