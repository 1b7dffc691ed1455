"""Sessions in the database: several callers, changes, replicas and expiry."""

import asyncio
import time
from datetime import timedelta
from typing import Any
from uuid import UUID

from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.domain.timestamps import instant
from graph_memory.search import session_store
from graph_memory.search.retrieval import Retrieved
from graph_memory.search.session import LoadRecord, Session
from tests.conftest import Clock, engine_with

TOMATOES = [f"Tomato variety number {n} ripens in August" for n in range(6)]


async def fill(memory: GraphMemory, *texts: str) -> list[str]:
    outcomes = await memory.add_many([{"content": text} for text in texts])
    return [outcome.memory_id or "" for outcome in outcomes]


def given_ids(retrieved: Retrieved) -> set[str]:
    return {given.memory.memory_id for given in retrieved.memories}


def statuses(retrieved: Retrieved) -> dict[str, str]:
    return {given.memory.memory_id: given.status.value for given in retrieved.memories}


async def test_nothing_is_given_twice_until_it_is_stale(memory: GraphMemory) -> None:
    ids = await fill(memory, *TOMATOES)
    first = await memory.retrieve("tomatoes", conversation_tokens=1000)
    session = first.session_id
    assert statuses(first) == dict.fromkeys(ids, "new")

    fresh = await memory.retrieve("tomatoes", session_id=session, conversation_tokens=5096)
    assert fresh.memories == []
    assert set(fresh.skipped_loaded) == set(ids)
    late = await memory.retrieve("tomatoes", session_id=session, conversation_tokens=5097)
    assert statuses(late) == dict.fromkeys(ids, "refreshed")
    assert set(late.refreshed) == set(ids)

    state = await memory.sessions.state(session)
    assert state.total_tokens == 5097 + late.tokens_used == late.total_tokens
    assert {m.memory_id for m in state.loaded} == set(ids)
    assert {m.load_token_count for m in state.loaded} == {5097}
    assert [event["memories"] for event in state.history] == [6, 0, 6]
    assert not any(m.stale for m in state.loaded)
    # The tokens of the caller never decrease the position, and the threshold is the caller's.
    back = await memory.retrieve(
        "tomatoes", session_id=session, conversation_tokens=3, staleness_threshold=0
    )
    assert back.total_tokens == state.total_tokens + back.tokens_used
    assert set(back.refreshed) == set(ids)


async def test_without_a_count_what_was_returned_is_counted(memory: GraphMemory) -> None:
    await fill(memory, *TOMATOES)
    first = await memory.retrieve("tomatoes", max_tokens=30)
    rest = await memory.retrieve("tomatoes", session_id=first.session_id)
    assert rest.total_tokens == first.tokens_used + rest.tokens_used
    assert not given_ids(first) & given_ids(rest)
    assert len(first.memories) + len(rest.memories) == 6


async def test_a_changed_memory_is_named_and_returned_again_at_once(
    memory: GraphMemory, clock: Clock
) -> None:
    """Also for a question without a relation to it."""
    memory.context.engine = engine_with(memory, retrieval_candidates=10)
    updated, superseded, obsolete, forgotten, erased, same = await fill(memory, *TOMATOES)
    first = await memory.retrieve("tomatoes")
    await fill(memory, *(f"The harbour crane lifts crate {n}" for n in range(20)))
    clock.advance(minutes=1)
    await memory.update(updated, content="Tomato variety number 0 ripens in July")
    await memory.update(same, importance=7)
    winner = await memory.add("Nobody plants variety number 1 any more")
    await memory.lifecycle.mark_obsolete(superseded, "dropped", superseded_by=winner.memory_id)
    await memory.lifecycle.mark_obsolete(obsolete, "sold out")
    await memory.delete(forgotten)
    await memory.delete(erased, permanent=True)

    second = await memory.retrieve("harbour crane", session_id=first.session_id)
    assert {c.memory_id: (c.reason.value, c.superseded_by) for c in second.changed} == {
        updated: ("updated", None),
        superseded: ("superseded", winner.memory_id),
        obsolete: ("obsolete", None),
        forgotten: ("forgotten", None),
        erased: ("forgotten", None),
    }
    assert statuses(second)[updated] == "changed"
    assert statuses(second)[winner.memory_id] == "new"
    assert same not in given_ids(second)
    third = await memory.retrieve("tomatoes", session_id=first.session_id)
    assert third.changed == []
    assert {updated, same} <= set(third.skipped_loaded)
    state = await memory.sessions.state(first.session_id)
    gone = {superseded, obsolete, forgotten, erased}
    assert not gone & {loaded.memory_id for loaded in state.loaded}


