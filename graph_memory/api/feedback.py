"""Feedback: judgements of the usefulness of memories, and the weights learned from them."""

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from graph_memory.context import Context
from graph_memory.domain.inputs import Question, validate_value
from graph_memory.ranking.weights import weight_settings
from graph_memory.search import feedback
from graph_memory.search.feedback import Feedback, GroupWeights


@dataclass(frozen=True, slots=True)
class LearnedWeight:
    """The weight of a component of the ranking."""

    setting: str  #: the setting of the weight
    configured: float
    learned: float | None  #: None: the group uses the configured one


@dataclass(frozen=True, slots=True)
class Learned:
    """The feedback of a group, and the weights that it has learned.

    Attributes:
        useful: Number of memories that were judged useful.
        useless: Number of memories that were judged not useful.
        judged_lessons: Answers with a useful memory, by feedback with a query.
        used_lessons: Answers with a useful memory, by use in a conversation.
        enabled: True if searches use learned weights: the setting `learn` includes `weights`.
        canary: Share of the searches that use them, percent; 0 without learned weights.
        gain: Expected gain in nDCG, -1 to 1, on lessons that were held back.
        gain_interval: Ends of its 95 % interval.
        lessons: Number of lessons that the weights were learned from.
        reason: Why the weights were learned.
        weights: The weights.
        taught: True if the judgement of this call is part of a lesson.
    """

    useful: int
    useless: int
    judged_lessons: int
    used_lessons: int
    enabled: bool
    canary: int = 0
    gain: float | None = None
    gain_interval: tuple[float, float] | None = None
    lessons: int = 0
    reason: str | None = None
    weights: list[LearnedWeight] = field(default_factory=list[LearnedWeight])
    taught: bool = False


@dataclass(frozen=True, slots=True)
class FeedbackExport:
    """Export of all that a group has learned, with each lesson."""

    group_id: str
    learned: Learned
    lessons: list[dict[str, Any]]  #: the oldest first


class FeedbackApi:
    """The feedback on a `GraphMemory`: `memory.feedback`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def add(
        self,
        memory_id: str,
        useful: bool,
        *,
        query: str | None = None,
        session_id: str | None = None,
        group_id: str | None = None,
    ) -> Learned:
        """Store a judgement of a memory; a run can learn from it if the question is given.

        A useful memory counts as accessed.

        Args:
            memory_id: The memory.
            useful: True if the memory helped.
            query: The question that found the memory; without it the judgement is only counted.
            session_id: The session of the conversation that used the memory. Relations between
                useful memories of one conversation become stronger.
            group_id: The tenant.

        Raises:
            NotFoundError: The group has no such memory.
        """
        context = self._context
        await context.require_vectors()
        scope = context.scope(group_id)
        stored = await context.read_memory(scope, memory_id)
        known, taught = await feedback.record(
            context.engine,
            scope,
            stored.memory_id,
            useful=validate_value(bool, useful, "useful"),
            question=None if query is None else validate_value(Question, query, "query"),
        )
        if useful:
            context.note_use(scope, stored.memory_id, session_id)
            context.count_accesses(scope, [stored.memory_id])
        return replace(await self._learned(scope.group_id, known), taught=taught)

    async def read(self, *, group_id: str | None = None) -> Learned:
        """Return the feedback of a group, and the weights that it has learned."""
        group = self._context.group(group_id)
        return await self._learned(group, await feedback.read(self._context.graph, group_id=group))

    async def reset(self, *, group_id: str | None = None) -> Learned:
        """Delete the feedback, lessons and learned weights of a group."""
        await feedback.reset(self._context.graph, group_id=self._context.group(group_id))
        self._context.forget_learned()
        return await self.read(group_id=group_id)

    async def export(self, *, group_id: str | None = None) -> FeedbackExport:
        """Return what a group has learned, and the lessons from which a run learns."""
        group = self._context.group(group_id)
        lessons = await feedback.read_lessons(self._context.graph, group)
        learned = await self.read(group_id=group)
        return FeedbackExport(group, learned, [asdict(each) for each in lessons])

    async def _learned(self, group: str, known: Feedback) -> Learned:
        context = self._context
        stored = feedback.weights_of(await feedback.read_weights(context.graph, group))
        configured = weight_settings(context.settings)
        learned = Learned(
            known.useful,
            known.useless,
            known.judged_lessons,
            known.used_lessons,
            "weights" in context.settings.learn,
            weights=[
                LearnedWeight(name, value, stored.settings.get(name) if stored else None)
                for name, value in configured.items()
            ],
        )
        return _with_weights(learned, stored) if stored else learned


def _with_weights(learned: Learned, stored: GroupWeights) -> Learned:
    mean, low, high = stored.gain
    return replace(
        learned,
        canary=stored.canary,
        gain=mean,
        gain_interval=(low, high),
        lessons=stored.lessons,
        reason=stored.reason,
    )
