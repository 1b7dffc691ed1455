"""Retrieval under a budget: candidates, spreading, profiles, clocks, tenants."""

import json
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import REGISTRY

from graph_memory import GraphMemory
from graph_memory.domain.timestamps import instant
from graph_memory.errors import InvalidArgumentError
from graph_memory.inference import token_counter
from graph_memory.inference.token_counter import TokenCounter
from graph_memory.ranking.profiles import Profile, importance_parameters
from graph_memory.search.retrieval import Retrieved
from tests.conftest import TODAY, Clock, RunFragment, engine_with

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "retrieval_vectors.json").read_text())


def contents(retrieved: Retrieved) -> list[str]:
    return [given.memory.content for given in retrieved.memories]


async def fill(memory: GraphMemory, *texts: str, **details: Any) -> list[str]:
    outcomes = await memory.add_many([{"content": text, **details} for text in texts])
    return [outcome.memory_id or "" for outcome in outcomes]


async def hybrid(fragment: RunFragment, **given: Any) -> dict[str, Any]:
    """Compute the formula of the profile; components that are not given are neutral."""
    hours = given.get("hours", 0.0)
    return await fragment(
        "fragments/ranking/score_hybrid",
        "WITH {created_at: datetime($created)} AS m, $importance AS importance, "
        "$similarity AS similarity, $distance AS distance, $degree AS degree",
        importance=given.get("importance", 5.0),
        created=instant(TODAY - timedelta(hours=hours)),
        similarity=given.get("similarity", 0.5),
        distance=given.get("distance"),
        degree=given.get("degree", 0),
        weights=[0.4, 0.3, 0.2, 0.1],
        temporal_lambda=0.0001,
        temporal_unit_ms=given.get("unit_ms", 3.6e6),
        density_boost=given.get("density_boost", 0.0),
        density_cap=10,
        computes_importance=False,
        **importance_parameters(),
        now=instant(TODAY),
    )


@pytest.mark.parametrize("vector", VECTORS["topological"])
async def test_nearness_is_the_published_formula(
    fragment: RunFragment, vector: dict[str, Any]
) -> None:
    row = await hybrid(fragment, **vector)
    assert row["components"]["topological"] == pytest.approx(vector["expected"], abs=1e-6)


@pytest.mark.parametrize("vector", VECTORS["temporal"])
async def test_recency_is_the_published_formula(
    fragment: RunFragment, vector: dict[str, Any]
) -> None:
    seconds = vector.get("unit") == "seconds"
    hours = vector["elapsed_units"] / (3600 if seconds else 1)
    row = await hybrid(fragment, hours=hours, unit_ms=1e3 if seconds else 3.6e6)
    assert row["components"]["temporal"] == pytest.approx(vector["expected"], abs=1e-6)


@pytest.mark.parametrize("vector", VECTORS["semantic"])
async def test_meaning_is_the_cosine_where_it_is_positive(
    fragment: RunFragment, vector: dict[str, Any]
) -> None:
    row = await hybrid(fragment, similarity=vector["score"])
    assert row["components"]["semantic"] == pytest.approx(vector["expected"], abs=1e-6)


@pytest.mark.parametrize("vector", VECTORS["hybrid"])
async def test_the_hybrid_profile_is_the_published_formula(
    fragment: RunFragment, vector: dict[str, Any]
) -> None:
    recency = vector["temporal"]
    hours = {1.0: 0.0, 0.93: 725.706928, 0.0: 1e6}[recency]  # -ln(recency) / lambda
    row = await hybrid(
        fragment,
        similarity=(1 + vector["semantic"]) / 2,
        distance=vector["distance"],
        hours=hours,
        importance=vector["importance"],
    )
    assert row["components"]["temporal"] == pytest.approx(recency, abs=1e-6)
    assert row["score"] == pytest.approx(vector["expected"], abs=1e-6)


async def test_only_relations_that_hold_to_what_is_there_make_it_dense(
    memory: GraphMemory,
) -> None:
    settings = memory.settings.model_copy(update={"density_boost": 1.0})
    dense = GraphMemory.over(
        memory.context.graph, memory.context.embedder, settings, clock=memory.clock
    )
    lamp, hall, ended, deleted = await fill(
        memory, "the lamp in the hall is broken", "the hall is cold", "Ada is away", "Bob is here"
    )
    for other in (hall, ended, deleted):
        await memory.relations.add(lamp, other)
    await memory.relations.remove(lamp, ended)
    await memory.delete(deleted)
    given = await dense.retrieve("is it cold in the hall?", profile="hybrid", anchor_count=1)
    near = {hit.memory.memory_id: hit.components["topological"] for hit in given.memories}
    assert near[lamp] == pytest.approx((1 + 1 / 10) / 2)  # one relation of the ten of full density


