"""Short ids in lean answers: every tool takes them, and refuses those that several ids share."""

import json
import uuid
from collections.abc import Iterable
from typing import Any

import pytest

from graph_memory import GraphMemory
from graph_memory.errors import AmbiguousIdError, TombstoneNotFoundError
from graph_memory.server.app import TOOLSETS
from graph_memory.server.ids import MEMORY_IDS
from graph_memory.transfer.import_export import export_lines
from tests.support.mcp_client import call, inside, refused

#: Arguments that are ids of other things. Answers give these ids whole.
OTHER_IDS = {
    *("group_id", "session_id", "conversation_id", "project_id", "turn_id", "job_id", "run_id"),
    *("proposal_ids", "cluster_id", "pending_ids"),
}


async def stored(memory: GraphMemory, *contents: str) -> list[str]:
    return [(await memory.add(each)).memory_id for each in contents]


def shorts(answer: Iterable[dict[str, Any]]) -> set[str]:
    return {each["memory_id"] for each in answer}


async def test_lean_answers_give_short_ids_and_full_ones_whole_ids(memory: GraphMemory):
    tea, trip = await stored(memory, "Ada likes green tea", "Ada plans a trip for tea")
    await memory.relations.add(tea, trip, "relates_to")
    short = {tea[:8], trip[:8]}
    async with inside(memory) as client:
        for detail, ids in (("lean", short), ("full", {tea, trip})):
            found = await call(client, "search_memory", query="tea", detail=detail)
            listed = await call(client, "list_memories", detail=detail)
            given = await call(client, "retrieve_memories", query="tea", detail=detail)
            walk = await call(
                client, "memory_traverse", start_memory_id=tea[:8], direction="both", detail=detail
            )
            assert shorts(found["results"]) == shorts(listed["results"]) == ids
            assert shorts(given["memories"]) == shorts([walk["start"], *walk["nodes"]]) == ids
        again = await call(client, "retrieve_memories", query="tea", session_id=given["session_id"])
        assert set(again["skipped_loaded"]) == short
        assert (await call(client, "get_memory", memory_id=tea[:8]))["memory_id"] == tea


async def test_every_tool_takes_short_ids(memory: GraphMemory, group: str):
    tea, trip, old = await stored(memory, "Ada likes tea", "Ada plans a trip", "Ada likes milk")
    a, b, c = tea[:8], trip[:8], old[:8]
    async with inside(memory, toolsets=tuple(TOOLSETS)) as client:
        related = await call(client, "memory_relate", from_id=a, to_id=b, relation_type="causes")
        (made,) = related["relations"]
        assert (made["from_id"], made["to_id"]) == (tea, trip)
        assert (await call(client, "memory_unrelate", from_id=a, to_id=b))["removed"] == 1
        part = await call(
            client,
            "add_memory",
            content="Green tea above all",
            parent_id=a,
            relationships=[{"target_id": b, "relation_type": "references"}],
        )
        assert (part["memory"]["parent_id"], part["relations_created"]) == (tea, 1)
        own = str(uuid.uuid4())
        many = await call(
            client,
            "add_memories",
            memories=[
                {"content": "One", "parent_id": b, "memory_id": own},
                {"content": "Two", "relationships": [{"target_id": a}], "memory_id": own[:8]},
            ],
        )
        assert [each["relations_created"] for each in many["results"]] == [0, 1]
        assert (await memory.get(own)).parent_id == trip
        changed = await call(client, "update_memory", memory_id=a, tags=["x"], parent_id=b)
        assert changed["memory"]["parent_id"] == trip
        for tool in ("memory_decay_status", "memory_history", "touch_memory", "memory_feedback"):
            more = {"useful": True, "query": "tea"} if "feedback" in tool else {}
            assert (await call(client, tool, memory_id=a, **more))["memory_id"] == tea
        preserved = await call(client, "memory_preserve", memory_id=a)
        assert preserved["memory_id"] == tea
        worse = await call(
            client, "mark_memory_obsolete", memory_id=c, reason="moved", superseded_by=a
        )
        assert worse["memory_id"] == old
        scanned = await call(client, "run_decay_scan", memory_ids=[a, b], dry_run=True)
        assert scanned["scanned"] == 2
        walked = await call(client, "memory_traverse", start_memory_id=b, include_parent_links=True)
        assert walked["start"]["memory_id"] == b
        await call(client, "memory_graph_analysis", memory_id=a)
        page = await client.read_resource(f"memory://{group}/{b}")
        assert json.loads(page.contents[0].text)["memory_id"] == trip  # type: ignore[union-attr]
        assert (await call(client, "delete_memory", memory_id=b))["memory_id"] == trip
        assert (await call(client, "recover_soft_deleted", memory_uuid=b))["memory_id"] == trip


