"""What is to be measured is read as it is written, and refused where it would be scored wrongly."""

import json
from pathlib import Path
from typing import Any

import pytest

from graph_memory.errors import InvalidArgumentError
from graph_memory.evaluation.dataset import read_data
from graph_memory.evaluation.evaluate import OFF
from graph_memory.evaluation.formats import Form
from graph_memory.settings.search import SearchSettings

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


def put(file: Path, data: Any) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(data), encoding="utf-8")
    return file


def said(number: int, role: str, content: str, **more: Any) -> dict[str, Any]:
    return {"id": number, "role": role, "content": content, **more}


BEAM_CHAT: list[dict[str, Any]] = [
    {
        "batch_number": 1,
        "time_anchor": "March-15-2024",
        "turns": [
            [said(0, "user", "My code is cobalt. ->-> 1,1"), said(1, "assistant", "Noted.")],
            [said(2, "user", "And tea?", time_anchor="March-16-2024"), said(3, "assistant", " ")],
        ],
    },
    {"batch_number": 2, "time_anchor": None, "turns": [[said(1, "user", "Said twice.")]]},
]
BEAM_QUESTIONS: dict[str, Any] = {
    "abstention": [{"question": "Where do I live?", "source_chat_ids": [0]}],
    "contradiction_resolution": [
        {"question": "Which code?", "source_chat_ids": {"first": [0], "second": [2]}}
    ],
    "event_ordering": [{"question": "In which order?", "source_chat_ids": [[0], [1, 9]]}],
    "summarization": [{"question": "What was it about?"}],
}


@pytest.mark.parametrize("way", ["chats", "chat", "file", "rows", "text"])
def test_beam_is_read_as_published(tmp_path: Path, way: str) -> None:
    for name in ("10", "9"):
        put(tmp_path / name / "chat.json", BEAM_CHAT)
        put(tmp_path / name / "probing_questions" / "probing_questions.json", BEAM_QUESTIONS)
    row = {"conversation_id": "9", "chat": BEAM_CHAT, "probing_questions": BEAM_QUESTIONS}
    ways = {
        "chats": tmp_path,
        "chat": tmp_path / "9",
        "file": tmp_path / "9" / "chat.json",
        "rows": put(tmp_path / "rows.json", [row]),
        # As in the data set of Hugging Face: lists of messages, and questions as Python text.
        "text": put(
            tmp_path / "text.json",
            [
                row
                | {
                    "chat": [[m for turn in part["turns"] for m in turn] for part in BEAM_CHAT],
                    "probing_questions": str(BEAM_QUESTIONS),
                }
            ],
        ),
    }
    data = read_data(ways[way], Form.BEAM)
    if way == "chats":
        assert [memory.group for memory in data.memories[::4]] == ["9", "10"]
    memories = [memory for memory in data.memories if memory.group == "9"]
    assert [memory.content for memory in memories] == [
        "user: My code is cobalt.",
        "assistant: Noted.",
        "user: And tea?",
        "user: Said twice.",
    ]
    days = [memory.created_at and f"{memory.created_at:%Y-%m-%d}" for memory in memories]
    if way == "text":
        assert days == [None, None, "2024-03-16", None]
    else:
        assert days == ["2024-03-15", "2024-03-15", "2024-03-16", None]
    assert memories[0].conversation_id == memories[2].conversation_id
    assert memories[2].conversation_id != memories[3].conversation_id
    asked = {q.category: q.evidence for q in data.questions if q.group == "9"}
    assert asked == {
        "abstention": [],
        "contradiction_resolution": ["0", "2"],
        "event_ordering": ["0"],  # 1 is the id of two messages, and 9 of none
        "summarization": [],
    }


