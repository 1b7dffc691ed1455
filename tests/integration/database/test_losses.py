"""A migration down deletes nothing permanently without a confirmation."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Settings
from graph_memory.api.database import Database
from graph_memory.database import schema
from graph_memory.database.graph import Graph
from graph_memory.database.losses import Loss
from graph_memory.database.migrations import MIGRATIONS
from graph_memory.errors import ConfirmationRequiredError, InvalidArgumentError

NEWEST = MIGRATIONS[-1].version

#: Two nodes of each kind that is lost, and what is found again.
CREATE = """
UNWIND ['a', 'b'] AS id
CREATE (:PendingWrite {uuid: id, pending_key: id, group_id: $group})
CREATE (:Tombstone {uuid: id, key: id, bucket: id, group_id: $group})
CREATE (:NamedEntity {uuid: id, group_id: $group})
CREATE (:Proposal {uuid: 'open' + id, kind: 'related_to', status: 'open', group_id: $group})
CREATE (:Proposal {uuid: 'no' + id, kind: 'related_to', status: 'rejected', group_id: $group})
CREATE (:Proposal {uuid: 'alias' + id, kind: 'same_as', status: 'accepted', group_id: $group})
CREATE (:LearningChange {run_id: 'one', stage: 'strengths', at: '', group_id: $group})
CREATE (:LearningChange {run_id: 'found' + id, stage: 'entities', at: '', group_id: $group})
"""

DELETE = """
MATCH (n:PendingWrite|Tombstone|NamedEntity|Proposal|LearningChange) DETACH DELETE n
"""

COUNT = """
MATCH (n:PendingWrite|Tombstone|NamedEntity|Proposal|LearningChange) RETURN count(n) AS count
"""

LOST = [
    Loss(18, "writes that wait for a review", 2),
    Loss(17, "tombstones", 2),
    Loss(16, "decisions on aliases", 2),
    Loss(15, "decisions on proposals", 2),
    Loss(15, "runs whose changes can be undone", 1),
]


@pytest_asyncio.fixture
async def database(
    restored: Graph, settings: Settings, driver: AsyncDriver
) -> AsyncIterator[Database]:
    """The shared database, with nothing to lose before and after the test."""
    await driver.execute_query(DELETE)
    yield Database(restored, settings)
    await driver.execute_query(DELETE)


async def counted(driver: AsyncDriver) -> int:
    return (await driver.execute_query(COUNT)).records[0]["count"]


@pytest.mark.parametrize("to", range(NEWEST + 1))
async def test_what_each_way_down_loses_is_counted(
    database: Database, driver: AsyncDriver, group: str, to: int
) -> None:
    await driver.execute_query(CREATE, group=group)
    assert await database.losses(to) == [loss for loss in LOST if loss.version > to]


@pytest.mark.parametrize("confirm", ["", "delete", "YES"])
async def test_a_way_down_with_losses_is_refused_and_changes_nothing(
    database: Database, driver: AsyncDriver, group: str, confirm: str
) -> None:
    await driver.execute_query(CREATE, group=group)
    before = await database.migrations(), await counted(driver)
    with pytest.raises(ConfirmationRequiredError) as caught:
        await database.migrate_down(9, confirm=confirm)
    assert (await database.migrations(), await counted(driver)) == before
    assert str(caught.value) == (
        "Migrating down to 9 would permanently delete: writes that wait for a review (2), "
        "tombstones (2), decisions on aliases (2), decisions on proposals (2), "
        "runs whose changes can be undone (1). Decide the writes with `graph-memory review` "
        "first. It needs confirm='DELETE'. Nothing was changed."
    )


async def test_a_confirmed_way_down_deletes_and_goes_on_after_an_end_in_between(
    database: Database, graph: Graph, driver: AsyncDriver, group: str
) -> None:
    await driver.execute_query(CREATE, group=group)
    await schema.migrate_down(graph, to=17)  # as if it had been killed
    assert await database.losses(14) == LOST[1:]
    assert await database.migrate_down(14, confirm="DELETE") == [17, 16, 15]
    assert await counted(driver) == 0
    assert await database.losses(0) == []


async def test_a_way_down_that_loses_nothing_needs_no_confirmation(
    database: Database, memory: GraphMemory
) -> None:
    stored = await memory.add("I stay")
    assert await database.migrate_down(14) == list(range(NEWEST, 14, -1))
    await database.migrate()
    assert (await memory.get(stored.memory_id)).content == "I stay"


@pytest.mark.parametrize("to", [-1, NEWEST + 1])
async def test_losses_of_a_version_that_does_not_exist_are_refused(
    database: Database, to: int
) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^to={to} .* from 0 to {NEWEST}"):
        await database.losses(to)
