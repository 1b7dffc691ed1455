"""Links between imported memories, set after all memories are stored."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from operator import itemgetter
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.domain.batching import batched
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import instant
from graph_memory.errors import GraphMemoryError
from graph_memory.memories.absent import each_not_found
from graph_memory.memories.relations import edges, ends_error
from graph_memory.transfer.line_format import ArchivedFact, ArchivedRelation

_BATCH = 2000

#: Fields of a relation in a line that `relate` does not accept.
_KEPT_OF_RELATIONS = (
    "created_at",
    "valid_at",
    "invalid_at",
    "expired_at",
    "original_relation_type",
)


@dataclass(frozen=True, slots=True)
class PendingLink:
    """A parent, relation or fact to set, and its line."""

    line: int
    group_id: str
    from_id: str
    target_id: str
    edge: ArchivedRelation | ArchivedFact | None = None  #: None for a parent

    @property
    def statement(self) -> str:
        """The name of the statement that sets links of this kind."""
        match self.edge:
            case None:
                return "transfer/links/set_parents"
            case ArchivedRelation(expired_at=None):
                return "transfer/links/relate"
            case ArchivedRelation():
                return "transfer/links/relate_ended"
            case ArchivedFact():
                return "transfer/links/add_facts"

    def rows(self, target_id: str) -> list[dict[str, Any]]:
        """Return the rows to write, with the id of the stored target."""
        ends = {"from_id": self.from_id, "to_id": target_id}
        match self.edge:
            case None:
                return [ends]
            case ArchivedFact() as fact:
                return [{**to_properties(asdict(fact)), "new_id": str(uuid.uuid4()), **ends}]
            case relation:
                relation = replace(relation, target_id=target_id)
                kept = {name: getattr(relation, name) for name in _KEPT_OF_RELATIONS}
                return [{**to_properties(kept), **edge} for edge in edges(self.from_id, relation)]


@dataclass(frozen=True, slots=True)
class _SetLink:
    """A link with existing ends."""

    position: int
    created: bool  #: true for a new relation


async def set_links(
    graph: Graph,
    scope: CallScope,
    links: Sequence[PendingLink],
    new_ids: Mapping[str, str],
) -> tuple[int, list[tuple[PendingLink, GraphMemoryError]]]:
    """Set links of a group.

    Args:
        graph: The database.
        scope: The tenant, and the default of missing times.
        links: The links, with the ids that their lines name.
        new_ids: The replaced ids of targets, by old id.

    Returns:
        The number of relations and facts created, and the refused links with their errors.
    """
    made = 0
    refused: list[tuple[PendingLink, GraphMemoryError]] = []
    kinds: dict[str, list[PendingLink]] = {}
    for link in links:
        kinds.setdefault(link.statement, []).append(link)
    for statement, same in kinds.items():
        for batch in batched(same, _BATCH):
            done, errors = await _set(graph, scope, statement, batch, new_ids)
            made += done
            refused += errors
    return made, refused


def to_properties(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as stored properties: instants as text."""
    return {k: instant(v) if isinstance(v, datetime) else v for k, v in values.items()}


async def _set(
    graph: Graph,
    scope: CallScope,
    statement: str,
    links: Sequence[PendingLink],
    new_ids: Mapping[str, str],
) -> tuple[int, list[tuple[PendingLink, GraphMemoryError]]]:
    rows: dict[int, list[dict[str, Any]]] = {}
    refused: list[tuple[PendingLink, GraphMemoryError]] = []
    for position, link in enumerate(links):
        target_id = new_ids.get(link.target_id, link.target_id)
        if error := _error(link, target_id):
            refused.append((link, error))
        else:
            rows[position] = [{"position": position, **row} for row in link.rows(target_id)]
    made = await graph.rows(
        statement,
        _SetLink,
        links=sorted(
            (row for some in rows.values() for row in some), key=itemgetter("from_id", "to_id")
        ),
        **scope.parameters(),
        **(scope.origin.parameters() if links[0].edge else {}),
    )
    missing = [links[position] for position in sorted(rows.keys() - {m.position for m in made})]
    ends = {link.target_id: None for link in missing}
    errors = await each_not_found(graph, scope.group_id, ends)
    refused += [(link, errors[link.target_id]) for link in missing]
    return sum(each.created for each in made), refused


def _error(link: PendingLink, target_id: str) -> GraphMemoryError | None:
    """Return the error of a link, with the id of the stored target, or None.

    A content that is stored under another id may be its own target.
    """
    if isinstance(link.edge, ArchivedFact):
        return None
    relation = link.edge or ArchivedRelation(target_id=target_id)
    return ends_error(link.from_id, replace(relation, target_id=target_id))
