"""Runs propose that entities are one, a merge is a relation, and taking it back leaves no trace."""

import random
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.api.types import Proposal, ProposedEntity
from graph_memory.diagnostics.verify import verify
from graph_memory.domain.models import EntityKind, ProposalKind, ProposalStatus, SearchResults
from graph_memory.errors import InvalidArgumentError
from graph_memory.learning.entities import entity_id
from graph_memory.learning.proposals import NewProposal, propose
from tests.conftest import Clock
from tests.integration.maintenance.test_run import other, run
from tests.support.dump import dump

TEXTS = (
    "They met Alice Smith in Zermatt.",
    "Write to alice.smith@example.org about the violin.",
    "They met Robert Brown, also known as Bob, at the ferry.",
    "Use user_id in the table and userId in the form.",
    "The ferry to the island leaves at seven.",
)


async def learn(memory: GraphMemory, **options: Any) -> Any:
    return await run(memory, stages=["entities", "proposals"], **options)


async def stored(memory: GraphMemory) -> list[str]:
    return [(await memory.add(text)).memory_id for text in TEXTS]


def ends(proposal: Proposal) -> tuple[str, ...]:
    return tuple(sorted((proposal.first.content, proposal.second.content)))


async def proposed(memory: GraphMemory, status: str = "open") -> dict[tuple[str, ...], Proposal]:
    found = await memory.proposals.list(kinds=["same_as"], status=ProposalStatus(status))
    return {ends(each): each for each in found.proposals}


ALICE = ("Alice Smith", "alice.smith@example.org")
BOB = ("Bob", "Robert Brown")
USER = ("userId", "user_id")


