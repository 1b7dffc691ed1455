"""database.indexes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graph_memory.database.graph import Graph
from graph_memory.database.migrations import MIGRATIONS, creation_statement
from graph_memory.errors import SettingsError
from graph_memory.settings.base import Settings

#: The vector indexes; of entities and facts the vectors are Graphiti's.
VECTOR_INDEXES = ("memory_embedding_idx", "entity_name_embedding_idx", "fact_embedding_idx")

#: The indexes that settings have a say in.
SEARCH_INDEXES = (*VECTOR_INDEXES, "memory_text_idx", "fact_text_idx")

_INDEX_SECONDS = 300


@dataclass(frozen=True, slots=True)
class Index:
    """An index of the database, whoever made it."""

    name: str
    type: str
    state: str
    target: list[str] | None
    properties: list[str] | None
    constraint: str | None


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """With what settings an index was made; those of the other kind of index are None."""

    name: str
    quantization: str | None
    expansion: float | None
    analyzer: str | None


async def await_indexes(graph: Graph, seconds: int = _INDEX_SECONDS) -> None:
    """Wait until every index is ready."""
    await graph.run("database/indexes/await_online", seconds=seconds)


async def index_names(graph: Graph) -> set[str]:
    """Name every index there is, ready or not, those of constraints among them."""
    return {index.name for index in await graph.rows("database/indexes/list", Index)}


async def missing_indexes(graph: Graph) -> list[str]:
    """Name the indexes and constraints that should be there and ready, but are not.

    An index Graphiti made for the same label and property serves as well as ours.
    """
    found = await graph.rows("database/indexes/list", Index)
    ready = {index.name for index in found if index.state == "ONLINE"}
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
        if name not in ready | dropped
        and not (name == "relation_name_idx" and relation_name in targets)
    ]


async def outdated_indexes(graph: Graph, settings: Settings) -> list[str]:
    """Name the indexes that were made with other settings than these; the width is the model's."""

    def outdated(index: SearchIndex) -> bool:
        wanted = dict(_options(index.name, settings))
        wanted.pop("dimensions", None)
        return any(getattr(index, name) != value for name, value in wanted.items())

    made = await graph.rows("database/indexes/list_search", SearchIndex)
    return [index.name for index in made if index.name in SEARCH_INDEXES and outdated(index)]


async def remake_indexes(graph: Graph, settings: Settings, names: Sequence[str]) -> None:
    """Make indexes anew with these settings, and wait for them; meanwhile searches fail.

    Raises:
        SettingsError: The configured full-text analyser is none of Neo4j's; nothing was dropped.
    """
    await check_analyzer(graph, settings)
    for name in names:
        await graph.run("database/indexes/drop", name=name)
        await make(graph, settings, name)
    await await_indexes(graph)


async def make(graph: Graph, settings: Settings, name: str) -> None:
    """Make an index or a constraint, unless it is there."""
    await graph.run(creation_statement(name), **_options(name, settings))


async def check_analyzer(graph: Graph, settings: Settings) -> None:
    """Refuse a full-text analyser that Neo4j does not have, before an index is dropped for it.

    Raises:
        SettingsError: The message lists those there are.
    """
    known = await graph.rows("database/indexes/analyzers", str)
    if settings.fulltext_analyzer not in known:
        raise SettingsError(
            f"GRAPH_MEMORY_FULLTEXT_ANALYZER='{settings.fulltext_analyzer}' is no analyser of "
            f"Neo4j at {graph.address}. Set one of {', '.join(sorted(known))}."
        )


def _options(name: str, settings: Settings) -> Mapping[str, Any]:
    """Return the parameters of a schema statement; most have none."""
    if name.endswith("_text_idx"):
        return {"analyzer": settings.fulltext_analyzer}
    if name in VECTOR_INDEXES:
        return {
            "dimensions": settings.embedding_dimensions,
            "quantization": settings.vector_quantization,
            "expansion": settings.vector_expansion,
        }
    return {}
