"""Times that questions name and that memories mention, and results in the order of time."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.domain.inputs import Filters
from graph_memory.domain.models import Known
from graph_memory.errors import InvalidArgumentError
from graph_memory.ranking.assessment import CERTAIN_RELEVANCE
from graph_memory.ranking.profiles import Profile
from tests.conftest import Clock

#: Contents with their time of creation, not in the order of time.
TRIPS = {
    "Ada flew to Cairo for the congress": "2024-06-11T09:00:00Z",
    "Ada flew to Rome for a wedding": "2024-02-03T09:00:00Z",
    "Ada flew to Oslo to see the fjord": "2024-04-20T09:00:00Z",
}
IN_TIME = ["Rome", "Oslo", "Cairo"]
ORDER = "In which order did Ada fly to Oslo, Rome and Cairo?"


async def fill(memory: GraphMemory, contents: dict[str, str]) -> None:
    await memory.add_many(
        [{"content": content, "created_at": at} for content, at in contents.items()]
    )


def cities(found: Any) -> list[str]:
    return [each.memory.content.split()[3] for each in found]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did I run on 2 May 2024?", "Yesterday I ran a marathon"),
        ("What did I run in the week before 16 April 2024?", "Three days ago I ran a marathon"),
        ("What did I run in summer 2023?", "Last July I ran a marathon"),
    ],
)
async def test_a_question_with_a_date_prefers_what_was_stated_then_or_mentions_it(
    memory: GraphMemory, question: str, expected: str
) -> None:
    await fill(
        memory,
        {
            "I ran a marathon": "2023-09-01",
            "Once I ran a marathon": "2024-01-01",
            "Three days ago I ran a marathon": "2024-04-16",
            "Yesterday I ran a marathon": "2024-05-03",
            "Last July I ran a marathon": "2024-05-20",
        },
    )
    found = await memory.search(question)
    assert found[0].memory.content == expected
    matches = [hit.components["time"] or 0 for hit in found]
    assert matches[0] == max(matches) > min(matches)


async def test_a_question_about_the_time_after_an_event_prefers_that_time(
    memory: GraphMemory,
) -> None:
    await fill(
        memory,
        {
            "Ada visited the museum in Rome": "2024-01-10",
            "Ada ran the marathon of Athens": "2024-05-03",
            "Ada visited the museum in Oslo": "2024-05-09",
        },
    )
    for side, expected in (("after", "Oslo"), ("before", "Rome")):
        found = await memory.search(f"Which museum did Ada visit {side} the marathon of Athens?")
        museums = [hit for hit in found if "museum" in hit.memory.content]
        assert expected in museums[0].memory.content
        assert (museums[0].components["time"], museums[1].components["time"]) == (1, 0)
    neither = await memory.search("Which museum did Ada visit after the coronation of Charles?")
    assert "time" not in neither[0].components


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which museum did Ada visit two weeks after the marathon of Athens?", "Oslo"),
        ("Which museum did Ada visit a month before the marathon of Athens?", "Rome"),
        ("Which museum did Ada visit the day after the marathon of Athens?", "Bern"),
        (
            "What did Ada do between the marathon of Athens and the wedding of her brother, "
            "in which museum?",
            "Bern Oslo",
        ),
    ],
)
async def test_a_question_names_a_time_by_events(
    memory: GraphMemory, question: str, expected: str
) -> None:
    await fill(
        memory,
        {
            "Ada visited the museum in Cairo": "2024-01-10",
            "Ada visited the museum in Rome": "2024-04-02",
            "Ada ran the marathon of Athens": "2024-05-03",
            "Ada visited the museum in Bern": "2024-05-05",
            "Ada visited the museum in Oslo": "2024-05-18",
            "Ada was at the wedding of her brother": "2024-06-20",
            "Ada visited the museum in Kyiv": "2024-07-18",
        },
    )
    found = [hit for hit in await memory.search(question) if "museum" in hit.memory.content]
    fits = {hit.memory.content.split()[-1] for hit in found if hit.components["time"] == 1}
    assert fits == set(expected.split())
    assert found[0].memory.content.split()[-1] in fits


async def test_a_question_for_a_day_finds_what_shares_no_word_with_it(memory: GraphMemory) -> None:
    soup, question = "Boiled carrots for soup", "Who cooked on 3 May 2024?"
    noise = {f"Who cooked is known to office {n}": f"2023-{1 + n % 12:02}-05" for n in range(90)}
    await fill(memory, {**noise, soup: "2024-05-03T18:00:00Z", "Mended a zip": "2024-05-20"})

    async def finds(question: str, filters: Filters | None = None) -> bool:
        found = await memory.search(question, limit=50, filters=filters)
        return soup in {hit.memory.content for hit in found}

    assert not await finds("Who cooked?")
    assert await finds(question)
    assert not await finds(question, Filters(date_to=cast(Any, "2024-05-03T12:00:00Z")))
    assert not await finds(question, Filters(project_id="another"))


@pytest.mark.parametrize("question", ["What happened on 3 May 2024?", "Summarize May 3, 2024"])
async def test_a_question_for_a_whole_period_finds_what_belongs_to_it_first(
    memory: GraphMemory, question: str
) -> None:
    of_that_day = {
        "Boiled carrots for soup": "2024-05-03T08:00:00Z",
        "Mended the zip of a coat": "2024-05-03T21:00:00Z",
        "Yesterday a fuse blew": "2024-05-04T09:00:00Z",
    }
    noise = {f"What happened is known to office {n}": f"2024-05-{4 + n % 20:02}" for n in range(90)}
    await fill(memory, of_that_day | noise)
    found = await memory.search(question)
    assert {hit.memory.content for hit in found[:3]} == set(of_that_day)
    assert found.known is Known.YES
    delivered = (await memory.retrieve(question)).memories
    assert {each.memory.content for each in delivered[:3]} == set(of_that_day)
    nothing = await memory.search(question.replace("2024", "2021"))
    assert nothing.known is not Known.YES


#: Turns of three conversations with their times; their ids have another order.
TALKS = {
    "b": {"Boiled carrots for soup": "2024-05-03T08:00:00Z", "A fuse blew": "2024-05-03T08:01:00Z"},
    "c": {"Mended the zip of a coat": "2024-05-09T21:00:00Z"},
    "a": {"Painted the shed green": "2024-06-01T09:00:00Z", "It rained": "2024-06-01T09:02:00Z"},
}


async def _talk(memory: GraphMemory, clock: Clock) -> None:
    clock.now = datetime(2024, 7, 1, tzinfo=UTC)
    turns = [
        {"content": content, "created_at": at, "conversation_id": talk}
        for talk, contents in TALKS.items()
        for content, at in contents.items()
    ]
    await memory.add_many(turns)
    await fill(memory, {f"A conversation of office {n}": f"2024-04-{1 + n:02}" for n in range(20)})


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did we discuss in our first conversation?", [*TALKS["b"]]),
        ("What happened the second time we talked?", [*TALKS["c"]]),
        ("What did we talk about in the previous chat?", [*TALKS["a"]]),
        ("What has happened since our second conversation?", [*TALKS["a"]]),
    ],
)
async def test_a_question_names_a_conversation_by_its_place(
    memory: GraphMemory, clock: Clock, question: str, expected: list[str]
) -> None:
    await _talk(memory, clock)
    found = await memory.search(question)
    assert {hit.memory.content for hit in found[: len(expected)]} >= {*expected}
    assert found.known is Known.YES


async def test_the_last_conversation_may_be_the_present_one(
    memory: GraphMemory, clock: Clock
) -> None:
    await _talk(memory, clock)
    clock.now = datetime(2024, 6, 1, 9, 30, tzinfo=UTC)
    found = await memory.search("What did we discuss in our last conversation?")
    assert {hit.memory.content for hit in found[:3]} == {*TALKS["a"], *TALKS["c"]}
    clock.now += timedelta(hours=1)
    (first, second, third, *_) = await memory.search("What did we say when we last spoke?")
    assert {first.memory.content, second.memory.content} == {*TALKS["a"]}
    assert third.relevance is not None
    assert third.relevance < CERTAIN_RELEVANCE
    found = await memory.search("What did we discuss in our last chat?", as_of="2024-05-20")
    assert found[0].memory.content in TALKS["c"]


@pytest.mark.parametrize("place", ["our last", "the fourth"])
async def test_the_reason_names_a_conversation_that_is_not_stored(
    memory: GraphMemory, clock: Clock, place: str
) -> None:
    clock.now = datetime(2024, 7, 1, tzinfo=UTC)
    await fill(memory, {"The office got a second kettle": "2024-04-01"})
    found = await memory.search(f"What did we discuss in {place} conversation?")
    assert found.known is not Known.YES
    assert found.known_reason == "The question names a conversation that is not stored."


async def test_a_conversation_whose_last_memory_lost_its_id_is_the_time_of_that_memory(
    memory: GraphMemory, driver: AsyncDriver, group: str, clock: Clock
) -> None:
    await _talk(memory, clock)
    await driver.execute_query(
        "MATCH (m:Memory {group_id: $group, conversation_id: 'c'}) REMOVE m.conversation_id",
        group=group,
    )
    found = await memory.search("What did we discuss in our second conversation?")
    assert found[0].memory.content in TALKS["c"]


async def test_a_question_counts_back_from_as_of(memory: GraphMemory) -> None:
    await fill(memory, {"Ada baked rye bread": "2025-03-04", "Ada baked white bread": "2025-09-08"})
    for as_of, expected in (("2025-03-05", "rye"), ("2025-09-09T10:00:00Z", "white")):
        question = "Which bread did Ada bake yesterday?"
        filters = Filters(as_of=cast(Any, as_of))
        found = await memory.search(question, as_of=as_of)
        assert expected in found[0].memory.content
        retrieved = await memory.retrieve(question, filters=filters)
        assert expected in retrieved.memories[0].memory.content


@pytest.mark.parametrize("profile", list(Profile))
async def test_results_in_the_order_of_time_are_the_best(
    memory: GraphMemory, profile: Profile
) -> None:
    await fill(memory, TRIPS)
    await fill(memory, {"The ferry leaves at seven": "2024-03-01"})
    best = await memory.search("Where did Ada fly?", limit=3, profile=profile)
    timely = await memory.search("Where did Ada fly?", limit=3, profile=profile, sort="time")
    assert cities(timely) == IN_TIME
    assert {hit.memory.memory_id for hit in timely} == {hit.memory.memory_id for hit in best}
    assert timely.known == best.known


async def test_a_retrieval_for_an_order_is_in_the_order_of_time(memory: GraphMemory) -> None:
    await fill(memory, TRIPS)
    assert cities((await memory.retrieve(ORDER)).memories) == IN_TIME
    asked = await memory.retrieve("Where did Ada fly?", sort="time")
    assert cities(asked.memories) == IN_TIME
    scores = [given.score for given in (await memory.retrieve(ORDER, sort="score")).memories]
    assert scores == sorted(scores, reverse=True)


async def test_the_start_of_validity_comes_before_the_time_of_creation(
    memory: GraphMemory,
) -> None:
    await memory.add("Ada lived in Lisbon", valid_at="2019-01-01")
    await memory.add("Ada lived in Porto", valid_at="2011-01-01")
    found = await memory.search("Where did Ada live?", sort="time")
    assert cities(found) == ["Porto", "Lisbon"]


async def test_another_order_is_refused(memory: GraphMemory) -> None:
    for call in (memory.search, memory.retrieve):
        with pytest.raises(InvalidArgumentError) as caught:
            await call("tea", sort=cast(Any, "newest"))
        assert caught.value.argument == "sort"
