"""Long memories that are used often get a brief, which a tight budget has room for."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import combinations
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory, Retrieved, RetrievedMemory
from graph_memory.domain.briefs import Brief
from graph_memory.transfer.import_export import export_lines
from tests.conftest import Clock, locked, some_transaction_waits
from tests.integration.learning.test_killed import learned
from tests.integration.maintenance.test_run import other, run, started
from tests.support.dump import dump
from tests.support.mcp_client import call, inside
from tests.support.mcp_client import text as text_of

BOATS = ("Albatross", "Barnacle", "Cormorant", "Dolphin")

#: A fact of each boat, with questions about it.
FACTS = {
    "The anchor of the {0} weighs {1} kilograms.": (
        "how much does the anchor of the {0} weigh?",
        "weight of the anchor on the {0}",
        "how many kilograms is the {0}'s anchor?",
    ),
    "Diesel for the {0} is bought at pier {1}.": (
        "where is diesel for the {0} bought?",
        "at which pier does the {0} buy diesel?",
        "diesel pier of the {0}",
    ),
}
RARE = "The cook of the {0} keeps {1} lemons."

_FILLER = "Weather, tide and crew were noted, and the log was signed by the watch. "


def manual(boat: str) -> str:
    """Return a text about a boat with two passages and more, each with a fact in its middle."""
    number = BOATS.index(boat) + 11
    facts = [fact.format(boat, number) for fact in (*FACTS, RARE)]
    return "\n\n".join(f"## Part\n{_FILLER * 5}{fact} {_FILLER * 5}".strip() for fact in facts)


def answers(boat: str) -> list[tuple[str, str]]:
    """Return the questions about a boat that are asked often, each with the sentence it wants."""
    number = BOATS.index(boat) + 11
    return [
        (question.format(boat), fact.format(boat, number))
        for fact, questions in FACTS.items()
        for question in questions
    ]


@pytest.fixture
def learning(memory: GraphMemory) -> GraphMemory:
    """The same service with learned briefs on."""
    return other(memory, learn=("briefs",))


async def fleet(memory: GraphMemory, boats: Iterable[str] = BOATS) -> dict[str, str]:
    """Store a manual of each boat; return the ids."""
    return {boat: (await memory.add(manual(boat))).memory_id for boat in boats}


async def ask(memory: GraphMemory, question: str, **options: Any) -> Retrieved:
    return await memory.retrieve(question, counted=False, **options)


async def use(memory: GraphMemory, ids: dict[str, str], *boats: str) -> None:
    """Ask the usual questions in conversations of their own, and read the boat's manual."""
    for boat in boats:
        for question, _ in answers(boat):
            found = await ask(memory, question)
            assert ids[boat] in [each.memory.memory_id for each in found.memories]
            await memory.touch(ids[boat], session_id=found.session_id)
    await memory.context.session_store.flush()


async def learn(memory: GraphMemory, **options: Any) -> Any:
    return await run(memory, stages=["briefs"], **options)


async def brief(memory: GraphMemory, memory_id: str) -> Brief | None:
    return (await memory.get(memory_id, counted=False)).brief


def given(found: Retrieved, memory_id: str) -> RetrievedMemory:
    (one,) = [each for each in found.memories if each.memory.memory_id == memory_id]
    return one


