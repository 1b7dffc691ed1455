"""Another embedding model of sentence-transformers: a tiny one with random weights."""

from pathlib import Path

import pytest

from graph_memory import GraphMemory
from graph_memory.inference.embedder import Embedder
from tests.integration.search.test_search import FACTS
from tests.support.tiny_embedding_model import write_embedding_model


async def test_memories_are_stored_found_and_counted_with_it(
    memory: GraphMemory, tmp_path: Path
) -> None:
    settings = memory.settings.model_copy(
        update={"embedding_model": str(write_embedding_model(tmp_path))}
    )
    embedder = Embedder(settings)
    other = GraphMemory.over(memory.context.graph, embedder, settings, clock=memory.clock)
    await other.add_many([{"content": fact} for fact in FACTS])
    for fact in FACTS[:3]:
        best = (await other.search(fact))[0]
        assert best.memory.content == fact
        assert best.similarity == pytest.approx(1, abs=1e-3)
    (embedding,) = await embedder.embed_tokens(["one two three"])
    assert embedding.tokens
    assert embedding.tokens.vectors.shape == (3, 64)
    assert await other.context.token_counter.count(["one two three"]) == [3]
    await embedder.close()