async def test_of_a_chain_the_memory_that_holds_is_named_and_offered(memory: GraphMemory) -> None:
    first, second = await fill(memory, "The pump is red", "The pump is blue")
    loaded = await memory.retrieve("pump")
    (third,) = await fill(memory, "Water is drawn by hand")
    await memory.lifecycle.mark_obsolete(first, "painted", superseded_by=second)
    await memory.lifecycle.mark_obsolete(second, "sold", superseded_by=third)
    got = await memory.retrieve("harbour crane", session_id=loaded.session_id)
    assert {c.memory_id: c.superseded_by for c in got.changed} == {
        first: third,
        second: third,
    }
    assert third in given_ids(got)


async def test_of_many_changes_an_answer_names_some_and_the_next_the_others(
    memory: GraphMemory,
) -> None:
    """The memory loaded last is named first, because the model still holds it."""
    ids = await fill(memory, *(f"Tomato variety number {n}" for n in range(60)))
    first = await memory.retrieve("tomatoes", max_tokens=10_000)
    assert given_ids(first) == set(ids)
    in_order = [
        loaded.memory_id for loaded in (await memory.sessions.state(first.session_id)).loaded
    ]
    await memory.delete_all(confirm="DELETE ALL")
    named = [
        [change.memory_id for change in got.changed]
        for got in [await memory.retrieve("harbour", session_id=first.session_id) for _ in range(3)]
    ]
    assert named == [in_order[:-51:-1], in_order[9::-1], []]


async def test_a_change_that_does_not_fit_is_named_until_it_was_given(memory: GraphMemory) -> None:
    (changing,) = await fill(memory, "The pump is blue")
    first = await memory.retrieve("pump")
    await memory.update(changing, content="The pump is green, and " + "very " * 50 + "old")
    for budget, fits in ((10, False), (10, False), (1000, True)):
        got = await memory.retrieve("pump", session_id=first.session_id, max_tokens=budget)
        assert [change.memory_id for change in got.changed] == [changing]
        assert (changing in given_ids(got)) is fits
    assert (await memory.retrieve("pump", session_id=first.session_id)).changed == []


async def test_a_question_about_the_past_brings_the_text_of_then(
    memory: GraphMemory, clock: Clock
) -> None:
    (pump,) = await fill(memory, "The pump is blue")
    then = clock.now
    clock.advance(days=1)
    await memory.update(pump, content="The pump is green")
    clock.advance(days=1)
    today = await memory.retrieve("pump")
    past = await memory.retrieve("pump", session_id=today.session_id, known_at=then)
    assert [m.memory.content for m in past.memories] == ["The pump is blue"]
    assert past.changed == []
    present = await memory.retrieve("pump", session_id=today.session_id)
    assert [m.memory.content for m in present.memories] == ["The pump is green"]


async def test_any_replica_goes_on_with_a_session(memory: GraphMemory) -> None:
    ids = await fill(memory, *TOMATOES)
    first = await memory.retrieve("tomatoes", session_id="talk 1")
    other = replica(memory)
    assert (await other.retrieve("tomatoes", session_id="talk 1")).memories == []
    assert {m.memory_id for m in (await other.sessions.state("talk 1")).loaded} == set(ids)
    reset = await other.sessions.state("talk 1", reset=True)
    assert (reset.total_tokens, reset.loaded, reset.history) == (0, [], [])
    assert given_ids(await memory.retrieve("tomatoes", session_id="talk 1")) == given_ids(first)


