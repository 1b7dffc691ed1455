"""Floors of recall for five kinds of text, beside the simple rankings of the same candidates."""

from graph_memory import GraphMemory
from graph_memory.evaluation.evaluate import evaluate
from tests.support.kinds import kinds

#: Least share of the evidence that is the first result, by kind. In two of five notes a short
#: memory of the same house comes first.
FIRST = {"chat": 0.95, "assistant": 0.95, "facts": 0.95, "code": 0.95, "notes": 0.6}


async def test_each_kind_of_text_keeps_its_floor(memory: GraphMemory) -> None:
    report = await evaluate(memory, kinds())
    found = {scores.category: scores.recall for scores in report.scores}
    for kind, first in FIRST.items():
        assert found[kind][1] >= first, (kind, found[kind])
        assert found[kind][5] == 1, (kind, found[kind])
    for comparison in report.comparisons:
        for scores in comparison.scores:
            best = scores.recall[5]
            assert found[scores.category][5] >= best, (comparison.method, scores.category)
