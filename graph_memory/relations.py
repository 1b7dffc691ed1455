"""Typed, directed relations between the memories of a group."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graph_memory.arguments import NewRelation
from graph_memory.errors import InvalidArgumentError, NotFoundError
from graph_memory.graph import Graph
from graph_memory.memories import RelationType, instant

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
    """A relation as made or updated."""

    from_id: str
    to_id: str
    relation_type: RelationType
    strength: float
    created: bool


def inverse(relation_type: RelationType) -> RelationType:
    """Return the type that says the same from the other end; most types are their own."""
    return _INVERSES.get(relation_type, relation_type)


async def relate(
    graph: Graph, from_id: str, relations: Sequence[NewRelation], *, group_id: str, now: datetime
) -> list[Related]:
    """Relate a memory to others of its group; repeating a relation updates it.

    A bidirectional relation is two directed ones, the second of the inverse type.

    Raises:
        InvalidArgumentError: A memory is to be related to itself.
        NotFoundError: One of the ends is not in the group.
    """
    for relation in relations:
        if relation.valid_at and relation.invalid_at and relation.invalid_at <= relation.valid_at:
            raise InvalidArgumentError("invalid_at", relation.invalid_at, "it comes after valid_at")
    rows = [row for relation in relations for row in edges(from_id, relation)]
    made = await graph.rows(
        "relations/relate", Related, group_id=group_id, relations=rows, now=instant(now)
    )
    if len(made) < len(rows):
        there = {end for relation in made for end in (relation.from_id, relation.to_id)}
        absent = [r.target_id for r in relations if r.target_id not in there]
        raise NotFoundError(absent[0] if there else from_id, group_id)
    return made


async def unrelate(
    graph: Graph,
    from_id: str,
    to_id: str,
    relation_type: RelationType | None,
    *,
    both_directions: bool,
    group_id: str,
    now: datetime,
) -> int:
    """End the relations from one memory to another, and return their number; none is erased.

    Args:
        graph: Where.
        from_id: Where they start.
        to_id: Where they end.
        relation_type: Of these; None ends all.
        both_directions: Also those from `to_id` to `from_id`.
        group_id: The tenant.
        now: When they end.
    """
    ended = await graph.rows(
        "relations/unrelate",
        str,
        group_id=group_id,
        from_id=from_id,
        to_id=to_id,
        relation_type=relation_type,
        both_directions=both_directions,
        now=instant(now),
    )
    return len(ended)


def edges(from_id: str, relation: NewRelation) -> list[dict[str, Any]]:
    """Return the properties of the one or two edges that a relation is stored as."""
    if relation.target_id == from_id:
        raise InvalidArgumentError("target_id", from_id, "a memory cannot be related to itself")
    there = _row(from_id, relation.target_id, relation.relation_type, relation)
    if not relation.bidirectional:
        return [there]
    return [there, _row(relation.target_id, from_id, inverse(relation.relation_type), relation)]


def _row(
    from_id: str, to_id: str, relation_type: RelationType, relation: NewRelation
) -> dict[str, Any]:
    return {
        "relation_id": str(uuid.uuid4()),
        "edge_key": f"{from_id}|{relation_type}|{to_id}",
        "from_id": from_id,
        "to_id": to_id,
        "relation_type": relation_type,
        "strength": relation.strength,
        "fact": relation.fact,
        "valid_at": instant(relation.valid_at) if relation.valid_at else None,
        "invalid_at": instant(relation.invalid_at) if relation.invalid_at else None,
        "metadata_json": json.dumps(dict(relation.metadata), ensure_ascii=False, allow_nan=False),
    }