async def test_an_id_that_several_begin_with_is_refused_with_the_candidates(memory: GraphMemory):
    same = str(uuid.uuid4())[:8]
    first, second = (f"{same}-{'0' * 4}-4000-8000-{n:012}" for n in (1, 2))
    for memory_id in (first, second):
        await memory.add(f"Ada knows {memory_id}", memory_id=memory_id)
    (other,) = await stored(memory, "Ada likes tea")
    async with inside(memory) as client:
        for tool, name, more in (
            ("delete_memory", "memory_id", {}),
            ("memory_relate", "to_id", {"from_id": other[:8], "relation_type": "causes"}),
            ("memory_traverse", "start_memory_id", {}),
        ):
            text, answer = await refused(client, tool, **{name: same}, **more)
            assert (answer["code"], answer["argument"]) == ("ambiguous_id", name)
            assert f"it begins the ids {first}, {second}; add characters" in text
        _, answer = await refused(
            client,
            "add_memory",
            content="Ada likes milk",
            relationships=[{"target_id": other[:8]}, {"target_id": same}],
        )
        assert answer["argument"] == "relationships.1.target_id"
        assert (await call(client, "get_memory", memory_id=first))["memory_id"] == first
    assert len((await memory.list()).memories) == 3


async def test_a_short_id_of_a_purged_memory_means_no_other_memory(memory: GraphMemory, group: str):
    (tea,) = await stored(memory, "Ada likes tea")
    purged = f"{tea[:8]}-0000-4000-8000-000000000000"
    await memory.context.graph._driver.execute_query(  # type: ignore[reportPrivateUsage]
        "CREATE (:PurgedMemory {uuid: $uuid, group_id: $group, purged_at: '2026-01-01'})",
        uuid=purged,
        group=group,
    )
    async with inside(memory) as client:
        _, answer = await refused(client, "get_memory", memory_id=tea[:8])
        assert answer["code"] == "ambiguous_id"
        assert purged in answer["message"]


@pytest.mark.parametrize("name", TOOLSETS)
def test_every_argument_that_is_an_id_is_known_as_one(name: str):
    for tool in (tool for part in TOOLSETS[name] for tool in part.tools):
        ids = {each for each in tool.arguments["properties"] if each.endswith(("_id", "_ids"))}
        assert ids <= MEMORY_IDS | OTHER_IDS, tool.name


async def test_ids_of_another_group_are_neither_completed_nor_candidates(memory: GraphMemory):
    """A caller must not learn the ids of a tenant by their beginnings."""
    other = f"{memory.context.group(None)[:50]}_other"
    same = str(uuid.uuid4())[:8]
    foreign = [f"{same}-0000-4000-8000-{n:012}" for n in (1, 2)]
    for memory_id in foreign:
        await memory.add(f"Eve likes tea {memory_id}", memory_id=memory_id, group_id=other)
    async with inside(memory) as client:
        for given in (same, foreign[0]):
            said, answer = await refused(client, "get_memory", memory_id=given)
            assert answer["code"] == "not_found"
            assert foreign[1] not in said
        own = f"{same}-0000-4000-8000-{3:012}"
        await memory.add("Ada likes tea", memory_id=own)
        assert (await call(client, "get_memory", memory_id=same))["memory_id"] == own
        assert (await call(client, "search_memory", query="tea"))["results"][0]["memory_id"] == same
        text, _ = await refused(client, "get_memory", memory_id=same, group_id=other)
        assert "ambiguous_id" in text


