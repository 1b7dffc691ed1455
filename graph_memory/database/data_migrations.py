"""What earlier versions stored in another form, brought to today's, and back.

Graphiti puts into its prompts, as JSON, whatever properties an entity has. JSON holds neither bytes
nor instants of Neo4j: so a memory holds text, except `created_at`, which Graphiti knows.
"""

import base64
from collections.abc import Callable
from dataclasses import dataclass

from graph_memory.database.graph import Graph
from graph_memory.domain.batching import batched

_BATCH = 2000

#: Compressed contents on their way at a time; each may stand for a million characters.
_CONTENTS = 100


#: What says how; a database remembers it.
STATEMENTS = (
    "database/data_migrations/texts_of_instants",
    "database/data_migrations/instants_of_texts",
)


@dataclass(frozen=True, slots=True)
class _Packed:
    memory_id: str
    packed: str | bytes


async def bring_up(graph: Graph) -> None:
    """Store as text what was instants or bytes; a second time there is nothing to do."""
    await graph.run("database/data_migrations/texts_of_instants", batch=_BATCH)
    await _recode(graph, _text)


async def bring_down(graph: Graph) -> None:
    """Store as instants and bytes what is text, for versions that know it so."""
    await graph.run("database/data_migrations/instants_of_texts", batch=_BATCH)
    await _recode(graph, _bytes)


def _text(packed: str | bytes) -> str:
    return packed if isinstance(packed, str) else base64.b64encode(packed).decode()


def _bytes(packed: str | bytes) -> bytes:
    return base64.b64decode(packed) if isinstance(packed, str) else packed


async def _recode(graph: Graph, recoded: Callable[[str | bytes], str | bytes]) -> None:
    ids = [
        row[0]
        async for block in graph.stream("database/data_migrations/packed_ids")
        for row in block
    ]
    for batch in batched(ids, _CONTENTS):
        found = await graph.rows(
            "database/data_migrations/packed_contents", _Packed, memory_ids=batch
        )
        rows = [
            {"memory_id": row.memory_id, "packed": form}
            for row in found
            if (form := recoded(row.packed)) != row.packed
        ]
        if rows:
            await graph.run("database/data_migrations/store_packed", memories=rows)
