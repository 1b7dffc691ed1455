"""A group moves to another server whole, beside writers and kills, and back again."""

import asyncio
import contextlib
import json
import os
import random
import signal
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, LiteralString

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from graph_memory import GraphMemory, GroupMoved, Settings
from graph_memory.api.database import Database
from graph_memory.database.moves import Moves, Phase
from graph_memory.errors import (
    GroupMoveError,
    GroupMovingError,
    InvalidArgumentError,
    RejectedBeforeError,
    SettingsError,
)

pytestmark = pytest.mark.timeout(900)

#: What of a group a database shows: its nodes and relationships, by nothing that a move changes.
_NODES: LiteralString = """
MATCH (n) WHERE (n.group_id = $group OR n.key ENDS WITH '|' + $group OR n.key = 'rules:' + $group)
  AND NOT coalesce(n.key, '') STARTS WITH 'move|' AND NOT n:MovedCopy
RETURN labels(n) AS labels, properties(n) AS properties
"""
_EDGES: LiteralString = """
MATCH (a {group_id: $group})-[r]->(b) WHERE NOT a:MovedCopy
RETURN type(r) AS type, properties(r) AS properties, labels(a) AS of, labels(b) AS to,
  coalesce(a.uuid, '') AS a, coalesce(b.uuid, '') AS b
"""


@pytest_asyncio.fixture
async def memory(
    quick: Settings, driver: AsyncDriver, there: AsyncDriver, group: str
) -> AsyncIterator[GraphMemory]:
    async with GraphMemory.open(quick.model_copy(update={"group_id": group})) as opened:
        yield opened
    for each in (driver, there):
        await each.execute_query(
            "MATCH (n) WHERE n.group_id STARTS WITH $group OR n.key = 'move|' + $group "
            "DETACH DELETE n",
            group=group,
        )


async def moves_of(memory: GraphMemory, group: str) -> list[tuple[Phase, str]]:
    """Return the phase and the target of the move of a group."""
    moves = await memory.groups.moves()
    return [(each.phase, each.to_server) for each in moves if each.group_id == group]


