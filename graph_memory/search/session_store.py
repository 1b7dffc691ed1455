"""The sessions of conversations in the database, where every replica of the service finds them.

A session that continues is written before its answer, because another call may use it: the write
succeeds only if the revision is still the one that was read.

A new session is not known to any other call. It is written after its answer, together with others
(write-behind). Its id is a UUIDv8 with the time of its creation. A replica that reads a session of
a recent id which is not stored yet reads again, with exponential backoff, until the session is
there or `_STORE_SECONDS` have passed.

A long session is not read and written whole each time. A write stores what differs from the stored
lists, and renews the lists when that has grown. A replica keeps the long sessions that it used
last, and a read returns only what it lacks.

A memory that is used in a session after it was received there is noted behind the call. What is
used together strengthens relations (`learning/strengths.py`). If weights or briefs are learned, an
answer is kept as a lesson behind the call, too, and a use is noted with it.
"""

import asyncio
import logging
import time
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from cachetools import LRUCache

from graph_memory.database.graph import Graph
from graph_memory.database.write_behind import WriteBehind
from graph_memory.domain.passages import Passage
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import instant
from graph_memory.errors import GraphMemoryError
from graph_memory.ranking.scoring import Ranking
from graph_memory.ranking.weights import weight_settings
from graph_memory.search.lessons import lesson_fields, with_passages
from graph_memory.search.session import ChangedMemory, LoadRecord, Session, merge_loads
from graph_memory.settings.base import Settings

_log = logging.getLogger(__name__)

#: Changes in one answer; the next answer returns others.
_MAX_CHANGES = 50

#: Loads and drops that are stored beside the lists of a session; more renew the lists.
_MAX_RECENT = 500

#: Loaded memories from which a session is worth keeping.
_LONG = 1000

#: Long sessions that a replica keeps, the last used. One of 10,000 memories takes about 3 MB.
_KEPT = 16

#: Used memories that a session notes, the first.
_MAX_USED = 100

#: Memories of an answer that teaches a stage of learning, the fewest.
_TAUGHT_BY = {"weights": 2, "briefs": 1}

#: Seconds after a write in which new sessions are collected.
_COLLECT_SECONDS = 0.25

#: Seconds after which a new session is stored, or was lost with its replica.
_STORE_SECONDS = 1.0

#: Seconds before the second read of a session that is not stored yet; doubled for each next one.
_BACKOFF_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class _Lists:
    """Loads as parallel lists, the latest last; a dropped memory has an empty version."""

    ids: list[str]
    positions: list[int]
    versions: list[str]


@dataclass(frozen=True, slots=True)
class _Stored:
    total_tokens: int
    loaded: _Lists
    recent: _Lists
    checked: int
    history: list[str]
    revision: str


@dataclass(frozen=True, slots=True)
class _Read:
    revision: str
    updated_at: str
    stored: _Stored | None  #: None if the session has the known revision


@dataclass(frozen=True, slots=True)
class _Written:
    written: bool
    stored: _Stored | None  #: None if the session was written


