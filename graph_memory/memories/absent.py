"""The reason why a read does not return a memory: deleted, not yet true, or not yet stored."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from graph_memory.database.graph import Graph
from graph_memory.domain.inputs import Clocks
from graph_memory.domain.timestamps import Instant, instant
from graph_memory.errors import NotFoundError
from graph_memory.wording import argument, operation


@dataclass(frozen=True, slots=True)
class _Absent:
    memory_id: str
    purged: bool
    soft_deleted_at: Instant | None
    valid_at: Instant | None
    invalid_at: Instant | None
    created_at: datetime | None

    def reason(self, clocks: Clocks) -> str | None:
        """Return the reason as a predicate with a remedy; None if it is unknown."""
        as_of, known_at = clocks.as_of, clocks.known_at
        if known_at and self.created_at and self.created_at > known_at:
            return _later("was stored at", "known_at", self.created_at)
        if self.soft_deleted_at and not (known_at and known_at < self.soft_deleted_at):
            return self._deletion()
        if as_of and self.valid_at and self.valid_at > as_of:
            return _later("is true only from", "as_of", self.valid_at)
        if (as_of or known_at) and self.invalid_at:
            return (
                f"was true until {instant(self.invalid_at)}; give {argument('as_of')} before "
                "that, or omit it"
            )
        return f"was deleted then; give another {argument('known_at')}" if known_at else None

    def _deletion(self) -> str:
        at = instant(self.soft_deleted_at) if self.soft_deleted_at else "an unknown time"
        if self.purged:
            return f"was deleted at {at}, permanently; import it from an export or a backup"
        return (
            f"was deleted at {at}; {operation('recover')} restores it during the days of "
            "GRAPH_MEMORY_SOFT_DELETE_RETENTION_DAYS"
        )


async def not_found(
    graph: Graph,
    group_id: str,
    *memory_ids: str,
    clocks: Clocks = Clocks(),  # noqa: B008 - immutable
) -> NotFoundError:
    """Return the error for memories that a read with these clocks did not find, with the reason.

    Args:
        graph: The database.
        group_id: The tenant.
        memory_ids: Ids of at least one memory; the reason is given for a single one.
        clocks: The instants of the read.
    """
    first, *others = memory_ids
    if others:
        return NotFoundError(", ".join(memory_ids), group_id)
    return (await each_not_found(graph, group_id, [first], clocks))[first]


async def each_not_found(
    graph: Graph,
    group_id: str,
    memory_ids: Collection[str],
    clocks: Clocks = Clocks(),  # noqa: B008 - immutable
) -> dict[str, NotFoundError]:
    """Return the error for each of several memories by its id, like `not_found`."""
    if not memory_ids:
        return {}
    found = await graph.rows(
        "memories/absent/reason", _Absent, group_id=group_id, memory_ids=list(memory_ids)
    )
    reasons = {absent.memory_id: absent.reason(clocks) for absent in reversed(found)}
    return {id_: NotFoundError(id_, group_id, reasons.get(id_)) for id_ in memory_ids}


def _later(what: str, clock: str, since: datetime) -> str:
    at = instant(since)
    return f"{what} {at}; give {argument(clock)} from then on, or omit it"
