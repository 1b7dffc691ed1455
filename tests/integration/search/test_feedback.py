"""Feedback and use teach the weights of a group, in runs; off by default, with undo and reset."""

import asyncio
import json
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.domain.models import FoundMemory
from graph_memory.errors import NotFoundError
from graph_memory.search import feedback
from tests.conftest import Clock
from tests.integration.maintenance.test_run import other, run
from tests.support.dump import dump

TOPICS = [
    "rain",
    "harbour",
    "pepper",
    "violin",
    "candle",
    "ladder",
    "saddle",
    "thunder",
    "marble",
    "ribbon",
    "orchard",
    "lantern",
    "compass",
    "blanket",
    "whistle",
    "kettle",
    "anchor",
    "feather",
    "tunnel",
    "garlic",
    "mirror",
    "bridge",
    "pillow",
    "rocket",
]

_CONTROLS = """
MATCH (c:Control) WHERE c.key IN ['feedback|' + $group, 'weights|' + $group]
OPTIONAL MATCH (c)-[:HAS_LESSON]->(l:Lesson)
RETURN c {.*} AS control, l {.*} AS lesson ORDER BY c.key, l.question
"""


def asking(topic: str) -> str:
    return f"why did Ada praise the {topic} so much"


@pytest.fixture
def learning(memory: GraphMemory) -> GraphMemory:
    """The same service with learned weights on."""
    return other(memory, learn=("weights",))


async def remember(memory: GraphMemory) -> dict[str, str]:
    """Store a statement and a question on each topic; return the ids of the questions.

    The ranking takes the statement for the better answer. The users of this group do not.
    """
    texts = [
        text
        for topic in TOPICS
        for text in (
            f"Ada did praise the {topic}.",
            f"Why did Ada ever praise the {topic} so very much?",
        )
    ]
    stored = await memory.add_many([{"content": text} for text in texts])
    ids = [outcome.memory_id or "" for outcome in stored]
    return dict(zip(TOPICS, ids[1::2], strict=True))


async def judge(memory: GraphMemory, asked: dict[str, str]) -> None:
    for topic, memory_id in asked.items():
        learned = await memory.feedback.add(memory_id, True, query=asking(topic))
        assert learned.taught


async def learn(memory: GraphMemory, **options: Any) -> Any:
    return await run(memory, stages=["weights"], **options)


async def state(driver: AsyncDriver, group: str) -> list[Any]:
    """Return all that a group has in the database, with its feedback and weights."""
    records, _, _ = await driver.execute_query(_CONTROLS, group=group)
    found = [*await dump(driver, group), *(record.data() for record in records)]
    return sorted(found, key=lambda each: json.dumps(each, default=str, sort_keys=True))


async def first(memory: GraphMemory, topic: str, **options: Any) -> FoundMemory:
    return (await memory.search(asking(topic), limit=5, **options))[0]


async def share(memory: GraphMemory, asked: dict[str, str]) -> float:
    """Return the share of topics whose first result is the question."""
    found = [(await first(memory, topic)).memory.memory_id for topic in asked]
    return sum(one == id_ for one, id_ in zip(found, asked.values(), strict=True)) / len(asked)


async def test_a_run_learns_the_weights_that_put_useful_memories_first(
    memory: GraphMemory, learning: GraphMemory
) -> None:
    asked = await remember(memory)
    await judge(memory, asked)
    before = await share(memory, asked)
    expected = await learning.maintenance.dry_run(groups=[memory.group(None)], stages=["weights"])
    (shown,) = expected.would_learn
    assert (shown.stage, shown.was, expected.learned) == ("weights", "configured weights", 1)
    assert "recall_form_weight 1.6 > " in shown.becomes
    assert shown.reason.startswith("expected gain +")
    assert (await memory.feedback.read()).gain is None
    report = await learn(learning)
    assert report.weights == [shown]
    learned = await learning.feedback.read()
    assert learned.enabled
    assert (learned.useful, learned.judged_lessons, learned.lessons) == (24, 24, 24)
    assert learned.gain is not None
    assert learned.gain > 0
    form = next(each for each in learned.weights if each.setting == "recall_form_weight")
    assert form.learned is not None
    assert form.learned < form.configured == 1.6
    assert await share(learning, asked) > before
    assert await share(memory, asked) == before  # off by default


