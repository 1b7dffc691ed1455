"""Feedback: learn from useful results whether meaning or words find better in a group.

Feedback with its question is a number from −1 to 1: the component `semantic` minus the component
`text` of the memory, negated if the memory was not useful. The exponential moving average of these
numbers, the lean, moves the weight of meaning by at most `feedback_max_shift`, default 0.
"""

from dataclasses import dataclass, replace
from typing import TypeVar

from graph_memory.database.graph import Graph
from graph_memory.domain.models import FoundMemory
from graph_memory.domain.scope import CallScope
from graph_memory.engine import Engine
from graph_memory.search import search
from graph_memory.search.budget import RetrievedMemory
from graph_memory.settings.base import Settings

T = TypeVar("T", FoundMemory, RetrievedMemory)

#: Results of the search; a memory below them was found by neither, and teaches nothing.
_LIMIT = 50


@dataclass(frozen=True, slots=True)
class Feedback:
    """The feedback of a group, summed up."""

    lean: float = 0.0  #: −1 if words find better, 1 if meaning does
    useful: int = 0  #: number of memories that were useful
    useless: int = 0  #: number of memories that were not


async def read(graph: Graph, *, group_id: str) -> Feedback:
    """Return the feedback of a group; zeros before the first."""
    return await graph.one("search/feedback/read", Feedback, group_id=group_id) or Feedback()


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
        engine: The database, the model, `feedback_rate` and the weights of the search.
        scope: The tenant and the instant.
        memory_id: The memory.
        useful: True if the memory was useful.
        question: The question that found the memory; without it the feedback is only counted.

    Returns:
        The feedback of the group, and True if this one has moved the lean.
    """
    lean = None
    if question:
        found = await search.search(engine, scope, question, limit=_LIMIT)
        lean = next((_lean(hit) for hit in found if hit.memory.memory_id == memory_id), None)
    learned = await engine.graph.one(
        "search/feedback/record",
        Feedback,
        lean=lean,
        rate=engine.settings.feedback_rate,
        useful=useful,
        **scope.parameters(),
    )
    return learned or Feedback(), lean is not None


async def reset(graph: Graph, *, group_id: str) -> None:
    """Delete the feedback of a group; its weights are those of the settings again."""
    await graph.run("search/feedback/reset", group_id=group_id)


def shift(settings: Settings, feedback: Feedback) -> float:
    """Return the shift of the weight of meaning, which stays in 0..1."""
    weight = settings.recall_vector_weight
    wanted = weight + settings.feedback_max_shift * feedback.lean
    return min(1.0, max(0.0, wanted)) - weight


def shifted_settings(settings: Settings, feedback: Feedback) -> Settings:
    """Return settings with the weight of meaning shifted."""
    weight = settings.recall_vector_weight + shift(settings, feedback)
    return settings.model_copy(update={"recall_vector_weight": weight})


def add_shift_component(found: list[T], moved: float) -> list[T]:
    """Return results with the shift of the weight of meaning among their components."""
    if not moved:
        return found
    return [replace(hit, components={**hit.components, "feedback": moved}) for hit in found]


def _lean(hit: FoundMemory) -> float:
    """Return how much more meaning than words contributes to a score, −1 to 1."""
    return (hit.components["semantic"] or 0.0) - (hit.components["text"] or 0.0)
