"""The texts of memories, and the memories nearest to a question."""

import math
from pathlib import Path

import numpy as np
import pytest

from graph_memory.domain.passages import split
from graph_memory.evaluation.dataset import Evaluation, EvaluationMemory
from graph_memory.evaluation.metrics import Hit
from graph_memory.evaluation.nearest import Corpus, corpora

LONG = "The heat pump needs a new filter every autumn. " * 60


def corpus(*hits: tuple[str, int], chances: tuple[float, ...] = ()) -> Corpus:
    gains = chances or (0.0,) * len(hits)
    return Corpus([""] * len(hits), [Hit(*hit) for hit in hits], np.array(gains, np.float32))


def test_a_memory_is_as_near_as_its_nearest_text() -> None:
    texts = corpus(("a", 9), ("a", 3), ("b", 5))
    vectors = np.array([[0, 1], [1, 0], [0.6, 0.8]], np.float32)
    question = np.array([1, 0], np.float32)
    assert texts.nearest(vectors, question, 10) == [Hit("a", 3), Hit("b", 5)]
    assert texts.nearest(vectors, question, 1) == [Hit("a", 3)]


def test_what_passages_gain_by_their_number_does_not_count() -> None:
    vectors = np.array([[0, 1], [1, 0], [0.9, 0.4359]], np.float32)
    hits = ("a", 9), ("a", 3), ("b", 5)
    question = np.array([1, 0], np.float32)
    found = corpus(*hits, chances=(0, 0.2, 0)).nearest(vectors, question, 10)
    assert found == [Hit("b", 5), Hit("a", 3)]


def test_each_group_has_the_contents_and_passages_of_its_memories() -> None:
    memories = [
        EvaluationMemory(id="1", content="Ada prefers green tea", group="home"),
        EvaluationMemory(id="2", content=LONG, group="work"),
        EvaluationMemory(id="3", content="The ferry leaves at seven", group="home"),
    ]
    made = corpora(Evaluation(memories=memories, questions=[]))
    assert made.keys() == {"home", "work"}
    assert list(made["home"].texts) == ["Ada prefers green tea", "The ferry leaves at seven"]
    assert [hit.id for hit in made["home"].hits] == ["1", "3"]
    assert made["home"].chances.tolist() == [0, 0]
    passages = [passage.text for passage in split(LONG)]
    assert len(passages) > 2
    assert made["work"].texts == [LONG, *passages]
    assert {hit.id for hit in made["work"].hits} == {"2"}
    assert made["work"].hits[1].tokens == math.ceil(len(passages[0]) / 4)
    gain = 2 * 0.04 * math.sqrt(2 * math.log(len(passages)))
    assert made["work"].chances == pytest.approx([0, *[gain] * len(passages)])


def test_the_gain_is_that_of_the_database() -> None:
    cypher = Path(__file__).parents[3] / "cypher"
    text = (cypher / "fragments" / "ranking" / "chance.cypher").read_text(encoding="utf-8")
    assert "\n0.04 * sqrt(2 * log(m.passage_count))" in text
