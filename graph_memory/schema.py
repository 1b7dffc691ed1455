"""The database's schema: its migrations up and down, and a check of the result."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from graph_memory.errors import DimensionMismatchError, SchemaError, SettingsError
from graph_memory.graph import Graph
from graph_memory.memories import instant
from graph_memory.migrations import MIGRATIONS, Migration
from graph_memory.settings import Settings

#: `IN` inside `SEARCH ... WHERE` and `vector.quantization.type` came with this version.
OLDEST_NEO4J = (2026, 7)

#: The vector indexes; of entities and facts the vectors are Graphiti's.
VECTOR_INDEXES = ("memory_embedding_idx", "entity_name_embedding_idx", "fact_embedding_idx")

#: The indexes that settings have a say in.
SEARCH_INDEXES = (*VECTOR_INDEXES, "memory_text_idx", "fact_text_idx")

_INDEX_SECONDS = 300


@dataclass(frozen=True, slots=True)
class MigrationStatus:
    """Whether this database has seen a migration."""

    version: int
    summary: str
    applied_at: str | None


@dataclass(frozen=True, slots=True)
class Applied:
    """A migration as the database remembers it."""

    version: int
    checksum: str
    applied_at: str


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


@dataclass(frozen=True, slots=True)
class StoredEmbedding:
    """The model whose vectors the database holds."""

    model: str
    dimensions: int


async def check_server(graph: Graph) -> str:
    """Return the version of the server.

    Raises:
        SchemaError: The server is older than `OLDEST_NEO4J`.
    """
    version = await graph.one("schema/server_version", str) or "unknown"
    found = re.match(r"(\d+)\.(\d+)", version)
    if found is None or (int(found[1]), int(found[2])) < OLDEST_NEO4J:
        year, month = OLDEST_NEO4J
        raise SchemaError(
            f"Neo4j {version} at {graph.address} is too old: graph-memory needs "
            f"{year}.{month:02d} or newer, whose SEARCH filters inside the vector index. "
            "Upgrade it, or unset GRAPH_MEMORY_NEO4J_URI to use the local one."
        )
    return version


async def migrate_up(graph: Graph, settings: Settings, *, now: datetime | None = None) -> list[int]:
    """Apply every migration that is missing; a second run changes nothing.

    Returns:
        The versions applied, ascending.

    Raises:
        SchemaError: A migration was edited after this database applied it, or is not known here.
        SettingsError: The configured full-text analyser is none of Neo4j's.
    """
    applied = await _applied(graph)
    missing = [step for step in MIGRATIONS if step.version not in applied]
    if (last := max(applied, default=0)) > (known := MIGRATIONS[-1].version):
        raise SchemaError(
            f"A newer graph-memory brought this database to migration {last}; this one knows "
            f"{known}. Install that version, or run its `graph-memory migrate down --to {known}`."
        )
    for step in MIGRATIONS:
        if step.version in applied and applied[step.version].checksum != step.checksum:
            raise SchemaError(
                f"Migration {step.version} differs from the one this database applied on "
                f"{applied[step.version].applied_at}. Install the version of graph-memory that "
                f"applied it, or run `graph-memory migrate down --to {step.version - 1}` and up."
            )
    if missing:
        await check_analyzer(graph, settings)
    for step in missing:
        await _apply(graph, settings, step, now or datetime.now(UTC))
    if missing:
        await await_indexes(graph)
    return [step.version for step in missing]


async def _applied(graph: Graph) -> dict[int, Applied]:
    """Return by their versions the migrations that this database has seen."""
    rows = await graph.rows("schema/applied_migrations", Applied)
    return {step.version: step for step in rows}


async def _apply(graph: Graph, settings: Settings, step: Migration, now: datetime) -> None:
    for name in (*step.constraints, *step.indexes):
        await make(graph, settings, name)
    for name in step.dropped:
        await graph.run("schema/drop_index", name=name)
    if step.rewriting:
        await step.rewriting.up(graph)
    await graph.run(
        "schema/record_migration", version=step.version, checksum=step.checksum, now=instant(now)
    )


async def rewrite(graph: Graph) -> None:
    """Store in today's form what came from an earlier version, as in a backup."""
    for step in MIGRATIONS:
        if step.rewriting:
            await step.rewriting.up(graph)


async def await_indexes(graph: Graph, seconds: int = _INDEX_SECONDS) -> None:
    """Wait until every index is ready."""
    await graph.run("schema/await_indexes", seconds=seconds)


