"""Measure how well searches find what answers questions, over data whose answers are known.

The data is one JSON object:

    {"memories":  [{"id": "1", "content": "...", "created_at": "2026-01-01T00:00:00Z",
                    "conversation_id": "a", "group": "a"}],
     "questions": [{"text": "...", "evidence": ["1"], "category": "when", "group": "a"}]}

`created_at`, `conversation_id`, `category` and `group` may be left out. Memories are stored in
their order, in a new group for each `group`, which is erased afterwards; a question is asked of its
own group.
"""

import json
import math
import re
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from graph_memory import feedback, recall
from graph_memory.api import GraphMemory
from graph_memory.errors import InvalidArgumentError
from graph_memory.memories import FoundMemory
from graph_memory.profiles import Profile
from graph_memory.settings import Settings

#: Results a budget is filled from.
_DEEP = 200
_CHARACTERS_PER_TOKEN = 4
_BATCH = 200


class Form(StrEnum):
    """How a file of data is written."""

    OWN = "own"
    LOCOMO = "locomo"


class EvaluationMemory(BaseModel):
    """A memory to find things in."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    id: str
    content: str
    created_at: datetime | None = None
    conversation_id: str | None = None
    group: str = ""


class EvaluationQuestion(BaseModel):
    """A question, and the memories that answer it."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)

    text: str
    evidence: list[str]
    category: str = ""
    group: str = ""


class Evaluation(BaseModel):
    """Memories and the questions asked of them."""

    model_config = ConfigDict(extra="forbid")

    memories: list[EvaluationMemory]
    questions: list[EvaluationQuestion]


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over questions, each 0 to 1, but for the counts.

    Attributes:
        category: Whose; `all` for every question.
        questions: How many.
        recall: Of the evidence, the share among the first k, by k.
        mrr: 1 / the rank of the first evidence, 0 if there is none.
        ndcg: Gain of the first ten, discounted by log2(rank + 1), as a share of the ideal.
        precision: Of the first n results the share that is evidence, n being the evidence there is.
        tokens: In the first ten, at 4 characters each.
        found_at: Of the evidence, the share among results within a number of tokens, by number.
    """

    category: str
    questions: int
    recall: dict[int, float]
    mrr: float
    ndcg: float
    precision: float
    tokens: float
    found_at: dict[int, float]


def read_data(path: Path, form: Form = Form.OWN) -> Evaluation:
    """Read a file of memories and questions; questions without evidence are left out.

    Raises:
        InvalidArgumentError: It is not of that form, or names evidence that is not there.
    """
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        data = Evaluation.model_validate(_from_locomo(given) if form is Form.LOCOMO else given)
    except (ValidationError, ValueError, LookupError, TypeError, AttributeError) as error:
        what = str(error).splitlines()[0]
        raise InvalidArgumentError("data", str(path), f"write it as '{form}' ({what})") from error
    known = {(memory.group, memory.id) for memory in data.memories}
    for question in data.questions:
        if missing := [e for e in question.evidence if (question.group, e) not in known]:
            raise InvalidArgumentError("evidence", missing, "name memories of the question's group")
    asked = [question for question in data.questions if question.evidence]
    return data.model_copy(update={"questions": asked})


async def evaluate(
    memory: GraphMemory,
    data: Evaluation,
    *,
    profile: Profile = Profile.RECALL,
    cutoffs: Sequence[int] = (5, 10, 20),
    budgets: Sequence[int] = (500, 1000, 2000, 4000),
    taught_shift: float | None = None,
    on_progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[Scores]:
    """Store the data in groups of its own, ask its questions, and erase the groups again.

    To see what feedback is worth, every other question is kept for teaching, and the rest scored.

    Args:
        memory: Whose database, model and settings.
        data: What is asked of what.
        profile: How to rank.
        cutoffs: Numbers of results at which to look.
        budgets: Numbers of tokens at which to look.
        taught_shift: By how much feedback may move the weight of meaning, 0..1; None scores every
            question, and 0 those that teaching leaves over.
        on_progress: Called with what was done since, and with all memories and questions.

    Returns:
        The scores of all questions, then of each category.
    """
    groups = {m.group: f"evaluation_{secrets.token_hex(8)}" for m in data.memories}
    total = len(data.memories) + len(data.questions)
    results: dict[str, list[Scores]] = defaultdict(list)
    async with AsyncExitStack() as cleanup:
        for name, group in groups.items():
            cleanup.push_async_callback(
                memory.delete_all, confirm="DELETE ALL", permanent=True, group_id=group
            )
            members = [m for m in data.memories if m.group == name]
            for start in range(0, len(members), _BATCH):
                batch = members[start : start + _BATCH]
                await memory.add_many([_new(m, group) for m in batch], group_id=group)
                on_progress(len(batch), total)
        asked, settings = data.questions, dict.fromkeys(groups.values(), memory.settings)
        if taught_shift is not None:
            asked, lessons = asked[::2], asked[1::2]
            settings = await _taught(memory, lessons, groups, taught_shift, on_progress, total)
        for question in asked:
            group = groups[question.group]
            found = [
                await recall.search(
                    memory.graph, memory.embedder, settings[group], question.text,
                    group_id=group, now=memory.clock(), limit=limit, profile=profile,
                )
                for limit in (max(10, *cutoffs), _DEEP)[: 2 if budgets else 1]
            ]  # fmt: skip
            scores = _scored(question, found[0], found[-1], cutoffs, budgets)
            results[question.category].append(scores)
            on_progress(1, total)
    every = [scores for of_category in results.values() for scores in of_category]
    named = sorted(name for name in results if name)
    return [_mean("all", every), *(_mean(name, results[name]) for name in named)]


async def _taught(
    memory: GraphMemory,
    lessons: Sequence[EvaluationQuestion],
    groups: Mapping[str, str],
    shift: float,
    on_progress: Callable[[int, int], None],
    total: int,
) -> dict[str, Settings]:
    """Judge the first result of each question, and return each group's settings after that."""
    settings = memory.settings.model_copy(update={"feedback_max_shift": shift})
    engine, now = (memory.graph, memory.embedder, settings), memory.clock()
    for question in lessons if shift else ():
        group, text = groups[question.group], question.text
        for first in await recall.search(*engine, text, group_id=group, now=now, limit=1):
            useful = next(_hits([first], set(question.evidence)))
            await feedback.record(
                *engine, first.memory.memory_id,
                useful=useful, question=text, group_id=group, now=now,
            )  # fmt: skip
    on_progress(len(lessons), total)
    return {
        group: feedback.shifted(settings, await feedback.read(memory.graph, group_id=group))
        for group in groups.values()
    }


