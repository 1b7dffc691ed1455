"""Record of the embedding model whose vectors the database holds."""

from dataclasses import dataclass

from graph_memory.database.graph import Graph
from graph_memory.errors import DimensionMismatchError
from graph_memory.settings.base import Settings


@dataclass(frozen=True, slots=True)
class StoredEmbedding:
    """A model and the width of its vectors."""

    model: str
    dimensions: int


async def check_embedding(graph: Graph, settings: Settings) -> None:
    """Check that the configured model is the recorded one; in a new database, record it.

    Raises:
        DimensionMismatchError: The models differ; the message names the rebuild command.
    """
    stored = await stored_embedding(graph)
    configured = configured_embedding(settings)
    if stored is None:
        await record_embedding(graph, settings)
    elif stored != configured:
        raise mismatch(stored, configured)


def mismatch(stored: StoredEmbedding, configured: StoredEmbedding) -> DimensionMismatchError:
    """Return the error for two different models, with the settings that match the stored one."""
    back = {
        "GRAPH_MEMORY_EMBEDDING_MODEL": (stored.model, configured.model),
        "GRAPH_MEMORY_EMBEDDING_DIMENSIONS": (stored.dimensions, configured.dimensions),
    }
    return DimensionMismatchError(
        f"{stored.model} ({stored.dimensions} dimensions)",
        f"{configured.model} ({configured.dimensions} dimensions)",
        " and ".join(f"{name}={was}" for name, (was, now) in back.items() if was != now),
    )


def configured_embedding(settings: Settings) -> StoredEmbedding:
    """Return the model of new vectors."""
    return StoredEmbedding(settings.embedding_model, settings.embedding_dimensions)


async def stored_embedding(graph: Graph) -> StoredEmbedding | None:
    """Return the model of the stored vectors, or None in a new database."""
    return await graph.one("database/embedding_record/stored", StoredEmbedding)


async def has_passages(graph: Graph) -> bool:
    """Return True if all long memories have passages; a store of an earlier version has none."""
    return bool(await graph.one("database/embedding_record/has_passages", bool))


async def record_embedding(graph: Graph, settings: Settings) -> None:
    """Record the configured model as the one of the stored vectors, passages included."""
    await graph.run(
        "database/embedding_record/record",
        model=settings.embedding_model,
        dimensions=settings.embedding_dimensions,
    )
