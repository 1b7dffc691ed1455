"""Migrations up and down, on an empty database and on one Graphiti made."""

import asyncio
from collections.abc import AsyncIterator
from typing import LiteralString

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings
from graph_memory.database import embedding_record, indexes, migrations, schema
from graph_memory.database.graph import Graph
from graph_memory.database.schema import repair_indexes
from graph_memory.errors import (
    DimensionMismatchError,
    GraphTimeoutError,
    InvalidArgumentError,
    SchemaError,
    SettingsError,
)
from tests.conftest import some_transaction_waits

#: What graphiti-core 0.31 makes on the same labels; ours must live beside it.
GRAPHITI = (
    "CREATE INDEX entity_uuid IF NOT EXISTS FOR (n:Entity) ON (n.uuid)",
    "CREATE INDEX entity_group_id IF NOT EXISTS FOR (n:Entity) ON (n.group_id)",
    "CREATE INDEX name_edge_index IF NOT EXISTS FOR ()-[e:RELATES_TO]-() ON (e.name)",
    "CREATE FULLTEXT INDEX node_name_and_summary IF NOT EXISTS "
    "FOR (n:Entity) ON EACH [n.name, n.summary, n.group_id]",
)


async def test_up_is_idempotent_and_recorded(restored: Graph, settings: Settings) -> None:
    assert await schema.migrate_up(restored, settings) == []
    status = await schema.migration_status(restored)
    assert [step.version for step in status] == [step.version for step in migrations.MIGRATIONS]
    assert all(step.applied_at for step in status)
    assert await indexes.missing_indexes(restored) == []


async def test_down_and_up_again_leave_the_memories(
    restored: Graph, memory: GraphMemory, settings: Settings
) -> None:
    stored = await memory.add("I stay")
    versions = [step.version for step in migrations.MIGRATIONS]
    assert await schema.migrate_down(restored) == list(reversed(versions))
    assert await indexes.missing_indexes(restored) != []
    assert await schema.migrate_up(restored, settings) == versions
    assert await indexes.missing_indexes(restored) == []
    assert (await memory.get(stored.memory_id)).content == "I stay"
    (hit,) = await memory.search("who stays?")
    assert hit.memory.memory_id == stored.memory_id


async def test_an_interrupted_migration_is_finished_by_the_next(
    restored: Graph, memory: GraphMemory, settings: Settings
) -> None:
    stored = await memory.add("I stay")
    await schema.migrate_down(restored)
    interrupted = 0
    for seconds in (0.02, 0.1, 0.2, 0.3):
        try:
            async with asyncio.timeout(seconds):
                await schema.migrate_up(restored, settings)
        except TimeoutError:
            interrupted += 1
    assert interrupted
    await schema.migrate_up(restored, settings)
    assert all(step.applied_at for step in await schema.migration_status(restored))
    assert await indexes.missing_indexes(restored) == []
    assert (await memory.get(stored.memory_id)).content == "I stay"


#: What Neo4j leaves where the creation of this constraint is interrupted, but for its state.
REMAINS = "CREATE INDEX memory_dedup_key FOR (n:Memory) ON (n.dedup_key)"


async def test_the_remains_of_a_constraint_are_replaced_by_a_migration(
    restored: Graph, driver: AsyncDriver, settings: Settings
) -> None:
    await schema.migrate_down(restored)
    await driver.execute_query(REMAINS)
    await schema.migrate_up(restored, settings)
    assert await indexes.missing_indexes(restored) == []


async def test_the_remains_of_a_constraint_are_missed_and_repaired(
    restored: Graph, driver: AsyncDriver, settings: Settings
) -> None:
    await restored.run("database/schema/drop_constraint", name="memory_dedup_key")
    await driver.execute_query(REMAINS)
    assert await indexes.missing_indexes(restored) == ["memory_dedup_key"]
    assert await repair_indexes(restored, settings) == ["memory_dedup_key"]
    assert await indexes.missing_indexes(restored) == []


