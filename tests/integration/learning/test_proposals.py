"""Runs propose relations, callers decide on them, and each decision can be undone."""

import hashlib
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import Authority, Grant, GraphMemory, Origin
from graph_memory.api.types import ProposedEntity, ProposedMemory, Scope
from graph_memory.diagnostics.verify import verify
from graph_memory.domain.models import ProposalKind
from graph_memory.errors import InvalidArgumentError
from graph_memory.learning.proposals import NewProposal, propose
from tests.conftest import Clock
from tests.integration.maintenance.test_run import other, run
from tests.support.dump import dump

TEXTS = (
    "Ada keeps her violin in the attic of the house in Zermatt.",
    "ada keeps her violin in the attic of the house in zermatt",
    "The violin in the attic of the house in Zermatt belongs to Ada.",
    "The ferry to the island leaves at seven in the morning.",
)


async def stored(memory: GraphMemory, clock: Clock) -> list[str]:
    """Store the texts, a minute apart, and return their ids."""
    ids: list[str] = []
    for text in TEXTS:
        ids.append((await memory.add(text)).memory_id)
        clock.advance(minutes=1)
    return ids


async def learn(memory: GraphMemory, **options: Any) -> Any:
    return await run(memory, stages=["proposals"], **options)


def pairs(found: Any) -> set[tuple[str, str, str]]:
    return {(p.kind, end(p.first), end(p.second)) for p in found.proposals}


def end(of: ProposedMemory | ProposedEntity) -> str:
    return of.memory_id if isinstance(of, ProposedMemory) else of.entity_id


async def test_neighbours_are_proposed_with_reasons_and_not_related(
    memory: GraphMemory, clock: Clock
) -> None:
    first, second, third, _ = await stored(memory, clock)
    report = await learn(memory)
    found = await memory.proposals.list()
    assert pairs(found) == {
        ("duplicate_of", second, first),
        ("relates_to", third, first),
        ("relates_to", third, second),
    }
    assert (report.learned, found.total) == (3, 3)
    assert found.proposals[0].reason.startswith("the same words; cosine 0.")
    assert "cosine" in found.proposals[1].reason
    assert all(0 <= p.score <= 1 and p.run_id == report.run_id for p in found.proposals)
    assert await memory.relations.list(first) == []


