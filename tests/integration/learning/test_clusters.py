"""Runs find clusters of related memories, which last, and an undo takes them back."""

from typing import Any

from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.diagnostics.verify import verify
from graph_memory.domain.scope import CallScope
from graph_memory.learning import clusters
from graph_memory.learning.clusters import Computed
from graph_memory.maintenance.report import MaintenanceReport
from tests.conftest import Clock
from tests.integration.maintenance.test_run import other, run
from tests.support.dump import dump

VIOLIN = (
    "Ada keeps her violin in the attic.",
    "Ada plays the violin in the attic.",
    "The violin in the attic belongs to Ada.",
    "Ada practises the violin in the attic every evening.",
)
FERRY = (
    "The ferry to the island leaves at seven.",
    "The ferry to the island was late.",
    "A ticket for the ferry to the island costs nine euros.",
)
LONE = "Helium is a noble gas."


async def stored(memory: GraphMemory, clock: Clock) -> list[str]:
    """Store the texts, a day apart, and return their ids."""
    ids: list[str] = []
    for text in (*VIOLIN, *FERRY, LONE):
        ids.append((await memory.add(text)).memory_id)
        clock.advance(days=1)
    return ids


async def learn(memory: GraphMemory, **options: Any) -> MaintenanceReport:
    return await run(memory, stages=["clusters"], **options)


async def members(memory: GraphMemory) -> dict[str, set[str]]:
    """Return the ids of the memories of each cluster."""
    return {
        each.cluster_id: {
            m.memory_id for m in (await memory.clusters.get(each.cluster_id)).memories
        }
        for each in (await memory.clusters.list()).clusters
    }


async def test_a_run_finds_what_belongs_together(memory: GraphMemory, clock: Clock) -> None:
    ids = await stored(memory, clock)
    report = await learn(memory)
    found = await memory.clusters.list()
    assert (report.learned, found.total) == (7, 2)
    violin, ferry = found.clusters
    assert (violin.size, ferry.size) == (4, 3)
    assert {"violin", "attic"} < set((violin.label or "").split(", "))
    assert {"ferry", "island"} <= set((ferry.label or "").split(", "))
    assert violin.central_id in ids[:4]
    assert violin.central in VIOLIN
    assert dict(violin.states) == {"ACTIVE": 4, "DORMANT": 0, "ARCHIVED": 0, "EXPIRED": 0}
    assert (violin.newest - violin.oldest).days == 3
    one = await memory.clusters.get(violin.cluster_id[:8])
    assert one.cluster == violin
    assert [each.memory_id for each in one.memories] == ids[3::-1]
    assert one.memories[0].lead == VIOLIN[3]
    assert len((await memory.clusters.list(limit=1)).clusters) == 1
    assert (await memory.clusters.list(limit=1)).total == 2


async def test_relations_make_a_cluster_of_unlike_memories(memory: GraphMemory) -> None:
    texts = ("Helium is a noble gas.", "The market opens at nine.", "Grandmother sings.", "Mist.")
    ids = [(await memory.add(text)).memory_id for text in texts]
    await memory.relations.add(ids[0], ids[1], "supports")
    await memory.relations.add(ids[1], ids[2], "causes")
    await learn(memory)
    assert list((await members(memory)).values()) == [set(ids[:3])]
    await memory.relations.remove(ids[1], ids[2], "causes")
    await learn(memory)
    assert await members(memory) == {}