@pytest.mark.parametrize("to", [-1, migrations.MIGRATIONS[-1].version + 1, 99])
async def test_a_version_that_does_not_exist_is_refused(restored: Graph, to: int) -> None:
    last = migrations.MIGRATIONS[-1].version
    with pytest.raises(InvalidArgumentError, match=f"^to={to} .* from 0 to {last}"):
        await schema.migrate_down(restored, to=to)
    assert await schema.migrate_down(restored, to=last) == []
    assert await indexes.missing_indexes(restored) == []


async def test_a_database_that_graphiti_made_is_taken_as_it_is(
    restored: Graph, driver: AsyncDriver, settings: Settings, memory: GraphMemory
) -> None:
    await schema.migrate_down(restored)
    for statement in GRAPHITI:
        await driver.execute_query(statement)  # type: ignore[arg-type]
    try:
        await schema.migrate_up(restored, settings)
        assert await indexes.missing_indexes(restored) == []
        assert (await memory.add("beside Graphiti")).memory_id
    finally:
        await schema.migrate_down(restored)
        for name in ("entity_uuid", "entity_group_id", "name_edge_index", "node_name_and_summary"):
            await driver.execute_query(f"DROP INDEX {name} IF EXISTS")  # type: ignore[arg-type]


async def test_an_edited_migration_is_refused(
    restored: Graph, driver: AsyncDriver, settings: Settings
) -> None:
    set_checksum = "MATCH (m:SchemaMigration {version: 1}) SET m.checksum = $checksum"
    await driver.execute_query(set_checksum, checksum="other")
    try:
        with pytest.raises(SchemaError, match="Migration 1 differs"):
            await schema.migrate_up(restored, settings)
    finally:
        await driver.execute_query(set_checksum, checksum=migrations.MIGRATIONS[0].checksum)


async def test_a_database_of_a_newer_version_is_refused(
    restored: Graph, driver: AsyncDriver, settings: Settings
) -> None:
    await driver.execute_query(
        "CREATE (:SchemaMigration {version: 999, checksum: '', applied_at: ''})"
    )
    try:
        with pytest.raises(SchemaError, match="migration 999 to this database; this one knows"):
            await schema.migrate_up(restored, settings)
    finally:
        await driver.execute_query("MATCH (m:SchemaMigration {version: 999}) DELETE m")
    assert await schema.migrate_up(restored, settings) == []