def replica(memory: GraphMemory) -> GraphMemory:
    return GraphMemory.over(
        memory.context.graph, memory.context.embedder, memory.settings, clock=memory.clock
    )


async def stored(driver: AsyncDriver, group: str) -> set[str]:
    """Return the ids of the sessions of the group in the database."""
    found, _, _ = await driver.execute_query(
        "MATCH (s:Session {group_id: $group}) RETURN s.session_id AS id", group=group
    )
    return {row["id"].removeprefix(f"{group}|") for row in found}


async def test_any_replica_goes_on_at_once_with_one_that_has_just_begun(
    memory: GraphMemory,
) -> None:
    """It is written after the answer that names it."""
    ids = await fill(memory, *TOMATOES)
    for other in (memory, replica(memory)):
        first = await memory.retrieve("tomatoes", max_tokens=30)
        rest = await other.retrieve("tomatoes", session_id=first.session_id)
        assert not given_ids(first) & given_ids(rest)
        assert given_ids(first) | given_ids(rest) == set(ids)
        begun = await memory.retrieve("tomatoes")
        state = await other.sessions.state(begun.session_id)
        assert {m.memory_id for m in state.loaded} == set(ids)


async def test_sessions_that_begin_together_are_all_kept(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await fill(memory, *TOMATOES)
    service = replica(memory)
    begun = await asyncio.gather(*(service.retrieve("tomatoes") for _ in range(20)))
    await service.close()  # as when it is closed
    kept = await stored(driver, group)
    assert kept == {answer.session_id for answer in begun}
    assert len(kept) == 20


async def test_a_use_is_noted_while_other_sessions_are_being_stored(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    store, scope = memory.context.session_store, memory.context.scope(None)
    begun = Session().after({"a": "v"}, position=0, tokens=1, settings=memory.settings)
    for _ in range(200):
        _, session = await store.write(scope, begun)
        store.used(scope, session.session_id, "a")
        await asyncio.sleep(0.003)
    await store.flush()
    records, _, _ = await driver.execute_query(
        "MATCH (s:Session {group_id: $group}) RETURN count(s) AS all, count(s.used_ids) AS used",
        group=group,
    )
    assert records[0].data() == {"all": 200, "used": 200}


async def test_one_that_has_just_begun_can_be_reset_and_erased(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await fill(memory, *TOMATOES)
    begun = await memory.retrieve("tomatoes")
    assert (await memory.sessions.state(begun.session_id, reset=True)).loaded == []
    await memory.retrieve("tomatoes")
    await memory.delete_all(confirm="DELETE ALL", permanent=True)
    await memory.context.session_store.flush()
    assert await stored(driver, group) == set()


async def test_an_id_lost_before_it_was_stored_begins_a_new_session(memory: GraphMemory) -> None:
    """Its replica was killed; a reader waits no longer than a write can take."""
    ids = await fill(memory, *TOMATOES)
    shape = UUID((await memory.retrieve("tomatoes")).session_id).int
    for age_seconds, patience in ((0, 5.0), (3600, 1.0)):
        milliseconds = int((time.time() - age_seconds) * 1000)
        lost = str(UUID(int=(milliseconds << 80) | ((shape ^ 1) & ((1 << 80) - 1))))
        async with asyncio.timeout(patience):
            assert (await memory.sessions.state(lost)).loaded == []
        assert given_ids(await memory.retrieve("tomatoes", session_id=lost)) == set(ids)


async def test_another_tenant_neither_reads_nor_resets_a_session(
    memory: GraphMemory, group: str
) -> None:
    ids = await fill(memory, *TOMATOES)
    await memory.retrieve("tomatoes", session_id="main")
    foreign = f"{group}_b"
    await memory.add("Tomatoes elsewhere", group_id=foreign)
    for reset in (False, True):
        state = await memory.sessions.state("main", reset=reset, group_id=foreign)
        assert (state.total_tokens, state.loaded, state.history) == (0, [], [])
    theirs = await memory.retrieve("tomatoes", session_id="main", group_id=foreign)
    assert (len(theirs.memories), theirs.changed, theirs.skipped_loaded) == (1, [], [])
    assert {m.memory_id for m in (await memory.sessions.state("main")).loaded} == set(ids)


async def test_calls_at_once_on_one_session_neither_repeat_nor_lose(memory: GraphMemory) -> None:
    ids = await fill(memory, *(f"Tomato note number {n} about water" for n in range(24)))
    got = await asyncio.gather(
        *(memory.retrieve("tomatoes", session_id="busy", max_tokens=40) for _ in range(6))
    )
    delivered = [given.memory.memory_id for answer in got for given in answer.memories]
    assert len(delivered) == len(set(delivered)) > 6
    state = await memory.sessions.state("busy")
    assert {m.memory_id for m in state.loaded} == set(delivered) <= set(ids)
    assert state.total_tokens == sum(answer.tokens_used for answer in got)
    assert len(state.history) == 6


async def test_unused_sessions_are_forgotten(memory: GraphMemory, clock: Clock, group: str) -> None:
    await fill(memory, *TOMATOES)
    await memory.retrieve("tomatoes", session_id="old")
    clock.advance(days=29)
    await memory.retrieve("tomatoes", session_id="young")
    assert (await memory.retrieve("tomatoes", session_id="old")).memories == []
    clock.advance(days=30, seconds=1)
    # Even before a run has deleted them.
    again = await memory.retrieve("tomatoes", session_id="young")
    assert len(again.memories) == 6
    before = clock.now - timedelta(days=30)
    expire = session_store.expire
    assert await expire(memory.context.graph, group_id=f"{group}x", before=clock.now) == 0
    assert await expire(memory.context.graph, group_id=group, before=before) == 1
    assert (await memory.sessions.state("old")).loaded == []
    assert len((await memory.sessions.state("young")).loaded) == 6


async def test_a_long_session_loses_and_gains_memories_alike_on_every_replica(
    memory: GraphMemory,
) -> None:
    """What differs from its stored lists is stored beside them, until that is much."""
    ids = await fill(memory, *TOMATOES)
    other = replica(memory)
    erased = {f"erased {n}": LoadRecord(0, "0" * 16) for n in range(1200)}
    await memory.context.session_store.write(
        memory.context.scope(None), Session("long", loaded=erased)
    )
    latest_first = [*erased][::-1]
    for n in range(25):
        got = await (memory, other)[n // 2 % 2].retrieve("tomatoes", session_id="long")
        dropped = 50 * (n + 1)
        assert [change.memory_id for change in got.changed] == latest_first[50 * n : dropped]
        states = [await each.sessions.state("long") for each in (memory, other)]
        assert states[0] == states[1]
        shown = [loaded.memory_id for loaded in states[0].loaded]
        assert shown[:-6] == latest_first[dropped:][::-1]
        assert set(shown[-6:]) == set(ids)


async def test_a_session_that_an_earlier_version_stored_continues(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    ids = await fill(memory, *TOMATOES)
    await driver.execute_query(
        "MATCH (m:Memory {group_id: $group}) WITH m ORDER BY m.uuid "
        "WITH collect(m.uuid) AS ids, collect(left(m.content_hash, 16)) AS versions "
        "CREATE (:Session {session_id: $group + '|old', group_id: $group, revision: 'r', "
        "total_tokens: 70, loaded_ids: ids, loaded_positions: [0, 10, 20, 30, 40, 50], "
        "loaded_versions: versions, history: [], updated_at: $now})",
        group=group,
        now=instant(memory.context.clock()),
    )
    await memory.update(ids[0], content="Tomato variety number 0 ripens in July")
    got = await memory.retrieve("tomatoes", session_id="old")
    assert statuses(got) == {ids[0]: "changed"}
    assert set(got.skipped_loaded) == set(ids[1:])
    state = await memory.sessions.state("old")
    assert [loaded.memory_id for loaded in state.loaded] == [*sorted(set(ids) - {ids[0]}), ids[0]]
    assert state.total_tokens == 70 + got.tokens_used


TOPICS = {
    "tomatoes": [f"Tomato variety number {n} ripens in August" for n in range(4)],
    "harbour": [f"The harbour crane lifts crate number {n}" for n in range(4)],
    "violin": [f"Violin lesson number {n} was about bowing" for n in range(4)],
}


async def test_stale_memories_that_are_relevant_again_are_refreshed(memory: GraphMemory) -> None:
    """A long conversation alternates between three topics; the goal of 90 % is exceeded."""
    topics = {name: set(await fill(memory, *texts)) for name, texts in TOPICS.items()}
    order = ["tomatoes", "tomatoes", "harbour", "violin", "harbour", "violin"] * 5
    position, due, refreshed, repeated = 0, 0, 0, 0
    for topic in order:
        state = await memory.sessions.state("long")
        position = max(position + 1500, state.total_tokens)
        loaded = {m.memory_id: position - m.load_token_count for m in state.loaded}
        stale = {id_ for id_ in topics[topic] if loaded.get(id_, 0) > 4096}
        got = await memory.retrieve(topic, session_id="long", conversation_tokens=position)
        due += len(stale)
        refreshed += len(stale & set(got.refreshed))
        repeated += len(given_ids(got) & {id_ for id_, age in loaded.items() if age <= 4096})
    assert due > 30
    assert refreshed / due > 0.9
    assert repeated == 0


@hypothesis_settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["tomatoes", "harbour", "violin", "update", "delete"]),
            st.integers(0, 3000),
            st.integers(10, 200),
        ),
        min_size=3,
        max_size=7,
    )
)
async def test_a_session_agrees_with_a_plain_model_of_it(
    memory: GraphMemory, steps: list[tuple[str, int, int]]
) -> None:
    group = f"{memory.settings.group_id}_{abs(hash(tuple(steps))) % 10**9}"
    texts: dict[str, str] = {}
    for text in (text for topic in TOPICS.values() for text in topic):
        texts[(await memory.add(text, group_id=group)).memory_id] = text
    known: dict[str, tuple[str, int]] = {}
    total = 0
    for n, (what, heard, budget) in enumerate(steps):
        target: Any = next(iter(texts), None)
        if what == "update":
            texts[target] = f"Rewritten at step {n}, about tomatoes and the harbour"
            await memory.update(target, content=texts[target], group_id=group)
            continue
        if what == "delete":
            await memory.delete(target, group_id=group)
            del texts[target]
            continue
        position = max(total, total + heard - 1000)
        got = await memory.retrieve(
            what, session_id="s", conversation_tokens=position, max_tokens=budget, group_id=group
        )
        wrong = {id_ for id_, (text, _) in known.items() if texts.get(id_) != text}
        assert {change.memory_id for change in got.changed} == wrong
        known = {id_: at for id_, at in known.items() if id_ in texts}
        for given_one in got.memories:
            id_, status = given_one.memory.memory_id, given_one.status.value
            text, at = known.get(id_, ("", 0))
            stale = position - at > 4096
            assert texts[id_] == given_one.memory.content
            if id_ not in known:
                assert status == "new"
            elif text != texts[id_]:
                assert status == "changed"
            else:
                assert (status, stale) == ("refreshed", True)
            known[id_] = (texts[id_], position)
        assert got.tokens_used <= budget
        total = position + got.tokens_used
        state = await memory.sessions.state("s", group_id=group)
        assert state.total_tokens == total
        assert {m.memory_id: m.load_token_count for m in state.loaded} == {
            id_: at for id_, (_, at) in known.items()
        }
