"""The methods of a `GraphMemory` for single memories: store, read, change, delete."""

from collections.abc import Iterable, Mapping
from typing import Any, Unpack, get_args

from graph_memory.api.arguments import (
    ChangeArguments,
    ClockArguments,
    MemoryDetails,
    OnDuplicate,
)
from graph_memory.api.storing import store_many
from graph_memory.backup.create import create
from graph_memory.context import Context
from graph_memory.domain.inputs import (
    Clocks,
    MemoryChanges,
    MemoryId,
    NewMemory,
    validate,
    validate_value,
)
from graph_memory.domain.models import AddedMemory, Memory
from graph_memory.errors import (
    DuplicateError,
    GraphMemoryError,
    InvalidArgumentError,
)
from graph_memory.memories import read
from graph_memory.memories import update as revise
from graph_memory.memories.absent import not_found
from graph_memory.memories.access import Touched, record_accesses
from graph_memory.memories.add import AddResult
from graph_memory.memories.update import Deleted, DeletedAll


class MemoriesApi:
    """The methods of a `GraphMemory` for single memories.

    Attributes:
        context: Resources that all parts share: database, models, settings, clock and grant.
    """

    context: Context

    async def add(
        self,
        content: NewMemory | str,
        *,
        on_duplicate: OnDuplicate = "raise",
        group_id: str | None = None,
        **details: Unpack[MemoryDetails],
    ) -> AddedMemory:
        """Store a memory and return it, with the earlier memories that it may contradict.

        Secrets in its content are masked or refused; the setting `secrets` decides.

        Args:
            content: The text, or a `NewMemory` with all details.
            on_duplicate: `raise` an error for content that is stored already, or `return` the
                stored memory.
            group_id: The tenant.
            details: The other fields of `NewMemory`.

        Raises:
            DuplicateError: The content is stored already; `existing_id` is the memory's id.
            LimitExceededError: The content is longer than `settings.max_content_characters`.
            LinkError: The memory is stored under `stored_id`, but its parent or the target of a
                relation does not exist.
        """
        if on_duplicate not in get_args(OnDuplicate):
            raise InvalidArgumentError("on_duplicate", on_duplicate, "it is 'raise' or 'return'")
        given: NewMemory | Mapping[str, Any] = {"content": content, **details}
        if isinstance(content, NewMemory):
            for name, value in details.items():
                raise InvalidArgumentError(name, value, "set it in the NewMemory")
            given, group_id = content, content.group_id or group_id
        (outcome,) = await self.add_many([given], group_id=group_id, compare=True)
        memory_id = outcome.memory_id
        if isinstance(outcome.error, DuplicateError) and on_duplicate == "return":
            memory_id = outcome.error.existing_id
        elif error := outcome.error or outcome.link_error:
            raise error
        if not memory_id:
            raise GraphMemoryError("The memory was not stored.")
        stored = await self.context.read_memory(self.context.scope(group_id), memory_id)
        return AddedMemory.of(stored, outcome.possible_conflicts, outcome.masked)

    async def add_many(
        self,
        memories: Iterable[NewMemory | Mapping[str, Any]],
        *,
        compare: bool = False,
        group_id: str | None = None,
    ) -> list[AddResult]:
        """Store many memories in a few round trips; a refused memory does not stop the others.

        Args:
            memories: Objects, or mappings with the fields of `NewMemory`.
            compare: True to list the possible conflicts of each with the memories that were stored
                before the call, as `add` does.
            group_id: The tenant of memories without a group of their own.

        Returns:
            One result per memory, in the order given: its id, or the error. The `link_error` of a
            stored memory names a parent or targets of relations that do not exist.

        Raises:
            LimitExceededError: There are more than `settings.max_batch`; none is stored.
        """
        return await store_many(self.context, list(memories), group_id, compare=compare)

    async def get(
        self,
        memory_id: str,
        *,
        counted: bool = True,
        session_id: str | None = None,
        group_id: str | None = None,
        **clocks: Unpack[ClockArguments],
    ) -> Memory:
        """Fetch a memory.

        Args:
            memory_id: The id of the memory.
            counted: True to count an access; a read of the past never counts.
            session_id: The session of the conversation that uses the memory, if the read counts.
                Relations between memories that one conversation uses become stronger.
            group_id: The tenant.
            clocks: `as_of`: only if the memory was true in the world at this instant; `known_at`:
                only if the graph knew it at this instant, with the text of that time.

        Raises:
            NotFoundError: The group has no such memory, or had none at the instants of `clocks`.
        """
        past, scope = validate(Clocks, clocks), self.context.scope(group_id)
        memory = await self.context.read_memory(scope, memory_id, past)
        if counted and not (past.as_of or past.known_at):
            self.context.note_use(scope, memory.memory_id, session_id)
            self.context.count_accesses(scope, [memory_id])
        return memory

    async def update(
        self, memory_id: str, *, group_id: str | None = None, **changes: Unpack[ChangeArguments]
    ) -> tuple[Memory, bool]:
        """Change a memory; its previous text is kept as a version.

        Args:
            memory_id: The id of the memory.
            group_id: The tenant.
            changes: The fields of `MemoryChanges`, at least one; None leaves a field as it is, and
                `clear` lists the fields to empty. With `supersede_part`, exact words that stand
                once in the stored content, `content` replaces only these words; without `content`
                they are dropped.

        Returns:
            The changed memory, and True if its vector was computed again.

        Raises:
            DuplicateError: Another memory has the new content.
            InvalidArgumentError: A field is both changed and cleared, the parent is the memory
                itself or below it, or the words of `supersede_part` are not in the content, stand
                there several times, or are all of it.
            NotFoundError: The group has no such memory, or no such parent.
        """
        await self.context.require_vectors()
        return await revise.update(
            self.context.engine,
            self.context.scope(group_id),
            validate_value(MemoryId, memory_id, "memory_id"),
            validate(MemoryChanges, changes),
        )

    async def delete(
        self,
        memory_id: str,
        *,
        permanent: bool = False,
        tombstone: bool = True,
        group_id: str | None = None,
    ) -> Deleted:
        """Delete a memory.

        Args:
            memory_id: The id of the memory.
            permanent: False to allow a recovery for `settings.soft_delete_retention_days`.
            tombstone: False to let the statement be stored again after a permanent deletion.
            group_id: The tenant.

        Raises:
            NotFoundError: The group has no such memory.
        """
        return await revise.delete(
            self.context.engine,
            self.context.scope(group_id),
            validate_value(MemoryId, memory_id, "memory_id"),
            permanent=permanent,
            tombstone=tombstone,
        )

    async def delete_all(
        self,
        *,
        confirm: str,
        permanent: bool = False,
        backed_up: bool = False,
        group_id: str | None = None,
    ) -> DeletedAll:
        """Delete every memory of the group.

        Args:
            confirm: The text 'DELETE ALL'.
            permanent: True to erase the memories, with the sessions and episodes of the group,
                beyond recovery.
            backed_up: True to back up the whole database first.
            group_id: The tenant.

        Returns:
            The number of memories, and the path of the backup.

        Raises:
            ConfirmationRequiredError: `confirm` is another text.
            BackupError: The backup cannot be written; nothing is deleted.
        """
        scope = self.context.scope(group_id)
        revise.require_confirmation(confirm, scope.group_id)
        await self.context.session_store.flush()  # no session is to be stored after
        path = None
        if backed_up:
            context = self.context.of(scope.group_id)
            path = (await create(context.graph, context.settings)).backup_path
        deleted = await revise.delete_all(
            self.context.engine, scope, confirm=confirm, permanent=permanent
        )
        return DeletedAll(deleted, path)

    async def touch(
        self, memory_id: str, *, session_id: str | None = None, group_id: str | None = None
    ) -> Touched:
        """Count an access to a memory, which resets its decay, and return its state.

        It wakes a DORMANT or ARCHIVED memory, but not an EXPIRED one; the answer has a hint then.

        Args:
            memory_id: The id of the memory.
            session_id: The session of the conversation that uses the memory. Relations between
                memories that one conversation uses become stronger.
            group_id: The tenant.

        Raises:
            NotFoundError: The group has no such memory.
        """
        scope = self.context.scope(group_id)
        given = validate_value(MemoryId, memory_id, "memory_id")
        touched = await record_accesses(self.context.engine, scope, {given: 1})
        if not touched:
            raise await not_found(self.context.graph, scope.group_id, given)
        self.context.note_use(scope, given, session_id)
        return touched[0]

    async def complete_id(self, given: str, *, group_id: str | None = None) -> str:
        """Return the only memory id that begins with `given`, from four characters on.

        A whole id needs no query. An unknown one is returned as it is.

        Raises:
            AmbiguousIdError: Several ids begin with it; the error lists them.
        """
        return (await self.complete_ids({"memory_id": given}, group_id=group_id))["memory_id"]

    async def complete_ids(
        self, given: Mapping[str, str], *, group_id: str | None = None
    ) -> dict[str, str]:
        """Return the memory ids that begin with texts like `complete_id`, in one query.

        Args:
            given: Beginnings of ids, by the names that an error uses for them.
            group_id: The tenant.

        Raises:
            AmbiguousIdError: Several ids begin with one of them; the error lists them.
        """
        checked = {name: validate_value(MemoryId, each, name) for name, each in given.items()}
        return await read.complete_ids(
            [self.context.graph], checked, group_id=self.context.group(group_id)
        )
