"""Actions on all memories of a cluster; each records the values before it, for undo."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.domain.encoding import decompress
from graph_memory.domain.inputs import MAX_TAGS
from graph_memory.domain.models import ClusterAction
from graph_memory.domain.scope import CallScope
from graph_memory.engine import Engine
from graph_memory.learning.review import KEPT as KEPT_BY_SUPERSEDING
from graph_memory.memories.access import restore_contents

#: The properties of a memory that actions change; a record keeps their earlier values.
KEPT = (
    *KEPT_BY_SUPERSEDING,
    "tags",
    "preserve_until",
    "unprotected_at",
    "decay_score",
    "last_decay_update",
    "is_compressed",
    "soft_deleted_at",
)


@dataclass(frozen=True, slots=True)
class Act:
    """An action on the memories of a cluster, with what it needs."""

    action: ClusterAction
    cluster_id: str
    tag: str = ""
    reason: str = ""

    def parameters(self) -> dict[str, Any]:
        """Return the parameters that choose the memories."""
        return {
            "cluster_id": self.cluster_id,
            "action": self.action,
            "tag": self.tag,
            "max_tags": MAX_TAGS,
        }


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory of a cluster, and the reason why an action leaves it as it is."""

    memory_id: str
    refused: str | None


@dataclass(frozen=True, slots=True)
class _Preserved:
    memory_id: str
    packed: str | None


async def choose(graph: Graph, scope: CallScope, act: Act) -> list[Candidate]:
    """Return the memories of a cluster in the order of ids, with the refusals of an action."""
    return await graph.rows(
        "learning/acting/choose", Candidate, **act.parameters(), **scope.parameters()
    )


async def carry_out(
    engine: Engine, scope: CallScope, act: Act, memory_ids: Sequence[str], run_id: str
) -> list[str]:
    """Act on memories of a cluster in one transaction, and return the ids of the changed ones.

    A memory that has changed since it was chosen, and is refused now, stays as it is.

    Args:
        engine: The database, and the decay policies.
        scope: The tenant and the instant.
        act: The action.
        memory_ids: The memories, sorted.
        run_id: The run that acts, for undo.
    """
    common: dict[str, Any] = {
        "memory_ids": list(memory_ids),
        "kept": list(KEPT),
        "decay": policies.parameters(engine.settings, run_id),
        **act.parameters(),
        **scope.parameters(),
    }
    return await _ACTS[act.action](engine.graph, scope, act, common)


async def _preserve(graph: Graph, scope: CallScope, act: Act, common: dict[str, Any]) -> list[str]:
    preserved = await graph.rows("learning/acting/preserve", _Preserved, **common)
    packed = {each.memory_id: decompress(each.packed) for each in preserved if each.packed}
    if packed:
        await restore_contents(graph, packed, group_id=scope.group_id)
    return [each.memory_id for each in preserved]


async def _tag(graph: Graph, scope: CallScope, act: Act, common: dict[str, Any]) -> list[str]:
    return await graph.rows("learning/acting/tag", str, **common)


async def _obsolete(graph: Graph, scope: CallScope, act: Act, common: dict[str, Any]) -> list[str]:
    decay = common["decay"] | {"because": json.dumps(act.reason)}
    given = common | {"decay": decay, "reason": act.reason, "relation_id": ""}
    given |= scope.origin.parameters()
    return await graph.rows("learning/acting/obsolete", str, **given)


_ACTS = {
    ClusterAction.PRESERVE: _preserve,
    ClusterAction.TAG: _tag,
    ClusterAction.OBSOLETE: _obsolete,
}
