"""Searching, listing and access counting, on a real Neo4j with real embeddings."""

import base64
import json
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.api.arguments import ProfileArgument, SortArgument, StateArgument
from graph_memory.domain.timestamps import instant
from graph_memory.errors import InvalidArgumentError
from graph_memory.memories import access
from graph_memory.ranking.profiles import Profile
from tests.conftest import TODAY, Clock, RunFragment, engine_with

FACTS = [
    "Ada drinks green tea every morning before work",
    "The deployment runs on Fridays at noon from the staging branch",
    "Grace broke her left arm while skiing in March",
    "The office Wi-Fi password is kept in the blue notebook",
    "Linus wants the release notes to be written in plain English",
    "The cat is called Schrödinger and hates the vacuum cleaner",
]

LUCENE = '+ - && || ! ( ) { } [ ] ^ " ~ * ? : \\ /'


async def fill(memory: GraphMemory, *contents: str, **details: object) -> list[str]:
    outcomes = await memory.add_many([{"content": content, **details} for content in contents])
    return [outcome.memory_id or "" for outcome in outcomes]


@pytest.mark.parametrize("filters", [{}, {"memory_types": ["general"]}], ids=["all", "filtered"])
async def test_the_widest_search_fits_into_neo4js_memory(
    memory: GraphMemory, filters: dict[str, Any]
) -> None:
    widest = memory.settings.model_copy(update={"recall_candidates": 1000, "recall_pool": 1000})
    wide = GraphMemory.over(
        memory.context.graph, memory.context.embedder, widest, clock=memory.clock
    )
    for start in (0, 600):
        sheds = range(start, start + 600)
        await fill(memory, *(f"Ada keeps the red bicycle in garden shed {n}" for n in sheds))
    found = await wide.search("which shed has Ada's red bicycle, 700?", limit=50, **filters)
    assert "Ada keeps the red bicycle in garden shed 700" in [hit.memory.content for hit in found]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what does Ada like to drink?", 0),
        ("when do we deploy?", 1),
        ("who was injured?", 2),
        ("wireless network credentials", 3),
        ("Schrödinger", 5),
    ],
)
@pytest.mark.parametrize("profile", ["recall", "weighted"])
async def test_the_memory_that_answers_comes_first(
    memory: GraphMemory, question: str, expected: int, profile: ProfileArgument
) -> None:
    await fill(memory, *FACTS)
    found = await memory.search(question, limit=3, profile=profile)
    assert found[0].memory.content == FACTS[expected]
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
    assert all(0 <= hit.score <= 1 for hit in found)


async def test_a_word_finds_its_other_forms(memory: GraphMemory) -> None:
    await fill(memory, *FACTS)
    (best, *_) = await memory.search("deployments ran")
    assert best.memory.content == FACTS[1]
    assert best.components["text"] == 1.0


@pytest.mark.parametrize("gone_through", [1, 100])
async def test_a_memory_with_all_the_words_is_found_among_many_with_one(
    memory: GraphMemory, gone_through: int
) -> None:
    changes = {"recall_hits_per_word": 10, "recall_hits_per_common_word": gone_through}
    settings = memory.settings.model_copy(update=changes)
    brief = GraphMemory.over(
        memory.context.graph, memory.context.embedder, settings, clock=memory.clock
    )
    for word in ("harbour", "crane", "winter"):
        await fill(memory, *(f"A {word}, number {n}" for n in range(40)))
    (both,) = await fill(memory, "In its last winter the crane of the old harbour was taken down")
    for question in ("harbour crane winter", "winter at a harbour: which crane?"):
        (best, *_) = await brief.search(question)
        assert best.memory.memory_id == both
        assert best.components["text"] == 1.0
    await brief.context.accesses.flush()


