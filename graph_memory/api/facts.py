"""The part of the public API for facts and entities, as clients of Graphiti expect them."""

from collections.abc import Sequence
from typing import Any

from graph_memory.context import Context
from graph_memory.domain.inputs import Limit, Question, validate, validate_value
from graph_memory.errors import NotFoundError
from graph_memory.search import facts
from graph_memory.search.facts import Entity, Fact, FactFilters, Names


class FactSearch(Context):
    """Search over facts and entities."""

    async def search_facts(
        self, query: str, *, limit: int = 10, group_id: str | None = None, **filters: Any
    ) -> list[Fact]:
        """Find the facts that answer `query`, best first, ended ones too unless `as_of` is given.

        Args:
            query: A question, in plain language.
            limit: At most, 1 to 50.
            group_id: The tenant.
            filters: The fields of `FactFilters`. What is returned counts as access to its ends,
                unless it is asked what held then.

        Raises:
            NotFoundError: The group has no entity `entity_id`.
        """
        group, asked = self.group(group_id), validate(FactFilters, filters)
        await self._require_vectors()
        found = await facts.search_facts(
            self.graph,
            self.embedder,
            validate_value(Question, query, "query"),
            asked,
            group_id=group,
            limit=validate_value(Limit, limit, "limit"),
        )
        if asked.entity_id is not None and not found:
            await self._require_entity(asked.entity_id, group)
        ends = dict.fromkeys(end for fact in found for end in (fact.source_id, fact.target_id))
        self._delivered(ends, group, asked.as_of)
        return found

    async def search_nodes(
        self,
        query: str,
        *,
        entity_types: Sequence[str] | None = None,
        limit: int = 10,
        group_id: str | None = None,
    ) -> list[Entity]:
        """Find the entities, memories among them, that answer `query`, best first.

        `entity_types` are labels, any of which suffices. What is returned counts as accessed.
        """
        group = self.group(group_id)
        labels = None if entity_types is None else tuple(entity_types)
        kinds = validate_value(Names, labels, "entity_types")
        await self._require_vectors()
        found = await facts.search_entities(
            self.graph,
            self.embedder,
            validate_value(Question, query, "query"),
            kinds,
            group_id=group,
            limit=validate_value(Limit, limit, "limit"),
        )
        self._delivered([entity.entity_id for entity in found], group)
        return found

    async def _require_entity(self, entity_id: str, group: str) -> None:
        if not await facts.has_entity(self.graph, entity_id, group_id=group):
            raise NotFoundError(entity_id, group)
