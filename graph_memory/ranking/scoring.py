"""The default ranking: what may answer a question, measured in several ways, and their mean.

Each measure is between 0 and 1, and none is fitted to one kind of data:

- `semantic`: the cosine of question and memory, as a share of the best.
- `text`: the rarity of the question's words that the memory holds, as a share of the best.
- `late`: how well each word of the question is met by one of the memory's (see `late.py`).
- `time`: whether the memory is of a time the question names; whether it tells a time where the
  question asks for one. Only of questions that do.
- `form`: 1 for a long memory; a short one says little by itself, and a question even less.
- `speaker`: whether the one person whom the question names says it, as in `Ada: I drink tea.` Only
  of questions that name one; it counts the less, the longer the memories are.
- `sitting`: how good, by all of the above, the best memory is that was told in the same sitting: of
  the same conversation, or both of none, and at about the same time. The longer the less, too.
- `cross`: what a cross-encoder says that reads both as one text, as a share of the best (see
  `cross_encoder.py`). Only if the settings name one, and of the best by the other measures alone:
  the rest have 0, and so stay below those in their order.

A conversation is not understood turn by turn, so for `text` and `late` the words said just before
and after count too, the less the farther away; and an answer counts as saying all that was asked.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graph_memory.domain.models import BriefMemory
from graph_memory.ranking.dates import asks_when, periods, tells_time
from graph_memory.ranking.terms import telling
from graph_memory.settings.base import Settings

Numbers = npt.NDArray[np.float64]

#: Characters of a memory that a ranking reads; a longer one is no short one.
LEAD = 1000

#: Digits that a score shows; an agent pays for each.
PLACES = 8

#: Characters of an answer at most that is understood with the question before it; a longer one
#: says itself what it is about.
_ANSWER = 500

#: Seconds between two memories at which they count half for one another.
_SITTING = 3600

#: A note in brackets may follow, as of an attachment.
_QUESTION = re.compile(r"\?\W*(?:\[[^\]]*\])?\s*$")

#: Who says what follows.
_SPEAKER = re.compile(r"\s*(\w[\w .'’-]{0,39}):\s")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that may answer a question."""

    memory_id: str
    cosine: float  #: of question and memory, -1 to 1
    words: list[tuple[int, float]]  #: of each word it holds, which one and its weight
    lead: str  #: its first `LEAD` characters
    characters: int
    told_at: datetime
    conversation_id: str | None = None
    vectors: bytes | None = None  #: of its words, packed; None if they are not read yet
    told: BriefMemory | None = None  #: None if it is not wanted, or not read yet
    related: bool = False  #: whether a relation leads on from it, if anything is told

    @property
    def similarity(self) -> float:
        """(1 + cosine) / 2, 0 to 1, as everywhere outside the ranking."""
        return round((1 + self.cosine) / 2, PLACES)


@dataclass(frozen=True, slots=True)
class Candidates:
    """What may answer a question, and how rare each of the question's words is."""

    rarity: list[float]
    memories: list[Candidate]
    links: list[tuple[str, str]]  #: ids of memories that follow one another


class Ranked(NamedTuple):
    """A candidate and its score, 0 to 1, as the weighted mean of its components."""

    memory: Candidate
    score: float
    components: dict[str, float | None]


class Ranking:
    """The candidates for a question, with their measures so far."""

    def __init__(
        self, question: str, candidates: Candidates, settings: Settings, now: datetime
    ) -> None:
        self.memories = candidates.memories
        self._told = np.array([memory.told_at.timestamp() for memory in self.memories])
        self._settings = settings
        self._contexts = _contexts(candidates, settings.recall_context_characters)
        share = settings.recall_vector_weight
        self._measures: dict[str, tuple[float, Numbers]] = {
            "semantic": (2 * share, _share(np.array([m.cosine for m in self.memories]))),
            "text": (2 * (1 - share), _share(self._in_context(_words(candidates)).sum(axis=1))),
            "form": (settings.recall_form_weight, _form(self.memories, settings)),
        }
        if of_time := list(_times(question, self.memories, now)):
            weight = settings.recall_time_weight * len(of_time)
            self._measures["time"] = (weight, np.mean(of_time, axis=0))
        if (by_speaker := _by_speaker(question, self.memories, settings)) is not None:
            weight = settings.recall_speaker_weight * self._shortness()
            self._measures["speaker"] = (weight, by_speaker)

    def add_late(self, cosines: Mapping[str, Numbers], weights: Numbers) -> None:
        """Take how well memories meet the question's words; leave out the other memories.

        Args:
            cosines: Of each memory's id, array (n,): the best of each of the question's words.
            weights: How much each word counts, array (n,); together 1.
        """
        kept = [i for i, memory in enumerate(self.memories) if memory.memory_id in cosines]
        own = np.zeros((len(self.memories), len(weights)))
        own[kept] = [cosines[self.memories[i].memory_id] for i in kept]
        late = self._in_context(own)[kept] @ weights
        self.memories = [self.memories[i] for i in kept]
        self._told = self._told[kept]
        self._measures = {name: (w, values[kept]) for name, (w, values) in self._measures.items()}
        self._measures["late"] = (self._settings.recall_late_weight, _share(late))

    def add_sitting(self) -> None:
        """Take how good the best of the same sitting is by the measures so far, if it counts."""
        if self.memories and self._settings.recall_sitting_weight:
            near = _sittings(self.memories, self._told)
            best = (near * np.maximum(self._scores(), 0)).max(axis=1)
            weight = self._settings.recall_sitting_weight * self._shortness()
            self._measures["sitting"] = (weight, _share(best))

    def add_cross(self, cross: Mapping[str, float]) -> None:
        """Take what a cross-encoder says, 0 to 1, of the best memories so far."""
        values = _share(np.array([cross.get(memory.memory_id, 0.0) for memory in self.memories]))
        self._measures["cross"] = (self._settings.recall_cross_encoder_weight, values)

    def first(self, count: int) -> list[Candidate]:
        """Return at most `count` memories, best first, ties by the later told."""
        return [self.memories[i] for i, _ in self._order()[:count]]

    def best(self, limit: int) -> list[Ranked]:
        """Return the `first` memories, each with its score and what it is made of."""
        shown = {
            name: values.round(PLACES).tolist() for name, (_, values) in self._measures.items()
        }
        return [
            Ranked(
                self.memories[i],
                round(score, PLACES),
                {name: values[i] for name, values in shown.items()},
            )
            for i, score in self._order()[:limit]
        ]

    def _order(self) -> list[tuple[int, float]]:
        """Return the place of each memory and its score, best first."""
        scores: list[float] = self._scores().tolist()
        told: list[float] = self._told.tolist()

        def key(place: tuple[int, float]) -> tuple[float, float, str]:
            i, score = place
            return -score, -told[i], self.memories[i].memory_id

        return sorted(enumerate(scores), key=key)

    def _scores(self) -> Numbers:
        weights = np.array([weight for weight, _ in self._measures.values()])
        values = np.array([measured for _, measured in self._measures.values()])
        scores: Numbers = weights @ values / weights.sum()
        return scores

    def _shortness(self) -> float:
        """Return 1 for memories of no length, half for such as are short, 0 for endless ones."""
        short = self._settings.recall_short_characters
        return short / (short + float(np.median([memory.characters for memory in self.memories])))

    def _in_context(self, own: Numbers) -> Numbers:
        """Return of each memory and word what it has by itself or by what was said around it."""
        read = own.copy()
        if self._contexts:
            i, j, share = (np.array(column) for column in zip(*self._contexts, strict=True))
            np.maximum.at(read, i, share[:, None] * own[j])
        return read


