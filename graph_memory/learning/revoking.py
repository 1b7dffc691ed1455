"""Taking back what came from one source; each change records the values before it, for undo."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.domain.scope import CallScope
from graph_memory.engine import Engine
from graph_memory.learning.acting import KEPT


@dataclass(frozen=True, slots=True)
class RevokedSource:
    """A source of texts: all that is given must match.

    Attributes:
        token: The id of a token, its name and id, or the subject of a JWT.
        origin_id: An import, a run or the job of an episode.
        conversation_id: A conversation.
        since: The earliest instant of a text, as ISO 8601.
    """

    token: str | None = None
    origin_id: str | None = None
    conversation_id: str | None = None
    since: str | None = None

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of `learning/revoking/relations`."""
        return {
            "caller": self.token,
            "token_id": self.token,
            "origin_id": self.origin_id,
            "since": self.since,
        }


@dataclass(frozen=True, slots=True)
class SourcedMemory:
    """A memory of a source.

    Attributes:
        memory_id: The memory.
        derived: Whether it came another way, below a memory of the source.
        rewritten: Whether an earlier text came from another caller.
    """

    memory_id: str
    derived: bool
    rewritten: bool


async def choose(graph: Graph, scope: CallScope, source: RevokedSource) -> list[SourcedMemory]:
    """Return the memories of a source and those below them, in the order of ids."""
    return await graph.rows(
        "learning/revoking/choose",
        SourcedMemory,
        group_id=scope.group_id,
        conversation_id=source.conversation_id,
        **source.parameters(),
    )


async def relations_of(graph: Graph, scope: CallScope, source: RevokedSource) -> list[str]:
    """Return the ids of the relations of a source that hold; a conversation has none."""
    if source.conversation_id:
        return []
    return await graph.rows(
        "learning/revoking/relations", str, group_id=scope.group_id, **source.parameters()
    )


async def revoke(
    engine: Engine, scope: CallScope, memory_ids: Sequence[str], run_id: str, reason: str
) -> list[str]:
    """Soft-delete memories in one transaction, and return the ids of the changed ones.

    Args:
        engine: The database, and the decay policies.
        scope: The tenant and the instant.
        memory_ids: The memories, sorted.
        run_id: The run that revokes, for undo.
        reason: The reason, for the history.
    """
    return await engine.graph.rows(
        "learning/revoking/revoke",
        str,
        memory_ids=list(memory_ids),
        kept=list(KEPT),
        decay=policies.parameters(engine.settings, run_id) | {"because": json.dumps(reason)},
        **scope.parameters(),
    )


async def end_relations(
    graph: Graph, scope: CallScope, relation_ids: Sequence[str], run_id: str
) -> int:
    """End relations in one transaction, and return their number."""
    ended = await graph.rows(
        "learning/revoking/end_relations",
        str,
        relation_ids=list(relation_ids),
        run_id=run_id,
        **scope.parameters(),
    )
    return len(ended)
