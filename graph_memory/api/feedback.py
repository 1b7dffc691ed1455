"""Feedback: judgements of the usefulness of memories, and their effect on the ranking."""

from dataclasses import dataclass, replace

from graph_memory.context import Context
from graph_memory.domain.inputs import Question, validate_value
from graph_memory.search import feedback
from graph_memory.search.feedback import Feedback


@dataclass(frozen=True, slots=True)
class Learned:
    """The effect of feedback on the ranking of a group."""

    lean: float  #: −1 if words find better, to 1 if meaning does
    shift: float  #: of the weight of meaning, −1 to 1; 0 while feedback is disabled
    vector_weight: float  #: weight of meaning in the profile `recall` after the shift, 0 to 1
    useful: int  #: number of memories that were useful
    useless: int  #: number of memories that were not
    taught: bool = False  #: True if the judgement of this call has moved the lean


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
        """Store a judgement of a memory; the ranking learns from it if the question is given.

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
        learned, taught = await feedback.record(
            context.engine,
            scope,
            stored.memory_id,
            useful=validate_value(bool, useful, "useful"),
            question=None if query is None else validate_value(Question, query, "query"),
        )
        if useful:
            context.note_use(scope, stored.memory_id, session_id)
            context.count_accesses(scope, [stored.memory_id])
        return replace(self._learned(learned), taught=taught)

    async def read(self, *, group_id: str | None = None) -> Learned:
        """Return the effect of the feedback of a group so far."""
        group = self._context.group(group_id)
        return self._learned(await feedback.read(self._context.graph, group_id=group))

    async def reset(self, *, group_id: str | None = None) -> Learned:
        """Delete the feedback of a group; its ranking follows the settings again."""
        await feedback.reset(self._context.graph, group_id=self._context.group(group_id))
        return await self.read(group_id=group_id)

    def _learned(self, known: Feedback) -> Learned:
        settings = self._context.settings
        moved = feedback.shift(settings, known)
        weight = settings.recall_vector_weight + moved
        return Learned(known.lean, moved, weight, known.useful, known.useless)