async def migrate_down(graph: Graph, *, to: int = 0) -> list[int]:
    """Take back every migration above version `to`; memories and relations stay.

    Returns:
        The versions taken back, descending.
    """
    applied = await _applied(graph)
    steps = [s for s in reversed(MIGRATIONS) if s.version > to and s.version in applied]
    for step in steps:
        if step.rewriting:
            await step.rewriting.down(graph)
        for name in step.dropped:
            await graph.run(f"schema/{name}")
        for name in reversed(step.indexes):
            await graph.run("schema/drop_index", name=name)
        for name in reversed(step.constraints):
            await graph.run("schema/drop_constraint", name=name)
        await graph.run("schema/forget_migration", version=step.version)
    return [step.version for step in steps]


async def migration_status(graph: Graph) -> list[MigrationStatus]:
    """List every migration and when this database applied it."""
    applied = await _applied(graph)
    return [
        MigrationStatus(
            step.version,
            step.summary,
            applied[step.version].applied_at if step.version in applied else None,
        )
        for step in MIGRATIONS
    ]


async def index_names(graph: Graph) -> set[str]:
    """Name every index there is, ready or not, those of constraints among them."""
    return {index.name for index in await graph.rows("schema/indexes", Index)}


async def missing_indexes(graph: Graph) -> list[str]:
    """Name the indexes and constraints that should be there and ready, but are not.

    An index Graphiti made for the same label and property serves as well as ours.
    """
    found = await graph.rows("schema/indexes", Index)
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


async def check_embedding(graph: Graph, settings: Settings) -> None:
    """Compare the configured embedding model with the stored vectors'; a new database adopts it.

    Raises:
        DimensionMismatchError: They differ; the message names the rebuild command.
    """
    stored = await stored_embedding(graph)
    configured = configured_embedding(settings)
    if stored is None:
        await record_embedding(graph, settings)
    elif stored != configured:
        raise mismatch(stored, configured)


def mismatch(stored: StoredEmbedding, configured: StoredEmbedding) -> DimensionMismatchError:
    """Return the error that two models do not fit together, with the settings to set back."""
    back = {
        "GRAPH_MEMORY_EMBEDDING_MODEL": (stored.model, configured.model),
        "GRAPH_MEMORY_EMBEDDING_DIMENSIONS": (stored.dimensions, configured.dimensions),
    }
    return DimensionMismatchError(
        f"{stored.model} ({stored.dimensions} dimensions)",
        f"{configured.model} ({configured.dimensions} dimensions)",
        " and ".join(f"{name}={was}" for name, (was, now) in back.items() if was != now),
    )


def configured_embedding(settings: Settings) -> StoredEmbedding:
    """Return the model new vectors are of."""
    return StoredEmbedding(settings.embedding_model, settings.embedding_dimensions)


async def stored_embedding(graph: Graph) -> StoredEmbedding | None:
    """Return the model of the stored vectors; None before the first."""
    return await graph.one("schema/stored_embedding", StoredEmbedding)


async def record_embedding(graph: Graph, settings: Settings) -> None:
    """Remember that this database's vectors are of the configured model."""
    await graph.run(
        "schema/record_embedding",
        model=settings.embedding_model,
        dimensions=settings.embedding_dimensions,
    )


async def outdated_indexes(graph: Graph, settings: Settings) -> list[str]:
    """Name the indexes that were made with other settings than these; the width is the model's."""

    def outdated(index: SearchIndex) -> bool:
        wanted = dict(_options(index.name, settings))
        wanted.pop("dimensions", None)
        return any(getattr(index, name) != value for name, value in wanted.items())

    made = await graph.rows("schema/search_indexes", SearchIndex)
    return [index.name for index in made if index.name in SEARCH_INDEXES and outdated(index)]


async def remake_indexes(graph: Graph, settings: Settings, names: Sequence[str]) -> None:
    """Make indexes anew with these settings, and wait for them; meanwhile searches fail.

    Raises:
        SettingsError: The configured full-text analyser is none of Neo4j's; nothing was dropped.
    """
    await check_analyzer(graph, settings)
    for name in names:
        await graph.run("schema/drop_index", name=name)
        await make(graph, settings, name)
    await await_indexes(graph)


async def make(graph: Graph, settings: Settings, name: str) -> None:
    """Make an index or a constraint, unless it is there."""
    await graph.run(f"schema/{name}", **_options(name, settings))


async def check_analyzer(graph: Graph, settings: Settings) -> None:
    """Refuse a full-text analyser that Neo4j does not have, before an index is dropped for it.

    Raises:
        SettingsError: The message lists those there are.
    """
    known = await graph.rows("schema/analyzers", str)
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
