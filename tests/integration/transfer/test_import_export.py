"""The promises of import and export: no losses, no duplicates, and an error per bad line."""

import json
import secrets
from collections.abc import Iterable
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neo4j import AsyncDriver

from graph_memory import Attachment, Event, GraphMemory
from graph_memory.diagnostics.verify import verify
from graph_memory.domain.properties import RESERVED_KEYS
from graph_memory.errors import GraphUnavailableError, InvalidArgumentError
from graph_memory.graphiti.adoption import adopt
from graph_memory.transfer.import_export import (
    ImportReport,
    OnTaken,
    export_lines,
    import_lines,
)
from tests.conftest import Clock
from tests.integration.graphiti.test_adoption import stock
from tests.support.attachments import attachments

#: A change of state as a memory's history holds it.
CHANGE = '{"at": "2026-01-01T00:00:00.000Z", "from": "ACTIVE", "to": "DORMANT", "reason": "decay"}'


async def exported(memory: GraphMemory, group_id: str | None = None) -> list[str]:
    return [line async for line in export_lines(memory, group_id)]


async def imported(memory: GraphMemory, *lines: dict[str, Any], **options: Any) -> ImportReport:
    return await import_lines(memory, (f"{json.dumps(line)}\n" for line in lines), **options)


def unnamed(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Return exported lines with contents in the place of ids, without group and original."""
    parsed = [json.loads(line) for line in lines]
    names = {line.pop("memory_id"): line["content"] for line in parsed}
    for line in parsed:
        del line["group_id"]
        line.pop("copied_from", None)
        if "parent_id" in line:
            line["parent_id"] = names[line["parent_id"]]
        for relation in line.get("relationships", []) + line.get("facts", []):
            relation["target_id"] = names[relation["target_id"]]
            relation.pop("fact_id", None)
        line.get("relationships", []).sort(key=json.dumps)
        line.get("facts", []).sort(key=json.dumps)
    return sorted(parsed, key=json.dumps)


async def fill(memory: GraphMemory, clock: Clock, driver: AsyncDriver) -> None:
    """Store memories that use every field of a line."""
    parent = await memory.add(
        "The kitchen, second floor",
        memory_type="context",
        tags=["Kitchen", "house"],
        metadata={"floor": 2, "nested": {"list": [1, None, "ü"]}},
        attachments=[Attachment("file:///plan.png", title="Plan"), "s3://house/tap.py"],
        importance=7.5,
        stability=4,
        confidence=0.0,
        source="system",
        title="Kitchen",
        project_id="house",
        conversation_id="c-1",
        decay_policy="adaptive",
        decay_rate=0.25,
        valid_at="2020-01-02T03:04:05.678Z",
        created_at="2021-01-01",
    )
    clock.advance(days=1)
    child = await memory.add("A tap that drips", parent_id=parent.memory_id)
    await memory.relations.add(
        child.memory_id, parent.memory_id, "part_of", bidirectional=True, strength=0.9
    )
    await memory.relations.add(
        parent.memory_id, child.memory_id, "causes", fact="old pipes", metadata={"since": 1987}
    )
    clock.advance(hours=5)
    await memory.touch(child.memory_id)
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $id})-[r:RELATES_TO {name: 'contains'}]-() "
        "SET m.lifecycle_state = 'DORMANT', m.state_reason = 'age', m.state_history = [$change], "
        "m.decay_score = 0.4, m.invalid_at = '2026-01-01T00:00:00.000Z', "
        "m.preserve_until = '2030-01-01T00:00:00.000Z', "
        "r.invalid_at = datetime('2026-02-01T00:00:00Z')",
        id=parent.memory_id,
        change=CHANGE,
    )


async def test_what_was_erased_comes_back_whole(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver
) -> None:
    await fill(memory, clock, driver)
    before = await exported(memory)
    await memory.delete_all(confirm="DELETE ALL", permanent=True)
    clock.advance(days=30)
    report = await import_lines(memory, before)
    assert (report.stored, report.relations, report.failed) == (2, 3, 0)
    assert await exported(memory) == before
    assert json.loads(before[0])["lifecycle"]["lifecycle_state"] == "DORMANT"


async def test_a_conversation_goes_on_after_an_import_where_it_had_ended(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    """All turns have the same instant, so only their chain determines the last one."""
    turns = [{"content": text, "conversation_id": "c-1"} for text in ("Hello", "Hi", "Tea?")]
    await memory.add_many(turns)
    lines = await exported(memory)
    await memory.delete_all(confirm="DELETE ALL", permanent=True)
    for _ in range(2):  # run again, it changes nothing
        await import_lines(memory, lines)
    await memory.add("Yes, please", conversation_id="c-1")
    await import_lines(memory, lines)
    await memory.add("Here you are", conversation_id="c-1")
    records, _, _ = await driver.execute_query(
        "MATCH path = (first:Memory {group_id: $group})-[:RELATES_TO {name: 'precedes'}]->+(last) "
        "WHERE NOT EXISTS { ()-[:RELATES_TO]->(first) } AND NOT EXISTS { (last)-[:RELATES_TO]->() }"
        "RETURN [m IN nodes(path) | m.content] AS talk",
        group=memory.group(None),
    )
    assert [record["talk"] for record in records] == [
        ["Hello", "Hi", "Tea?", "Yes, please", "Here you are"]
    ]


async def ended(memory: GraphMemory, clock: Clock, driver: AsyncDriver) -> list[str]:
    """Store memories that are rewritten, superseded, obsolete, woken, reinforced and doubted."""
    contents = ("Ada lives in Paris", "Ada lives in Rome", "The tap drips", "Bob smokes", "A note")
    ids = [(await memory.add(content, confidence=0.8)).memory_id for content in contents]
    paris, rome, tap, bob, note = ids
    clock.advance(hours=1)
    await memory.update(paris, content="Ada lives in Lyon", metadata={"edited": True})
    clock.advance(hours=1)
    await memory.update(paris, content="Ada lives in Nice")
    for _ in range(2):  # one ended, and one that holds
        await memory.relations.add(tap, bob, "causes", strength=0.7, metadata={"why": "?"})
        clock.advance(hours=1)
        await memory.relations.remove(tap, bob)
    await memory.relations.add(tap, bob, "causes")
    await memory.lifecycle.mark_obsolete(paris, "she moved", superseded_by=rome)
    await memory.lifecycle.mark_obsolete(tap, "it was mended")
    await memory.lifecycle.mark_obsolete(bob, "he stopped", superseded_by=rome)
    clock.advance(hours=1)
    await memory.lifecycle.preserve(bob)  # valid no more, but served again
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) SET m.confidence_decayed_at = '2026-01-01T00:00:00.000Z', "
        "m.reinforcement_pending = 3, m.classification_status = 'pending', "
        "m.classification_attempts = 2, m.importance_source = 'fallback', "
        "m.stability_source = 'fallback'",
        id=note,
    )
    return ids


#: The origin of a text or relation, which an import sets itself.
NO_ORIGIN = "origin_way_in: null, origin_caller: null, origin_authority: null, origin_id: null"


async def properties(driver: AsyncDriver, group_id: str) -> list[dict[str, Any]]:
    """Return the properties of memories, except computed ones, origins and ids of their parts."""
    records, _, _ = await driver.execute_query(
        "MATCH (m:Memory {group_id: $group}) "
        "OPTIONAL MATCH (m)-[:HAS_VERSION]->(v) WITH m, v ORDER BY v.expired_at "
        f"WITH m, collect(v {{.*, uuid: null, embedding: size(v.embedding), {NO_ORIGIN}}}) "
        "AS versions "
        "RETURN m {.*, embedding: null, is_compressed: null, decay_score: null, "
        f"  last_decay_update: null, {NO_ORIGIN}}} AS m, versions, COLLECT {{ "
        "  MATCH (m)-[r:RELATES_TO]->(other) "
        f"  RETURN [r {{.*, uuid: null, {NO_ORIGIN}}}, other.uuid] "
        "  ORDER BY r.name, r.created_at, other.uuid } AS relations "
        "ORDER BY m.uuid",
        group=group_id,
    )
    return [record.data() for record in records]


async def history(memory: GraphMemory, memory_id: str) -> list[Event]:
    """Return the events of a memory, without the way in by which it was created."""
    events = await memory.lifecycle.history(memory_id)
    return [replace(each, by=None) if each.kind == "created" else each for each in events]


async def test_what_ended_comes_back_as_ended_as_it_was(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    ids = await ended(memory, clock, driver)
    lines, before = await exported(memory), await properties(driver, group)
    told = [await history(memory, memory_id) for memory_id in ids]
    at = clock.now
    await memory.delete_all(confirm="DELETE ALL", permanent=True)
    clock.advance(days=1)
    report = await import_lines(memory, lines)
    assert (report.stored, report.relations, report.failed) == (5, 5, 0)
    assert await properties(driver, group) == before
    assert [await history(memory, memory_id) for memory_id in ids] == told
    again = await import_lines(memory, lines)
    assert (again.stored, again.relations, again.failed) == (0, 0, 0)
    assert await properties(driver, group) == before

    assert (await memory.maintenance.run(groups=[group])).transitioned == {}
    clock.advance(days=1)
    assert (await memory.maintenance.run(groups=[group])).transitioned == {}
    assert await exported(memory) == lines
    past = await memory.search("Where does Ada live?", known_at=at - timedelta(hours=3.5))
    assert "Ada lives in Lyon" in [hit.memory.content for hit in past]


async def test_lines_that_tell_less_of_what_ended_are_read(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver
) -> None:
    """Read the lines of earlier exports, which held fewer fields."""
    await ended(memory, clock, driver)
    lines = [json.loads(line) for line in await exported(memory)]
    for line in lines:
        line.pop("versions", None)
        for newer in (
            "ended_at",
            "obsolete_at",
            "obsolete_reason",
            "confidence_decayed_at",
            "stability_source",
            "classification_status",
            "classification_attempts",
            "reinforcement_pending",
        ):
            line["lifecycle"].pop(newer, None)
    await memory.delete_all(confirm="DELETE ALL", permanent=True)
    report = await imported(memory, *lines)
    assert (report.stored, report.failed) == (5, 0)


async def test_a_group_can_be_copied_into_another(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    await fill(memory, clock, driver)
    before = await exported(memory)
    report = await import_lines(memory, before, f"{group}_copy")
    assert (report.stored, report.relations, report.failed) == (2, 3, 0)
    copy = await exported(memory, f"{group}_copy")
    assert unnamed(copy) == unnamed(before)
    originals = {line["content"]: line["memory_id"] for line in map(json.loads, before)}
    copies = {line["content"]: line["copied_from"] for line in map(json.loads, copy)}
    assert copies == originals
    assert not {json.loads(line)["memory_id"] for line in copy} & {
        json.loads(line)["memory_id"] for line in before
    }
    again = await import_lines(memory, before, f"{group}_copy")
    assert (again.stored, again.skipped, again.relations, again.failed) == (0, 2, 0, 0)
    assert await exported(memory) == before


async def test_repeating_an_import_changes_nothing(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver
) -> None:
    await fill(memory, clock, driver)
    lines = await exported(memory)
    child = json.loads(lines[1])["memory_id"]
    parent = json.loads(lines[0])["memory_id"]
    await memory.update(parent, content="The kitchen, first floor")
    await memory.relations.add(child, parent, "part_of", strength=0.1)
    now = await exported(memory)
    again = await import_lines(memory, lines)
    nothing = {"relations": 0, "failed": 0, "renamed": 0, "masked": 0, "errors": [], "renames": []}
    told = {"stored": 0, "skipped": 2, **nothing, "import_id": again.import_id}
    assert asdict(again) == told
    assert await exported(memory) == now


async def test_lines_keep_id_time_and_group(memory: GraphMemory, group: str) -> None:
    line = {"content": "old news", "memory_id": f"{group}-1", "created_at": "2001-02-03T04:05:06Z"}
    report = await imported(memory, {**line, "group_id": f"{group}_b"}, {"content": "of my own"})
    assert (report.stored, report.failed) == (2, 0)
    stored = await memory.get(f"{group}-1", group_id=f"{group}_b")
    assert stored.created_at.isoformat() == "2001-02-03T04:05:06+00:00"
    assert [json.loads(text)["content"] for text in await exported(memory)] == ["of my own"]


async def test_links_may_point_further_down(memory: GraphMemory, group: str) -> None:
    ids = [f"{group}-{number}" for number in range(3)]
    report = await imported(
        memory,
        {
            "content": "first",
            "memory_id": ids[0],
            "parent_id": ids[2],
            "relationships": [{"target_id": ids[1], "relation_type": "precedes"}],
        },
        {"content": "second", "memory_id": ids[1]},
        {"content": "third", "memory_id": ids[2]},
    )
    assert (report.stored, report.relations, report.failed) == (3, 1, 0)
    assert (await memory.get(ids[0])).parent_id == ids[2]
    (relation,) = await memory.relations.list(ids[1])
    assert (relation.from_id, relation.relation_type) == (ids[0], "precedes")
    assert relation.fact == "first precedes second"


async def test_links_follow_a_content_stored_under_another_id(
    memory: GraphMemory, group: str
) -> None:
    known = await memory.add("known already")
    report = await imported(
        memory,
        {"content": "known already", "memory_id": f"{group}-known"},
        {"content": "new", "relationships": [{"target_id": f"{group}-known"}]},
    )
    assert (report.stored, report.skipped, report.relations) == (1, 1, 1)
    (relation,) = await memory.relations.list(known.memory_id)
    assert relation.to_id == known.memory_id


async def test_a_deleted_memory_does_not_block_its_return(memory: GraphMemory) -> None:
    await memory.add("here and gone")
    lines = await exported(memory)
    await memory.delete_all(confirm="DELETE ALL")
    report = await import_lines(memory, lines)
    assert (report.stored, report.failed) == (1, 0)
    assert unnamed(await exported(memory)) == unnamed(lines)


async def test_each_bad_line_is_named_and_the_good_ones_are_stored(
    memory: GraphMemory, group: str
) -> None:
    lines = [
        '{"content": "good"}\n',
        "\n",
        "not JSON\n",
        '["a list"]\n',
        '{"content": "x", "colour": "red"}\n',
        '{"content": "y", "stability": 9}\n',
        '{"content": "  "}\n',
        '{"content": "z", "metadata": {"uuid": 1}}\n',
        '{"content": "n", "metadata": {"n": NaN}}\n',
        '{"content": "t", "created_at": "0001-01-01T00:00:00+09:00"}\n',
        f'{{"content": "\\ud800 {group}"}}\n',
        '{"content": "l", "lifecycle": {"lifecycle_state": "SOFT_DELETED"}}\n',
        "[" * 100_000 + "\n",
        '{"content": "last, without a line end"}',
    ]
    report = await import_lines(memory, lines)
    assert (report.stored, report.failed) == (2, 11)
    named = {error.line: (error.code, error.message) for error in report.errors}
    assert sorted(named) == list(range(3, 14))
    assert "not JSON" in named[3][1]
    assert "JSON object" in named[4][1]
    assert "unknown argument" in named[5][1]
    assert named[6][0] == "invalid_argument"
    assert named[6][1].startswith("stability=9 is not allowed")
    assert named[8][0] == "reserved_field"
    assert len(await exported(memory)) == 2


@pytest.mark.parametrize(
    ("lifecycle", "named"),
    [
        ({"access_count": 10**30}, "access_count"),
        ({"access_count": -1}, "access_count"),
        ({"reinforcement_pending": -1}, "reinforcement_pending"),
        ({"classification_attempts": 10**30}, "classification_attempts"),
        ({"state_history": [CHANGE, "once"]}, "state_history.1"),
        ({"state_history": ["{}"]}, "state_history.0"),
        ({"state_history": [CHANGE.replace("00:00:00.000Z", "00:00Z")]}, "state_history.0"),
        ({"state_reason": "\ud800"}, "state_reason"),
    ],
)
async def test_a_life_that_no_memory_can_have_spoils_only_its_own_line(
    memory: GraphMemory, lifecycle: dict[str, Any], named: str
) -> None:
    told = await imported(
        memory,
        {"content": "too odd", "lifecycle": lifecycle},
        {"content": "as usual", "lifecycle": {"access_count": 3, "state_history": [CHANGE]}},
    )
    assert (told.stored, told.failed) == (1, 1)
    assert f"lifecycle.{named}=" in told.errors[0].message
    (kept,) = (await memory.list()).memories
    assert (kept.content, kept.access_count) == ("as usual", 3)
    assert [event.kind for event in await memory.lifecycle.history(kept.memory_id)] == [
        "state",
        "created",
    ]


@pytest.mark.parametrize("value", [10**30, "\ud800", [1, 10**30]])
async def test_an_attribute_that_neo4j_cannot_hold_is_named(
    memory: GraphMemory, value: object
) -> None:
    entity = {"name": "Bob", "attributes": {"size": value}}
    told = await imported(memory, {"content": "Bob", "entity": entity})
    assert (told.stored, told.failed) == (0, 1)
    assert "'size' must be text, a number" in told.errors[0].message


async def test_a_link_to_nowhere_is_named_and_the_memory_stays(
    memory: GraphMemory, group: str
) -> None:
    report = await imported(
        memory,
        {"content": "alone", "memory_id": f"{group}-1", "parent_id": "nobody"},
        {"content": "lonely", "relationships": [{"target_id": "nobody"}]},
        {
            "content": "selfish",
            "memory_id": f"{group}-3",
            "relationships": [{"target_id": f"{group}-3"}],
        },
    )
    assert (report.stored, report.relations, report.failed) == (2, 0, 3)
    assert {error.line: error.code for error in report.errors} == {
        1: "not_found",
        2: "not_found",
        3: "invalid_argument",
    }


async def test_a_memory_has_the_parent_that_was_named_last(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    child = f"{group}-child"
    for parent in ("one", "two", "two"):
        await imported(
            memory,
            {"content": parent, "memory_id": f"{group}-{parent}"},
            {"content": "child", "memory_id": child, "parent_id": f"{group}-{parent}"},
        )
        assert (await memory.get(child)).parent_id == f"{group}-{parent}"
    records, _, _ = await driver.execute_query(
        "MATCH (:Memory {uuid: $id})-[:HAS_PARENT]->(p) RETURN p.uuid AS id", id=child
    )
    assert [record["id"] for record in records] == [f"{group}-two"]


async def test_a_link_never_leads_into_another_group(memory: GraphMemory, group: str) -> None:
    foreign = await memory.add("theirs", group_id=f"{group}_theirs")
    report = await imported(
        memory, {"content": "ours", "relationships": [{"target_id": foreign.memory_id}]}
    )
    assert [error.code for error in report.errors] == ["not_found"]
    assert await memory.relations.list(foreign.memory_id, group_id=f"{group}_theirs") == []


async def test_many_errors_are_counted_and_the_first_shown(memory: GraphMemory) -> None:
    report = await import_lines(memory, ["{}\n"] * 50)
    assert (report.failed, len(report.errors)) == (50, 20)


async def test_the_same_content_or_id_twice_in_a_file_is_stored_once(
    memory: GraphMemory, group: str
) -> None:
    line = {"content": "once", "memory_id": f"{group}-1"}
    report = await imported(memory, line, {"content": "once"}, line)
    assert (report.stored, report.skipped, report.failed) == (1, 2, 0)


@pytest.mark.parametrize("holder", ["a line", "a memory", "another group", "a deleted memory"])
@pytest.mark.parametrize("on_taken", ["rename", "refuse"])
async def test_an_id_that_is_taken_is_named_and_renamed_or_refused(
    memory: GraphMemory, group: str, holder: str, on_taken: OnTaken
) -> None:
    taken = f"{group}-1"
    before: list[dict[str, Any]] = [{"content": "before"}]
    if holder == "a line":
        before = [{"content": "before", "memory_id": taken}]
    else:
        where = f"{group}_2" if holder == "another group" else group
        await memory.add("before", memory_id=taken, group_id=where)
        if holder == "a deleted memory":
            await memory.delete(taken)
    lines = [
        *before,
        {"content": "after", "memory_id": taken},
        {"content": "beside", "relationships": [{"target_id": taken}]},
    ]
    report = await imported(memory, *lines, on_taken=on_taken)
    contents = {memory.content for memory in (await memory.list()).memories}
    if on_taken == "refuse":
        assert (report.errors[0].line, report.errors[0].code) == (2, "invalid_argument")
        assert f"memory_id='{taken}' is not allowed" in report.errors[0].message
        assert report.renames == []
        assert "after" not in contents
        return
    ((line, old, new),) = [(each.line, each.memory_id, each.new_id) for each in report.renames]
    assert (line, old, report.renamed, report.failed) == (2, taken, 1, 0)
    assert (await memory.get(new)).content == "after"
    assert {"before", "after", "beside"} == contents
    again = await imported(memory, *lines, on_taken=on_taken)
    assert (again.stored, again.renamed, again.failed) == (0, 0, 0)


async def test_an_unknown_treatment_of_taken_ids_is_refused(memory: GraphMemory) -> None:
    wrong: Any = "skip"
    with pytest.raises(InvalidArgumentError, match=r"^on_taken='skip' .* 'rename' or 'refuse'"):
        await imported(memory, {"content": "tea"}, on_taken=wrong)


async def test_a_malformed_relation_refuses_its_memory_wherever_it_comes_in(
    memory: GraphMemory, group: str
) -> None:
    there = await memory.add("there")
    target = {"target_id": there.memory_id}
    for relation, name in (
        ({"target_id": f"{group}-1"}, "target_id"),
        ({**target, "relation_type": "supersedes", "bidirectional": True}, "bidirectional"),
        ({**target, "strength": 2}, "strength"),
        ({**target, "relation_type": "likes"}, "relation_type"),
        ({**target, "colour": "red"}, "colour"),
    ):
        line: Any = {"content": "x", "memory_id": f"{group}-1", "relationships": [relation]}
        report = await imported(memory, line)
        (outcome,) = await memory.add_many([line])
        with pytest.raises(InvalidArgumentError) as refused:
            await memory.add(line["content"], **{k: v for k, v in line.items() if k != "content"})
        for message in (report.errors[0].message, str(outcome.error), str(refused.value)):
            assert message.startswith("relationships.0.")
        assert f"relationships.0.{name}" in report.errors[0].message
        assert (report.stored, report.failed) == (0, 1)
    assert len((await memory.list()).memories) == 1


async def test_an_interrupted_import_is_finished_by_the_next(
    memory: GraphMemory, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        {
            "content": f"step {n} of {group}",
            "memory_id": f"{group}-{n}",
            "relationships": [{"target_id": f"{group}-{(n + 1) % 9}"}],
            "lifecycle": {"access_count": 3},
        }
        for n in range(9)
    ]
    monkeypatch.setattr("graph_memory.transfer.import_export._IMPORT_BATCH", 3)

    def interrupted() -> Iterable[str]:
        yield from (json.dumps(line) for line in lines[:6])
        raise GraphUnavailableError("bolt://nowhere", "gone")

    with pytest.raises(GraphUnavailableError):
        await import_lines(memory, interrupted())
    report = await imported(memory, *lines)
    assert (report.stored, report.skipped, report.relations) == (3, 6, 9)
    assert {json.loads(line)["lifecycle"]["access_count"] for line in await exported(memory)} == {3}


async def test_progress_counts_every_line(
    memory: GraphMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph_memory.transfer.import_export._IMPORT_BATCH", 2)
    done: list[int] = []
    await import_lines(memory, ["\n", "bad", "\n"], on_progress=done.append)
    assert done == [2, 1]


async def test_an_export_has_pages(memory: GraphMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graph_memory.transfer.import_export._EXPORT_BATCH", 2)
    await imported(
        memory, *({"content": f"page {n}", "created_at": f"2026-01-0{n % 3 + 1}"} for n in range(5))
    )
    contents = [json.loads(line)["content"] for line in await exported(memory)]
    assert sorted(contents) == [f"page {n}" for n in range(5)]


async def test_a_malformed_group_is_refused(memory: GraphMemory) -> None:
    with pytest.raises(InvalidArgumentError):
        await import_lines(memory, [], "no-hyphens")


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
keys = texts.filter(lambda key: key not in RESERVED_KEYS)
memories = st.fixed_dictionaries(
    {"content": texts.filter(str.strip)},
    optional={
        "tags": st.lists(texts, max_size=4),
        "metadata": st.dictionaries(
            texts.filter(lambda key: key not in RESERVED_KEYS), values, max_size=4
        ),
        "attachments": attachments,
        "title": texts.filter(str.strip),
        "created_at": st.datetimes().map(lambda moment: f"{moment.isoformat()}Z"),
        "importance": st.floats(1, 10),
        "confidence": st.floats(0, 1),
    },
)


@given(lines=st.lists(memories, min_size=1, max_size=5))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
async def test_whatever_can_be_imported_survives_the_round_trip(
    memory: GraphMemory, lines: list[dict[str, Any]]
) -> None:
    first, second = (f"test_{secrets.token_hex(8)}" for _ in range(2))
    report = await imported(memory, *lines, group_id=first)
    assert (report.failed, report.stored + report.skipped) == (0, len(lines))
    once = await exported(memory, first)
    await import_lines(memory, once, second)
    assert unnamed(await exported(memory, second)) == unnamed(once)
    by_content = {line["content"]: line for line in reversed(lines)}
    for text in once:
        line = json.loads(text)
        assert line.get("metadata", {}) == by_content[line["content"]].get("metadata", {})


async def test_what_graphiti_found_is_copied_with_its_labels_names_and_times(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    await stock(driver, group, 5)
    await driver.execute_query(
        "MATCH (n:Entity {uuid: $group + '-1000001'})-[r:RELATES_TO]->(m) "
        "SET n:VIP, n.role = 'chief', n.since = [1, 2], n.summary = 'Chief of all', "
        "r.valid_at = datetime('2020-01-01T00:00:00Z'), r.since = 'long', "
        "r.invalid_at = datetime('2021-01-01T00:00:00Z'), r.expired_at = datetime('2025-02-01') "
        # Between the same two a second fact of the same name, and one about itself.
        "CREATE (n)-[:RELATES_TO {uuid: $group + '-2', name: 'KNOWS', fact: 'They met', "
        "group_id: $group, episodes: ['x'], created_at: datetime('2025-03-01')}]->(m) "
        "CREATE (n)-[:RELATES_TO {uuid: $group + '-3', name: 'IS', fact: 'Is itself', "
        "group_id: $group, episodes: ['x'], created_at: datetime('2025-03-01')}]->(n)",
        group=group,
    )
    assert (await adopt(memory.context, [group])).entities == 5
    mine = await memory.add("Number 1 is a friend of mine")
    await memory.relations.add(mine.memory_id, f"{group}-1000001", "references", strength=0.9)
    before = await exported(memory)
    first = json.loads(before[0])
    assert first["entity"] == {
        "name": "Entity 1",
        "summary": "Chief of all",
        "labels": ["Person", "VIP"],
        "attributes": {"role": "chief", "since": [1, 2]},
    }

    empty = f"{group}_copy"
    report = await import_lines(memory, before, empty)
    assert report.errors == []
    assert (report.stored, report.relations, report.failed) == (6, 7, 0)
    assert unnamed(await exported(memory, empty)) == unnamed(before)
    again = await import_lines(memory, before, empty)
    assert (again.stored, again.relations, again.failed) == (0, 0, 0)
    copied, _, _ = await driver.execute_query(
        "MATCH (a:VIP {group_id: $group})-[r:RELATES_TO]->(b) RETURN a, r, b.name AS to "
        "ORDER BY r.fact",
        group=empty,
    )
    assert [(c["r"]["name"], c["r"]["fact"], c["to"]) for c in copied] == [
        ("KNOWS", "Entity 1 knows Entity 2", "Entity 2"),
        ("IS", "Is itself", "Entity 1"),
        ("KNOWS", "They met", "Entity 2"),
    ]
    ended, chief = copied[0]["r"], copied[0]["a"]
    assert (ended["valid_at"].year, ended["invalid_at"].year) == (2020, 2021)
    assert (ended["expired_at"].year, ended["since"], ended["strength"]) == (2025, "long", 0.5)
    assert (chief["name"], chief["summary"]) == ("Entity 1", "Chief of all")
    assert chief["content"] == "Entity 1: Chief of all"
    facts = await memory.facts.search("who knows Entity 2?", group_id=empty, as_of="2020-06-01")
    assert [fact.fact for fact in facts] == ["Entity 1 knows Entity 2"]
    (person, *_) = await memory.facts.search_entities(
        "the chief", entity_types=["VIP"], group_id=empty
    )
    assert person.name == "Entity 1"

    # Where it was erased, it comes back under its own ids.
    await memory.delete_all(confirm="DELETE ALL", permanent=True)
    clock.advance(days=3)
    report = await import_lines(memory, before)
    assert (report.stored, report.relations, report.failed) == (6, 7, 0)
    assert [*map(json.loads, await exported(memory))] == [*map(json.loads, before)]
    problems = (await verify(memory.context.graph, memory.settings)).get(group, [])
    assert problems == []


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ({"entity": {"name": "Bob", "labels": ["Memory"]}}, "labels"),
        ({"entity": {"name": "Bob", "labels": ["A) DETACH DELETE n //"]}}, "labels"),
        ({"entity": {"name": "Bob", "attributes": {"lifecycle_state": "GONE"}}}, "lifecycle_state"),
        ({"entity": {"name": "Bob", "attributes": {"a": {"b": 1}}}}, "'a' must be text"),
        ({"facts": [{"target_id": "x", "name": "KNOWS"}]}, "fact"),
        ({"facts": [{"target_id": "x", "name": "KNOWS", "fact": "f", "strength": 2}]}, "strength"),
        (
            {"facts": [{"target_id": "x", "name": "K", "fact": "f", "attributes": {"uuid": "y"}}]},
            "uuid",
        ),
    ],
    ids=range(7),
)
async def test_a_line_cannot_pass_off_attributes_as_what_is_ours(
    memory: GraphMemory, part: dict[str, Any], told: str
) -> None:
    report = await import_lines(memory, [json.dumps({"content": "Bob", **part})])
    assert (report.stored, report.failed) == (0, 1)
    assert told in report.errors[0].message
