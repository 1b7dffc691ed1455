"""Reading memories by id, and their relations."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.domain.ids import ID_CHARACTERS
from graph_memory.domain.inputs import Clocks
from graph_memory.domain.models import Memory, Relation
from graph_memory.domain.readable import report_unreadable
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import instant, optional_instant
from graph_memory.engine import Engine
from graph_memory.errors import AmbiguousIdError, SchemaError
from graph_memory.settings.base import Settings

#: Characters of an id that are enough to look for the rest.
_PREFIX_CHARACTERS = 4

#: Ids that the error of an ambiguous beginning lists.
_CANDIDATES = 5


@dataclass(frozen=True, slots=True)
class _Begun:
    """The ids that begin with a text."""

    prefix: str
    ids: list[str]


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


async def complete_ids(
    graphs: Sequence[Graph],
    given: Mapping[str, str],
    *,
    group_id: str | None,
    statement: str = "memories/read/ids",
) -> dict[str, str]:
    """Return the ids of a group that begin with the given texts, in any state.

    A whole id is returned without a query, and an unknown or short one as it is.

    Args:
        graphs: The databases that may have them.
        given: Beginnings of ids, by the names of their arguments.
        group_id: The tenant; None for all, if the statement allows it.
        statement: The statement that finds ids by their beginnings; by default those of memories.

    Raises:
        AmbiguousIdError: Several ids begin with a text, and none is that text.
    """
    sought = {each for each in given.values() if _PREFIX_CHARACTERS <= len(each) < ID_CHARACTERS}
    if not sought:
        return dict(given)
    found: dict[str, set[str]] = {}
    for graph in graphs:
        for row in await graph.rows(
            statement,
            _Begun,
            group_id=group_id,
            prefixes=sorted(sought),
            limit=_CANDIDATES + 1,
        ):
            found.setdefault(row.prefix, set()).update(row.ids)
    return {name: _only(name, each, sorted(found.get(each, ()))) for name, each in given.items()}


def _only(name: str, given: str, found: Sequence[str]) -> str:
    """Return the id that a text is, or the only one that it begins."""
    if given in found or not found:
        return given
    if len(found) > 1:
        more = len(found) > _CANDIDATES
        raise AmbiguousIdError(given, found[:_CANDIDATES], more=more, argument=name)
    return found[0]
