"""The store for LangGraph keeps the contract of the real `BaseStore`, on a real Neo4j."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from langgraph.store.base import GetOp, InvalidNamespaceError, Item, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from graph_memory import GraphMemory
from graph_memory.integrations.langgraph import GraphMemoryStore
from tests.conftest import Clock

VALUES: dict[tuple[tuple[str, ...], str], dict[str, Any]] = {
    (("users", "ada"), "drink"): {"text": "Ada prefers green tea", "stars": 5, "by": {"of": "Bob"}},
    (("users", "ada"), "pet"): {"text": "Ada has a cat called Otto", "stars": 3, "tags": [1, 2]},
    (("users", "bob"), "drink"): {"text": "Bob prefers black coffee", "stars": 4},
    (("docs", "v1"), "a"): {"text": "The harbour opens at six"},
    (("Docs", "v1"), "a"): {"text": "The harbour opens at six"},
}


@pytest_asyncio.fixture
async def store(memory: GraphMemory) -> AsyncIterator[GraphMemoryStore]:
    yield GraphMemoryStore(memory)


@pytest_asyncio.fixture
async def filled(store: GraphMemoryStore) -> GraphMemoryStore:
    for (namespace, key), value in VALUES.items():
        await store.aput(namespace, key, value)
    return store


def keys(items: list[Any]) -> set[tuple[tuple[str, ...], str]]:
    return {(item.namespace, item.key) for item in items}


async def test_an_item_comes_back_as_it_was_put(filled: GraphMemoryStore, clock: Clock):
    for (namespace, key), value in VALUES.items():
        item = await filled.aget(namespace, key)
        assert item is not None
        assert (item.namespace, item.key, item.value) == (namespace, key, value)
        assert item.created_at == item.updated_at == clock()
    assert await filled.aget(("users",), "drink") is None
    assert await filled.aget(("users", "ada"), "Drink") is None


async def test_a_second_put_replaces_and_a_delete_removes(filled: GraphMemoryStore, clock: Clock):
    place = ("users", "ada"), "drink"
    clock.advance(hours=1)
    await filled.aput(*place, {"text": "Ada prefers water", "stars": 1})
    item = await filled.aget(*place)
    assert item is not None
    assert item.value == {"text": "Ada prefers water", "stars": 1}
    assert item.created_at < item.updated_at == clock()
    await filled.adelete(*place)
    assert await filled.aget(*place) is None
    await filled.adelete(*place)
    await filled.aput(*place, {"text": "Ada prefers milk"})
    assert await filled.aget(*place) is not None


async def test_a_search_ranks_by_meaning_within_a_namespace(filled: GraphMemoryStore):
    found = await filled.asearch(("users",), query="Which hot drink does Ada like?", limit=2)
    assert found[0].value["text"] == "Ada prefers green tea"
    assert len(found) == 2
    assert found[0].score is not None
    assert {item.namespace[0] for item in found} == {"users"}
    assert keys(await filled.asearch(("Docs",), query="harbour")) == {(("Docs", "v1"), "a")}


@pytest.mark.parametrize(
    "wanted",
    [
        {"stars": 5},
        {"stars": {"$gt": 3}},
        {"stars": {"$gte": 3, "$lt": 5}},
        {"stars": {"$ne": 5}},
        {"stars": {"$eq": 4}, "text": "Bob prefers black coffee"},
        {"by": {"of": "Bob"}},
        {"tags": [1, 2]},
        {"missing": "x"},
    ],
    ids=str,
)
async def test_filters_are_those_of_the_store_in_memory(
    filled: GraphMemoryStore, wanted: dict[str, Any]
):
    other = InMemoryStore()
    for (namespace, key), value in VALUES.items():
        await other.aput(namespace, key, value)
    expected = keys(await other.asearch(("users",), filter=wanted))
    assert keys(await filled.asearch(("users",), filter=wanted)) == expected
    asked = await filled.asearch(("users",), filter=wanted, query="drinks")
    assert keys(asked) <= expected


async def test_pages_and_namespaces_are_those_of_the_store_in_memory(filled: GraphMemoryStore):
    other = InMemoryStore()
    for (namespace, key), value in VALUES.items():
        await other.aput(namespace, key, value)
    for options in (
        {},
        {"prefix": ("users",)},
        {"suffix": ("v1",)},
        {"prefix": ("*", "ada")},
        {"max_depth": 1},
        {"limit": 2, "offset": 1},
    ):
        found = await filled.alist_namespaces(**options)  # type: ignore[arg-type]
        assert found == await other.alist_namespaces(**options)  # type: ignore[arg-type]
    pages = [await filled.asearch((), limit=2, offset=offset) for offset in (0, 2, 4, 6)]
    assert [len(page) for page in pages] == [2, 2, 1, 0]
    assert keys([item for page in pages for item in page]) == set(VALUES)


async def test_a_batch_answers_in_its_order(filled: GraphMemoryStore):
    place = ("users", "ada"), "pet"
    results = await filled.abatch(
        [
            GetOp(*place),
            PutOp(*place, {"text": "first"}),
            SearchOp(("users", "bob")),
            PutOp(*place, {"text": "last"}),
        ]
    )
    got, put, found, again = results
    assert isinstance(got, Item)
    assert got.value["text"] == "Ada has a cat called Otto"
    assert put is again is None
    assert isinstance(found, list)
    assert len(found) == 1
    item = await filled.aget(*place)
    assert item is not None
    assert item.value == {"text": "last"}


async def test_an_item_lives_as_long_as_its_time(
    store: GraphMemoryStore, memory: GraphMemory, clock: Clock
):
    await store.aput(("cache",), "short", {"text": "A short note"}, ttl=60)
    await store.aput(("cache",), "long", {"text": "A lasting note"})
    clock.advance(minutes=50)
    assert await store.aget(("cache",), "short") is not None  # its time begins again
    clock.advance(minutes=50)
    assert len(await store.asearch(("cache",), refresh_ttl=False)) == 2
    clock.advance(minutes=11)
    assert await store.aget(("cache",), "short") is None
    assert keys(await store.asearch(("cache",))) == {(("cache",), "long")}
    clock.advance(days=400)
    await memory.maintenance.run(groups=[memory.group()])
    assert [each.metadata["langgraph"]["key"] for each in (await memory.list()).memories] == [
        "long"
    ]


async def test_other_threads_use_the_methods_without_a(filled: GraphMemoryStore):
    def work() -> list[Any]:
        filled.put(("threads",), "one", {"text": "From another thread"})
        return [filled.get(("threads",), "one"), *filled.search(("threads",))]

    got, found = await asyncio.to_thread(work)
    assert got.value == found.value == {"text": "From another thread"}
    with pytest.raises(RuntimeError, match="begin with `a`"):
        filled.get(("threads",), "one")


async def test_wrong_namespaces_and_operators_are_refused(filled: GraphMemoryStore):
    with pytest.raises(InvalidNamespaceError):
        await filled.aput(("a.b",), "key", {"text": "x"})
    with pytest.raises(ValueError, match="Unknown operator"):
        await filled.asearch(("users",), filter={"stars": {"$near": 4}})
