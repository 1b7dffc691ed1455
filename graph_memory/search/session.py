"""What a conversation has loaded: where, in which text, and what became of it. No I/O."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

from graph_memory.settings.base import Settings

_VERSION_DIGITS = 16


class Status(StrEnum):
    """Why a memory is given."""

    NEW = "new"
    REFRESHED = "refreshed"  #: it was loaded, and has gone stale
    CHANGED = "changed"  #: it was loaded in another text


class Reason(StrEnum):
    """Why a loaded memory is no longer what was loaded."""

    UPDATED = "updated"
    SUPERSEDED = "superseded"
    OBSOLETE = "obsolete"
    FORGOTTEN = "forgotten"  #: expired or deleted


@dataclass(frozen=True, slots=True)
class Change:
    """A loaded memory that is no longer what was loaded."""

    memory_id: str
    reason: Reason
    superseded_by: str | None  #: the memory that holds instead

    @property
    def current_id(self) -> str | None:
        """The memory to give instead, if there is one."""
        return self.memory_id if self.reason is Reason.UPDATED else self.superseded_by


class Loaded(NamedTuple):
    """That a memory was given to the model."""

    position: int  #: tokens of the conversation before that
    version: str  #: which text it was


@dataclass(frozen=True, slots=True)
class LoadedMemory:
    """A memory a conversation has loaded."""

    memory_id: str
    load_token_count: int  #: tokens of the conversation before
    stale: bool


@dataclass(frozen=True, slots=True)
class ContextState:
    """What a conversation has loaded."""

    session_id: str
    total_tokens: int
    loaded: list[LoadedMemory]  #: the latest last
    history: list[dict[str, Any]]  #: retrievals, the latest last


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation, as far as the service has seen it."""

    session_id: str = ""  #: empty until it begins
    total_tokens: int = 0
    loaded: Mapping[str, Loaded] = field(default_factory=dict[str, Loaded])
    history: tuple[str, ...] = ()  #: JSON objects, the latest last
    revision: str = ""

    def position(self, conversation_tokens: int | None = None) -> int:
        """Return where the conversation is, in tokens; it never goes back."""
        return max(self.total_tokens, conversation_tokens or 0)

    def status(self, memory_id: str, text: str, position: int, threshold: int) -> Status | None:
        """Tell why a memory is to be given at `position`; None if the model still has it."""
        before = self.loaded.get(memory_id)
        if before is None:
            return Status.NEW
        if before.version != version(text):
            return Status.CHANGED
        return Status.REFRESHED if stale(position, before.position, threshold) else None

    def state(self, threshold: int) -> ContextState:
        """Describe the session, with what is stale at `threshold` tokens."""
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
        event: Mapping[str, Any],
        settings: Settings,
    ) -> "Session":
        """Return the session after texts were given at `position`, and others turned out gone.

        Args:
            given: Each memory's text, by id.
            position: Tokens of the conversation before.
            tokens: Tokens of the texts.
            gone: Memories to forget, as they are no longer what was loaded.
            event: What to remember of this in the history.
            settings: How many memories and events a session remembers, the latest.
        """
        moved = {*given, *gone}
        kept = {id_: loaded for id_, loaded in self.loaded.items() if id_ not in moved}
        loaded = kept | {id_: Loaded(position, version(text)) for id_, text in given.items()}
        return replace(
            self,
            total_tokens=position + tokens,
            loaded=dict(list(loaded.items())[-settings.session_max_loaded :]),
            history=_last((*self.history, json.dumps(event)), settings.session_history),
        )


def stale(current_tokens: int, load_token_count: int, threshold: int) -> bool:
    """Tell whether a memory was loaded so long ago that the model may have lost it.

    Source: reload when current_tokens − load_token_count > threshold, strictly.
    """
    return current_tokens - load_token_count > threshold


def version(text: str) -> str:
    """Return what tells one text of a memory from another."""
    return hashlib.sha256(text.encode()).hexdigest()[:_VERSION_DIGITS]


def _last(events: Sequence[str], count: int) -> tuple[str, ...]:
    return tuple(events[-count:]) if count else ()
