"""Adding, changing and deleting memories, on a real Neo4j with real embeddings."""

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from neo4j import AsyncDriver

from graph_memory import GraphMemory, NewMemory, NewRelation
from graph_memory.errors import (
    ConfirmationRequiredError,
    DuplicateError,
    InvalidArgumentError,
    LimitExceededError,
    LinkError,
    NotFoundError,
    ReservedFieldError,
)
from graph_memory.memories.add import AddResult
from graph_memory.transfer.import_export import import_lines
from tests.conftest import TODAY, Clock, locked, some_transaction_waits

SHARED_FIXTURES = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


async def node(driver: AsyncDriver, memory_id: str) -> dict[str, Any]:
    """Read a memory's labels and properties as any other client of Neo4j sees them."""
    records, _, _ = await driver.execute_query(
        "MATCH (m {uuid: $id}) RETURN labels(m) AS labels, properties(m) AS p", id=memory_id
    )
    return {} if not records else {"labels": set(records[0]["labels"]), **records[0]["p"]}


async def test_a_memory_comes_back_as_it_was_given(memory: GraphMemory) -> None:
    stored = await memory.add(
        "Ada prefers tea to coffee",
        memory_type="preference",
        tags=["ada", "Drinks", "ada "],
        metadata={"shop": {"floor": 2}, "open": True},
        importance=7,
        stability=4,
        confidence=0.9,
        project_id="kitchen",
        conversation_id="c-1",
    )
    got = await memory.get(stored.memory_id)
    assert got == stored
    assert got.content == "Ada prefers tea to coffee"
    assert got.tags == ["ada", "Drinks"]
    assert got.metadata == {"shop": {"floor": 2}, "open": True}
    assert (got.importance, got.importance_source, got.stability) == (7.0, "user", 4)
    assert (got.lifecycle_state, got.decay_score, got.access_count) == ("ACTIVE", 0.0, 0)
    assert got.created_at == got.updated_at == got.valid_at == TODAY


async def test_what_is_not_given_has_the_defaults(memory: GraphMemory) -> None:
    stored = await memory.add("plain")
    assert (stored.importance, stored.importance_source) == (5.0, "default")
    assert (stored.stability, stored.confidence, stored.source) == (3, None, "user")
    assert (stored.memory_type, stored.tags, stored.metadata) == ("general", [], {})


async def test_the_node_has_the_properties_graphiti_and_browsers_read(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    content = "A long story. " * 60
    stored = await memory.add(content)
    found = await node(driver, stored.memory_id)
    assert found["labels"] == {"Entity", "Memory"}
    assert found["name"] == content[:80]
    assert found["summary"] == content[:500]
    assert found["group_id"] == memory.settings.group_id
    assert found["embedding_dimension"] == len(found["embedding"]) == 384
    assert found["embedding_model"] == "all-MiniLM-L6-v2"
    assert found["last_decay_update"] == "2026-06-01T12:00:00.000Z"


async def test_importance_is_clamped_not_refused(memory: GraphMemory) -> None:
    assert (await memory.add("low", importance=-3)).importance == 1
    assert (await memory.add("high", importance=99)).importance == 10


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("content", "", InvalidArgumentError),
        ("content", " \n\t", InvalidArgumentError),
        ("content", "broken \ud800 text", InvalidArgumentError),
        ("stability", 6, InvalidArgumentError),
        ("confidence", 1.01, InvalidArgumentError),
        ("confidence", float("nan"), InvalidArgumentError),
        ("memory_type", "rumour", InvalidArgumentError),
        ("decay_rate", -0.1, InvalidArgumentError),
        ("tags", ["x" * 129], LimitExceededError),
        ("tags", [str(n) for n in range(65)], LimitExceededError),
        ("metadata", {"uuid": "mine"}, ReservedFieldError),
        ("metadata", {"n": float("inf")}, InvalidArgumentError),
        ("metadata", {"n": "x" * 70_000}, LimitExceededError),
        ("memory_id", "white space", InvalidArgumentError),
        ("created_at", "yesterday", InvalidArgumentError),
        ("access_count", 3, InvalidArgumentError),
    ],
)
async def test_bad_input_is_refused_by_name_and_nothing_is_stored(
    memory: GraphMemory, field: str, value: object, error: type[InvalidArgumentError]
) -> None:
    details = {"content": "fine", field: value}
    with pytest.raises(error) as caught:
        await memory.add(**details)  # type: ignore[arg-type]
    assert caught.value.argument.startswith(field)
    assert (await memory.list()).memories == []


