"""Published data with known answers, converted to the format of `dataset`. No I/O.

- LoCoMo: Maharana et al., Evaluating Very Long-Term Conversational Memory (2024).
- LongMemEval: Wu et al., LongMemEval (2024).
- BEAM: Tavakoli et al., Beyond a Million Tokens (2025).
- DevMemBench: of opencode-memory. PrecisionMemBench: of tenurehq (2026).

Data of another format raises `LookupError`, `TypeError`, `ValueError` or `AttributeError`.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, cast

Data = dict[str, Any]


def from_locomo(given: Sequence[Mapping[str, Any]]) -> Data:
    """Convert LoCoMo: a memory for each turn, a group for each conversation.

    Evidence that names no turn is left out. A string with several ids names several turns.
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


def from_longmemeval(given: Sequence[Mapping[str, Any]]) -> Data:
    """Convert LongMemEval: a memory for each turn, a group for each question with its sessions.

    The evidence is the turns that are marked with `has_answer`. Empty turns are left out.
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


def from_beam(given: Sequence[Mapping[str, Any]]) -> Data:
    """Convert BEAM: a memory for each message, a group for each chat.

    The evidence is `source_chat_ids`, without ids that several messages have. Questions of the
    kind abstention have none.
    """
    memories: list[Data] = []
    questions: list[Data] = []
    for chat in given:
        group = str(chat["conversation_id"])
        messages = list(_beam_messages(chat["chat"], group))
        repeated = Counter(message["id"] for message in messages)
        known = {id_ for id_, number in repeated.items() if number == 1}
        for number, message in enumerate(messages):
            if message["id"] not in known:
                message["id"] = f"{message['id']}#{number}"
        memories += messages
        for kind, asked in _literal(chat["probing_questions"]).items():
            for question in asked:
                named = {str(id_) for id_ in _leaves(question.get("source_chat_ids", ()))}
                evidence = set[str]() if kind == "abstention" else named & known
                questions.append(
                    {
                        "text": question["question"],
                        "evidence": sorted(evidence),
                        "category": kind,
                        "group": group,
                    }
                )
    return {"memories": memories, "questions": questions}


def _beam_messages(chat: Any, group: str) -> Iterator[Data]:
    """Yield the messages of a chat; a part of the chat is a conversation with a date."""
    for place, part in enumerate(chat):
        day = None
        for message in _messages(part):
            day = message.get("time_anchor") or day
            # A marker of the generator ends many messages of the user.
            content = re.sub(r"\s*->->\s*[\d,]+\s*$", "", message["content"])
            if content.strip():
                yield {
                    "id": str(message["id"]),
                    "content": f"{message['role']}: {content}",
                    "created_at": _day(day),
                    "conversation_id": f"{group}:{place}",
                    "group": group,
                }


def _messages(part: Any, anchor: str | None = None) -> Iterator[Mapping[str, Any]]:
    """Yield the messages in lists and in `turns` at any depth, each with the date of its part."""
    if isinstance(part, Mapping):
        node = cast(Mapping[str, Any], part)
        anchor = node.get("time_anchor") or anchor
        if "role" in node:
            yield {**node, "time_anchor": anchor}
        else:
            yield from _messages(node["turns"], anchor)
    else:
        for each in part:
            yield from _messages(each, anchor)


def _day(anchor: str | None) -> datetime | None:
    """Return a date such as `March-15-2024`; None for another text."""
    with suppress(ValueError):
        return datetime.strptime(anchor or "", "%B-%d-%Y").replace(tzinfo=UTC)
    return None


def _literal(value: Any) -> Any:
    """Return a value, or the value that its text is, as Python writes it."""
    try:
        return ast.literal_eval(value) if isinstance(value, str) else value
    except SyntaxError as error:
        raise ValueError(str(error)) from error


def _leaves(value: Any) -> Iterator[Any]:
    """Yield the values in maps and lists at any depth."""
    if isinstance(value, Mapping):
        value = list(cast(Mapping[str, Any], value).values())
    if isinstance(value, str) or not isinstance(value, Sequence):
        yield value
    else:
        for each in cast(Sequence[Any], value):
            yield from _leaves(each)


def from_devmembench(given: Mapping[str, Any]) -> Data:
    """Convert DevMemBench: a memory for each message, one group for all sessions.

    The evidence is all messages of the sessions in `haystackSessionIds`; questions of the kind
    abstention have none.
    """
    memories: list[Data] = []
    ids: dict[str, list[str]] = {}
    for session in given["sessions"]:
        name = str(session["sessionId"])
        date = session.get("metadata", {}).get("date")
        for number, message in enumerate(session["messages"]):
            memories.append(
                {
                    "id": f"{name}/{number}",
                    "content": f"{message['role']}: {message['content']}",
                    "created_at": message.get("timestamp") or date,
                    "conversation_id": name,
                }
            )
            ids.setdefault(name, []).append(memories[-1]["id"])
    questions = [
        {
            "text": question["question"],
            "evidence": []
            if question["questionType"] == "abstention"
            else [id_ for name in question["haystackSessionIds"] for id_ in ids.get(name, ())],
            "category": question["questionType"],
        }
        for question in given["questions"]
    ]
    return {"memories": memories, "questions": questions}


def from_precisionmembench(given: Mapping[str, Any]) -> Data:
    """Convert PrecisionMemBench: a memory for each belief, a group for each user and scopes.

    Superseded and resolved beliefs are left out. The evidence is what a case expects among the
    relevant beliefs; a case that expects something else, or has no query, is left out.
    """
    memories: dict[tuple[str, str], Data] = {}
    questions: list[Data] = []
    for case in given["cases"]:
        user, scopes = case.get("userId", "test-user"), set(case["scope"])
        group = " ".join([user, *sorted(scopes)])
        there = [
            belief
            for belief in given["beliefs"]
            if belief["user_id"] == user
            and not (belief.get("superseded_by") or belief.get("resolved_at"))
            and (not scopes or scopes & set(belief["scope"]))
        ]
        known = {belief["_id"] for belief in there}
        expected = case["expect"].get("relevantBeliefs", {})
        wanted = {id_ for key in _EXPECTED for id_ in expected.get(key, ())}
        nothing = expected.get("shouldOnlyInclude") == [] or expected.get("maxCount") == 0
        if not known or not case["query"].strip() or not (wanted & known or nothing):
            continue
        memories |= {(group, belief["_id"]): _belief(belief, group) for belief in there}
        questions.append(
            {
                "text": case["query"],
                "evidence": sorted(wanted & known),
                "category": case["category"],
                "group": group,
            }
        )
    return {"memories": [*memories.values()], "questions": questions}


#: The lists of beliefs that a case expects.
_EXPECTED = ("mustInclude", "shouldInclude", "shouldOnlyInclude")


def _belief(belief: Mapping[str, Any], group: str) -> Data:
    parts = [
        belief["canonical_name"],
        *belief.get("aliases", ()),
        belief["content"],
        belief.get("why_it_matters"),
    ]
    return {
        "id": belief["_id"],
        "content": " ".join(filter(None, parts)),
        "created_at": belief.get("created_at"),
        "group": group,
    }
