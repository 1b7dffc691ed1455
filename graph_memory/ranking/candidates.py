"""The inputs of the ranking: a question, and the memories that may answer it. No I/O."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graph_memory.domain.models import BriefMemory
from graph_memory.domain.readable import Readable
from graph_memory.ranking.conversations import AskedConversation, asked_conversation
from graph_memory.ranking.dates import (
    asks_for_whole_period,
    mentioned_periods,
    named_periods,
    time_words,
)
from graph_memory.ranking.late_interaction import Tokens
from graph_memory.ranking.periods import Period

#: Characters of a memory that the ranking reads.
LEAD_CHARACTERS = 1000

#: Memories that a smaller group is taken to have for the relevance.
LEAST_MEMBERS = 100

#: Decimal places of a score; each place costs an agent tokens.
DECIMALS = 8


class Part(NamedTuple):
    """A passage of a memory, or all of a short memory, with its token vectors.

    Attributes:
        start: Character of the content at which a passage begins; None for a short memory.
        end: Character after the passage; None for a short memory.
        vectors: Quantised token vectors; None if there are none.
    """

    start: int | None
    end: int | None
    vectors: bytes | None


NO_PART = Part(None, None, None)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that may answer a question, as the statement `candidates` returns it.

    Attributes:
        memory_id: The memory's id.
        cosine: Cosine of question and memory, -1 to 1.
        words: Index and weight of each lookup of the question that the memory contains.
        lead: First `LEAD_CHARACTERS` characters of the content.
        characters: Length of the content.
        told_at: Start of validity, or else time of creation.
        conversation_id: Conversation of the memory; None outside of conversations.
        part: The text with its token vectors, or the passage nearest to the question; None if it
            was not fetched.
        told: The memory as retrieval delivers it; None if it was not fetched.
        related: True if the memory has a relation and `told` was asked for.
    """

    memory_id: str
    cosine: float
    words: list[tuple[int, float]]
    lead: str
    characters: int
    told_at: datetime
    conversation_id: str | None = None
    part: Part | None = None
    told: BriefMemory | None = None
    related: bool = False

    @property
    def similarity(self) -> float:
        """(1 + cosine) / 2, 0 to 1, the form in which the API returns a similarity."""
        return round((1 + self.cosine) / 2, DECIMALS)


@dataclass(frozen=True)
class Candidates:
    """The candidates for a question.

    Attributes:
        rarity: Rarity of each lookup of the question in the group; 0 for one of stop words alone,
            which the analyser of the index drops.
        memories: The candidates.
        links: Pairs of ids; the second memory follows the first in their conversation.
        members: Memories of the group, as far as they are counted.
    """

    rarity: list[float]
    memories: Readable[Candidate]
    links: list[tuple[str, str]]
    members: int = LEAST_MEMBERS

    @cached_property
    def word_weights(self) -> npt.NDArray[np.float64]:
        """The weight of each lookup in each candidate, array (candidates, lookups)."""
        weights = np.zeros((len(self.memories), len(self.rarity)))
        for row, memory in zip(weights, self.memories, strict=True):
            for word, weight in memory.words:
                row[word] = weight
        return weights

    @cached_property
    def mentioned_periods(self) -> list[tuple[Period, ...]]:
        """The periods that the text of each candidate mentions."""
        return [mentioned_periods(memory.lead, memory.told_at) for memory in self.memories]


@dataclass(frozen=True)
class Query:
    """A question as the ranking reads it.

    Attributes:
        text: The question.
        terms: Query terms.
        now: Instant from which "last week" counts back; aware.
        tokens: Tokens of the question; None leaves the measure `late` out.
        phrases: Phrases of the question that a memory may contain word by word.
        quotation: All words of the question as a phrase; None if it cannot be a quotation.
        around: Period before or after an event that the question names; None without one.
        of_conversations: Times of the conversations that the question names by their place.
    """

    text: str
    terms: Sequence[str]
    now: datetime
    tokens: Tokens | None = None
    phrases: Sequence[str] = ()
    quotation: str | None = None
    around: Period | None = None
    of_conversations: Sequence[Period] = ()

    @property
    def lookups(self) -> list[str]:
        """The words and phrases to look up, in the order of `Candidates.rarity`.

        The terms come first; the quotation, if there is one, comes last.
        """
        return [*self.terms, *self.phrases, *([self.quotation] if self.quotation else [])]

    @cached_property
    def periods(self) -> list[Period]:
        """The periods that the question names, as dates or by conversations."""
        return [*named_periods(self.text, self.now), *self.of_conversations]

    @cached_property
    def conversation(self) -> AskedConversation | None:
        """The conversation that the question names by its place."""
        return asked_conversation(self.text, self.now)

    @property
    def lacks_conversation(self) -> bool:
        """True if the question names a conversation by its place, and none is stored there."""
        return self.conversation is not None and not self.of_conversations

    @cached_property
    def is_for_whole_period(self) -> bool:
        """True if the question asks for all of a period, as in "what happened on 3 May?"."""
        return asks_for_whole_period(self.text, self.time_words)

    @cached_property
    def time_words(self) -> set[str]:
        """The words, in lower case, with which the question names its periods."""
        dates = time_words(self.text, self.now)
        named = self.conversation if self.of_conversations else None
        return dates | named.words if named else dates
