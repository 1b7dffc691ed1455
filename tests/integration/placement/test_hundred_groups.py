"""A hundred groups on two Neo4j servers: moves beside load, and kills of either server."""

import asyncio
import os
import signal
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Collection, Iterator, Mapping
from contextlib import asynccontextmanager

import pytest
import pytest_asyncio
from neo4j import AsyncGraphDatabase
from pydantic import SecretStr

from graph_memory import GraphMemory, Settings, local_neo4j
from graph_memory.api.database import Database
from graph_memory.errors import GraphMemoryError, GraphUnavailableError
from graph_memory.local_neo4j import LocalNeo4j
from tests.integration.placement.test_moves import held

GROUPS = [f"tenant{number:03}" for number in range(100)]
EACH = 20
WRITES_PER_SECOND = 20
MOVED = 10

pytestmark = [pytest.mark.stress, pytest.mark.timeout(3600)]

Servers = dict[str, tuple[Settings, LocalNeo4j]]


@pytest.fixture(scope="module")
def servers(
    tmp_path_factory: pytest.TempPathFactory, second_settings: Settings, east: LocalNeo4j
) -> Iterator[Servers]:
    """Two Neo4j that these tests kill, and their settings."""
    home = second_settings.model_copy(update={"data_dir": tmp_path_factory.mktemp("home")})
    yield {"home": (home, local_neo4j.acquire(home)), "east": (second_settings, east)}
    local_neo4j.release(home)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def service(
    servers: Servers, settings: Settings, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[GraphMemory]:
    """A service over both servers, with half of the groups on each."""
    home, east = servers["home"][1], servers["east"][1]
    file = tmp_path_factory.mktemp("placed") / "placement.toml"
    file.write_text(
        f"""
[servers.east]
neo4j_uri = "{east.uri}"
neo4j_password = "{east.password}"

[[rules]]
server = "east"
hash = [0.0, 0.5]
""",
        encoding="utf-8",
    )
    changed = {
        "placement_file": file,
        "neo4j_uri": home.uri,
        "neo4j_password": SecretStr(home.password),
        "query_timeout_seconds": 300.0,  # a cold Neo4j on a busy machine plans slowly
        "backup_auto": False,
    }
    async with GraphMemory.open(settings.model_copy(update=changed)) as opened:
        yield opened


class Load:
    """Writes to groups in turn, at a steady rate.

    Attributes:
        stored: The ids of the acknowledged memories by group.
        failed: The number of writes that failed by group.
        errors: The types of their errors.
    """

    def __init__(self, memory: GraphMemory, groups: Collection[str], name: str) -> None:
        self._memory = memory
        self._name = name
        self._groups = list(groups)
        self.stored: defaultdict[str, set[str]] = defaultdict(set)
        self.failed = Counter[str]()
        self.errors = set[type[GraphMemoryError]]()

    @asynccontextmanager
    async def going_on(self) -> AsyncIterator[None]:
        """Write until the block ends, and wait for the answers."""
        ended = asyncio.Event()
        writing = asyncio.create_task(self._write_until(ended))
        try:
            yield
        finally:
            ended.set()
            await writing

    async def _write_until(self, ended: asyncio.Event) -> None:
        began, writes = time.monotonic(), list[asyncio.Task[None]]()
        while not ended.is_set():
            group = self._groups[len(writes) % len(self._groups)]
            writes.append(asyncio.create_task(self.write(group, len(writes))))
            due = began + len(writes) / WRITES_PER_SECOND
            await asyncio.sleep(max(0.0, due - time.monotonic()))
        await asyncio.gather(*writes)

    async def write(self, group: str, number: int) -> None:
        """Write once to a group, and note the result."""
        try:
            added = await self._memory.add(f"{self._name} {number}", group_id=group)
            self.stored[group].add(added.memory_id)
        except GraphMemoryError as error:
            self.failed[group] += 1
            self.errors.add(type(error))


async def servers_of(memory: GraphMemory) -> dict[str, str]:
    """Return the server of each of the groups."""
    listed = {each.group_id: each.server for each in await memory.groups.list()}
    return {group: listed[group] for group in GROUPS}


async def contents(servers: Servers) -> dict[str, dict[str, set[str]]]:
    """Return the ids of the memories of each group by server."""
    found: dict[str, dict[str, set[str]]] = {}
    for name, (_, instance) in servers.items():
        auth = ("neo4j", instance.password)
        async with AsyncGraphDatabase.driver(instance.uri, auth=auth) as driver:
            found[name] = {group: await held(driver, group) for group in GROUPS}
    return found


async def everything_is_there(
    memory: GraphMemory,
    servers: Servers,
    stored: dict[str, set[str]],
    failed: Mapping[str, int] | None = None,
) -> None:
    """Check that each group has what was acknowledged, on its server alone, and nothing twice.

    A write that failed may have been stored, because its answer was lost.
    """
    found = await contents(servers)
    for group, server in (await servers_of(memory)).items():
        here = found[server][group]
        assert stored[group] <= here
        assert len(here) <= len(stored[group]) + (failed or {}).get(group, 0)
        assert not any(found[other][group] for other in servers if other != server)
        stored[group] |= here
    async with Database.open(memory.settings) as database:
        assert await database.verify() == {}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def stored(service: GraphMemory) -> dict[str, set[str]]:
    """The ids of all memories by group; the tests add theirs."""
    ids: dict[str, set[str]] = {}
    for group in GROUPS:
        texts = [{"content": f"{group} keeps the key {n} in a drawer"} for n in range(EACH)]
        added = await service.add_many(texts, group_id=group)
        ids[group] = {each.memory_id or "" for each in added}
    return ids


async def test_each_group_is_whole_on_one_server(
    service: GraphMemory, servers: Servers, stored: dict[str, set[str]]
) -> None:
    where = await servers_of(service)
    assert 35 <= Counter(where.values())["east"] <= 65
    found = await contents(servers)
    for group, name in where.items():
        assert {server: found[server][group] for server in servers} == {
            server: stored[group] if server == name else set() for server in servers
        }
        hits = await service.search("where is the key?", group_id=group, limit=EACH)
        assert {hit.memory.memory_id for hit in hits} == stored[group]


async def test_groups_move_beside_load_on_the_others(
    service: GraphMemory, servers: Servers, stored: dict[str, set[str]]
) -> None:
    where = await servers_of(service)
    moving = [group for group in GROUPS if where[group] == "home"][:MOVED]
    load = Load(service, [group for group in GROUPS if group not in moving], "beside the moves")
    async with load.going_on():
        for group in moving:
            moved = await service.groups.move("east", group_id=group)
            assert moved.memories == EACH
    assert not load.failed
    for group in moving:
        await service.groups.finish_move(group_id=group)
    for group, ids in load.stored.items():
        stored[group] |= ids
    assert await servers_of(service) == where | dict.fromkeys(moving, "east")
    await everything_is_there(service, servers, stored)


@pytest.mark.parametrize("lost", ["east", "home"])
async def test_a_killed_server_takes_down_its_groups_alone(
    service: GraphMemory, servers: Servers, stored: dict[str, set[str]], lost: str
) -> None:
    where, load = await servers_of(service), Load(service, GROUPS, f"beside the kill of {lost}")
    settings, instance = servers[lost]
    async with load.going_on():
        await asyncio.sleep(5)
        os.kill(instance.pid, signal.SIGKILL)
        await asyncio.sleep(5)
        for group in [group for group in GROUPS if where[group] != lost][:5]:
            assert await service.search("where is the key?", group_id=group)
        again = await asyncio.to_thread(local_neo4j.start, settings)
        assert again.uri == instance.uri
        servers[lost] = (settings, again)
        await asyncio.sleep(5)
    assert load.errors == {GraphUnavailableError}
    assert {where[group] for group in load.failed} == {lost}
    for group, ids in load.stored.items():
        stored[group] |= ids
    await everything_is_there(service, servers, stored, load.failed)
    again = Load(service, GROUPS, f"after the kill of {lost}")
    for number, group in enumerate(GROUPS):
        await again.write(group, number)
    assert not again.failed
    for group, ids in again.stored.items():
        stored[group] |= ids
