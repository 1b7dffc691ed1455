"""Measure how well searches find the answers to questions, on data with known answers.

Each `group` of the data becomes a new group, which is erased in the end. Its memories are stored in
their order, and its questions search in that group only.
"""

import math
import secrets
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from graph_memory.api.service import GraphMemory
from graph_memory.domain.batching import batched
from graph_memory.domain.models import FoundMemory
from graph_memory.domain.scope import CallScope
from graph_memory.evaluation.dataset import Evaluation, EvaluationMemory, EvaluationQuestion
from graph_memory.ranking.profiles import Profile
from graph_memory.search import feedback, search
from graph_memory.settings.base import Settings

#: Results from which a budget is filled.
_DEEP = 200
_CHARACTERS_PER_TOKEN = 4
_BATCH = 200


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over the questions of a category, each 0 to 1 except `questions` and `tokens`.

    Attributes:
        category: Category of the questions; `all` for every question.
        questions: Number of questions.
        recall: Share of the evidence that is among the first k results, by k.
        mrr: 1 / rank of the first evidence; 0 if no evidence is found.
        ndcg: Gain of the first ten results, discounted by log2(rank + 1), as a share of the ideal.
        precision: Share of evidence among the first n results, for n pieces of evidence.
        tokens: Tokens in the first ten results, at 4 characters each.
        found_at: Share of the evidence among the results within a budget, by budget in tokens.
    """

    category: str
    questions: int
    recall: dict[int, float]
    mrr: float
    ndcg: float
    precision: float
    tokens: float
    found_at: dict[int, float]


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
    """Store the data in new groups, ask its questions, and erase the groups.

    To measure the value of feedback, every second question gives feedback; the others are scored.

    Args:
        memory: Service whose database, model and settings are used.
        data: Memories and questions.
        profile: Profile of the ranking.
        cutoffs: Numbers of results at which to measure recall.
        budgets: Numbers of tokens at which to measure the evidence found.
        taught_shift: Largest shift of the weight of meaning by feedback, 0..1. None scores every
            question without feedback. 0 scores every second question without feedback.
        on_progress: Called with the number of memories and questions done since the last call, and
            with their total.

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
            for batch in batched(members, _BATCH):
                await _store(memory, batch, group)
                on_progress(len(batch), total)
        asked, settings = data.questions, dict.fromkeys(groups.values(), memory.settings)
        if taught_shift is not None:
            asked, lessons = asked[::2], asked[1::2]
            settings = await _taught(memory, lessons, groups, taught_shift, on_progress, total)
        for question in asked:
            group = groups[question.group]
            found = [
                await search.search(
                    replace(memory.context.engine, settings=settings[group]),
                    CallScope(group, memory.clock()),
                    question.text,
                    limit=limit,
                    profile=profile,
                )
                for limit in (max((10, *cutoffs)), _DEEP)[: 2 if budgets else 1]
            ]
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
    """Give feedback on the first result of each question, and return the settings by group."""
    settings = memory.settings.model_copy(update={"feedback_max_shift": shift})
    engine = replace(memory.context.engine, settings=settings)
    for question in lessons if shift else ():
        scope, text = CallScope(groups[question.group], memory.clock()), question.text
        for first in await search.search(engine, scope, text, limit=1):
            useful = next(_hits([first], set(question.evidence)))
            await feedback.record(
                engine, scope, first.memory.memory_id, useful=useful, question=text
            )
    on_progress(len(lessons), total)
    return {
        group: feedback.shifted_settings(
            settings, await feedback.read(memory.context.graph, group_id=group)
        )
        for group in groups.values()
    }


async def _store(memory: GraphMemory, batch: Sequence[EvaluationMemory], group: str) -> None:
    """Store memories, and raise the error of one that is refused: it would count as not found."""
    outcomes = await memory.add_many([_new(m, group) for m in batch], group_id=group)
    for outcome in outcomes:
        if outcome.error:
            raise outcome.error


def _new(memory: EvaluationMemory, group: str) -> dict[str, Any]:
    """Return the arguments to store a memory, with an id that is unique to its group."""
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
