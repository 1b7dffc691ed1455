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
from graph_memory.ranking.weights import SHOWN, Lesson, learn
from graph_memory.search import search
from graph_memory.search.candidates import gather, rank_candidates
from graph_memory.search.lessons import StoredLesson, lesson_fields

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
        method: `vectors`, `bm25` or `fusion` of the same candidates, `without` and a component, or
            `taught` for the weights that the other half of the questions of a group teaches.
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
    teaches: bool

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
    teaches: bool = False,
    on_progress: _Advance = lambda done, of: None,
) -> EvaluationReport:
    """Store the data in new groups, ask its questions, and erase the groups.

    Each question is asked in its group and, to measure the relevance, in another group of the data.
    To measure what weights learn, each half of the questions of a group teaches the other half.

    Args:
        memory: Service whose database, model and settings are used.
        data: Memories and questions.
        profile: Profile of the ranking.
        cutoffs: Numbers of results at which to measure recall.
        budgets: Numbers of tokens at which to measure the evidence found.
        ablates: Ask each question again without each component of the profile `recall` whose weight
            is a setting, and without the context of conversations.
        teaches: Ask each question again in the profile `recall` with the weights that the other
            half of the questions of its group teaches. A lesson is the first 20 results of a
            question, and the evidence among them.
        on_progress: Called with the number of memories and questions done since the last call, and
            with their total.
    """
    ids: dict[str, str] = {}
    run = _Run(memory, ids, profile, cutoffs, budgets, ablates, teaches)
    total = len(data.memories) + len(data.answerable) + len(data.questions)
    answers: dict[str, list[Answer]] = defaultdict(list)
    async with stored(memory, data, ids, lambda done: on_progress(done, total)) as groups:
        taught = await _taught(run, data.answerable, groups)
        for place, question in enumerate(data.answerable):
            group = groups[question.group]
            weights = taught.get((group, place % 2))
            for method, answer in (await _ask(run, question, group, weights)).items():
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
    run: _Run, question: EvaluationQuestion, group: str, taught: Mapping[str, float] | None
) -> dict[str, Answer]:
    """Return the measures of a question by method; those of the profile have the name ''."""
    engine, scope = run.memory.context.engine, CallScope(group, run.memory.clock())
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
    if taught is not None:
        other = replace(engine, learned=taught)
        methods["taught"] = await _search(run, other, scope, question, run.limit)
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
    calibration = calibration_for(run.memory.settings)
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
    run: _Run, questions: Sequence[EvaluationQuestion], groups: Mapping[str, str]
) -> dict[tuple[str, int], Mapping[str, float]]:
    """Return the weights for each half of a group that the other half of it teaches.

    The halves are the questions at even and at odd places, 0 and 1.
    """
    if not run.teaches or run.profile is not Profile.RECALL:
        return {}
    lessons: dict[tuple[str, int], list[Lesson]] = defaultdict(list)
    for place, question in enumerate(questions):
        if lesson := await _lesson(run, question, groups[question.group]):
            lessons[groups[question.group], 1 - place % 2].append(lesson)
    settings = run.memory.settings
    return {
        (group, half): learn(lessons[group, half], settings).settings
        for group in groups.values()
        for half in (0, 1)
    }


async def _lesson(run: _Run, question: EvaluationQuestion, group: str) -> Lesson | None:
    """Return the answer to a question, in which the evidence was useful."""
    engine, scope = run.memory.context.engine, CallScope(group, run.memory.clock())
    embedding = await engine.embedder.embed_query_tokens(question.text)
    ranked = await rank_candidates(
        engine, scope, question.text, embedding, limit=SHOWN, filters=Filters()
    )
    if ranked.ranking is None:
        return None
    ids = [each.memory.memory_id for each in ranked.memories]
    fields = lesson_fields(ranked.ranking, question.text, ids, learned=None)
    useful = [id_ for id_ in ids if run.ids.get(id_) in question.evidence]
    return StoredLesson(at="", useful_ids=useful, useless_ids=[], **fields).lesson()


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
