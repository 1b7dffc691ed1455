"""The copies of memories that imports have made, in all groups."""

from collections.abc import Sequence
from dataclasses import dataclass

from graph_memory.context import Context
from graph_memory.diagnostics.erasure_places import NAMED
from graph_memory.domain.receipts import SearchedPlace
from graph_memory.errors import GraphUnavailableError

PLACE = "copies by imports"

#: Ids that one statement reads.
_PORTION = 500


@dataclass(frozen=True, slots=True)
class CopiedMemory:
    """A memory that an import made from another one."""

    memory_id: str
    group_id: str

    def __str__(self) -> str:
        """Return the group and the id."""
        return f"{self.group_id}/{self.memory_id}"


@dataclass(frozen=True, slots=True)
class _Found:
    memory_id: str
    group_id: str
    copied_from: str | None
    hashes: list[str]


async def of_memories(
    context: Context, group_id: str, memory_ids: Sequence[str]
) -> list[CopiedMemory]:
    """List the copies of memories in all groups, each after the memory that it was made from.

    Copies of copies count as well. A memory with an equal text that was stored on its own is not a
    copy.

    Raises:
        GraphUnavailableError: A server does not answer.
    """
    originals = [CopiedMemory(each, group_id) for each in dict.fromkeys(memory_ids)]
    found, waiting = dict.fromkeys(originals), list(originals)
    while waiting:
        portion, waiting = waiting[:_PORTION], waiting[_PORTION:]
        new = [each for each in await _made_from(context, portion) if each not in found]
        found |= dict.fromkeys(new)
        waiting += new
    return list(found)[len(originals) :]


async def _made_from(context: Context, given: Sequence[CopiedMemory]) -> list[CopiedMemory]:
    """Return the memories of all servers that were made from the given ones, and these."""
    sought, ids = frozenset(given), [each.memory_id for each in given]
    rows = [
        row
        for graph in context.whole.servers
        for row in await graph.rows("diagnostics/erasure_copies/find", _Found, memory_ids=ids)
    ]
    copies = [(row, CopiedMemory(row.memory_id, row.group_id)) for row in rows]
    own = {row.memory_id: set(row.hashes) for row, each in copies if each in sought}
    return [
        each
        for row, each in copies
        if row.copied_from or not own.get(row.memory_id, set()).isdisjoint(row.hashes)
    ]


async def place(context: Context, group_id: str, memory_ids: Sequence[str]) -> SearchedPlace:
    """Return the copies of memories as a place of a receipt, for a caller of all groups."""
    if context.grant.groups is not None:
        return SearchedPlace(PLACE, why="not searched: the caller is not for all groups")
    try:
        found = await of_memories(context, group_id, memory_ids)
    except GraphUnavailableError as error:
        return SearchedPlace(PLACE, why=f"not searched: {error}")
    if not found:
        return SearchedPlace(PLACE)
    count, named = len(found), tuple(map(str, found[:NAMED]))
    why = "an import made them from the erased, and each group decides for itself"
    until = "they are erased; `--copies` erases them with the original"
    return SearchedPlace(PLACE, count, 0, count, 0, why, until, named)