async def test_aliases_are_proposed_with_reasons_and_nothing_is_merged(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await stored(memory)
    report = await learn(memory)
    found = await proposed(memory)
    assert set(found) == {ALICE, BOB, USER}
    assert found[ALICE].reason == "the address spells the name"
    assert found[BOB].reason == "a memory states it: 'also known as'"
    assert {each.run_id for each in found.values()} == {report.run_id}
    assert all(isinstance(each.first, ProposedEntity) for each in found.values())
    assert "SAME_AS" not in str(await dump(driver, group))
    once = await dump(driver, group)
    for _ in range(3):
        assert (await learn(memory)).learned == 0
    assert await dump(driver, group) == once


async def test_a_dry_run_shows_aliases_and_the_canary_bounds_them(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await stored(memory)
    await run(memory, stages=["entities"])
    before = await dump(driver, group)
    expected = await memory.maintenance.dry_run(groups=[group], stages=["proposals"])
    assert "same_as of 'alice.smith@example.org' and 'alice smith' (0.90)" in {
        each.becomes.replace(
            "'alice smith' and 'alice.smith@example.org'",
            "'alice.smith@example.org' and 'alice smith'",
        )
        for each in expected.would_learn
    }
    await run(memory, stages=["proposals"], canary_percent=0)
    assert await dump(driver, group) == before
    await run(memory, stages=["proposals"])
    assert len(await proposed(memory)) == 3


async def test_a_merge_is_a_relation_that_undo_and_reopen_take_away(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await stored(memory)
    await learn(memory)
    before = await dump(driver, group)
    rehearsed = await memory.proposals.accept(kinds=["same_as"], dry_run=True)
    assert (rehearsed.decided, await dump(driver, group)) == (3, before)
    decision = await memory.proposals.accept(kinds=["same_as"])
    assert (decision.decided, decision.refused) == (3, 0)
    merged = await dump(driver, group)
    links = [each["properties"] for each in merged if each.get("type") == "SAME_AS"]
    assert {(each["origin_way_in"], each["origin_authority"]) for each in links} == {
        ("Python", "derived")
    }
    assert [each["origin_id"] for each in links] == [decision.run_id] * 3
    undone = await memory.maintenance.undo(decision.run_id or "")
    assert (undone.unlearned, undone.refused) == (3, 0)
    assert await dump(driver, group) == before

    await memory.proposals.accept(kinds=["same_as"])
    (alice,) = [v for k, v in (await proposed(memory, "accepted")).items() if k == ALICE]
    rehearsed = await memory.proposals.reopen([alice.proposal_id], dry_run=True)
    assert (rehearsed.status, rehearsed.decided) == ("open", 1)
    opened = await memory.proposals.reopen([alice.proposal_id])
    assert (opened.status, opened.decided, opened.run_id) == ("open", 1, None)
    again = await memory.proposals.reopen([alice.proposal_id])
    assert (again.decided, again.refusals[0].reason) == (0, "it is open already")
    rest = [each.proposal_id for each in (await proposed(memory, "accepted")).values()]
    await memory.proposals.reopen(rest)
    assert await dump(driver, group) == before
    with pytest.raises(InvalidArgumentError, match="no such proposal"):
        await memory.proposals.reopen(["x"])


async def test_a_rejected_alias_is_not_proposed_again(memory: GraphMemory) -> None:
    await stored(memory)
    await learn(memory)
    await memory.proposals.reject([(await proposed(memory))[ALICE].proposal_id])
    await memory.add("Another letter of Alice Smith came.")
    await learn(memory)
    assert set(await proposed(memory)) == {BOB, USER}
    (kept,) = (await proposed(memory, "rejected")).values()
    await memory.proposals.reopen([kept.proposal_id])
    assert set(await proposed(memory)) == {ALICE, BOB, USER}


async def test_a_rejection_holds_when_graphiti_finds_the_entity(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await stored(memory)
    await learn(memory)
    await memory.proposals.reject([(await proposed(memory))[ALICE].proposal_id])
    await driver.execute_query(
        "CREATE (:Entity {uuid: $group + '-alice', group_id: $group, name: 'Alice Smith', "
        "summary: '', created_at: datetime()})",
        group=group,
    )
    await learn(memory)
    assert (await memory.entities.list("alice smith")).entities[0].entity_id == f"{group}-alice"
    assert set(await proposed(memory)) == {BOB, USER}


async def test_the_setting_accepts_aliases_by_score(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await stored(memory)
    before = await dump(driver, group)
    report = await learn(other(memory, proposal_auto_accept={ProposalKind.SAME_AS: 0.95}))
    assert set(await proposed(memory, "accepted")) == {BOB}
    await memory.maintenance.undo(report.run_id)
    assert await dump(driver, group) == before


async def test_undo_of_a_change_of_text_brings_merged_entities_back(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    first, *_ = await stored(memory)
    await learn(memory)
    await memory.proposals.accept(kinds=["same_as"])
    await memory.update(first, content="They met Ada King in Zermatt.")
    before = await dump(driver, group)
    report = await run(memory, stages=["entities"])
    assert set(await proposed(memory, "accepted")) == {BOB, USER}
    assert await verify(memory.context.graph, memory.settings, group) == {}
    await memory.maintenance.undo(report.run_id)
    assert await dump(driver, group) == before
    assert set(await proposed(memory, "accepted")) == {ALICE, BOB, USER}


async def test_aliases_go_with_the_last_memory_of_an_entity(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    first, second, *_ = await stored(memory)
    await learn(memory)
    await memory.proposals.accept(kinds=["same_as"])
    await memory.delete(first)
    assert set(await proposed(memory, "accepted")) == {BOB, USER}
    await memory.lifecycle.recover(first)
    await memory.update(first, content="They met Ada King in Zermatt.")
    await run(memory, stages=["entities"])
    await memory.delete(first, permanent=True)
    left = await dump(driver, group)
    assert "alice smith" not in str(left).lower()
    assert sum(each.get("type") == "SAME_AS" for each in left) == 2
    await memory.delete(second, permanent=True)
    assert await verify(memory.context.graph, memory.settings, group) == {}
    await memory.delete_all(confirm="DELETE ALL", permanent=True)
    assert await dump(driver, group) == []


async def test_undone_runs_leave_the_group_as_it_was_in_any_order(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await stored(memory)
    before = await dump(driver, group)
    entities = await run(memory, stages=["entities"])
    proposals = await run(memory, stages=["proposals"])
    decision = await memory.proposals.accept(kinds=["same_as"])
    for run_id in (entities.run_id, decision.run_id or "", proposals.run_id):
        await memory.maintenance.undo(run_id)
    assert await dump(driver, group) == before


async def test_entities_of_graphiti_take_part_and_stay_as_they_are(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await driver.execute_query(
        "UNWIND ['A. Smith', 'Alice Smith', 'Al'] AS name "
        "CREATE (:Entity {uuid: $group + name, group_id: $group, name: name, summary: '', "
        "created_at: datetime()})",
        group=group,
    )
    await memory.add("They met Alice Smith, also known as Al, in Zermatt.")
    await run(memory, stages=["entities"])
    before = await dump(driver, group)
    report = await run(memory, stages=["proposals"])
    assert set(await proposed(memory)) == {("Al", "Alice Smith")}
    decision = await memory.proposals.accept(kinds=["same_as"])
    assert sum(each.get("type") == "SAME_AS" for each in await dump(driver, group)) == 1
    await memory.maintenance.undo(decision.run_id or "")
    await memory.maintenance.undo(report.run_id)
    assert await dump(driver, group) == before
    await run(memory, stages=["proposals"])
    await memory.proposals.accept(kinds=["same_as"])
    await memory.delete_all(confirm="DELETE ALL", permanent=True)
    left = await dump(driver, group)
    assert {tuple(each["labels"]) for each in left} == {("Entity",)}


async def test_groups_have_aliases_of_their_own(memory: GraphMemory, group: str) -> None:
    twin = f"{group}_b"
    await memory.add(TEXTS[0])
    await memory.add(TEXTS[1], group_id=twin)
    await memory.maintenance.run(groups=[group, twin], stages=["entities", "proposals"])
    assert await proposed(memory) == {}
    assert (await memory.proposals.list(group_id=twin)).total == 0
    await memory.delete_all(confirm="DELETE ALL", permanent=True, group_id=twin)


@pytest.mark.parametrize("seed", [1, 2])
async def test_merges_of_a_hundred_entities_in_random_order_leave_no_trace(
    memory: GraphMemory, driver: AsyncDriver, group: str, seed: int
) -> None:
    chance = random.Random(seed)
    names = [f"Name{chr(65 + i // 10)}{chr(97 + i % 10)}" for i in range(100)]
    many = other(memory, max_batch=100)
    await many.add_many([{"content": f"They met {name} there."} for name in names])
    await run(memory, stages=["entities"])
    ids = [entity_id(group, EntityKind.NAME, name.lower()) for name in names]
    pairs = {(min(pair), max(pair)) for pair in (chance.sample(ids, 2) for _ in range(100))}
    made = [NewProposal(ProposalKind.SAME_AS, *pair, "test", 0.9) for pair in sorted(pairs)]
    scope = memory.context.scope(None)
    assert await propose(memory.context.graph, scope, made) == len(made)
    before, merged = await dump(driver, group), set[str]()
    for _ in range(30):
        chosen = chance.sample([each.proposal_id for each in made], 20)
        fresh = set(chosen) - merged
        step = chance.choice(("merge", "merge and undo", "part"))
        if step == "part":
            assert (await memory.proposals.reopen(chosen)).decided == len(chosen) - len(fresh)
            merged -= set(chosen)
            continue
        decision = await memory.proposals.accept(chosen)
        assert decision.decided == len(fresh)
        if step == "merge":
            merged |= fresh
        elif decision.run_id:
            assert (await memory.maintenance.undo(decision.run_id)).unlearned == len(fresh)
        relations = [each for each in await dump(driver, group) if each.get("type") == "SAME_AS"]
        assert len(relations) == len(merged)
    await memory.proposals.reopen([each.proposal_id for each in made])
    assert await dump(driver, group) == before


async def test_reads_take_merged_entities_for_one(memory: GraphMemory) -> None:
    first, second, third, *_ = await stored(memory)
    both = (await memory.add("Alice Smith reads alice.smith@example.org daily.")).memory_id
    await learn(memory)
    before = await memory.entities.list()
    await memory.proposals.accept(kinds=["same_as"])
    found = await memory.entities.list()
    assert (found.total, before.total) == (before.total - 3, before.total)
    alice = found.entities[0]
    assert (alice.name, alice.kind, alice.memories) == ("Alice Smith", "name", 3)
    assert [(each.kind, each.name) for each in alice.aliases] == [("mail", ALICE[1])]
    for name in ALICE:
        assert (await memory.entities.list(name)).entities[0].aliases == alice.aliases
    (bob,) = (await memory.entities.list("bob")).entities
    assert {bob.name, *(each.name for each in bob.aliases)} == set(BOB)
    assert [each.memory_id for each in bob.mentions] == [third]
    (one,) = (await memory.entities.list(memory_id=both)).entities
    assert (one.name, one.mentions[0].starts) == ("Alice Smith", [0, 18])
    by_kind = await memory.entities.list(kinds=["mail"])
    assert [each.entity_id for each in by_kind.entities] == [alice.entity_id]
    accepted = (await memory.proposals.list(status="accepted")).proposals
    await memory.delete(first)
    await memory.delete(both)
    (alice,) = (await memory.entities.list(ALICE[0])).entities
    assert [each.memory_id for each in alice.mentions] == [second]
    await memory.proposals.reopen([each.proposal_id for each in accepted])
    assert (await memory.entities.list(ALICE[1])).entities[0].aliases == []


async def test_a_walk_passes_through_entities_and_their_aliases(
    memory: GraphMemory, clock: Clock
) -> None:
    start, mail, *_ = await stored(memory)
    near = (await memory.add("A letter of Alice Smith came.")).memory_id
    await learn(memory)
    assert (await memory.relations.traverse(start)).nodes == []
    walked = await memory.relations.traverse(start, through_entities=True)
    assert {each.memory_id for each in walked.nodes} == {near}
    (edge,) = walked.edges
    assert (edge.relation_type, edge.strength, edge.via) == ("shares_entity", 0.5, "Alice Smith")

    await memory.proposals.accept(kinds=["same_as"])
    walked = await memory.relations.traverse(start, through_entities=True)
    assert {each.memory_id for each in walked.nodes} == {near, mail}
    assert {edge.via for edge in walked.edges} == {"Alice Smith", ALICE[1]}
    assert {round(edge.strength, 3) for edge in walked.edges} == {0.333}
    assert (await memory.relations.traverse(start)).nodes == []
    await memory.relations.add(start, near, "supports", strength=0.9)
    walked = await memory.relations.traverse(start, through_entities=True)
    assert [edge.relation_type for edge in walked.edges] == ["supports", "shares_entity"]
    await memory.delete(mail)
    walked = await memory.relations.traverse(start, through_entities=True)
    assert [each.memory_id for each in walked.nodes] == [near]
    with pytest.raises(InvalidArgumentError, match="present texts"):
        await memory.relations.traverse(start, through_entities=True, known_at=clock())


async def test_a_question_finds_memories_by_the_other_names_of_an_entity(
    memory: GraphMemory,
) -> None:
    await stored(memory)
    fixed = (await memory.add("Robert Brown repaired the engine in May.")).memory_id
    called = (await memory.add("Bob sold the sails to a museum.")).memory_id
    await learn(memory)
    asked = {"What did Bob repair?": fixed, "what was sold by robert brown?": called}
    before = {question: await memory.search(question) for question in asked}
    decision = await memory.proposals.accept(kinds=["same_as"])
    for question, answer in asked.items():
        found = await memory.search(question)
        assert found[0].memory.memory_id == answer
        assert relevance(found, answer) > relevance(before[question], answer)
        assert "mentions" not in (found.known_reason or "")
        retrieved = await memory.retrieve(question, counted=False)
        assert retrieved.memories[0].memory.memory_id == answer
    await memory.maintenance.undo(decision.run_id or "")
    for question, answer in asked.items():
        assert relevance(await memory.search(question), answer) == pytest.approx(
            relevance(before[question], answer), abs=1e-6
        )


def relevance(found: SearchResults, memory_id: str) -> float:
    (hit,) = [each for each in found if each.memory.memory_id == memory_id]
    return hit.relevance or 0.0
