"""Search quality on a small labelled set of our own, with floors, beside simple rankings."""

from pathlib import Path

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.evaluation.answerability import Kind
from graph_memory.evaluation.dataset import read_data
from graph_memory.evaluation.evaluate import evaluate
from graph_memory.memories.embeddings import groups
from graph_memory.ranking import weights
from graph_memory.ranking.profiles import Profile
from graph_memory.reporting.plots import plot_evaluation

LABELLED = Path(__file__).parents[2] / "data" / "labelled.json"


async def test_what_answers_is_found_and_little_else_stands_before_it(
    memory: GraphMemory, tmp_path: Path
) -> None:
    """Of the first n results, n being the answers there are, more than 80 % are answers."""
    before = await groups(memory.context.graph)
    data = read_data(LABELLED)
    report = await evaluate(memory, data, cutoffs=(1, 5, 10), budgets=(100, 300))
    every, *of_each = report.scores
    print(every, *of_each, sep="\n")
    assert every.questions == len(data.questions) == 36
    assert {scores.category for scores in of_each} == {"fact", "work", "long", "talk", "time"}
    assert every.precision > 0.8
    assert every.recall[5] >= 0.95
    assert every.recall[10] >= every.recall[5] >= every.recall[1]
    assert every.complete[1] <= every.complete[5] <= every.recall[5]
    assert every.ndcg >= 0.85
    assert every.ndcg_interval[0] < every.ndcg < every.ndcg_interval[1]
    assert [comparison.method for comparison in report.comparisons] == ["vectors", "bm25", "fusion"]
    for comparison in report.comparisons:
        scores = comparison.scores[0]
        assert scores.questions == every.questions
        assert scores.recall[10] <= every.recall[10]
        assert comparison.difference == pytest.approx(scores.ndcg - every.ndcg)
        assert comparison.difference_interval[0] <= comparison.difference < 0
    assert every.found_at[300] >= every.found_at[100] > 0.7
    answered = report.answerability
    assert answered
    several = len({memory.group for memory in data.memories}) > 1
    assert answered.questions[Kind.OWN] == len(data.questions)
    assert (Kind.FOREIGN in answered.questions) is several
    assert answered.known_no[Kind.OWN].value <= 0.2  # many questions are paraphrases
    assert answered.precision
    assert 0.1 < answered.precision.value < 1
    for share in answered.auroc.values():
        assert share.interval[0] <= share.value
        assert share.value > 0.9
    assert await groups(memory.context.graph) == before
    plot_evaluation(every.found_at, [(0.1, 0.2), (0.9, 0.8)], tmp_path / "found.svg")
    assert "<svg" in (tmp_path / "found.svg").read_text()


async def test_an_ablation_measures_the_profile_without_each_component(
    memory: GraphMemory,
) -> None:
    data = read_data(LABELLED)
    few = data.model_copy(update={"questions": data.questions[::6]})
    report = await evaluate(memory, few, budgets=(), ablates=True)
    methods = [comparison.method for comparison in report.comparisons]
    parts = ["semantic", "text", "late", "context", "time", "form", "speaker", "sitting"]
    assert methods[3:] == [f"without {part}" for part in parts]
    without = {comparison.method: comparison for comparison in report.comparisons}
    assert without["without late"].scores[0].tokens != report.scores[0].tokens
    weighted = await evaluate(memory, few, profile=Profile.WEIGHTED, budgets=(), ablates=True)
    assert len(weighted.comparisons) == 3


async def test_each_half_of_the_questions_teaches_the_other(
    memory: GraphMemory, driver: AsyncDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = read_data(LABELLED)
    taught = (await evaluate(memory, data, budgets=(), teaches=True)).comparisons[-1]
    assert (taught.method, taught.difference) == ("taught", 0)  # too few lessons
    monkeypatch.setattr(weights, "LEAST_LESSONS", 5)
    report = await evaluate(memory, data, budgets=(), teaches=True)
    taught = report.comparisons[-1]
    assert taught.scores[0].questions == report.scores[0].questions == 36
    assert taught.scores[0].recall[5] >= 0.9  # whatever is learned is bounded
    low, high = taught.difference_interval
    assert low <= taught.difference <= high
    left, _, _ = await driver.execute_query(
        "MATCH (c) WHERE (c:Control AND c.key CONTAINS '|evaluation_') OR "
        "(c:Lesson AND c.group_id STARTS WITH 'evaluation_') RETURN c"
    )
    assert left == []