async def test_use_in_a_conversation_teaches_and_delivery_alone_does_not(
    learning: GraphMemory, clock: Clock
) -> None:
    asked = await remember(learning)
    for topic, memory_id in asked.items():
        session = (await learning.retrieve(asking(topic), max_tokens=200)).session_id
        await learning.context.session_store.flush()
        if topic != TOPICS[0]:
            await learning.touch(memory_id, session_id=session)
    await learning.context.session_store.flush()
    known = await learning.feedback.read()
    assert (known.judged_lessons, known.used_lessons) == (0, 23)
    assert (await learn(learning)).learned == 1
    clock.advance(days=40)
    await run(learning, stages=["sessions"])
    kept = (await learning.feedback.export()).lessons
    useful = {each["question"]: each["useful_ids"] for each in kept}
    assert useful == {asking(topic): [asked[topic]] for topic in TOPICS[1:]}
    assert {each["learned"] for each in kept} == {False}
    assert (await learn(learning)).learned == 0


async def test_nothing_is_kept_of_answers_while_it_is_off(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await remember(memory)
    await memory.retrieve(asking(TOPICS[0]))
    await memory.context.session_store.flush()
    assert not [each for each in await dump(driver, group) if each.get("labels") == ["Lesson"]]


async def test_once_or_ten_times_is_the_same_and_undo_leaves_nothing(
    learning: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    asked = await remember(learning)
    await judge(learning, asked)
    await learning.context.accesses.flush()
    before = await state(driver, group)
    report = await learn(learning)
    once = await state(driver, group)
    assert once != before
    for _ in range(9):
        assert (await learn(learning)).learned == 0
    assert await state(driver, group) == once
    undone = await learning.maintenance.undo(report.run_id)
    assert (undone.unlearned, undone.refused) == (1, 0)
    assert await state(driver, group) == before
    assert (await learning.feedback.read()).gain is None


async def test_a_loss_leads_back_to_the_configured_weights_and_the_report_says_so(
    learning: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    asked = await remember(learning)
    await judge(learning, asked)
    first_run = await learn(learning)
    for topic in TOPICS:  # the group changes its mind
        statement = await first(other(learning, learn=()), topic)
        await learning.feedback.add(asked[topic], False, query=asking(topic))
        await learning.feedback.add(statement.memory.memory_id, True, query=asking(topic))
    report = await learn(learning)
    (change,) = report.weights
    assert change.becomes == "configured weights"
    assert change.was == first_run.weights[0].becomes
    assert "the configured weights are not worse" in change.reason
    assert (await learning.feedback.read()).gain is None
    refused = await learning.maintenance.undo(first_run.run_id)
    assert (refused.unlearned, refused.refused) == (0, 1)
    await learning.maintenance.undo(report.run_id)
    assert (await learning.feedback.read()).gain is not None


async def test_the_canary_is_the_share_of_searches_with_learned_weights(
    learning: GraphMemory, memory: GraphMemory
) -> None:
    asked = await remember(learning)
    await judge(learning, asked)
    assert (await learn(learning, canary_percent=0)).learned == 0
    report = await learn(learning, canary_percent=40)
    assert report.weights[0].becomes.endswith(" for 40 % of the searches")
    assert (await learning.feedback.read()).canary == 40
    assert await share(memory, asked) == 0
    tried = await share(learning, asked)
    assert 0 < tried < 1
    assert await share(learning, asked) == tried


async def test_groups_never_mix(learning: GraphMemory, group: str) -> None:
    theirs = other(learning, group_id=f"{group}_b")
    asked, _ = await remember(learning), await remember(theirs)
    await judge(learning, asked)
    assert (await learn(theirs)).learned == 0
    assert (await learn(learning)).learned == 1
    known = await theirs.feedback.read()
    assert (known.useful, known.judged_lessons, known.gain) == (0, 0, None)
    await theirs.feedback.reset()
    assert (await learning.feedback.read()).gain is not None


async def test_reset_and_deletion_of_the_group_leave_nothing(
    learning: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    asked = await remember(learning)
    await judge(learning, asked)
    await learn(learning)
    reset = await learning.feedback.reset()
    assert (reset.useful, reset.judged_lessons, reset.gain, reset.canary) == (0, 0, None, 0)
    await judge(learning, asked)
    await learn(learning)
    await learning.delete_all(confirm="DELETE ALL", permanent=True)
    left = await state(driver, group)
    assert not [each for each in left if "control" in each or each.get("labels") == ["Lesson"]]


async def test_judgements_without_a_question_or_of_what_was_not_found_are_counted(
    memory: GraphMemory, group: str
) -> None:
    stored = await memory.add("Ada has a kettle.")
    counted = await memory.feedback.add(stored.memory_id, False)
    assert (counted.taught, counted.useful, counted.useless) == (False, 0, 1)
    for useful in (True, False, True):
        learned = await memory.feedback.add(stored.memory_id, useful, query="kettle")
    assert (learned.taught, learned.judged_lessons) == (True, 1)
    assert (learned.useful, learned.useless) == (2, 2)
    assert (await memory.feedback.read(group_id=f"{group}_b")).useful == 0
    with pytest.raises(NotFoundError):
        await memory.feedback.add(stored.memory_id, True, group_id=f"{group}_b")


async def test_judgements_at_once_are_all_taken_in(memory: GraphMemory) -> None:
    stored = await memory.add("Ada has a kettle.")
    await asyncio.gather(
        *(memory.feedback.add(stored.memory_id, True, query="kettle") for _ in range(10))
    )
    learned = await memory.feedback.read()
    assert (learned.useful, learned.judged_lessons) == (10, 1)


async def test_feedback_of_earlier_versions_is_read(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    await driver.execute_query(
        "CREATE (:Control {key: 'feedback|' + $group, lean: 0.25, useful: 3, useless: 1})",
        group=group,
    )
    known = await memory.feedback.read()
    assert (known.useful, known.useless, known.judged_lessons) == (3, 1, 0)
    await memory.feedback.reset()


async def test_damaged_lessons_and_weights_are_left_out(
    learning: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    asked = await remember(learning)
    await judge(learning, asked)
    await learn(learning)
    await driver.execute_query(
        "MATCH (:Control {key: 'feedback|' + $group})-[:HAS_LESSON]->(l:Lesson) "
        "WITH l ORDER BY l.question LIMIT 5 SET l.values = [1.0]",
        group=group,
    )
    report = await learn(learning)
    assert report.weights[0].becomes == "configured weights"
    assert report.weights[0].reason == "19 lessons; 20 are needed"
    await driver.execute_query(
        "CREATE (:Control {key: 'weights|' + $group, learned: '{'})", group=group
    )
    learning.context.weights.clear()
    assert (await first(learning, TOPICS[0])).score > 0
    assert (await learning.feedback.read()).gain is None


async def test_weights_are_kept_in_the_process_for_some_seconds(
    learning: GraphMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search costs no other round trip for them."""
    asked = await remember(learning)
    await judge(learning, asked)
    await learn(learning)
    reads: list[str] = []
    read = feedback.read_weights

    async def counted(graph: Any, group_id: str) -> str | None:
        reads.append(group_id)
        return await read(graph, group_id)

    monkeypatch.setattr(feedback, "read_weights", counted)
    for topic in TOPICS[:5]:
        await first(learning, topic)
    assert len(reads) == 1
    json.dumps((await learning.feedback.export()).lessons)
