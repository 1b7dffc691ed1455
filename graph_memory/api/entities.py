"""Entities that memories mention: list them, and the memories of one."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from graph_memory.api.arguments import EntityKindArgument
from graph_memory.context import Context
from graph_memory.domain.inputs import Text, validate_selection, validate_value
from graph_memory.domain.models import EntityKind
from graph_memory.errors import InvalidArgumentError
from graph_memory.learning import mentioned
from graph_memory.learning.mentioned import MentionedEntities

EntityLimit = Annotated[int, Field(ge=1, le=1000)]


class EntitiesApi:
    """The entities that the memories of a `GraphMemory` mention: `memory.entities`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def list(
        self,
        name: str | None = None,
        *,
        memory_id: str | None = None,
        kinds: Sequence[EntityKindArgument] | None = None,
        limit: int = 50,
        group_id: str | None = None,
    ) -> MentionedEntities:
        """List the entities that maintenance found in memories, those of most memories first.

        Args:
            name: Only entities with this name, whatever its case.
            memory_id: Only entities that this memory mentions, with the places in its content.
            kinds: The kinds to list; None for all. An entity of Graphiti counts as a name.
            limit: Maximum number of entities, 1 to 1,000.
            group_id: The tenant.

        Raises:
            InvalidArgumentError: Both a name and a memory are given.
            NotFoundError: The group has no such memory.
        """
        graph, group = self._context.graph, self._context.group(group_id)
        selected: Any = validate_selection(EntityKind, kinds or None, "kinds")
        most = validate_value(EntityLimit, limit, "limit")
        if name is not None and memory_id is not None:
            raise InvalidArgumentError("name", name, "give a name or a memory, but not both")
        if name is not None:
            text = validate_value(Text, name, "name")
            return await mentioned.entities_named(graph, group, text, selected, most)
        if memory_id is None:
            return await mentioned.list_entities(graph, group, selected, most)
        found = await self._context.read_memory(self._context.scope(group_id), memory_id)
        return await mentioned.entities_of_memory(graph, group, found.memory_id, selected, most)
