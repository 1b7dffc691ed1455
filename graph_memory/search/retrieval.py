"""Retrieval: the memories that answer a question and that a conversation lacks, within a budget.

1. A search finds candidates.
2. A walk from the best of them, the anchors, adds their neighbours.
3. Memories that the conversation has loaded and still holds are left out.
4. The best of the rest fill the token budget.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, Field, WrapValidator

from graph_memory.decay import policies
from graph_memory.domain.inputs import Filters, Line, Unit
from graph_memory.domain.models import RECALLED_STATES, BriefMemory, ResultOrder
from graph_memory.domain.passages import Passage
from graph_memory.domain.readable import none_if_unreadable
from graph_memory.domain.scope import CallScope
from graph_memory.domain.turns import first_in_turn
from graph_memory.engine import Engine
from graph_memory.inference.embedder import Vector
from graph_memory.inference.token_counter import TokenCounter
from graph_memory.memories import filtering
from graph_memory.ranking.dates import asks_order
from graph_memory.ranking.profiles import (
    Profile,
    hybrid_parameters,
    spread_parameters,
    weighted_parameters,
    with_weights,
)
from graph_memory.ranking.scoring import RankedCandidate, Ranking
from graph_memory.search import search
from graph_memory.search.answer import Retrieved, memory_tokens
from graph_memory.search.budget import (
    BudgetCandidate,
    Priced,
    SearchHit,
    in_order,
    merge_candidates,
    relevant,
)
from graph_memory.search.candidates import judge_nothing, rank_candidates
from graph_memory.search.delivery import Delivery
from graph_memory.search.judgement import Judgement, relevance_without_words
from graph_memory.search.session import ChangedMemory, Session
from graph_memory.search.session_store import SessionStore
from graph_memory.settings.base import Settings

Budget = Annotated[int, Field(ge=1, le=1_000_000)]
SearchDepth = Annotated[int, Field(ge=0, le=5)]
Threshold = Annotated[int, Field(ge=0, le=1_000_000_000)]
AnchorCount = Annotated[int, Field(ge=1, le=50)]
ConversationTokens = Annotated[int, Field(ge=0, le=1_000_000_000_000)]
SessionId = Line
ProfileName = Annotated[
    Profile, BeforeValidator(lambda v: v.strip().lower() if isinstance(v, str) else v)
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval(Filters):
    """The options of a retrieval; None means the default of the settings."""

    max_tokens: Budget | None = None  #: budget in tokens, for all memories together
    search_depth: SearchDepth | None = None  #: steps from an anchor; 0 returns hits only
    anchor_count: AnchorCount | None = None  #: hits from which the graph is walked
    staleness_threshold: Threshold | None = None  #: tokens after which a memory is stale
    session_id: SessionId | None = None  #: session to continue; None begins a new one
    conversation_tokens: ConversationTokens | None = None  #: tokens so far, counted by the caller
    profile: ProfileName = Profile.RECALL
    weights: tuple[float, ...] | None = None  #: weights of the profile for this call
    min_relevance: Unit | None = None  #: relevance below which a memory is left out
    #: What the budget bounds: the contents, or the whole answer in the compact form of MCP.
    budget_of: Literal["contents", "answer"] = "contents"
    sort: ResultOrder | None = None  #: None is time for a question about an order, else score


@dataclass(frozen=True, slots=True)
class _Neighbour:
    memory: Annotated[BriefMemory | None, WrapValidator(none_if_unreadable)]
    similarity: float | None
    score: float
    components: dict[str, float | None]
    distance: int | None
    passage: tuple[int, int] | None


class _Found(NamedTuple):
    """The result of the search of a retrieval."""

    vector: Vector  #: of the question
    hits: list[SearchHit]  #: best first
    judgement: Judgement
    ranking: Ranking | None  #: of all candidates; of the profile `recall` only


@first_in_turn
async def retrieve(
    engine: Engine,
    scope: CallScope,
    counter: TokenCounter,
    sessions: SessionStore,
    question: str,
    asked: Retrieval,
) -> Retrieved:
    """Return the memories that answer a question and that a conversation does not hold.

    If two calls use one session at once, the second to write fills its budget again beside the
    memories that the first one returned, so that no memory is returned twice. A new session is
    written after the answer.

    Args:
        engine: The database, the model, defaults of the options and bounds of the walk.
        scope: The tenant, whose memories and sessions alone are used, and the instant.
        counter: Counts the tokens of contents.
        sessions: The store of sessions.
        question: Any text.
        asked: Budget, depth, session and filters.

    Raises:
        InvalidArgumentError: The weights do not fit the profile.
    """
    engine = replace(engine, settings=_for_this_call(engine.settings, asked))
    (session, changed), found = await asyncio.gather(
        _read_session(sessions, scope, asked.session_id),
        _search(engine, scope, question, asked),
    )
    past = asked.as_of or asked.known_at
    changed = [] if past else changed
    least = _least_relevance(asked, found.judgement, engine.settings)
    anchors = [hit for hit in found.hits if relevant(hit.relevance, least)]
    anchors = anchors[: engine.settings.anchor_count]
    candidates = await _candidates(engine, scope, asked, found, anchors, changed)
    briefs = [brief for each in candidates if (brief := each.as_brief)]
    priced = await _priced(counter, [*candidates, *briefs], changed, asked, engine.settings)
    delivery = Delivery(
        question=question,
        candidates=priced[: len(candidates)],
        briefs={brief.memory.memory_id: (brief, cost) for brief, cost in priced[len(candidates) :]},
        changed=changed,
        judgement=found.judgement,
        least=least,
        settings=engine.settings,
        conversation_tokens=asked.conversation_tokens,
        whole_answer=asked.budget_of == "answer",
        now=scope.now,
    )
    retrieved, session = await _deliver(delivery, sessions, scope, session)
    given = {each.memory.memory_id: each.passage for each in retrieved.memories}
    ranked = None if past else found.ranking
    sessions.delivered(scope, session.session_id, question, given, ranked)
    return replace(
        retrieved,
        memories=in_order(retrieved.memories, asked.sort or _order_for(question)),
        session_id=session.session_id,
        anchors=[hit.memory_id for hit in anchors],
    )


async def _candidates(
    engine: Engine,
    scope: CallScope,
    asked: Retrieval,
    found: _Found,
    anchors: Sequence[SearchHit],
    changed: Sequence[ChangedMemory],
) -> list[BudgetCandidate]:
    """Return the hits, the neighbours of the anchors and the changed memories, best first."""
    settings = engine.settings
    # A hybrid search has walked from the anchors already.
    walks = settings.traversal_depth and asked.profile is not Profile.HYBRID
    walked: Sequence[SearchHit] = anchors if walks else []
    updated_ids = [change.current_id for change in changed if change.current_id]
    read = await _read_neighbourhood(
        engine, scope, found.vector, asked, found.hits, walked, updated_ids
    )
    readable = (_candidate(row, found.judgement, asked.profile, settings) for row in read)
    others = [candidate for candidate in readable if candidate]
    return merge_candidates(found.hits, others, walked, asked.profile, settings)


async def _priced(
    counter: TokenCounter,
    candidates: Sequence[BudgetCandidate],
    changed: Sequence[ChangedMemory],
    asked: Retrieval,
    settings: Settings,
) -> list[Priced]:
    """Return the candidates with the tokens that each takes of the budget."""
    contents = [(each.memory.memory_id, each.text) for each in candidates]
    costs = await counter.count_contents(contents)
    if asked.budget_of == "answer":
        costs = memory_tokens(candidates, costs, changed, links=settings.resource_links)
    return list(zip(candidates, costs, strict=True))


async def _deliver(
    delivery: Delivery, sessions: SessionStore, scope: CallScope, session: Session
) -> tuple[Retrieved, Session]:
    """Fill the budget and write the session; return the result, and the session as written."""
    while True:
        retrieved, following = delivery.choose(session)
        written, session = await sessions.write(scope, following)
        if written:
            return retrieved, session
        # Another call of this conversation wrote first: choose beside its memories.


async def _read_session(
    sessions: SessionStore, scope: CallScope, session_id: str | None
) -> tuple[Session, list[ChangedMemory]]:
    """Read a session and the changes of its memories; without an id, begin a session."""
    if session_id is None:
        return Session(), []
    return await sessions.read(scope, session_id)


def _least_relevance(asked: Retrieval, judgement: Judgement, settings: Settings) -> float:
    """Return the relevance below which a memory is left out.

    By default all are left out if even the best is below `retrieve_min_relevance`. Beside a
    relevant memory, others of little relevance often belong to the answer.
    """
    if asked.min_relevance is not None:
        return asked.min_relevance
    doubtful = judgement.best is not None and judgement.best < settings.retrieve_min_relevance
    return settings.retrieve_min_relevance if doubtful else 0.0


def _order_for(question: str) -> ResultOrder:
    """Return the order of the result that a question asks for."""
    return ResultOrder.TIME if asks_order(question) else ResultOrder.SCORE


def _for_this_call(settings: Settings, asked: Retrieval) -> Settings:
    """Return the settings with the options of a retrieval."""
    given = {
        "default_token_budget": asked.max_tokens,
        "traversal_depth": asked.search_depth,
        "anchor_count": asked.anchor_count,
        "staleness_threshold": asked.staleness_threshold,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    return with_weights(settings, asked.profile, asked.weights).model_copy(update=changes)


async def _search(engine: Engine, scope: CallScope, question: str, asked: Retrieval) -> _Found:
    """Search for a question.

    With the profile `recall`, hits that only their neighbours brought in come without content.
    """
    embedding = await engine.embedder.embed_query_tokens(question)
    limit = engine.settings.retrieval_candidates
    if asked.profile is Profile.RECALL:
        ranked = await rank_candidates(
            engine, scope, question, embedding, limit=limit, filters=asked, include_content=True
        )
        hits = [_hit(each) for each in ranked.memories]
        return _Found(embedding.vector, hits, ranked.judgement, ranked.ranking)
    found = await search.search_by_vector(
        engine, scope, embedding.vector, asked.profile, limit=limit, filters=asked
    )
    hits = [
        SearchHit(hit.memory.memory_id, hit.similarity, hit.score, hit.components, hit.memory)
        for hit in found
    ]
    judgement = Judgement() if hits else await judge_nothing(engine, scope)
    return _Found(embedding.vector, hits, judgement, None)


def _hit(ranked: RankedCandidate) -> SearchHit:
    memory = ranked.memory
    return SearchHit(
        memory.memory_id,
        memory.similarity,
        ranked.score,
        ranked.components,
        memory.told,
        memory.related,
        ranked.relevance,
        ranked.passage,
    )


def _candidate(
    row: _Neighbour, judgement: Judgement, profile: Profile, settings: Settings
) -> BudgetCandidate | None:
    """Return a candidate that the search did not find, with its relevance.

    It contains no word of the question, or the search would have found it. Returns None for a
    memory that another client has damaged.
    """
    if row.memory is None:
        return None
    relevance = None
    if profile is Profile.RECALL:
        relevance = relevance_without_words(row.similarity, judgement, settings)
    return BudgetCandidate(
        row.memory,
        row.similarity,
        row.score,
        row.components,
        row.distance,
        relevance,
        Passage.of(row.memory.content, row.passage),
    )


async def _read_neighbourhood(
    engine: Engine,
    scope: CallScope,
    vector: Vector,
    asked: Retrieval,
    hits: Sequence[SearchHit],
    walked: Sequence[SearchHit],
    updated_ids: Sequence[str],
) -> list[_Neighbour]:
    """Fetch neighbours of the anchors, changed memories, and the hits that came without content.

    Args:
        engine: The database, and bounds of the walk.
        scope: The tenant and the instant.
        vector: Vector of the question.
        asked: Filters and profile.
        hits: Hits of the search.
        walked: Hits from which the graph is walked, unless they have no relations.
        updated_ids: Current ids of loaded memories that have changed.
    """
    anchors = [hit.memory_id for hit in walked if hit.related]
    found = {hit.memory_id: hit.similarity for hit in hits if hit.memory is None}
    if not anchors and not updated_ids and not found:
        return []
    settings = engine.settings
    decay = {"decay": policies.rules(settings)}
    scoring: dict[Profile, dict[str, Any]] = {
        Profile.RECALL: {"density_boost": 0.0},
        Profile.WEIGHTED: {"density_boost": 0.0, **weighted_parameters(settings), **decay},
        Profile.HYBRID: hybrid_parameters(settings) | decay,
    }
    statement = {
        Profile.RECALL: "search/retrieval/neighbours_recall",
        Profile.WEIGHTED: "search/retrieval/neighbours_weighted",
        Profile.HYBRID: "search/retrieval/neighbours_hybrid",
    }
    parameters: dict[str, Any] = {
        **scope.parameters(),
        "vector": vector,
        "anchors": anchors,
        "again": list(updated_ids),
        "found": list(found),
        "similarities": list(found.values()),
        "states": filtering.visible_states(asked, RECALLED_STATES),
        **filtering.filter_parameters(asked),
        **spread_parameters(settings),
        **scoring[asked.profile],
    }
    return await engine.graph.sound_rows(statement[asked.profile], _Neighbour, **parameters)