def comparable(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


async def picture(driver: AsyncDriver, group: str) -> list[str]:
    """Return all nodes and relationships of a group, in an order of their own."""
    found: list[str] = []
    for query in (_NODES, _EDGES):
        rows = await driver.execute_query(query, group=group)
        for row in rows.records:
            fields = {k: sorted(v) if k in ("labels", "of", "to") else v for k, v in row.items()}
            found.append(comparable(fields))
    return sorted(found)


async def copies(driver: AsyncDriver, group: str) -> int:
    """Count the nodes of a group that are set aside."""
    query: LiteralString = """
    MATCH (n:MovedCopy)
    WHERE n.group_id = $group OR n.key ENDS WITH '|' + $group OR n.key = 'rules:' + $group
    RETURN count(n) AS n
    """
    return (await driver.execute_query(query, group=group)).records[0]["n"]


async def fill(memory: GraphMemory) -> dict[str, Any]:
    """Store all kinds of records in the default group, and return what can be asked later."""
    long = " ".join(
        f"In chapter {n} the captain of the lighthouse counts {n} gulls." for n in range(90)
    )
    texts = ("Ada drinks tea", "Tea grows in Assam", "Bob drinks beer", "Eve sings", long)
    ids = [(await memory.add(text, tags=["t"], conversation_id="c")).memory_id for text in texts]
    await memory.relations.add(ids[0], ids[1], "supports")
    await memory.groups.set(single_valued_slots=["lives_in"])
    first = await memory.retrieve("what does Ada drink?", max_tokens=200)
    await memory.update(ids[2], content="Bob drinks cider")
    await memory.lifecycle.reject(ids[3], reason="wrong")
    gone = (await memory.add("Mallory hides a zeppelin")).memory_id
    receipt = await memory.erasure.erase([gone])
    run = await memory.maintenance.run(groups=[memory.settings.group_id], full=True)
    await memory.feedback.add(ids[0], useful=True, query="what does Ada drink?")
    await memory.context.session_store.flush()
    await memory.context.accesses.flush()
    return {"ids": ids, "session": first.session_id, "receipt": receipt, "run": run.run_id}


async def check(memory: GraphMemory, known: dict[str, Any]) -> list[str]:
    """Check that what was stored works, and return what a search finds."""
    with pytest.raises(RejectedBeforeError):
        await memory.add("Eve sings")
    with pytest.raises(RejectedBeforeError):
        await memory.add("Mallory hides a zeppelin")
    verified = await memory.erasure.verify(known["receipt"])
    assert (verified.signed, verified.clean) == (True, True)
    again = await memory.retrieve("and tea?", max_tokens=200, session_id=known["session"])
    assert again.session_id == known["session"]
    assert (await memory.groups.settings()).single_valued_slots == ["lives_in"]
    found = await memory.search("how many gulls does the captain count in chapter 7?", limit=3)
    return [each.memory.memory_id for each in found]


async def test_a_group_moves_whole_and_back(
    memory: GraphMemory, quick: Settings, driver: AsyncDriver, there: AsyncDriver, group: str
) -> None:
    known = await fill(memory)
    found = await check(memory, known)
    await memory.context.session_store.flush()
    await memory.context.accesses.flush()
    before = await picture(driver, group)
    made = {each.backup_path for each in await memory.backups.create_all()}
    planned = await memory.groups.move("east", dry_run=True)
    assert (planned.phase, planned.from_server, planned.to_server) == ("planned", "home", "east")
    steps: list[tuple[int, int | None]] = []
    moved = await memory.groups.move("east", on_progress=lambda n, of: steps.append((n, of)))
    assert (moved.nodes, moved.edges) == (planned.nodes, planned.edges)
    assert sum(n for n, _ in steps) == steps[0][1] == moved.nodes + moved.edges
    assert moved.memories == planned.memories > 4
    assert await picture(there, group) == before
    assert await picture(driver, group) == [each for each in before if '"receipt"' in each]
    assert await copies(driver, group) == moved.nodes
    await _is_shown_on_east(memory, quick, group)
    made |= {each.backup_path for each in await memory.backups.create_all()}
    assert await check(memory, known) == found
    undone = await memory.maintenance.undo(known["run"])
    assert undone.run_id == known["run"]
    late = await memory.add("Written after the move")
    receipt = await memory.erasure.erase([known["ids"][1]])
    held = {each.place: each.remaining for each in receipt.places}
    assert held["copy on server home"] == 1
    folder = memory.settings.backup_folder
    pruned = [e for e in await memory.erasure.prune_backups() if e.path in made and e.nodes_removed]
    assert len([each for each in pruned if each.path.parent == folder]) == 2
    await memory.context.accesses.flush()
    await memory.context.session_store.flush()
    after = await picture(there, group)
    back = await memory.groups.undo_move()
    assert (back.from_server, back.to_server, back.phase) == ("east", "home", Phase.KEPT)
    assert await picture(driver, group) == after
    assert (await memory.get(late.memory_id)).content == "Written after the move"
    assert (await memory.erasure.verify(receipt)).signed
    done = await memory.groups.finish_move()
    assert (done.phase, done.to_server) == (Phase.DONE, "home")
    assert await copies(there, group) == 0
    assert await moves_of(memory, group) == []


async def _is_shown_on_east(memory: GraphMemory, quick: Settings, group: str) -> None:
    place = memory.groups.place()
    assert (place.server, place.rule) == ("east", None)
    assert place.move
    assert place.move.startswith("kept: from home to east")
    listed = [each for each in await memory.groups.list() if each.group_id == group]
    assert [(each.server, each.placed) for each in listed] == [("east", True)]
    async with Database.open(quick) as database:
        assert await database.verify(group) == {}


async def until_begun(memory: GraphMemory, group: str) -> None:
    """Return as soon as this process moves a group."""
    async with asyncio.timeout(60):
        while not memory.context.graph.is_moving(group):  # noqa: ASYNC110 - it has no event
            await asyncio.sleep(0.01)


async def test_writers_are_refused_and_others_go_on(
    memory: GraphMemory, quick: Settings, group: str
) -> None:
    for number in range(20):
        await memory.add(f"Memory {number} of the moving group")
    stored: dict[str, str] = {}
    refused: dict[str, str] = {}
    async with GraphMemory.open(quick) as other:
        moving = asyncio.create_task(memory.groups.move("east"))
        await until_begun(memory, group)
        with pytest.raises(GroupMoveError, match="another move is in progress"):
            await other.groups.move("east", group_id=group)
        number = 0
        while not moving.done():
            number += 1
            for each in (group, f"{group}_beside"):
                text = f"Sentence {number} of a writer beside the move"
                try:
                    stored[(await other.add(text, group_id=each)).memory_id] = each
                except GroupMovingError as error:
                    refused[error.group_id] = str(error)
            assert await other.search("Memory 7", group_id=group)
            await asyncio.sleep(0.05)
        await moving
        assert list(refused) == [group]
        assert "reads go on" in refused[group]
        assert (await other.add("After the move", group_id=group)).memory_id
        for memory_id, each in stored.items():
            assert (await other.get(memory_id, group_id=each)).memory_id == memory_id
        # A slow process learns of the move before its first write.
        assert f"{group}_beside" in stored.values()


async def test_a_replica_with_an_old_view_refuses_to_write(memory: GraphMemory, group: str) -> None:
    stored = await memory.add("Known to both replicas")
    moves = memory.context.graph.moves  # type: ignore[attr-defined]
    home, _ = memory.context.graph.servers
    late = Moves(home)
    await late.refresh()
    await moves.begin(group, "home", "east")
    await late.require_writable("home", {"group_id": group})  # its view is younger than the limit
    late._views["home"].read_at -= 4
    with pytest.raises(GroupMovingError):
        await late.require_writable("home", {"group_id": group})
    with pytest.raises(GroupMovingError, match="takes no writes"):
        await late.require_writable("home", {"sessions": [{"group_id": group}]})
    await late.require_writable("home", {"group_id": "another"})
    with pytest.raises(GroupMovingError):
        await memory.add("Refused")
    retrieved = await memory.retrieve("known?", max_tokens=100)
    again = await memory.retrieve("known?", max_tokens=100, session_id=retrieved.session_id)
    assert again.session_id == retrieved.session_id
    assert (await memory.maintenance.run(groups=[group], full=True)).completed
    with pytest.raises(InvalidArgumentError, match=r"server='home'.*move to east has not ended"):
        await memory.groups.move("home")
    with pytest.raises(InvalidArgumentError, match=r"move to east has not ended; repeat the move"):
        await memory.groups.finish_move()
    undone = await memory.groups.undo_move()
    assert (undone.phase, undone.to_server) == (Phase.DONE, "home")
    assert (await memory.get(stored.memory_id)).memory_id == stored.memory_id
    assert (await memory.add("Accepted")).memory_id


async def test_wrong_moves_are_refused(memory: GraphMemory, there: AsyncDriver, group: str) -> None:
    await memory.add("Stays")
    groups = memory.groups
    with pytest.raises(InvalidArgumentError, match=r"server='west'.*choose from home, east"):
        await groups.move("west")
    with pytest.raises(InvalidArgumentError, match=r"server='home'.*is there already"):
        await groups.move("home")
    for call in (groups.undo_move, groups.finish_move):
        with pytest.raises(InvalidArgumentError, match=f"group_id='{group}'.*no move of the group"):
            await call()
    await there.execute_query("CREATE (:Memory {uuid: $g, group_id: $g})", g=group)
    try:
        with pytest.raises(GroupMoveError, match=r"holds data of group .* \(nodes: 1\)"):
            await groups.move("east")
    finally:
        await there.execute_query("MATCH (n {group_id: $g}) DELETE n", g=group)
    assert await moves_of(memory, group) == []
    assert (await memory.add("Still writable")).memory_id


async def test_without_a_placement_file_nothing_moves(settings: Settings) -> None:
    async with GraphMemory.open(settings) as alone:
        with pytest.raises(SettingsError, match="GRAPH_MEMORY_PLACEMENT_FILE names none"):
            await alone.groups.move("east")
        assert await alone.groups.moves() == []


async def test_a_relationship_out_of_the_group_stops_the_move(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    stored = await memory.add("Bound to something")
    query = "MATCH (m:Memory {uuid: $id}) CREATE (m)-[:BOUND]->(:Foreign {of: $id})"
    await driver.execute_query(query, id=stored.memory_id)
    with pytest.raises(GroupMoveError, match="a node of no group"):
        await memory.groups.move("east")
    assert (await memory.add("Still writable")).memory_id
    await driver.execute_query("MATCH (n:Foreign {of: $id}) DETACH DELETE n", id=stored.memory_id)


@contextlib.asynccontextmanager
async def mover(
    quick: Settings, group: str, *arguments: str, lease_seconds: int = 60
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run the command in a process of its own, and kill it in the end."""
    variables = {
        "GRAPH_MEMORY_NEO4J_URI": quick.neo4j_uri or "",
        "GRAPH_MEMORY_NEO4J_PASSWORD": quick.neo4j_password.get_secret_value(),
        "GRAPH_MEMORY_DATA_DIR": str(quick.data_dir),
        "GRAPH_MEMORY_PLACEMENT_FILE": str(quick.placement_file),
        "GRAPH_MEMORY_CONNECT_TIMEOUT_SECONDS": "2.0",
        "GRAPH_MEMORY_QUERY_TIMEOUT_SECONDS": "300",
        "GRAPH_MEMORY_MAINTENANCE_LEASE_SECONDS": str(lease_seconds),
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        "import sys; from graph_memory.cli import main; sys.exit(main())",
        "groups",
        "move",
        group,
        *arguments,
        "--json",
        env={**os.environ, **variables},
        cwd=Path(__file__).parents[3],
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGKILL)
        await process.wait()


async def until(
    process: asyncio.subprocess.Process, memory: GraphMemory, group: str, *phases: Phase
) -> None:
    """Return as soon as the move of a group has one of these phases."""
    async with asyncio.timeout(300):
        while True:
            if process.returncode:
                _, errors = await process.communicate()
                pytest.fail(errors.decode())
            if any(phase in phases for phase, _ in await moves_of(memory, group)):
                return
            await asyncio.sleep(0.02)


async def stored_many(memory: GraphMemory, count: int) -> set[str]:
    """Store memories, and return their ids."""
    ids: list[str] = []
    for begin in range(0, count, 500):
        texts = [f"Note {n} of the keeper" for n in range(begin, min(begin + 500, count))]
        ids += [r.memory_id or "" for r in await memory.add_many([{"content": t} for t in texts])]
    return set(ids)


async def held(driver: AsyncDriver, group: str) -> set[str]:
    """Return the ids of the memories of a group on a server."""
    query = "MATCH (m:Memory {group_id: $group}) RETURN collect(m.uuid) AS ids"
    return set((await driver.execute_query(query, group=group)).records[0]["ids"])


async def test_a_killed_move_is_finished_by_the_same_call_or_undone(
    memory: GraphMemory, quick: Settings, driver: AsyncDriver, there: AsyncDriver, group: str
) -> None:
    ids = await stored_many(memory, 600)
    before = await picture(driver, group)
    async with mover(quick, group, "east") as process:
        await until(process, memory, group, Phase.COPYING)
        await asyncio.sleep(6)
    if memory.groups.place().server == "home":
        with pytest.raises(GroupMovingError):
            await memory.add("Refused")
        assert await memory.search("Note 7")
        await memory.groups.undo_move()
        assert await held(there, group) == set()
        assert await picture(driver, group) == before
    else:
        await memory.groups.undo_move()
        await memory.groups.finish_move()
    written = await memory.add("Accepted")
    async with mover(quick, group, "east") as process:
        await until(process, memory, group, Phase.SWITCHED)
    moved = await memory.groups.move("east")
    assert (moved.phase, moved.memories) == (Phase.KEPT, 601)
    assert await held(there, group) == ids | {written.memory_id}
    assert await held(driver, group) == set()
    assert await copies(driver, group) == moved.nodes
    async with mover(quick, group, "--finish") as process:
        _, errors = await process.communicate()
        assert process.returncode == 0, errors
    assert await copies(driver, group) == 0
    assert await moves_of(memory, group) == [(Phase.DONE, "east")]
    await memory.context.graph.moves.refresh()  # type: ignore[attr-defined]
    assert (await memory.add("On the new server")).memory_id in await held(there, group)


class MoveInterruptedError(Exception):
    """A move was interrupted on purpose."""


async def interrupt(memory: GraphMemory, share: float, *, made_again: bool = False) -> None:
    """Begin a move to `east`, and interrupt it when this share of its records is copied.

    With `made_again` it is interrupted in the copy that follows an erased one.
    """
    done, total, erased = 0, 0, False

    def on_progress(count: int, of: int | None) -> None:
        nonlocal done, total, erased
        done, total = done + count, of or total
        erased = erased or (count <= 0 and of is None)
        if done > share * total and erased == made_again:
            raise MoveInterruptedError

    with pytest.raises(MoveInterruptedError):
        await memory.groups.move("east", on_progress=on_progress)


async def element_ids(driver: AsyncDriver, group: str) -> set[str]:
    """Return the ids that Neo4j has for the nodes of a group."""
    query = "MATCH (n {group_id: $group}) RETURN collect(elementId(n)) AS ids"
    return set((await driver.execute_query(query, group=group)).records[0]["ids"])


async def test_an_interrupted_copy_is_completed(
    memory: GraphMemory, driver: AsyncDriver, there: AsyncDriver, group: str
) -> None:
    await stored_many(memory, 600)
    await fill(memory)
    before = await picture(driver, group)
    copied = set[str]()
    for share in (0.1, 0.9):
        await interrupt(memory, share)
        now = await element_ids(there, group)
        assert copied < now
        copied = now
    steps: list[tuple[int, int | None]] = []
    moved = await memory.groups.move("east", on_progress=lambda n, of: steps.append((n, of)))
    assert sum(n for n, _ in steps) == steps[0][1] == moved.nodes + moved.edges
    assert copied <= await element_ids(there, group)
    assert await picture(there, group) == before


async def test_a_partial_copy_that_another_client_has_changed_is_made_again(
    memory: GraphMemory, driver: AsyncDriver, there: AsyncDriver, group: str
) -> None:
    ids = sorted(await stored_many(memory, 60))
    twins: LiteralString = """
    MATCH (m:Memory {group_id: $group})
    CREATE (m)-[:HAS_TWIN]->(:Twin {group_id: $group})-[:TWIN_OF {of: m.uuid}]->(m)
    """
    await driver.execute_query(twins, group=group)
    before = await picture(driver, group)
    changes: list[LiteralString] = [
        "MATCH (m:Memory {uuid: $id}) SET m.importance = 7.5",
        "CREATE (:Strange {group_id: $group})",
        "MATCH (n:Twin {group_id: $group}) WITH n LIMIT 7 DETACH DELETE n",
    ]
    for change in changes:
        await interrupt(memory, 0.99)
        await there.execute_query(change, group=group, id=ids[0])
        assert await picture(there, group) != before
        await interrupt(memory, 0.99, made_again=True)
        assert await picture(there, group) == before, change
    await memory.groups.move("east")
    assert await picture(there, group) == before


async def test_a_move_that_was_paused_and_taken_over_harms_nothing(
    memory: GraphMemory, quick: Settings, driver: AsyncDriver, there: AsyncDriver, group: str
) -> None:
    ids = await stored_many(memory, 100)
    async with mover(quick, group, "east", lease_seconds=3) as process:
        await until(process, memory, group, Phase.COPYING)
        process.send_signal(signal.SIGSTOP)
        moved = await taken_over(memory)
        assert (moved.phase, moved.memories) == (Phase.KEPT, 100)
        written = await memory.add("Written on the new server")
        whole = await picture(there, group)
        process.send_signal(signal.SIGCONT)
        _, errors = await process.communicate()
    assert b"another run took over" in errors
    assert process.returncode == 5
    assert await picture(there, group) == whole
    assert await held(there, group) == ids | {written.memory_id}
    assert (await held(driver, group), await copies(driver, group)) == (set(), moved.nodes)
    assert await moves_of(memory, group) == [(Phase.KEPT, "east")]


async def taken_over(memory: GraphMemory) -> GroupMoved:
    """Repeat a move until the lease of the paused call has expired."""
    async with asyncio.timeout(120):
        while True:
            with contextlib.suppress(GroupMoveError):
                return await memory.groups.move("east")
            await asyncio.sleep(0.2)


@pytest.mark.stress
@pytest.mark.timeout(3600)
async def test_twenty_kills_of_a_move_lose_nothing(
    memory: GraphMemory, quick: Settings, driver: AsyncDriver, there: AsyncDriver, group: str
) -> None:
    ids = await stored_many(memory, 2000)
    choose = random.Random(44)
    target, databases = "east", {"home": driver, "east": there}
    for _ in range(20):
        async with mover(quick, group, target) as process:
            await until(process, memory, group, Phase.COPYING, Phase.SWITCHED, Phase.KEPT)
            await asyncio.sleep(choose.uniform(0, 20))
        if (Phase.KEPT, target) not in await moves_of(memory, group):
            await memory.groups.move(target)
        await memory.groups.finish_move()
        assert await held(databases[target], group) == ids
        other = "home" if target == "east" else "east"
        assert await held(databases[other], group) == set()
        ids.add((await memory.add(f"After the move to {target}, {len(ids)}")).memory_id)
        target = other


@pytest.mark.stress
@pytest.mark.timeout(3600)
async def test_ten_thousand_memories_move_beside_twenty_writes_a_second(
    memory: GraphMemory,
    placed: Settings,
    quick: Settings,
    driver: AsyncDriver,
    there: AsyncDriver,
    group: str,
) -> None:
    ids = await stored_many(memory, 10_000)
    beside: dict[str, str] = {}
    refused: list[str] = []

    async def write(other: GraphMemory, number: int) -> None:
        own = f"{group}_{number % 4}"
        try:
            beside[(await other.add(f"Beside the move, {number}", group_id=own)).memory_id] = own
        except GroupMovingError as error:
            refused.append(str(error))

    async with GraphMemory.open(placed) as other, mover(quick, group, "east") as process:
        moving, writes = asyncio.create_task(process.communicate()), set[asyncio.Task[None]]()
        began = time.monotonic()
        while not moving.done():
            writes.add(asyncio.create_task(write(other, len(writes))))
            await asyncio.sleep(max(0.0, began + len(writes) / 20 - time.monotonic()))
        await asyncio.gather(*writes)
        answer, errors = await moving
        moved = json.loads(answer or "{}")
        assert moved.get("memories") == 10_000, errors
        assert (refused, len(beside)) == ([], len(writes))
        assert await held(there, group) == ids
    for own in set(beside.values()):
        assert {each for each, its in beside.items() if its == own} == await held(driver, own)
    print(f"{moved['seconds']:.1f} s without writes to the group, {len(writes)} writes beside it")