def _share(values: Numbers) -> Numbers:
    """Return values as shares of the best; what is below zero counts nothing."""
    return np.maximum(values, 0) / max(1e-9, values.max(initial=0))


def _words(candidates: Candidates) -> Numbers:
    """Return the weight of each of the question's words in each memory."""
    own = np.zeros((len(candidates.memories), len(candidates.rarity)))
    for row, memory in zip(own, candidates.memories, strict=True):
        for word, weight in memory.words:
            row[word] = weight
    return own


def _contexts(candidates: Candidates, half: float) -> list[tuple[int, int, float]]:
    """Return pairs of memories at most two turns apart, and how much the other counts for the one.

    It counts half / (half + distance); the distance is that of their middles, in characters. For
    a short answer, the question counts in full.
    """
    if not half:
        return []
    memories = candidates.memories
    places = {memory.memory_id: i for i, memory in enumerate(memories)}
    following: dict[int, set[int]] = defaultdict(set)
    for first, then in candidates.links:
        if first in places and then in places:
            following[places[first]].add(places[then])
    length = [memory.characters for memory in memories]
    found: list[tuple[int, int, float]] = []
    for i, successors in list(following.items()):
        for j in successors:
            near = (length[i] + length[j]) / 2
            share = half / (half + near)
            answers = length[j] <= _ANSWER and _QUESTION.search(memories[i].lead)
            found += (i, j, share), (j, i, 1.0 if answers else share)
            for k in following.get(j, ()):
                share = half / (half + near + (length[j] + length[k]) / 2)
                found += (i, k, share), (k, i, share)
    return found


def _sittings(memories: Sequence[Candidate], told: Numbers) -> Numbers:
    """Return how near each memory was told to each other of its conversation, 0 to 1."""
    numbers: dict[str | None, int] = defaultdict(lambda: len(numbers))
    conversation = np.array([numbers[memory.conversation_id] for memory in memories])
    nearness = _SITTING / (_SITTING + np.abs(told[:, None] - told))
    return np.where(conversation[:, None] == conversation, nearness, 0)


def _form(memories: Sequence[Candidate], settings: Settings) -> Numbers:
    short = settings.recall_short_characters
    return np.array(
        [
            1
            - short / (short + memory.characters) * (2 if _QUESTION.search(memory.lead) else 1) / 2
            for memory in memories
        ]
    )


def _by_speaker(question: str, memories: Sequence[Candidate], settings: Settings) -> Numbers | None:
    """Tell which memories are said by the one whom a question names; None if that is not one."""
    labels = [_SPEAKER.match(memory.lead) for memory in memories]
    speakers = [label[1].lower() if label else "" for label in labels]

    def words(text: str) -> set[str]:
        return {word for word, _, _ in telling(text, settings.fulltext_analyzer)}

    asked = words(question)
    named = {speaker for speaker in set(speakers) if asked & words(speaker)}
    if len(named) != 1:
        return None
    return np.array([speaker in named for speaker in speakers], dtype=float)


def _times(question: str, memories: Sequence[Candidate], now: datetime) -> Iterator[Numbers]:
    """Tell which memories are of the time asked of, and which tell a time where one is asked for.

    Yields nothing of a question that says nothing of time.
    """
    clock = now if now.tzinfo else now.replace(tzinfo=UTC)
    if named := periods(question, clock):
        told = [any(p.covers(memory.told_at) for p in named) for memory in memories]
        yield np.array(told, dtype=float)
    if asks_when(question):
        yield np.array([tells_time(memory.lead) for memory in memories], dtype=float)
