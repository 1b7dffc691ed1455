"""Graphiti's writes, merged into the database: our properties and newer values stay.

Graphiti's own writes replace all properties (`SET n = $everything`) by those it read before it
asked the language model, and so revert or erase changes made in between.
"""

# pyright: reportMissingTypeStubs=false

import logging
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any, Protocol

import numpy as np
from graphiti_core.driver.graph_operations.graph_operations import GraphOperationsInterface
from graphiti_core.edges import EntityEdge
from graphiti_core.nodes import EntityNode
from pydantic import ConfigDict

from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.domain.encoding import group_key
from graph_memory.domain.origin import FROM_GRAPHITI, Origin
from graph_memory.domain.properties import FACT_PROPERTIES, GRAPHITI_FACT_FIELDS, MEMORY_PROPERTIES
from graph_memory.domain.timestamps import instant
from graph_memory.graphiti.properties import memory_properties
from graph_memory.memories.tombstones import judge_each, without_refused
from graph_memory.settings.base import Settings

_log = logging.getLogger(__name__)

#: Graphiti's own fields of an entity and of a fact; all others are attributes.
_OF_NODES = frozenset(EntityNode.model_fields)
_OF_EDGES = frozenset(GRAPHITI_FACT_FIELDS)


class OnWritten(Protocol):
    """A callback within the transaction that writes an episode."""

    async def __call__(self, transaction: Any, episode_id: str) -> None:
        """Record the episode; an error rolls the transaction back."""


#: The callback for episodes written in the current task.
on_written: ContextVar[OnWritten | None] = ContextVar("on_written", default=None)

#: The origin of entities and facts written in the current task.
origin_of_writes: ContextVar[Origin] = ContextVar("origin_of_writes", default=FROM_GRAPHITI)