async def chain(memory: GraphMemory) -> list[str]:
    """Store an answer and a chain of memories, each less related to the question."""
    ids = await fill(
        memory,
        "Ada's greenhouse grows tomatoes and basil",
        "The pump was bought second-hand in Lyon",
        "Its warranty papers lie in the red folder",
        "The folder stands on the upper shelf",
    )
    for start, end in pairwise(ids):
        await memory.relations.add(start, end, "leads_to")
    return ids


@pytest.mark.parametrize("profile", list(Profile))
@pytest.mark.parametrize("depth", [0, 1, 2])
async def test_spreading_goes_as_far_as_asked(
    memory: GraphMemory, profile: Profile, depth: int
) -> None:
    ids = await chain(memory)
    got = await memory.retrieve(
        "what grows in the greenhouse?",
        anchor_count=1,
        search_depth=depth,
        profile=profile,
    )
    assert got.anchors == [ids[0]]
    distances = {given.memory.memory_id: given.distance for given in got.memories}
    walked = [distances[id_] for id_ in ids]
    expected = [distance if distance <= depth else None for distance in range(4)]
    # With depth 0 the graph is not walked, unless the profile measures nearness itself.
    none_walked = depth == 0 and profile is not Profile.HYBRID
    assert walked == ([None] * 4 if none_walked else expected)
    assert got.memories[0].memory.memory_id == ids[0]
    assert all(0 <= given.score <= 1 for given in got.memories)


async def test_neighbours_come_beyond_what_the_search_would_find(memory: GraphMemory) -> None:
    """A memory related to the best is returned beside ten equal candidates."""
    memory.context.engine = engine_with(memory, retrieval_candidates=10)
    ids = await fill(memory, *(f"Tomatoes need water, note number {n}" for n in range(20)))
    (far,) = await fill(memory, "The key hangs behind the door")
    first = await memory.retrieve("water for tomatoes", max_tokens=10_000)
    assert len(first.memories) == 10
    await memory.relations.add(far, first.anchors[0], "supports")
    again = await memory.retrieve("water for tomatoes", max_tokens=10_000)
    assert len(again.memories) == 11
    (neighbour,) = [given for given in again.memories if given.memory.memory_id == far]
    assert neighbour.distance == 1
    assert neighbour.components["near"] == 0.5
    # A memory that answers and is near stays before a memory that is only near.
    assert again.memories.index(neighbour) >= len(again.anchors)
    assert set(ids) > {given.memory.memory_id for given in first.memories}


async def test_where_nothing_is_related_there_is_one_read(memory: GraphMemory) -> None:
    ids = await fill(memory, *(f"Tomatoes need water, note number {n}" for n in range(5)))

    async def retrieve() -> tuple[Retrieved, float]:
        statement = {"statement": "search/retrieval/neighbours_recall", "outcome": "ok"}
        name = "graph_memory_statement_seconds_count"
        before = REGISTRY.get_sample_value(name, statement) or 0.0
        got = await memory.retrieve("water for tomatoes", anchor_count=1, max_tokens=10_000)
        return got, (REGISTRY.get_sample_value(name, statement) or 0.0) - before

    first, reads = await retrieve()
    assert reads == 0
    await memory.relations.add(
        next(id_ for id_ in ids if id_ not in first.anchors), first.anchors[0]
    )
    related, reads = await retrieve()
    assert reads == 1
    # An anchor has the same nearness with relations as without.
    for got, expected in ((first, [0]), (related, [0, 1])):
        assert sorted(m.distance for m in got.memories if m.distance is not None) == expected
        assert {m.memory.memory_id for m in got.memories} == set(ids)


async def test_a_hub_floods_nothing(memory: GraphMemory) -> None:
    memory.context.engine = engine_with(
        memory, spread_relations=5, spread_memories=7, retrieval_candidates=10
    )
    (hub,) = await fill(memory, "Everything about the harbour crane")
    spokes = await fill(memory, *(f"Invoice {n} of the season" for n in range(40)))
    for n, spoke in enumerate(spokes):
        await memory.relations.add(hub, spoke, strength=n / 40)
    got = await memory.retrieve("harbour crane", anchor_count=1, max_tokens=10_000)
    near = {given.memory.memory_id for given in got.memories if given.distance == 1}
    assert near == set(spokes[-5:])


