"""Lessons: answers with their measures and what was useful, which teach weights and briefs.

A lesson keeps at most `SHOWN` memories of an answer. Those of a conversation belong to its session,
those of feedback to the group.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graph_memory.ranking.candidates import DECIMALS
from graph_memory.ranking.scoring import Ranking
from graph_memory.ranking.weights import MEASURES, SHOWN, Lesson, scales

#: Characters of a question that a lesson keeps.
_QUESTION_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class StoredLesson:
    """A lesson as it is stored.

    Attributes:
        at: Instant of the answer, ISO 8601, UTC.
        question: First 200 characters of the question.
        memory_ids: The n memories of the answer, best first.
        measures: Names of the m measures.
        values: n * m measures, those of the first memory first.
        scales: Share of the configured weight that each measure had, m.
        quotes: n measures of how far each memory quotes the question.
        instants: n instants of the memories, seconds.
        conversations: n numbers of their conversations.
        learned: True if the answer was ranked with learned weights; None if that is unknown.
        useful_ids: Memories that were useful.
        useless_ids: Memories that were judged not useful.
    """

    at: str
    question: str
    memory_ids: list[str]
    measures: list[str]
    values: list[float]
    scales: list[float]
    quotes: list[float]
    instants: list[float]
    conversations: list[int]
    learned: bool | None
    useful_ids: list[str]
    useless_ids: list[str]

    def lesson(self) -> Lesson | None:
        """Return the lesson as the model reads it; None for one that another client damaged."""
        try:
            return self._lesson()
        except (TypeError, ValueError):
            return None

    def _lesson(self) -> Lesson | None:
        count, known = len(self.memory_ids), self.measures
        lists = (self.quotes, self.instants, self.conversations)
        if not count or any(len(each) != count for each in lists):
            return None
        if len(self.scales) != len(known) or len(self.values) != count * len(known):
            return None
        table = np.array(self.values).reshape(count, len(known))
        values = np.zeros((count, len(MEASURES)))
        shares = np.zeros(len(MEASURES))
        for place, name in enumerate(MEASURES):
            if name in known:
                values[:, place] = table[:, known.index(name)]
                shares[place] = self.scales[known.index(name)]
        useful = [id_ in self.useful_ids for id_ in self.memory_ids]
        return Lesson(values, shares, *map(np.array, (*lists, useful)), learned=self.learned)


def lesson_fields(
    ranking: Ranking, question: str, shown: Sequence[str], *, learned: bool | None
) -> dict[str, Any]:
    """Return an answer as the properties of a lesson in which nothing was useful yet.

    Args:
        ranking: The ranking of the question.
        question: The question.
        shown: Ids of the memories of the answer. Those that are not in the ranking are left out.
        learned: True if the ranking has learned weights; None if that is unknown.
    """
    places = {memory.memory_id: i for i, memory in enumerate(ranking.memories)}
    wanted = sorted(
        (places[id_] for id_ in set(shown) & places.keys()), key=_by_score(ranking).__getitem__
    )[:SHOWN]
    memories = [ranking.memories[i] for i in wanted]
    numbers: dict[str | None, int] = {}
    for memory in memories:
        numbers.setdefault(memory.conversation_id, len(numbers))
    return {
        "question": question[:_QUESTION_CHARACTERS],
        "memory_ids": [memory.memory_id for memory in memories],
        "measures": list(MEASURES),
        "values": _values(ranking.measures, wanted),
        "scales": [round(each, DECIMALS) for each in scales(ranking.measures, ranking.settings)],
        "quotes": _measure(ranking.measures, "quotation", wanted),
        "instants": ranking.instants[wanted].tolist(),
        "conversations": [numbers[memory.conversation_id] for memory in memories],
        "learned": learned,
    }


def with_passages(
    fields: dict[str, Any], passages: Mapping[str, tuple[int, int] | None]
) -> dict[str, Any]:
    """Return the properties of a lesson with the passages of its answer.

    Args:
        fields: The properties without them.
        passages: Start and end of the passage that was delivered of a memory, by id.
    """
    spans = [passages.get(memory_id) for memory_id in fields["memory_ids"]]
    return {**fields, "passages": [f"{span[0]}-{span[1]}" if span else "" for span in spans]}


def _by_score(ranking: Ranking) -> list[int]:
    """Return the rank of each candidate, 0 for the best."""
    ordered = ranking.top(len(ranking.memories))
    ranks = {memory.memory_id: rank for rank, memory in enumerate(ordered)}
    return [ranks[memory.memory_id] for memory in ranking.memories]


def _values(measures: Mapping[str, Any], places: Sequence[int]) -> list[float]:
    """Return the measures of candidates, those of the first one first; 0 for `sitting`."""
    columns = [_measure({} if name == "sitting" else measures, name, places) for name in MEASURES]
    return np.array(columns).T.ravel().tolist()


def _measure(measures: Mapping[str, Any], name: str, places: Sequence[int]) -> list[float]:
    """Return a measure of candidates, zeros for an absent one."""
    if name not in measures:
        return [0.0] * len(places)
    values = measures[name][1][list(places)]
    return [round(each, DECIMALS) for each in values.tolist()]
