"""Permanent deletion with a receipt, and the check of receipts."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from graph_memory.backup.archives import RewrittenBackup
from graph_memory.context import Context
from graph_memory.diagnostics import (
    erasure,
    erasure_backups,
    erasure_check,
    erasure_choice,
)
from graph_memory.diagnostics.erasure import Progress
from graph_memory.diagnostics.erasure_check import VerifiedErasure
from graph_memory.diagnostics.erasure_choice import NamedMemories
from graph_memory.domain.inputs import Line, MemoryId, validate_value
from graph_memory.domain.receipts import Receipt, receipt_of
from graph_memory.domain.scope import CallScope
from graph_memory.errors import ConfirmationRequiredError, InvalidArgumentError
from graph_memory.memories.standing import require_standing
from graph_memory.wording import argument

Ids = Annotated[tuple[MemoryId, ...], Field(min_length=1, max_length=100_000)]

#: What needs a grant for all groups.
_OF_COPIES = "an erasure of copies in other groups"


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The memories of an erasure, and how they were selected."""

    selected: str
    memory_ids: Sequence[str]
    names: Sequence[str] = ()


class ErasureApi:
    """The proved deletions of a `GraphMemory`: `memory.erasure`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def erase(
        self,
        memory_ids: Sequence[str] | None = None,
        *,
        conversation_id: str | None = None,
        name: str | None = None,
        confirm: str = "",
        copies: bool = False,
        group_id: str | None = None,
    ) -> Receipt:
        """Delete memories beyond recovery, search every place again, and return a signed receipt.

        The receipt names each place with what was found, removed and remains, why, and until when.
        It contains no erased text. Backups stay as they are; see `prune_backups`.

        Args:
            memory_ids: The memories; those that the group does not have are left out.
            conversation_id: In their place: all memories of a conversation.
            name: In their place: all memories with a name, such as a person's, and the name itself
                in questions, waiting writes and entities. See `of_name`.
            confirm: With `name`: `ERASE` and the number of these memories.
            copies: True to erase also the copies that imports have made from them in any group.
                The receipt has a receipt of each group in `copies`. If an error interrupts the
                call, call it again; the receipts of the copies erased so far are in the database.
            group_id: The tenant.

        Raises:
            ConfirmationRequiredError: `confirm` is not that of the memories with the name.
            ForbiddenError: With `copies`, the caller's grant is not for all groups.
            InvalidArgumentError: Not exactly one of `memory_ids`, `conversation_id` and `name` is
                given, or the group has no memories of the conversation or name.
            NotFoundError: The group has none of the memories.
        """
        scope = self._context.scope(group_id)
        if [memory_ids, conversation_id, name].count(None) != 2:
            others = f"{argument('conversation_id')} or {argument('name')}"
            raise InvalidArgumentError("memory_ids", memory_ids, f"give either it, {others}")
        if copies:
            self._context.grant.require_every_group(_OF_COPIES)
        if name is not None:
            chosen = await self._of_name(scope, name, confirm)
        elif conversation_id is not None:
            chosen = await self._of_conversation(scope, conversation_id)
        else:
            given = validate_value(Ids, tuple(memory_ids or ()), "memory_ids")
            chosen = _Chosen("memories", given)
        await require_standing(self._context.engine, scope, chosen.memory_ids)
        context = self._context.of(scope.group_id)
        return await erasure.erase(
            context, scope, chosen.memory_ids, chosen.selected, chosen.names, copies=copies
        )

    async def _of_conversation(self, scope: CallScope, conversation_id: str) -> _Chosen:
        conversation = validate_value(Line, conversation_id, "conversation_id")
        found = await erasure.of_conversation(self._context.graph, scope.group_id, conversation)
        if not found:
            rule = "the group has no memories of this conversation"
            raise InvalidArgumentError("conversation_id", conversation, rule)
        return _Chosen("conversation", found)

    async def _of_name(self, scope: CallScope, name: str, confirm: str) -> _Chosen:
        found = await self.of_name(name, group_id=scope.group_id)
        ids = [each.memory_id for each in found.memories]
        if not ids:
            rule = "no memory of the group has this name in a text; check the spelling"
            raise InvalidArgumentError("name", name, rule)
        if confirm != found.confirmation:
            doing = f"Erasing the memories with this name, {len(ids):,} in all,"
            raise ConfirmationRequiredError(doing, found.confirmation)
        return _Chosen("name", ids, found.names)

    async def of_name(self, name: str, *, group_id: str | None = None) -> NamedMemories:
        """List the memories that an erasure by a name deletes, deleted ones included.

        The words of the name must follow each other in a text, whatever their case and accents:
        `Anna Meier` is in "ANNA MEIER's" and in an address, and `Ann` is not in "Anna". Accepted
        aliases of the name count as well.

        Args:
            name: The name.
            group_id: The tenant.

        Raises:
            InvalidArgumentError: The name has no letter and no digit, or is too long.
        """
        given = validate_value(Line, name, "name")
        return await erasure_choice.of_name(
            self._context.graph, self._context.group(group_id), given
        )

    async def erase_all(
        self,
        *,
        confirm: str,
        on_progress: Progress = lambda done, of: None,
        copies: bool = False,
        group_id: str | None = None,
    ) -> Receipt:
        """Delete all that a group has beyond recovery, and return a signed receipt.

        That is its memories, sessions, waiting writes, proposals, feedback and tombstones. No
        backup is made first. If an error interrupts it, call it again: its receipt is of the rest.

        Args:
            confirm: The text 'DELETE ALL'.
            on_progress: Called with the number of memories since the last call, and of all.
            copies: True to erase also the copies that imports have made in other groups.
            group_id: The tenant.

        Raises:
            ConfirmationRequiredError: `confirm` is another text.
            ForbiddenError: The caller's texts wait for a review, or with `copies`, its grant is not
                for all groups.
        """
        scope = self._context.scope(group_id)
        if copies:
            self._context.grant.require_every_group(_OF_COPIES)
        context = self._context.of(scope.group_id)
        return await erasure.erase_all(context, scope, confirm, on_progress, copies=copies)

    async def verify(
        self, receipt: Receipt | str, *, words: Sequence[str] = (), store: Path | None = None
    ) -> VerifiedErasure:
        """Check the signature of a receipt, and search the graph and all backups again.

        The receipts of copies in it are checked as well, each in its group.

        Args:
            receipt: The receipt, or its JSON.
            words: Erased words in clear, which are searched for besides the receipt's digests.
            store: Folder with the files of a database, in which `words` are searched. Texts of up
                to about 25 characters are packed there, and are not found.

        Raises:
            ForbiddenError: The caller's grant does not include the group, or all groups.
            InvalidArgumentError: The receipt cannot be read, or `store` is not a folder, or is
                given without `words`.
        """
        given = receipt_of(receipt) if isinstance(receipt, str) else receipt
        self._context.group(given.group_id)
        self._context.grant.require_every_group("a search in backups")
        return await erasure_check.verify(self._context, given, words, store)

    async def prune_backups(self) -> list[RewrittenBackup]:
        """Rewrite the backups without the memories that were erased with a receipt.

        From waiting writes, queued episodes, lessons, sessions and facts the erased words and names
        go as well. A backup without these memories stays as it is. Each rewritten one has been
        read back.

        Raises:
            BackupError: A backup is damaged, or its folder cannot be written.
            ForbiddenError: The caller's grant is not for all groups.
        """
        self._context.grant.require_every_group("rewriting backups")
        servers = self._context.servers
        return [
            one for each in servers for one in await erasure_backups.rewrite_backups(each, servers)
        ]
