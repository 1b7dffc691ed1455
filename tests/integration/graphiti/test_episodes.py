"""Episodes: the real graphiti-core on a real database, against a scripted language model."""

import asyncio
import os
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
import pytest_asyncio
from neo4j import AsyncDriver

from graph_memory import Authority, Grant, GraphMemory, Origin, Settings
from graph_memory.api.types import Scope
from graph_memory.errors import (
    InvalidArgumentError,
    LimitExceededError,
    NotFoundError,
    PendingReviewError,
    RejectedBeforeError,
    SettingsError,
)
from graph_memory.graphiti.queue import Job, JobStatus
from tests.conftest import Clock
from tests.integration.conftest import Make
from tests.support.graphiti_script import GraphitiScript
from tests.support.scripted_llm import ScriptedLlm, says, schema_of
from tests.support.stock_graphiti import stock_graphiti

BOB = "Bob works at Acme since 2020."

pytestmark = pytest.mark.usefixtures("imported")


@pytest_asyncio.fixture(autouse=True)
async def alone(driver: AsyncDriver) -> None:
    """Leave no episodes of other tests to readers of all groups."""
    await driver.execute_query("MATCH (job:EpisodeJob) DETACH DELETE job")


async def nodes(driver: AsyncDriver, group: str) -> dict[str, dict[str, Any]]:
    """Return every entity of a group by its name, with its labels."""
    records, _, _ = await driver.execute_query(
        "MATCH (n:Entity {group_id: $group}) RETURN n {.*, labels: labels(n)} AS n", group=group
    )
    return {record["n"]["name"]: record["n"] for record in records}


async def edges(driver: AsyncDriver, group: str) -> list[dict[str, Any]]:
    records, _, _ = await driver.execute_query(
        "MATCH (:Entity)-[r:RELATES_TO {group_id: $group}]->(:Entity) RETURN r {.*} AS r "
        "ORDER BY r.created_at",
        group=group,
    )
    return [record["r"] for record in records]


