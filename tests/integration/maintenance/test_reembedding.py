"""Embedding anew: what lacks a vector, what has one of another model, what cannot be embedded."""

import hashlib
from collections.abc import Sequence

import numpy as np
import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.database.embedding_record import stored_embedding
from graph_memory.errors import DimensionMismatchError, EmbeddingError
from graph_memory.graphiti.adoption import adopt
from graph_memory.inference.embedder import Embedder, Embedding
from graph_memory.maintenance import reembedding
from graph_memory.maintenance.reembedding import RebuildReport, rebuild_embeddings
from tests.integration.graphiti.test_adoption import stock


class SmallEmbedder(Embedder):
    """Another model: eight numbers, from the digest of a text."""

    async def load(self) -> None:
        self.has_tokens = False

    async def embed_tokens(self, texts: Sequence[str]) -> list[Embedding]:
        return [await self.embed_query_tokens(text) for text in texts]

    async def embed_query_tokens(self, text: str) -> Embedding:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
        vector = np.random.default_rng(seed).normal(size=8).astype(np.float32)
        return Embedding((vector / np.linalg.norm(vector)).astype(np.float32), None)


async def forget_vector(driver: AsyncDriver, memory_id: str) -> None:
    await driver.execute_query("MATCH (m:Memory {uuid: $id}) REMOVE m.embedding", id=memory_id)


async def vector(driver: AsyncDriver, memory_id: str) -> list[float] | None:
    records, _, _ = await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) RETURN m.embedding AS v", id=memory_id
    )
    return records[0]["v"]


