"""Measure how well searches find what answers questions, over data whose answers are known.

Memories are stored in their order, in a new group for each `group` of the data, which is erased
afterwards; a question is asked of its own group.
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

#: Results a budget is filled from.
_DEEP = 200
_CHARACTERS_PER_TOKEN = 4
_BATCH = 200


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
    """Judge the first result of each question, and return each group's settings after that."""
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
    """Store memories; one that is refused would be counted as not found, and is raised."""
    outcomes = await memory.add_many([_new(m, group) for m in batch], group_id=group)
    for outcome in outcomes:
        if outcome.error:
            raise outcome.error


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
