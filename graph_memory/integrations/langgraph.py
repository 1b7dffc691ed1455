"""LangGraph's `BaseStore` on a `GraphMemory`; needs the extra `langgraph`.

An item is a memory: its metadata holds the namespace, the key and the value, its content the texts
of the value. An item without a time to live does not fade. An item with one is not returned after
that time, and fades by the policy adaptive, so that maintenance deletes it. Reads count no access:
LangGraph's own rule decides whether a read begins the time to live again.
"""

import asyncio
import hashlib
import json
import math
import operator
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    get_text_at_path,
    tokenize_path,
)

from graph_memory.api.service import GraphMemory
from graph_memory.domain.inputs import NewMemory
from graph_memory.domain.models import Memory
from graph_memory.errors import NotFoundError

Namespace = tuple[str, ...]

#: The id of a memory is made of its group, namespace and key, within these names.
_IDS = uuid.UUID("6f1c1d1e-7d3b-4f0a-9a4e-2b6a5d0c8e11")

_FIELD = "langgraph"
_IMPORTANCE = 5.0

#: Results of a search, and memories of a page of a list, at most.
_MOST = 50

_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}

#: The policy adaptive begins an item of importance 5 with the retention 0.5, and expires it below
#: 0.01. The rate per day is this number over the days to live, and at most 100.
_FALL = math.log(0.5 / 0.01)
_FASTEST = 100.0


