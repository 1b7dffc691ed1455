"""Adoption of entities that Graphiti made: they become memories in place, and can be released.

Relations keep their names, and Graphiti's properties stay as they are. Our properties are added;
values under their names are set aside.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from dataclasses import fields as dataclass_fields
from typing import Any

from graph_memory.context import Context
from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.domain.encoding import group_key
from graph_memory.domain.origin import Authority
from graph_memory.domain.properties import FACT_PROPERTIES, MEMORY_PROPERTIES
from graph_memory.domain.timestamps import instant
from graph_memory.errors import InvalidArgumentError
from graph_memory.graphiti.properties import memory_properties
from graph_memory.graphiti.rename_group import GroupRename, give_back, is_tenant, remedy, rename
from graph_memory.memories.tombstones import judge_each

_BATCH = 1000


@dataclass(frozen=True, slots=True)
class _Surveyed:
    group_id: str | None
    labels: list[str]
    entities: int
    unusable: int  #: without an id, a name or an instant of creation
    no_summary: int
    no_vector: int  #: without a vector of the name: Graphiti's vector search misses them
    other_width: int  #: with a name vector of another width: left as it is, not searched
    with_ours: int  #: with properties of our names, which are set aside


@dataclass(frozen=True, slots=True)
class AdoptableGroup(_Surveyed):
    """The entities of a group that are not memories yet, with the counts of their defects."""

    server: str  #: the server of the placement file that holds them
    placed: bool  #: False if the group is on another server, so that no call would find them

    @property
    def adoptable(self) -> bool:
        """True if the group's id is a valid tenant id, and the group is on this server."""
        return is_tenant(self.group_id) and self.placed


@dataclass(frozen=True, slots=True)
class MisplacedGroup:
    """A group with entities on a server that does not have the group; they stay as they are."""

    group_id: str
    server: str  #: the server that holds the entities
    placed_on: str  #: the server that has the group


@dataclass(frozen=True, slots=True)
class Adopted:
    """The numbers of entities and facts that were adopted or released."""

    entities: int
    facts: int
    renamed: list[GroupRename] = field(default_factory=list[GroupRename])  #: groups renamed as well
    left: list[str] = field(default_factory=list[str])  #: groups skipped for an invalid id
    rejected: int = 0  #: entities whose content the group has rejected or erased
    misplaced: list[MisplacedGroup] = field(default_factory=list[MisplacedGroup])


@dataclass(frozen=True, slots=True)
class _Entity:
    memory_id: str
    name: str
    summary: str | None
    labels: list[str]


async def count_adoptable(
    context: Context, groups: Sequence[str] | None = None
) -> list[AdoptableGroup]:
    """Count the entities that an adoption would take, and their defects, without any change."""
    found: list[AdoptableGroup] = []
    for server in context.graph.servers:
        surveyed = await server.rows(
            "graphiti/adoption/survey",
            _Surveyed,
            groups=None if groups is None else list(groups),
            dimensions=context.settings.embedding_dimensions,
            owned=[*MEMORY_PROPERTIES],
        )
        for each in surveyed:
            placed = not is_tenant(each.group_id) or _has(context, server, each.group_id or "")
            fields = {name.name: getattr(each, name.name) for name in dataclass_fields(each)}
            found.append(AdoptableGroup(**fields, server=server.name, placed=placed))
    return found


async def adopt(
    context: Context,
    groups: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    renames: Mapping[str, str] | None = None,
    on_progress: Callable[[int], None] = lambda done: None,
) -> Adopted:
    """Turn entities into memories; a repeated adoption changes nothing.

    Each group is adopted on the server that has it. Entities whose content the group has rejected
    or erased stay as they are.

    Args:
        context: The database, settings and clock.
        groups: The groups to adopt; default all groups with a valid tenant id.
        labels: Labels of the entities to adopt; default all.
        renames: New ids of groups by their old ids, applied first. Graphiti's clients must use the
            new ids from then on.
        on_progress: Called after each batch with the number of entities adopted by it.

    Raises:
        InvalidArgumentError: An id in `groups`, or every id there is, is not a valid tenant id, or
            a rename is not possible. Nothing was changed.
    """
    tenants = [_tenant(context, group_id) for group_id in groups or ()]
    renamed = await rename(context.graph, renames or {})
    left: list[str] = []
    if groups is None:
        found = await _groups(context)
        tenants = [
            each for server, each in found if is_tenant(each) and _has(context, server, each)
        ]
        left = sorted({each for _, each in found if not is_tenant(each)})
        if left and not tenants and not renames:
            raise InvalidArgumentError("group", left[0], remedy(left[0]))
    entities = facts = rejected = 0
    for group_id in tenants:
        adopted, refused = await _adopt_entities(context, group_id, labels, on_progress)
        entities += adopted
        rejected += refused
        facts += await _adopt_facts(context, group_id)
    return Adopted(entities, facts, renamed, left, rejected, await _misplaced(context, groups))


