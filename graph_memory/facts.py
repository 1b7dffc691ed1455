"""Search over facts and entities, in one statement each, as Graphiti's own clients ask for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field

from graph_memory.arguments import (
    Limit,
    Line,
    MemoryId,
    Moment,
    Question,
    checked,
    checked_value,
)
from graph_memory.context import Context
from graph_memory.errors import NotFoundError
from graph_memory.memories import RECALLED_STATES, Instant, instant
from graph_memory.words import any_word

#: Of each ranking; of fewer, a vector index misses too many.
_CANDIDATES = 100

Names = Annotated[tuple[Line, ...] | None, Field(max_length=50)]


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation as a search finds it."""

    fact_id: str
    name: str
    fact: str | None
    source_id: str
    target_id: str
    source_name: str
    target_name: str
    strength: float | None
    valid_at: Instant | None
    invalid_at: Instant | None
    created_at: Instant
    expired_at: Instant | None
    episodes: list[str]
    score: float  #: 0 to 1; 1 is first by meaning and by words


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity, or any memory, as a search finds it."""

    entity_id: str
    name: str
    summary: str
    labels: list[str]
    state: str
    importance: float
    created_at: Instant
    score: float  #: 0 to 1; 1 is first by meaning and by words


@dataclass(frozen=True, slots=True, kw_only=True)
class FactFilters:
    """Which facts a search may return; None allows all."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    names: Names = None
    entity_id: MemoryId | None = None  #: one of the ends
    as_of: Moment | None = None  #: held then
    valid_after: Moment | None = None
    valid_before: Moment | None = None
    invalid_after: Moment | None = None
    invalid_before: Moment | None = None


class FactSearch(Context):
    """Facts and entities, found."""

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
        group, asked = self.group(group_id), checked(FactFilters, filters)
        given = {name: getattr(asked, name) for name in FactFilters.__slots__}
        filtered = any(value is not None for value in given.values())
        parameters = {k: instant(v) if hasattr(v, "tzinfo") else v for k, v in given.items()}
        parameters |= {
            "names": None if asked.names is None else list(asked.names),
            "limit": checked_value(Limit, limit, "limit"),
            **await self._asked(query, group, ("fact", "name")),
        }
        statement = "facts/search_filtered" if filtered else "facts/search"
        found = await self.graph.rows(statement, Fact, **parameters)
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
        kinds = checked_value(Names, labels, "entity_types")
        found = await self.graph.rows(
            "facts/entities_filtered" if kinds else "facts/entities",
            Entity,
            **({"labels": list(kinds)} if kinds else {}),
            states=list(RECALLED_STATES),
            limit=checked_value(Limit, limit, "limit"),
            **await self._asked(query, group, ("content", "tags")),
        )
        self._delivered([entity.entity_id for entity in found], group)
        return found

    async def _require_entity(self, entity_id: str, group: str) -> None:
        if not await self.graph.one("facts/entity", str, group_id=group, entity_id=entity_id):
            raise NotFoundError(entity_id, group)

    async def _asked(self, query: str, group: str, fields: Sequence[str]) -> dict[str, Any]:
        await self._require_vectors()
        given = checked_value(Question, query, "query")
        return {
            "group_id": group,
            "vector": await self.embedder.embed_query(given),
            "lucene": any_word(given, group, fields),
            "candidates": _CANDIDATES,
        }
