"""Permanent deletion with a receipt, and the check of receipts."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from graph_memory.backup.archives import RewrittenBackup
from graph_memory.context import Context
from graph_memory.diagnostics import erasure, erasure_check
from graph_memory.diagnostics.erasure_check import VerifiedErasure
from graph_memory.domain.inputs import Line, MemoryId, validate_value
from graph_memory.domain.receipts import Receipt, receipt_of
from graph_memory.errors import InvalidArgumentError
from graph_memory.memories.standing import require_standing
from graph_memory.wording import argument

Ids = Annotated[tuple[MemoryId, ...], Field(min_length=1, max_length=100_000)]


class ErasureApi:
    """The proved deletions of a `GraphMemory`: `memory.erasure`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def erase(
        self,
        memory_ids: Sequence[str] | None = None,
        *,
        conversation_id: str | None = None,
        group_id: str | None = None,
    ) -> Receipt:
        """Delete memories beyond recovery, search every place again, and return a signed receipt.

        The receipt names each place with what was found, removed and remains, why, and until when.
        It contains no erased text. Backups stay as they are; see `prune_backups`.

        Args:
            memory_ids: The memories; those that the group does not have are left out.
            conversation_id: In their place: all memories of a conversation.
            group_id: The tenant.

        Raises:
            InvalidArgumentError: Neither or both of `memory_ids` and `conversation_id` are given,
                or the conversation has no memories.
            NotFoundError: The group has none of the memories.
        """
        scope = self._context.scope(group_id)
        if (memory_ids is None) == (conversation_id is None):
            rule = f"give either it or {argument('conversation_id')}"
            raise InvalidArgumentError("memory_ids", memory_ids, rule)
        if memory_ids is not None:
            given = validate_value(Ids, tuple(memory_ids), "memory_ids")
            await require_standing(self._context.engine, scope, given)
            return await erasure.erase(self._context, scope, given)
        conversation = validate_value(Line, conversation_id or "", "conversation_id")
        found = await erasure.of_conversation(self._context.graph, scope.group_id, conversation)
        if not found:
            rule = "the group has no memories of this conversation"
            raise InvalidArgumentError("conversation_id", conversation, rule)
        await require_standing(self._context.engine, scope, found)
        return await erasure.erase(self._context, scope, found, "conversation")

    async def verify(
        self, receipt: Receipt | str, *, words: Sequence[str] = (), store: Path | None = None
    ) -> VerifiedErasure:
        """Check the signature of a receipt, and search the graph and all backups again.

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

        A backup that holds none of them stays as it is. Each rewritten one has been read back.

        Raises:
            BackupError: A backup is damaged, or its folder cannot be written.
            ForbiddenError: The caller's grant is not for all groups.
        """
        self._context.grant.require_every_group("rewriting backups")
        return await erasure.rewrite_backups(self._context)