async def release(context: Context, groups: Sequence[str]) -> Adopted:
    """Restore entities and facts as they were before adoption, with the old ids of groups."""
    entities = facts = 0
    renamed: list[GroupRename] = []
    for group_id in groups:
        which = {"group_id": context.group(group_id), "batch": _BATCH}
        facts += (
            await context.graph.one(
                "graphiti/adoption/release_facts", int, owned=[*FACT_PROPERTIES], **which
            )
            or 0
        )
        entities += (
            await context.graph.one(
                "graphiti/adoption/release_entities", int, owned=[*MEMORY_PROPERTIES], **which
            )
            or 0
        )
        if given_back := await give_back(context.graph, group_id):
            renamed.append(given_back)
    return Adopted(entities, facts, renamed)


def _has(context: Context, server: Graph, group_id: str) -> bool:
    return context.graph.of(group_id).name == server.name


async def _groups(context: Context) -> list[tuple[Graph, str]]:
    """Return the groups with entities that are not memories yet, each with its server."""
    return [
        (server, group_id)
        for server in context.graph.servers
        for group_id in await server.rows("graphiti/adoption/groups", str)
    ]


async def _misplaced(context: Context, groups: Sequence[str] | None) -> list[MisplacedGroup]:
    """Return the groups, of some or all, with entities on a server that does not have them."""
    if len(context.graph.servers) == 1:
        return []
    return [
        MisplacedGroup(group_id, server.name, context.graph.of(group_id).name)
        for server, group_id in await _groups(context)
        if is_tenant(group_id) and (groups is None or group_id in groups)
        if not _has(context, server, group_id)
    ]


def _origin(context: Context) -> dict[str, Any]:
    """Return the parameter `origin`: the call that adopts, with the least authority."""
    return context.origin().at_most(Authority.DERIVED).parameters()


def _tenant(context: Context, group_id: str) -> str:
    if not is_tenant(group_id):
        raise InvalidArgumentError("group", group_id, remedy(group_id))
    return context.group(group_id)


async def _adopt_facts(context: Context, group_id: str) -> int:
    """Turn the facts between memories into relations, and return their number."""
    adopted = await context.graph.one(
        "graphiti/adoption/facts",
        int,
        group_id=group_id,
        group_key=group_key(group_id),
        owned=[*FACT_PROPERTIES],
        now=instant(context.clock()),
        batch=_BATCH,
        **_origin(context),
    )
    return adopted or 0


async def _adopt_entities(
    context: Context,
    group_id: str,
    labels: Sequence[str] | None,
    on_progress: Callable[[int], None],
) -> tuple[int, int]:
    """Adopt entities, and return how many, and how many the group has rejected."""
    adopted, rejected, after_id = 0, 0, ""
    wanted = None if labels is None else list(labels)
    while page := await context.graph.rows(
        "graphiti/adoption/candidates",
        _Entity,
        group_id=group_id,
        labels=wanted,
        after_id=after_id,
        limit=_BATCH,
    ):
        rows = await _admitted(context, group_id, page)
        done = await context.graph.rows(
            "graphiti/adoption/entities",
            str,
            group_id=group_id,
            entities=rows,
            owned=[*MEMORY_PROPERTIES],
            now=instant(context.clock()),
            decay=policies.parameters(context.settings),
            **_origin(context),
        )
        adopted += len(done)
        rejected += len(page) - len(rows)
        on_progress(len(done))
        after_id = page[-1].memory_id
    return adopted, rejected


async def _admitted(
    context: Context, group_id: str, entities: Sequence[_Entity]
) -> list[dict[str, Any]]:
    """Return the properties of entities as memories, except those that the group has rejected."""
    made = [
        {"uuid": e.memory_id}
        | memory_properties(e.memory_id, group_id, e.name, e.summary, e.labels, context.settings)
        for e in entities
    ]
    contents = [row["content"] for row in made]
    judged = await judge_each(context.graph, context.settings, group_id, contents)
    return [row for row, each in zip(made, judged, strict=True) if each.objection is None]
