"""Graphiti's searches on our indexes, without our properties and without deleted memories.

Without them Graphiti compares a query with every vector of the group, and for facts with every
vector of the database.
"""

# pyright: reportMissingTypeStubs=false

from datetime import datetime
from typing import Any

import numpy as np
from graphiti_core.driver.graph_operations.graph_operations import GraphOperationsInterface
from graphiti_core.driver.search_interface.search_interface import SearchInterface
from graphiti_core.edges import EntityEdge
from graphiti_core.nodes import EntityNode
from graphiti_core.search.search_filters import SearchFilters
from pydantic import ConfigDict

from graph_memory.database.graph import Graph
from graph_memory.domain.properties import (
    FACT_PROPERTIES,
    GRAPHITI_FACT_FIELDS,
    MEMORY_PROPERTIES,
    SET_ASIDE_PROPERTIES,
)
from graph_memory.ranking.terms import any_term_query

#: Neighbours examined at least; with fewer a vector index misses too many.
_CANDIDATES = 100

#: The filters for facts between given entities; both are needed.
_ENDS = {"edge_source_node_uuids", "edge_target_node_uuids"}

#: Properties that are not attributes: ours, and the fields of Graphiti's own models.
_HIDDEN = (*MEMORY_PROPERTIES, *EntityNode.model_fields)
_HIDDEN_OF_FACTS = (*FACT_PROPERTIES, *SET_ASIDE_PROPERTIES, *GRAPHITI_FACT_FIELDS)

#: The fields of the full-text indexes by statement.
_FIELDS = {
    "graphiti/search/entities_worded": ("content", "tags"),
    "graphiti/search/facts_worded": ("fact", "name"),
}