async def test_the_rules_of_a_run_hold_once_or_ten_times(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    await stored(memory, clock)
    await learn(memory)
    once = await dump(driver, group)
    for _ in range(3):
        assert (await learn(memory)).learned == 0
    assert await dump(driver, group) == once


async def test_a_usual_run_learns_only_what_the_setting_names(
    memory: GraphMemory, clock: Clock
) -> None:
    await stored(memory, clock)
    assert (await run(memory)).learned == 0
    report = await run(other(memory, learn=("proposals",)))
    assert ("proposals" in report.stages, report.learned) == (True, 3)


async def test_a_dry_run_shows_what_a_run_would_propose(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    _, second, *_ = await stored(memory, clock)
    before = await dump(driver, group)
    expected = await memory.maintenance.dry_run(groups=[group], stages=["proposals"])
    assert await dump(driver, group) == before
    assert (expected.learned, len(expected.would_learn)) == (3, 3)
    assert any(
        c.memory_id == second and c.becomes.startswith("duplicate_of") and "same words" in c.reason
        for c in expected.would_learn
    )
    assert (await learn(memory)).learned == 3


async def test_an_undone_run_leaves_the_group_as_it_was(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    await stored(memory, clock)
    before = await dump(driver, group)
    report = await learn(memory)
    undone = await memory.maintenance.undo(report.run_id)
    assert (undone.restored, undone.refused, undone.unlearned) == (0, 0, 7)
    assert await dump(driver, group) == before
    assert (await learn(memory)).learned == 3


async def test_a_rejected_proposal_is_not_made_again_even_for_a_new_text(
    memory: GraphMemory, clock: Clock
) -> None:
    _, second, *_ = await stored(memory, clock)
    await learn(memory)
    decision = await memory.proposals.reject(kinds=["duplicate_of"])
    assert (decision.decided, decision.status) == (1, "rejected")
    await memory.update(second, content=TEXTS[1] + "!")
    await learn(memory)
    assert "duplicate_of" not in {p.kind for p in (await memory.proposals.list()).proposals}
    (kept,) = (await memory.proposals.list(status="rejected")).proposals
    assert (kept.decided_by, kept.decided_run_id) == ("local", decision.run_id)


async def test_an_accepted_relation_names_its_proposal(memory: GraphMemory, clock: Clock) -> None:
    first, _, third, _ = await stored(memory, clock)
    await learn(memory)
    decision = await memory.proposals.accept(kinds=["relates_to"], min_score=0.5)
    assert (decision.decided, decision.refused) == (2, 0)
    (made,) = await memory.relations.list(first)
    accepted = await memory.proposals.list(status="accepted", kinds=["relates_to"])
    proposal = next(p for p in accepted.proposals if end(p.second) == first)
    assert (made.relation_type, made.from_id, made.to_id) == ("relates_to", third, first)
    assert made.strength == proposal.score
    assert made.metadata == {"proposal_id": proposal.proposal_id, "run_id": decision.run_id}


async def test_accepting_a_duplicate_supersedes_the_older(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    first, second, *_ = await stored(memory, clock)
    await learn(memory)
    before = await dump(driver, group)
    rehearsed = await memory.proposals.accept(kinds=["duplicate_of"], dry_run=True)
    assert (rehearsed.decided, rehearsed.run_id) == (1, None)
    assert await dump(driver, group) == before
    decision = await memory.proposals.accept(kinds=["duplicate_of"])
    old = await memory.get(first, counted=False)
    assert (old.lifecycle_state, old.superseded_by) == ("EXPIRED", second)
    events = [each.detail or "" for each in await memory.lifecycle.history(first)]
    assert any("duplicate_of: the same words" in detail for detail in events)
    undone = await memory.maintenance.undo(decision.run_id or "")
    assert (undone.refused, undone.unlearned) == (0, 1)
    assert await dump(driver, group) == before


async def test_a_proposal_has_the_origin_of_its_stage_and_a_relation_that_of_who_accepts(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    first, *_ = await stored(memory, clock)
    report = await learn(memory)
    proposed = await memory.proposals.list()
    by_run = Origin("stage proposals", "graph-memory", Authority.DERIVED, report.run_id)
    assert {each.origin for each in proposed.proposals} == {by_run}
    before = await dump(driver, group)
    ada = memory.acting_for(Grant("ada/1", Scope.ADMIN, None, Authority.PERSON))
    decision = await ada.proposals.accept(min_score=0.0)
    made = await memory.relations.list(first)
    assert {each.relation_type for each in made} == {"relates_to", "supersedes"}
    by_ada = Origin("Python", "ada/1", Authority.DERIVED, decision.run_id)
    assert {each.origin for each in made} == {by_ada}
    kept = await memory.proposals.list(status="accepted")
    assert {each.origin for each in kept.proposals} == {by_run}
    await memory.maintenance.undo(decision.run_id or "")
    assert await dump(driver, group) == before


async def test_a_proposal_about_a_memory_of_before_has_an_unknown_authority(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    first, second, third, _ = await stored(memory, clock)
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) SET m.origin_way_in = null, m.origin_authority = null",
        id=first,
    )
    await learn(memory)
    proposed = await memory.proposals.list()
    known = {
        (p.kind, end(p.first), end(p.second)): p.origin and p.origin.authority
        for p in proposed.proposals
    }
    assert known == {
        ("duplicate_of", second, first): None,
        ("relates_to", third, first): None,
        ("relates_to", third, second): "derived",
    }
    assert (await memory.proposals.accept(min_score=0.0)).decided == 3
    made = {
        (each.to_id, each.relation_type): each.origin and each.origin.authority
        for memory_id in (first, third)
        for each in await memory.relations.list(memory_id)
    }
    assert made == {
        (first, "relates_to"): None,
        (second, "relates_to"): "derived",
        (first, "supersedes"): None,
    }


async def test_a_proposal_of_before_is_read_and_decided(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    first, *_ = await stored(memory, clock)
    await learn(memory)
    await driver.execute_query(
        "MATCH (p:Proposal {group_id: $group}) SET p.origin_way_in = null, "
        "p.origin_caller = null, p.origin_authority = null, p.origin_id = null",
        group=group,
    )
    proposed = (await memory.proposals.list()).proposals
    assert {each.origin for each in proposed} == {None}
    assert (await memory.proposals.accept(min_score=0.0)).decided == 3
    found = [each.origin for each in await memory.relations.list(first)]
    assert [(each.caller, each.authority) for each in found if each] == [("local", None)] * 2


async def test_a_relation_that_exists_stays_as_it_is_when_its_proposal_is_accepted(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    first, _, third, _ = await stored(memory, clock)
    await learn(memory)
    ada = memory.acting_for(Grant("ada/1", Scope.ADMIN, None, Authority.PERSON))
    await ada.relations.add(third, first, strength=0.3, metadata={"note": "mine"})
    before = await dump(driver, group)
    (own,) = await memory.relations.list(first)
    decision = await memory.proposals.accept(kinds=["relates_to"])
    assert decision.decided == 2
    assert await memory.relations.list(first) == [own]
    assert own.origin == Origin("Python", "ada/1", Authority.PERSON)
    await memory.maintenance.undo(decision.run_id or "")
    assert await dump(driver, group) == before


async def test_a_decision_about_what_was_changed_since_stays(
    memory: GraphMemory, clock: Clock
) -> None:
    first, _, third, _ = await stored(memory, clock)
    report = await learn(memory)
    decision = await memory.proposals.accept(min_score=0.0)
    clock.advance(hours=1)
    await memory.update(first, tags=["changed"])
    await memory.relations.remove(third, first)
    undone = await memory.maintenance.undo(decision.run_id or "")
    assert (undone.unlearned, undone.refused) == (1, 2)
    assert {r.reason for r in undone.refusals} == {"the relation to it was changed since"}
    again = await memory.maintenance.undo(report.run_id)
    assert {"undo run" in r.reason for r in again.refusals} == {True}


async def test_the_setting_accepts_by_kind_and_score(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    first, second, *_ = await stored(memory, clock)
    before = await dump(driver, group)
    configured = other(
        memory, learn=("proposals",), proposal_auto_accept={ProposalKind.DUPLICATE_OF: 0.9}
    )
    report = await learn(configured)
    assert (await memory.get(first, counted=False)).superseded_by == second
    found = await memory.proposals.list(status="accepted")
    assert {p.decided_by for p in found.proposals} == {"setting proposal_auto_accept"}
    await memory.maintenance.undo(report.run_id)
    assert await dump(driver, group) == before


async def test_a_thousand_accepted_proposals_are_undone_whole(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    kinds = list(ProposalKind)
    contents = [{"content": f"Shelf {i} holds the box {i * 7}."} for i in range(1001)]
    many = other(memory, max_batch=1001)
    ids = [each.memory_id or "" for each in await many.add_many(contents)]
    made = [
        NewProposal(kinds[i % 4], ids[i], ids[i + 1], f"reason {i}", 0.5 + i / 2002)
        for i in range(1000)
    ]
    scope = memory.context.scope(None)
    assert await propose(memory.context.graph, scope, made) == 1000
    before = await dump(driver, group)
    decision = await memory.proposals.accept(min_score=0.0)
    assert decision.decided + decision.refused == 1000
    assert decision.decided > 750
    undone = await memory.maintenance.undo(decision.run_id or "")
    assert (undone.unlearned, undone.refused) == (decision.decided, 0)
    assert await dump(driver, group) == before


async def test_a_proposal_goes_with_its_memory(
    memory: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    first, second, third, _ = await stored(memory, clock)
    await learn(memory)
    await memory.delete(first)
    assert pairs(await memory.proposals.list()) == {("relates_to", third, second)}
    await memory.lifecycle.recover(first)
    assert (await memory.proposals.list()).total == 3
    content_hash = hashlib.sha256(TEXTS[0].encode()).hexdigest()
    assert content_hash in str(await dump(driver, group))
    await memory.delete(first, permanent=True)
    assert content_hash not in str(await dump(driver, group))
    assert first not in str([p for p in await dump(driver, group) if "Proposal" in str(p)])
    assert await verify(memory.context.graph, memory.settings, group) == {}
    await memory.delete_all(confirm="DELETE ALL", permanent=True)
    assert await dump(driver, group) == []


async def test_groups_are_compared_apart(memory: GraphMemory, group: str) -> None:
    twin = f"{group}_2"
    await memory.add(TEXTS[0])
    await memory.add(TEXTS[1], group_id=twin)
    report = await memory.maintenance.run(groups=[group, twin], stages=["proposals"])
    assert report.learned == 0
    await memory.delete_all(confirm="DELETE ALL", permanent=True, group_id=twin)


async def test_the_canary_bounds_what_is_compared(memory: GraphMemory, clock: Clock) -> None:
    await stored(memory, clock)
    assert (await learn(memory, canary_percent=0)).learned == 0
    assert (await learn(memory)).learned == 3


async def test_a_decision_must_say_what_it_is_about(memory: GraphMemory) -> None:
    with pytest.raises(InvalidArgumentError, match="min_score"):
        await memory.proposals.accept()
    with pytest.raises(InvalidArgumentError, match="not both"):
        await memory.proposals.reject(["x"], min_score=0.5)
    with pytest.raises(InvalidArgumentError, match="no such proposal"):
        await memory.proposals.accept(["x"])
    assert (await memory.proposals.accept(min_score=0.0)).run_id is None
