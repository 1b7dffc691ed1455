"""Valid time and system time of relations, texts and memories."""

import asyncio
import json
from datetime import datetime, timedelta
from typing import Any, cast

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.api.arguments import ResolutionArgument
from graph_memory.domain.timestamps import instant
from graph_memory.errors import InvalidArgumentError, NotFoundError, SchemaError
from graph_memory.memories.lifecycle import Resolution, resolve_contradiction
from graph_memory.transfer.import_export import import_lines
from tests.conftest import TODAY, Clock


async def contents(memory: GraphMemory, **clocks: Any) -> set[str]:
    """Return what a list shows; a search for anything must show the same."""
    listed = {m.content for m in (await memory.list(limit=50, **clocks)).memories}
    found = {hit.memory.content for hit in await memory.search("home", limit=50, **clocks)}
    assert found == listed
    return listed


async def test_a_superseded_memory_is_left_out_but_was_true_before(
    memory: GraphMemory, clock: Clock
) -> None:
    paris = await memory.add("Ada's home is Paris")
    clock.advance(days=10)
    rome = await memory.add("Ada's home is Rome")
    marked = await memory.lifecycle.mark_obsolete(
        paris.memory_id, "she moved", superseded_by=rome.memory_id
    )
    assert (marked.state, marked.invalid_at) == ("EXPIRED", rome.valid_at)
    clock.advance(days=1)
    assert await contents(memory) == {"Ada's home is Rome"}
    assert await contents(memory, as_of=TODAY + timedelta(days=5)) == {"Ada's home is Paris"}
    assert await contents(memory, as_of=TODAY + timedelta(days=10)) == {"Ada's home is Rome"}
    assert await contents(memory, as_of=TODAY - timedelta(days=1)) == set()
    (relation,) = await memory.relations.list(rome.memory_id)
    assert (relation.relation_type, relation.to_id) == ("supersedes", paris.memory_id)
    assert (await memory.get(paris.memory_id)).lifecycle_state == "EXPIRED"


async def test_the_text_is_the_one_known_then(memory: GraphMemory, clock: Clock) -> None:
    stored = await memory.add("the home is blue")
    for day, colour in enumerate(("green", "red"), start=1):
        clock.now = TODAY + timedelta(days=day)
        await memory.update(stored.memory_id, content=f"the home is {colour}")
    clock.advance(days=1)
    for day, colour in enumerate(("blue", "green", "red", "red")):
        moment = TODAY + timedelta(days=day, hours=1)
        got = await memory.get(stored.memory_id, known_at=moment)
        assert got.content == f"the home is {colour}"
        assert await contents(memory, known_at=moment) == {f"the home is {colour}"}
    with pytest.raises(NotFoundError):
        await memory.get(stored.memory_id, known_at=TODAY - timedelta(seconds=1))


async def test_the_text_of_then_is_what_a_question_about_then_is_compared_with(
    memory: GraphMemory, clock: Clock
) -> None:
    stored = await memory.add("The cat sleeps on the sofa")
    await memory.add("Quarterly revenue rose by four percent")
    clock.advance(days=1)
    await memory.update(stored.memory_id, content="Invoices are due within thirty days")
    (best, *_) = await memory.search("a pet resting", known_at=TODAY, profile="weighted")
    assert best.memory.memory_id == stored.memory_id
    assert best.similarity is not None
    assert best.similarity > 0.6


async def test_what_was_deleted_since_was_known_before(memory: GraphMemory, clock: Clock) -> None:
    stored = await memory.add("a home to forget")
    clock.advance(days=1)
    await memory.delete(stored.memory_id)
    assert await contents(memory) == set()
    assert await contents(memory, known_at=TODAY) == {"a home to forget"}
    assert await contents(memory, known_at=clock.now) == set()


async def test_a_memory_may_have_been_true_before_it_was_known(memory: GraphMemory) -> None:
    await memory.add("home was a farm", valid_at=TODAY - timedelta(days=900))
    past = TODAY - timedelta(days=30)
    assert await contents(memory, as_of=past) == {"home was a farm"}
    assert await contents(memory, as_of=past, known_at=past) == set()


