"""Finding what is known to answer, on a small labelled set of our own; its floors hold CI."""

import json
from pathlib import Path

import pytest
from neo4j import AsyncDriver

from graph_memory import GraphMemory
from graph_memory.errors import InvalidArgumentError
from graph_memory.evaluate import Form, evaluate, read_data
from graph_memory.plots import plot_evidence
from graph_memory.rebuild import groups

LABELLED = Path(__file__).parents[1] / "data" / "labelled.json"


async def test_what_answers_is_found_and_little_else_stands_before_it(
    memory: GraphMemory, tmp_path: Path
) -> None:
    """Of the first n results, n being the answers there are, more than 80 % are answers."""
    before = await groups(memory.graph)
    data = read_data(LABELLED)
    every, *of_each = await evaluate(memory, data, cutoffs=(1, 5, 10), budgets=(100, 300))
    print(every, *of_each, sep="\n")
    assert every.questions == len(data.questions) == 36
    assert {scores.category for scores in of_each} == {"fact", "work", "long", "talk", "time"}
    assert every.precision > 0.8
    assert every.recall[5] >= 0.95
    assert every.recall[10] >= every.recall[5] >= every.recall[1]
    assert every.ndcg >= 0.85
    assert every.found_at[300] >= every.found_at[100] > 0.7
    assert await groups(memory.graph) == before
    plot_evidence(every.found_at, tmp_path / "found.svg")
    assert "<svg" in (tmp_path / "found.svg").read_text()


async def test_teaching_leaves_every_other_question_to_be_scored(
    memory: GraphMemory, driver: AsyncDriver
) -> None:
    data = read_data(LABELLED)
    untaught, taught = [
        (await evaluate(memory, data, budgets=(), taught_shift=shift))[0] for shift in (0.0, 0.3)
    ]
    assert untaught.questions == taught.questions == 18
    assert untaught.recall[5] >= 0.95
    assert taught.recall[5] >= 0.9  # whatever is learned is bounded
    left, _, _ = await driver.execute_query(
        "MATCH (c:Control) WHERE c.key STARTS WITH 'feedback|evaluation_' RETURN c"
    )
    assert left == []


def test_locomo_is_read_as_published(tmp_path: Path) -> None:
    file = tmp_path / "locomo.json"
    turn = {"speaker": "Ada", "dia_id": "D2:1", "text": "Hi", "blip_caption": "a boat"}
    sample = {
        "sample_id": "conv-1",
        "conversation": {"session_2_date_time": "1:56 pm on 8 May, 2023", "session_2": [turn]},
        "qa": [
            {"question": "What?", "evidence": ["D2:01; D9:9"], "category": 4},
            {"question": "None?", "evidence": [], "category": 5},
        ],
    }
    file.write_text(json.dumps([sample]))
    data = read_data(file, Form.LOCOMO)
    assert data.memories[0].content == "Ada: Hi [shared image: a boat]"
    assert f"{data.memories[0].created_at:%Y-%m-%d %H:%M}" == "2023-05-08 13:56"
    assert [(q.text, q.evidence, q.category) for q in data.questions] == [("What?", ["D2:1"], "4")]


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"memories": []}',
        '{"memories": [], "questions": [{"text": "?", "evidence": ["1"]}]}',
    ],
)
def test_malformed_data_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "data.json").write_text(text)
    with pytest.raises(InvalidArgumentError):
        read_data(tmp_path / "data.json")
