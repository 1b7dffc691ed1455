"""An action on a cluster changes its memories, says which it leaves, and is undone exactly."""

from typing import Any

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.database.lease import Lease
from graph_memory.errors import InvalidArgumentError, RunLockedError
from tests.conftest import Clock
from tests.integration.learning.test_clusters import learn, stored
from tests.integration.maintenance.test_run import other, run
from tests.support.dump import dump

#: The actions with what they take.
ACTIONS: list[dict[str, Any]] = [
    {"action": "preserve"},
    {"action": "tag", "tag": "music"},
    {"action": "obsolete", "reason": "the violin was sold"},
]


@pytest_asyncio.fixture
async def violin(memory: GraphMemory, clock: Clock, driver: AsyncDriver) -> tuple[str, list[str]]:
    """Make a cluster of four memories, one of them archived and compressed; return their ids."""
    ids = (await stored(memory, clock))[:4]
    await learn(memory)
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) SET m.lifecycle_state = 'ARCHIVED', m.packing_due = true",
        id=ids[1],
    )
    await run(memory, stages=["compress"])
    cluster, *_ = (await memory.clusters.list()).clusters
    return cluster.cluster_id, ids


@pytest.mark.parametrize("act", ACTIONS, ids=[each["action"] for each in ACTIONS])
async def test_an_action_and_its_undo(
    memory: GraphMemory,
    violin: tuple[str, list[str]],
    driver: AsyncDriver,
    group: str,
    act: dict[str, Any],
) -> None:
    cluster_id, ids = violin
    before = await dump(driver, group)
    expected = await memory.clusters.act(cluster_id, dry_run=True, **act)
    assert await dump(driver, group) == before
    assert (expected.run_id, expected.changed, expected.left) == (None, 4, 0)
    done = await memory.clusters.act(cluster_id, **act)
    assert (done.dry_run, done.changed, done.memory_ids) == (False, 4, expected.memory_ids)
    assert done.memory_ids == sorted(ids)
    again = await memory.clusters.act(cluster_id, **act)
    assert (again.run_id, again.changed, again.left) == (None, 0, 4)
    undone = await memory.maintenance.undo(done.run_id or "")
    assert (undone.unlearned, undone.refused) == (4, 0)
    assert await dump(driver, group) == before


async def test_each_action_does_what_its_name_says(
    memory: GraphMemory, violin: tuple[str, list[str]]
) -> None:
    cluster_id, ids = violin
    await memory.clusters.tag(cluster_id, " music ")
    assert (await memory.get(ids[0], counted=False)).tags == ["music"]
    await memory.clusters.preserve(cluster_id[:8])
    archived = await memory.get(ids[1], counted=False)
    assert (archived.lifecycle_state, archived.protection) == ("ACTIVE", "tag")
    assert archived.content == "Ada plays the violin in the attic."
    refused = await memory.clusters.obsolete(cluster_id, "sold")
    assert {each.reason for each in refused.refusals} == {"it is preserved; release it first"}
    await memory.lifecycle.preserve(ids[0], release=True)
    done = await memory.clusters.obsolete(cluster_id, "sold")
    assert (done.memory_ids, done.left) == ([ids[0]], 3)
    gone = await memory.get(ids[0], counted=False)
    assert gone.lifecycle_state == "EXPIRED"
    tagged = await memory.clusters.tag(cluster_id, "garden", dry_run=True)
    (left,) = tagged.refusals
    assert (left.memory_id, "obsolete" in left.reason) == (ids[0], True)


async def test_what_was_changed_since_stays(
    memory: GraphMemory, violin: tuple[str, list[str]]
) -> None:
    cluster_id, ids = violin
    done = await memory.clusters.tag(cluster_id, "music")
    await memory.update(ids[0], tags=["music", "loud"])
    undone = await memory.maintenance.undo(done.run_id or "")
    assert (undone.unlearned, undone.refused) == (3, 1)
    assert undone.refusals[0].memory_id == ids[0]
    assert (await memory.get(ids[2], counted=False)).tags == []
    await memory.delete(ids[0], permanent=True)
    after = await memory.maintenance.undo(done.run_id or "")
    assert (after.unlearned, after.refused) == (0, 0)


async def test_wrong_calls_are_refused(
    memory: GraphMemory, violin: tuple[str, list[str]], group: str
) -> None:
    cluster_id, _ = violin
    foreign = other(memory, group_id=f"{group}_2")
    for service, named in ((memory, "no-such-cluster"), (foreign, cluster_id)):
        with pytest.raises(InvalidArgumentError, match="the group has no such cluster"):
            await service.clusters.get(named)
        with pytest.raises(InvalidArgumentError, match="the group has no such cluster"):
            await service.clusters.preserve(named)
    with pytest.raises(InvalidArgumentError, match="tag"):
        await memory.clusters.tag(cluster_id, " ")
    with pytest.raises(InvalidArgumentError, match="this action does not take it"):
        await memory.clusters.act(cluster_id, "preserve", tag="music")
    with pytest.raises(InvalidArgumentError, match="reason"):
        await memory.clusters.act(cluster_id, "obsolete")
    unknown: Any = "burn"
    with pytest.raises(InvalidArgumentError, match="action"):
        await memory.clusters.act(cluster_id, unknown)
    async with Lease(memory.context.graph, memory.settings):
        with pytest.raises(RunLockedError):
            await memory.clusters.tag(cluster_id, "music")
