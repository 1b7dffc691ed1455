"""Typed, directed relations between the memories of a group."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.domain.inputs import NewRelation
from graph_memory.domain.models import RelationType
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import instant
from graph_memory.errors import InvalidArgumentError
from graph_memory.memories.absent import not_found
from graph_memory.wording import argument

#: Strength of a new relation without one.
_STRENGTH = 0.5

_INVERSES = {
    RelationType.CAUSES: RelationType.CAUSED_BY,
    RelationType.CAUSED_BY: RelationType.CAUSES,
    RelationType.PRECEDES: RelationType.FOLLOWS,
    RelationType.FOLLOWS: RelationType.PRECEDES,
    RelationType.PART_OF: RelationType.CONTAINS,
    RelationType.CONTAINS: RelationType.PART_OF,
}


@dataclass(frozen=True, slots=True)
class Related:
    """A relation that was created or updated."""

    from_id: str
    to_id: str
    relation_type: RelationType
    strength: float
    created: bool


def inverse(relation_type: RelationType) -> RelationType:
    """Return the type of the same relation read from the other end; most are their own inverse."""
    return _INVERSES.get(relation_type, relation_type)


async def relate(
    graph: Graph, scope: CallScope, from_id: str, relation: NewRelation
) -> list[Related]:
    """Create a relation from a memory to another of its group, or update an existing one.

    What is not given keeps its stored value. A bidirectional relation is stored as two directed
    ones, the second of the inverse type.

    Raises:
        InvalidArgumentError: The memory is its own target, or the relation ends before it starts.
        NotFoundError: One of the ends is not in the group.
    """
    (made,) = await relate_many(graph, scope, [(from_id, relation)])
    if not made:
        await require_all(graph, [from_id, relation.target_id], group_id=scope.group_id)
        raise await not_found(graph, scope.group_id, from_id)
    return made


async def require_all(graph: Graph, memory_ids: Sequence[str], *, group_id: str) -> None:
    """Check that all memories are in the group.

    Raises:
        NotFoundError: Some are not; the error names them.
    """
    existing = set(
        await graph.rows(
            "memories/relations/ends", str, group_id=group_id, memory_ids=list(memory_ids)
        )
    )
    if missing := [each for each in dict.fromkeys(memory_ids) if each not in existing]:
        raise await not_found(graph, group_id, *missing)


async def relate_many(
    graph: Graph, scope: CallScope, pairs: Sequence[tuple[str, NewRelation]]
) -> list[list[Related]]:
    """Create or update relations in one statement, each from the id it comes with.

    Returns:
        The relations stored for each pair; an empty list if an end is missing.
    """
    for from_id, relation in pairs:
        if error := relation_error(from_id, relation):
            raise error
    rows = [edges(from_id, relation) for from_id, relation in pairs]
    if not rows:
        return []
    made = await graph.rows(
        "memories/relations/relate",
        Related,
        relations=[edge for some in rows for edge in some],
        **scope.parameters(),
        **scope.origin.parameters(),
    )
    by_ends = {(edge.from_id, edge.to_id, edge.relation_type): edge for edge in reversed(made)}
    keys = [[(e["from_id"], e["to_id"], e["relation_type"]) for e in some] for some in rows]
    return [[by_ends.pop(key) for key in some if key in by_ends] for some in keys]


async def unrelate(
    graph: Graph,
    scope: CallScope,
    from_id: str,
    to_id: str,
    relation_type: RelationType | None,
    *,
    both_directions: bool,
) -> int:
    """End the relations from one memory to another, and return their number; none is erased.

    Args:
        graph: The database.
        scope: The tenant, and the instant at which they end.
        from_id: The memory at the start.
        to_id: The memory at the end.
        relation_type: The type to end; None ends all types.
        both_directions: True to end relations from `to_id` to `from_id` as well.

    Raises:
        NotFoundError: One of the ends is not in the group.
    """
    ended = await graph.rows(
        "memories/relations/unrelate",
        str,
        from_id=from_id,
        to_id=to_id,
        relation_type=relation_type,
        both_directions=both_directions,
        **scope.parameters(),
    )
    if not ended:
        await require_all(graph, [from_id, to_id], group_id=scope.group_id)
    return len(ended)


def relation_error(from_id: str, relation: NewRelation) -> InvalidArgumentError | None:
    """Return the error of a relation that is invalid in itself, or None."""
    if error := ends_error(from_id, relation):
        return error
    if relation.valid_at and relation.invalid_at and relation.invalid_at <= relation.valid_at:
        return InvalidArgumentError(
            "invalid_at",
            relation.invalid_at,
            f"it must be after {argument('valid_at', instant(relation.valid_at))}; "
            "exchange the two, or omit one",
        )
    return None


def ends_error(from_id: str, relation: NewRelation) -> InvalidArgumentError | None:
    """Return the error of a relation with invalid ends or an invalid direction, or None.

    The dates are not checked: an export may hold a relation that ended before its start.
    """
    if relation.target_id == from_id:
        return InvalidArgumentError("target_id", from_id, "a memory cannot be related to itself")
    if relation.bidirectional and relation.relation_type is RelationType.SUPERSEDES:
        return InvalidArgumentError(
            "bidirectional", True, "two memories cannot supersede each other; omit it"
        )
    return None


def edges(from_id: str, relation: NewRelation) -> list[dict[str, Any]]:
    """Return the properties of the one or two edges that store a relation.

    Raises:
        InvalidArgumentError: The ends or the direction are invalid.
    """
    if error := ends_error(from_id, relation):
        raise error
    outgoing = _row(from_id, relation.target_id, relation.relation_type, relation)
    if not relation.bidirectional:
        return [outgoing]
    return [outgoing, _row(relation.target_id, from_id, inverse(relation.relation_type), relation)]


def _row(
    from_id: str, to_id: str, relation_type: RelationType, relation: NewRelation
) -> dict[str, Any]:
    metadata = relation.metadata
    text = json.dumps(dict(metadata or {}), ensure_ascii=False, allow_nan=False)
    return {
        "relation_id": str(uuid.uuid4()),
        "edge_key": f"{from_id}|{relation_type}|{to_id}",
        "from_id": from_id,
        "to_id": to_id,
        "relation_type": relation_type,
        "strength": _STRENGTH if relation.strength is None else relation.strength,
        "given_strength": relation.strength,
        "fact": relation.fact,
        "valid_at": instant(relation.valid_at) if relation.valid_at else None,
        "invalid_at": instant(relation.invalid_at) if relation.invalid_at else None,
        "metadata_json": text,
        "given_metadata_json": None if metadata is None else text,
    }