async def test_only_what_has_no_vector_is_embedded(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    kept = await memory.add("The lighthouse keeper paints boats")
    lost = await memory.add("The baker opens at six")
    before = await vector(driver, kept.memory_id)
    wanted = await vector(driver, lost.memory_id)
    await forget_vector(driver, lost.memory_id)
    assert await rebuild_embeddings(
        memory.context, group, only_missing=True, dry_run=True
    ) == RebuildReport(candidates=1)
    assert await vector(driver, lost.memory_id) is None
    done: list[tuple[int, int | None]] = []
    report = await rebuild_embeddings(
        memory.context, group, only_missing=True, on_progress=lambda *step: done.append(step)
    )
    assert report == RebuildReport(candidates=1, rebuilt=1, failed=0)
    assert done == [(1, 1)]
    assert await vector(driver, lost.memory_id) == pytest.approx(wanted, abs=1e-5)
    assert await vector(driver, kept.memory_id) == before
    assert (await rebuild_embeddings(memory.context, group, only_missing=True)).candidates == 0


async def test_a_run_embeds_what_has_no_vector(
    memory: GraphMemory, driver: AsyncDriver, group: str
) -> None:
    kept = await memory.add("The lighthouse keeper paints boats")
    wanted = await vector(driver, kept.memory_id)
    await forget_vector(driver, kept.memory_id)
    await driver.execute_query(
        "MATCH (m:Memory {uuid: $id}) REMOVE m.embedding_model", id=kept.memory_id
    )
    report = await memory.maintenance.run(groups=[group])
    assert (report.embedded, report.errors) == (1, 0)
    assert await vector(driver, kept.memory_id) == pytest.approx(wanted, abs=1e-5)
    assert (await memory.maintenance.run(groups=[group])).embedded == 0


async def test_all_are_embedded_when_asked_deleted_ones_too(
    memory: GraphMemory, driver: AsyncDriver, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reembedding, "_BATCH", 2)
    stored = [await memory.add(f"thought number {n}") for n in range(5)]
    await memory.delete(stored[0].memory_id)
    await forget_vector(driver, stored[0].memory_id)
    report = await rebuild_embeddings(memory.context, group)
    assert report == RebuildReport(candidates=5, rebuilt=5, failed=0)
    assert await vector(driver, stored[0].memory_id)


async def test_a_batch_that_fails_does_not_stop_the_others(
    memory: GraphMemory, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reembedding, "_BATCH", 1)
    await memory.add_many({"content": text} for text in ("sweet", "poison", "sour"))
    embed_tokens = memory.context.embedder.embed_tokens

    async def picky(texts: Sequence[str]) -> list[Embedding]:
        if "poison" in texts:
            raise EmbeddingError("The endpoint answered 400.")
        return await embed_tokens(texts)

    monkeypatch.setattr(memory.context.embedder, "embed_tokens", picky)
    assert await rebuild_embeddings(memory.context, group) == RebuildReport(3, rebuilt=2, failed=1)


async def test_a_content_changed_meanwhile_keeps_its_own_vector(
    memory: GraphMemory, driver: AsyncDriver, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = await memory.add("a first thought")
    embed_tokens = memory.context.embedder.embed_tokens

    async def slow(texts: Sequence[str]) -> list[Embedding]:
        embeddings = await embed_tokens(texts)
        monkeypatch.setattr(memory.context.embedder, "embed_tokens", embed_tokens)
        await memory.update(stored.memory_id, content="a second thought")
        return embeddings

    monkeypatch.setattr(memory.context.embedder, "embed_tokens", slow)
    assert (await rebuild_embeddings(memory.context, group)).rebuilt == 0
    (wanted,) = await memory.context.embedder.embed(["a second thought"])
    assert await vector(driver, stored.memory_id) == pytest.approx(list(wanted), abs=1e-5)


async def test_another_model_is_adopted_when_no_memory_is_left_behind(
    memory: GraphMemory, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def our_group(graph: object) -> list[str]:
        return [group]

    # The database is shared: here the other tests' groups do not count.
    monkeypatch.setattr(reembedding, "groups", our_group)
    stored = await memory.add("Ships pass at night")
    small = memory.settings.model_copy(
        update={"embedding_model": "small", "embedding_dimensions": 8}
    )
    other = GraphMemory.over(memory.context.graph, SmallEmbedder(small), small, clock=memory.clock)
    try:
        await other.context.check_embedding()
        with pytest.raises(DimensionMismatchError, match="embeddings rebuild"):
            await other.search("ships")
        assert (await rebuild_embeddings(other.context, only_missing=True)).rebuilt == 1
        found = await other.search("Ships pass at night")
        assert [hit.memory.memory_id for hit in found] == [stored.memory_id]
        assert found[0].similarity == pytest.approx(1, abs=1e-3)
        adopted = await stored_embedding(memory.context.graph)
        assert adopted
        assert (adopted.model, adopted.dimensions) == ("small", 8)
    finally:
        await rebuild_embeddings(memory.context)
    assert (await memory.search("ships"))[0].memory.memory_id == stored.memory_id


async def test_names_and_facts_that_we_embedded_follow_a_change_of_model(
    memory: GraphMemory, driver: AsyncDriver, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def our_group(graph: object) -> list[str]:
        return [group]

    monkeypatch.setattr(reembedding, "groups", our_group)
    await stock(driver, group, 3, width=16)
    await adopt(memory.context, [group])
    one = await memory.add("Ships pass at night")
    two = await memory.add("Lighthouses burn all night")
    await memory.relations.add(one.memory_id, two.memory_id, fact="Ships see lighthouses")
    sharing = memory.settings.model_copy(update={"graphiti_vectors": True})
    shared = GraphMemory.over(
        memory.context.graph, memory.context.embedder, sharing, clock=memory.clock
    )
    assert (await rebuild_embeddings(shared.context, group)).rebuilt == 5 + 3 + 3

    small = memory.settings.model_copy(
        update={"embedding_model": "small", "embedding_dimensions": 8}
    )
    other = GraphMemory.over(memory.context.graph, SmallEmbedder(small), small, clock=memory.clock)
    try:
        assert (await rebuild_embeddings(other.context)).failed == 0
        records, _, _ = await driver.execute_query(
            "MATCH (n:Entity {group_id: $group})-[r:RELATES_TO]->() WHERE n.adopted_at IS NOT NULL "
            "RETURN n.name AS name, n.name_embedding AS of_name, r.fact AS fact, "
            "r.fact_embedding AS of_fact",
            group=group,
        )
        assert len(records) == 2
        for record in records:
            name, fact = await other.context.embedder.embed([record["name"], record["fact"]])
            assert record["of_name"] == pytest.approx(list(name), abs=1e-5)
            assert record["of_fact"] == pytest.approx(list(fact), abs=1e-5)
        records, _, _ = await driver.execute_query(
            "MATCH (n:Entity {group_id: $group}) RETURN collect(DISTINCT size(n.name_embedding)) "
            "AS widths",
            group=group,
        )
        assert records[0]["widths"] == [8]
        (best, *_) = await other.facts.search("Ships see lighthouses")
        assert best.fact == "Ships see lighthouses"
    finally:
        await rebuild_embeddings(memory.context)
    (best, *_) = await memory.facts.search("vessels notice towers of light")
    assert best.fact == "Ships see lighthouses"