async def test_an_answer_is_found_by_what_was_asked_and_by_its_sitting(memory: GraphMemory) -> None:
    """It contains no word of the question, and without its conversation it is like any other."""
    told = [
        ("chat", "Ada: How was the road trip to the lighthouse?"),
        ("chat", "Bob: Windy! I'd go again tomorrow."),
        ("work", "Cleo: How is the new printer?"),
        ("work", "Dan: Noisy! I'd return it tomorrow."),
    ]

    async def measured(*, conversations: bool) -> dict[str, dict[str, float | None]]:
        group = f"{memory.settings.group_id}_{conversations}"
        for conversation, content in told:
            await memory.add(
                content, conversation_id=conversation if conversations else None, group_id=group
            )
        hits = await memory.search("How was the trip to the lighthouse?", group_id=group)
        return {hit.memory.content.split(":")[0]: hit.components for hit in hits}

    within = await measured(conversations=True)
    assert [*within][:2] == ["Ada", "Bob"]
    assert [within["Bob"][name] for name in ("text", "late", "sitting")] == [1, 1, 1]
    assert all((within[name]["sitting"] or 0) < 1 for name in ("Cleo", "Dan"))
    alone = await measured(conversations=False)
    assert alone["Bob"]["text"] == 0


async def test_recall_is_the_mean_of_its_components(memory: GraphMemory) -> None:
    await fill(memory, *FACTS)
    short = 140 / (140 + median(len(fact) for fact in FACTS))
    weights = {"semantic": 1, "text": 1, "late": 1.3, "form": 1.6, "sitting": 4 * short}
    for question, more in (("the cat and the tea", 0.0), ("when did Grace break her arm?", 0.5)):
        for hit in await memory.search(question):
            of_each = weights | ({"time": more} if more else {})
            assert hit.components.keys() == of_each.keys()
            parts = [(hit.components[name] or 0, weight) for name, weight in of_each.items()]
            assert all(0 <= value <= 1 for value, _ in parts)
            total = sum(weight for _, weight in parts)
            assert hit.score == pytest.approx(sum(v * weight for v, weight in parts) / total)


WEIGHTED = json.loads((Path(__file__).parents[2] / "data" / "weighted_vectors.json").read_text())


@pytest.mark.parametrize("vector", WEIGHTED)
async def test_the_weighted_profile_is_the_published_formula(
    fragment: RunFragment, vector: dict[str, float | None]
) -> None:
    """0.60·similarity + 0.25·2^(−days/half-life) + 0.15·importance/10, at the table's inputs."""
    created = TODAY - timedelta(days=vector["days"] or 0)
    row = await fragment(
        "fragments/ranking/score_weighted",
        "WITH {created_at: datetime($created)} AS m, $importance AS importance, "
        "$semantic AS similarity",
        importance=vector["importance"],
        created=instant(created),
        semantic=vector["semantic"],
        weights=[0.60, 0.25, 0.15],
        half_life_days=vector["half_life_days"],
        now=instant(TODAY),
    )
    assert row["components"]["recency"] == pytest.approx(vector["recency"], abs=1e-6)
    assert row["components"]["importance"] == pytest.approx(vector["importance_unit"], abs=1e-6)
    assert row["score"] == pytest.approx(vector["score"], abs=1e-6)


@pytest.mark.parametrize("profile", ["weighted", "hybrid"])
async def test_a_decayed_importance_counts_as_its_effective_value(
    memory: GraphMemory, clock: Clock, profile: ProfileArgument
) -> None:
    details = {"importance": 8, "memory_type": "task", "decay_policy": "typed_importance"}
    start = await memory.add("the lamp in the hall is broken", **details)
    near = await memory.add("call the electrician on Monday", **details)
    await memory.relations.add(start.memory_id, near.memory_id)
    clock.advance(days=30)  # the half-life of a task
    # An access stores the decayed importance; it would be counted during the second search.
    found = await memory.search("which lamp is broken?", profile=profile, counted=False)
    given = await memory.retrieve("which lamp is broken?", profile=profile, anchor_count=1)
    assert len(found) == len(given.memories) == 2
    for hit in (*found, *given.memories):
        assert hit.components["importance"] == pytest.approx(0.4)
    assert all(hit.memory.importance == 8 for hit in found)


