"""Conflicts of a memory with the earlier memories nearest to it in meaning."""

import logging
from dataclasses import dataclass

import numpy as np

from graph_memory.domain.models import RECALLED_STATES, ConflictKind, PossibleConflict
from graph_memory.domain.passages import Passage
from graph_memory.domain.scope import CallScope
from graph_memory.engine import Engine
from graph_memory.errors import GraphMemoryError
from graph_memory.inference.embedder import Vector
from graph_memory.memories.conflicts import (
    CONFLICTS,
    MOST_CHARACTERS,
    ConflictModel,
    compare,
    conflict_model,
    differing_spans,
)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Statement:
    """A text to compare with what was known before it.

    Attributes:
        text: The text; the first `MOST_CHARACTERS` count.
        vector: Its embedding.
        model: The embedding model of the vector.
        valid_at: The instant from which it is true, ISO 8601, UTC; None if it is unknown.
        settled: Ids of memories that do not count: its own, and those that it supersedes or
            contradicts.
    """

    text: str
    vector: Vector
    model: str
    valid_at: str | None
    settled: list[str]


@dataclass(frozen=True, slots=True)
class _Compared:
    text: str
    vector: list[float]
    model: str
    valid_at: str | None
    settled: list[str]

    @property
    def statement(self) -> Statement:
        vector = np.asarray(self.vector, np.float32)
        return Statement(self.text, vector, self.model, self.valid_at, self.settled)


@dataclass(frozen=True, slots=True)
class _Neighbour:
    memory_id: str
    text: str
    cosine: float


async def possible_conflicts(
    engine: Engine, scope: CallScope, memory_id: str
) -> list[PossibleConflict]:
    """Compare a stored memory with its nearest earlier neighbours, as `conflicts_of` does.

    Args:
        engine: The database, and the number of neighbours (`conflict_neighbours`).
        scope: The tenant and the instant.
        memory_id: The memory; an unknown one has no conflicts.
    """
    compared = await engine.graph.one(
        "memories/neighbours/compared",
        _Compared,
        group_id=scope.group_id,
        memory_id=memory_id,
        characters=MOST_CHARACTERS,
    )
    return await conflicts_of(engine, scope, compared.statement) if compared else []


async def conflicts_of(
    engine: Engine, scope: CallScope, statement: Statement
) -> list[PossibleConflict]:
    """Compare a statement with the earlier memories nearest to it in meaning.

    An error is logged and lists nothing: a conflict is only a hint.

    Args:
        engine: The database, and the number of neighbours (`conflict_neighbours`).
        scope: The tenant and the instant.
        statement: The text with its vector.

    Returns:
        The conflicts with at least the least score, the highest first. None without coefficients
        for the embedding model.
    """
    count, model = engine.settings.conflict_neighbours, conflict_model(statement.model)
    if not count or not model:
        return []
    try:
        neighbours = await _neighbours(engine, scope, statement, count)
    except GraphMemoryError as error:
        _log.warning("Cannot compare a memory with its neighbours: %s", error)
        return []
    text = statement.text[:MOST_CHARACTERS]
    found = [
        conflict
        for each in neighbours
        if (conflict := conflict_with(each.memory_id, text, each.text, each.cosine, model))
    ]
    return sorted(found, key=lambda conflict: (-conflict.score, conflict.memory_id))


async def _neighbours(
    engine: Engine, scope: CallScope, statement: Statement, count: int
) -> list[_Neighbour]:
    return await engine.graph.rows(
        "memories/neighbours/near",
        _Neighbour,
        vector=statement.vector,
        model=statement.model,
        valid_at=statement.valid_at,
        left_out=statement.settled,
        states=list(RECALLED_STATES),
        nearest=count + 1,  # the memory itself may be among them
        limit=count,
        characters=MOST_CHARACTERS,
        **scope.parameters(),
    )


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
