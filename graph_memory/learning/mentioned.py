"""The entities that memories mention, as callers see them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from graph_memory.database.graph import Graph
from graph_memory.domain.models import EntityKind
from graph_memory.learning.entities import entity_id, known_entities
from graph_memory.ranking.mentions import identity, name_key

#: Memories of an entity that a list names, and the answer about one name.
_LISTED, _NAMED = 3, 50


@dataclass(frozen=True, slots=True)
class EntityMention:
    """A memory that mentions an entity."""

    memory_id: str
    lead: str  #: title of the memory, or the beginning of its content
    text: str  #: spelling at the first place
    starts: list[int]  #: index of the first character of each place
    ends: list[int]  #: index after the last character of each place


@dataclass(frozen=True, slots=True)
class EntityAlias:
    """An entity that is one with another, by a proposal that was accepted."""

    entity_id: str
    kind: EntityKind
    name: str


@dataclass(frozen=True, slots=True)
class MentionedEntity:
    """An entity that memories mention, and those that are one with it.

    Graphiti's entity stands first, then a name, then the most mentioned one.
    """

    entity_id: str
    kind: EntityKind
    name: str  #: Graphiti's name, or the spelling of most memories
    memories: int  #: memories that mention it or an alias, without deleted ones
    mentions: list[EntityMention]  #: the newest of them
    aliases: list[EntityAlias] = field(default_factory=list[EntityAlias])

    def has_kind(self, kinds: Sequence[EntityKind] | None) -> bool:
        """Return True if the entity or an alias has one of some kinds; None for all."""
        return kinds is None or any(each.kind in kinds for each in (self, *self.aliases))


@dataclass(frozen=True, slots=True)
class MentionedEntities:
    """The entities of a list, those of most memories first, and the number of all."""

    entities: list[MentionedEntity]
    total: int


async def list_entities(
    graph: Graph, group_id: str, kinds: Sequence[EntityKind] | None, limit: int
) -> MentionedEntities:
    """List the entities that most memories of a group mention."""
    chosen = {"group_id": group_id, "kinds": None if kinds is None else list(kinds)}
    found = await graph.rows(
        "learning/mentioned/list", MentionedEntity, limit=limit, places=_LISTED, **chosen
    )
    total = len(found)
    if total == limit:
        total = await graph.one("learning/mentioned/count", int, **chosen) or 0
    return MentionedEntities(found, total)


async def entities_named(
    graph: Graph, group_id: str, name: str, kinds: Sequence[EntityKind] | None, limit: int
) -> MentionedEntities:
    """Find the entities with a name, whatever its case, and the memories that mention them."""
    known = await known_entities(graph, group_id)
    ids = [
        found
        for each in dict.fromkeys((identity(name), (EntityKind.NAME, name_key(name))))
        for found in (known.get(each), entity_id(group_id, *each))
        if found
    ]
    rows = await graph.rows(
        "learning/mentioned/named",
        MentionedEntity,
        group_id=group_id,
        entity_ids=ids,
        places=_NAMED,
    )
    return _limited(rows, kinds, limit)


async def entities_of_memory(
    graph: Graph, group_id: str, memory_id: str, kinds: Sequence[EntityKind] | None, limit: int
) -> MentionedEntities:
    """List the entities that a memory mentions, with the places in its content."""
    rows = await graph.rows(
        "learning/mentioned/of_memory", MentionedEntity, group_id=group_id, memory_id=memory_id
    )
    return _limited(rows, kinds, limit)


def _limited(
    rows: Sequence[MentionedEntity], kinds: Sequence[EntityKind] | None, limit: int
) -> MentionedEntities:
    found = [each for each in rows if each.has_kind(kinds)]
    return MentionedEntities(found[:limit], len(found))
