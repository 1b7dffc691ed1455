"""Measure how well searches find the answers to questions, on data with known answers.

Each `group` of the data becomes a new group, which is erased in the end. Its memories are stored in
their order, and its questions search in that group only.
"""

import math
import random
import secrets
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from graph_memory.api.service import GraphMemory
from graph_memory.domain.batching import batched
from graph_memory.domain.inputs import Filters
from graph_memory.domain.models import SearchResults
from graph_memory.domain.scope import CallScope
from graph_memory.engine import Engine
from graph_memory.evaluation.answerability import (
    Answerability,
    Asked,
    Kind,
    summarise_relevance,
)
from graph_memory.evaluation.baselines import rankings
from graph_memory.evaluation.dataset import Evaluation, EvaluationMemory, EvaluationQuestion
from graph_memory.evaluation.metrics import (
    DEPTH,
    Answer,
    Hit,
    Scores,
    interval,
    measure,
    summarise,
)
from graph_memory.ranking.profiles import Profile
from graph_memory.ranking.relevance import calibration_for
from graph_memory.search import feedback, search
from graph_memory.search.candidates import gather
from graph_memory.settings.base import Settings

#: Results from which a budget is filled.
_DEEP = 200
_CHARACTERS_PER_TOKEN = 4
_BATCH = 200

#: The settings that turn a component of the profile `recall` off; `cross` needs a cross-encoder.
OFF: dict[str, dict[str, float]] = {
    "semantic": {"recall_vector_weight": 0.0},
    "text": {"recall_vector_weight": 1.0},
    "late": {"recall_late_weight": 0.0},
    "context": {"recall_context_characters": 0.0},
    "time": {"recall_time_weight": 0.0},
    "form": {"recall_form_weight": 0.0},
    "speaker": {"recall_speaker_weight": 0.0},
    "sitting": {"recall_sitting_weight": 0.0},
    "cross": {"recall_cross_encoder_weight": 0.0},
}

