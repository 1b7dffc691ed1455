"""The entities that memories mention: read from their texts by rule, stored as linked nodes.

An entity is one node for each group, kind and normalised form. Where Graphiti has an entity of that
name, its node is the entity, and none of ours is made. A memory is read once for each text and
version of the rules. It notes both (`mentions_hash`) and the number of its mentions
(`mention_count`).
"""

import asyncio
import json
import uuid
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.domain.batching import batched
from graph_memory.domain.models import EntityKind, LifecycleState
from graph_memory.domain.scope import CallScope
from graph_memory.domain.turns import giving_turns
from graph_memory.ranking.mentions import MAX_CHARACTERS, Mentioned, identity, mentioned
from graph_memory.settings.base import Settings

#: Version of the rules of `ranking.mentions`; with another one every memory is read again.
_RULES = "1"

#: Memories whose mentions are stored in one transaction.
_BATCH = 200

_STATES = [LifecycleState.ACTIVE, LifecycleState.DORMANT]
_NAMESPACE = uuid.UUID("0c1de9b3-52b8-5d0e-8f0a-6f5a7b2c94d7")

#: An entity of Graphiti by its identity.
Known = Mapping[tuple[EntityKind, str], str]


@dataclass(frozen=True, slots=True)
class EntityLink:
    """The mention of an entity in a memory.

    Attributes:
        entity_id: The entity: a node of ours, or of Graphiti.
        kind: The kind of our entity; None for Graphiti's.
        key: The normalised form of our entity; None for Graphiti's.
        text: The spelling at the first place.
        starts: The index of the first character of each place in the content.
        ends: The index after the last character of each place.
    """

    entity_id: str
    kind: str | None
    key: str | None
    text: str
    starts: list[int]
    ends: list[int]


@dataclass(frozen=True, slots=True)
class ReadMemory:
    """A memory whose mentions were read, and its mentions before."""

    memory_id: str
    was: str  #: note of what was read before; empty for nothing
    becomes: str  #: note of what was read
    before: list[EntityLink]
    mentions: list[EntityLink]

    @property
    def changed(self) -> bool:
        """Return True if the mentions are not those from before."""
        return self.before != self.mentions


@dataclass(frozen=True, slots=True)
class _Text:
    memory_id: str
    text: str
    content_hash: str
    was: str
    before: list[EntityLink]


@dataclass(frozen=True, slots=True)
class _Entity:
    entity_id: str
    name: str


def entity_id(group_id: str, kind: EntityKind, key: str) -> str:
    """Return the id of our entity, which follows from its identity."""
    return str(uuid.uuid5(_NAMESPACE, f"{group_id}|{kind}|{key}"))


async def read_mentions(
    graph: Graph, settings: Settings, scope: CallScope, canary: int = 100
) -> AsyncGenerator[list[ReadMemory]]:
    """Read the memories of a group that are new or changed, and yield their mentions in batches.

    Args:
        graph: The database.
        settings: The number of entities of a memory.
        scope: The tenant.
        canary: Share of the memories to read, 0 to 100 percent.
    """
    rules = f"{_RULES}.{settings.entities_per_memory}:"
    known = await known_entities(graph, scope.group_id)
    for batch in batched(await _waiting(graph, scope, known, rules, canary), _BATCH):
        texts = await graph.rows(
            "learning/entities/texts",
            _Text,
            group_id=scope.group_id,
            memory_ids=batch,
            characters=MAX_CHARACTERS,
        )
        # In a thread, so that the process answers other calls.
        yield await asyncio.to_thread(_read_all, texts, scope.group_id, known, rules, settings)


async def store_mentions(
    graph: Graph, scope: CallScope, memories: Sequence[ReadMemory], run_id: str | None
) -> int:
    """Replace the mentions of memories, and return the number of memories.

    Args:
        graph: The database.
        scope: The tenant and the instant.
        memories: The memories; one that was read again since is left out.
        run_id: The run that records the earlier mentions for undo; None to record nothing.
    """
    links = [link for each in memories for link in each.mentions]
    ours = {link.entity_id: link for link in links if link.kind}
    stored = await graph.one(
        "learning/entities/store",
        int,
        run_id=run_id,
        entities=[
            {"entity_id": key, "kind": link.kind, "key": link.key}
            for key, link in sorted(ours.items())
        ],
        memories=[_row(each) for each in sorted(memories, key=lambda each: each.memory_id)],
        **scope.parameters(),
    )
    return stored or 0


def links_from_json(text: str) -> list[EntityLink]:
    """Return the mentions that a record holds; none for an erased one."""
    return [EntityLink(**link) for link in json.loads(text or "[]")]


def _row(memory: ReadMemory) -> dict[str, Any]:
    return {
        "memory_id": memory.memory_id,
        "was": memory.was,
        "becomes": memory.becomes,
        "earlier": json.dumps([asdict(link) for link in memory.before]) if memory.before else "",
        "mentions": [asdict(link) | {"ours": link.kind is not None} for link in memory.mentions],
    }


async def known_entities(graph: Graph, group_id: str) -> Known:
    """Return Graphiti's entities; of two with one identity, the first in the order of ids."""
    known: dict[tuple[EntityKind, str], str] = {}
    for each in await graph.rows("learning/entities/known", _Entity, group_id=group_id):
        known.setdefault(identity(each.name), each.entity_id)
    return known


async def _waiting(
    graph: Graph, scope: CallScope, known: Known, rules: str, canary: int
) -> list[str]:
    """Return the memories to read: new and changed ones, and those of entities Graphiti has now."""
    common = {"group_id": scope.group_id, "states": _STATES, "canary": canary}
    waiting = await graph.rows("learning/entities/waiting", str, rules=rules, **common)
    twice = [entity_id(scope.group_id, *each) for each in known]
    for batch in batched(sorted(twice), _BATCH):
        waiting += await graph.rows("learning/entities/mentioning", str, entity_ids=batch, **common)
    return sorted(set(waiting))


def _read_all(
    memories: Sequence[_Text], group_id: str, known: Known, rules: str, settings: Settings
) -> list[ReadMemory]:
    return [_read(each, group_id, known, rules, settings) for each in giving_turns(memories)]


def _read(memory: _Text, group_id: str, known: Known, rules: str, settings: Settings) -> ReadMemory:
    links = (
        _link(memory, group_id, known, each)
        for each in mentioned(memory.text, settings.entities_per_memory)
    )
    mentions = {link.entity_id: link for link in links if link.entity_id != memory.memory_id}
    return ReadMemory(
        memory.memory_id,
        memory.was,
        rules + memory.content_hash,
        memory.before,
        [mentions[key] for key in sorted(mentions)],
    )


def _link(memory: _Text, group_id: str, known: Known, found: Mentioned) -> EntityLink:
    first = found.places[0]
    theirs = known.get((found.kind, found.key))
    return EntityLink(
        entity_id=theirs or entity_id(group_id, found.kind, found.key),
        kind=None if theirs else found.kind.value,
        key=None if theirs else found.key,
        text=memory.text[first.start : first.end],
        starts=[place.start for place in found.places],
        ends=[place.end for place in found.places],
    )