async def test_an_ended_relation_is_seen_in_the_past_and_can_begin_again(
    memory: GraphMemory, clock: Clock
) -> None:
    a, b = await memory.add("a"), await memory.add("b")
    await memory.relations.add(a.memory_id, b.memory_id, "supports")
    clock.advance(days=1)
    assert await memory.relations.remove(a.memory_id, b.memory_id) == 1
    assert await memory.relations.remove(a.memory_id, b.memory_id) == 0
    clock.advance(days=1)
    (again,) = await memory.relations.add(a.memory_id, b.memory_id, "supports")
    assert again.created
    for day, number in ((0.5, 1), (1.5, 0), (2.5, 1)):
        clock.now = TODAY + timedelta(days=3)
        moment = TODAY + timedelta(days=day)
        assert len(await memory.relations.list(a.memory_id, as_of=moment)) == number
        assert len(await memory.relations.list(a.memory_id, known_at=moment)) == number


@pytest.mark.parametrize(("both", "ended"), [(False, 1), (True, 2)])
async def test_unrelating_ends_what_was_meant(memory: GraphMemory, both: bool, ended: int) -> None:
    a, b = await memory.add("a"), await memory.add("b")
    await memory.relations.add(a.memory_id, b.memory_id, "causes", bidirectional=True)
    assert await memory.relations.remove(a.memory_id, b.memory_id, "supports") == 0
    assert await memory.relations.remove(a.memory_id, b.memory_id, both_directions=both) == ended


async def test_a_relation_holds_between_its_instants(memory: GraphMemory) -> None:
    a, b = await memory.add("a"), await memory.add("b")
    since, until = TODAY - timedelta(days=20), TODAY - timedelta(days=10)
    await memory.relations.add(
        a.memory_id, b.memory_id, "part_of", valid_at=since, invalid_at=until
    )
    assert await memory.relations.list(a.memory_id) == []
    (relation,) = await memory.relations.list(a.memory_id, as_of=TODAY - timedelta(days=15))
    assert (relation.valid_at, relation.invalid_at) == (since, until)
    wrong: dict[str, Any] = {"valid_at": until, "invalid_at": since}
    with pytest.raises(InvalidArgumentError, match="after valid_at"):
        await memory.relations.add(a.memory_id, b.memory_id, **wrong)
    with pytest.raises(InvalidArgumentError, match="after valid_at"):
        await memory.add("c", relationships=[cast(Any, {"target_id": a.memory_id, **wrong})])
    assert len((await memory.list()).memories) == 2


async def test_a_relation_that_has_ended_can_begin_again(memory: GraphMemory, clock: Clock) -> None:
    a, b = await memory.add("a"), await memory.add("b")
    ends = (a.memory_id, b.memory_id, "supports")
    until = TODAY + timedelta(days=2)
    await memory.relations.add(*ends, strength=0.3, invalid_at=until)
    clock.advance(days=1)
    (still,) = await memory.relations.add(*ends, strength=0.4)
    clock.advance(days=2)
    (again,) = await memory.relations.add(*ends, strength=0.9)
    (corrected,) = await memory.relations.add(*ends, strength=0.8)
    assert (still.created, again.created, corrected.created) == (False, True, False)
    clock.advance(days=1)
    for day, strengths in ((-0.5, []), (0.5, [0.4]), (2.5, []), (3.5, [0.8])):
        moment = TODAY + timedelta(days=day)
        for clock_asked in ("as_of", "known_at"):
            asked: dict[str, Any] = {clock_asked: moment}
            held = await memory.relations.list(a.memory_id, **asked)
            assert [relation.strength for relation in held] == strengths
    assert [r.strength for r in await memory.relations.list(a.memory_id)] == [0.8]
    at = [e.at for e in await memory.lifecycle.history(a.memory_id) if e.kind == "unrelated"]
    assert at == [until]


async def test_what_ended_long_ago_is_corrected_not_repeated(memory: GraphMemory) -> None:
    a, b = await memory.add("a"), await memory.add("b")
    held: dict[str, Any] = {
        "valid_at": TODAY - timedelta(days=9),
        "invalid_at": TODAY - timedelta(days=5),
    }
    made = [await memory.relations.add(a.memory_id, b.memory_id, **held) for _ in range(2)]
    assert [relation.created for (relation,) in made] == [True, False]