@pytest.mark.parametrize("profile", list(Profile))
async def test_no_budget_is_exceeded_and_contents_are_what_is_counted(
    memory: GraphMemory, profile: Profile
) -> None:
    await fill(memory, *(f"Tomato note {n}: " + "water them well. " * (n % 7) for n in range(30)))
    for budget in (1, 5, 20, 63, 200, 5000):
        got = await memory.retrieve("tomatoes", max_tokens=budget, profile=profile)
        costs = await TokenCounter(memory.context.embedder, memory.settings).count(contents(got))
        assert [given.tokens for given in got.memories] == costs
        assert got.tokens_used == sum(costs) <= budget


async def test_tokens_are_counted_whole_by_the_model_or_by_characters(memory: GraphMemory) -> None:
    text = "tokenization of watering cans " * 400
    (whole,) = await TokenCounter(memory.context.embedder, memory.settings).count([text])
    assert whole > 1000  # the model itself would read 256
    by_characters = memory.settings.model_copy(update={"token_counter": "characters"})
    assert await TokenCounter(memory.context.embedder, by_characters).count([text, ""]) == [3000, 0]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("key " + "QUJD" * 5000, 5001),
        ("a" * 5000, 1250),
        ("a" * 101, 26),
        ("\U00012000" * 3000, 3000),  # cuneiform
        ("green tea, " * 3 + "\U00012000\U00012000 \U0001f375", 12),
        ("key" + "\u200b" * 16_000, 3001),  # zero-width spaces
        ("key" + " " * 15_997, 1000),
    ],
)
async def test_unknown_words_count_against_a_budget(
    memory: GraphMemory, text: str, tokens: int
) -> None:
    counter = TokenCounter(memory.context.embedder, memory.settings)
    assert await counter.count([text, "green tea"]) == [tokens, 2]


async def test_tokens_are_counted_alike_before_and_after_they_are_forgotten(
    memory: GraphMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_counter, "_CACHE_SIZE", 2)
    counter = TokenCounter(memory.context.embedder, memory.context.settings)
    texts = ["tea", "green tea", "tea", "", "green tea at noon"]
    counts = [await counter.count([text]) for text in texts]
    assert await counter.count(texts) == [count for (count,) in counts]
    assert await counter.count([]) == []


@pytest.mark.parametrize("profile", list(Profile))
async def test_no_step_leaves_the_tenant(
    memory: GraphMemory, driver: Any, group: str, profile: Profile
) -> None:
    """There are relations between the tenants, whose names have a common start."""
    groups = [f"{group}a", f"{group}aa", f"{group}a_b", f"{group}A"]
    ids: dict[str, str] = {}
    for name in groups:
        stored = await memory.add(f"The greenhouse of {name} grows tomatoes", group_id=name)
        ids[name] = stored.memory_id
    await driver.execute_query(
        "MATCH (a:Memory), (b:Memory) WHERE a.uuid IN $ids AND b.uuid IN $ids AND a <> b "
        "MERGE (a)-[:RELATES_TO {edge_key: a.uuid + b.uuid, name: 'relates_to', strength: 1.0, "
        "created_at: datetime('2026-01-01')}]->(b)",
        ids=list(ids.values()),
    )
    for name in groups:
        narrowings: tuple[dict[str, Any], ...] = ({}, {"memory_types": ["general"]})
        for filters in narrowings:
            got = await memory.retrieve("tomatoes", profile=profile, group_id=name, **filters)
            assert [given.memory.memory_id for given in got.memories] == [ids[name]]


@pytest.mark.parametrize("profile", list(Profile))
async def test_every_stage_keeps_to_the_clocks_and_states(
    memory: GraphMemory, clock: Clock, profile: Profile
) -> None:
    ids = await chain(memory)
    clock.advance(days=10)
    await memory.lifecycle.mark_obsolete(ids[1], "sold")
    clock.advance(days=10)

    async def met(**details: Any) -> dict[str, int | None]:
        got = await memory.retrieve(
            "what grows in the greenhouse?",
            anchor_count=1,
            profile=profile,
            **details,
        )
        return {given.memory.memory_id: given.distance for given in got.memories}

    today = await met()
    assert ids[1] not in today
    assert today[ids[2]] is None  # the path led through a memory that is not returned any more
    before = await met(as_of=clock.now - timedelta(days=15))
    assert [before[id_] for id_ in ids[:3]] == [0, 1, 2]
    known = await met(known_at=clock.now - timedelta(days=15))
    assert [known[id_] for id_ in ids[:3]] == [0, 1, 2]
    assert await met(as_of=TODAY - timedelta(days=1)) == {}

    await memory.relations.remove(ids[0], ids[1])
    clock.advance(days=1)
    assert (await met(states=["ACTIVE", "EXPIRED"]))[ids[1]] is None
    typed = await met(memory_types=["task"])
    assert typed == {}


