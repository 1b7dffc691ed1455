"""Migrations of stored data: text that Graphiti can read, notes of protection, passages, learning.

Graphiti writes all properties of an entity into its prompts as JSON. JSON has neither bytes nor
instants of Neo4j. So the properties of a memory are text, except `created_at`: Graphiti converts
that itself.
"""

import base64
from collections.abc import Callable
from dataclasses import dataclass

from graph_memory.database.graph import Graph
from graph_memory.domain.batching import batched

_BATCH = 2000

#: Compressed contents per batch; each may hold a million characters.
_CONTENTS = 100

#: The statements in the checksum of the migration.
STATEMENTS = (
    "database/data_migrations/texts_of_instants",
    "database/data_migrations/instants_of_texts",
)

#: The statements in the checksum of the migration that notes protection.
PROTECTION_STATEMENTS = (
    "database/data_migrations/note_protected",
    "database/data_migrations/forget_protected",
)

#: The statements in the checksum of the migration that adds passages.
PASSAGE_STATEMENTS = ("database/data_migrations/delete_passages",)

#: The statements in the checksum of the migration that adds proposals.
LEARNING_STATEMENTS = ("database/data_migrations/unlearn",)

#: The statements in the checksum of the migration that adds entities found by rule.
ENTITY_STATEMENTS = ("database/data_migrations/forget_entities",)

#: The statements in the checksum of the migration that adds waiting writes.
PENDING_STATEMENTS = ("database/data_migrations/forget_pending",)

#: The statements in the checksum of the migration that adds tombstones.
TOMBSTONE_STATEMENTS = ("database/data_migrations/forget_tombstones",)


@dataclass(frozen=True, slots=True)
class _Compressed:
    memory_id: str
    packed: str | bytes


async def upgrade(graph: Graph) -> None:
    """Convert instants and bytes to text; a repeated call changes nothing."""
    await graph.run("database/data_migrations/texts_of_instants", batch=_BATCH)
    await _recode(graph, _text)


async def note_protected(graph: Graph) -> None:
    """Note which memories are protected; runs keep the notes since then."""
    settings = graph.settings
    await graph.run(
        "database/data_migrations/note_protected",
        tags=[*(tag.lower() for tag in settings.protected_tags), "preserved"],
        importance=settings.permanent_importance,
        stability=settings.permanent_stability,
        batch=_BATCH,
    )


async def forget_protected(graph: Graph) -> None:
    """Remove the notes, which earlier versions do not know."""
    await graph.run("database/data_migrations/forget_protected", batch=_BATCH)


async def delete_passages(graph: Graph) -> None:
    """Delete the passages, which earlier versions do not know."""
    await graph.run("database/data_migrations/delete_passages", batch=_BATCH)


async def unlearn(graph: Graph) -> None:
    """Delete what was learned, which earlier versions do not know."""
    await graph.run("database/data_migrations/unlearn", batch=_BATCH)


async def forget_entities(graph: Graph) -> None:
    """Delete the entities found by rule, which earlier versions do not know."""
    await graph.run("database/data_migrations/forget_entities", batch=_BATCH)


async def forget_pending(graph: Graph) -> None:
    """Delete the writes that wait for a review, which earlier versions do not know."""
    await graph.run("database/data_migrations/forget_pending", batch=_BATCH)


async def forget_tombstones(graph: Graph) -> None:
    """Delete the tombstones, which earlier versions do not know."""
    await graph.run("database/data_migrations/forget_tombstones", batch=_BATCH)


async def downgrade(graph: Graph) -> None:
    """Convert text to instants and bytes, as earlier versions stored them."""
    await graph.run("database/data_migrations/instants_of_texts", batch=_BATCH)
    await _recode(graph, _bytes)


def _text(packed: str | bytes) -> str:
    return packed if isinstance(packed, str) else base64.b64encode(packed).decode()


def _bytes(packed: str | bytes) -> bytes:
    return base64.b64decode(packed) if isinstance(packed, str) else packed


async def _recode(graph: Graph, encode: Callable[[str | bytes], str | bytes]) -> None:
    ids = [
        row[0]
        async for block in graph.stream("database/data_migrations/packed_ids")
        for row in block
    ]
    for batch in batched(ids, _CONTENTS):
        found = await graph.rows(
            "database/data_migrations/packed_contents",
            _Compressed,
            memory_ids=batch,
        )
        rows = [
            {"memory_id": row.memory_id, "packed": form}
            for row in found
            if (form := encode(row.packed)) != row.packed
        ]
        if rows:
            await graph.run("database/data_migrations/store_packed", memories=rows)
