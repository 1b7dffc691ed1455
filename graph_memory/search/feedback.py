"""Feedback, and the weights that a group has learned from it and from use.

A judgement with its question is a lesson: the answer to the question with its measures, and which
of its memories were useful. Runs learn weights and briefs from lessons (`learning/weights.py`,
`learning/briefs.py`).
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from cachetools import TTLCache
from pydantic import TypeAdapter, ValidationError

from graph_memory.database.graph import Graph
from graph_memory.domain.inputs import Filters
from graph_memory.domain.scope import CallScope
from graph_memory.engine import Engine
from graph_memory.ranking.weights import SHOWN
from graph_memory.search.candidates import rank_candidates
from graph_memory.search.lessons import StoredLesson, lesson_fields, with_passages

#: Results of the search; a memory below them teaches nothing.
_LIMIT = 50

#: Groups whose weights a process keeps, and the seconds after which it reads them again.
_GROUPS = 1000
_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Feedback:
    """The judgements of a group, and the lessons that some memories were useful for."""

    useful: int = 0  #: number of memories that were judged useful
    useless: int = 0  #: number of memories that were judged not useful
    judged_lessons: int = 0  #: lessons from judgements
    used_lessons: int = 0  #: lessons from use in conversations


@dataclass(frozen=True, slots=True)
class GroupWeights:
    """The weights that a group has learned.

    Attributes:
        settings: Value of each setting of a weight.
        before: Value that it had in the configuration when this was learned.
        canary: Share of the searches that use the learned weights, percent.
        gain: Expected gain in nDCG, -1 to 1, and the ends of its 95 % interval.
        lessons: Number of lessons.
        reason: Why these weights are used.
    """

    settings: Mapping[str, float]
    before: Mapping[str, float]
    canary: int
    gain: tuple[float, float, float]
    lessons: int
    reason: str


_WEIGHTS = TypeAdapter(GroupWeights)


class WeightCache:
    """The learned weights of groups, as this process has read them in the last seconds."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: TTLCache[str, tuple[GroupWeights | None]] = TTLCache(_GROUPS, _SECONDS)

    async def read(self, group_id: str) -> GroupWeights | None:
        """Return the learned weights of a group; None if it has none."""
        known = self._known.get(group_id)
        if known is None:
            known = (weights_of(await read_weights(self._graph, group_id)),)
            self._known[group_id] = known
        return known[0]

    def clear(self) -> None:
        """Read the weights of all groups again when they are needed."""
        self._known.clear()


async def read(graph: Graph, *, group_id: str) -> Feedback:
    """Return the feedback of a group; zeros before the first."""
    return await graph.one("search/feedback/read", Feedback, group_id=group_id) or Feedback()


async def read_weights(graph: Graph, group_id: str) -> str | None:
    """Return the learned weights of a group as they are stored; None if it has none."""
    return await graph.one("search/feedback/weights", str, group_id=group_id)


async def read_lessons(graph: Graph, group_id: str) -> list[StoredLesson]:
    """Return the lessons of a group for which some memories were useful, the oldest first."""
    lessons: list[StoredLesson] = []
    async for block in graph.stream("search/feedback/lessons", group_id=group_id):
        lessons += [StoredLesson(*row) for row in block]
    return sorted(lessons, key=lambda each: (each.at, each.question))


async def record(
    engine: Engine,
    scope: CallScope,
    memory_id: str,
    *,
    useful: bool,
    question: str | None,
) -> tuple[Feedback, bool]:
    """Record feedback on a memory.

    Args:
        engine: The database, the model and the weights of the search.
        scope: The tenant and the instant.
        memory_id: The memory.
        useful: True if the memory was useful.
        question: The question that found the memory; without it the feedback is only counted.

    Returns:
        The feedback of the group, and True if a lesson has the judgement.
    """
    lesson = None if question is None else await _lesson(engine, scope, memory_id, question)
    known = await engine.graph.one(
        "search/feedback/record",
        Feedback,
        lesson=lesson,
        memory_id=memory_id,
        useful=useful,
        **scope.parameters(),
    )
    return known or Feedback(), lesson is not None


async def reset(graph: Graph, *, group_id: str) -> None:
    """Delete the feedback, lessons and learned weights of a group."""
    await graph.run("search/feedback/reset", group_id=group_id)


def weights_for(question: str, learned: GroupWeights | None) -> Mapping[str, float]:
    """Return the learned weights by setting that apply to a question; empty for none.

    The question decides whether it is in the canary share, so it always gets the same weights.
    """
    if learned is None or not _in_canary(question, learned.canary):
        return {}
    return learned.settings


def weights_of(text: str | None) -> GroupWeights | None:
    """Return learned weights as they are stored; None if there are none, or if they are damaged."""
    try:
        return _WEIGHTS.validate_json(text) if text else None
    except ValidationError:
        return None


def as_text(weights: GroupWeights) -> str:
    """Return learned weights as they are stored; equal weights have an equal text."""
    return json.dumps(asdict(weights), sort_keys=True)


async def _lesson(
    engine: Engine, scope: CallScope, memory_id: str, question: str
) -> dict[str, Any] | None:
    """Return the lesson of a question; None if its search does not find the memory."""
    embedding = await engine.embedder.embed_query_tokens(question)
    ranked = await rank_candidates(
        engine, scope, question, embedding, limit=_LIMIT, filters=Filters()
    )
    found = [each.memory.memory_id for each in ranked.memories]
    if ranked.ranking is None or memory_id not in found:
        return None
    shown = [*(each for each in found if each != memory_id)][: SHOWN - 1]
    fields = lesson_fields(ranked.ranking, question, [*shown, memory_id], learned=None)
    passages = {each.memory.memory_id: each.passage for each in ranked.memories}
    fields = with_passages(fields, passages)
    return {**fields, "key": hashlib.sha256(question.encode()).hexdigest()}


def _in_canary(question: str, percent: int) -> bool:
    """Return True for a share of all questions; the same question has the same answer."""
    place = int.from_bytes(hashlib.sha256(question.encode()).digest()[:4], "big")
    return place % 100 < percent