class SessionStore:
    """The sessions of a database."""

    def __init__(self, graph: Graph, settings: Settings) -> None:
        self._graph = graph
        self._settings = settings
        self._begun: dict[tuple[str, str], dict[str, Any]] = {}
        self._used: dict[tuple[str, str, str], str] = {}
        self._lessons: list[dict[str, Any]] = []
        self._kept: LRUCache[tuple[str, str], Session] = LRUCache(_KEPT)
        self._behind = WriteBehind(self._write_queued)

    async def read(self, scope: CallScope, session_id: str) -> tuple[Session, list[ChangedMemory]]:
        """Read a session, and which of its loaded memories have changed, the latest loaded first.

        An unknown session is empty. `Session.to_check` decides which memories are checked. At most
        `_MAX_CHANGES` are returned; a caller that removes them from the session with
        `Session.after` gets others the next time.
        """
        known = self._kept.get((scope.group_id, session_id), Session(session_id))
        found = await self._stored(scope, known)
        pause_seconds = _BACKOFF_SECONDS
        while found is None and self._may_be_stored_soon(session_id, scope.group_id):
            await asyncio.sleep(pause_seconds)
            pause_seconds *= 2  # a forged id of this form must not cost many reads
            found = await self._stored(scope, known)
        if found is None:
            return Session(session_id), []
        if found.updated_at < instant(scope.now - timedelta(days=self._settings.session_ttl_days)):
            return Session(session_id, revision=found.revision), []
        session = self._session(session_id, found.stored) if found.stored else known
        self._keep(scope, session)
        return session, await self._changed(scope, session.to_check)

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
            row = {**_row(scope, begun), **_lists(begun.loaded), "revision": following}
            self._begun[scope.group_id, begun.session_id] = row
            self._behind.schedule()
            return True, begun
        renew = session.recent is None or len(session.recent) > _MAX_RECENT
        recent = {} if renew else session.recent or {}
        if self._graph.is_moving(scope.group_id):
            return True, session  # the answer goes on; its memories may be returned again
        done = await self._graph.one(
            "search/session_store/write",
            _Written,
            **_row(scope, session),
            loaded=_lists(session.loaded) if renew else None,
            recent=_lists(recent),
            checked=session.checked,
            revision=session.revision,
            following=following,
        )
        if done is None or done.stored is None:
            session = replace(session, revision=following, recent=recent)
            self._keep(scope, session)
            return True, session
        return False, self._session(session.session_id, done.stored)

    def used(self, scope: CallScope, session_id: str, memory_id: str) -> None:
        """Schedule a note that a session used a memory, if it had received it before."""
        self._used[scope.group_id, session_id, memory_id] = instant(scope.now)
        self._behind.schedule()

    def delivered(
        self,
        scope: CallScope,
        session_id: str,
        question: str,
        given: Mapping[str, Passage | None],
        ranking: Ranking | None,
    ) -> None:
        """Schedule that an answer is kept as a lesson, if weights or briefs are learned.

        An answer of one memory teaches no weights.

        Args:
            scope: The tenant and the instant.
            session_id: The session.
            question: The question.
            given: The memories of the answer, by id, with the passage of each that came as one.
            ranking: Their ranking; without one, nothing is kept.
        """
        needed = [_TAUGHT_BY[each] for each in self._settings.learn if each in _TAUGHT_BY]
        if ranking is None or not needed or len(given) < min(needed):
            return
        learned = weight_settings(ranking.settings) != weight_settings(self._settings)
        spans = {id_: (part.start, part.end) for id_, part in given.items() if part}
        fields = lesson_fields(ranking, question, list(given), learned=learned)
        fields = with_passages(fields, spans)
        self._lessons.append({**fields, **scope.parameters(), "session_id": session_id})
        self._behind.schedule()

    async def forget(self, session_id: str, *, group_id: str) -> None:
        """Delete a session; relations keep its uses, and the group the lessons from it."""
        await self._graph.run(
            "search/session_store/forget", group_id=group_id, session_id=session_id
        )

    async def flush(self) -> None:
        """Write every new session and every use now."""
        await self._behind.flush()

    def _may_be_stored_soon(self, session_id: str, group_id: str) -> bool:
        """Return True if this replica or another may be about to store a session."""
        if (group_id, session_id) in self._begun:
            self._behind.expedite()
            return True
        return _is_recent(session_id)

    async def _stored(self, scope: CallScope, known: Session) -> _Read | None:
        return await self._graph.one(
            "search/session_store/read",
            _Read,
            group_id=scope.group_id,
            session_id=known.session_id,
            known=known.revision,
        )

    async def _changed(self, scope: CallScope, versions: dict[str, str]) -> list[ChangedMemory]:
        """Return which memories no longer have these versions, the last given first."""
        if not versions:
            return []
        return await self._graph.rows(
            "search/session_store/changed",
            ChangedMemory,
            ids=list(versions),
            versions=list(versions.values()),
            most=_MAX_CHANGES,
            **scope.parameters(),
        )

    def _session(self, session_id: str, stored: _Stored) -> Session:
        recent = {id_: at if at.version else None for id_, at in _records(stored.recent).items()}
        return Session(
            session_id,
            stored.total_tokens,
            merge_loads(_records(stored.loaded), recent, self._settings.session_max_loaded),
            tuple(stored.history),
            stored.revision,
            recent,
            stored.checked,
        )

    def _keep(self, scope: CallScope, session: Session) -> None:
        """Keep a long session in memory, in place of the least recently used."""
        key = scope.group_id, session.session_id
        if len(session.loaded) >= _LONG:
            self._kept[key] = session
        else:
            self._kept.pop(key, None)

    async def _write_queued(self) -> None:
        while self._begun or self._used or self._lessons:
            await self._behind.wait_for_cooldown()
            # Those that come while sessions are stored wait: their own session may come, too.
            lessons, self._lessons = self._lessons, []
            used, self._used = self._used, {}
            await self._write_begun()
            await self._write_lessons(lessons)
            await self._write_used(used)
            self._behind.start_cooldown(_COLLECT_SECONDS)

    async def _write_begun(self) -> None:
        begun = dict(self._begun)
        if not begun:
            return
        try:
            for graph, sessions in self._by_server(begun.values()):
                await self._begin(graph, sessions)
        finally:  # readers must not wait for these sessions, whatever happened
            for key in begun:
                del self._begun[key]

    def _by_server(
        self, rows: Iterable[dict[str, Any]]
    ) -> Iterable[tuple[Graph, list[dict[str, Any]]]]:
        """Return rows of groups by the server of their group; those of moving groups apart."""
        found: dict[tuple[str, bool], tuple[Graph, list[dict[str, Any]]]] = {}
        for row in rows:
            graph = self._graph.of(row["group_id"])
            key = graph.name, self._graph.is_moving(row["group_id"])
            found.setdefault(key, (graph, []))[1].append(row)
        return found.values()

    async def _begin(self, graph: Graph, sessions: list[dict[str, Any]]) -> None:
        try:
            await graph.run("search/session_store/begin", sessions=sessions)
        except GraphMemoryError as error:
            _log.warning(
                "%d sessions were not stored; their memories may be returned again: %s",
                len(sessions),
                error,
            )

    async def _write_lessons(self, collected: Iterable[dict[str, Any]]) -> None:
        """Keep answers as lessons; their sessions are stored."""
        most = self._settings.session_history
        for graph, lessons in self._by_server(collected):
            try:
                await graph.run("search/session_store/keep_lessons", lessons=lessons, most=most)
            except GraphMemoryError as error:
                _log.warning("%d lessons were not kept: %s", len(lessons), error)

    async def _write_used(self, used: Mapping[tuple[str, str, str], str]) -> None:
        """Note uses; their sessions are stored."""
        names = ("group_id", "session_id", "memory_id", "now")
        rows: list[dict[str, Any]] = [
            dict(zip(names, (*key, now), strict=True)) for key, now in sorted(used.items())
        ]
        for graph, uses in self._by_server(rows):
            try:
                await graph.run("search/session_store/use", uses=uses, most=_MAX_USED)
            except GraphMemoryError as error:
                _log.warning("%d uses of memories were not noted: %s", len(uses), error)


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
        "history": list(session.history),
    }


def _lists(records: Mapping[str, LoadRecord | None]) -> dict[str, list[Any]]:
    return {
        "ids": list(records),
        "positions": [record.position if record else 0 for record in records.values()],
        "versions": [record.version if record else "" for record in records.values()],
    }


def _records(lists: _Lists) -> dict[str, LoadRecord]:
    return dict(zip(lists.ids, map(LoadRecord, lists.positions, lists.versions), strict=True))