class MergingWrites(GraphOperationsInterface):
    """Merging writes; all other operations are Graphiti's own."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    graph: Graph
    settings: Settings

    async def node_save(self, node: EntityNode, driver: Any) -> None:
        """Store an entity."""
        row = node.attributes | node.model_dump(exclude={"attributes"})
        await _in_transaction(driver, lambda tx: self.node_save_bulk(None, driver, tx, [row]))

    async def node_save_bulk(
        self, _cls: Any, driver: Any, transaction: Any, nodes: list[Any], batch_size: int = 100
    ) -> None:
        """Store entities."""
        for group_id, rows in _by_group(nodes).items():
            entities = [self._entity(row) for row in await self._without_rejected(group_id, rows)]
            contents = [entity["content"] for entity in entities]
            await self.graph.run_within(
                transaction,
                "graphiti/writes/entities",
                group_id=group_id,
                entities=await self._allowed(group_id, "entities", entities, contents),
                now=instant(datetime.now(UTC)),
                model=self.settings.embedding_model,
                decay=policies.parameters(self.settings),
                **origin_of_writes.get().parameters(),
            )

    async def edge_save(self, edge: EntityEdge, driver: Any) -> None:
        """Store a fact."""
        row = edge.attributes | edge.model_dump(exclude={"attributes"})
        await _in_transaction(driver, lambda tx: self.edge_save_bulk(None, driver, tx, [row]))

    async def edge_save_bulk(
        self, _cls: Any, driver: Any, transaction: Any, edges: list[Any], batch_size: int = 100
    ) -> None:
        """Store facts."""
        for group_id, rows in _by_group(edges).items():
            facts = [_fact(row) for row in rows]
            texts = [fact["fact"] for fact in facts]
            await self.graph.run_within(
                transaction,
                "graphiti/writes/facts",
                group_id=group_id,
                group_key=group_key(group_id),
                facts=await self._allowed(group_id, "facts", facts, texts),
                now=instant(datetime.now(UTC)),
                model=self.settings.embedding_model,
                **origin_of_writes.get().parameters(),
            )

    async def episodic_node_save_bulk(
        self, _cls: Any, driver: Any, transaction: Any, nodes: list[Any], batch_size: int = 100
    ) -> None:
        """Store episodes, and call `on_written` for each."""
        await self.graph.run_within(transaction, "graphiti/writes/episodes", episodes=nodes)
        if on_episode_written := on_written.get():
            for node in nodes:
                await on_episode_written(transaction, node["uuid"])

    async def episodic_edge_save_bulk(
        self,
        _cls: Any,
        driver: Any,
        transaction: Any,
        episodic_edges: list[Any],
        batch_size: int = 100,
    ) -> None:
        """Store the mentions of entities in episodes."""
        rows = sorted(episodic_edges, key=itemgetter("target_node_uuid"))
        await self.graph.run_within(transaction, "graphiti/writes/mentions", mentions=rows)

    async def _allowed(
        self, group_id: str, kind: str, rows: list[dict[str, Any]], texts: list[str]
    ) -> list[dict[str, Any]]:
        """Return the rows whose statement the group has neither rejected nor erased.

        What Graphiti extracts cannot wait for a review, so a rejected value is left out, too.
        """
        judged = await judge_each(self.graph, self.settings, group_id, texts)
        kept = [row for row, each in zip(rows, judged, strict=True) if each.objection is None]
        if len(kept) < len(rows):
            _log.warning(
                "An episode of group '%s': %d %s were rejected or erased before, and are left out; "
                "`graph-memory tombstones list` lists the tombstones.",
                group_id,
                len(rows) - len(kept),
                kind,
            )
        return kept

    async def _without_rejected(
        self, group_id: str, rows: Sequence[Mapping[str, Any]]
    ) -> list[Mapping[str, Any]]:
        """Return entities whose summaries lack rejected statements and values.

        Graphiti appends the facts that it finds to the summaries.
        """
        found = [row["summary"] or "" for row in rows]
        summaries = await without_refused(self.graph, self.settings, group_id, found)
        judged = await judge_each(self.graph, self.settings, group_id, summaries)
        return [
            {**row, "summary": summary if each.without is None else each.without}
            for row, summary, each in zip(rows, summaries, judged, strict=True)
        ]

    def _entity(self, row: Mapping[str, Any]) -> dict[str, Any]:
        # Only we set and remove the labels of a memory.
        labels = sorted({*row["labels"], "Entity"} - {"Memory", "PurgedMemory"})
        named = (row["uuid"], row["group_id"], row["name"], row["summary"])
        return {
            **{key: row[key] for key in ("uuid", "name", "summary", "created_at")},
            "labels": labels,
            "attributes": _attributes(row, _OF_NODES.union(MEMORY_PROPERTIES)),
            "embedding": _vector(row["name_embedding"]),
            "version_id": str(uuid.uuid4()),
            **memory_properties(*named, labels, self.settings),
        }


async def _in_transaction(driver: Any, work: Callable[[Any], Awaitable[None]]) -> None:
    async with driver.session() as session:
        await session.execute_write(work)


def _fact(row: Mapping[str, Any]) -> dict[str, Any]:
    kept = (
        "uuid",
        "name",
        "fact",
        "episodes",
        "created_at",
        "expired_at",
        "valid_at",
        "invalid_at",
        "reference_time",
    )
    return {
        **{key: row[key] for key in kept},
        "from_id": row["source_node_uuid"],
        "to_id": row["target_node_uuid"],
        "attributes": _attributes(row, _OF_EDGES.union(FACT_PROPERTIES)),
        "embedding": _vector(row["fact_embedding"]),
    }


def _attributes(row: Mapping[str, Any], others: Iterable[str]) -> dict[str, Any]:
    """Return Graphiti's attributes, instants as text, because Graphiti's prompts are JSON."""
    return {
        key: value.isoformat() if isinstance(value, datetime) else value
        for key, value in row.items()
        if key not in others
    }


def _vector(numbers: Sequence[float] | None) -> Any:
    return None if numbers is None else np.asarray(numbers, dtype=np.float32)


def _by_group(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    """Return rows by group, sorted by id, so that writers cannot deadlock."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in sorted(rows, key=itemgetter("uuid")):
        groups.setdefault(row["group_id"], []).append(row)
    return groups
