"""Tombstones: the statements that are refused, because they were rejected or erased."""

from typing import Annotated

from pydantic import Field

from graph_memory.context import Context
from graph_memory.domain.inputs import Line, validate_value
from graph_memory.memories import tombstones
from graph_memory.memories.tombstones import Tombstone

TombstoneLimit = Annotated[int, Field(ge=1, le=10_000)]


class TombstonesApi:
    """The tombstones of a `GraphMemory`: `memory.tombstones`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def list(self, *, limit: int = 1000, group_id: str | None = None) -> list[Tombstone]:
        """List the tombstones of a group, the latest first; they hold no text.

        Args:
            limit: Maximum number of tombstones, 1 to 10,000.
            group_id: The tenant.
        """
        return await tombstones.list_all(
            self._context.graph,
            self._context.group(group_id),
            validate_value(TombstoneLimit, limit, "limit"),
        )

    async def lift(self, tombstone_id: str, *, group_id: str | None = None) -> Tombstone:
        """Allow a statement again, and return its former tombstone.

        Args:
            tombstone_id: The id, from `list` or from the error that refused the statement, or its
                beginning.
            group_id: The tenant.

        Raises:
            AmbiguousIdError: Several tombstones have ids that begin so.
            TombstoneNotFoundError: The group has no such tombstone.
        """
        return await tombstones.lift(
            self._context.graph,
            self._context.group(group_id),
            validate_value(Line, tombstone_id, "tombstone_id"),
        )
