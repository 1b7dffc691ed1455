"""Search of facts and entities for clients of Graphiti, by reciprocal rank fusion."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field

from graph_memory.database.graph import Graph
from graph_memory.domain.inputs import Line, MemoryId, check_range
from graph_memory.domain.models import RECALLED_STATES
from graph_memory.domain.origin import Origin
from graph_memory.domain.timestamps import EndMoment, Instant, Moment, instant
from graph_memory.engine import Engine
from graph_memory.inference.embedder import Embedder
from graph_memory.ranking.terms import any_term_query

#: Candidates of each of the two rankings; with fewer, the vector index misses too many.
_CANDIDATES = 100

Names = Annotated[tuple[Line, ...] | None, Field(max_length=50)]


@dataclass(frozen=True, slots=True)
class Fact:
    """A relation that a search found."""

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
    score: float  #: 0 to 1; 1 if first by meaning and by words
    origin: Origin | None  #: None if it was stored before origins were


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity or another memory that a search found."""

    entity_id: str
    name: str
    summary: str
    labels: list[str]
    state: str
    importance: float
    created_at: Instant
    score: float  #: 0 to 1; 1 if first by meaning and by words


@dataclass(frozen=True, slots=True, kw_only=True)
class FactFilters:
    """The filters of a search of facts; None allows all."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    names: Names = None
    entity_id: MemoryId | None = None  #: source or target
    as_of: EndMoment | None = None  #: instant at which the fact holds
    valid_after: Moment | None = None
    valid_before: Moment | None = None
    invalid_after: Moment | None = None
    invalid_before: Moment | None = None


async def search_facts(
    engine: Engine, query: str, filters: FactFilters, *, group_id: str, limit: int
) -> list[Fact]:
    """Find the facts of a group that answer a query, best first.

    Raises:
        InvalidArgumentError: A range of dates ends before it starts.
    """
    _check_dates(filters)
    given = {name: getattr(filters, name) for name in FactFilters.__slots__}
    filtered = any(value not in (None, ()) for value in given.values())
    parameters = {k: instant(v) if hasattr(v, "tzinfo") else v for k, v in given.items()}
    return await engine.graph.rows(
        "search/facts/search_filtered" if filtered else "search/facts/search",
        Fact,
        **{**parameters, "names": list(filters.names) if filters.names else None},
        limit=limit,
        **await _query_parameters(engine.embedder, query, group_id, "fact", "name"),
    )


def _check_dates(filters: FactFilters) -> None:
    check_range("valid_after", filters.valid_after, "valid_before", filters.valid_before)
    check_range("invalid_after", filters.invalid_after, "invalid_before", filters.invalid_before)


async def search_entities(
    engine: Engine, query: str, labels: tuple[str, ...] | None, *, group_id: str, limit: int
) -> list[Entity]:
    """Find the entities and other memories of a group that answer a query, best first."""
    return await engine.graph.rows(
        "search/facts/entities_filtered" if labels else "search/facts/entities",
        Entity,
        **({"labels": list(labels)} if labels else {}),
        states=list(RECALLED_STATES),
        limit=limit,
        **await _query_parameters(engine.embedder, query, group_id, "content", "tags"),
    )


async def has_entity(graph: Graph, entity_id: str, *, group_id: str) -> bool:
    """Return True if a group contains an entity."""
    found = await graph.one("search/facts/entity", str, group_id=group_id, entity_id=entity_id)
    return found is not None


async def _query_parameters(
    embedder: Embedder, query: str, group_id: str, *fields: str
) -> Mapping[str, Any]:
    """Return the parameters of a query that is searched for in fields of the full-text index."""
    return {
        "group_id": group_id,
        "vector": await embedder.embed_query(query),
        "lucene": any_term_query(query, group_id, fields),
        "candidates": _CANDIDATES,
    }
