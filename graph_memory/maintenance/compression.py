"""Compress what is archived, and restore what is not; nothing of a content is lost."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.domain.encoding import compress, decompress, summary

#: Contents on their way at a time; each may have a million characters.
_BATCH = 100


@dataclass(frozen=True, slots=True)
class CompressionCounts:
    """How many contents were compressed, and how many restored."""

    compressed: int
    restored: int


@dataclass(frozen=True, slots=True)
class _Due:
    """A memory whose state has changed, and how its content is stored."""

    memory_id: str
    state: str
    compress: bool
    content: str
    packed: str | None


async def compress_contents(
    graph: Graph, *, groups: list[str] | None, canary: int
) -> AsyncGenerator[CompressionCounts]:
    """Compress or restore the contents of memories that have changed state, a batch at a time.

    What somebody changes meanwhile stays for the next run.
    """
    after_id = ""
    while due := await graph.rows(
        "maintenance/compression/due",
        _Due,
        after_id=after_id,
        limit=_BATCH,
        groups=groups,
        canary=canary,
    ):
        rows = [_row(memory) for memory in due]
        stored = set(await graph.rows("maintenance/compression/store", str, memories=rows))
        changed = [m for m in due if m.memory_id in stored and m.compress != (m.packed is not None)]
        compressed = sum(memory.compress for memory in changed)
        yield CompressionCounts(compressed, len(changed) - compressed)
        after_id = due[-1].memory_id


def _row(memory: _Due) -> dict[str, Any]:
    """Return how a content is to be stored: a compressed one leaves its summary readable."""
    content = decompress(memory.packed) if memory.packed else memory.content
    kept = (memory.packed or compress(content)) if memory.compress else None
    return {
        "memory_id": memory.memory_id,
        "state": memory.state,
        "seen": memory.content,
        "content": summary(content) if kept else content,
        "packed": kept,
    }