async def test_once_or_ten_times_is_the_same_and_undo_leaves_nothing(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    await stored(memory, clock)
    before = await dump(driver, group)
    report = await learn(memory)
    once = await dump(driver, group)
    for _ in range(3):
        assert (await learn(memory)).learned == 0
    assert await dump(driver, group) == once
    undone = await memory.maintenance.undo(report.run_id)
    assert (undone.unlearned, undone.refused) == (7 + 8, 0)
    assert await dump(driver, group) == before


async def test_an_earlier_run_is_undone_after_the_later_one(
    memory: GraphMemory, clock: Clock
) -> None:
    ids = await stored(memory, clock)
    first = await learn(memory)
    for number, each in enumerate(ids[4:7]):
        await memory.update(each, content=f"The train to the city leaves at {number}.")
    second = await learn(memory)
    assert [each.size for each in (await memory.clusters.list()).clusters] == [4, 3]
    refused = await memory.maintenance.undo(first.run_id)
    assert refused.refused >= 1
    assert refused.refusals[0].reason.startswith("its cluster was computed again since")
    await memory.maintenance.undo(second.run_id)
    assert (await memory.maintenance.undo(first.run_id)).refused == 0
    assert (await memory.clusters.list()).total == 0


async def test_a_dry_run_shows_what_a_run_would_change(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    await stored(memory, clock)
    before = await dump(driver, group)
    expected = await memory.maintenance.dry_run(groups=[group], stages=["clusters"])
    assert await dump(driver, group) == before
    assert expected.learned == len(expected.would_learn) == 7
    assert expected.would_learn[0].becomes.count("centre of '") == 1
    assert expected.would_learn[0].reason.startswith("Leiden communities of 8 memories by ")
    assert (await learn(memory)).learned == 7
    again = await memory.maintenance.dry_run(groups=[group], stages=["clusters"])
    assert again.learned == 0


async def test_the_canary_bounds_what_is_written(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    await stored(memory, clock)
    before = await dump(driver, group)
    assert (await learn(memory, canary_percent=0)).learned == 0
    assert await dump(driver, group) == before


async def test_a_cluster_keeps_its_id_as_memories_come_and_go(
    memory: GraphMemory, clock: Clock
) -> None:
    ids = await stored(memory, clock)
    await learn(memory)
    before = await members(memory)
    await memory.delete(ids[0])
    added = (await memory.add("Ada sold the violin of the attic.")).memory_id
    await learn(memory)
    after = await members(memory)
    assert before.keys() == after.keys()
    assert {*ids[1:4], added} in after.values()


async def test_groups_never_mix(memory: GraphMemory, clock: Clock, group: str) -> None:
    twin = other(memory, group_id=f"{group}_2")
    ids = await stored(memory, clock)
    of_twin = await stored(twin, clock)
    await memory.maintenance.run(groups=[group, f"{group}_2"], stages=["clusters"])
    mine, others = await members(memory), await members(twin)
    assert not mine.keys() & others.keys()
    assert set().union(*mine.values()) == set(ids[:7])
    assert set().union(*others.values()) == set(of_twin[:7])


async def test_a_run_that_was_killed_goes_on(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    await stored(memory, clock)
    graph, settings, scope = memory.context.graph, memory.settings, CallScope(group, clock())
    network = await clusters.read(graph, settings, scope)
    async for looked in clusters.look_up(graph, scope, network):
        await clusters.note_near(graph, scope, looked, "killed")
    network = await clusters.read(graph, settings, scope)
    assert [each async for each in clusters.look_up(graph, scope, network)] == []
    whole = await clusters.compute(scope, network)
    half = Computed(whole.changes[::2], whole.reason)
    await clusters.store(graph, scope, half, "killed")
    rest = await clusters.compute(scope, await clusters.read(graph, settings, scope))
    assert {each.memory_id: each.becomes for each in rest.changes} == {
        each.memory_id: each.becomes for each in whole.changes[1::2]
    }


async def test_memories_are_looked_up_once_until_most_near_ones_are_gone(
    memory: GraphMemory, clock: Clock, group: str
) -> None:
    ids = await stored(memory, clock)
    await learn(memory)

    async def waiting() -> set[str]:
        scope = CallScope(group, clock())
        network = await clusters.read(memory.context.graph, memory.settings, scope)
        looked = [each async for each in clusters.look_up(memory.context.graph, scope, network)]
        return {memory_id for each in looked for memory_id in each.notes}

    assert await waiting() == set()
    await memory.delete(ids[7])
    assert await waiting() == set()
    for each in ids[3:7]:
        await memory.delete(each)
    assert await waiting() == set(ids[:3])


async def test_a_new_text_is_looked_up_again_and_a_damaged_note_is_none(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    ids = await stored(memory, clock)
    await learn(memory)
    await memory.update(ids[6], content=VIOLIN[0] + " It is old.")
    await learn(memory)
    assert set(ids[:4]) | {ids[6]} in (await members(memory)).values()
    await driver.execute_query(
        "MATCH (m:Memory {group_id: $group}) SET m.near_json = '[' + left(m.near_json, 90)",
        group=group,
    )
    await learn(memory)
    assert len(await members(memory)) == 1


async def test_an_erased_memory_leaves_no_trace(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    ids = await stored(memory, clock)
    await learn(memory)
    for each in ids[:4]:
        await memory.delete(each, permanent=True)
    assert "violin" not in str(await dump(driver, group))
    assert (await memory.clusters.list()).total == 1
    assert (await verify(memory.context.graph, memory.settings)).get(group, []) == []