async def test_ids_that_begin_alike_are_longer_within_an_answer(memory: GraphMemory):
    same = str(uuid.uuid4())[:8]
    for n in (1, 2):
        await memory.add(f"Ada likes tea of sort {n}", memory_id=f"{same}-{n}000-4000-8000-{n:012}")
    ids = {f"{same}-{n}" for n in (1, 2)}
    async with inside(memory) as client:
        found = await call(client, "search_memory", query="tea")
        listed = await call(client, "list_memories")
        given = await call(client, "retrieve_memories", query="tea")
        assert shorts(found["results"]) == shorts(listed["results"]) == ids
        assert shorts(given["memories"]) == ids
        for each in ids:
            assert (await call(client, "get_memory", memory_id=each))["memory_id"].startswith(each)


async def test_a_session_reports_what_replaces_a_memory_by_a_short_id(memory: GraphMemory):
    (old,) = await stored(memory, "Ada lives in Oslo")
    async with inside(memory) as client:
        given = await call(client, "retrieve_memories", query="Where does Ada live?")
        (new,) = await stored(memory, "Ada lives in Bergen since May")
        obsolete = {"memory_id": old[:8], "reason": "moved", "superseded_by": new[:8]}
        await call(client, "mark_memory_obsolete", **obsolete)
        again = await call(
            client,
            "retrieve_memories",
            query="Where does Ada live?",
            session_id=given["session_id"],
        )
        (changed,) = again["changed"]
        assert (changed["memory_id"], changed["superseded_by"]) == (old[:8], new[:8])
        assert (await memory.get(old, counted=False)).superseded_by == new


async def test_an_export_has_whole_ids(memory: GraphMemory, group: str):
    (tea,) = await stored(memory, "Ada likes green tea")
    lines = [json.loads(line) async for line in export_lines(memory, group)]
    assert tea in {line.get("memory_id") for line in lines}


async def copied(memory: GraphMemory, run_id: str, copy_id: str, group: str) -> None:
    """Copy the record of a run, for another group."""
    await memory.context.graph._driver.execute_query(  # type: ignore[reportPrivateUsage]
        "MATCH (run:MaintenanceRun {run_id: $run_id}) "
        "WITH run {.*, run_id: $copy_id, groups: [$group]} AS copied "
        "CREATE (copy:MaintenanceRun) SET copy = copied",
        run_id=run_id,
        copy_id=copy_id,
        group=group,
    )


async def test_the_first_characters_of_a_run_are_enough_to_undo_it(memory: GraphMemory, group: str):
    run = (await memory.maintenance.run(groups=[group])).run_id
    assert (await memory.maintenance.undo(run[:8], group_id=group)).run_id == run
    same = str(uuid.uuid4())[:8]
    own, second, foreign = (f"{same}-0000-4000-8000-{n:012}" for n in range(3))
    await copied(memory, run, foreign, f"{group[:50]}_other")
    async with inside(memory, toolsets=("admin",)) as client:
        text, answer = await refused(client, "undo_maintenance", run_id=same)
        assert answer["code"] == "undo_refused"
        assert foreign not in text
        await copied(memory, run, own, group)
        assert (await call(client, "undo_maintenance", run_id=same))["run_id"] == own
        await copied(memory, run, second, group)
        text, answer = await refused(client, "undo_maintenance", run_id=same)
        assert (answer["code"], answer["argument"]) == ("ambiguous_id", "run_id")
        assert f"it begins the ids {own}, {second}; add characters" in text
    assert (await memory.maintenance.revoke_source(run=run[:8], dry_run=True)).memories == 0
    with pytest.raises(AmbiguousIdError, match=f"run='{same}'"):
        await memory.maintenance.revoke_source(run=same, dry_run=True)
    with pytest.raises(AmbiguousIdError, match=foreign):
        await memory.maintenance.undo(same)  # a run of any group


async def test_the_first_characters_of_a_tombstone_are_enough_to_lift_it(memory: GraphMemory):
    (tea,) = await stored(memory, "Ada likes tea")
    await memory.lifecycle.reject(tea)
    (stone,) = await memory.tombstones.list()
    with pytest.raises(TombstoneNotFoundError):
        await memory.tombstones.lift("0000")
    assert await memory.tombstones.lift(stone.tombstone_id[:8]) == stone
    assert await memory.tombstones.list() == []
