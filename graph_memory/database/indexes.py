"""Indexes and constraints: create, compare with the settings, recreate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graph_memory.database.driver_errors import is_name_taken
from graph_memory.database.graph import Graph
from graph_memory.database.migrations import MIGRATIONS, creation_statement
from graph_memory.errors import SchemaError, SettingsError
from graph_memory.settings.base import Settings

#: The vector indexes; Graphiti writes the vectors of entities and facts.
VECTOR_INDEXES = (
    "memory_embedding_idx",
    "passage_embedding_idx",
    "entity_name_embedding_idx",
    "fact_embedding_idx",
)

#: The indexes whose options come from settings.
SEARCH_INDEXES = (*VECTOR_INDEXES, "memory_text_idx", "fact_text_idx")

#: The vector index of 100,000 memories takes a minute on two cores.
_INDEX_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Index:
    """An index of the database, created by us, by Graphiti or by hand."""

    name: str
    type: str
    state: str
    target: list[str] | None
    properties: list[str] | None
    constraint: str | None


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """The options of a search index; None where they do not apply to its kind."""

    name: str
    quantization: str | None
    expansion: float | None
    analyzer: str | None


async def await_indexes(graph: Graph) -> None:
    """Wait until every index is online, at most an hour."""
    await graph.run("database/indexes/await_online", seconds=_INDEX_SECONDS)


async def index_names(graph: Graph) -> set[str]:
    """Return the names of all indexes, online or not, including those of constraints."""
    return {index.name for index in await _indexes(graph)}


async def missing_indexes(graph: Graph) -> list[str]:
    """Return the names of indexes and constraints that are absent or not online.

    An index that Graphiti created for the same label and property counts as ours.
    """
    found = await _indexes(graph)
    online = {index.name for index in found if index.state == "ONLINE"}
    targets = {
        (tuple(index.target or ()), tuple(index.properties or ()))
        for index in found
        if index.type == "RANGE" and index.state == "ONLINE"
    }
    relation_name = (("RELATES_TO",), ("name",))
    dropped = {name for step in MIGRATIONS for name in step.dropped}
    return [
        name
        for step in MIGRATIONS
        for name in (*step.constraints, *step.indexes)
        if name not in online | dropped
        and not (name == "relation_name_idx" and relation_name in targets)
    ]


async def _indexes(graph: Graph) -> list[Index]:
    """Return all indexes but those that an interrupted creation of a constraint left."""
    constraints = {name for step in MIGRATIONS for name in step.constraints}
    found = await graph.rows("database/indexes/list", Index)
    return [index for index in found if index.constraint or index.name not in constraints]


async def outdated_indexes(graph: Graph, settings: Settings) -> list[str]:
    """Return the names of search indexes whose options differ from the settings.

    The number of dimensions is not compared: `embedding_record` records it.
    """

    def outdated(index: SearchIndex) -> bool:
        expected = dict(_options(index.name, settings))
        expected.pop("dimensions", None)
        return any(getattr(index, name) != value for name, value in expected.items())

    existing = await graph.rows("database/indexes/list_search", SearchIndex)
    return [index.name for index in existing if index.name in SEARCH_INDEXES and outdated(index)]


async def recreate_indexes(graph: Graph, settings: Settings, names: Sequence[str]) -> None:
    """Drop and create indexes with these settings, and wait until they are online.

    Searches fail until then.

    Raises:
        SettingsError: Neo4j does not have the full-text analyser; nothing was dropped.
    """
    await check_analyzer(graph, settings)
    for name in names:
        await graph.run("database/indexes/drop", name=name)
        await create_index(graph, settings, name)
    await await_indexes(graph)


async def create_index(graph: Graph, settings: Settings, name: str) -> None:
    """Create an index or a constraint unless it exists."""
    statement, options = creation_statement(name), _options(name, settings)
    try:
        await graph.run(statement, **options)
    except SchemaError as error:
        if not is_name_taken(error):
            raise
        # An interrupted creation of a constraint leaves its index, which no constraint owns.
        await graph.run("database/indexes/drop", name=name)
        await graph.run(statement, **options)


async def check_analyzer(graph: Graph, settings: Settings) -> None:
    """Check that Neo4j has the configured full-text analyser.

    Raises:
        SettingsError: Neo4j does not have it; the message lists the available analysers.
    """
    known = await graph.rows("database/indexes/analyzers", str)
    if settings.fulltext_analyzer not in known:
        raise SettingsError(
            f"GRAPH_MEMORY_FULLTEXT_ANALYZER='{settings.fulltext_analyzer}' is not an analyser of "
            f"Neo4j at {graph.address}. Set one of {', '.join(sorted(known))}."
        )


def _options(name: str, settings: Settings) -> Mapping[str, Any]:
    """Return the parameters of the statement that creates an index or a constraint."""
    if name.endswith("_text_idx"):
        return {"analyzer": settings.fulltext_analyzer}
    if name in VECTOR_INDEXES:
        return {
            "dimensions": settings.embedding_dimensions,
            "quantization": settings.vector_quantization,
            "expansion": settings.vector_expansion,
        }
    return {}
