"""Embedding models compared on labelled data, each in a process of its own."""

import operator
from pathlib import Path

import pytest

from graph_memory import GraphMemory
from graph_memory.errors import EmbeddingError, InvalidArgumentError
from graph_memory.evaluation import models
from graph_memory.evaluation.dataset import read_data
from graph_memory.evaluation.evaluate import evaluate
from graph_memory.evaluation.models import compare_models
from graph_memory.inference import packaged_model
from graph_memory.memories.embeddings import groups
from tests.support.tiny_embedding_model import write_embedding_model

LABELLED = Path(__file__).parents[2] / "data" / "labelled.json"


async def test_models_are_compared_and_a_change_has_its_cost(
    memory: GraphMemory, tmp_path: Path
) -> None:
    tiny = str(write_embedding_model(tmp_path))
    data = read_data(LABELLED)
    await memory.add_many([{"content": f"a stored memory, number {i}"} for i in range(7)])
    before = await groups(memory.context.graph)
    stored = (await memory.embeddings.rebuild(dry_run=True)).candidates
    steps: list[tuple[int, int]] = []
    configured, other = await compare_models(
        memory, data, [tiny], on_progress=lambda done, of: steps.append((done, of))
    )
    assert (configured.model, other.model) == (packaged_model.NAME, tiny)
    assert sum(done for done, _ in steps) == steps[0][1]
    for report in (configured, other):
        assert report.scores[0].questions == len(data.answerable)
        assert (report.dimensions, report.vector_bytes) == (384, 1536)
        assert 0 < report.question_ms < 5000
        assert 0 < report.texts_ms < 1_000_000
    assert 50 < configured.peak_mb < other.peak_mb  # which needs torch
    assert configured.scores[0].ndcg > other.scores[0].ndcg  # its weights are random
    assert (configured.differences, configured.change) == ({}, None)
    gain = other.differences["ndcg"]
    assert gain.mean == pytest.approx(other.scores[0].ndcg - configured.scores[0].ndcg)
    assert gain.interval[0] <= gain.mean <= gain.interval[1] < 0
    assert other.change
    assert other.change.texts == stored >= 7
    assert not other.change.calibrated
    assert other.change.minutes > 0
    assert other.change.megabytes >= stored * 2 * 1536 / 1e6
    assert await groups(memory.context.graph) == before


async def test_the_vectors_are_those_of_a_search(memory: GraphMemory) -> None:
    data = read_data(LABELLED)
    (alone,) = await compare_models(memory, data, [])
    searched = (await evaluate(memory, data, budgets=())).comparisons[0]
    assert searched.method == "vectors"
    assert alone.scores[0].recall[10] == pytest.approx(searched.scores[0].recall[10], abs=0.05)
    assert alone.scores[0].ndcg == pytest.approx(searched.scores[0].ndcg, abs=0.05)


async def test_a_folder_without_a_model_is_named(memory: GraphMemory, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InvalidArgumentError, match="it cannot be opened") as caught:
        await compare_models(memory, read_data(LABELLED), [str(tmp_path)])
    assert caught.value.value == str(tmp_path)
    assert "\n" not in str(caught.value)


async def test_a_configured_model_that_fails_is_named_with_its_setting(
    memory: GraphMemory, tmp_path: Path
) -> None:
    settings = memory.settings.model_copy(update={"embedding_model": str(tmp_path)})
    other = GraphMemory.over(
        memory.context.graph, memory.context.embedder, settings, clock=memory.clock
    )
    with pytest.raises(EmbeddingError, match="GRAPH_MEMORY_EMBEDDING_MODEL"):
        await compare_models(other, read_data(LABELLED), [packaged_model.NAME])


async def test_a_process_that_ends_early_is_an_error(
    memory: GraphMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "serve", operator.eq)  # it returns, and opens no model
    with pytest.raises(EmbeddingError, match="has ended"):
        await compare_models(memory, read_data(LABELLED), [])