class EntityLookup(GraphOperationsInterface):
    """Lookups of entities by name, without our properties and without deleted memories."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    graph: Graph

    async def node_get_by_names(
        self, _cls: Any, driver: Any, names: list[str], group_ids: list[str]
    ) -> list[EntityNode]:
        """Find the entities with one of the given names."""
        return [
            _node(row)
            for group_id in sorted(set(group_ids))
            for row in await self.graph.rows(
                "graphiti/search/entities_named",
                dict[str, Any],
                group_id=group_id,
                names=names,
                owned=_HIDDEN,
            )
        ]


class IndexedSearch(SearchInterface):
    """Search by vector index and by full-text index, one group after the other.

    A search with a filter that these cannot apply goes to Graphiti's own implementation.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    graph: Graph

    async def node_fulltext_search(
        self,
        driver: Any,
        query: str,
        search_filter: SearchFilters,
        group_ids: list[str] | None = None,
        limit: int = 100,
    ) -> list[EntityNode]:
        """Find entities by their words."""
        if group_ids is None or _set(search_filter):
            return await driver.search_ops.node_fulltext_search(
                driver, query, search_filter, group_ids, limit
            )
        rows = await self._worded("graphiti/search/entities_worded", query, group_ids, limit)
        return [_node(row) for row in rows]

    async def node_similarity_search(
        self,
        driver: Any,
        search_vector: list[float],
        search_filter: SearchFilters,
        group_ids: list[str] | None = None,
        limit: int = 100,
        min_score: float = 0.7,
    ) -> list[EntityNode]:
        """Find entities by the vectors of their names."""
        if group_ids is None or _set(search_filter):
            return await driver.search_ops.node_similarity_search(
                driver, search_vector, search_filter, group_ids, limit, min_score
            )
        rows = await self._near(
            "graphiti/search/entities_near", search_vector, group_ids, limit, min_score
        )
        return [_node(row) for row in rows]

    async def edge_fulltext_search(
        self,
        driver: Any,
        query: str,
        search_filter: SearchFilters,
        group_ids: list[str] | None = None,
        limit: int = 100,
    ) -> list[EntityEdge]:
        """Find facts by their words; between given entities, return all facts."""
        if group_ids is None or _set(search_filter) - _ENDS:
            return await driver.search_ops.edge_fulltext_search(
                driver, query, search_filter, group_ids, limit
            )
        if _set(search_filter):
            return await self._between(None, search_filter, group_ids, limit)
        rows = await self._worded("graphiti/search/facts_worded", query, group_ids, limit)
        return [_edge(row) for row in rows]

    async def edge_similarity_search(
        self,
        driver: Any,
        search_vector: list[float],
        source_node_uuid: str | None,
        target_node_uuid: str | None,
        search_filter: SearchFilters,
        group_ids: list[str] | None = None,
        limit: int = 100,
        min_score: float = 0.7,
    ) -> list[EntityEdge]:
        """Find facts by their vectors; between given entities, return all, the nearest first."""
        ends = source_node_uuid or target_node_uuid
        if group_ids is None or ends or _set(search_filter) - _ENDS:
            return await driver.search_ops.edge_similarity_search(
                driver,
                search_vector,
                source_node_uuid,
                target_node_uuid,
                search_filter,
                group_ids,
                limit,
                min_score,
            )
        if _set(search_filter):
            return await self._between(search_vector, search_filter, group_ids, limit)
        rows = await self._near(
            "graphiti/search/facts_near", search_vector, group_ids, limit, min_score
        )
        return [_edge(row) for row in rows]

    async def episode_fulltext_search(
        self,
        driver: Any,
        query: str,
        search_filter: SearchFilters,
        group_ids: list[str] | None = None,
        limit: int = 100,
    ) -> list[Any]:
        """Find episodes by their words, as Graphiti does."""
        return await driver.search_ops.episode_fulltext_search(
            driver, query, search_filter, group_ids, limit
        )

    async def _worded(
        self, what: str, query: str, group_ids: list[str], limit: int
    ) -> list[dict[str, Any]]:
        return await self._found(
            what,
            limit,
            [{"group_id": g, "lucene": any_term_query(query, g, _FIELDS[what])} for g in group_ids],
        )

    async def _near(
        self, what: str, vector: list[float], group_ids: list[str], limit: int, min_score: float
    ) -> list[dict[str, Any]]:
        asked = {
            "vector": np.asarray(vector, dtype=np.float32),
            "min_score": min_score,
            "candidates": max(_CANDIDATES, 5 * limit),
        }
        return await self._found(what, limit, [{"group_id": g, **asked} for g in group_ids])

    async def _between(
        self,
        vector: list[float] | None,
        search_filter: SearchFilters,
        group_ids: list[str],
        limit: int,
    ) -> list[EntityEdge]:
        asked = {
            "vector": None if vector is None else np.asarray(vector, dtype=np.float32),
            "from_ids": search_filter.edge_source_node_uuids,
            "to_ids": search_filter.edge_target_node_uuids,
        }
        rows = await self._found(
            "graphiti/search/facts_between", limit, [{"group_id": g, **asked} for g in group_ids]
        )
        return [_edge(row) for row in rows]

    async def _found(
        self, what: str, limit: int, asked: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        owned = _HIDDEN if "entities" in what else _HIDDEN_OF_FACTS
        found = [
            row
            for parameters in asked
            for row in await self.graph.rows(
                what,
                dict[str, Any],
                limit=limit,
                owned=owned,
                **parameters,
            )
        ]
        return found[:limit]


def _set(search_filter: SearchFilters) -> set[str]:
    """Return the names of the filters that are set."""
    return {name for name, value in search_filter if value is not None}


def _node(row: dict[str, Any]) -> EntityNode:
    return EntityNode.model_validate(row | {"attributes": _attributes(row)})


def _edge(row: dict[str, Any]) -> EntityEdge:
    return EntityEdge.model_validate(row | {"attributes": _attributes(row)})


def _attributes(row: dict[str, Any]) -> dict[str, Any]:
    """Return attributes by name, instants as text, because Graphiti's prompts are JSON."""
    return {
        key: value.isoformat() if isinstance(value, datetime) else value
        for key, value in row["attributes"]
    }
