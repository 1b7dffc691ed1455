"""Protection of memories against callers whose own texts wait for a review.

Such a caller cannot store a false text, and must not delete, supersede or demote a true one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from graph_memory.domain.origin import Authority
from graph_memory.domain.scope import CallScope
from graph_memory.engine import Engine
from graph_memory.errors import ForbiddenError
from graph_memory.memories.pending import rule_for


@dataclass(frozen=True, slots=True)
class _Above:
    memory_id: str
    authority: Authority


async def require_standing(
    engine: Engine, scope: CallScope, memory_ids: Sequence[str] | None
) -> None:
    """Check that a caller may change, delete or supersede memories, or all of a group.

    Args:
        engine: The database, and the rules of the review.
        scope: The tenant, and the origin of the call.
        memory_ids: The memories; None for all of the group.

    Raises:
        ForbiddenError: The caller's texts wait for a review, and a memory has a higher authority.
    """
    rule = rule_for(engine.settings, scope, scope.origin.authority, "")
    if rule is None:
        return
    if memory_ids is None:
        raise ForbiddenError(f"writes by the rule '{rule}' wait for a review")
    own = scope.origin.authority
    found = await engine.graph.rows(
        "memories/standing/above",
        _Above,
        group_id=scope.group_id,
        memory_ids=list(memory_ids),
        authorities=list(own.and_above()[1:] if own else Authority),
    )
    for each in found:
        raise ForbiddenError(
            f"memory '{each.memory_id}' has the authority {each.authority}, "
            f"and writes by the rule '{rule}' wait for a review"
        )
