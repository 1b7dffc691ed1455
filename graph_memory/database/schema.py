"""The schema of the database: check the server, apply, undo and repair migrations."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from graph_memory.database import indexes
from graph_memory.database.embedding_record import stored_embedding
from graph_memory.database.graph import Graph
from graph_memory.database.indexes import Index, await_indexes, check_analyzer, create_index
from graph_memory.database.migrations import MIGRATIONS, Migration, creation_statement
from graph_memory.domain.inputs import validate_value
from graph_memory.domain.timestamps import instant
from graph_memory.errors import SchemaError
from graph_memory.settings.base import Settings

#: The oldest Neo4j with `IN` inside `SEARCH ... WHERE` and with `vector.quantization.type`.
OLDEST_NEO4J = (2026, 7)


@dataclass(frozen=True, slots=True)
class MigrationStatus:
    """A migration and the instant this database applied it; None if it has not."""

    version: int
    summary: str
    applied_at: str | None


@dataclass(frozen=True, slots=True)
class _Applied:
    """The record of an applied migration."""

    version: int
    checksum: str
    applied_at: str


async def check_server(graph: Graph) -> str:
    """Return the version of the Neo4j server.

    Raises:
        SchemaError: The server is older than `OLDEST_NEO4J`.
    """
    version = await graph.one("database/schema/server_version", str) or "unknown"
    found = re.match(r"(\d+)\.(\d+)", version)
    if found is None or (int(found[1]), int(found[2])) < OLDEST_NEO4J:
        year, month = OLDEST_NEO4J
        raise SchemaError(
            f"Neo4j {version} at {graph.shown} is too old: graph-memory needs "
            f"{year}.{month:02d} or newer, which filters inside the vector index. "
            "Upgrade it, or unset GRAPH_MEMORY_NEO4J_URI to use the local one."
        )
    return version


async def migrate_up(graph: Graph, settings: Settings, *, now: datetime | None = None) -> list[int]:
    """Apply every migration that is not applied yet; a repeated call changes nothing.

    Returns:
        The versions applied, ascending.

    Raises:
        SchemaError: An applied migration was edited since, or a newer version applied one.
        SettingsError: Neo4j does not have the configured full-text analyser.
    """
    applied = await _applied(graph)
    missing = [step for step in MIGRATIONS if step.version not in applied]
    if (last := max(applied, default=0)) > (known := MIGRATIONS[-1].version):
        raise SchemaError(
            f"A newer graph-memory applied migration {last} to this database; this one knows "
            f"{known}. Install that version, or run its `graph-memory migrate down --to {known}`."
        )
    for step in MIGRATIONS:
        if step.version in applied and applied[step.version].checksum != step.checksum:
            raise SchemaError(
                f"Migration {step.version} differs from the one that was applied on "
                f"{applied[step.version].applied_at}. Install the version of graph-memory that "
                f"applied it, or run `graph-memory migrate down --to {step.version - 1}` and up."
            )
    if missing:
        await check_analyzer(graph, settings)
    for step in missing:
        await _apply(graph, settings, step)
        if step is missing[-1]:  # its record means that all indexes are online, also after a kill
            await await_indexes(graph)
        await _record(graph, step, now or datetime.now(UTC))
    return [step.version for step in missing]


async def _applied(graph: Graph) -> dict[int, _Applied]:
    """Return the records of applied migrations by version."""
    rows = await graph.rows("database/schema/applied_migrations", _Applied)
    return {step.version: step for step in rows}


async def _apply(graph: Graph, settings: Settings, step: Migration) -> None:
    for name in (*step.constraints, *step.indexes):
        await create_index(graph, settings, name)
    for name in step.dropped:
        await graph.run("database/indexes/drop", name=name)
    if step.data_migration and step.data_migration.upgrade:
        await step.data_migration.upgrade(graph)


async def _record(graph: Graph, step: Migration, now: datetime) -> None:
    await graph.run(
        "database/schema/record_migration",
        version=step.version,
        checksum=step.checksum,
        now=instant(now),
    )


async def upgrade_stored_data(graph: Graph) -> None:
    """Convert data of earlier versions, as a backup holds, to the current form."""
    for step in MIGRATIONS:
        if step.data_migration and step.data_migration.upgrade:
            await step.data_migration.upgrade(graph)


async def steps_down(graph: Graph, to: int) -> list[Migration]:
    """Return the applied migrations above version `to`, descending.

    Raises:
        InvalidArgumentError: `to` is below 0 or above the last version.
    """
    validate_value(Annotated[int, Field(ge=0, le=MIGRATIONS[-1].version)], to, "to")
    applied = await _applied(graph)
    return [s for s in reversed(MIGRATIONS) if s.version > to and s.version in applied]


async def migrate_down(graph: Graph, *, to: int = 0) -> list[int]:
    """Undo every migration above version `to`; memories and relations stay.

    It asks for no confirmation; the callers count `losses` first.

    Returns:
        The versions undone, descending.

    Raises:
        InvalidArgumentError: `to` is below 0 or above the last version.
    """
    steps = await steps_down(graph, to)
    for step in steps:
        if step.data_migration:
            await step.data_migration.downgrade(graph)
        for name in step.dropped:
            await graph.run(creation_statement(name))
        for name in reversed(step.indexes):
            await graph.run("database/indexes/drop", name=name)
        for name in reversed(step.constraints):
            await graph.run("database/schema/drop_constraint", name=name)
        await graph.run("database/schema/forget_migration", version=step.version)
    return [step.version for step in steps]


async def drop_indexes(graph: Graph) -> None:
    """Drop every index and constraint of a copy of a database."""
    for index in await graph.rows("database/indexes/list", Index):
        if index.constraint:
            await graph.run("database/schema/drop_constraint", name=index.constraint)
        else:
            await graph.run("database/indexes/drop", name=index.name)


async def migration_status(graph: Graph) -> list[MigrationStatus]:
    """Return every known migration with the instant this database applied it."""
    applied = await _applied(graph)
    return [
        MigrationStatus(
            step.version,
            step.summary,
            applied[step.version].applied_at if step.version in applied else None,
        )
        for step in MIGRATIONS
    ]


async def repair_indexes(graph: Graph, settings: Settings) -> list[str]:
    """Create the absent indexes and constraints of applied migrations, and return their names.

    Vector indexes get the width of the stored vectors.

    Raises:
        SettingsError: Neo4j does not have the configured full-text analyser.
    """
    applied = await _applied(graph)
    expected = {
        name
        for step in MIGRATIONS
        if step.version in applied
        for name in (*step.constraints, *step.indexes)
    }
    existing = await indexes.index_names(graph)
    absent = [name for name in await indexes.missing_indexes(graph) if name in expected - existing]
    if absent:
        await check_analyzer(graph, settings)
        if stored := await stored_embedding(graph):
            settings = settings.model_copy(update={"embedding_dimensions": stored.dimensions})
        for name in absent:
            await create_index(graph, settings, name)
        await await_indexes(graph)
    return absent
