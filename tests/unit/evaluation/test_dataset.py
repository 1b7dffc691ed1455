"""What is to be measured is read as it is written, and refused where it would be scored wrongly."""

import json
from pathlib import Path
from typing import Any

import pytest

from graph_memory.errors import InvalidArgumentError
from graph_memory.evaluation.dataset import read_data
from graph_memory.evaluation.formats import Form

TEA = {"id": "1", "content": "Ada drinks tea", "created_at": "2026-01-01T00:00:00Z"}
ASKED = {"text": "What does Ada drink?", "evidence": ["1"]}


def write(folder: Path, data: Any) -> Path:
    file = folder / "data.json"
    file.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return file


def test_memories_and_questions_are_read(tmp_path: Path) -> None:
    unanswered = {"text": "And Bob?", "evidence": []}
    elsewhere = {**TEA, "group": "b"}
    data = {"memories": [TEA, elsewhere], "questions": [ASKED, unanswered]}
    read = read_data(write(tmp_path, data))
    assert [memory.group for memory in read.memories] == ["", "b"]
    assert [question.text for question in read.questions] == ["What does Ada drink?", "And Bob?"]
    assert [question.text for question in read.answerable] == ["What does Ada drink?"]


@pytest.mark.parametrize(
    ("memories", "questions", "said"),
    [
        ([{**TEA, "content": " "}], [ASKED], r"data\.memories\.0\.content=' ' .* white space"),
        ([TEA, {**TEA, "content": "x"}], [ASKED], r"memories\.1\.id='1' .* memories\.0 has it"),
        ([{**TEA, "id": " "}], [ASKED], r"memories\.0\.id=' ' .* white space"),
        ([{**TEA, "created_at": "May"}], [ASKED], r"memories\.0\.created_at='May' .* ISO 8601"),
        ([TEA], [{**ASKED, "text": ""}], r"questions\.0\.text=''"),
        ([TEA], [{**ASKED, "evidence": ["9"]}], r"questions\.0\.evidence=\['9'\]"),
        ([TEA], [{"text": "?"}], r"questions\.0\.evidence=None .* required"),
        ([TEA], [{**ASKED, "evidence": []}], r"questions=.* at least one"),
        ([TEA], [], r"questions=\[\] .* at least one"),
    ],
)
def test_broken_data_is_refused_by_entry_field_and_value(
    memories: list[Any], questions: list[Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidArgumentError, match=said):
        read_data(write(tmp_path, {"memories": memories, "questions": questions}))


@pytest.mark.parametrize("text", ["{", "[]", '{"memories": []}'])
def test_what_is_no_data_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^data"):
        read_data(write(tmp_path, text))


def test_memories_with_the_same_content_become_one(tmp_path: Path) -> None:
    memories = [TEA, {**TEA, "id": "session/2"}, {**TEA, "id": "3", "group": "b"}]
    asked = {**ASKED, "evidence": ["session/2", "1"]}
    read = read_data(write(tmp_path, {"memories": memories, "questions": [asked]}))
    assert [(memory.group, memory.id) for memory in read.memories] == [("", "1"), ("b", "3")]
    assert read.questions[0].evidence == ["1"]


def test_longmemeval_is_read_as_published(tmp_path: Path) -> None:
    entry = {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "What do I drink?",
        "haystack_session_ids": ["s1", "s1"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 09:00"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I drink tea.", "has_answer": True},
                {"role": "assistant", "content": " "},
            ],
            [{"role": "assistant", "content": "Good."}],
        ],
    }
    absent = {**entry, "question_id": "q2_abs", "haystack_sessions": [[], []]}
    data = read_data(write(tmp_path, [entry, absent]), Form.LONGMEMEVAL)
    first, second = data.memories
    assert (first.content, first.group) == ("user: I drink tea.", "q1")
    assert f"{first.created_at:%Y-%m-%d %H:%M}" == "2023-05-20 02:21"
    assert first.conversation_id != second.conversation_id
    assert [(q.evidence, q.category) for q in data.answerable] == [
        (["0:s1:0"], "single-session-user")
    ]


def test_locomo_is_read_as_published(tmp_path: Path) -> None:
    turn = {"speaker": "Ada", "dia_id": "D2:1", "text": "Hi", "blip_caption": "a boat"}
    again = {**turn, "dia_id": "D2:2"}
    sample = {
        "sample_id": "conv-1",
        "conversation": {
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [turn, again],
        },
        "qa": [
            {"question": "What?", "evidence": ["D2:01; D9:9"], "category": 4},
            {"question": "Again?", "evidence": ["D2:2"], "category": 4},
            {"question": "None?", "evidence": [], "category": 5},
        ],
    }
    data = read_data(write(tmp_path, [sample]), Form.LOCOMO)
    (said,) = data.memories  # twice in the same words is one memory
    assert said.content == "Ada: Hi [shared image: a boat]"
    assert f"{said.created_at:%Y-%m-%d %H:%M}" == "2023-05-08 13:56"
    assert [(q.text, q.evidence, q.category) for q in data.answerable] == [
        ("What?", ["D2:1"], "4"),
        ("Again?", ["D2:1"], "4"),
    ]