async def test_the_similarity_is_the_cosine_of_the_vectors(memory: GraphMemory) -> None:
    await fill(memory, *FACTS)
    question = await memory.context.embedder.embed_query("a cat")
    for hit in await memory.search("a cat"):
        (own,) = await memory.context.embedder.embed([hit.memory.content])
        assert hit.similarity == pytest.approx((1 + float(own @ question)) / 2, abs=1e-4)


@pytest.mark.parametrize("profile", ["recall", "weighted", "hybrid"])
@pytest.mark.parametrize("filters", [{}, {"memory_types": ["general"]}], ids=["all", "filtered"])
async def test_a_memory_without_a_vector_fails_no_search_and_hides_nothing(
    memory: GraphMemory, driver: AsyncDriver, profile: ProfileArgument, filters: dict[str, Any]
) -> None:
    (tea,) = await fill(memory, "Ada drinks green tea", conversation_id="tea")
    bare = await fill(memory, *(f"Ada's tin of tea, number {n}" for n in range(60)))
    bare += await fill(memory, "Bob buys it", conversation_id="tea")
    await memory.relations.add(tea, bare[0], "causes")
    await driver.execute_query(
        "MATCH (m:Memory) WHERE m.uuid IN $ids "
        "SET m.embedding = null, m.embedding_model = null "
        "WITH m MATCH (m)-[:HAS_WORDS]->(w) DETACH DELETE w",
        ids=bare,
    )
    question = "which green tea does Ada drink?"
    found = await memory.search(question, limit=50, profile=profile, **filters)
    assert found[0].memory.content == "Ada drinks green tea"
    given = await memory.retrieve(question, profile=profile, **filters)
    assert given.memories[0].memory.content == "Ada drinks green tea"
    if profile == "recall":
        assert {hit.memory.memory_id for hit in found} & set(bare)  # found by their words


async def test_filters_choose_before_the_limit_cuts(memory: GraphMemory, clock: Clock) -> None:
    """The one match of each filter is far from the question, behind many nearer memories."""
    await fill(memory, *(f"tea note number {n} about green tea" for n in range(120)))
    await memory.add("an unrelated invoice", memory_type="task", tags=["Money"], project_id="p")
    clock.advance(days=1)
    await memory.add("yesterday's unrelated newspaper")
    narrowings: tuple[dict[str, Any], ...] = (
        {"memory_types": ["TASK"]},
        {"tags": ["money", "nothing"]},
        {"project_id": "p"},
        {"date_from": TODAY + timedelta(hours=1)},
    )
    for filters in narrowings:
        (hit,) = await memory.search("green tea", limit=5, **filters)
        assert "unrelated" in hit.memory.content
    assert len(await memory.search("green tea", date_to=TODAY, limit=50)) == 50