async def test_an_episode_becomes_entities_and_facts_that_are_memories(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    memory = make()
    told = await memory.episodes.add(BOB, wait=True, source_description="a chat")
    assert (told.status, told.error, told.entities, told.facts) == ("done", None, 2, 1)
    found = await nodes(driver, group)
    assert found.keys() == {"Bob", "Acme"}
    bob = found["Bob"]
    assert set(bob["labels"]) == {"Entity", "Memory"}
    assert (bob["importance"], bob["importance_source"], bob["stability"]) == (8.0, "llm", 2)
    assert (bob["lifecycle_state"], bob["decay_score"], bob["access_count"]) == ("ACTIVE", 0.0, 0)
    assert bob["memory_type"] == "concept"
    assert len(bob["name_embedding"]) == len(bob["embedding"]) == 384
    assert "Bob works at Acme" in bob["content"]
    (fact,) = await edges(driver, group)
    assert (fact["name"], fact["fact"], fact["strength"]) == ("WORKS_AT", "Bob works at Acme", 0.5)
    assert fact["valid_at"].to_native() == datetime(2020, 1, 1, tzinfo=UTC)

    status = await memory.lifecycle.status(bob["uuid"])
    assert status.state == "ACTIVE"
    (first, *_) = await memory.search("Who is employed by Acme?")
    assert first.memory.memory_id in {bob["uuid"], found["Acme"]["uuid"]}
    reached = await memory.relations.traverse(bob["uuid"])
    assert [each.memory_id for each in reached.nodes] == [found["Acme"]["uuid"]]
    assert not {"content", "embedding"} & set(told.__slots__)


async def test_what_was_rejected_is_not_extracted_again_and_the_rest_is(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    memory = make()
    for content in ("Bob works at Acme.", BOB):
        stored = await memory.add(content)
        await memory.lifecycle.reject(stored.memory_id)
    with pytest.raises(RejectedBeforeError):
        await memory.episodes.add(BOB.upper())
    told = await memory.episodes.add(f"Once more: {BOB}", wait=True)
    assert (told.status, told.error, told.facts) == ("done", None, 0)
    assert await edges(driver, group) == []
    found = await nodes(driver, group)
    assert {"Bob", "Acme"} <= found.keys()
    bob = found["Bob"]
    for each in (bob, found["Acme"]):  # Graphiti appends facts to summaries
        assert "works at" not in each["content"] + each["summary"]
    await memory.delete(bob["uuid"], permanent=True)
    told = await memory.episodes.add(f"And again: {BOB}", wait=True)
    assert (told.status, told.error) == ("done", None)
    assert "Bob" not in await nodes(driver, group)


async def test_a_summary_keeps_the_sentences_that_were_not_rejected(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    memory = make()
    stored = await memory.add("Bob works at Acme")
    await memory.lifecycle.reject(stored.memory_id)
    script.facts += [
        ("Bob", "LIKES", "Acme", "Bob likes Acme. Bob works at Acme! He is glad."),
        ("Bob", "KNOWS", "Acme", "Bob knows Dr. Acme"),
    ]
    told = await memory.episodes.add(f"Once more: {BOB}", wait=True)
    assert (told.status, told.error, told.facts) == ("done", None, 2)
    summary = (await nodes(driver, group))["Bob"]["summary"]
    assert set(summary.split("\n")) == {"Bob likes Acme. He is glad.", "Bob knows Dr. Acme"}


async def test_a_text_that_is_rejected_while_it_is_queued_is_not_read(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    memory = make()
    queued = await memory.episodes.add(BOB)
    stored = await memory.add(BOB)
    await memory.lifecycle.reject(stored.memory_id, reason="a mistake")
    assert await memory.episodes.process([group]) == 1
    told = await memory.episodes.status(queued.job_id)
    assert told.status == "failed"
    assert told.error is not None
    assert "a mistake" in told.error
    assert {"Bob", "Acme"}.isdisjoint(await nodes(driver, group))
    (tombstone,) = await memory.tombstones.list()
    await memory.tombstones.lift(tombstone.tombstone_id)
    await memory.episodes.retry()
    await memory.episodes.process([group])
    assert (await memory.episodes.status(queued.job_id)).status == "done"
    assert {"Bob", "Acme"} <= (await nodes(driver, group)).keys()


async def test_a_rejected_value_waits_as_an_episode_and_is_not_extracted(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    memory = make()
    await memory.groups.set(single_valued_slots=["works_at"])
    stored = await memory.add("Bob is employed by Acme.")
    await memory.lifecycle.reject(stored.memory_id)
    with pytest.raises(PendingReviewError, match="rejected_before: this value of works_at"):
        await memory.episodes.add(BOB)
    hidden = f"I heard this: {BOB}"  # the rules do not find the value here, and Graphiti does
    told = await memory.episodes.add(hidden, wait=True)
    assert (told.status, told.error, told.facts) == ("done", None, 0)
    assert await edges(driver, group) == []
    found = await nodes(driver, group)
    assert {"Bob", "Acme"} <= found.keys()
    assert "works at" not in found["Bob"]["content"]
    (waiting,) = (await memory.pending.list()).writes
    assert (await memory.pending.accept()).done == [waiting.pending_id]
    await memory.episodes.process()
    assert [each["fact"] for each in await edges(driver, group)] == ["Bob works at Acme"]
    assert "works at Acme" in (await nodes(driver, group))["Bob"]["content"]


async def test_a_mention_counts_as_an_access_and_wakes(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    memory = make()
    await memory.episodes.add(BOB, wait=True)
    await driver.execute_query(
        "MATCH (n:Entity {group_id: $group}) SET n.lifecycle_state = 'DORMANT'", group=group
    )
    await memory.episodes.add("Bob still works at Acme.", wait=True)
    await memory.context.accesses.flush()
    found = await nodes(driver, group)
    assert {(n["lifecycle_state"], n["access_count"]) for n in found.values()} == {("ACTIVE", 1)}
    (fact,) = await edges(driver, group)  # verbatim the same, so it is one fact of two episodes
    assert len(fact["episodes"]) == 2


#: What happens to an entity and a fact while the language model thinks.
CHANGED = {"access_count": 50, "lifecycle_state": "ARCHIVED", "decay_score": 0.7, "importance": 9.5}


async def race(driver: AsyncDriver, group: str) -> None:
    await driver.execute_query(
        "MATCH (n:Entity {group_id: $group}) SET n.access_count = $c.access_count, "
        "n.lifecycle_state = $c.lifecycle_state, n.decay_score = $c.decay_score, "
        "n.importance = $c.importance, n.obsolete_reason = 'new' "
        "WITH n MATCH (n)-[r:RELATES_TO]->() SET r.strength = 0.99, r.expired_at = datetime()",
        group=group,
        c=CHANGED,
    )


def lost(before: dict[str, Any], after: dict[str, Any], fields: set[str]) -> set[str]:
    """Return the names of the fields that have changed."""
    return {name for name in fields if after.get(name) != before.get(name)}


async def seeded(make: Make, driver: AsyncDriver, group: str) -> None:
    await make().episodes.add(BOB, wait=True)
    await driver.execute_query(
        "MATCH (:Entity {group_id: $group})-[r:RELATES_TO]->() SET r.strength = 0.8", group=group
    )


@pytest.mark.parametrize("duplicate", [True, False])
async def test_what_happens_while_the_model_thinks_stays(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str, duplicate: bool
) -> None:
    await seeded(make, driver, group)
    script.facts = [("Bob", "WORKS_AT", "Acme", "Bob is an employee of Acme")]
    script.duplicates = [0] if duplicate else []
    script.meanwhile = lambda: race(driver, group)
    memory = make()
    told = await memory.episodes.add("Bob is an employee of Acme.", wait=True)
    await memory.context.accesses.flush()
    assert told.status == "done", told.error
    found = await nodes(driver, group)
    for node in found.values():
        # A mention is an access: it comes on top of what happened, and wakes.
        assert (node["access_count"], node["importance"]) == (51, 9.5)
        assert node["obsolete_reason"] == "new"
    (old, *new) = await edges(driver, group)
    assert (old["strength"], old["expired_at"] is not None) == (0.99, True)
    assert len(new) == (0 if duplicate else 1)


async def test_graphiti_by_itself_loses_it(
    make: Make,
    script: GraphitiScript,
    llm: ScriptedLlm,
    driver: AsyncDriver,
    settings: Settings,
    group: str,
) -> None:
    """The reason for the hooks; if this fails, Graphiti may have learnt to merge."""
    await seeded(make, driver, group)
    before = await nodes(driver, group)
    script.facts = [("Bob", "WORKS_AT", "Acme", "Bob is an employee of Acme")]
    script.duplicates = [0]
    script.meanwhile = lambda: race(driver, group)
    await stock_episode(make(), settings, "Bob is an employee of Acme.", group)
    after = await nodes(driver, group)
    for name, node in after.items():
        assert lost(before[name], node, set(CHANGED)) == set()  # reverted, all four
        assert "obsolete_reason" not in node
    (fact,) = await edges(driver, group)
    assert "strength" not in fact


async def stock_episode(
    memory: GraphMemory, settings: Settings, text: str, group: str, **more: Any
) -> None:
    """Read an episode with Graphiti's own driver."""
    async with stock_graphiti(memory, settings) as graphiti:
        await graphiti.add_episode(
            name="stock",
            episode_body=text,
            source_description="",
            group_id=group,
            reference_time=datetime.now(UTC),
            **more,
        )


async def test_a_contradiction_ends_a_fact_and_keeps_its_strength(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    await seeded(make, driver, group)
    script.entities.append("Globex")
    script.facts = [("Bob", "WORKS_AT", "Globex", "Bob works at Globex")]
    script.valid_at, script.contradicted = "2024-01-01T00:00:00Z", [0]
    told = await make().episodes.add("Since 2024 Bob works at Globex.", wait=True)
    assert told.status == "done", told.error
    acme, globex = await edges(driver, group)
    assert acme["invalid_at"].to_native() == datetime(2024, 1, 1, tzinfo=UTC)
    assert (acme["strength"], acme["expired_at"] is not None) == (0.8, True)
    assert (globex["strength"], globex.get("invalid_at")) == (0.5, None)


async def test_entity_types_are_labels_and_tags(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    script.kinds = {"Bob": 1, "Acme": 2}
    types = {"Person": "Somebody", "LegalEntity": "A company"}
    await make().episodes.add(BOB, wait=True, entity_types=types)
    found = await nodes(driver, group)
    assert set(found["Bob"]["labels"]) == {"Entity", "Memory", "Person"}
    assert (found["Bob"]["tags"], found["Acme"]["tags"]) == (["person"], ["legal entity"])


async def test_prompts_hold_nothing_of_ours(
    make: Make, script: GraphitiScript, llm: ScriptedLlm, group: str
) -> None:
    memory = make()
    await memory.episodes.add(BOB, wait=True)
    llm.asked.clear()
    await memory.episodes.add("Bob likes Acme.", wait=True)
    said = str([body["messages"] for body in llm.asked])
    for name in ("lifecycle_state", "access_count", "state_history", "content_hash", "word_vec"):
        assert name not in said


async def test_a_summary_that_changes_is_read_and_embedded_anew(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    memory = make()
    await memory.episodes.add(BOB, wait=True)
    before, known_at = (await nodes(driver, group))["Bob"], datetime.now(UTC)
    script.facts = [("Bob", "LIKES", "Acme", "Bob loves the canteen of Acme")]
    await memory.episodes.add("Bob loves the canteen.", wait=True)
    after = (await nodes(driver, group))["Bob"]
    assert "canteen" in after["content"]
    assert after["content_hash"] != before["content_hash"]
    assert after["embedding"] != before["embedding"]
    assert after["embedding_model"] == before["embedding_model"]
    # The previous text is a version like any other.
    then = await memory.get(before["uuid"], known_at=known_at)
    assert then.content == before["content"]
    history = await memory.lifecycle.history(before["uuid"])
    assert [e.detail for e in history if e.kind == "rewritten"] == [before["content"]]
    mine = await memory.update(after["uuid"], content="Bob is a friend")
    await memory.episodes.add("Bob loves the canteen a lot.", wait=True)
    assert (await memory.get(after["uuid"])).content == mine[0].content


async def test_what_an_episode_holds_has_its_origin_and_the_least_authority(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    memory = make()
    ada = memory.acting_for(Grant("ada/1", Scope.ADMIN, None, Authority.PERSON))
    bot = memory.acting_for(Grant("bot/2", Scope.ADMIN, None, Authority.AGENT))
    first = await ada.episodes.add(BOB, wait=True)
    entity = (await nodes(driver, group))["Bob"]["uuid"]
    by_ada = Origin("Python", "ada/1", Authority.DERIVED, first.job_id)
    assert (await memory.get(entity)).origin == by_ada
    (fact,) = await memory.facts.search("Who works at Acme?")
    (relation,) = await memory.relations.list(entity)
    assert fact.origin == relation.origin == by_ada

    script.facts = [("Bob", "LIKES", "Acme", "Bob loves the canteen of Acme")]
    second = await bot.episodes.add("Bob loves the canteen.", wait=True)
    by_bot = Origin("Python", "bot/2", Authority.DERIVED, second.job_id)
    texts = await memory.lifecycle.origins(entity)
    assert [each.origin for each in texts] == [by_ada, by_bot]
    found = {each.relation_type: each.origin for each in await memory.relations.list(entity)}
    assert found == {"WORKS_AT": by_ada, "LIKES": by_bot}

    dry = await memory.maintenance.revoke_source(token="bot/2", dry_run=True)
    both = {each["uuid"] for each in (await nodes(driver, group)).values()}  # Acme's summary, too
    assert set(dry.memory_ids) == set(dry.rewritten) == both
    assert dry.relations == 1
    of_job = await memory.maintenance.revoke_source(episode_id=second.job_id, dry_run=True)
    assert of_job == dry


async def test_an_episode_queued_by_an_earlier_version_has_an_unknown_authority(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    memory = make()
    told = await memory.episodes.add(BOB)
    await driver.execute_query(
        "MATCH (j:EpisodeJob {job_id: $id}) SET j.origin_way_in = null, j.origin_caller = null, "
        "j.origin_authority = null",
        id=told.job_id,
    )
    mine = await memory.add("Acme makes anvils")
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) SET m.origin_way_in = null, m.origin_authority = null",
        id=mine.memory_id,
    )
    assert await memory.episodes.process([group]) == 1
    bob = await memory.get((await nodes(driver, group))["Bob"]["uuid"])
    assert bob.origin == Origin("episode", "graph-memory", None, told.job_id)
    assert {e.get("origin_authority") for e in await edges(driver, group)} == {None}
    assert await memory.count(min_authority="derived") == 0


async def test_an_episode_that_waited_keeps_the_origin_of_its_text(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    memory = make(review_authorities=(Authority.AGENT,))
    bot = memory.acting_for(Grant("bot/2", Scope.ADMIN, None, Authority.AGENT))
    with pytest.raises(PendingReviewError):
        await bot.episodes.add(BOB)
    ada = memory.acting_for(Grant("ada/1", Scope.ADMIN, None, Authority.PERSON))
    assert len((await ada.pending.accept()).done) == 1
    await memory.episodes.process([group])
    found = {each["origin_caller"] for each in (await nodes(driver, group)).values()}
    assert found == {each["origin_caller"] for each in await edges(driver, group)} == {"bot/2"}


async def test_a_deleted_entity_is_not_found_again(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    memory = make()
    await memory.episodes.add(BOB, wait=True)
    bob = (await nodes(driver, group))["Bob"]
    await memory.delete(bob["uuid"])
    await memory.episodes.add(BOB, wait=True)
    records, _, _ = await driver.execute_query(
        "MATCH (n:Entity {group_id: $group, name: 'Bob'}) RETURN n.lifecycle_state AS state "
        "ORDER BY state",
        group=group,
    )
    assert [record["state"] for record in records] == ["ACTIVE", "SOFT_DELETED"]


async def test_groups_do_not_meet(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    memory = make()
    for tenant in (group, f"{group}_b"):
        await memory.episodes.add(BOB, wait=True, group_id=tenant)
    first, second = await nodes(driver, group), await nodes(driver, f"{group}_b")
    assert first.keys() == second.keys() == {"Bob", "Acme"}
    assert first["Bob"]["uuid"] != second["Bob"]["uuid"]
    assert len(await edges(driver, group)) == len(await edges(driver, f"{group}_b")) == 1


async def test_sagas_and_communities_work(
    make: Make, script: GraphitiScript, llm: ScriptedLlm, driver: AsyncDriver, group: str
) -> None:
    memory = make()
    for text in (BOB, "Bob is still there."):
        told = await memory.episodes.add(text, wait=True, saga="career")
        assert told.status == "done", told.error
    records, _, _ = await driver.execute_query(
        "MATCH (s:Saga {group_id: $group})-[:HAS_EPISODE]->(e:Episodic) "
        "OPTIONAL MATCH (e)-[next:NEXT_EPISODE]->() RETURN count(e) AS e, count(next) AS next",
        group=group,
    )
    assert records[0].data() == {"e": 2, "next": 1}


# The queue


async def test_episodes_are_read_in_their_order(
    make: Make, script: GraphitiScript, llm: ScriptedLlm, driver: AsyncDriver, group: str
) -> None:
    memory = make()
    jobs = [await memory.episodes.add(f"Bob says {number}") for number in range(4)]
    assert {job.status for job in jobs} == {"queued"}
    assert await memory.episodes.process([group]) == 4
    records, _, _ = await driver.execute_query(
        "MATCH (e:Episodic {group_id: $group}) RETURN e.content AS said ORDER BY e.created_at",
        group=group,
    )
    assert [record["said"] for record in records] == [f"Bob says {number}" for number in range(4)]
    listed = await memory.episodes.list()
    assert [job.job_id for job in listed] == [job.job_id for job in reversed(jobs)]
    assert {job.status for job in listed} == {"done"}
    assert await memory.episodes.list(statuses=["failed"]) == []


async def until(memory: GraphMemory, job_id: str, *statuses: str) -> JobStatus:
    """Wait until an episode has one of some statuses."""
    async with asyncio.timeout(60):
        while (told := await memory.episodes.status(job_id)).status not in statuses:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        return told


async def test_the_server_reads_what_is_queued(
    make: Make, script: GraphitiScript, group: str
) -> None:
    memory = make()
    async with memory.episodes.processing():
        job = await memory.episodes.add(BOB)
        told = await until(memory, job.job_id, "done", "failed")
    assert told.status == "done", told.error


async def test_a_killed_reader_leaves_its_episode_to_the_next(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    job = await make().episodes.add(BOB)
    await driver.execute_query(  # as a process that was killed leaves it
        "MATCH (j:EpisodeJob {job_id: $id}) SET j.status = 'running', j.owner = 'gone', "
        "j.attempts = 1, j.lease_until = '2020-01-01T00:00:00.000Z'",
        id=job.job_id,
    )
    memory = make()
    assert await memory.episodes.process([group]) == 1
    told = await memory.episodes.status(job.job_id)
    assert (told.status, told.attempts) == ("done", 2)


async def test_an_episode_that_is_written_is_not_written_again(
    make: Make, script: GraphitiScript, llm: ScriptedLlm, driver: AsyncDriver, group: str
) -> None:
    memory = make()
    job = await memory.episodes.add(BOB, wait=True)
    await driver.execute_query(  # killed between the two
        "MATCH (j:EpisodeJob {job_id: $id}) SET j.status = 'running', j.owner = 'gone', "
        "j.content = 'Bob', j.lease_until = '2020-01-01T00:00:00.000Z'",
        id=job.job_id,
    )
    llm.asked.clear()
    assert await memory.episodes.process([group]) == 1
    assert llm.asked == []
    assert len(await edges(driver, group)) == 1
    assert (await memory.episodes.status(job.job_id)).entities == 2


async def test_a_reader_that_lost_its_episode_writes_nothing(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    memory = make()
    job = await memory.episodes.add(BOB)

    async def steal() -> None:
        await driver.execute_query(
            "MATCH (j:EpisodeJob {job_id: $id}) SET j.owner = 'thief', "
            "j.lease_until = '2100-01-01T00:00:00.000Z'",
            id=job.job_id,
        )

    script.meanwhile = steal
    assert await memory._worker.process([group]) == 0
    assert await nodes(driver, group) == {}
    assert (await memory.episodes.status(job.job_id)).status == "running"


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")  # those of Graphiti
async def test_a_server_that_stops_gives_its_episode_back(
    make: Make, script: GraphitiScript, llm: ScriptedLlm, group: str
) -> None:
    memory = make()
    answer = llm.script
    llm.script = lambda body: time.sleep(1) or answer(body)
    async with memory.episodes.processing():
        job = await memory.episodes.add(BOB)
        await until(memory, job.job_id, "running")
    told = await memory.episodes.status(job.job_id)
    assert (told.status, told.attempts) == ("queued", 0)
    llm.script = answer
    assert await memory.episodes.process([group]) == 1


async def test_an_episode_taken_just_as_the_server_stops_is_given_back(
    make: Make, script: GraphitiScript, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = make()
    claim = memory._worker.jobs.claim

    async def slow(group_id: str) -> Job | None:
        taken = await claim(group_id)
        await asyncio.sleep(0.5)  # an answer on its way, while others see it taken
        return taken

    monkeypatch.setattr(memory._worker.jobs, "claim", slow)
    async with memory.episodes.processing():
        job = await memory.episodes.add(BOB)
        await until(memory, job.job_id, "running")
    told = await memory.episodes.status(job.job_id)
    assert (told.status, told.attempts) == ("queued", 0)


async def test_two_readers_do_not_read_one_episode(
    make: Make, script: GraphitiScript, driver: AsyncDriver, group: str
) -> None:
    one, two = make(), make()
    for number in range(3):
        await one.episodes.add(f"Bob says {number}")
    await asyncio.gather(one.episodes.process([group]), two.episodes.process([group]))
    records, _, _ = await driver.execute_query(
        "MATCH (e:Episodic {group_id: $group}) RETURN count(e) AS written", group=group
    )
    assert records[0]["written"] == 3


# A model that is down, slow or lying


def lying(schema: str, answer: Any) -> Callable[[dict[str, Any]], Any]:
    """Return a script that answers all but one question as it should."""
    honest = GraphitiScript(
        entities=["Bob", "Acme"], facts=[("Bob", "WORKS_AT", "Acme", "Bob works at Acme")]
    )

    def script(body: dict[str, Any]) -> Any:
        if schema_of(body) == schema:
            return answer if isinstance(answer, tuple) else says(answer)
        return says(honest.answer(body))

    return script


@pytest.mark.parametrize(
    ("schema", "answer", "told"),
    [
        ("ExtractedEntities", (503, {"error": "down"}), "503"),
        ("ExtractedEntities", (200, b"<html>"), "JSON"),
        ("ExtractedEntities", "no JSON", "JSON object"),
        ("ExtractedEntities", {}, "extracted_entities"),
        ("ExtractedEntities", {"extracted_entities": [{"name": None}]}, "extracted_entities"),
        ("ExtractedEntities", {"extracted_entities": "x" * 2**21}, "more than"),
        ("ExtractedEdges", (500, {}), "500"),
        ("ExtractedEdges", {"edges": [{"source_entity_name": 1}]}, "edges"),
        ("ExtractedEdges", '{"edges": [' * 10_000, "JSON object"),
    ],
    ids=range(9),
)
async def test_a_bad_model_fails_the_episode_and_nothing_else(
    make: Make,
    llm: ScriptedLlm,
    driver: AsyncDriver,
    group: str,
    schema: str,
    answer: Any,
    told: str,
) -> None:
    memory = make(episode_attempts=2, classification_enabled=False)
    tea = await memory.add("Ada likes tea")
    llm.script = lying(schema, answer)
    job = await memory.episodes.add(BOB, wait=True)
    assert (job.status, job.attempts) == ("failed", 2)
    assert told in str(job.error)
    assert (await nodes(driver, group)).keys() == {"Ada likes tea"}
    assert (await memory.search("tea"))[0].memory.memory_id == tea.memory_id

    GraphitiScript(entities=["Bob", "Acme"]).attach(llm)
    assert await memory.episodes.retry() == [job.job_id]
    assert await memory.episodes.process([group]) == 1
    assert (await memory.episodes.status(job.job_id)).status == "done"


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        ("ExtractedEntities", {"extracted_entities": [{"name": "Bob", "entity_type_id": 99}]}),
        ("ExtractedEntities", {"extracted_entities": []}),
        (
            "ExtractedEntities",
            {
                "extracted_entities": [
                    {"name": f"thing {n}", "entity_type_id": 0} for n in range(60)
                ]
            },
        ),
        (
            "ExtractedEdges",
            {
                "edges": [
                    {
                        "source_entity_name": "X",
                        "target_entity_name": "Y",
                        "relation_type": "R",
                        "fact": "F",
                        "valid_at": "not a date",
                        "episode_indices": [7],
                    }
                ]
            },
        ),
        ("EdgeDuplicate", {"duplicate_facts": [77], "contradicted_facts": [-5]}),
        ("EdgeTimestamps", {"valid_at": "yesterday", "invalid_at": "9999-99-99"}),
        ("Ratings", {"ratings": [{"id": 0, "importance": 99, "stability": -1}]}),
        ("Ratings", (500, {})),
    ],
    ids=range(8),
)
async def test_nonsense_within_the_schema_does_no_harm(
    make: Make, llm: ScriptedLlm, driver: AsyncDriver, group: str, schema: str, answer: Any
) -> None:
    memory = make()
    llm.script = lying("", {})
    await memory.episodes.add(BOB, wait=True)
    llm.script = lying(schema, answer)
    job = await memory.episodes.add("Bob is employed at Acme.", wait=True)
    assert job.status == "done", job.error
    for node in (await nodes(driver, group)).values():
        assert 1 <= node["importance"] <= 10
        assert 1 <= node["stability"] <= 5
        assert node["lifecycle_state"] == "ACTIVE"
    assert await memory.search("Bob")


async def test_a_model_that_is_not_there_fails_it_with_the_reason(
    make: Make, driver: AsyncDriver, group: str
) -> None:
    memory = make(llm_url="http://127.0.0.1:9/v1", episode_attempts=2)
    job = await memory.episodes.add(BOB, wait=True)
    assert (job.status, job.attempts) == ("failed", 2)
    assert "does not answer" in str(job.error)


async def test_a_slow_model_is_given_up(make: Make, llm: ScriptedLlm) -> None:
    memory = make(llm_timeout_seconds=0.2, episode_attempts=1)
    llm.script = lambda body: time.sleep(1) or says({})
    job = await memory.episodes.add(BOB, wait=True)
    assert job.status == "failed"
    assert "within 0.2 s" in str(job.error)
    late = make(episode_timeout_seconds=0.3, episode_attempts=1)
    job = await late.episodes.add(BOB, wait=True)
    assert (job.status, job.error) == ("failed", "Reading took longer than 0.3 s.")


async def test_a_wait_ends_and_the_reading_goes_on(
    make: Make, script: GraphitiScript, llm: ScriptedLlm
) -> None:
    memory = make(episode_wait_seconds=1)
    answer, may_answer = llm.script, threading.Event()

    def late(body: Any) -> Any:
        may_answer.wait(60)
        return answer(body)

    llm.script = late
    job = await memory.episodes.add(BOB, wait=True)
    assert job.status == "running"
    may_answer.set()
    assert (await until(memory, job.job_id, "done", "failed")).status == "done"


async def test_a_breaker_spares_the_model_and_the_attempts(make: Make, llm: ScriptedLlm) -> None:
    memory = make(llm_breaker_failures=1, llm_breaker_seconds=2.0, episode_attempts=5)
    llm.script = lambda body: (500, {})
    job = await memory.episodes.add(BOB)
    await memory._worker.process([memory.settings.group_id])
    await memory._worker.process([memory.settings.group_id])
    assert len(llm.asked) == 1
    told = await memory.episodes.status(job.job_id)
    assert (told.status, told.attempts) == ("queued", 1)
    GraphitiScript(entities=["Bob"]).attach(llm)
    assert await memory.episodes.process([memory.settings.group_id]) == 1
    assert (await memory.episodes.status(job.job_id)).status == "done"


# What is refused


async def test_what_cannot_be_read_is_refused(make: Make, memory: GraphMemory) -> None:
    reader = make(episode_max_characters=100, episode_wait_characters=10)
    with pytest.raises(SettingsError, match="LLM_URL"):
        await memory.episodes.add(BOB)
    with pytest.raises(LimitExceededError):
        await reader.episodes.add("x" * 101)
    wrongs: tuple[dict[str, Any], ...] = (
        {"content": " "},
        {"content": BOB, "wait": True},
        {"content": "{", "source": "json"},
        {"content": BOB, "source": "speech"},
        {"content": BOB, "entity_types": {"Memory": "ours"}},
        {"content": BOB, "entity_types": {"a-b": "no label"}},
        {"content": BOB, "entity_types": {"A) DETACH DELETE n //": ""}},
        {"content": BOB, "reference_time": "tomorrow"},
        {"content": BOB, "colour": "green"},
        {"content": BOB, "group_id": "a-b"},
    )
    for wrong in wrongs:
        with pytest.raises(InvalidArgumentError):
            await reader.episodes.add(**wrong)
    with pytest.raises(NotFoundError):
        await reader.episodes.status("nowhere")
    job = await make().episodes.add(BOB)
    with pytest.raises(NotFoundError):
        await reader.episodes.status(job.job_id, group_id="another")


def test_telemetry_is_off_unless_asked_for() -> None:
    assert os.environ["GRAPHITI_TELEMETRY_ENABLED"] == "false"
