"""Learn from what helped whether meaning or words find better in a group.

A judgement with its question is a number from −1 to 1: how much more of the memory's score came
from meaning than from words, turned round if it did not help. Their weighted average, the lean,
moves the weight of meaning by at most `feedback_max_shift`, which is 0 unless set.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from graph_memory.database.graph import Graph
from graph_memory.domain.models import FoundMemory
from graph_memory.domain.timestamps import instant
from graph_memory.inference.embedder import Embedder
from graph_memory.search import search
from graph_memory.search.budget import RetrievedMemory
from graph_memory.settings.base import Settings

T = TypeVar("T", FoundMemory, RetrievedMemory)

#: A memory that ranks lower was not found by either, and teaches nothing.
_LOOKED_AT = 50


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a group's judgements come to."""

    lean: float = 0.0  #: −1 words find better, 1 meaning does
    useful: int = 0
    useless: int = 0


async def read(graph: Graph, *, group_id: str) -> Feedback:
    """Return what a group's judgements come to; before the first they come to nothing."""
    return await graph.one("search/feedback/read", Feedback, group_id=group_id) or Feedback()


async def record(
    graph: Graph,
    embedder: Embedder,
    settings: Settings,
    memory_id: str,
    *,
    useful: bool,
    question: str | None,
    group_id: str,
    now: datetime,
) -> tuple[Feedback, bool]:
    """Take a judgement in.

    Args:
        graph: Where to look and store.
        embedder: Maps the question to a vector.
        settings: The weight of the latest judgement, and how to search.
        memory_id: The memory judged.
        useful: Whether it helped.
        question: What it was found by; without it the judgement is only counted.
        group_id: The tenant.
        now: The caller's clock.

    Returns:
        What the judgements come to now, and whether this one had something to teach.
    """
    lean = None
    if question:
        found = await search.search(
            graph, embedder, settings, question, group_id=group_id, now=now, limit=_LOOKED_AT
        )
        lean = next((_lean(hit) for hit in found if hit.memory.memory_id == memory_id), None)
    learned = await graph.one(
        "search/feedback/record",
        Feedback,
        group_id=group_id,
        lean=lean,
        rate=settings.feedback_rate,
        useful=useful,
        now=instant(now),
    )
    return learned or Feedback(), lean is not None


async def reset(graph: Graph, *, group_id: str) -> None:
    """Forget a group's judgements; its weights are again exactly the settings'."""
    await graph.run("search/feedback/reset", group_id=group_id)


def shift(settings: Settings, feedback: Feedback) -> float:
    """Return by how much the weight of meaning is moved, up or down; it stays in 0..1."""
    weight = settings.recall_vector_weight
    wanted = weight + settings.feedback_max_shift * feedback.lean
    return min(1.0, max(0.0, wanted)) - weight


def shifted(settings: Settings, feedback: Feedback) -> Settings:
    """Return settings with the weight of meaning moved."""
    weight = settings.recall_vector_weight + shift(settings, feedback)
    return settings.model_copy(update={"recall_vector_weight": weight})


def explained(found: list[T], moved: float) -> list[T]:
    """Show, beside what each score is made of, by how much feedback moved the weight of meaning."""
    if not moved:
        return found
    return [replace(hit, components={**hit.components, "feedback": moved}) for hit in found]


def _lean(hit: FoundMemory) -> float:
    return (hit.components["semantic"] or 0.0) - (hit.components["text"] or 0.0)