async def test_an_old_server_is_refused_with_what_is_needed(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await schema.check_server(graph)
    monkeypatch.setattr(schema, "OLDEST_NEO4J", (9999, 1))
    with pytest.raises(SchemaError, match=r"9999\.01 or newer"):
        await schema.check_server(graph)


async def test_the_vector_index_is_exact_and_knows_group_and_state(
    graph: Graph, driver: AsyncDriver
) -> None:
    records, _, _ = await driver.execute_query(
        "SHOW VECTOR INDEXES YIELD name, properties, options WHERE name = 'memory_embedding_idx' "
        "RETURN properties, options.indexConfig AS config"
    )
    assert records[0]["properties"] == ["embedding", "group_id", "lifecycle_state"]
    assert records[0]["config"]["vector.quantization.type"] == "NONE"
    assert records[0]["config"]["vector.dimensions"] == 384


async def test_another_model_is_refused_with_the_command_that_mends_it(
    graph: Graph, settings: Settings
) -> None:
    other = settings.model_copy(update={"embedding_model": "other", "embedding_dimensions": 8})
    with pytest.raises(DimensionMismatchError, match="graph-memory embeddings rebuild"):
        await embedding_record.check_embedding(graph, other)


async def test_indexes_made_with_other_settings_are_named_and_made_anew(
    restored: Graph, memory: GraphMemory, settings: Settings
) -> None:
    stored = await memory.add("Ada drinks green tea")
    assert await indexes.outdated_indexes(restored, settings) == []
    changed = settings.model_copy(
        update={"vector_quantization": "SCALAR", "fulltext_analyzer": "standard"}
    )
    outdated = await indexes.outdated_indexes(restored, changed)
    assert sorted(outdated) == sorted(indexes.SEARCH_INDEXES)
    finer = settings.model_copy(update={"vector_expansion": 7.5})
    assert sorted(await indexes.outdated_indexes(restored, finer)) == sorted(indexes.VECTOR_INDEXES)
    try:
        await indexes.recreate_indexes(restored, changed, outdated)
        assert await indexes.outdated_indexes(restored, changed) == []
        assert sorted(await indexes.outdated_indexes(restored, settings)) == sorted(outdated)
        (hit,) = await memory.search("who drinks tea?")
        assert hit.memory.memory_id == stored.memory_id
    finally:
        await indexes.recreate_indexes(restored, settings, indexes.SEARCH_INDEXES)
    assert await indexes.outdated_indexes(restored, settings) == []


async def test_an_analyser_that_neo4j_does_not_have_is_refused_before_anything_is_dropped(
    restored: Graph, settings: Settings
) -> None:
    wrong = settings.model_copy(update={"fulltext_analyzer": "zork"})
    with pytest.raises(SettingsError, match=r"FULLTEXT_ANALYZER='zork' .* english, "):
        await indexes.recreate_indexes(restored, wrong, ["fact_text_idx"])
    assert await indexes.missing_indexes(restored) == []


async def test_what_is_gone_is_made_again(restored: Graph, settings: Settings) -> None:
    lost = ["fact_text_idx", "memory_embedding_idx"]
    for name in lost:
        await restored.run("database/indexes/drop", name=name)
    assert sorted(await indexes.missing_indexes(restored)) == lost
    assert sorted(await repair_indexes(restored, settings)) == lost
    assert await indexes.missing_indexes(restored) == []
    assert await repair_indexes(restored, settings) == []


async def test_services_that_start_at_once_create_the_same_index(restored: Graph) -> None:
    for _ in range(5):  # a race is not certain
        await restored.run("database/indexes/drop", name="memory_group_idx")
        create = (restored.run("database/schema/indexes/memory_group_idx") for _ in range(8))
        await asyncio.gather(*create)
        await indexes.await_indexes(restored)
        assert await indexes.missing_indexes(restored) == []


async def test_the_remedy_names_the_setting_that_differs(graph: Graph, settings: Settings) -> None:
    narrow = settings.model_copy(update={"embedding_dimensions": 100})
    with pytest.raises(DimensionMismatchError, match="Set GRAPH_MEMORY_EMBEDDING_DIMENSIONS=384,"):
        await embedding_record.check_embedding(graph, narrow)


@pytest_asyncio.fixture
async def no_held_index(driver: AsyncDriver) -> AsyncIterator[None]:
    """No index that holds writers after the test.

    A busy server may end a statement later than its client gives it up, and so commit it.
    """
    yield
    creating: LiteralString = (
        "SHOW TRANSACTIONS YIELD metaData WHERE metaData.statement = 'backup/create/hold_memories' "
        "RETURN metaData"
    )
    async with asyncio.timeout(60):
        while (await driver.execute_query(creating)).records:
            pass  # asking takes its time
    await driver.execute_query("DROP INDEX held_memories IF EXISTS")


@pytest.mark.usefixtures("no_held_index")
async def test_writers_pass_while_a_schema_statement_waits_for_a_batch(
    graph: Graph, driver: AsyncDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph_memory.database.graph._SCHEMA_SECONDS", (0.5, 1.0, 2.0, 20.0))
    write = "CREATE (n:Memory {uuid: $id}) WITH n DELETE n"
    async with driver.session() as session:
        batch = await session.begin_transaction()
        await batch.run(write, id="of a batch that has not ended")
        creating = asyncio.create_task(graph.run("backup/create/hold_memories"))
        try:
            await some_transaction_waits(driver)
            async with asyncio.timeout(15):  # the first attempts end before
                await driver.execute_query(write, id="of another writer")
            assert not creating.done()
        finally:
            await batch.rollback()
            await creating


@pytest.mark.usefixtures("no_held_index")
async def test_a_schema_statement_gives_up_in_the_end(
    graph: Graph, driver: AsyncDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph_memory.database.graph._SCHEMA_SECONDS", (0.2, 0.4))
    async with driver.session() as session:
        batch = await session.begin_transaction()
        await batch.run("CREATE (:Memory {uuid: 'of a batch that does not end'})")
        with pytest.raises(GraphTimeoutError):
            await graph.run("backup/create/hold_memories")
        await batch.rollback()
