"""Writes that wait for a review: list, read, accept and reject them."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field

from graph_memory.api.arguments import AuthorityArgument
from graph_memory.api.episodes import EpisodesApi, NewEpisode
from graph_memory.auth.grants import Scope
from graph_memory.context import Context
from graph_memory.domain.batching import batched
from graph_memory.domain.inputs import (
    Line,
    MemoryChanges,
    MemoryId,
    NewMemory,
    validate,
    validate_selection,
    validate_value,
)
from graph_memory.domain.origin import Authority
from graph_memory.domain.scope import CallScope
from graph_memory.errors import DuplicateError, GraphMemoryError, InvalidArgumentError
from graph_memory.memories import pending, tombstones, update
from graph_memory.memories.add import add_many
from graph_memory.memories.pending import (
    Kind,
    PendingWrite,
    Reviewed,
    ReviewRefusal,
    StoredWrite,
    WriteChoice,
)

PendingLimit = Annotated[int, Field(ge=1, le=1000)]

#: Writes that are read, or rejected, at a time.
_BATCH = 100


@dataclass(frozen=True, slots=True)
class PendingWrites:
    """Writes that wait for a review, the earliest first, and the number of all that match."""

    writes: list[PendingWrite]
    total: int


class PendingApi:
    """The writes of a `GraphMemory` that wait for a review: `memory.pending`."""

    def __init__(self, context: Context, episodes: EpisodesApi) -> None:
        self._context = context
        self._episodes = episodes

    async def list(
        self,
        *,
        kinds: Sequence[Kind] | None = None,
        authorities: Sequence[AuthorityArgument] | None = None,
        ways: Sequence[str] | None = None,
        limit: int = 50,
        group_id: str | None = None,
    ) -> PendingWrites:
        """List the writes that wait for a review, the earliest first, and count all that match.

        Args:
            kinds: The kinds to list: `add`, `update`, `episode`; None for all.
            authorities: The authorities of the texts; None for all.
            ways: The tools or commands by which they came, such as `add_memory`; None for all.
            limit: Maximum number of writes, 1 to 1,000.
            group_id: The tenant.
        """
        graph, group = self._context.graph, self._context.group(group_id)
        choice = _choice(kinds, authorities, ways)
        most = validate_value(PendingLimit, limit, "limit")
        found = await pending.waiting(graph, group, choice, most)
        total = await pending.count(graph, group, choice)
        return PendingWrites([each.waiting() for each in found], total)

    async def ids(
        self,
        *,
        kinds: Sequence[Kind] | None = None,
        authorities: Sequence[AuthorityArgument] | None = None,
        ways: Sequence[str] | None = None,
        group_id: str | None = None,
    ) -> Sequence[str]:
        """Return the ids of all writes that wait, the earliest first; see `list`."""
        choice = _choice(kinds, authorities, ways)
        return await pending.ids(self._context.graph, self._context.group(group_id), choice)

    async def get(self, pending_id: str, *, group_id: str | None = None) -> PendingWrite:
        """Return a write that waits for a review.

        Raises:
            InvalidArgumentError: The group has no such write, or it was decided.
        """
        given = validate_value(MemoryId, pending_id, "pending_id")
        found = await pending.named(self._context.graph, self._context.group(group_id), [given])
        if not found:
            rule = "no such write waits in the group; list them first"
            raise InvalidArgumentError("pending_id", given, rule)
        return found[0].waiting()

    async def accept(
        self,
        pending_ids: Sequence[str] | None = None,
        *,
        kinds: Sequence[Kind] | None = None,
        authorities: Sequence[AuthorityArgument] | None = None,
        ways: Sequence[str] | None = None,
        group_id: str | None = None,
    ) -> Reviewed:
        """Carry out writes that wait, each with its own origin and authority.

        A write that fails stays, unless its content is stored already. A cancellation takes effect
        between two writes.

        Args:
            pending_ids: The writes, at least one; None for all that match the other arguments.
            kinds: The kinds to accept; None for all.
            authorities: The authorities of the texts; None for all.
            ways: The tools or commands by which they came; None for all.
            group_id: The tenant.

        Raises:
            ForbiddenError: The caller's grant has not the scope admin.
            InvalidArgumentError: Ids are given together with another argument.
        """
        reviewed = Reviewed()
        choice = _choice(kinds, authorities, ways)
        scope, chosen = await self._chosen(pending_ids, choice, group_id)
        for batch in batched(chosen, _BATCH):
            for write in await pending.named(self._context.graph, scope.group_id, batch):
                await _whole(self._accept(scope, write, reviewed))
        return reviewed

    async def reject(
        self,
        pending_ids: Sequence[str] | None = None,
        *,
        kinds: Sequence[Kind] | None = None,
        authorities: Sequence[AuthorityArgument] | None = None,
        ways: Sequence[str] | None = None,
        reason: str | None = None,
        group_id: str | None = None,
    ) -> Reviewed:
        """Delete writes that wait, and leave tombstones: the statements are refused from then on.

        Args:
            pending_ids: The writes, at least one; None for all that match the other arguments.
            kinds: The kinds to reject; None for all.
            authorities: The authorities of the texts; None for all.
            ways: The tools or commands by which they came; None for all.
            reason: The reason, for those whose writes are refused later.
            group_id: The tenant.

        Raises:
            ForbiddenError: The caller's grant has not the scope admin.
            InvalidArgumentError: Ids are given together with another argument.
        """
        note = None if reason is None else validate_value(Line, reason, "reason")
        reviewed, engine = Reviewed(), self._context.engine
        choice = _choice(kinds, authorities, ways)
        scope, chosen = await self._chosen(pending_ids, choice, group_id)
        for batch in batched(chosen, _BATCH):
            writes = await pending.named(self._context.graph, scope.group_id, batch)
            reviewed.done += await pending.reject(engine, scope, writes, note)
        return reviewed

    async def _chosen(
        self, pending_ids: Sequence[str] | None, choice: WriteChoice, group_id: str | None
    ) -> tuple[CallScope, Sequence[str]]:
        """Return the scope of a decision, and the ids of its writes."""
        self._context.grant.require(Scope.ADMIN)
        given = validate_selection(MemoryId, pending_ids, "pending_ids")
        scope = self._context.scope(group_id)
        if given is None:
            return scope, await pending.ids(self._context.graph, scope.group_id, choice)
        if choice != WriteChoice():
            rule = "give ids, or choose by kind, authority and way in, but not both"
            raise InvalidArgumentError("pending_ids", given, rule)
        return scope, given

    async def _accept(self, scope: CallScope, write: StoredWrite, reviewed: Reviewed) -> None:
        """Carry out a write, note the result, and delete the write unless it failed.

        Values of slots that it states wait no more, so an accepted episode is read as a whole.
        """
        try:
            await self._carry_out(replace(scope, origin=write.origin), write)
            await tombstones.allow_values(self._context.engine, scope.group_id, write.content)
            reviewed.done.append(write.pending_id)
        except GraphMemoryError as error:
            reviewed.refusals.append(ReviewRefusal(write.pending_id, str(error)))
            if not isinstance(error, DuplicateError):
                return
        await pending.drop(self._context.graph, scope.group_id, [write.pending_id])

    async def _carry_out(self, scope: CallScope, write: StoredWrite) -> None:
        context, arguments = self._context, write.arguments_json
        if write.kind == "update":
            changes = validate(MemoryChanges, arguments)
            await update.update(
                context.engine, scope, write.memory_id or "", changes, reviewed=True
            )
        elif write.kind == "episode":
            await self._episodes.admit(validate(NewEpisode, arguments), scope)
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
        context.on_saved(1, scope.group_id)


def _choice(
    kinds: Sequence[Any] | None, authorities: Sequence[Any] | None, ways: Sequence[str] | None
) -> WriteChoice:
    selected: Any = validate_selection(Kind, kinds, "kinds")
    ranks: Any = validate_selection(Authority, authorities, "authorities")
    return WriteChoice(selected, ranks, validate_selection(Line, ways, "ways"))


async def _whole(work: Coroutine[Any, Any, None]) -> None:
    """Run `work` to its end; a cancellation takes effect after it."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
