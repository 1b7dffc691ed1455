"""Search of facts and entities for clients of Graphiti."""

from collections.abc import Sequence
from typing import Unpack

from graph_memory.api.arguments import FactArguments
from graph_memory.context import Context
from graph_memory.domain.inputs import Limit, Question, validate, validate_value
from graph_memory.errors import NotFoundError
from graph_memory.search import facts
from graph_memory.search.facts import Entity, Fact, FactFilters, Names


class FactsApi:
    """The facts and entities of a `GraphMemory`: `memory.facts`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        counted: bool = True,
        group_id: str | None = None,
        **filters: Unpack[FactArguments],
    ) -> list[Fact]:
        """Find the facts that answer `query`, best first; without `as_of`, ended facts as well.

        Args:
            query: A question, or any other text.
            limit: Maximum number of facts, 1 to 50.
            counted: True to count an access to both ends of each fact; a search with `as_of` never
                counts.
            group_id: The tenant.
            filters: The fields of `FactFilters`.

        Raises:
            InvalidArgumentError: A filter is invalid, or a range ends before it starts.
            NotFoundError: The group has no entity `entity_id`.
        """
        context = self._context
        scope, asked = context.scope(group_id), validate(FactFilters, filters)
        await context.require_vectors()
        found = await facts.search_facts(
            context.engine,
            validate_value(Question, query, "query"),
            asked,
            group_id=scope.group_id,
            limit=validate_value(Limit, limit, "limit"),
        )
        if asked.entity_id is not None and not found:
            await self._require_entity(asked.entity_id, scope.group_id)
        ends = dict.fromkeys(end for fact in found for end in (fact.source_id, fact.target_id))
        context.count_accesses(scope, ends if counted else (), asked.as_of)
        return found

    async def search_entities(
        self,
        query: str,
        *,
        entity_types: Sequence[str] | None = None,
        limit: int = 10,
        counted: bool = True,
        group_id: str | None = None,
    ) -> list[Entity]:
        """Find the entities and other memories that answer `query`, best first.

        Args:
            query: A question, or any other text.
            entity_types: Labels; an entity has at least one of them. None for any entity.
            limit: Maximum number of entities, 1 to 50.
            counted: True to count an access to each entity.
            group_id: The tenant.
        """
        context = self._context
        scope = context.scope(group_id)
        labels = None if entity_types is None else tuple(entity_types)
        kinds = validate_value(Names, labels, "entity_types")
        await context.require_vectors()
        found = await facts.search_entities(
            context.engine,
            validate_value(Question, query, "query"),
            kinds,
            group_id=scope.group_id,
            limit=validate_value(Limit, limit, "limit"),
        )
        context.count_accesses(scope, [entity.entity_id for entity in found] if counted else ())
        return found

    async def _require_entity(self, entity_id: str, group: str) -> None:
        if not await facts.has_entity(self._context.graph, entity_id, group_id=group):
            raise NotFoundError(entity_id, group)
