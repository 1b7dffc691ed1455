"""The sessions of conversations, kept in the database, so that any replica can go on with one.

A session is the conversation as the service can see it; a write succeeds only on the revision that
was read.
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
from graph_memory.domain.timestamps import instant
from graph_memory.errors import GraphMemoryError
from graph_memory.search.session import Change, Loaded, Session
from graph_memory.settings.base import Settings

_log = logging.getLogger(__name__)

#: An answer names so many changes at most; the next one names others.
_CHANGES = 50

#: Sessions that begin are collected for so long after a write.
_PAUSE_SECONDS = 0.25

#: A session that has begun is stored after so long, or was lost with its replica.
_ON_ITS_WAY_SECONDS = 1.0

#: One that is not stored yet is looked for again after so long, then after twice as long, and on.
_LOOK_AGAIN_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class _Read:
    total_tokens: int
    ids: list[str]
    positions: list[int]
    versions: list[str]
    history: list[str]
    revision: str
    updated_at: str
    changed: list[Change]


@dataclass(frozen=True, slots=True)
class _Written:
    written: bool
    total_tokens: int
    ids: list[str]
    positions: list[int]
    versions: list[str]
    history: list[str]
    revision: str


class Sessions:
    """The sessions of a database.

    One that goes on is written before the answer goes out: another call may be on it. One that
    begins is nobody else's yet, and is written behind its answer, together with others; its id
    tells when it began, so a replica that is asked for it too early looks again.
    """

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self._graph = graph
        self._settings = settings
        self._begun: dict[tuple[str, str], dict[str, Any]] = {}
        self._behind = WriteBehind(self._write_begun)

    async def read(
        self, session_id: str, *, group_id: str, now: datetime
    ) -> tuple[Session, list[Change]]:
        """Read a session, and what changed of what it loaded, the latest loaded first.

        An unknown session is empty. Of many changes it tells the first; who writes them down with
        `Session.after` is told of others the next time.
        """
        found = await self._stored(session_id, group_id, now)
        pause_seconds = _LOOK_AGAIN_SECONDS
        while found is None and self._is_on_its_way(session_id, group_id):
            await asyncio.sleep(pause_seconds)
            pause_seconds *= 2  # an id of this form can be made up, and must not cost many reads
            found = await self._stored(session_id, group_id, now)
        if found is None:
            return Session(session_id), []
        if found.updated_at < instant(now - timedelta(days=self._settings.session_ttl_days)):
            return Session(session_id, revision=found.revision), []
        return _session(session_id, found), found.changed

    async def write(
        self, session: Session, *, group_id: str, now: datetime
    ) -> tuple[bool, Session]:
        """Write a session that was read at its `revision`; one without an id begins, and gets one.

        Returns:
            Whether it was written, or is about to be, and the session as it is then: if another
            call was quicker, as that left it.
        """
        following = uuid.uuid4().hex
        if not session.session_id:
            begun = replace(session, session_id=_new_id())
            row = {**_row(begun, group_id, now), "revision": following}
            self._begun[group_id, begun.session_id] = row
            self._behind.wake()
            return True, begun
        done = await self._graph.one(
            "search/session_store/write",
            _Written,
            **_row(session, group_id, now),
            revision=session.revision,
            following=following,
        )
        if done is None or done.written:
            return True, session
        return False, _session(session.session_id, done)

    async def forget(self, session_id: str, *, group_id: str) -> None:
        """Forget a session."""
        await self._graph.run(
            "search/session_store/forget", group_id=group_id, session_id=session_id
        )

    async def settled(self) -> None:
        """Write every session that has begun, now."""
        await self._behind.settled()

    def _is_on_its_way(self, session_id: str, group_id: str) -> bool:
        """Tell whether a session that is not stored may be soon, from here or another replica."""
        if (group_id, session_id) in self._begun:
            self._behind.hurry()
            return True
        return _begun_now(session_id)

    async def _stored(self, session_id: str, group_id: str, now: datetime) -> _Read | None:
        return await self._graph.one(
            "search/session_store/read",
            _Read,
            group_id=group_id,
            session_id=session_id,
            now=instant(now),
            most=_CHANGES,
        )

    async def _write_begun(self) -> None:
        while self._begun:
            await self._behind.pause()
            begun = dict(self._begun)
            try:
                await self._graph.run("search/session_store/begin", sessions=list(begun.values()))
            except GraphMemoryError as error:
                _log.warning(
                    "%d sessions were not stored, and what they gave may be given again: %s",
                    len(begun),
                    error,
                )
            finally:  # whatever happened: who is asked for one of them must not wait for ever
                for key in begun:
                    del self._begun[key]
            self._behind.rest(_PAUSE_SECONDS)


async def expire(graph: Graph, *, group_id: str, before: datetime) -> int:
    """Forget the sessions of the group that were not used since `before`; return their number."""
    return (
        await graph.one(
            "search/session_store/expire", int, group_id=group_id, before=instant(before)
        )
        or 0
    )


def _new_id() -> str:
    """Return an id that no session has and that tells when it was made.

    Source: RFC 9562, version 8, whose layout is the maker's; here that of version 7, which callers
    may choose for sessions of their own: milliseconds since 1970 in 48 bits, the rest is random.
    """
    milliseconds = time.time_ns() // 1_000_000
    return str(uuid.UUID(int=milliseconds << 80 | 8 << 76 | uuid.uuid4().int % (1 << 76)))


def _begun_now(session_id: str) -> bool:
    """Tell whether a session began so lately that it may not be stored yet."""
    try:
        id_ = uuid.UUID(session_id)
    except ValueError:
        return False
    # The clock of the replica that made it may be ahead.
    return id_.version == 8 and abs(time.time() - (id_.int >> 80) / 1000) < _ON_ITS_WAY_SECONDS


def _row(session: Session, group_id: str, now: datetime) -> dict[str, Any]:
    """Return what `sessions/begin` and `sessions/write` have in common."""
    return {
        "group_id": group_id,
        "session_id": session.session_id,
        "total_tokens": session.total_tokens,
        "ids": list(session.loaded),
        "positions": [loaded.position for loaded in session.loaded.values()],
        "versions": [loaded.version for loaded in session.loaded.values()],
        "history": list(session.history),
        "now": instant(now),
    }


def _session(session_id: str, stored: _Read | _Written) -> Session:
    loaded = map(Loaded, stored.positions, stored.versions)
    return Session(
        session_id,
        stored.total_tokens,
        dict(zip(stored.ids, loaded, strict=True)),
        tuple(stored.history),
        stored.revision,
    )
