"""Make memories of the entities of a database that Graphiti made, in place, and back again.

Relations keep their names, and everything of Graphiti's stays as it is: what is added are
properties of ours, what had their names is set aside.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from graph_memory.context import Context
from graph_memory.decay import policies
from graph_memory.domain.encoding import group_key
from graph_memory.domain.timestamps import instant
from graph_memory.errors import InvalidArgumentError
from graph_memory.graphiti.properties import FACT_PROPERTIES, MEMORY_PROPERTIES, memory_properties
from graph_memory.graphiti.rename_group import GroupRename, give_back, is_tenant, remedy, rename

_BATCH = 1000


@dataclass(frozen=True, slots=True)
class AdoptableGroup:
    """Entities of a group that are no memories yet, and what is wrong with some of them."""

    group_id: str | None
    labels: list[str]
    entities: int
    unusable: int  #: without an id, a name, or an instant at which they were made
    no_summary: int
    no_vector: int  #: of the name: Graphiti does not find them by meaning
    other_width: int  #: vectors of the name of another width: left as they are, not searched
    with_ours: int  #: with properties named as ours, which are set aside

    @property
    def adoptable(self) -> bool:
        """Whether the name of the group can be a tenant's."""
        return is_tenant(self.group_id)


@dataclass(frozen=True, slots=True)
class Adopted:
    """How many entities and facts became ours, or ceased to be."""

    entities: int
    facts: int
    renamed: list[GroupRename] = field(default_factory=list[GroupRename])  #: before that, or after
    left: list[str] = field(default_factory=list[str])  #: groups whose ids can be no tenant's


@dataclass(frozen=True, slots=True)
class _Entity:
    memory_id: str
    name: str
    summary: str | None
    labels: list[str]


async def count_adoptable(
    context: Context, groups: Sequence[str] | None = None
) -> list[AdoptableGroup]:
    """Count what an adoption would take, and name what it would not; changes nothing."""
    return await context.graph.rows(
        "graphiti/adoption/survey",
        AdoptableGroup,
        groups=None if groups is None else list(groups),
        dimensions=context.settings.embedding_dimensions,
        owned=[*MEMORY_PROPERTIES],
    )


async def adopt(
    context: Context,
    groups: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    renames: Mapping[str, str] | None = None,
    on_progress: Callable[[int], None] = lambda done: None,
) -> Adopted:
    """Make memories of entities; a second time there is nothing to do.

    Args:
        context: Whose database, settings and clock.
        groups: Only of these; by default of all whose id can be a tenant's.
        labels: Only those with one of these.
        renames: First give groups other ids, by their old ones; Graphiti's clients then need them.
        on_progress: Called after each batch, with the entities adopted by it.

    Raises:
        InvalidArgumentError: An id of `groups`, or all there are, can be no tenant's, or a group
            cannot be renamed as it is said; nothing was changed.
    """
    tenants = [_tenant(context, group_id) for group_id in groups or ()]
    renamed = await rename(context.graph, renames or {})
    left: list[str] = []
    if groups is None:
        found = await context.graph.rows("graphiti/adoption/groups", str)
        tenants = [group_id for group_id in found if is_tenant(group_id)]
        left = [group_id for group_id in found if not is_tenant(group_id)]
        if left and not tenants and not renames:
            raise InvalidArgumentError("group", left[0], remedy(left[0]))
    entities = facts = 0
    for group_id in tenants:
        entities += await _adopt_entities(context, group_id, labels, on_progress)
        facts += (
            await context.graph.one(
                "graphiti/adoption/facts",
                int,
                group_id=group_id,
                group_key=group_key(group_id),
                owned=[*FACT_PROPERTIES],
                now=instant(context.clock()),
                batch=_BATCH,
            )
            or 0
        )
    return Adopted(entities, facts, renamed, left)


async def release(context: Context, groups: Sequence[str]) -> Adopted:
    """Give entities and facts back as they were before they were adopted, under their old ids."""
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


def _tenant(context: Context, group_id: str) -> str:
    if not is_tenant(group_id):
        raise InvalidArgumentError("group", group_id, remedy(group_id))
    return context.group(group_id)


async def _adopt_entities(
    context: Context,
    group_id: str,
    labels: Sequence[str] | None,
    on_progress: Callable[[int], None],
) -> int:
    adopted, after_id = 0, ""
    wanted = None if labels is None else list(labels)
    while page := await context.graph.rows(
        "graphiti/adoption/candidates",
        _Entity,
        group_id=group_id,
        labels=wanted,
        after_id=after_id,
        limit=_BATCH,
    ):
        rows = [
            {"uuid": e.memory_id}
            | memory_properties(
                e.memory_id, group_id, e.name, e.summary, e.labels, context.settings
            )
            for e in page
        ]
        done = await context.graph.rows(
            "graphiti/adoption/entities",
            str,
            group_id=group_id,
            entities=rows,
            owned=[*MEMORY_PROPERTIES],
            now=instant(context.clock()),
            decay=policies.parameters(context.settings),
        )
        adopted += len(done)
        on_progress(len(done))
        after_id = page[-1].memory_id
    return adopted
