"""Published formats of data with known answers, turned into that of `dataset`."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any


class Form(StrEnum):
    """The format of a file of data."""

    OWN = "own"
    LOCOMO = "locomo"
    LONGMEMEVAL = "longmemeval"


def converted(given: Any, form: Form) -> Any:
    """Return data of a format in that of `dataset`, not checked yet.

    Raises:
        LookupError, TypeError, ValueError, AttributeError: The data is not of that format.
    """
    convert = _CONVERSIONS.get(form)
    return convert(given) if convert else given


def _from_locomo(given: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Convert LoCoMo: a memory for each turn, a group for each conversation.

    Evidence that names no turn is left out. A string with several ids names several turns.

    Source: Maharana et al., Evaluating Very Long-Term Conversational Memory (2024).
    """
    memories: list[dict[str, Any]] = []
    questions: list[dict[str, Any]] = []
    for number, sample in enumerate(given):
        group = str(sample.get("sample_id", number))
        turns = list(_locomo_turns(sample["conversation"], group))
        known = {turn["id"] for turn in turns}
        memories += turns
        for question in sample["qa"]:
            pairs = re.findall(r"D:?(\d+):0*(\d+)", " ".join(question.get("evidence", ())))
            named = {f"D{session}:{turn}" for session, turn in pairs}
            questions.append(
                {
                    "text": question["question"],
                    "evidence": sorted(named & known),
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


def _from_longmemeval(given: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Convert LongMemEval: a memory for each turn, a group for each question with its sessions.

    The evidence is the turns that are marked with `has_answer`. Empty turns are left out.

    Source: Wu et al., LongMemEval (2024).
    """
    memories: list[dict[str, Any]] = []
    questions: list[dict[str, Any]] = []
    for entry in given:
        group, evidence = str(entry["question_id"]), list[str]()
        sessions = zip(
            entry["haystack_session_ids"],
            entry["haystack_dates"],
            entry["haystack_sessions"],
            strict=True,
        )
        for place, (session_id, date, turns) in enumerate(sessions):
            at = datetime.strptime(re.sub(r"\(\w+\) ", "", date), "%Y/%m/%d %H:%M")
            for number, turn in enumerate(turns):
                if not turn["content"].strip():
                    continue
                turn_id = f"{place}:{session_id}:{number}"
                memories.append(
                    {
                        "id": turn_id,
                        "content": f"{turn['role']}: {turn['content']}",
                        "created_at": at.replace(tzinfo=UTC),
                        "conversation_id": f"{place}:{session_id}",
                        "group": group,
                    }
                )
                evidence += [turn_id] if turn.get("has_answer") else []
        questions.append(
            {
                "text": entry["question"],
                "evidence": evidence,
                "category": entry["question_type"],
                "group": group,
            }
        )
    return {"memories": memories, "questions": questions}


_CONVERSIONS: dict[Form, Callable[[Any], dict[str, Any]]] = {
    Form.LOCOMO: _from_locomo,
    Form.LONGMEMEVAL: _from_longmemeval,
}