async def test_an_unknown_argument_is_refused_with_the_known_ones(memory: GraphMemory) -> None:
    misspelt: Any = {"importanse": 3}
    with pytest.raises(InvalidArgumentError, match="valid are content, memory_type"):
        await memory.add("fine", **misspelt)


async def test_the_same_content_is_refused_with_the_id_it_has(memory: GraphMemory) -> None:
    first = await memory.add("once")
    with pytest.raises(DuplicateError) as caught:
        await memory.add("once", importance=9)
    assert caught.value.existing_id == first.memory_id


async def test_a_new_memory_comes_back_from_its_own_group(memory: GraphMemory, group: str) -> None:
    stored = await memory.add(NewMemory(content="theirs", group_id=f"{group}_2"))
    assert stored.group_id == f"{group}_2"
    assert (await memory.list()).memories == []


async def test_details_beside_a_new_memory_are_refused(memory: GraphMemory) -> None:
    with pytest.raises(InvalidArgumentError, match="in the NewMemory") as caught:
        await memory.add(NewMemory(content="tea"), importance=9)
    assert caught.value.argument == "importance"
    assert (await memory.list()).memories == []


async def test_two_groups_may_hold_the_same_content(memory: GraphMemory, group: str) -> None:
    mine = await memory.add("shared saying")
    theirs = await memory.add("shared saying", group_id=f"{group}_2")
    assert mine.memory_id != theirs.memory_id


async def test_a_duplicate_is_found_before_it_is_embedded(memory: GraphMemory) -> None:
    await memory.add("only once")
    calls: list[int] = []
    embed_tokens = memory.context.embedder.embed_tokens

    async def counted(texts: list[str]):
        calls.append(len(texts))
        return await embed_tokens(texts)

    memory.context.embedder.embed_tokens = counted  # type: ignore[method-assign]
    try:
        outcomes = await memory.add_many([{"content": "only once"}, {"content": "new"}])
    finally:
        del memory.context.embedder.embed_tokens  # type: ignore[attr-defined]
    assert calls == [1]
    assert [type(outcome.error) for outcome in outcomes] == [DuplicateError, type(None)]


async def test_fifty_clients_adding_one_content_store_it_once(memory: GraphMemory) -> None:
    batches = await asyncio.gather(
        *(memory.add_many([{"content": "raced for"}]) for _ in range(50))
    )
    outcomes: list[AddResult] = [outcome for batch in batches for outcome in batch]
    stored = [outcome.memory_id for outcome in outcomes if outcome.memory_id]
    assert len(stored) == 1
    losers = {o.error.existing_id for o in outcomes if isinstance(o.error, DuplicateError)}
    assert losers == set(stored)
    assert len((await memory.list()).memories) == 1


async def test_many_at_once_give_an_outcome_each_in_order(memory: GraphMemory) -> None:
    outcomes = await memory.add_many(
        [
            NewMemory(content="one"),
            {"content": "two", "tags": ["x"]},
            {"content": "one"},
            {"content": ""},
            {"content": "three", "parent_id": "nobody"},
            {"content": "four"},
        ]
    )
    assert [outcome.memory_id is not None for outcome in outcomes] == [
        True,
        True,
        False,
        False,
        True,
        True,
    ]
    duplicate = outcomes[2].error
    assert isinstance(duplicate, DuplicateError)
    assert duplicate.existing_id == outcomes[0].memory_id
    assert isinstance(outcomes[3].error, InvalidArgumentError)
    assert outcomes[4].error is None
    assert isinstance(outcomes[4].link_error, LinkError)