async def test_the_sentences_that_answered_most_become_the_brief(
    learning: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    ids = await fleet(learning)
    await use(learning, ids, "Albatross", "Barnacle")
    assert (await learn(learning)).learned == 2
    found = await brief(learning, ids["Barnacle"])
    assert found is not None
    text = manual("Barnacle")
    assert [part.text for part in found.parts(text)] == [
        "The anchor of the Barnacle weighs 12 kilograms.",
        "Diesel for the Barnacle is bought at pier 12.",
    ]
    assert found.answers == 6
    assert found.parts(text + ".") == ()
    assert await brief(learning, ids["Cormorant"]) is None
    stored = json.dumps(await dump(driver, group), default=str)
    assert "weighs 12 kilograms … Diesel" not in stored


async def test_a_tight_budget_gives_the_brief_and_a_wide_one_the_passage(
    learning: GraphMemory,
) -> None:
    ids = await fleet(learning)
    question, fact = answers("Barnacle")[0]
    await use(learning, ids, *BOATS)
    before = await ask(learning, question, max_tokens=100)
    assert before.memories == []
    await learn(learning)
    tight = await ask(learning, question, max_tokens=100)
    one = given(tight, ids["Barnacle"])
    assert (one.passage, len(one.parts)) == (None, 2)
    assert fact in one.memory.content
    assert one.memory.content.count(" … ") == 1
    assert tight.tokens_used == sum(each.tokens for each in tight.memories) <= 100
    wide = given(await ask(learning, question, max_tokens=2000), ids["Barnacle"])
    assert wide.passage is not None
    assert wide.parts == ()
    assert [e.memory.memory_id for e in await learning.search(question, limit=4)] == [
        e.memory.memory_id for e in (await ask(learning, question, max_tokens=2000)).memories
    ]
    whole = await learning.get(ids["Barnacle"], session_id=tight.session_id)
    assert whole.content == manual("Barnacle")


async def test_a_conversation_gets_a_brief_once_and_then_the_passage(
    learning: GraphMemory,
) -> None:
    ids = await fleet(learning, ["Albatross"])
    question, _ = answers("Albatross")[0]
    await use(learning, ids, "Albatross")
    await learn(learning)
    first = await ask(learning, question, max_tokens=100)
    assert len(given(first, ids["Albatross"]).parts) == 2
    again = await ask(learning, question, max_tokens=100, session_id=first.session_id)
    assert again.memories == []
    wide = await ask(learning, question, max_tokens=1000, session_id=first.session_id)
    assert given(wide, ids["Albatross"]).passage is not None
    rare = await ask(learning, "how many lemons does the cook keep?", max_tokens=100)
    assert rare.memories == []  # the brief has no sentence of the passage that answers


async def test_a_client_sees_that_it_gets_a_brief_and_how_to_get_the_whole(
    learning: GraphMemory,
) -> None:
    ids = await fleet(learning, ["Albatross"])
    question, fact = answers("Albatross")[0]
    await use(learning, ids, "Albatross")
    await learn(learning)
    known = await brief(learning, ids["Albatross"])
    assert known is not None
    spans = [list(span) for span in known.spans]
    async with inside(learning) as client:
        lean = await call(client, "retrieve_memories", query=question, max_tokens=230)
        full = await call(
            client, "retrieve_memories", query=question, max_tokens=230, detail="full"
        )
        told = await client.call_tool("retrieve_memories", {"query": question, "max_tokens": 230})
        whole = await call(client, "get_memory", memory_id=ids["Albatross"], detail="full")
    (one,) = lean["memories"]
    assert one["brief"] == spans
    assert "passage" not in one
    assert "get_memory returns the whole" in lean["hint"]
    assert fact in one["content"]
    assert lean["tokens_used"] <= 230
    assert [[each["start"], each["end"]] for each in full["memories"][0]["brief"]] == spans
    assert f"brief {spans[0][0]}-{spans[0][1]} " in text_of(told)
    assert whole["brief"]["answers"] == 6
    assert f"asked for most: characters {known}." in whole["decay"]["explanation"]
    assert whole["content"] == manual("Albatross")


async def test_what_is_delivered_teaches_nothing_and_neither_does_a_brief(
    learning: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    ids = await fleet(learning, ["Albatross"])
    for question, _ in answers("Albatross"):
        await ask(learning, question)
    await learning.context.session_store.flush()
    assert (await learn(learning)).learned == 0
    await use(learning, ids, "Albatross")
    await learn(learning)
    found = await dump(driver, group)
    for question, _ in answers("Albatross"):
        tight = await ask(learning, question, max_tokens=100)
        await learning.get(ids["Albatross"], session_id=tight.session_id, counted=False)
        await learning.touch(ids["Albatross"], session_id=tight.session_id)
    await learning.context.session_store.flush()
    assert (await learn(learning)).learned == 0
    assert len(await dump(driver, group)) > len(found)


async def test_feedback_with_its_question_teaches(learning: GraphMemory) -> None:
    ids = await fleet(learning)
    for question, _ in answers("Dolphin"):
        await learning.feedback.add(ids["Dolphin"], True, query=question)
        await learning.feedback.add(ids["Albatross"], False, query=question)
    assert (await learn(learning)).learned == 1
    assert await brief(learning, ids["Dolphin"]) is not None
    await learning.feedback.reset()
    assert (await learn(learning)).learned == 1
    assert await brief(learning, ids["Dolphin"]) is None


async def test_a_dry_run_shows_from_and_to_with_the_reason_and_the_canary_bounds(
    learning: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    ids = await fleet(learning)
    await use(learning, ids, "Albatross")
    before = await dump(driver, group)
    expected = await learning.maintenance.dry_run(groups=[group], stages=["briefs"])
    assert expected.learned == 1
    (change,) = expected.would_learn
    assert (change.memory_id, change.was) == (ids["Albatross"], None)
    assert change.reason == "the sentences that 6 used answers asked for most, in characters"
    assert (await learn(learning, canary_percent=0)).learned == 0
    assert await dump(driver, group) == before
    await learn(learning)
    found = await brief(learning, ids["Albatross"])
    assert str(found) == change.becomes


async def test_once_or_ten_times_is_the_same_and_undo_leaves_nothing(
    learning: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    ids = await fleet(learning)
    await use(learning, ids, "Albatross", "Dolphin")
    before = await dump(driver, group)
    report = await learn(learning)
    once = await dump(driver, group)
    for _ in range(9):
        assert (await learn(learning)).learned == 0
    assert await dump(driver, group) == once != before
    undone = await learning.maintenance.undo(report.run_id)
    assert (undone.unlearned, undone.refused) == (2, 0)
    assert await dump(driver, group) == before


async def test_an_earlier_run_is_undone_after_the_later_one(
    learning: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    ids = await fleet(learning)
    await use(learning, ids, "Albatross")
    before = await dump(driver, group)
    first = await learn(learning)
    second = await learn(other(learning, brief_max_tokens=20))
    assert second.learned == 1
    refused = await learning.maintenance.undo(first.run_id)
    assert (refused.refused, refused.unlearned) == (1, 0)
    assert "computed again" in refused.refusals[0].reason
    await learning.maintenance.undo(second.run_id)
    assert (await learning.maintenance.undo(first.run_id)).refused == 0
    assert await dump(driver, group) == before


async def test_a_changed_text_drops_its_brief_and_the_answers_of_before(
    learning: GraphMemory, clock: Clock, driver: AsyncDriver, group: str
) -> None:
    ids = await fleet(learning, ["Albatross"])
    await use(learning, ids, "Albatross")
    report = await learn(learning)
    clock.advance(minutes=1)
    await learning.update(ids["Albatross"], tags=["boat"])
    assert await brief(learning, ids["Albatross"]) is not None
    await learning.update(ids["Albatross"], content=manual("Albatross").replace("11", "17"))
    assert await brief(learning, ids["Albatross"]) is None
    past = await learning.get(ids["Albatross"], known_at=clock.now, counted=False)
    assert past.brief is None
    assert (await learn(learning)).learned == 0
    undone = await learning.maintenance.undo(report.run_id)
    assert (undone.refused, await brief(learning, ids["Albatross"])) == (0, None)
    assert not [n for n in await dump(driver, group) if "LearningChange" in (n.get("labels") or ())]
    clock.advance(minutes=1)
    await use(learning, ids, "Albatross")
    assert (await learn(learning)).learned == 1


async def test_erasure_leaves_nothing(
    learning: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    ids = await fleet(learning)
    await use(learning, ids, "Albatross")
    await learn(learning)
    assert "spans" in json.dumps(await dump(driver, group), default=str)
    receipt = await learning.erasure.erase([ids["Albatross"]])
    assert receipt is not None
    assert "spans" not in json.dumps(await dump(driver, group), default=str)


async def test_an_export_gives_the_text_and_not_the_brief(learning: GraphMemory) -> None:
    ids = await fleet(learning, ["Albatross"])
    await use(learning, ids, "Albatross")
    await learn(learning)
    lines = [json.loads(line) async for line in export_lines(learning)]
    assert [line["content"] for line in lines] == [manual("Albatross")]
    assert "brief" not in lines[0]


async def test_groups_never_mix(learning: GraphMemory, driver: AsyncDriver, group: str) -> None:
    theirs = other(learning, group_id=f"{group}_b")
    ids, their_ids = await fleet(learning, BOATS[:1]), await fleet(theirs, BOATS[:1])
    await use(learning, ids, "Albatross")
    before = await dump(driver, f"{group}_b")
    await learning.maintenance.run(groups=[group, f"{group}_b"], stages=["briefs"])
    assert await brief(learning, ids["Albatross"]) is not None
    assert await brief(theirs, their_ids["Albatross"]) is None
    assert await dump(driver, f"{group}_b") == before
    await theirs.delete_all(confirm="DELETE ALL", permanent=True)


async def test_a_killed_run_is_finished_by_the_next(
    learning: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    memory = other(learning, undo_hold_days=0)
    memory.context.clock = lambda: datetime.now(UTC)  # as the killed process has it
    ids = await fleet(memory)
    await use(memory, ids, *BOATS)
    untouched = await learned(driver, group)
    undisturbed = await run(memory)
    assert undisturbed.learned == len(BOATS)
    expected = await learned(driver, group)
    await memory.maintenance.undo(undisturbed.run_id)
    assert await learned(driver, group) == untouched

    again = {"GRAPH_MEMORY_LEARN": "briefs", "GRAPH_MEMORY_UNDO_HOLD_DAYS": "0"}
    async with locked(driver, ids["Dolphin"]):
        process = await started(memory.settings, group, **again)
        await some_transaction_waits(driver)  # the one that stores the briefs
        process.kill()
        await process.wait()
    report = await run(memory)
    assert (report.completed, len(report.resumed)) == (True, 1)
    assert await learned(driver, group) == expected


async def test_without_the_setting_nothing_is_kept_and_nothing_learned(
    memory: GraphMemory,
) -> None:
    ids = await fleet(memory, ["Albatross"])
    await use(memory, ids, "Albatross")
    assert (await learn(memory)).learned == 0


async def delivered(memory: GraphMemory, asked: dict[str, list[str]]) -> float:
    """Return the share of the sentences asked for that a budget of 300 tokens delivers."""
    told = wanted = 0
    for question, facts in asked.items():
        found = await ask(memory, question, max_tokens=300)
        texts = [each.memory.content for each in found.memories]
        told += sum(any(fact in text for text in texts) for fact in facts)
        wanted += len(facts)
    return told / wanted


async def test_a_tight_budget_delivers_more_of_what_is_asked_and_no_less(
    learning: GraphMemory,
) -> None:
    ids = await fleet(learning)
    await use(learning, ids, *BOATS)
    numbers = dict(zip(BOATS, range(11, 15), strict=True))
    usual = {question: [fact] for boat in BOATS for question, fact in answers(boat)}
    rare = {
        f"how many lemons has the {boat}?": [RARE.format(boat, numbers[boat])] for boat in BOATS
    }
    both = {
        f"which anchor weighs more, that of the {one} or of the {two}?": [
            next(iter(FACTS)).format(boat, numbers[boat]) for boat in (one, two)
        ]
        for one, two in combinations(BOATS, 2)
    }
    before = [await delivered(learning, each) for each in (usual, rare, both)]
    assert (await learn(learning)).learned == len(BOATS)
    after = [await delivered(learning, each) for each in (usual, rare, both)]
    assert (before, after) == ([1.0, 1.0, 0.5], [1.0, 1.0, 1.0])
