"""A session of the OpenAI Agents SDK on a `GraphMemory`; needs the extra `openai-agents`.

Each item of the session is a memory of the type `conversation` that does not fade. Its content is
the session, the position and the item as JSON, so that no item is lost to deduplication.
"""

import asyncio
import hashlib
import json
import uuid
from typing import Any, cast

from agents.items import TResponseInputItem
from agents.memory import SessionABC, SessionSettings

from graph_memory.api.service import GraphMemory
from graph_memory.domain.models import Memory, MemoryType
from graph_memory.errors import GraphMemoryError, InvalidArgumentError

#: The id of a memory is made of its group, session and position, within these names.
_IDS = uuid.UUID("0d0b3e0a-52f1-4c83-8a3a-6f4e6f0b7c55")

_MOST = 50


class GraphMemorySession(SessionABC):
    """The history of one conversation, for `Runner.run(..., session=session)`.

    async with GraphMemory.open() as memory:
        session = GraphMemorySession("chat1", memory, group_id="chats")
        result = await Runner.run(agent, "What does Ada drink?", session=session)

    The history is raw: give it a group of its own, so that searches of other memories stay clean.
    """

    def __init__(
        self,
        session_id: str,
        memory: GraphMemory,
        *,
        group_id: str | None = None,
        session_settings: SessionSettings | None = None,
    ) -> None:
        """Use a service that is open.

        Args:
            session_id: The conversation.
            memory: The service; the caller closes it.
            group_id: The tenant; None for the default.
            session_settings: The SDK's defaults, such as the number of items to read.
        """
        self.session_id = session_id
        self.session_settings = session_settings
        self._memory = memory
        self._group = memory.group(group_id)
        digest = hashlib.sha256(session_id.encode()).hexdigest()[:32]
        self._tag = f"openai-agents-{digest}"
        self._writing = asyncio.Lock()

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items in their order; with a limit, the latest ones."""
        if limit is None and self.session_settings:
            limit = self.session_settings.limit
        stored = await self._stored()
        chosen = stored if limit is None else stored[len(stored) - max(0, limit) :]
        return [_item(memory) for memory in chosen]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Append items.

        Raises:
            GraphMemoryError: An item could not be stored, such as one that is too long.
        """
        async with self._writing:
            given = list(items)
            while given:
                given = await self._append(given)

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the last item and return it; None for an empty session."""
        async with self._writing:
            stored = await self._stored()
            if not stored:
                return None
            await self._delete(stored[-1])
            return _item(stored[-1])

    async def clear_session(self) -> None:
        """Remove all items."""
        async with self._writing:
            for memory in await self._stored():
                await self._delete(memory)

    async def _append(self, items: list[TResponseInputItem]) -> list[TResponseInputItem]:
        """Store items after the last one; return those whose place another writer took."""
        stored = await self._stored()
        first = _position(stored[-1]) + 1 if stored else 0
        new = [self._new(first + after, item) for after, item in enumerate(items)]
        results = await self._memory.add_many(new, group_id=self._group)
        errors = [result.error for result in results]
        for error in errors:
            if error and not _is_taken(error):
                raise error
        return [item for item, error in zip(items, errors, strict=True) if error]

    def _new(self, position: int, item: TResponseInputItem) -> dict[str, Any]:
        text = json.dumps(item, ensure_ascii=False)
        name = json.dumps([self._group, self.session_id, position])
        return {
            "content": f"{self.session_id} {position}\n{text}",
            "memory_id": str(uuid.uuid5(_IDS, name)),
            "memory_type": MemoryType.CONVERSATION,
            "metadata": {"session": self.session_id, "position": position},
            "tags": [self._tag],
            "importance": self._memory.settings.importance_default,
            "decay_policy": "none",
        }

    async def _stored(self) -> list[Memory]:
        """Return the memories of the session in the order of their positions."""
        found: list[Memory] = []
        cursor = None
        while True:
            page = await self._memory.list(
                sort="created_at",
                limit=_MOST,
                cursor=cursor,
                tags=[self._tag],
                group_id=self._group,
            )
            found += page.memories
            cursor = page.next_cursor
            if cursor is None:
                return sorted(found, key=_position)

    async def _delete(self, memory: Memory) -> None:
        await self._memory.delete(
            memory.memory_id, permanent=True, tombstone=False, group_id=self._group
        )


def _position(memory: Memory) -> int:
    return int(memory.metadata["position"])


def _item(memory: Memory) -> TResponseInputItem:
    """Return the item in a content, which begins with a line for its place."""
    session: str = memory.metadata["session"]
    place = f"{session} {_position(memory)}\n"
    return cast(TResponseInputItem, json.loads(memory.content.removeprefix(place)))


def _is_taken(error: GraphMemoryError) -> bool:
    return isinstance(error, InvalidArgumentError) and error.argument == "memory_id"
