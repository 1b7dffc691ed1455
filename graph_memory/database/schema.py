"""What the schema has lost is made again: an index dropped by hand, or by what failed half-way."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from graph_memory.database import embedding_record, indexes
from graph_memory.database.graph import Graph
from graph_memory.database.indexes import await_indexes, check_analyzer, make
from graph_memory.database.migrations import MIGRATIONS, Migration, creation_statement
from graph_memory.domain.timestamps import instant
from graph_memory.errors import SchemaError
from graph_memory.settings.base import Settings


async def mend_indexes(graph: Graph, settings: Settings) -> list[str]:
    """Make the indexes and constraints again that applied migrations made and that are gone.

    Vector indexes get the width of the vectors that are stored. Returns the names.

    Raises:
        SettingsError: The configured full-text analyser is none of Neo4j's.
    """
    applied = {s.version for s in await migration_status(graph) if s.applied_at}
    made = {
        name
        for step in MIGRATIONS
        if step.version in applied
        for name in (*step.constraints, *step.indexes)
    }
    there = await indexes.index_names(graph)
    gone = [name for name in await indexes.missing_indexes(graph) if name in made - there]
    if gone:
        await indexes.check_analyzer(graph, settings)
        if stored := await embedding_record.stored_embedding(graph):
            settings = settings.model_copy(update={"embedding_dimensions": stored.dimensions})
        for name in gone:
            await indexes.make(graph, settings, name)
        await indexes.await_indexes(graph)
    return gone


#: `IN` inside `SEARCH ... WHERE` and `vector.quantization.type` came with this version.
OLDEST_NEO4J = (2026, 7)


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


async def check_server(graph: Graph) -> str:
    """Return the version of the server.

    Raises:
        SchemaError: The server is older than `OLDEST_NEO4J`.
    """
    version = await graph.one("database/schema/server_version", str) or "unknown"
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
    rows = await graph.rows("database/schema/applied_migrations", Applied)
    return {step.version: step for step in rows}


async def _apply(graph: Graph, settings: Settings, step: Migration, now: datetime) -> None:
    for name in (*step.constraints, *step.indexes):
        await make(graph, settings, name)
    for name in step.dropped:
        await graph.run("database/indexes/drop", name=name)
    if step.rewriting:
        await step.rewriting.up(graph)
    await graph.run(
        "database/schema/record_migration",
        version=step.version,
        checksum=step.checksum,
        now=instant(now),
    )


async def rewrite(graph: Graph) -> None:
    """Store in today's form what came from an earlier version, as in a backup."""
    for step in MIGRATIONS:
        if step.rewriting:
            await step.rewriting.up(graph)


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
            await graph.run(creation_statement(name))
        for name in reversed(step.indexes):
            await graph.run("database/indexes/drop", name=name)
        for name in reversed(step.constraints):
            await graph.run("database/schema/drop_constraint", name=name)
        await graph.run("database/schema/forget_migration", version=step.version)
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
