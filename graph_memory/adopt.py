"""Make memories of the entities of a database that Graphiti made, in place, and back again.

Relations keep their names, and everything of Graphiti's stays as it is: what is added are
properties of ours, what had their names is set aside.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from graph_memory import decay
from graph_memory.context import Context
from graph_memory.entities import OWNED, OWNED_OF_FACTS, filling
from graph_memory.memories import group_key, instant
from graph_memory.settings import GROUP_ID_PATTERN

_BATCH = 1000


@dataclass(frozen=True, slots=True)
class Survey:
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
        return bool(GROUP_ID_PATTERN.fullmatch(self.group_id or ""))


@dataclass(frozen=True, slots=True)
class Adopted:
    """How many entities and facts became ours, or ceased to be."""

    entities: int
    facts: int


@dataclass(frozen=True, slots=True)
class _Candidate:
    memory_id: str
    name: str
    summary: str | None
    labels: list[str]


async def survey(context: Context, groups: Sequence[str] | None = None) -> list[Survey]:
    """Count what an adoption would take, and name what it would not; changes nothing."""
    return await context.graph.rows(
        "adopt/survey",
        Survey,
        groups=None if groups is None else list(groups),
        dimensions=context.settings.embedding_dimensions,
        owned=OWNED,
    )


async def adopt(
    context: Context,
    groups: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    on_progress: Callable[[int], None] = lambda done: None,
) -> Adopted:
    """Make memories of entities; a second time there is nothing to do.

    Args:
        context: Whose database, settings and clock.
        groups: Only of these; by default of all whose id can be a tenant's.
        labels: Only those with one of these.
        on_progress: Called after each batch, with the entities adopted by it.
    """
    tenants = groups
    if tenants is None:
        found = await context.graph.rows("adopt/groups", str)
        tenants = [group for group in found if GROUP_ID_PATTERN.fullmatch(group)]
    entities = facts = 0
    for group_id in tenants:
        context.group(group_id)
        entities += await _adopt_entities(context, group_id, labels, on_progress)
        facts += await context.graph.one(
            "adopt/facts", int,
            group_id=group_id, group_key=group_key(group_id), owned=OWNED_OF_FACTS,
            now=instant(context.clock()), batch=_BATCH,
        ) or 0  # fmt: skip
    return Adopted(entities, facts)


async def release(context: Context, groups: Sequence[str]) -> Adopted:
    """Give entities and facts back as they were before they were adopted."""
    entities = facts = 0
    for group_id in groups:
        which = {"group_id": context.group(group_id), "batch": _BATCH}
        facts += await context.graph.one(
            "adopt/release_facts", int, owned=OWNED_OF_FACTS, **which
        ) or 0  # fmt: skip
        entities += await context.graph.one(
            "adopt/release_entities", int, owned=OWNED, **which
        ) or 0  # fmt: skip
    return Adopted(entities, facts)


async def _adopt_entities(
    context: Context,
    group_id: str,
    labels: Sequence[str] | None,
    on_progress: Callable[[int], None],
) -> int:
    adopted, after_id = 0, ""
    wanted = None if labels is None else list(labels)
    while page := await context.graph.rows(
        "adopt/candidates", _Candidate,
        group_id=group_id, labels=wanted, after_id=after_id, limit=_BATCH,
    ):  # fmt: skip
        rows = [
            {"uuid": e.memory_id}
            | filling(e.memory_id, group_id, e.name, e.summary, e.labels, context.settings)
            for e in page
        ]
        done = await context.graph.rows(
            "adopt/entities", str,
            group_id=group_id, entities=rows, owned=OWNED,
            now=instant(context.clock()), decay=decay.parameters(context.settings),
        )  # fmt: skip
        adopted += len(done)
        on_progress(len(done))
        after_id = page[-1].memory_id
    return adopted
