"""Conflicts of a memory with the earlier memories nearest to it in meaning."""

import logging
from dataclasses import dataclass

from graph_memory.domain.models import RECALLED_STATES, ConflictKind, PossibleConflict
from graph_memory.domain.passages import Passage
from graph_memory.domain.scope import CallScope
from graph_memory.engine import Engine
from graph_memory.errors import GraphMemoryError
from graph_memory.learning.conflicts import (
    CONFLICTS,
    MOST_CHARACTERS,
    ConflictModel,
    compare,
    conflict_model,
    differing_spans,
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Neighbour:
    text: str
    memory_id: str
    before: str
    cosine: float


async def possible_conflicts(
    engine: Engine, scope: CallScope, memory_id: str
) -> list[PossibleConflict]:
    """Compare a memory with its nearest earlier neighbours, and list what it may conflict with.

    An error is logged and lists nothing: the memory is stored, and a conflict is only a hint.

    Args:
        engine: The database, and the number of neighbours (`conflict_neighbours`).
        scope: The tenant and the instant.
        memory_id: The memory; an unknown one has no conflicts.

    Returns:
        The conflicts with at least the least score, the highest first. None without coefficients
        for the embedding model.
    """
    count, model = engine.settings.conflict_neighbours, conflict_model(engine.embedder.model)
    if not count or not model:
        return []
    try:
        neighbours = await engine.graph.rows(
            "learning/neighbours/near",
            _Neighbour,
            memory_id=memory_id,
            states=list(RECALLED_STATES),
            nearest=count + 1,
            characters=MOST_CHARACTERS,
            **scope.parameters(),
        )
    except GraphMemoryError as error:
        _log.warning("Cannot compare memory '%s' with its neighbours: %s", memory_id, error)
        return []
    found = [
        conflict
        for each in neighbours
        if (conflict := conflict_with(each.memory_id, each.text, each.before, each.cosine, model))
    ]
    return sorted(found, key=lambda conflict: (-conflict.score, conflict.memory_id))


def conflict_with(
    memory_id: str, text: str, before: str, cosine: float, model: ConflictModel
) -> PossibleConflict | None:
    """Return the conflict with an earlier memory; None if there is none of the least score.

    Args:
        memory_id: The earlier memory.
        text: The text of the new memory.
        before: The text of the earlier memory.
        cosine: Cosine of the two, −1 to 1.
        model: The coefficients, and the least score.
    """
    found = compare(text, before, cosine, model)
    if found.kind not in CONFLICTS or found.score < model.least_score:
        return None
    own, earlier = differing_spans(text, before)
    return PossibleConflict(
        memory_id=memory_id,
        kind=ConflictKind(found.kind),
        score=found.score,
        passage=Passage(*own, text[slice(*own)]),
        earlier_passage=Passage(*earlier, before[slice(*earlier)]),
    )