def _new(memory: EvaluationMemory, group: str) -> dict[str, Any]:
    """Return the arguments to store a memory, by an id that is its group's own."""
    return {
        "memory_id": f"{group}:{memory.id}",
        "content": memory.content,
        "created_at": memory.created_at,
        "conversation_id": memory.conversation_id,
    }


def _scored(
    question: EvaluationQuestion,
    found: Sequence[FoundMemory],
    deep: Sequence[FoundMemory],
    cutoffs: Sequence[int],
    budgets: Sequence[int],
) -> Scores:
    wanted = set(question.evidence)
    hits = list(_hits(found, wanted))
    first = next((rank for rank, hit in enumerate(hits, 1) if hit), None)
    ideal = _gain([True] * min(10, len(wanted)))
    return Scores(
        question.category,
        1,
        {k: sum(hits[:k]) / len(wanted) for k in cutoffs},
        1 / first if first else 0.0,
        _gain(hits[:10]) / ideal,
        sum(hits[: len(wanted)]) / len(wanted),
        sum(map(_tokens, found[:10])),
        {budget: sum(_hits(_within(deep, budget), wanted)) / len(wanted) for budget in budgets},
    )


def _hits(found: Sequence[FoundMemory], wanted: set[str]) -> Iterator[bool]:
    return (hit.memory.memory_id.partition(":")[2] in wanted for hit in found)


def _gain(hits: Sequence[bool]) -> float:
    return sum(hit / math.log2(rank + 1) for rank, hit in enumerate(hits, 1))


def _within(found: Sequence[FoundMemory], budget: int) -> list[FoundMemory]:
    """Return the first results that fit into a number of tokens together."""
    fitting: list[FoundMemory] = []
    for hit in found:
        budget -= _tokens(hit)
        if budget < 0:
            break
        fitting.append(hit)
    return fitting


def _tokens(hit: FoundMemory) -> int:
    return math.ceil(len(hit.memory.content) / _CHARACTERS_PER_TOKEN)


def _mean(category: str, scores: Sequence[Scores]) -> Scores:
    def each(values: Sequence[dict[int, float]]) -> dict[int, float]:
        return {key: fmean(value[key] for value in values) for key in (values[0] if values else {})}

    return Scores(
        category,
        len(scores),
        each([s.recall for s in scores]),
        fmean([s.mrr for s in scores] or [0]),
        fmean([s.ndcg for s in scores] or [0]),
        fmean([s.precision for s in scores] or [0]),
        fmean([s.tokens for s in scores] or [0]),
        each([s.found_at for s in scores]),
    )


def _from_locomo(given: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Turn LoCoMo's published form into ours: a memory a turn, a group a conversation.

    Evidence that names no turn is left out; of several ids in one string each counts.
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
            evidence = {f"D{session}:{turn}" for session, turn in pairs} & known
            questions.append({
                "text": question["question"], "evidence": sorted(evidence),
                "category": str(question["category"]), "group": group,
            })  # fmt: skip
    return {"memories": memories, "questions": questions}


def _locomo_turns(conversation: Mapping[str, Any], group: str) -> Iterator[dict[str, Any]]:
    sessions = [m for name in conversation if (m := re.fullmatch(r"session_(\d+)", name))]
    for session in sorted(sessions, key=lambda match: int(match[1])):
        date = datetime.strptime(conversation[f"{session[0]}_date_time"], "%I:%M %p on %d %B, %Y")
        for turn in conversation[session[0]]:
            image = f" [shared image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield {
                "id": turn["dia_id"], "content": f"{turn['speaker']}: {turn['text']}{image}",
                "created_at": date.replace(tzinfo=UTC), "conversation_id": group, "group": group,
            }  # fmt: skip
