"""The data for an evaluation: memories, questions, and the memories that answer each question.

The file has one JSON object:

    {"memories":  [{"id": "1", "content": "...", "created_at": "2026-01-01T00:00:00Z",
                    "conversation_id": "a", "group": "a"}],
     "questions": [{"text": "...", "evidence": ["1"], "category": "when", "group": "a"}]}

`created_at`, `conversation_id`, `category` and `group` are optional. Data that would give wrong
figures is refused. An example is the same memory twice: only one is stored, and only one is found.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints

from graph_memory.domain.inputs import Content, Line, Question, validate
from graph_memory.domain.timestamps import Moment
from graph_memory.errors import InvalidArgumentError


class Form(StrEnum):
    """The format of a file of data."""

    OWN = "own"
    LOCOMO = "locomo"


class EvaluationMemory(BaseModel):
    """A memory to store before the questions are asked."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    id: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:\-]{1,100}$")]
    content: Content
    created_at: Moment | None = None
    conversation_id: Line | None = None
    group: str = ""


class EvaluationQuestion(BaseModel):
    """A question, and the memories that answer it."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    text: Question
    evidence: list[str]
    category: str = ""
    group: str = ""


class Evaluation(BaseModel):
    """Memories, and the questions about them."""

    model_config = ConfigDict(extra="forbid")

    memories: list[EvaluationMemory]
    questions: list[EvaluationQuestion]


def read_data(path: Path, form: Form = Form.OWN) -> Evaluation:
    """Read a file of memories and questions; questions without evidence are left out.

    Raises:
        InvalidArgumentError: The file is not of that form, has the same memory twice, or names
            evidence that is missing. The message names the entry.
    """
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        given = _from_locomo(given) if form is Form.LOCOMO else given
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        what = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        raise InvalidArgumentError("data", str(path), f"write it as '{form}' ({what})") from error
    data = validate(Evaluation, given, "data")
    _refuse_repeated(data, "id", lambda memory: memory.id)
    _refuse_repeated(data, "content", lambda memory: memory.content)
    _refuse_unknown(data)
    asked = [question for question in data.questions if question.evidence]
    if not asked:
        raise InvalidArgumentError(
            "data.questions", data.questions, "at least one with evidence is to be asked"
        )
    return data.model_copy(update={"questions": asked})


def _refuse_repeated(
    data: Evaluation, field: str, value_of: Callable[[EvaluationMemory], str]
) -> None:
    first: dict[tuple[str, str], int] = {}
    for number, memory in enumerate(data.memories):
        value = value_of(memory)
        if (other := first.setdefault((memory.group, value), number)) != number:
            raise InvalidArgumentError(
                f"data.memories.{number}.{field}", value, f"memories.{other} has it; leave one out"
            )


def _refuse_unknown(data: Evaluation) -> None:
    known = {(memory.group, memory.id) for memory in data.memories}
    for number, question in enumerate(data.questions):
        if missing := [e for e in question.evidence if (question.group, e) not in known]:
            raise InvalidArgumentError(
                f"data.questions.{number}.evidence", missing, "name memories of its group"
            )


def _from_locomo(given: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Turn LoCoMo's published form into ours: a memory a turn, a group a conversation.

    Evidence that names no turn is left out. A string with several ids names several turns. Turns
    with the same words become one memory; evidence that names any such turn names the memory.
    """
    memories: list[dict[str, Any]] = []
    questions: list[dict[str, Any]] = []
    for number, sample in enumerate(given):
        group = str(sample.get("sample_id", number))
        turns = list(_locomo_turns(sample["conversation"], group))
        first = {turn["content"]: turn["id"] for turn in reversed(turns)}
        known = {turn["id"]: first[turn["content"]] for turn in turns}
        memories += [turn for turn in turns if turn["id"] == known[turn["id"]]]
        for question in sample["qa"]:
            pairs = re.findall(r"D:?(\d+):0*(\d+)", " ".join(question.get("evidence", ())))
            named = [f"D{session}:{turn}" for session, turn in pairs]
            evidence = {known[turn] for turn in named if turn in known}
            questions.append(
                {
                    "text": question["question"],
                    "evidence": sorted(evidence),
                    "category": str(question["category"]),
                    "group": group,
                }
            )
    return {"memories": memories, "questions": questions}


def _locomo_turns(conversation: Mapping[str, Any], group: str) -> Iterator[dict[str, Any]]:
    sessions = [m for name in conversation if (m := re.fullmatch(r"session_(\d+)", name))]
    for session in sorted(sessions, key=lambda match: int(match[1])):
        date = datetime.strptime(conversation[f"{session[0]}_date_time"], "%I:%M %p on %d %B, %Y")
        for turn in conversation[session[0]]:
            image = f" [shared image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield {
                "id": turn["dia_id"],
                "content": f"{turn['speaker']}: {turn['text']}{image}",
                "created_at": date.replace(tzinfo=UTC),
                "conversation_id": group,
                "group": group,
            }