async def test_states_are_served_as_asked(memory: GraphMemory) -> None:
    ids = await fill(memory, *FACTS)
    await memory.delete(ids[0])
    expired, active = cast(list[Any], ["expired"]), cast(list[Any], ["active"])  # in any case
    assert await memory.search("tea", states=expired) == []
    assert len(await memory.search("tea", states=active)) == len(FACTS) - 1


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("limit", 0),
        ("limit", 51),
        ("limit", "5"),
        ("limit", True),
        ("profile", "magic"),
        ("memory_types", ["rumour"]),
        ("states", ["SLEEPY"]),
        ("date_from", "soon"),
        ("query", " "),
        ("query", "x" * 20_001),
        ("group_id", "a-b"),
        ("group_id", ""),
        ("colour", "red"),
    ],
)
async def test_bad_questions_are_refused_by_name(
    memory: GraphMemory, argument: str, value: object
) -> None:
    given_arguments = {"query": "tea", argument: value}
    with pytest.raises(InvalidArgumentError) as caught:
        await memory.search(**given_arguments)  # type: ignore[arg-type]
    assert caught.value.argument.startswith(argument)


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [("the", "thee"), ("Acme", "acme"), ("cat", "cats"), ("run", "running"), ("a_b", "a")],
)
async def test_groups_that_look_alike_see_nothing_of_each_other(
    memory: GraphMemory, group: str, mine: str, theirs: str
) -> None:
    mine, theirs = f"{group}{mine}", f"{group}{theirs}"
    await memory.add("the cats run at Acme", group_id=mine)
    await memory.add("the cats run at Acme, they say", group_id=theirs)
    for asking in (mine, theirs):
        found = await memory.search("the cats run at Acme", group_id=asking)
        assert {hit.memory.group_id for hit in found} == {asking}
        listed = await memory.list(group_id=asking)
        assert {m.group_id for m in listed.memories} == {asking}


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(min_size=1, max_size=60))
@example(LUCENE)
@example("group_id:other AND group_key:1")
@example(") OR group_key:[* TO *] OR (")
@example("AND OR NOT")
@example('"unbalanced')
@example("/regex.*/ fuzzy~ wild* boost^9")
@example("the")
@example("日本語 🦜 ﷽")
async def test_no_question_breaks_the_search_or_leaves_the_group(
    memory: GraphMemory, question: str
) -> None:
    if (await memory.list()).memories == []:
        await fill(memory, *FACTS)
        await memory.add("a neighbour's secret", group_id=f"{memory.settings.group_id}_neighbour")
    try:
        found = await memory.search(question)
    except InvalidArgumentError:
        assert not question.strip() or any("\ud800" <= char <= "\udfff" for char in question)
        return
    assert {hit.memory.group_id for hit in found} <= {memory.settings.group_id}


async def test_a_list_is_ordered_and_paged_without_gaps_or_repeats(
    memory: GraphMemory, clock: Clock
) -> None:
    for day in range(4):
        await fill(memory, *(f"day {day} note {n}" for n in range(5)), importance=day % 2 + 3)
        clock.advance(days=1)
    for sort in ("importance", "created_at"):
        await check_pages(memory, sort, 20)


async def check_pages(memory: GraphMemory, sort: SortArgument, count: int, **filters: Any) -> None:
    """Check that the pages of a list hold a number of memories, each once and in order."""
    page = await memory.list(sort=sort, limit=3, **filters)
    listed = list(page.memories)
    while page.next_cursor:
        page = await memory.list(sort=sort, limit=3, cursor=page.next_cursor, **filters)
        listed += page.memories
    assert len({m.memory_id for m in listed}) == len(listed) == count
    keys = [(m.importance if sort == "importance" else 0, m.created_at) for m in listed]
    assert keys == sorted(keys, reverse=True)


@pytest.mark.parametrize("sort", ["importance", "created_at"])
async def test_a_list_of_rare_states_is_ordered_and_paged_as_others_are(
    memory: GraphMemory, driver: AsyncDriver, clock: Clock, sort: SortArgument
) -> None:
    for day in range(4):
        ids = await fill(memory, *(f"day {day} note {n}" for n in range(5)), importance=day % 2 + 3)
        await driver.execute_query(
            "MATCH (m:Memory WHERE m.uuid IN $ids) SET m.lifecycle_state = 'EXPIRED'", ids=ids[:2]
        )
        clock.advance(days=1)
    await check_pages(memory, sort, 8, states=["EXPIRED"])
    await check_pages(memory, sort, 20, states=["ACTIVE", "EXPIRED"])
    await check_pages(memory, sort, 12)