_Advance = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Another ranking of the same questions.

    Attributes:
        method: `vectors`, `bm25` or `fusion` of the same candidates, or `without` and a component.
        scores: The scores of all questions, then of each category, without `found_at`.
        difference: Mean of nDCG minus that of the profile, over all questions.
        difference_interval: Ends of its 95 % interval, by bootstrap over the questions.
    """

    method: str
    scores: list[Scores]
    difference: float
    difference_interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """The scores of a profile, of all questions and then of each category; and comparisons.

    `answerability` measures the relevance of the best results. It is None in the profiles weighted
    and hybrid, and for an embedding model without a calibration.
    """

    scores: list[Scores]
    comparisons: list[Comparison]
    answerability: Answerability | None = None


@dataclass(frozen=True, slots=True)
class _Run:
    """The arguments of an evaluation, for each question."""

    memory: GraphMemory
    ids: dict[str, str]  # of the data, by the id of the stored memory
    profile: Profile
    cutoffs: Sequence[int]
    budgets: Sequence[int]
    ablates: bool

    @property
    def limit(self) -> int:
        return max((DEPTH, *self.cutoffs))

    def hit(self, memory_id: str, characters: int) -> Hit:
        return Hit(self.ids.get(memory_id, ""), math.ceil(characters / _CHARACTERS_PER_TOKEN))


async def evaluate(
    memory: GraphMemory,
    data: Evaluation,
    *,
    profile: Profile = Profile.RECALL,
    cutoffs: Sequence[int] = (1, 5, 10),
    budgets: Sequence[int] = (500, 1000, 2000, 4000),
    ablates: bool = False,
    taught_shift: float | None = None,
    on_progress: _Advance = lambda done, of: None,
) -> EvaluationReport:
    """Store the data in new groups, ask its questions, and erase the groups.

    Each question is asked in its group and, to measure the relevance, in another group of the data.
    To measure the value of feedback, every second question gives feedback; the others are scored.

    Args:
        memory: Service whose database, model and settings are used.
        data: Memories and questions.
        profile: Profile of the ranking.
        cutoffs: Numbers of results at which to measure recall.
        budgets: Numbers of tokens at which to measure the evidence found.
        ablates: Ask each question again without each component of the profile `recall`.
        taught_shift: Largest shift of the weight of meaning by feedback, 0..1. None scores every
            question without feedback. 0 scores every second question without feedback.
        on_progress: Called with the number of memories and questions done since the last call, and
            with their total.
    """
    ids: dict[str, str] = {}
    run = _Run(memory, ids, profile, cutoffs, budgets, ablates)
    total = len(data.memories) + len(data.answerable) + len(data.questions)
    answers: dict[str, list[Answer]] = defaultdict(list)
    async with stored(memory, data, ids, lambda done: on_progress(done, total)) as groups:
        asked, settings = data.answerable, dict.fromkeys(groups.values(), memory.settings)
        if taught_shift is not None:
            asked, lessons = asked[::2], asked[1::2]
            settings = await _taught(run, lessons, groups, taught_shift)
            on_progress(len(lessons), total)
        for question in asked:
            group = groups[question.group]
            engine = replace(memory.context.engine, settings=settings[group])
            for method, answer in (await _ask(run, engine, question, group)).items():
                answers[method].append(answer)
            on_progress(1, total)
        answered = await _answerability(run, data, groups, lambda: on_progress(1, total))
    return replace(_report(answers), answerability=answered)


async def _answerability(
    run: _Run, data: Evaluation, groups: Mapping[str, str], on_question: Callable[[], None]
) -> Answerability | None:
    """Ask each question in its group, and answerable ones in another group of the data, too."""
    chance = random.Random(1)  # noqa: S311 - the same choice in each run
    asked: list[Asked] = []
    for question in data.questions if run.profile is Profile.RECALL else ():
        kind = Kind.OWN if question.evidence else Kind.ABSENT
        places = [(kind, groups[question.group])]
        others = [group for name, group in groups.items() if name != question.group]
        if question.evidence and others:
            places.append((Kind.FOREIGN, chance.choice(others)))
        for kind, group in places:
            scope = CallScope(group, run.memory.clock())
            found = await search.search(run.memory.context.engine, scope, question.text)
            best = max((hit.relevance or 0.0 for hit in found), default=0.0)
            if found.known is None:  # for the embedding model
                return None
            precision = _precision(run, found, question) if kind is Kind.OWN else None
            asked.append(Asked(kind, best, found.known, precision))
        on_question()
    return summarise_relevance(asked) if asked else None


async def _ask(
    run: _Run, engine: Engine, question: EvaluationQuestion, group: str
) -> dict[str, Answer]:
    """Return the measures of a question by method; those of the profile have the name ''."""
    scope = CallScope(group, run.memory.clock())
    found = await _search(run, engine, scope, question, run.limit)
    deep = await _search(run, engine, scope, question, _DEEP) if run.budgets else []
    methods = {"": found, **await _baselines(run, engine, scope, question)}
    if run.ablates and run.profile is Profile.RECALL:
        for component, off in OFF.items():
            if component == "cross" and not engine.settings.recall_cross_encoder:
                continue
            ablated = replace(engine, settings=engine.settings.model_copy(update=off))
            methods[f"without {component}"] = await _search(
                run, ablated, scope, question, run.limit
            )
    return {
        method: measure(
            question.category,
            question.evidence,
            hits,
            run.cutoffs,
            deep=() if method else deep,
            budgets=() if method else run.budgets,
        )
        for method, hits in methods.items()
    }


async def _search(
    run: _Run, engine: Engine, scope: CallScope, question: EvaluationQuestion, limit: int
) -> list[Hit]:
    found = await search.search(engine, scope, question.text, limit=limit, profile=run.profile)
    # A retrieval delivers the passage of a long memory.
    texts = [hit.passage.text if hit.passage else hit.memory.content for hit in found]
    return [
        run.hit(hit.memory.memory_id, len(text)) for hit, text in zip(found, texts, strict=True)
    ]


async def _baselines(
    run: _Run, engine: Engine, scope: CallScope, question: EvaluationQuestion
) -> dict[str, list[Hit]]:
    """Return the results of simple rankings, by name."""
    embedding = await engine.embedder.embed_query_tokens(question.text)
    gathered = await gather(
        engine, scope, question.text, embedding, limit=run.limit, filters=Filters()
    )
    candidates = gathered.candidates.memories if gathered else []
    terms = len(gathered.query.terms) if gathered else 0
    return {
        method: [run.hit(each.memory_id, each.characters) for each in order[: run.limit]]
        for method, order in rankings(candidates, terms).items()
    }


def _precision(run: _Run, found: SearchResults, question: EvaluationQuestion) -> float | None:
    """Return the share of evidence among the results that are not taken for irrelevant."""
    calibration = calibration_for(run.memory.settings.embedding_model)
    least = calibration.known_no_below if calibration else 0.0
    kept = [run.ids.get(h.memory.memory_id) for h in found if (h.relevance or 0.0) >= least]
    return sum(id_ in question.evidence for id_ in kept) / len(kept) if kept else None


def _report(answers: Mapping[str, Sequence[Answer]]) -> EvaluationReport:
    own = answers.get("", ())
    comparisons: list[Comparison] = []
    for method, others in answers.items():
        if method:
            gains = [other.ndcg - mine.ndcg for other, mine in zip(others, own, strict=True)]
            comparisons.append(Comparison(method, summarise(others), fmean(gains), interval(gains)))
    return EvaluationReport(summarise(own), comparisons)


async def _taught(
    run: _Run, lessons: Sequence[EvaluationQuestion], groups: Mapping[str, str], shift: float
) -> dict[str, Settings]:
    """Give feedback on the first result of each question, and return the settings by group."""
    memory = run.memory
    settings = memory.settings.model_copy(update={"feedback_max_shift": shift})
    engine = replace(memory.context.engine, settings=settings)
    for question in lessons if shift else ():
        scope, text = CallScope(groups[question.group], memory.clock()), question.text
        for first in await search.search(engine, scope, text, limit=1):
            memory_id = first.memory.memory_id
            useful = run.ids.get(memory_id) in question.evidence
            await feedback.record(engine, scope, memory_id, useful=useful, question=text)
    return {
        group: feedback.shifted_settings(
            settings, await feedback.read(memory.context.graph, group_id=group)
        )
        for group in groups.values()
    }


@asynccontextmanager
async def stored(
    memory: GraphMemory,
    data: Evaluation,
    ids: dict[str, str],
    on_progress: Callable[[int], None] = lambda done: None,
) -> AsyncGenerator[dict[str, str]]:
    """Store the data in new groups, yield them by their names in the data, and erase them.

    Args:
        memory: Service whose database and model are used.
        data: Memories and questions.
        ids: Receives the id in the data for each id of a stored memory.
        on_progress: Called with the number of memories stored since the last call.
    """
    groups = {m.group: f"evaluation_{secrets.token_hex(8)}" for m in data.memories}
    async with AsyncExitStack() as cleanup:
        for name, group in groups.items():
            cleanup.push_async_callback(
                memory.delete_all, confirm="DELETE ALL", permanent=True, group_id=group
            )
            members = [m for m in data.memories if m.group == name]
            for batch in batched(members, _BATCH):
                await _store(memory, batch, group, ids)
                on_progress(len(batch))
        yield groups


async def _store(
    memory: GraphMemory, batch: Sequence[EvaluationMemory], group: str, ids: dict[str, str]
) -> None:
    """Store memories, and raise the error of one that is refused: it would count as not found."""
    new: list[dict[str, Any]] = []
    for each in batch:
        memory_id = f"{group}:{len(ids)}"
        ids[memory_id] = each.id
        new.append(
            {
                "memory_id": memory_id,
                "content": each.content,
                "created_at": each.created_at,
                "conversation_id": each.conversation_id,
            }
        )
    for outcome in await memory.add_many(new, group_id=group):
        if outcome.error:
            raise outcome.error
