"""Reading memories by id, and their relations."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.domain.inputs import Clocks
from graph_memory.domain.models import Memory, Relation
from graph_memory.domain.readable import report_unreadable
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import instant, optional_instant
from graph_memory.engine import Engine
from graph_memory.errors import AmbiguousIdError, SchemaError
from graph_memory.settings.base import Settings

#: Characters of a generated id; an id as long is whole.
_ID_CHARACTERS = 36

#: Characters of an id that are enough to look for the rest.
_PREFIX_CHARACTERS = 4

#: Ids that the error of an ambiguous beginning lists.
_CANDIDATES = 5


async def get_many(
    engine: Engine,
    scope: CallScope,
    memory_ids: Sequence[str],
    clocks: Clocks = Clocks(),  # noqa: B008 - immutable
) -> list[Memory]:
    """Fetch memories by id, in the order given; unknown and deleted ones are left out.

    Args:
        engine: The database, and the policies that compute the decay shown.
        scope: The tenant and the instant.
        memory_ids: Any number of ids.
        clocks: `as_of`, only memories that were true in the world then; `known_at`, only what the
            graph knew then, with the text of that time.
    """
    found = await engine.graph.rows(
        "memories/read/get",
        Memory,
        group_id=scope.group_id,
        memory_ids=list(memory_ids),
        as_of=optional_instant(clocks.as_of),
        **view_parameters(engine.settings, scope.now, clocks.known_at),
    )
    by_id = {memory.memory_id: memory for memory in found}
    return [by_id[memory_id] for memory_id in memory_ids if memory_id in by_id]


async def get_readable(
    engine: Engine, scope: CallScope, memory_ids: Sequence[str], clocks: Clocks
) -> list[Memory]:
    """Fetch memories like `get_many`, without those that another client has damaged."""
    try:
        return await get_many(engine, scope, memory_ids, clocks)
    except SchemaError:
        found: list[Memory] = []
        for memory_id in memory_ids:
            with suppress(SchemaError):
                found += await get_many(engine, scope, [memory_id], clocks)
        if not found:
            raise
        report_unreadable(len(memory_ids) - len(found))
        return found


async def relations_of(
    graph: Graph,
    scope: CallScope,
    memory_id: str,
    clocks: Clocks = Clocks(),  # noqa: B008 - immutable
    *,
    limit: int = 100,
) -> list[Relation]:
    """List the current relations from and to a memory, the strongest first."""
    return await graph.readable_rows(
        "memories/read/relations",
        Relation,
        memory_id=memory_id,
        as_of=optional_instant(clocks.as_of),
        known_at=optional_instant(clocks.known_at),
        limit=limit,
        **scope.parameters(),
    )


def view_parameters(
    settings: Settings, now: datetime, known_at: datetime | None = None
) -> dict[str, Any]:
    """Return the parameters of `cypher/fragments/memory/full.cypher`, which changes no state."""
    return {
        "now": instant(now),
        "known_at": optional_instant(known_at),
        "decay": policies.rules(settings),
    }


async def complete_id(graph: Graph, given: str, *, group_id: str) -> str:
    """Return the only id of a group that begins with `given`, in any state.

    A whole id is returned without a query, and an unknown or short one as it is.

    Raises:
        AmbiguousIdError: Several ids begin with it.
    """
    if not _PREFIX_CHARACTERS <= len(given) < _ID_CHARACTERS:
        return given
    found = await graph.rows(
        "memories/read/ids", str, group_id=group_id, prefix=given, limit=_CANDIDATES + 1
    )
    if given in found or not found:
        return given
    if len(found) > 1:
        raise AmbiguousIdError(given, found[:_CANDIDATES], more=len(found) > _CANDIDATES)
    return found[0]
