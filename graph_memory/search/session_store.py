"""The sessions of conversations in the database, where every replica of the service finds them.

A session that continues is written before its answer, because another call may use it: the write
succeeds only if the revision is still the one that was read.

A new session is not known to any other call. It is written after its answer, together with others
(write-behind). Its id is a UUIDv8 with the time of its creation. A replica that reads a session of
a recent id which is not stored yet reads again, with exponential backoff, until the session is
there or `_STORE_SECONDS` have passed.
"""

import asyncio
import logging
import time
import uuid
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.database.write_behind import WriteBehind
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import instant
from graph_memory.errors import GraphMemoryError
from graph_memory.search.session import ChangedMemory, LoadRecord, Session
from graph_memory.settings.base import Settings

_log = logging.getLogger(__name__)

#: Changes in one answer; the next answer returns others.
_MAX_CHANGES = 50

#: Seconds after a write in which new sessions are collected.
_COLLECT_SECONDS = 0.25

#: Seconds after which a new session is stored, or was lost with its replica.
_STORE_SECONDS = 1.0

#: Seconds before the second read of a session that is not stored yet; doubled for each next one.
_BACKOFF_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class _Read:
    total_tokens: int
    ids: list[str]
    positions: list[int]
    versions: list[str]
    history: list[str]
    revision: str
    updated_at: str
    changed: list[ChangedMemory]


@dataclass(frozen=True, slots=True)
class _Written:
    written: bool
    total_tokens: int
    ids: list[str]
    positions: list[int]
    versions: list[str]
    history: list[str]
    revision: str


class SessionStore:
    """The sessions of a database."""

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self._graph = graph
        self._settings = settings
        self._begun: dict[tuple[str, str], dict[str, Any]] = {}
        self._behind = WriteBehind(self._write_begun)

    async def read(self, scope: CallScope, session_id: str) -> tuple[Session, list[ChangedMemory]]:
        """Read a session, and which of its loaded memories have changed, the latest loaded first.

        An unknown session is empty. At most `_MAX_CHANGES` are returned; a caller that removes them
        from the session with `Session.after` gets others the next time.
        """
        found = await self._stored(scope, session_id)
        pause_seconds = _BACKOFF_SECONDS
        while found is None and self._may_be_stored_soon(session_id, scope.group_id):
            await asyncio.sleep(pause_seconds)
            pause_seconds *= 2  # a forged id of this form must not cost many reads
            found = await self._stored(scope, session_id)
        if found is None:
            return Session(session_id), []
        if found.updated_at < instant(scope.now - timedelta(days=self._settings.session_ttl_days)):
            return Session(session_id, revision=found.revision), []
        return _session(session_id, found), found.changed

    async def write(self, scope: CallScope, session: Session) -> tuple[bool, Session]:
        """Write a session if it still has the `revision` that was read.

        A session without an id is new: it gets an id, and is written later.

        Returns:
            True and the session, if it was written or will be; False and the stored session, if
            another call has written it since.
        """
        following = uuid.uuid4().hex
        if not session.session_id:
            begun = replace(session, session_id=_new_id())
            row = {**_row(scope, begun), "revision": following}
            self._begun[scope.group_id, begun.session_id] = row
            self._behind.schedule()
            return True, begun
        done = await self._graph.one(
            "search/session_store/write",
            _Written,
            **_row(scope, session),
            revision=session.revision,
            following=following,
        )
        if done is None or done.written:
            return True, session
        return False, _session(session.session_id, done)

    async def forget(self, session_id: str, *, group_id: str) -> None:
        """Delete a session."""
        await self._graph.run(
            "search/session_store/forget", group_id=group_id, session_id=session_id
        )

    async def flush(self) -> None:
        """Write every new session now."""
        await self._behind.flush()

    def _may_be_stored_soon(self, session_id: str, group_id: str) -> bool:
        """Return True if this replica or another may be about to store a session."""
        if (group_id, session_id) in self._begun:
            self._behind.expedite()
            return True
        return _is_recent(session_id)

    async def _stored(self, scope: CallScope, session_id: str) -> _Read | None:
        return await self._graph.one(
            "search/session_store/read",
            _Read,
            session_id=session_id,
            most=_MAX_CHANGES,
            **scope.parameters(),
        )

    async def _write_begun(self) -> None:
        while self._begun:
            await self._behind.wait_for_cooldown()
            begun = dict(self._begun)
            try:
                await self._graph.run("search/session_store/begin", sessions=list(begun.values()))
            except GraphMemoryError as error:
                _log.warning(
                    "%d sessions were not stored; their memories may be returned again: %s",
                    len(begun),
                    error,
                )
            finally:  # readers must not wait for these sessions, whatever happened
                for key in begun:
                    del self._begun[key]
            self._behind.start_cooldown(_COLLECT_SECONDS)


async def expire(graph: Graph, *, group_id: str, before: datetime) -> int:
    """Delete the sessions of a group that were not used since `before`; return their number."""
    return (
        await graph.one(
            "search/session_store/expire", int, group_id=group_id, before=instant(before)
        )
        or 0
    )


def _new_id() -> str:
    """Return a new id that contains the time of its creation.

    Source: RFC 9562, version 8, which leaves the layout to the application. The layout is that of
    version 7, which callers may use for ids of their own: milliseconds since 1970 in 48 bits, then
    random bits.
    """
    milliseconds = time.time_ns() // 1_000_000
    return str(uuid.UUID(int=milliseconds << 80 | 8 << 76 | uuid.uuid4().int % (1 << 76)))


def _is_recent(session_id: str) -> bool:
    """Return True if an id was made so recently that its session may not be stored yet."""
    try:
        id_ = uuid.UUID(session_id)
    except ValueError:
        return False
    # The clock of the replica that made the id may be ahead.
    return id_.version == 8 and abs(time.time() - (id_.int >> 80) / 1000) < _STORE_SECONDS


def _row(scope: CallScope, session: Session) -> dict[str, Any]:
    """Return the parameters that the statements `begin` and `write` have in common."""
    return {
        **scope.parameters(),
        "session_id": session.session_id,
        "total_tokens": session.total_tokens,
        "ids": list(session.loaded),
        "positions": [loaded.position for loaded in session.loaded.values()],
        "versions": [loaded.version for loaded in session.loaded.values()],
        "history": list(session.history),
    }


def _session(session_id: str, stored: _Read | _Written) -> Session:
    loaded = map(LoadRecord, stored.positions, stored.versions)
    return Session(
        session_id,
        stored.total_tokens,
        dict(zip(stored.ids, loaded, strict=True)),
        tuple(stored.history),
        stored.revision,
    )