@pytest.mark.parametrize("foreseen", [None, TODAY + timedelta(days=30)])
async def test_an_end_that_is_said_later_was_not_known_before(
    memory: GraphMemory, clock: Clock, foreseen: datetime | None
) -> None:
    a, b = await memory.add("a"), await memory.add("b")
    ends = (a.memory_id, b.memory_id, "supports")
    await memory.relations.add(*ends, invalid_at=foreseen)
    clock.advance(days=10)
    ended: dict[str, Any] = {"invalid_at": TODAY + timedelta(days=3)}
    made = [await memory.relations.add(*ends, **ended) for _ in range(2)]
    assert [relation.created for (relation,) in made] == [False, False]
    (told,) = [e.at for e in await memory.lifecycle.history(a.memory_id) if e.kind == "unrelated"]
    assert told == clock.now
    clock.advance(days=1)
    (again,) = await memory.relations.add(*ends)
    assert again.created
    for day, number in ((5, 1), (10.5, 0), (11, 1)):
        moment = TODAY + timedelta(days=day)
        assert len(await memory.relations.list(a.memory_id, known_at=moment)) == number
    assert await memory.relations.list(a.memory_id, as_of=TODAY + timedelta(days=5)) == []
    assert len(await memory.relations.list(a.memory_id, as_of=TODAY + timedelta(days=2))) == 1


async def test_a_relation_that_was_to_end_later_ends_when_it_is_unrelated(
    memory: GraphMemory, clock: Clock
) -> None:
    a, b = await memory.add("a"), await memory.add("b")
    await memory.relations.add(a.memory_id, b.memory_id, invalid_at=TODAY + timedelta(days=9))
    clock.advance(days=1)
    assert await memory.relations.remove(a.memory_id, b.memory_id) == 1
    assert await memory.relations.list(a.memory_id) == []
    assert len(await memory.relations.list(a.memory_id, known_at=TODAY)) == 1


