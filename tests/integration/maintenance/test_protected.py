"""Runs, dry runs and the doctor say which tags protect, and how many memories they protect."""

from datetime import timedelta

from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.database import data_migrations
from graph_memory.decay.protected import Protected
from graph_memory.diagnostics.doctor import examine
from tests.conftest import TODAY, Clock
from tests.integration.maintenance.test_run import look, other, run


async def fill_protected(memory: GraphMemory) -> None:
    await memory.add("by a tag", tags=["Pinned"])
    await memory.add("by another tag", tags=["core", "pinned"])
    await memory.add("by its weight", importance=9, stability=5)
    until = await memory.add("until a date")
    await memory.lifecycle.preserve(until.memory_id, until=TODAY + timedelta(days=10))
    await memory.add("not protected")
    await memory.delete((await memory.add("deleted", tags=["pinned"])).memory_id)


async def test_a_run_says_what_protects_how_many(
    memory: GraphMemory, group: str, clock: Clock
) -> None:
    few = other(memory, protected_tags=("Pinned", "core"))
    await fill_protected(few)
    expected = Protected(["pinned", "core", "preserved"], 2, 1, 1, 0)
    assert (await few.maintenance.dry_run(groups=[group])).protected == expected
    assert (await run(few)).protected == expected
    clock.advance(days=1)
    assert (await run(few)).protected == expected  # nothing is due

    fewer = other(memory, protected_tags=("core",))
    expected = Protected(["core", "preserved"], 1, 1, 1, 1)
    told = await fewer.maintenance.dry_run(groups=[group])
    assert told.protected == expected
    assert told.protected.describe() == (
        "1 memories by a tag (core, preserved), 1 by importance and stability, 1 until a date; "
        "1 more lose their protection with the next run"
    )
    supposed = await few.maintenance.dry_run(groups=[group], numbers={"protected_tags": "core"})
    assert supposed.protected == expected
    assert (await run(fewer)).protected == Protected(["core", "preserved"], 1, 1, 1, 0)


async def test_the_doctor_says_what_protects_and_warns_of_what_no_longer_does(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    await fill_protected(memory)
    damaged = await memory.add("damaged")
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) SET m.tags = [7]", id=damaged.memory_id
    )
    checks = {check.name: check for check in await examine(memory.settings)}
    assert "by a tag (permanent, important, " in checks["protection"].detail
    none = memory.settings.model_copy(update={"protected_tags": ('["pinned"',)})
    checks = {check.name: check for check in await examine(none)}
    assert checks["protection"].status == "warn"
    assert 'by a tag (["pinned", preserved)' in checks["protection"].detail
    assert "GRAPH_MEMORY_PROTECTED_TAGS" in checks["protection"].remedy


async def test_what_an_earlier_version_stored_is_noted_by_the_migration(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await fill_protected(memory)

    async def noted() -> set[str]:
        return {m["content"] for m in await look(driver, group) if m.get("is_protected")}

    before = await noted()
    assert before == {"by a tag", "by another tag", "by its weight", "until a date", "deleted"}
    await data_migrations.forget_protected(memory.context.graph)
    assert await noted() == set()
    await data_migrations.note_protected(memory.context.graph)
    assert await noted() == before
    assert (await run(memory)).protected.by_tag == 2
