"""The conversations that a question names by their place, such as "our last chat". No I/O."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from graph_memory.ranking.periods import Period, limits
from graph_memory.ranking.time_expressions import languages
from graph_memory.ranking.time_rules import Reading

_INSTANT = timedelta(microseconds=1)

#: Age of the latest memory up to which the latest conversation may be the present one.
_PRESENT = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A stored conversation, as the statement `conversations` returns it.

    Attributes:
        start: Creation of its first memory; aware.
        end: Creation of its last memory; aware.
    """

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class AskedConversation:
    """A conversation that a question names by its place in the order of time.

    Attributes:
        place: 1 for the first conversation; -1 for the last.
        side: -1 for the time before it, 1 for the time after it, 0 for the conversation itself.
        words: The words, in lower case, that name it.
    """

    place: int
    side: int
    words: frozenset[str]

    @property
    def skip(self) -> int:
        """Conversations to skip, from the end at which the place is counted."""
        return abs(self.place) - 1

    @property
    def limit(self) -> int:
        """Conversations to read: the last one may be the present one, and then not be meant."""
        return 1 if self.place > 0 else 2

    def periods(self, found: Sequence[Conversation], now: datetime) -> list[Period]:
        """Return the times that the question means: those of the conversation, or beside it.

        If the latest conversation may be the present one, the one before it counts, too.

        Args:
            found: At most `limit` conversations, from the end at which the place is counted.
            now: Instant of the question; aware.
        """
        is_present = self.place < 0 and found and now - found[0].end < _PRESENT
        meant = found if is_present else found[:1]
        return [self._period(each) for each in meant]

    def _period(self, conversation: Conversation) -> Period:
        first, last = limits(conversation.start)
        after = conversation.end + _INSTANT
        if self.side:
            return Period(after, last) if self.side > 0 else Period(first, conversation.start)
        return Period(conversation.start, after)


def asked_conversation(question: str, now: datetime) -> AskedConversation | None:
    """Return the conversation that a question names by its place; None if it names none.

    Args:
        question: Any text.
        now: Instant of the question; aware.
    """
    for language in languages():
        for key in ("conversation", "conversation_time"):
            if reading := language.event(key, question, now):
                return AskedConversation(reading.value("nth"), _side(reading), _words(reading))
    return None


def _side(reading: Reading) -> int:
    if any(reading.stands_behind(key) for key in ("since", "later")):
        return 1
    return -1 if any(reading.stands_behind(key) for key in ("earlier", "until")) else 0


def _words(reading: Reading) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", " ".join(reading.groups.values()).lower()))