async def test_relations_of_another_writer_are_read(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    a, b, c = [await memory.add(text) for text in "abc"]
    await memory.relations.add(a.memory_id, b.memory_id, "supports", strength=0.9)
    await driver.execute_query(
        "MATCH (a:Memory {uuid: $a}), (b:Memory {uuid: $b}), (c:Memory {uuid: $c}) "
        "CREATE (a)-[:RELATES_TO {uuid: $a + '1', name: 'LIKES', fact: 'a likes b', "
        "group_id: a.group_id, episodes: [], created_at: datetime('2026-01-01')}]->(b) "
        "CREATE (a)-[:RELATES_TO {uuid: $a + '2'}]->(c)",
        a=a.memory_id,
        b=b.memory_id,
        c=c.memory_id,
    )
    told = [(r.relation_type, r.strength, r.fact) for r in await memory.relations.list(a.memory_id)]
    assert told[0][:2] == ("supports", 0.9)
    assert sorted(told[1:]) == [
        ("LIKES", 0.5, "a likes b"),
        ("relates_to", 0.5, "a relates_to c"),
    ]
    walked = await memory.relations.traverse(a.memory_id)
    assert {node.memory_id for node in walked.nodes} == {b.memory_id, c.memory_id}
    assert (await memory.relations.analyze(a.memory_id)).by_type.keys() == {
        "supports",
        "LIKES",
        "relates_to",
    }
    assert await memory.lifecycle.history(a.memory_id)


async def test_a_memory_that_another_writer_damaged_is_named_and_walked_past(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    a, b = await memory.add("a"), await memory.add("b")
    await memory.relations.add(a.memory_id, b.memory_id)
    await driver.execute_query(
        "MATCH (n:Entity {uuid: $id}) SET n = n {.uuid, .name, .group_id, .summary, .created_at}",
        id=b.memory_id,
    )
    assert (await memory.relations.traverse(a.memory_id)).nodes == []
    with pytest.raises(SchemaError, match="verify --repair"):
        await memory.get(b.memory_id)


async def test_many_who_make_one_relation_make_it_once(memory: GraphMemory) -> None:
    a, b = await memory.add("a"), await memory.add("b")
    made = await asyncio.gather(
        *(
            memory.relations.add(a.memory_id, b.memory_id, "supports", fact="a backs b")
            for _ in range(20)
        )
    )
    assert sorted(relation.created for (relation,) in made) == [False] * 19 + [True]
    (again,) = await memory.relations.add(a.memory_id, b.memory_id, "supports", strength=0.9)
    (stored,) = await memory.relations.list(a.memory_id)
    assert (again.created, stored.strength, stored.fact) == (False, 0.9, "a backs b")


async def test_the_end_that_is_not_there_is_named(memory: GraphMemory, group: str) -> None:
    a, gone = await memory.add("a"), await memory.add("gone")
    theirs = await memory.add("theirs", group_id=f"{group}_2")
    await memory.delete(gone.memory_id)
    for other in (gone.memory_id, theirs.memory_id, "nobody"):
        for ends in ((a.memory_id, other), (other, a.memory_id)):
            with pytest.raises(NotFoundError) as caught:
                await memory.relations.add(*ends)
            assert caught.value.memory_id == other


@pytest.mark.parametrize(("rule", "winner"), [("newer", 1), ("stronger", 0)])
async def test_a_contradiction_can_be_settled(
    memory: GraphMemory, clock: Clock, rule: ResolutionArgument, winner: int
) -> None:
    old = await memory.add("the home is in Oslo", importance=9)
    clock.advance(days=1)
    new = await memory.add("the home is in Bergen", importance=2)
    clock.advance(days=1)
    await memory.relations.add(new.memory_id, old.memory_id, "contradicts", resolve=rule)
    assert await contents(memory) == {(old, new)[winner].content}


async def test_a_contradiction_with_what_went_meanwhile_names_it(
    memory: GraphMemory, group: str
) -> None:
    here = await memory.add("the home is in Oslo")
    with pytest.raises(NotFoundError) as caught:
        await resolve_contradiction(
            memory.context.graph, (here.memory_id, "gone"), Resolution.NEWER, group_id=group
        )
    assert caught.value.memory_id == "gone"


async def test_only_contradictions_are_settled_and_only_by_a_known_rule(
    memory: GraphMemory,
) -> None:
    a, b = await memory.add("a"), await memory.add("b")
    with pytest.raises(InvalidArgumentError):
        await memory.relations.add(a.memory_id, b.memory_id, "supports", resolve="newer")
    unknown: Any = "louder"
    with pytest.raises(InvalidArgumentError, match=r"newer.*stronger"):
        await memory.relations.add(a.memory_id, b.memory_id, "contradicts", resolve=unknown)
    assert await memory.relations.list(a.memory_id) == []


async def test_a_memory_is_superseded_only_by_another_of_its_group(
    memory: GraphMemory, group: str
) -> None:
    a = await memory.add("a")
    theirs = await memory.add("theirs", group_id=f"{group}_2")
    for other in (theirs.memory_id, "nobody"):
        with pytest.raises(NotFoundError) as caught:
            await memory.lifecycle.mark_obsolete(a.memory_id, "why", superseded_by=other)
        assert caught.value.memory_id == other
    with pytest.raises(InvalidArgumentError):
        await memory.lifecycle.mark_obsolete(a.memory_id, "why", superseded_by=a.memory_id)
    with pytest.raises(NotFoundError):
        await memory.lifecycle.mark_obsolete("nobody", "why")
    assert (await memory.get(a.memory_id)).lifecycle_state == "ACTIVE"


async def test_what_was_deleted_is_named_neither_as_parent_nor_in_histories(
    memory: GraphMemory, clock: Clock
) -> None:
    parent = await memory.add("a secret")
    child = await memory.add("a child", parent_id=parent.memory_id)
    await memory.relations.add(child.memory_id, parent.memory_id, "supports")
    clock.advance(days=1)
    await memory.delete(parent.memory_id)
    assert (await memory.get(child.memory_id)).parent_id is None
    assert (await memory.get(child.memory_id, known_at=TODAY)).parent_id == parent.memory_id
    assert "secret" not in str(await memory.lifecycle.history(child.memory_id))
    await memory.lifecycle.recover(parent.memory_id)
    assert (await memory.get(child.memory_id)).parent_id == parent.memory_id
    assert "secret" in str(await memory.lifecycle.history(child.memory_id))


async def test_the_history_tells_everything_in_order(memory: GraphMemory, clock: Clock) -> None:
    a = await memory.add("first words")
    clock.advance(days=1)
    await memory.update(a.memory_id, content="second words")
    clock.advance(days=1)
    b = await memory.add("another")
    await memory.relations.add(a.memory_id, b.memory_id, "supports", fact="a backs b")
    clock.advance(days=1)
    await memory.relations.remove(a.memory_id, b.memory_id)
    clock.advance(days=1)
    await memory.delete(a.memory_id)
    events = await memory.lifecycle.history(a.memory_id)
    assert [(event.kind, event.detail) for event in events] == [
        ("created", None),
        ("rewritten", "first words"),
        ("related", "a backs b"),
        ("unrelated", "a backs b"),
        (
            "state",
            "ACTIVE to SOFT_DELETED: delete (policy half_life, faded 0.047, idle 3 days)",
        ),
    ]
    assert [event.at for event in events] == [TODAY + timedelta(days=day) for day in range(5)]
    with pytest.raises(NotFoundError):
        await memory.lifecycle.history(a.memory_id, group_id="elsewhere")


async def test_of_a_long_history_the_latest_is_told(memory: GraphMemory, clock: Clock) -> None:
    hub = await memory.add("a hub")
    names = [f"note {n:03}" for n in range(500)]
    for some in (names[:250], names[250:]):
        clock.advance(days=1)
        towards = [{"target_id": hub.memory_id, "relation_type": "references"}]
        await memory.add_many([{"content": name, "relationships": towards} for name in some])
    earlier, *latest = await memory.lifecycle.history(hub.memory_id)
    assert (earlier.kind, earlier.detail) == ("earlier", "Only the latest 500 events are shown.")
    assert [event.detail for event in latest] == [f"{name} references a hub" for name in names]


async def test_a_conversation_is_a_chain_even_when_fifty_speak_at_once(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await asyncio.gather(
        *(memory.add(f"turn {n}", conversation_id="talk") for n in range(50)),
        memory.add("elsewhere", conversation_id="other"),
    )
    records, _, _ = await driver.execute_query(
        "MATCH (m:Memory {group_id: $group, conversation_id: 'talk'}) "
        "RETURN COUNT {(m)-[:RELATES_TO {name: 'precedes'}]->()} AS after, "
        "COUNT {(m)<-[:RELATES_TO {name: 'precedes'}]-()} AS before",
        group=group,
    )
    ends = sorted((record["before"], record["after"]) for record in records)
    assert ends == [(0, 1)] + [(1, 0)] + [(1, 1)] * 48


async def test_memories_stored_together_follow_each_other_in_order(memory: GraphMemory) -> None:
    outcomes = await memory.add_many(
        [{"content": f"turn {n}", "conversation_id": "talk"} for n in range(3)]
    )
    first, second, third = (outcome.memory_id or "" for outcome in outcomes)
    edges = {(r.from_id, r.to_id) for m in (first, third) for r in await memory.relations.list(m)}
    assert edges == {(first, second), (second, third)}


async def test_an_ended_relation_ends_now_even_if_its_end_lay_ahead(
    memory: GraphMemory, clock: Clock
) -> None:
    rain, flood = await memory.add("it rains"), await memory.add("the cellar floods")
    await memory.relations.add(rain.memory_id, flood.memory_id, "causes", invalid_at="2030-01-01")
    clock.advance(days=1)
    assert await memory.relations.remove(rain.memory_id, flood.memory_id) == 1
    assert await memory.relations.list(rain.memory_id) == []
    (was,) = await memory.relations.list(rain.memory_id, known_at=TODAY)
    assert was.relation_type == "causes"


async def test_a_deletion_that_was_taken_back_is_known_of_its_time(
    memory: GraphMemory, clock: Clock
) -> None:
    stored = await memory.add("the home is blue")
    clock.advance(days=1)
    await memory.delete(stored.memory_id)
    clock.advance(days=2)
    await memory.lifecycle.recover(stored.memory_id)
    clock.advance(days=1)
    for hours, seen in ((0, 1), (23, 1), (24, 0), (71, 0), (72, 1), (96, 1)):
        known = await contents(memory, known_at=TODAY + timedelta(hours=hours))
        assert len(known) == seen, hours


async def test_the_text_known_then_holds_within_a_millisecond_and_when_the_clock_goes_back(
    memory: GraphMemory, clock: Clock
) -> None:
    for back in (0, 5):
        clock.now = TODAY
        stored = await memory.add(f"first of {back}")
        clock.advance(minutes=20)
        await memory.update(stored.memory_id, content=f"second of {back}")
        clock.advance(minutes=-back)
        await memory.update(stored.memory_id, content=f"third of {back}")
        clock.advance(hours=1)
        for minutes, word in ((5, "first"), (12, "first"), (30, "third")):
            known_at = TODAY + timedelta(minutes=minutes)
            got = await memory.get(stored.memory_id, known_at=known_at)
            assert got.content == f"{word} of {back}"


async def test_an_end_that_was_foreseen_stays_known_when_the_relation_is_ended_after_it(
    memory: GraphMemory, clock: Clock
) -> None:
    a, b = await memory.add("a"), await memory.add("b")
    await memory.relations.add(a.memory_id, b.memory_id, invalid_at=TODAY + timedelta(days=3))
    clock.advance(days=9)
    assert await memory.relations.remove(a.memory_id, b.memory_id) == 1
    for day, number in ((2, 1), (4, 0), (9, 0)):
        moment = TODAY + timedelta(days=day)
        assert len(await memory.relations.list(a.memory_id, known_at=moment)) == number


async def test_what_woke_is_superseded_no_more_though_that_was_to_end_later(
    memory: GraphMemory, clock: Clock
) -> None:
    old, new = await memory.add("old"), await memory.add("new")
    await memory.lifecycle.mark_obsolete(old.memory_id, "moved", superseded_by=new.memory_id)
    ends = (new.memory_id, old.memory_id, "supersedes")
    await memory.relations.add(*ends, invalid_at=TODAY + timedelta(days=9))
    clock.advance(days=1)
    await memory.lifecycle.preserve(old.memory_id)
    assert await memory.relations.list(old.memory_id) == []


async def test_while_a_memory_was_deleted_its_links_were_not_known(
    memory: GraphMemory, clock: Clock
) -> None:
    parent = await memory.add("parent")
    child = await memory.add("child", parent_id=parent.memory_id)
    await memory.relations.add(child.memory_id, parent.memory_id)
    clock.advance(days=1)
    await memory.delete(parent.memory_id)
    clock.advance(days=2)
    await memory.lifecycle.recover(parent.memory_id)
    for day, known in ((0, True), (2, False), (3, True)):
        moment = TODAY + timedelta(days=day)
        told = await memory.get(child.memory_id, known_at=moment)
        assert told.parent_id == (parent.memory_id if known else None)
        for each in (child, parent):
            assert len(await memory.relations.list(each.memory_id, known_at=moment)) == known


@pytest.mark.parametrize("superseded", [True, False])
async def test_an_end_that_was_foreseen_stays_known_when_the_memory_is_obsolete(
    memory: GraphMemory, clock: Clock, superseded: bool
) -> None:
    end = instant(TODAY + timedelta(days=3))
    line = {"content": "the sale is on", "created_at": instant(TODAY)}
    await import_lines(memory, [json.dumps(line | {"lifecycle": {"invalid_at": end}})])
    (sale,) = [each.memory_id for each in (await memory.list()).memories]
    winner = await memory.add("the sale is over")
    clock.advance(days=9)
    other = winner.memory_id if superseded else None
    await memory.lifecycle.mark_obsolete(sale, "over", superseded_by=other)
    assert (await memory.get(sale, known_at=TODAY + timedelta(days=2))).memory_id == sale
    with pytest.raises(NotFoundError):
        await memory.get(sale, known_at=TODAY + timedelta(days=4))