async def test_weights_are_for_one_call_and_must_sum_to_one(memory: GraphMemory) -> None:
    plain, weighty = await fill(memory, "Ada waters the tomatoes", "Something else entirely")
    await memory.update(weighty, importance=10)
    for find in (memory.search, memory.retrieve):
        with pytest.raises(InvalidArgumentError, match="sum to 1"):
            await find("tomatoes", profile="hybrid", weights=[1, 1, 0, 0])
        with pytest.raises(InvalidArgumentError, match="weighted or hybrid"):
            await find("tomatoes", weights=[1, 0])
    (first, *_) = await memory.search("tomatoes", profile="hybrid", weights=[0, 0, 0, 1])
    assert (first.memory.memory_id, first.score) == (weighty, 1.0)
    (first, *_) = await memory.search("tomatoes", profile="hybrid")
    assert first.memory.memory_id == plain
    assert first.components["distance"] == 0
    got = await memory.retrieve("tomatoes", profile="weighted", weights=[0, 0, 1])
    assert got.memories[0].memory.memory_id == weighty


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_tokens": 0},
        {"search_depth": 6},
        {"anchor_count": 0},
        {"staleness_threshold": -1},
        {"conversation_tokens": -1},
        {"session_id": " "},
        {"profile": "best"},
        {"min_relevance": 1.1},
        {"budget": 3},
    ],
)
async def test_an_argument_out_of_range_is_refused(
    memory: GraphMemory, wrong: dict[str, Any]
) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        await memory.retrieve("tomatoes", **wrong)
    assert caught.value.argument == next(iter(wrong))


async def test_only_what_was_delivered_is_counted_as_accessed(memory: GraphMemory) -> None:
    await fill(memory, *(f"Tomato note number {n}" for n in range(10)))
    got = await memory.retrieve("tomatoes", max_tokens=20)
    await memory.context.accesses.flush()
    given = {m.memory.memory_id for m in got.memories}
    assert 0 < len(given) < 10
    page = await memory.list(limit=50)
    assert {m.memory_id for m in page.memories if m.access_count} == given
    assert (await memory.retrieve("nothing here", group_id="nobody_at_all")).memories == []


async def test_a_budget_is_not_spent_on_what_is_not_relevant(memory: GraphMemory) -> None:
    ids = await chain(memory)
    (other,) = await fill(memory, "The ferry to Oslo leaves at seven")
    question, least = "what grows in the greenhouse?", 0.2
    got = await memory.retrieve(question, anchor_count=1, search_depth=1, min_relevance=least)
    assert [given.memory.memory_id for given in got.memories] == ids[:2]
    assert (got.anchors, got.left_out, got.known) == ([ids[0]], 3, "yes")
    best, neighbour = got.memories
    assert (best.relevance or 0) > least > (neighbour.relevance or 0)
    everything = await memory.retrieve(question)  # beside a relevant memory, others may belong
    assert {given.memory.memory_id for given in everything.memories} == {*ids, other}
    assert (everything.left_out, everything.tokens_used > got.tokens_used) == (0, True)
    small = await memory.retrieve(
        question, search_depth=0, max_tokens=got.memories[0].tokens, min_relevance=least
    )
    assert (len(small.memories), small.left_out) == (1, 0)  # no other fits the budget
    weighted = await memory.retrieve(question, profile=Profile.WEIGHTED)
    assert (weighted.left_out, weighted.known) == (0, None)


async def test_a_question_about_something_unknown_costs_no_budget(memory: GraphMemory) -> None:
    ids = await chain(memory)
    question = "which gluon did the lattice of quantum chromodynamics confine?"
    got = await memory.retrieve(question)
    assert (got.memories, got.anchors, got.left_out) == ([], [], len(ids))
    assert (got.tokens_used, got.known) == (0, "no")
    anyway = await memory.retrieve(question, min_relevance=0)
    assert (len(anyway.memories), anyway.left_out) == (len(ids), 0)
    nothing = await memory.retrieve(question, group_id="nobody_at_all")
    assert (nothing.known, nothing.known_reason) == ("no", "This group has no memories.")


async def test_a_changed_memory_is_given_again_whatever_its_relevance(memory: GraphMemory) -> None:
    (memory_id,) = await fill(memory, "Ada's greenhouse grows tomatoes and basil")
    first = await memory.retrieve("what grows in the greenhouse?")
    assert [given.memory.memory_id for given in first.memories] == [memory_id]
    await memory.update(memory_id, content="Ada's greenhouse was sold")
    again = await memory.retrieve("who plays the violin?", session_id=first.session_id)
    assert contents(again) == ["Ada's greenhouse was sold"]
    assert again.known == "no"
