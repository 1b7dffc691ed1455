"""The session of a conversation: the memories it has loaded, and which are stale. No I/O."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice
from typing import Any, NamedTuple

from graph_memory.domain.briefs import VERSION_DIGITS
from graph_memory.domain.encoding import content_hash
from graph_memory.domain.passages import Passage
from graph_memory.settings.base import Settings

#: Separates the version of a content and the spans of a passage or a brief.
_OF_PASSAGE = "@"

#: Loaded memories that every retrieval checks for changes, the latest.
_CHECKED_LATEST = 500

#: Earlier loaded memories that a retrieval checks; the next one goes on with others.
_CHECKED_EARLIER = 250


class LoadStatus(StrEnum):
    """The reason why retrieval returns a memory."""

    NEW = "new"
    REFRESHED = "refreshed"  #: it was loaded, and is stale
    CHANGED = "changed"  #: it was loaded with an earlier content


class ChangeReason(StrEnum):
    """The reason why a loaded memory is no longer reliable."""

    UPDATED = "updated"
    SUPERSEDED = "superseded"
    OBSOLETE = "obsolete"
    FORGOTTEN = "forgotten"  #: expired or deleted


@dataclass(frozen=True, slots=True)
class ChangedMemory:
    """A loaded memory that has changed since."""

    memory_id: str
    reason: ChangeReason
    superseded_by: str | None  #: id of the memory that replaces it

    @property
    def current_id(self) -> str | None:
        """Id of the memory to return instead, or None."""
        return self.memory_id if self.reason is ChangeReason.UPDATED else self.superseded_by


class LoadRecord(NamedTuple):
    """The position at which a memory was returned, and its version."""

    position: int  #: tokens of the conversation before
    version: str  #: `version` of the content


@dataclass(frozen=True, slots=True)
class LoadedMemory:
    """A memory that a conversation has loaded."""

    memory_id: str
    load_token_count: int  #: tokens of the conversation before
    stale: bool


@dataclass(frozen=True, slots=True)
class ContextState:
    """The memories that a conversation has loaded, and its retrievals."""

    session_id: str
    total_tokens: int
    loaded: list[LoadedMemory]  #: the latest last
    history: list[dict[str, Any]]  #: retrievals, the latest last


@dataclass(frozen=True, slots=True)
class Session:
    """The session of a conversation, as far as the service has seen it."""

    session_id: str = ""  #: empty until it begins
    total_tokens: int = 0
    loaded: Mapping[str, LoadRecord] = field(default_factory=dict[str, LoadRecord])
    history: tuple[str, ...] = ()  #: JSON objects, the latest last
    revision: str = ""
    #: What differs from the stored lists, None for a dropped memory; None if no lists are stored.
    recent: Mapping[str, LoadRecord | None] | None = None
    checked: int = 0  #: earlier memories that were checked for changes in the current round

    @property
    def to_check(self) -> dict[str, str]:
        """Versions of the loaded memories to check for changes now, the latest loaded last.

        These are the latest, which the model still holds, and a part of the earlier ones.
        """
        ids = list(self.loaded)
        earlier = ids[:-_CHECKED_LATEST][self.checked : self.checked + _CHECKED_EARLIER]
        latest = ids[-_CHECKED_LATEST:]
        return {id_: _content_version(self.loaded[id_].version) for id_ in earlier + latest}

    def position(self, conversation_tokens: int | None = None) -> int:
        """Return the position of the conversation in tokens; it never decreases."""
        return max(self.total_tokens, conversation_tokens or 0)

    def status(
        self, memory_id: str, current: str, position: int, threshold: int
    ) -> LoadStatus | None:
        """Return why a memory is to be returned at `position`; None if the model still holds it.

        `current` is its `version`. Of a long memory, another passage than the last one is new,
        unless the conversation holds the whole.
        """
        before = self.loaded.get(memory_id)
        if before is None:
            return LoadStatus.NEW
        if _content_version(before.version) != _content_version(current):
            return LoadStatus.CHANGED
        if before.version != current and before.version != _content_version(current):
            return LoadStatus.NEW
        return LoadStatus.REFRESHED if stale(position, before.position, threshold) else None

    def state(self, threshold: int) -> ContextState:
        """Return the state of the session; memories are stale beyond `threshold` tokens."""
        return ContextState(
            self.session_id,
            self.total_tokens,
            [
                LoadedMemory(id_, at.position, stale(self.total_tokens, at.position, threshold))
                for id_, at in self.loaded.items()
            ],
            [json.loads(event) for event in self.history],
        )

    def after(
        self,
        given: Mapping[str, str],
        *,
        position: int,
        tokens: int,
        gone: Iterable[str] = (),
        event: Mapping[str, Any] | None = None,
        settings: Settings,
    ) -> "Session":
        """Return the session after a retrieval, or after turns of the conversation itself.

        Args:
            given: Versions of the returned memories, by id.
            position: Tokens of the conversation before.
            tokens: Tokens of the contents.
            gone: Ids of loaded memories to drop, because they have changed.
            event: Entry for the history; None if the conversation got the memories in other ways.
            settings: Numbers of memories and events that a session keeps, the latest.
        """
        moved: dict[str, LoadRecord | None] = dict.fromkeys(set(gone) - given.keys())
        moved |= {id_: LoadRecord(position, current) for id_, current in given.items()}
        checked = self.checked + _CHECKED_EARLIER
        return replace(
            self,
            total_tokens=position + tokens,
            loaded=merge_loads(self.loaded, moved, settings.session_max_loaded),
            history=_last(
                self.history if event is None else (*self.history, json.dumps(event)),
                settings.session_history,
            ),
            recent=None if self.recent is None else _moved_last(self.recent, moved),
            checked=checked if checked < len(self.loaded) - _CHECKED_LATEST else 0,
        )


def merge_loads(
    loaded: Mapping[str, LoadRecord], recent: Mapping[str, LoadRecord | None], most: int
) -> dict[str, LoadRecord]:
    """Return the latest `most` loaded memories after `recent` changes, the latest last."""
    merged = dict(loaded)
    for id_, record in recent.items():
        merged.pop(id_, None)
        if record:
            merged[id_] = record
    for id_ in list(islice(merged, max(0, len(merged) - most))):
        del merged[id_]
    return merged


def stale(current_tokens: int, load_token_count: int, threshold: int) -> bool:
    """Return True if a memory was loaded so long ago that the model may have lost it.

    Source: reload when current_tokens − load_token_count > threshold, strictly.
    """
    return current_tokens - load_token_count > threshold


def version(content: str, *parts: Passage) -> str:
    """Return the version of a content, the start of its SHA-256, and the spans of parts of it."""
    digits = content_hash(content)[:VERSION_DIGITS]
    spans = ",".join(f"{part.start}-{part.end}" for part in parts)
    return f"{digits}{_OF_PASSAGE}{spans}" if parts else digits


def _content_version(version: str) -> str:
    """Return a version without the spans of its parts."""
    return version.partition(_OF_PASSAGE)[0]


def _moved_last(
    recent: Mapping[str, LoadRecord | None], moved: Mapping[str, LoadRecord | None]
) -> dict[str, LoadRecord | None]:
    return {id_: record for id_, record in recent.items() if id_ not in moved} | dict(moved)


def _last(events: Sequence[str], count: int) -> tuple[str, ...]:
    return tuple(events[-count:]) if count else ()