class GraphMemoryStore(BaseStore):
    """A store of LangGraph whose items are memories of one group.

    async with GraphMemory.open() as memory:
        store = GraphMemoryStore(memory)
        await store.aput(("users", "ada"), "drink", {"text": "Ada prefers green tea"})
        found = await store.asearch(("users",), query="What does Ada drink?")

    The methods without `a` may be called from other threads than that of the event loop.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: GraphMemory,
        *,
        group_id: str | None = None,
        fields: Sequence[str] = ("$",),
        ttl: TTLConfig | None = None,
    ) -> None:
        """Use a service that is open; create the store inside its event loop.

        Args:
            memory: The service; the caller closes it.
            group_id: The tenant; None for the default.
            fields: Paths in a value whose texts are searched; `$` is the whole value.
            ttl: LangGraph's defaults of times to live, in minutes.
        """
        self._memory = memory
        self._group = memory.group(group_id)
        self._fields = fields
        self.ttl_config = ttl
        self._loop = asyncio.get_running_loop()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations from another thread than that of the event loop.

        Raises:
            RuntimeError: The thread is that of the event loop; use `abatch`.
        """
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            running = None
        if running is self._loop:
            raise RuntimeError("Inside the event loop, await the methods that begin with `a`.")
        return asyncio.run_coroutine_threadsafe(self.abatch(ops), self._loop).result()

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations: reads first, then writes; of several writes of a key, the last one."""
        given = list(ops)
        results: list[Result] = [await self._read(op) for op in given]
        writes = {(op.namespace, op.key): op for op in given if isinstance(op, PutOp)}
        for op in writes.values():
            await self._put(op)
        return results

    async def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            return await self._get(op)
        if isinstance(op, SearchOp):
            return await self._search(op)
        if isinstance(op, ListNamespacesOp):
            return await self._list_namespaces(op)
        return None

    async def _get(self, op: GetOp) -> Item | None:
        try:
            memory_id = self._id(op.namespace, op.key)
            memory = await self._memory.get(memory_id, counted=False, group_id=self._group)
        except NotFoundError:
            return None
        if not self._lives(memory):
            return None
        await self._refresh(memory, op.refresh_ttl)
        return Item(**_item(memory))

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        """Return items of a namespace: by a query the best first, else the latest first."""
        found: list[SearchItem] = []
        async for memory, score in self._candidates(op):
            if len(found) == op.offset + op.limit:
                break
            if self._is_wanted(memory, op):
                found.append(SearchItem(**_item(memory), score=score))
                await self._refresh(memory, op.refresh_ttl)
        return found[op.offset :]

    async def _candidates(self, op: SearchOp) -> AsyncIterator[tuple[Memory, float | None]]:
        tag = _tag(op.namespace_prefix)
        if op.query:
            for hit in await self._memory.search(
                op.query, limit=_MOST, tags=[tag], counted=False, group_id=self._group
            ):
                yield hit.memory, hit.score
            return
        async for memory in self._all(tag):
            yield memory, None

    async def _all(self, tag: str) -> AsyncIterator[Memory]:
        cursor = None
        while True:
            page = await self._memory.list(
                sort="created_at", limit=_MOST, cursor=cursor, tags=[tag], group_id=self._group
            )
            for memory in page.memories:
                yield memory
            cursor = page.next_cursor
            if cursor is None:
                return

    def _is_wanted(self, memory: Memory, op: SearchOp) -> bool:
        value = memory.metadata[_FIELD]["value"]
        return self._lives(memory) and all(
            _matches(value.get(name), wanted) for name, wanted in (op.filter or {}).items()
        )

    async def _list_namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        found: set[Namespace] = set()
        async for memory in self._all(_tag(())):
            namespace = tuple(memory.metadata[_FIELD]["namespace"])
            if self._lives(memory) and all(
                _fits(namespace, condition) for condition in op.match_conditions or ()
            ):
                found.add(namespace[: op.max_depth])
        return sorted(found)[op.offset : op.offset + op.limit]

    async def _put(self, op: PutOp) -> None:
        memory_id = self._id(op.namespace, op.key)
        if op.value is None:
            with suppress(NotFoundError):
                await self._memory.delete(
                    memory_id, permanent=True, tombstone=False, group_id=self._group
                )
            return
        stored = {"namespace": list(op.namespace), "key": op.key, "value": dict(op.value)}
        new = NewMemory(
            content=self._content(op),
            metadata={_FIELD: stored | self._living(op.ttl)},
            tags=tuple(_tags(op.namespace)),
            importance=_IMPORTANCE,
            decay_policy="adaptive" if op.ttl else "none",
            decay_rate=_rate(op.ttl) if op.ttl else None,
            memory_id=memory_id,
        )
        try:
            await self._memory.update(
                memory_id,
                content=new.content,
                metadata=new.metadata,
                decay_policy=new.decay_policy,
                decay_rate=new.decay_rate,
                group_id=self._group,
            )
        except NotFoundError:
            await self._memory.add(new, group_id=self._group)

    def _content(self, op: PutOp) -> str:
        """Return the searched texts of a value, below its place, which makes them unique."""
        paths = () if op.index is False else op.index or self._fields
        texts = [text for path in paths for text in get_text_at_path(op.value, tokenize_path(path))]
        return "\n".join((".".join(op.namespace), op.key, *texts))

    def _living(self, minutes: float | None) -> dict[str, Any]:
        """Return the time to live of an item, and its end."""
        if not minutes:
            return {}
        ends = self._memory.clock() + timedelta(minutes=minutes)
        return {"minutes": minutes, "expires_at": ends.isoformat()}

    def _lives(self, memory: Memory) -> bool:
        ends = memory.metadata[_FIELD].get("expires_at")
        return ends is None or self._memory.clock() < datetime.fromisoformat(ends)

    async def _refresh(self, memory: Memory, wanted: bool) -> None:
        """Begin the time to live of an item again, if it has one."""
        stored: dict[str, Any] = memory.metadata[_FIELD]
        if wanted and (minutes := stored.get("minutes")):
            renewed = {_FIELD: stored | self._living(minutes)}
            await self._memory.update(memory.memory_id, metadata=renewed, group_id=self._group)

    def _id(self, namespace: Namespace, key: str) -> str:
        return str(uuid.uuid5(_IDS, json.dumps([self._group, *namespace, key])))


def _item(memory: Memory) -> dict[str, Any]:
    """Return the fields of an item."""
    stored: dict[str, Any] = memory.metadata[_FIELD]
    return {
        "namespace": tuple(stored["namespace"]),
        "key": stored["key"],
        "value": stored["value"],
        "created_at": memory.created_at,
        "updated_at": memory.updated_at,
    }


def _tags(namespace: Namespace) -> list[str]:
    """Return a tag for each prefix of a namespace, the empty one included."""
    return [_tag(namespace[:length]) for length in range(len(namespace) + 1)]


def _tag(prefix: Namespace) -> str:
    """Return the tag of a prefix: a hash, because tags are short and ignore the case."""
    return f"langgraph-{hashlib.sha256(json.dumps(prefix).encode()).hexdigest()[:32]}"


def _rate(minutes: float) -> float:
    """Return the rate of decay per day with which an item expires after some minutes."""
    return min(_FALL * 24 * 60 / minutes, _FASTEST)


def _fits(namespace: Namespace, condition: MatchCondition) -> bool:
    """Check a namespace against a prefix or suffix, in which `*` is any label."""
    path = condition.path
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)]
    if condition.match_type == "suffix":
        part = namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for label, wanted in zip(part, path, strict=True))


def _matches(value: Any, wanted: Any) -> bool:
    """Check a value against a filter: a value, an object of values, or operators such as `$gt`."""
    if not isinstance(wanted, Mapping):
        return bool(value == wanted)
    parts = cast(Mapping[str, Any], wanted)
    if any(name.startswith("$") for name in parts):
        return all(_compares(value, name, given) for name, given in parts.items())
    return isinstance(value, Mapping) and all(
        _matches(cast(Mapping[str, Any], value).get(name), given) for name, given in parts.items()
    )


def _compares(value: Any, name: str, given: Any) -> bool:
    """Apply an operator of a filter.

    Raises:
        ValueError: The operator is unknown.
    """
    if name not in _OPERATORS:
        raise ValueError(f"Unknown operator {name}; choose from {', '.join(_OPERATORS)}.")
    if value is None and name not in ("$eq", "$ne"):
        return False
    return bool(_OPERATORS[name](value, given))
