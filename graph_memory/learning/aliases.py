"""Proposals that two entities of a group are one: found by rule, stored for a review.

The rules look at all entities of the group, so each run computes the proposals again. One that is
stored stays as it is, whether it is open, accepted or rejected.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass, replace

from graph_memory.database.graph import Graph
from graph_memory.domain.models import EntityKind, LifecycleState, ProposalKind
from graph_memory.domain.scope import CallScope
from graph_memory.learning.entities import entity_id
from graph_memory.learning.proposals import NewProposal
from graph_memory.ranking.aliases import SIGNS, Alias, Identity, Known, Stated, aliases, stated
from graph_memory.ranking.mentions import MAX_CHARACTERS, identity

#: Memories whose texts are read at a time.
_PAGE = 1000

#: The score of what a memory states.
_STATED = 0.95

_STATES = [LifecycleState.ACTIVE, LifecycleState.DORMANT]


@dataclass(frozen=True, slots=True)
class _Entity:
    entity_id: str
    kind: EntityKind
    name: str
    ours: bool
    same: list[str]
    treated: bool

    @property
    def known(self) -> Known:
        """The entity, as the rules see it."""
        kind, key = (self.kind, self.name) if self.ours else identity(self.name)
        return Known(self.entity_id, kind, key)


@dataclass(frozen=True, slots=True)
class _Text:
    memory_id: str
    text: str


@dataclass(frozen=True, slots=True)
class FoundAliases:
    """Proposals that two entities are one, and the names of the entities by id."""

    proposals: list[NewProposal]
    names: dict[str, str]


async def find_aliases(graph: Graph, scope: CallScope, canary: int = 100) -> FoundAliases:
    """Find the entities of a group that are probably one, and that no relation connects.

    Args:
        graph: The database.
        scope: The tenant, and the instant at which memories must be true.
        canary: Share of the entities for which aliases are proposed, 0 to 100 percent.
    """
    entities = await graph.rows(
        "learning/aliases/entities", _Entity, group_id=scope.group_id, kinds=None, canary=canary
    )
    # In threads, so that the process answers other calls.
    found = await asyncio.to_thread(aliases, [each.known for each in entities])
    if len(entities) > 1:
        found += _of_texts(entities, [each async for each in _stated(graph, scope)])
    treated = {each.entity_id for each in entities if each.treated}
    one = _connected(entities)
    pairs = {
        (each.first_id, each.second_id): each
        for each in sorted(found, key=lambda each: each.score)
        if each.first_id in treated and one[each.first_id] != one[each.second_id]
    }
    proposals = [_proposal(pairs[pair]) for pair in sorted(pairs)]
    return FoundAliases(
        await _without_rejected(graph, scope.group_id, proposals, entities),
        {each.entity_id: each.name for each in entities},
    )


async def _without_rejected(
    graph: Graph, group_id: str, proposals: list[NewProposal], entities: Iterable[_Entity]
) -> list[NewProposal]:
    """Leave out what was rejected, also before Graphiti's nodes took the place of ours."""
    rejected = set(await graph.rows("learning/aliases/rejected", str, group_id=group_id))
    if not rejected:
        return proposals
    ours = {
        each.entity_id: entity_id(group_id, each.known.kind, each.known.key) for each in entities
    }
    return [
        each
        for each in proposals
        if rejected.isdisjoint(
            (
                each.proposal_id,
                replace(each, from_id=ours[each.from_id], to_id=ours[each.to_id]).proposal_id,
            )
        )
    ]


async def _stated(graph: Graph, scope: CallScope) -> AsyncGenerator[Stated]:
    after_id = ""
    while True:
        page = await graph.rows(
            "learning/aliases/texts",
            _Text,
            after_id=after_id,
            limit=_PAGE,
            states=_STATES,
            words=list(SIGNS),
            characters=MAX_CHARACTERS,
            **scope.parameters(),
        )
        for pair in await asyncio.to_thread(_pairs, page):
            yield pair
        if len(page) < _PAGE:
            return
        after_id = page[-1].memory_id


def _pairs(texts: Iterable[_Text]) -> list[Stated]:
    return [pair for each in texts for pair in stated(each.text)]


def _of_texts(entities: Iterable[_Entity], pairs: Iterable[Stated]) -> list[Alias]:
    """Return what texts state about entities; Graphiti's entity of a name stands for the name."""
    ids: dict[Identity, str] = {}
    for each in sorted(entities, key=lambda each: (each.ours, each.entity_id)):
        ids.setdefault((each.known.kind, each.known.key), each.entity_id)
    found: list[Alias] = []
    for pair in sorted(pairs):
        ends = sorted(ids[end] for end in (pair.first, pair.second) if end in ids)
        if len(ends) > 1:
            found.append(Alias(ends[0], ends[1], _STATED, pair.reason))
    return found


def _connected(entities: Sequence[_Entity]) -> dict[str, str]:
    """Return one entity for each set of entities that relations make one, by entity."""
    one = {each.entity_id: each.entity_id for each in entities}

    def first(entity_id: str) -> str:
        while one.setdefault(entity_id, entity_id) != entity_id:
            entity_id = one[entity_id]
        return entity_id

    for each in entities:
        for other in each.same:
            one[first(other)] = first(each.entity_id)
    return {each.entity_id: first(each.entity_id) for each in entities}


def _proposal(alias: Alias) -> NewProposal:
    return NewProposal(
        ProposalKind.SAME_AS, alias.first_id, alias.second_id, alias.reason, alias.score
    )
