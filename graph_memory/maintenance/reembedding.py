"""Embedding of stored texts: those without a vector, or all of them for another model."""

import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from graph_memory.context import Context
from graph_memory.database import embedding_record, indexes
from graph_memory.database.ranges import id_ranges
from graph_memory.domain.passages import LONGEST
from graph_memory.graphiti import vectors
from graph_memory.memories.embeddings import EmbeddingTask, embed, groups

_log = logging.getLogger(__name__)

_BATCH = 256


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """The number of texts to embed, of those that were embedded, and of those that failed."""

    candidates: int
    rebuilt: int = 0
    failed: int = 0


async def rebuild_embeddings(
    memory: Context,
    group_id: str | None = None,
    *,
    only_missing: bool = False,
    dry_run: bool = False,
    on_progress: Callable[[int, int], None] = lambda memories_done, of: None,
) -> RebuildReport:
    """Embed memories with the configured model; searches use it once every memory has its vector.

    The names and facts that Graphiti compares are embedded too: those that graph-memory has
    embedded, and all of them with `graphiti_vectors`. After an interruption, `only_missing`
    finishes the rest. A batch that cannot be embedded is counted as failed and skipped.

    Args:
        memory: The context, with the database and the model.
        group_id: The tenant; by default all tenants.
        only_missing: Embed only texts without a vector of the configured model.
        dry_run: Count the texts, and embed none.
        on_progress: Called with the texts done since the last call, and with the number of all.

    Raises:
        EmbeddingError: The model cannot be loaded.
        GraphUnavailableError: Neo4j did not answer; the vectors written so far stay.
    """
    tenants = [memory.group(group_id)] if group_id else await groups(memory.graph)
    candidates = await _count(memory, tenants, only_missing=only_missing)
    if dry_run:
        return RebuildReport(candidates)
    await memory.embedder.load()
    incomplete = await _incomplete(memory)
    rebuilt, failed = await _rebuild_tenants(
        memory, tenants, only_missing=only_missing, on_done=lambda n: on_progress(n, candidates)
    )
    if incomplete:
        await _adopt_model(memory)
    return RebuildReport(candidates, rebuilt, failed)


async def _rebuild_tenants(
    memory: Context, tenants: list[str], *, only_missing: bool, on_done: Callable[[int], None]
) -> tuple[int, int]:
    """Embed the memories of tenants, then Graphiti's names and facts; count both outcomes."""
    rebuilt = failed = 0
    async for group, batch in _batches(memory, tenants, only_missing=only_missing):
        done = await embed(memory.engine, group, batch)
        rebuilt += done
        failed += 0 if done else len(batch)
        on_done(len(batch))
    for group in tenants:
        done, not_done = await vectors.rebuild(
            memory, group, only_missing=only_missing, on_done=on_done
        )
        rebuilt += done
        failed += not_done
    return rebuilt, failed


async def _count(memory: Context, tenants: list[str], *, only_missing: bool) -> int:
    total = 0
    which = _which(memory, only_missing)
    for group in tenants:
        async for ids in id_ranges(memory.graph, group_id=group):
            (candidates,) = await memory.graph.rows(
                "maintenance/reembedding/count", int, group_id=group, **ids, **which
            )
            total += candidates
        total += await vectors.count_stale(memory, group, only_missing=only_missing)
    return total


async def _batches(
    memory: Context, tenants: list[str], *, only_missing: bool
) -> AsyncIterator[tuple[str, list[EmbeddingTask]]]:
    for group in tenants:
        after = {"after_created_at": "0001-01-01T00:00:00Z", "after_id": ""}
        while batch := await memory.graph.rows(
            "maintenance/reembedding/candidates",
            EmbeddingTask,
            group_id=group,
            limit=_BATCH,
            **after,
            **_which(memory, only_missing),
        ):
            yield group, batch
            after = {"after_created_at": batch[-1].created_at, "after_id": batch[-1].memory_id}


async def _incomplete(memory: Context) -> bool:
    """Check whether the stored vectors are of another model, or lack passages.

    For another width, new indexes are made.
    """
    stored = await embedding_record.stored_embedding(memory.graph)
    if stored and stored.dimensions != memory.settings.embedding_dimensions:
        await indexes.recreate_indexes(memory.graph, memory.settings, indexes.VECTOR_INDEXES)
    same = stored == embedding_record.configured_embedding(memory.settings)
    return not (same and await embedding_record.has_passages(memory.graph))


async def _adopt_model(memory: Context) -> None:
    """Record the model once every text of every group has its vector."""
    if not await _count(memory, await groups(memory.graph), only_missing=True):
        await embedding_record.record_embedding(memory.graph, memory.settings)
        await memory.check_embedding()


def _which(memory: Context, only_missing: bool) -> dict[str, Any]:
    words = memory.embedder.has_tokens and memory.settings.recall_late_weight > 0
    return {"only_missing": only_missing, "words": words, "longest": LONGEST, **_model(memory)}


def _model(memory: Context) -> dict[str, Any]:
    return {"model": memory.embedder.model, "dimensions": memory.embedder.dimension}


async def add_passages(memory: Context) -> None:
    """Add the passages of long memories to a store of an earlier version.

    A store whose vectors are of another model is left as it is: only a caller rebuilds those.
    """
    stored = await embedding_record.stored_embedding(memory.graph)
    if stored != embedding_record.configured_embedding(memory.settings):
        return
    if not await embedding_record.has_passages(memory.graph):
        report = await rebuild_embeddings(memory, only_missing=True)
        _log.info("Divided long memories into passages, %d memories read.", report.rebuilt)
