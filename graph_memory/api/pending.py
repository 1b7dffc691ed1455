"""Writes that wait for a review: list, accept and reject them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from graph_memory.api.episodes import EpisodesApi, NewEpisode
from graph_memory.auth.grants import Scope
from graph_memory.context import Context
from graph_memory.domain.inputs import (
    Line,
    MemoryChanges,
    MemoryId,
    NewMemory,
    validate,
    validate_selection,
    validate_value,
)
from graph_memory.domain.scope import CallScope
from graph_memory.errors import DuplicateError, GraphMemoryError
from graph_memory.memories import pending, update
from graph_memory.memories.add import add_many
from graph_memory.memories.pending import PendingWrite, Reviewed, ReviewRefusal, StoredWrite

PendingLimit = Annotated[int, Field(ge=1, le=1000)]

#: Writes that one decision without ids is about, at most.
_ALL = 100_000


@dataclass(frozen=True, slots=True)
class PendingWrites:
    """Writes that wait for a review, the earliest first, and the number of all."""

    writes: list[PendingWrite]
    total: int


class PendingApi:
    """The writes of a `GraphMemory` that wait for a review: `memory.pending`."""

    def __init__(self, context: Context, episodes: EpisodesApi) -> None:
        self._context = context
        self._episodes = episodes

    async def list(self, *, limit: int = 50, group_id: str | None = None) -> PendingWrites:
        """List the writes that wait for a review, the earliest first, and count all.

        Args:
            limit: Maximum number of writes, 1 to 1,000.
            group_id: The tenant.
        """
        graph, group = self._context.graph, self._context.group(group_id)
        most = validate_value(PendingLimit, limit, "limit")
        found = await pending.waiting(graph, group, None, most)
        total = await pending.count(graph, group)
        return PendingWrites([each.waiting() for each in found], total)

    async def accept(
        self, pending_ids: Sequence[str] | None = None, *, group_id: str | None = None
    ) -> Reviewed:
        """Carry out writes that wait, each with its own origin and authority.

        A write that fails stays, unless its content is stored already.

        Args:
            pending_ids: The writes, at least one; None for all.
            group_id: The tenant.

        Raises:
            ForbiddenError: The caller's grant has not the scope admin.
        """
        scope, writes = await self._chosen(pending_ids, group_id)
        reviewed = Reviewed()
        for write in writes:
            gone = True
            try:
                await self._carry_out(replace(scope, origin=write.origin), write)
                reviewed.done.append(write.pending_id)
            except GraphMemoryError as error:
                gone = isinstance(error, DuplicateError)
                reviewed.refusals.append(ReviewRefusal(write.pending_id, str(error)))
            if gone:
                await pending.drop(self._context.graph, scope.group_id, [write.pending_id])
        return reviewed

    async def reject(
        self,
        pending_ids: Sequence[str] | None = None,
        *,
        reason: str | None = None,
        group_id: str | None = None,
    ) -> Reviewed:
        """Delete writes that wait, and leave tombstones: the statements are refused from then on.

        Args:
            pending_ids: The writes, at least one; None for all.
            reason: The reason, for those whose writes are refused later.
            group_id: The tenant.

        Raises:
            ForbiddenError: The caller's grant has not the scope admin.
        """
        note = None if reason is None else validate_value(Line, reason, "reason")
        scope, writes = await self._chosen(pending_ids, group_id)
        return Reviewed(await pending.reject(self._context.engine, scope, writes, note))

    async def _chosen(
        self, pending_ids: Sequence[str] | None, group_id: str | None
    ) -> tuple[CallScope, Sequence[StoredWrite]]:
        """Return the scope of a decision, and its writes."""
        self._context.grant.require(Scope.ADMIN)
        given = validate_selection(MemoryId, pending_ids, "pending_ids")
        scope = self._context.scope(group_id)
        return scope, await pending.waiting(self._context.graph, scope.group_id, given, _ALL)

    async def _carry_out(self, scope: CallScope, write: StoredWrite) -> None:
        context, arguments = self._context, write.arguments_json
        if write.kind == "update":
            changes = validate(MemoryChanges, arguments)
            await update.update(
                context.engine, scope, write.memory_id or "", changes, reviewed=True
            )
        elif write.kind == "episode":
            await self._episodes.admit(validate(NewEpisode, arguments), scope.group_id)
        else:
            await self._add(scope, write)

    async def _add(self, scope: CallScope, write: StoredWrite) -> None:
        context, memory = self._context, validate(NewMemory, write.arguments_json)
        await context.require_vectors()
        (result,) = await add_many(
            context.engine,
            scope,
            [
                replace(
                    memory,
                    memory_id=memory.memory_id or write.pending_id,
                    created_at=memory.created_at or write.created_at,
                )
            ],
            chat=context.chat if context.settings.classifies else None,
            reviewed=True,
        )
        if result.error:
            raise result.error
        context.on_saved(1)