@pytest.mark.parametrize("sort", ["importance", "created_at"])
@pytest.mark.parametrize("states", [None, ["DORMANT"]], ids=["active", "dormant"])
async def test_a_list_goes_on_behind_pages_of_damaged_memories(
    memory: GraphMemory,
    driver: AsyncDriver,
    clock: Clock,
    sort: SortArgument,
    states: list[StateArgument] | None,
) -> None:
    sound = await fill(memory, *(f"a sound note {n}" for n in range(3)), importance=3)
    clock.advance(days=1)
    damaged = await fill(memory, *(f"note {n}" for n in range(7)), importance=8)
    await driver.execute_query(
        "MATCH (m:Memory WHERE m.uuid IN $ids) SET m.memory_type = 'rumour', m.importance = 11",
        ids=damaged,
    )
    if states:
        await driver.execute_query(
            "MATCH (m:Memory WHERE m.uuid IN $ids) SET m.lifecycle_state = $state",
            ids=sound + damaged,
            state=states[0],
        )
    page = await memory.list(sort=sort, limit=2, states=states)
    rest = await memory.list(sort=sort, limit=2, states=states, cursor=page.next_cursor)
    assert {m.memory_id for m in (*page.memories, *rest.memories)} == set(sound)
    assert rest.next_cursor is None


