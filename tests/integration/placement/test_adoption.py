"""Adoption of what Graphiti made on two servers: each group on the server that has it."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.errors import InvalidArgumentError
from graph_memory.graphiti.adoption import MisplacedGroup
from tests.integration.graphiti.test_adoption import exported, stock

pytestmark = pytest.mark.timeout(600)

ENTITIES = 4


@pytest_asyncio.fixture
async def databases(
    driver: AsyncDriver, there: AsyncDriver, group: str
) -> AsyncIterator[tuple[AsyncDriver, AsyncDriver]]:
    """The two servers, without what Graphiti and the test have made there."""
    yield driver, there
    for each in (driver, there):
        await each.execute_query(
            "MATCH (n) WHERE n.group_id ENDS WITH $group DETACH DELETE n", group=group
        )


async def test_each_group_is_adopted_on_its_server(
    service: GraphMemory, databases: tuple[AsyncDriver, AsyncDriver], group: str
) -> None:
    home, there = databases
    east, stray = f"east_{group}", f"east_stray_{group}"
    placed = {"home": (group, home), "east": (east, there)}
    for name, database in placed.values():
        await stock(database, name, ENTITIES)
    await stock(home, stray, ENTITIES)
    before = [await exported(database, name) for name, database in placed.values()]
    untouched = await exported(home, stray)

    counted = {
        (each.group_id, each.server, each.placed, each.adoptable, each.entities)
        for each in await service.adoption.count([group, east, stray])
    }
    assert counted == {
        (group, "home", True, True, ENTITIES),
        (east, "east", True, True, ENTITIES),
        (stray, "home", False, False, ENTITIES),
    }

    done = await service.adoption.adopt()  # all groups, also those of other tests
    assert done.entities >= 2 * ENTITIES
    assert MisplacedGroup(stray, "home", "east") in done.misplaced
    assert await exported(home, stray) == untouched
    for name, _ in placed.values():
        assert len((await service.list(group_id=name)).memories) == ENTITIES
    again = await service.adoption.adopt([group, east, stray])
    assert (again.entities, again.facts) == (0, 0)
    assert again.misplaced == [MisplacedGroup(stray, "home", "east")]

    released = await service.adoption.release([group, east])
    assert (released.entities, released.facts) == (2 * ENTITIES, 2 * (ENTITIES - 1))
    assert [await exported(database, name) for name, database in placed.values()] == before


async def test_a_group_is_renamed_on_the_server_of_its_new_id(
    service: GraphMemory, databases: tuple[AsyncDriver, AsyncDriver], group: str
) -> None:
    _, there = databases
    old, new = f"with-hyphen-{group}", f"east_new_{group}"
    await stock(there, old, ENTITIES)
    before = await exported(there, old)
    with pytest.raises(InvalidArgumentError, match=f"on server 'home', which has '{group}'"):
        await service.adoption.adopt([group], renames={old: group})
    assert await exported(there, old) == before
    done = await service.adoption.adopt([new], renames={old: new})
    assert (done.entities, [each.old for each in done.renamed]) == (ENTITIES, [old])
    assert len((await service.list(group_id=new)).memories) == ENTITIES
    released = await service.adoption.release([new])
    assert [(each.old, each.new) for each in released.renamed] == [(old, new)] or [
        (each.new, each.old) for each in released.renamed
    ] == [(old, new)]
    assert await exported(there, old) == before
