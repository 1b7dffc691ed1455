"""database.embedding_record."""

from dataclasses import dataclass

from graph_memory.database.graph import Graph
from graph_memory.errors import DimensionMismatchError
from graph_memory.settings.base import Settings


@dataclass(frozen=True, slots=True)
class StoredEmbedding:
    """The model whose vectors the database holds."""

    model: str
    dimensions: int


async def check_embedding(graph: Graph, settings: Settings) -> None:
    """Compare the configured embedding model with the stored vectors'; a new database adopts it.

    Raises:
        DimensionMismatchError: They differ; the message names the rebuild command.
    """
    stored = await stored_embedding(graph)
    configured = configured_embedding(settings)
    if stored is None:
        await record_embedding(graph, settings)
    elif stored != configured:
        raise mismatch(stored, configured)


def mismatch(stored: StoredEmbedding, configured: StoredEmbedding) -> DimensionMismatchError:
    """Return the error that two models do not fit together, with the settings to set back."""
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
    """Return the model new vectors are of."""
    return StoredEmbedding(settings.embedding_model, settings.embedding_dimensions)


async def stored_embedding(graph: Graph) -> StoredEmbedding | None:
    """Return the model of the stored vectors; None before the first."""
    return await graph.one("database/embedding_record/stored", StoredEmbedding)


async def record_embedding(graph: Graph, settings: Settings) -> None:
    """Remember that this database's vectors are of the configured model."""
    await graph.run(
        "database/embedding_record/record",
        model=settings.embedding_model,
        dimensions=settings.embedding_dimensions,
    )
