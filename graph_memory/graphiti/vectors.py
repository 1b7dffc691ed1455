"""Vectors of names and facts, for Graphiti's searches; our search of facts uses them as well."""

import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from graph_memory.context import Context
from graph_memory.errors import GraphMemoryError, GraphUnavailableError

_log = logging.getLogger(__name__)

_BATCH = 500

#: Pairs of statements: one lists the texts to embed, the other writes their vectors.
_KINDS = (
    ("graphiti/vectors/names", "graphiti/vectors/write_names"),
    ("graphiti/vectors/facts", "graphiti/vectors/write_facts"),
)


@dataclass(frozen=True, slots=True)
class _Text:
    id: str
    text: str


async def count_stale(context: Context, group_id: str, *, only_missing: bool) -> int:
    """Count the names and facts of a group that a rebuild would embed.

    These are names and facts with vectors of ours, or all of them with `graphiti_vectors`;
    `only_missing` restricts them to those without a vector of the configured model.
    """
    return (
        await context.graph.one(
            "graphiti/vectors/count", int, group_id=group_id, **_which(context, only_missing)
        )
        or 0
    )


async def rebuild(
    context: Context,
    group_id: str,
    *,
    only_missing: bool,
    on_done: Callable[[int], None] = lambda done: None,
) -> tuple[int, int]:
    """Embed names and facts of a group in batches; return the numbers embedded and failed."""
    rebuilt = failed = 0
    for listing, writing in _KINDS:
        async for batch in _batches(context, listing, group_id, only_missing=only_missing):
            done = await _embed(context, writing, group_id, batch)
            rebuilt += done
            failed += 0 if done else len(batch)
            on_done(len(batch))
    return rebuilt, failed


async def _batches(
    context: Context, listing: str, group_id: str, *, only_missing: bool
) -> AsyncIterator[list[_Text]]:
    after_id = ""
    while batch := await context.graph.rows(
        listing,
        _Text,
        group_id=group_id,
        after_id=after_id,
        limit=_BATCH,
        **_which(context, only_missing),
    ):
        yield batch
        after_id = batch[-1].id


async def _embed(context: Context, writing: str, group_id: str, batch: list[_Text]) -> int:
    try:
        # Graphiti replaces line ends by spaces as well.
        vectors = await context.embedder.embed([each.text.replace("\n", " ") for each in batch])
        rows = [
            {"id": each.id, "text": each.text, "embedding": vector}
            for each, vector in zip(batch, vectors, strict=True)
        ]
        written = await context.graph.rows(
            writing, str, group_id=group_id, rows=rows, model=context.embedder.model
        )
    except GraphUnavailableError:
        raise
    except GraphMemoryError as error:
        _log.warning("Cannot embed %d texts from '%s' on: %s", len(batch), batch[0].id, error)
        return 0
    return len(written)


def _which(context: Context, only_missing: bool) -> dict[str, Any]:
    return {
        "all_of_graphiti": context.settings.graphiti_vectors,
        "only_missing": only_missing,
        "model": context.embedder.model,
        "dimensions": context.embedder.dimension,
    }