async def test_a_list_passes_over_importances_beyond_the_range(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    for importance in (12, 11, 10, 5, 0, -1):
        (damaged,) = await fill(memory, f"a note of importance {importance}", importance=5)
        await driver.execute_query(
            "MATCH (m:Memory {uuid: $id}) SET m.importance = $importance",
            id=damaged,
            importance=importance,
        )
    page = await memory.list(limit=1)
    listed = list(page.memories)
    while page.next_cursor:
        page = await memory.list(limit=1, cursor=page.next_cursor)
        listed += page.memories
    assert [m.importance for m in listed] == [12, 10, 5, 0]
    assert [m.importance for m in (await memory.list()).memories] == [12, 11, 10, 5, 0, -1]


async def test_a_page_is_not_disturbed_by_what_comes_or_goes(memory: GraphMemory) -> None:
    ids = await fill(memory, *(f"note {n}" for n in range(6)))
    first = await memory.list(sort="created_at", limit=3)
    await memory.delete(first.memories[-1].memory_id)
    rest = await memory.list(sort="created_at", limit=3, cursor=first.next_cursor)
    assert {m.memory_id for m in (*first.memories, *rest.memories)} == set(ids)


@pytest.mark.parametrize("sort", ["importance", "created_at"])
async def test_a_list_goes_on_within_a_millisecond_and_among_zones(
    memory: GraphMemory, driver: AsyncDriver, sort: SortArgument
) -> None:
    ids = await fill(memory, *(f"note {n}" for n in range(6)))
    made_at = [
        *(f"2026-05-01T10:00:00.123{n}Z" for n in ("001", "002", "002", "002001")),
        *(f"2026-05-01T12:00:00.123002+02:00{zone}" for zone in ("", "[Europe/Berlin]")),
    ]
    await driver.execute_query(
        "UNWIND range(0, 5) AS i MATCH (m:Memory {uuid: $ids[i]}) "
        "SET m.created_at = datetime($made_at[i])",
        ids=ids,
        made_at=made_at,
    )
    page = await memory.list(sort=sort, limit=1)
    listed = list(page.memories)
    while page.next_cursor:
        page = await memory.list(sort=sort, limit=1, cursor=page.next_cursor)
        listed += page.memories
    assert sorted(m.memory_id for m in listed) == sorted(ids)


@pytest.mark.parametrize(
    "made_at",
    ["2026-05-01T10:00:00Z[Atlantis/Port]", "2026-05-01T10:00:00Z[Europe]", "2026-05-01", "x", 5],
)
async def test_a_cursor_of_no_instant_is_refused(memory: GraphMemory, made_at: object) -> None:
    position = {"sort": "importance", "importance": 5, "created_at": made_at, "id": "x"}
    cursor = base64.urlsafe_b64encode(json.dumps(position).encode()).decode()
    with pytest.raises(InvalidArgumentError, match="cursor"):
        await memory.list(cursor=cursor)


async def test_a_deleted_memory_is_returned_only_for_the_time_before(
    memory: GraphMemory, clock: Clock
) -> None:
    (tea,) = await fill(memory, FACTS[0])
    clock.advance(days=1)
    await memory.delete(tea)
    deleted: dict[str, Any] = {"states": ["soft_deleted"]}
    calls: list[Any] = [
        memory.search("tea", profile=p, **deleted) for p in ("recall", "weighted", "hybrid")
    ]
    calls += [memory.retrieve("tea", profile=p, **deleted) for p in ("recall", "weighted")]
    calls += [memory.list(**deleted), memory.relations.traverse("x", **deleted)]
    calls += [memory.list(**deleted, as_of=TODAY)]
    for call in calls:
        with pytest.raises(InvalidArgumentError, match=r"lifecycle\.recover"):
            await call
    past = {**deleted, "known_at": TODAY}
    for profile in ("recall", "weighted", "hybrid"):
        (hit,) = await memory.search("tea", profile=profile, **past)
        assert hit.memory.memory_id == tea
    (given,) = (await memory.retrieve("tea", **past)).memories
    assert given.memory.memory_id == (await memory.list(**past)).memories[0].memory_id == tea


@pytest.mark.parametrize(
    "cursor", ["", "nonsense", "e30=", "💥", "eyJzb3J0IjogImltcG9ydGFuY2UifQ=="]
)
async def test_a_foreign_cursor_is_refused(memory: GraphMemory, cursor: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        await memory.list(cursor=cursor)
    assert caught.value.argument == "cursor"


async def test_a_cursor_of_another_order_is_refused(memory: GraphMemory) -> None:
    await fill(memory, *FACTS)
    page = await memory.list(limit=1)
    with pytest.raises(InvalidArgumentError, match="sorted by created_at"):
        await memory.list(limit=1, sort="created_at", cursor=page.next_cursor)


async def test_what_was_delivered_counts_as_accessed_and_nothing_else(
    memory: GraphMemory, clock: Clock
) -> None:
    await fill(memory, *FACTS)
    clock.advance(days=3)
    (hit,) = await memory.search("green tea", limit=1)
    await memory.context.accesses.flush()
    page = await memory.list(limit=50)
    counts = {m.content: m.access_count for m in page.memories}
    assert counts[hit.memory.content] == 1
    assert sum(counts.values()) == 1
    await memory.context.accesses.flush()
    touched = await memory.get(hit.memory.memory_id)
    assert touched.access_count == 1
    assert touched.last_accessed_at == TODAY + timedelta(days=3)
    assert touched.updated_at == TODAY


@pytest.mark.parametrize("clocks", [{"as_of": TODAY}, {"known_at": TODAY}], ids=str)
async def test_a_question_about_the_past_counts_no_access(
    memory: GraphMemory, clock: Clock, clocks: dict[str, Any]
) -> None:
    tea, why = await fill(memory, FACTS[0], "Ada lived in Kyoto", valid_at=TODAY)
    await memory.relations.add(tea, why, "caused_by", valid_at=TODAY)
    clock.advance(days=1)
    assert await memory.get(tea, **clocks)
    assert await memory.search("tea", **clocks)
    assert (await memory.list(**clocks)).memories
    assert (await memory.retrieve("tea", **clocks)).memories
    assert (await memory.relations.traverse(tea, **clocks)).nodes
    if "as_of" in clocks:
        assert await memory.facts.search("tea", **clocks)
    await memory.context.accesses.flush()
    assert (await memory.get(tea, counted=False)).access_count == 0


async def test_many_accesses_are_counted_in_parts(
    memory: GraphMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "_BATCH", 2)
    memory.context.engine = engine_with(memory, access_min_relevance=0.0)
    await fill(memory, *FACTS)
    for _ in range(2):
        assert len(await memory.search("tea", limit=len(FACTS))) == len(FACTS)
    await memory.context.accesses.flush()
    page = await memory.list(limit=50)
    assert [m.access_count for m in page.memories] == [2] * len(FACTS)


async def test_an_access_reactivates_a_dormant_memory_but_not_an_expired_one(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    ids = await fill(memory, *FACTS[:4])
    states = ["DORMANT", "ARCHIVED", "EXPIRED", "ACTIVE"]
    await set_states(driver, dict(zip(ids, states, strict=True)))
    for memory_id in ids:
        await memory.touch(memory_id)
    after = {memory_id: await memory.get(memory_id) for memory_id in ids}
    assert [after[i].lifecycle_state for i in ids] == ["ACTIVE", "ACTIVE", "EXPIRED", "ACTIVE"]
    assert [after[i].decay_score for i in ids] == [0.0, 0.0, 0.0, 0.0]
    assert all(m.access_count == 1 for m in after.values())


async def test_an_access_from_the_past_does_not_turn_back_the_clock(
    memory: GraphMemory, clock: Clock
) -> None:
    (memory_id,) = await fill(memory, "tea")
    await memory.touch(memory_id)
    clock.advance(days=-5)
    await memory.touch(memory_id)
    got = await memory.get(memory_id)
    assert (got.access_count, got.last_accessed_at) == (2, TODAY)


async def test_protection_is_explained(memory: GraphMemory) -> None:
    tagged = await memory.add("tagged", tags=["Pinned"])
    permanent = await memory.add("permanent", importance=8, stability=4)
    plain = await memory.add("plain", importance=8, stability=3)
    assert [m.protection for m in (tagged, permanent, plain)] == ["tag", "permanent", None]


async def set_states(driver: AsyncDriver, states: dict[str, str]) -> None:
    """Put memories into states as a maintenance run would."""
    await driver.execute_query(
        "UNWIND $rows AS row MATCH (m:Memory {uuid: row[0]}) "
        "SET m.lifecycle_state = row[1], m.decay_score = 0.8",
        rows=[list(item) for item in states.items()],
    )


async def test_relevance_separates_what_is_known_from_what_is_not(
    memory: GraphMemory, group: str
) -> None:
    await fill(memory, *FACTS)
    known = [(await memory.search(fact, limit=1))[0].relevance or 0 for fact in FACTS]
    unknown = "Which gluon did the lattice of quantum chromodynamics confine?"
    (stranger,) = await memory.search(unknown, limit=1)
    assert min(known) > 0.9
    assert stranger.relevance is not None
    assert stranger.relevance < 0.1 < stranger.score
    weighted = await memory.search(FACTS[0], profile=Profile.WEIGHTED)
    assert {hit.relevance for hit in weighted} == {None}


async def test_relevance_does_not_depend_on_memories_that_have_nothing_to_do_with_it(
    memory: GraphMemory, group: str
) -> None:
    await fill(memory, *FACTS)

    async def relevances() -> dict[str, float]:
        found = await memory.search(FACTS[0], limit=50)
        assert found.known == "yes"
        return {hit.memory.content: hit.relevance or 0 for hit in found}

    before = await relevances()
    await fill(memory, *(f"Invoice {number} was paid in full." for number in range(50)))
    after = await relevances()
    for fact in FACTS:
        assert after.get(fact, before[fact]) == pytest.approx(before[fact], abs=0.05)


async def test_relevance_stays_the_same_while_a_small_group_grows(
    memory: GraphMemory, group: str
) -> None:
    await fill(memory, *(f"Ada drank green tea on day {number}." for number in range(5)))
    question = "Why does Ada like green tea better than oolong?"
    (before,) = await memory.search(question, limit=1)
    await fill(memory, *(f"Invoice {number} was paid in full." for number in range(80)))
    (after,) = await memory.search(question, limit=1)
    assert before.relevance == pytest.approx(after.relevance, abs=0.001)


UNKNOWN = "Which gluon did the lattice of quantum chromodynamics confine?"


async def test_an_answer_shows_whether_anything_is_known(memory: GraphMemory) -> None:
    nothing = await memory.search("tea")
    assert (nothing, nothing.known) == ([], "no")
    assert nothing.known_reason == "This group has no memories."
    await fill(memory, *FACTS)
    known = await memory.search(FACTS[0])
    assert known.known == "yes"
    assert json.loads(json.dumps([hit.score for hit in known])) == [hit.score for hit in known]
    unknown = await memory.search("Who flew from Lisbon to Reykjavik?")
    assert (unknown.known, unknown.left_out) == ("no", 0)
    assert unknown.known_reason == "Nothing found mentions Lisbon or Reykjavik."
    assert len(unknown) == len(FACTS)
    filtered = await memory.search("tea", memory_types=["task"])
    assert (filtered.known, filtered.known_reason) == ("no", "No memory matches the filters.")
    for profile in (Profile.WEIGHTED, Profile.HYBRID):
        other = await memory.search("tea", profile=profile)
        assert (other.known, other.known_reason) == (None, None)


async def test_memories_below_min_relevance_are_left_out_and_counted(memory: GraphMemory) -> None:
    await fill(memory, *FACTS)
    everything = await memory.search(FACTS[0], limit=3)
    found = await memory.search(FACTS[0], limit=3, min_relevance=0.5)
    assert [hit.memory.content for hit in found] == [FACTS[0]]
    assert found.left_out == len(everything) - 1
    assert found.known == everything.known
    one = await memory.search(FACTS[0], limit=1, min_relevance=0.5)
    assert (len(one), one.left_out) == (1, 0)
    assert (await memory.search(UNKNOWN, min_relevance=0.5)).left_out == len(FACTS)
    for wrong in (-0.1, 1.1, float("nan"), "much"):
        with pytest.raises(InvalidArgumentError) as caught:
            await memory.search("tea", min_relevance=cast(Any, wrong))
        assert caught.value.argument == "min_relevance"


async def test_what_is_known_does_not_depend_on_other_groups(
    memory: GraphMemory, group: str
) -> None:
    await fill(memory, *FACTS)
    questions = [FACTS[0], UNKNOWN, "Who flew from Lisbon to Reykjavik?"]

    async def answers() -> list[Any]:
        found = [await memory.search(question) for question in questions]
        return [
            (one.known, one.known_reason, [(hit.memory.content, hit.relevance) for hit in one])
            for one in found
        ]

    before = await answers()
    others = ["Ada flew from Lisbon to Reykjavik", "The lattice confined a gluon", *FACTS]
    other = f"{group}_other"
    await memory.add_many([{"content": content} for content in others], group_id=other)
    assert (await memory.search(questions[2], group_id=other)).known == "yes"
    assert await answers() == before


async def test_a_question_about_something_unknown_keeps_nothing_fresh(
    memory: GraphMemory, clock: Clock
) -> None:
    ids = await fill(memory, *FACTS)
    await memory.relations.add(ids[0], ids[1])
    clock.advance(days=40)

    async def faded() -> float:
        await memory.context.accesses.flush()
        return round((await memory.health()).averages.decay_score or 0, 3)

    before = await faded()
    assert before > 0
    unknown = await memory.retrieve("lattice quantum chromodynamics gluon")
    assert (unknown.memories, unknown.known) == ([], "no")
    await memory.search("lattice quantum chromodynamics gluon")
    await memory.retrieve("lattice quantum chromodynamics gluon", min_relevance=0)
    assert await faded() == before
    given = await memory.retrieve("what does Ada drink in the morning?")
    assert ids[0] in {one.memory.memory_id for one in given.memories}
    assert ids[1] in {one.memory.memory_id for one in given.memories}  # by the relation
    await memory.context.accesses.flush()
    counts = {id_: (await memory.get(id_, counted=False)).access_count for id_ in ids}
    assert counts == dict.fromkeys(ids, 0) | {ids[0]: 1}
    assert await faded() == pytest.approx(before * (len(ids) - 1) / len(ids), abs=0.001)


async def test_a_memory_of_the_time_that_a_question_names_is_relevant(memory: GraphMemory) -> None:
    await fill(memory, "Linus moved to Turku", created_at="2025-09-10")
    await fill(memory, *FACTS)
    then = await memory.search("Who moved in September 2025?")
    assert then.known != "no"
    assert then[0].memory.content == "Linus moved to Turku"
    other = await memory.search("Who moved in September 2019?")
    assert (other[0].relevance or 1) < (then[0].relevance or 0)
    assert "2019" in (other.known_reason or "")
