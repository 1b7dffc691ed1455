"""The data for an evaluation: memories, questions, and the memories that answer each question.

The file has one JSON object:

    {"memories":  [{"id": "1", "content": "...", "created_at": "2026-01-01T00:00:00Z",
                    "conversation_id": "a", "group": "a"}],
     "questions": [{"text": "...", "evidence": ["1"], "category": "when", "group": "a"}]}

`created_at`, `conversation_id`, `category` and `group` are optional. Memories of a group with the
same content become one, because the service stores a content once; evidence that names one of them
names all. Data that would give wrong figures is refused, such as an id of two memories.
"""

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from graph_memory.domain.inputs import Content, Line, Question, validate
from graph_memory.domain.timestamps import Moment
from graph_memory.errors import InvalidArgumentError
from graph_memory.evaluation.formats import Form, read_form


class EvaluationMemory(BaseModel):
    """A memory to store before the questions are asked."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    id: Line
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

    @property
    def answerable(self) -> list[EvaluationQuestion]:
        """The questions with evidence; no memory answers the others."""
        return [question for question in self.questions if question.evidence]


def read_data(path: Path, form: Form = Form.OWN) -> Evaluation:
    """Read a file of memories and questions, or the folder of a format with several files.

    Raises:
        InvalidArgumentError: The file is not of that form, has two memories with one id, names
            evidence that is missing, or has no evidence at all. The message names the entry.
    """
    try:
        given = read_form(path, form)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        what = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        raise InvalidArgumentError("data", str(path), f"write it as '{form}' ({what})") from error
    data = validate(Evaluation, given, "data")
    _refuse_repeated_ids(data)
    _refuse_unknown(data)
    if not data.answerable:
        raise InvalidArgumentError(
            "data.questions", data.questions, "at least one with evidence is to be asked"
        )
    return _merged(data)


def _merged(data: Evaluation) -> Evaluation:
    """Return the data with one memory for each content of a group."""
    first: dict[tuple[str, str], str] = {}
    kept: dict[tuple[str, str], str] = {}
    for memory in data.memories:
        kept[memory.group, memory.id] = first.setdefault((memory.group, memory.content), memory.id)
    memories = [m for m in data.memories if kept[m.group, m.id] == m.id]
    questions = [
        q.model_copy(update={"evidence": sorted({kept[q.group, id_] for id_ in q.evidence})})
        for q in data.questions
    ]
    return Evaluation(memories=memories, questions=questions)


def _refuse_repeated_ids(data: Evaluation) -> None:
    first: dict[tuple[str, str], int] = {}
    for number, memory in enumerate(data.memories):
        if (other := first.setdefault((memory.group, memory.id), number)) != number:
            raise InvalidArgumentError(
                f"data.memories.{number}.id", memory.id, f"memories.{other} has it; give another"
            )


def _refuse_unknown(data: Evaluation) -> None:
    known = {(memory.group, memory.id) for memory in data.memories}
    for number, question in enumerate(data.questions):
        if missing := [e for e in question.evidence if (question.group, e) not in known]:
            raise InvalidArgumentError(
                f"data.questions.{number}.evidence", missing, "name memories of its group"
            )
