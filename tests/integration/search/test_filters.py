"""Filters of searches and lists: by an index, or by comparing all that match, with one result."""

from datetime import timedelta
from typing import Any

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.api.arguments import SortArgument
from graph_memory.memories import filtering
from graph_memory.search import listing
from tests.conftest import TODAY, Clock
from tests.integration.search.test_passages import OTHERS, report

#: Tags that an analyser splits, shortens, drops or keeps.
TAGS = [
    "Money",
    "blue-harbor",
    "blue_harbor",
    "blue harbor and green",
    "the",
    "not",
    "it's",
    "O'Brien",
    "O’Brien",
    "running",
    "a",
    "x7",
    "v1.2.3",
    "42",
    "true",
    "naïve approach",
    "日本語",
    "🦜",
    "+-&|",
    "tags:money",
    "user@example.org",
    "ÜBER",
]

NARROWINGS: tuple[dict[str, Any], ...] = (
    {"memory_types": ["task"]},
    {"tags": ["money", "nothing"]},
    {"tags": ["7"]},
    {"project_id": "p"},
    {"date_from": TODAY + timedelta(hours=1)},
    {"states": ["DORMANT"]},
    {"min_authority": "derived", "tags": ["money"], "project_id": "p"},
    {"as_of": TODAY + timedelta(days=3), "project_id": "p"},
    {"known_at": TODAY + timedelta(days=3), "memory_types": ["task"]},
)


@pytest.fixture(params=[1, 20], ids=["beyond the index", "within the index"])
def searched(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(filtering, "_SEARCHED_PER_CANDIDATE", request.param)
    return request.param


@pytest.mark.parametrize("profile", ["recall", "weighted", "hybrid"])
async def test_a_rare_match_is_found_behind_many_nearer_memories(
    memory: GraphMemory, driver: AsyncDriver, clock: Clock, searched: int, profile: Any
) -> None:
    await memory.add_many([{"content": f"note {n} about green tea"} for n in range(90)])
    clock.advance(days=1)
    rare = await memory.add(
        "an unrelated invoice", memory_type="task", tags=["Money", "7"], project_id="p"
    )
    clock.advance(days=5)
    for filters in NARROWINGS:
        state = "DORMANT" if "states" in filters else "ACTIVE"
        await driver.execute_query(
            "MATCH (m:Memory {uuid: $id}) SET m.lifecycle_state = $state",
            id=rare.memory_id,
            state=state,
        )
        found = await memory.search("green tea", limit=5, profile=profile, counted=False, **filters)
        assert [hit.memory.memory_id for hit in found] == [rare.memory_id], filters


async def test_the_nearest_of_many_matches_are_the_same_by_either_way(
    memory: GraphMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memories = [
        {"content": f"{n} cups of tea for guest {n * n}", "tags": ["odd" if n % 2 else "even"]}
        for n in range(200)
    ]
    await memory.add_many(memories)
    found: list[list[str]] = []
    for each in (1, 20):
        monkeypatch.setattr(filtering, "_SEARCHED_PER_CANDIDATE", each)
        hits = await memory.search("how many cups of tea?", limit=20, tags=["odd"])
        assert all("odd" in hit.memory.tags for hit in hits)
        found.append([hit.memory.memory_id for hit in hits])
    assert len(set(found[0]) & set(found[1])) >= 18  # the index is approximate


async def test_the_passages_of_a_rare_match_are_compared(
    memory: GraphMemory, searched: int
) -> None:
    await memory.add_many([{"content": report(*OTHERS[n : n + 5])} for n in range(0, 30, 2)])
    long = report(*OTHERS[:3], "The passport of the youngest daughter expires next year.")
    rare = await memory.add(long, tags=["rare"])
    (found,) = await memory.search("whose passport expires?", limit=5, tags=["rare"])
    assert found.memory.memory_id == rare.memory_id
    assert found.passage is not None
    assert "passport" in found.passage.text


@pytest.mark.parametrize("few", [0, 4, 10_000], ids=["in order", "if few", "sorted"])
@pytest.mark.parametrize("sort", ["importance", "created_at"])
async def test_each_filter_lists_the_same_by_either_way(
    memory: GraphMemory,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    few: int,
    sort: SortArgument,
) -> None:
    monkeypatch.setattr(listing, "_FEW_MEMORIES", few)
    for n in range(12):
        await memory.add(
            f"note {n}",
            importance=1 + n % 3,
            memory_type="task" if n % 2 else "fact",
            tags=["third"] if n % 3 == 0 else ["other", "third one"],
            project_id="p" if n % 4 == 0 else None,
        )
        clock.advance(hours=6)
    day = timedelta(days=1)
    for filters, expected in (
        ({"memory_types": ["task"]}, range(1, 12, 2)),
        ({"tags": ["Third"]}, range(0, 12, 3)),
        ({"tags": ["third"], "memory_types": ["fact"]}, range(0, 12, 6)),
        ({"project_id": "p"}, range(0, 12, 4)),
        ({"project_id": "p", "tags": ["other"]}, (4, 8)),
        ({"date_from": TODAY + day, "date_to": TODAY + 2 * day}, range(4, 9)),
        ({"date_to": TODAY + day}, range(5)),
        ({"date_from": TODAY + 2 * day, "memory_types": ["task"]}, (9, 11)),
        ({"project_id": "none"}, ()),
    ):
        keys: dict[str, Any] = filters
        page = await memory.list(sort=sort, limit=2, **keys)
        listed = list(page.memories)
        while page.next_cursor:
            page = await memory.list(sort=sort, limit=2, cursor=page.next_cursor, **keys)
            listed += page.memories
        order = sorted(expected, key=lambda n: (-(n % 3) if sort == "importance" else 0, -n))
        assert [m.content for m in listed] == [f"note {n}" for n in order], filters
        assert await memory.count(**keys) == len(order)


@pytest.mark.parametrize("sort", ["importance", "created_at"])
async def test_rare_states_are_found_in_a_common_project(
    memory: GraphMemory, driver: AsyncDriver, monkeypatch: pytest.MonkeyPatch, sort: SortArgument
) -> None:
    monkeypatch.setattr(listing, "_FEW_MEMORIES", 3)
    added = [(await memory.add(f"note {n}", project_id="p")).memory_id for n in range(8)]
    await driver.execute_query(
        "MATCH (m:Memory WHERE m.uuid IN $ids) SET m.lifecycle_state = 'EXPIRED'", ids=added[:2]
    )
    for states, expected in ((["EXPIRED"], added[:2]), (["EXPIRED", "ACTIVE"], added)):
        given: dict[str, Any] = {"states": states, "project_id": "p", "sort": sort}
        assert {m.memory_id for m in (await memory.list(**given)).memories} == set(expected)


async def test_each_tag_is_found_whatever_an_analyser_makes_of_it(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    contents = {tag: f"this memory has tag number {n}" for n, tag in enumerate(TAGS)}
    await memory.add_many([{"content": contents[tag], "tags": [tag]} for tag in TAGS])
    for tag in TAGS:
        listed = (await memory.list(tags=[tag])).memories
        assert [m.content for m in listed] == [contents[tag]], tag
        assert await memory.count(tags=[tag.upper()]) == 1, tag
    await driver.execute_query(
        "MATCH (m:Memory {group_id: $group}) WHERE m.content = $content SET m.tags = [42.0, 7.0]",
        group=memory.settings.group_id,
        content=contents["Money"],
    )
    assert await memory.count(tags=["7.0"]) == 1
    assert await memory.count(tags=["true", "blue_harbor"]) == 2