def test_devmembench_is_read_as_published(tmp_path: Path) -> None:
    sessions = [
        {
            "sessionId": "S01",
            "messages": [
                {"role": "user", "content": "We use FastAPI."},
                {"role": "assistant", "content": "Good.", "timestamp": "2025-01-02T10:00:00Z"},
            ],
            "metadata": {"date": "2025-01-01"},
        },
        {"sessionId": "S02", "messages": [{"role": "user", "content": "Now Flask."}]},
    ]
    asked = {"question": "Which framework?", "groundTruth": "Flask"}
    questions = [
        {**asked, "questionType": "knowledge-update", "haystackSessionIds": ["S01", "S02"]},
        {**asked, "questionType": "abstention", "haystackSessionIds": ["S01"]},
    ]
    file = put(tmp_path / "sessions.json", sessions)
    put(tmp_path / "questions.json", questions)
    whole = put(tmp_path / "whole.json", {"sessions": sessions, "questions": questions})
    for path in (tmp_path, file, whole):
        data = read_data(path, Form.DEVMEMBENCH)
        assert [(memory.id, memory.content) for memory in data.memories] == [
            ("S01/0", "user: We use FastAPI."),
            ("S01/1", "assistant: Good."),
            ("S02/0", "user: Now Flask."),
        ]
        assert [memory.created_at and memory.created_at.day for memory in data.memories] == [
            1,
            2,
            None,
        ]
        assert [(q.category, q.evidence) for q in data.questions] == [
            ("knowledge-update", ["S01/0", "S01/1", "S02/0"]),
            ("abstention", []),
        ]


def test_precisionmembench_is_read_as_published(tmp_path: Path) -> None:
    def belief(name: str, **more: Any) -> dict[str, Any]:
        shape = {"user_id": "test-user", "scope": ["domain:code"], "aliases": ["TS"]}
        named = {"_id": name, "canonical_name": name.title(), "content": f"About {name}."}
        return {**shape, **named, "why_it_matters": "It matters.", **more}

    beliefs = [
        belief("typescript", created_at="2026-01-01T00:00:00Z"),
        belief("old", superseded_by="typescript"),
        belief("resolved", resolved_at="2026-01-02T00:00:00Z"),
        belief("lisbon", scope=["domain:writing"], aliases=[]),
        belief("theirs", user_id="other-user"),
    ]

    def case(query: str, expect: dict[str, Any], **more: Any) -> dict[str, Any]:
        shape = {"caseId": query, "category": "alias", "scope": ["domain:code"]}
        return {**shape, "query": query, "expect": expect, **more}

    def relevant(**lists: Any) -> dict[str, Any]:
        return {"relevantBeliefs": lists}

    cases = [
        case("which language", relevant(mustInclude=["typescript"])),
        case("which city", relevant(shouldOnlyInclude=["lisbon"]), scope=["domain:writing"]),
        case("nothing of it", relevant(shouldOnlyInclude=[])),
        case("theirs", relevant(mustInclude=["theirs"]), userId="other-user"),
        case("only old ones", relevant(mustInclude=["old"])),
        case("only pinned ones", {"pinnedFacts": {"mustInclude": ["typescript"]}}),
        case(" ", relevant(mustInclude=["typescript"])),
        case("a cold start", relevant(shouldOnlyInclude=[]), userId="new-user"),
    ]
    file = put(tmp_path / "retrieval.cases.json", cases)
    put(tmp_path / "beliefs.seed.json", beliefs)
    for path in (tmp_path, file):
        data = read_data(path, Form.PRECISIONMEMBENCH)
        assert [(memory.group, memory.id) for memory in data.memories] == [
            ("test-user domain:code", "typescript"),
            ("test-user domain:writing", "lisbon"),
            ("other-user domain:code", "theirs"),
        ]
        assert data.memories[0].content == "Typescript TS About typescript. It matters."
        assert [(q.text, q.evidence) for q in data.questions] == [
            ("which language", ["typescript"]),
            ("which city", ["lisbon"]),
            ("nothing of it", []),
            ("theirs", ["theirs"]),
        ]


@pytest.mark.parametrize("form", [form for form in Form if form is not Form.OWN])
@pytest.mark.parametrize("data", [{"memories": []}, [1], [{}], "text", None])
def test_data_of_another_format_is_refused_by_name(tmp_path: Path, form: Form, data: Any) -> None:
    file = put(tmp_path / "data.json", data)
    with pytest.raises((InvalidArgumentError, FileNotFoundError)) as refused:
        read_data(file, form)
    if isinstance(refused.value, InvalidArgumentError):
        assert str(refused.value).startswith("data=")


def test_an_ablation_turns_off_every_weight_of_the_ranking() -> None:
    weights = {
        name
        for name in SearchSettings.model_fields
        if name.startswith("recall_") and name.endswith("_weight")
    }
    assert weights <= {name for off in OFF.values() for name in off}