async def test_too_many_at_once_are_refused(memory: GraphMemory) -> None:
    many = [{"content": str(n)} for n in range(memory.settings.max_batch + 1)]
    with pytest.raises(LimitExceededError):
        await memory.add_many(many)
    with pytest.raises(LimitExceededError):  # refused ones, whose answers would be long, count, too
        await memory.add_many([{}] * len(many))


async def test_an_id_that_is_given_is_kept_and_taken_ids_are_refused(memory: GraphMemory) -> None:
    memory_id = f"{memory.settings.group_id}:1"
    assert (await memory.add("mine", memory_id=memory_id)).memory_id == memory_id
    with pytest.raises(InvalidArgumentError, match="taken"):
        await memory.add("other", memory_id=memory_id, group_id="elsewhere")


async def test_what_is_broken_off_leaves_no_memory_without_its_relations(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    target = await memory.add("tea")
    relation: Any = {"target_id": target.memory_id, "relation_type": "supports"}
    async with locked(driver, target.memory_id):
        adding = asyncio.create_task(memory.add("Ada drinks tea", relationships=[relation]))
        await some_transaction_waits(driver)
        adding.cancel()
        await asyncio.wait([adding])
    stored = (await memory.list()).memories
    assert len(await memory.relations.list(target.memory_id)) == len(stored) - 1


async def test_parents_and_relations_are_made_with_the_memory(memory: GraphMemory) -> None:
    parent = await memory.add("the parent")
    child = await memory.add(
        "the child",
        parent_id=parent.memory_id,
        relationships=[
            NewRelation(target_id=parent.memory_id, relation_type="causes", bidirectional=True)  # type: ignore[arg-type]
        ],
    )
    assert (await memory.get(child.memory_id)).parent_id == parent.memory_id
    relations = await memory.relations.list(child.memory_id)
    assert {(r.from_id, r.relation_type) for r in relations} == {
        (child.memory_id, "causes"),
        (parent.memory_id, "caused_by"),
    }
    assert relations[0].fact


async def test_memories_of_one_call_relate_to_each_other(memory: GraphMemory, group: str) -> None:
    first, second = f"{group}-1", f"{group}-2"
    outcomes = await memory.add_many(
        [
            {"content": "one", "memory_id": first},
            {
                "content": "two",
                "memory_id": second,
                "relationships": [
                    {"target_id": first, "relation_type": "causes", "bidirectional": True}
                ],
            },
            {"content": "three", "relationships": [{"target_id": first}, {"target_id": second}]},
        ]
    )
    assert [outcome.relations_created for outcome in outcomes] == [0, 2, 2]
    assert len(await memory.relations.list(first)) == 3


async def test_links_to_nowhere_are_named_alike_and_the_memory_stays(
    memory: GraphMemory, group: str
) -> None:
    """By each way in: one memory, many memories, an import."""
    theirs = await memory.add("theirs", group_id=f"{group}_2")
    deleted, there = await memory.add("deleted"), await memory.add("there")
    await memory.delete(deleted.memory_id)
    ways: dict[str, tuple[str, str]] = {}
    for number, end in enumerate((theirs.memory_id, deleted.memory_id, "nowhere")):
        relations: Any = [{"target_id": there.memory_id}, {"target_id": end}]
        links: Any = {"relationships": relations, "parent_id": end}
        with pytest.raises(LinkError) as alone:
            await memory.add(f"alone {number}", **links)
        (outcome,) = await memory.add_many([{"content": f"many {number}", **links}])
        assert outcome.link_error
        assert outcome.memory_id == outcome.link_error.stored_id
        line = json.dumps({"content": f"line {number}", **links})
        report = await import_lines(memory, [line])
        assert (report.stored, report.failed) == (1, 2)
        for error in (alone.value, outcome.link_error):
            assert error.missing == {"relationships.1.target_id": end, "parent_id": end}
            assert error.code == report.errors[0].code == "not_found"
            assert report.errors[0].message in str(error)
            ways[error.stored_id] = (there.memory_id, end)
    stored = {m.memory_id: m for m in (await memory.list(limit=50)).memories}
    assert len(stored) == 1 + 9
    assert ways.keys() < stored.keys()
    for memory_id in stored.keys() - {there.memory_id}:
        assert stored[memory_id].parent_id is None
        (relation,) = await memory.relations.list(memory_id)
        assert relation.to_id == there.memory_id
    assert await memory.relations.list(theirs.memory_id, group_id=f"{group}_2") == []


async def test_repeating_a_relation_updates_it(memory: GraphMemory) -> None:
    a, b = await memory.add("a"), await memory.add("b")
    (first,) = await memory.relations.add(a.memory_id, b.memory_id, "supports", strength=0.2)
    shouted: Any = "SUPPORTS"
    (again,) = await memory.relations.add(
        a.memory_id, b.memory_id, shouted, strength=0.8, metadata={"seen": "twice"}
    )
    assert (first.created, again.created) == (True, False)
    (relation,) = await memory.relations.list(a.memory_id)
    assert (relation.strength, relation.metadata) == (0.8, {"seen": "twice"})


async def test_a_memory_cannot_be_related_to_itself(memory: GraphMemory) -> None:
    a = await memory.add("a")
    with pytest.raises(InvalidArgumentError, match=r"^to_id="):
        await memory.relations.add(a.memory_id, a.memory_id)


async def test_an_end_that_is_no_id_is_refused_by_its_own_name(memory: GraphMemory) -> None:
    a = await memory.add("a")
    with pytest.raises(InvalidArgumentError, match=r"^to_id="):
        await memory.relations.add(a.memory_id, "")
    with pytest.raises(InvalidArgumentError, match=r"^from_id="):
        await memory.relations.add("", a.memory_id)


async def test_an_unknown_relation_type_is_refused_with_the_vocabulary(
    memory: GraphMemory,
) -> None:
    a, b = await memory.add("a"), await memory.add("b")
    unknown: Any = "mentions"
    with pytest.raises(InvalidArgumentError, match=r"references.*supersedes"):
        await memory.relations.add(a.memory_id, b.memory_id, unknown)


async def test_an_update_changes_what_is_given_and_leaves_the_rest(
    memory: GraphMemory, clock: Clock
) -> None:
    stored = await memory.add("tea", tags=["a"], importance=4)
    clock.advance(days=2)
    changed, embedded = await memory.update(stored.memory_id, importance=9, metadata={"k": 1})
    assert not embedded
    assert (changed.content, changed.tags, changed.importance) == ("tea", ["a"], 9)
    assert changed.metadata == {"k": 1}
    assert changed.created_at == TODAY
    assert changed.updated_at == changed.last_accessed_at == TODAY + timedelta(days=2)
    assert changed.access_count == 0


async def test_metadata_and_tags_can_be_emptied(memory: GraphMemory) -> None:
    stored = await memory.add("tea", tags=["a"], metadata={"k": 1})
    changed, _ = await memory.update(stored.memory_id, tags=[], metadata={})
    assert (changed.tags, changed.metadata) == ([], {})


async def test_a_rewritten_memory_is_found_by_its_new_text_and_keeps_the_old(
    memory: GraphMemory,
) -> None:
    stored = await memory.add("The keys hang beside the door")
    changed, embedded = await memory.update(stored.memory_id, content="The keys lie in the drawer")
    assert embedded
    assert changed.content == "The keys lie in the drawer"
    (best, *_) = await memory.search("keys in the drawer")
    assert best.memory.content == "The keys lie in the drawer"
    with pytest.raises(DuplicateError):
        await memory.add("The keys lie in the drawer")
    await memory.add("The keys hang beside the door")  # the old text is free again


async def test_an_update_to_anothers_content_is_refused(memory: GraphMemory) -> None:
    first, second = await memory.add("first"), await memory.add("second")
    with pytest.raises(DuplicateError) as caught:
        await memory.update(second.memory_id, content="first")
    assert caught.value.existing_id == first.memory_id
    assert (await memory.get(second.memory_id)).content == "second"


async def test_an_update_of_nothing_is_refused(memory: GraphMemory) -> None:
    stored = await memory.add("tea")
    with pytest.raises(InvalidArgumentError, match="at least one"):
        await memory.update(stored.memory_id)
    unknown: Any = {"access_count": 7}
    with pytest.raises(InvalidArgumentError, match="unknown argument"):
        await memory.update(stored.memory_id, **unknown)


async def test_a_deleted_memory_is_gone_and_its_content_free(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    stored = await memory.add("to be forgotten")
    deleted = await memory.delete(stored.memory_id)
    assert deleted.recoverable_until == TODAY + timedelta(days=90)
    with pytest.raises(NotFoundError):
        await memory.get(stored.memory_id)
    assert await memory.search("to be forgotten") == []
    assert (await memory.list()).memories == []
    found = await node(driver, stored.memory_id)
    assert (found["lifecycle_state"], found["soft_deleted_at"]) == (
        "SOFT_DELETED",
        "2026-06-01T12:00:00.000Z",
    )
    assert (await memory.add("to be forgotten")).memory_id != stored.memory_id


async def test_a_permanent_deletion_leaves_nothing(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    stored = await memory.add("a secret")
    await memory.update(stored.memory_id, content="a better secret")
    deleted = await memory.delete(stored.memory_id, permanent=True)
    assert deleted.recoverable_until is None
    assert await node(driver, stored.memory_id) == {}


async def test_nobody_deletes_in_another_group(memory: GraphMemory) -> None:
    stored = await memory.add("mine")
    for permanent in (False, True):
        with pytest.raises(NotFoundError):
            await memory.delete(stored.memory_id, permanent=permanent, group_id="elsewhere")
    assert await memory.get(stored.memory_id)


async def test_deleting_all_needs_the_words_and_stays_in_the_group(
    memory: GraphMemory, group: str
) -> None:
    await memory.add_many([{"content": str(n)} for n in range(5)])
    other = await memory.add("kept", group_id=f"{group}_2")
    with pytest.raises(ConfirmationRequiredError, match="DELETE ALL"):
        await memory.delete_all(confirm="yes")
    assert (await memory.delete_all(confirm="DELETE ALL")).deleted == 5
    assert (await memory.list()).memories == []
    assert (await memory.delete_all(confirm="DELETE ALL", permanent=True)).deleted == 5
    assert await memory.get(other.memory_id, group_id=f"{group}_2")


async def test_a_megabyte_is_stored_and_more_is_refused(memory: GraphMemory) -> None:
    content = "x" * 999_999
    stored = await memory.add(content)
    assert (await memory.get(stored.memory_id)).content == content
    with pytest.raises(LimitExceededError, match="split"):
        await memory.add("y" * 1_000_001)


@SHARED_FIXTURES
@given(
    content=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200).filter(
        lambda text: bool(text.strip())
    ),
    tags=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), max_size=5),
    metadata=st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=10).map(lambda k: f"k{k}"),
        st.none()
        | st.booleans()
        | st.integers()
        | st.text(st.characters(exclude_categories=["Cs"]))
        | st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=3),
        max_size=4,
    ),
)
async def test_any_unicode_text_comes_back_unchanged(
    memory: GraphMemory, content: str, tags: list[str], metadata: dict[str, object]
) -> None:
    (outcome,) = await memory.add_many([NewMemory(content=content, tags=tags, metadata=metadata)])  # type: ignore[arg-type]
    if isinstance(outcome.error, DuplicateError):  # hypothesis repeats itself
        return
    assert outcome.memory_id, outcome.error
    got = await memory.get(outcome.memory_id)
    assert (got.content, got.metadata) == (content, metadata)
    kept = {tag.strip().lower() for tag in tags if tag.strip()}
    assert {tag.lower() for tag in got.tags} == kept


async def test_a_duplicate_is_returned_if_asked_for(memory: GraphMemory) -> None:
    stored = await memory.add("Ada drinks tea", importance=3)
    with pytest.raises(DuplicateError):
        await memory.add("Ada drinks tea", on_duplicate="raise")
    assert await memory.add("Ada drinks tea", on_duplicate="return", importance=9) == stored
    unknown: Any = "ignore"
    with pytest.raises(InvalidArgumentError, match="'raise' or 'return'"):
        await memory.add("Ada drinks tea", on_duplicate=unknown)
