"""Compression of the contents of archived memories, without loss."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.domain.encoding import compress, decompress, summary

#: Contents in one batch; each may have a million characters.
_BATCH = 100


@dataclass(frozen=True, slots=True)
class CompressionCounts:
    """The number of contents that were compressed, and of those that were restored."""

    compressed: int
    restored: int


@dataclass(frozen=True, slots=True)
class _Due:
    """A memory whose state has changed, with its content as stored."""

    memory_id: str
    state: str
    compress: bool
    content: str
    packed: str | None


async def compress_contents(
    graph: Graph, *, groups: list[str] | None, canary: int
) -> AsyncGenerator[CompressionCounts]:
    """Compress the contents of memories that became ARCHIVED; restore those that are used again.

    Each batch yields its counts. The next run treats a memory that changes during its batch.
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
    """Return a content as it is to be stored; a compressed one keeps a readable summary."""
    content = decompress(memory.packed) if memory.packed else memory.content
    kept = (memory.packed or compress(content)) if memory.compress else None
    return {
        "memory_id": memory.memory_id,
        "state": memory.state,
        "seen": memory.content,
        "content": summary(content) if kept else content,
        "packed": kept,
    }
