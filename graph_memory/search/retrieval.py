"""Retrieve for a conversation: what answers, what lies around it, as much as a budget allows.

Candidates come from a search; from the best of them, the anchors, the graph is walked; what the
conversation has loaded and still holds is left out; the best of the rest fill the budget.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from graph_memory.database.graph import Graph
from graph_memory.decay import policies
from graph_memory.domain.inputs import Filters, Line
from graph_memory.domain.models import RECALLED_STATES
from graph_memory.domain.timestamps import instant
from graph_memory.inference.embedder import Embedder
from graph_memory.inference.token_counter import TokenCounter
from graph_memory.memories import filtering
from graph_memory.ranking.profiles import Profile, nearness, reweighed, spreading, weighing
from graph_memory.search import search
from graph_memory.search.budget import Candidate, Hit, RetrievedMemory, chosen, ranked
from graph_memory.search.session import Change, Reason, Session, Status
from graph_memory.search.session_store import Sessions
from graph_memory.settings.base import Settings

#: A question may be long; the history of a session keeps how it begins.
_QUERY_CHARACTERS = 200

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
    """What to retrieve, for which conversation; None means the default."""

    max_tokens: Budget | None = None  #: of all contents together
    search_depth: SearchDepth | None = None  #: relations from an anchor; 0 stays with the search
    anchor_count: AnchorCount | None = None
    staleness_threshold: Threshold | None = None  #: tokens
    session_id: SessionId | None = None  #: a new one by default
    conversation_tokens: ConversationTokens | None = None  #: so far, as the caller counts
    profile: ProfileName = Profile.RECALL
    weights: tuple[float, ...] | None = None  #: of the profile, for this call


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a conversation is given."""

    session_id: str
    memories: list[RetrievedMemory]  #: best first
    tokens_used: int
    total_tokens: int  #: of the conversation, these included
    anchors: list[str]
    skipped_loaded: list[str]  #: what the model has and answers as well, best first
    refreshed: list[str]  #: of the memories, those that had gone stale
    changed: list[Change]  #: what the model has and should not rely on


async def retrieve(
    graph: Graph,
    embedder: Embedder,
    counter: TokenCounter,
    sessions: Sessions,
    settings: Settings,
    question: str,
    asked: Retrieval,
    *,
    group_id: str,
    now: datetime,
) -> Retrieved:
    """Give a conversation the memories that answer `question` and that it does not have.

    Of two calls at once on one session, the second to write chooses again beside what the first
    gave, so neither gives a memory twice. A session that begins here is written behind the answer.

    Args:
        graph: Where to look.
        embedder: Maps the question to a vector.
        counter: Counts the tokens of contents.
        sessions: What conversations were given.
        settings: The defaults, and the bounds of spreading.
        question: Any text.
        asked: Budget, depth, session and filters.
        group_id: The tenant; no other's memories or sessions are seen.
        now: The caller's clock.

    Raises:
        InvalidArgumentError: The weights do not fit the profile.
    """
    settings = _for_this_call(settings, asked)
    (session, changed), hits = await asyncio.gather(
        _session(sessions, asked.session_id, group_id=group_id, now=now),
        _hits(graph, embedder, settings, question, asked, group_id=group_id, now=now),
    )
    past = asked.as_of or asked.known_at
    changed = [] if past else changed
    anchors = hits[: settings.anchor_count]
    # A hybrid search has been around them.
    walks = settings.traversal_depth and asked.profile is not Profile.HYBRID
    begun = anchors if walks else []
    again = [change.current_id for change in changed if change.current_id]
    read = await _read(
        graph,
        settings,
        await embedder.embed_query(question),
        asked,
        hits,
        begun,
        again,
        group_id=group_id,
        now=now,
    )
    met = ranked(hits, read, begun, asked.profile, settings)
    costs = await counter.count([candidate.memory.content for candidate in met])
    candidates = list(zip(met, costs, strict=True))
    while True:
        position = session.position(asked.conversation_tokens)
        given, skipped = chosen(session, candidates, position, settings)
        used = sum(memory.tokens for memory in given)
        following = session.after(
            {memory.memory.memory_id: memory.memory.content for memory in given},
            position=position,
            tokens=used,
            gone=[c.memory_id for c in changed if c.reason is not Reason.UPDATED],
            event={
                "at": instant(now),
                "query": question[:_QUERY_CHARACTERS],
                "position": position,
                "tokens": used,
                "memories": len(given),
            },
            settings=settings,
        )
        written, session = await sessions.write(following, group_id=group_id, now=now)
        if written:
            return Retrieved(
                session_id=session.session_id,
                memories=given,
                tokens_used=used,
                total_tokens=session.total_tokens,
                anchors=[hit.memory_id for hit in anchors],
                skipped_loaded=skipped,
                refreshed=[m.memory.memory_id for m in given if m.status is Status.REFRESHED],
                changed=changed,
            )
        # Another call of this conversation was quicker: choose beside what that gave.


async def _session(
    sessions: Sessions, session_id: str | None, *, group_id: str, now: datetime
) -> tuple[Session, list[Change]]:
    """Read the session that is named, or begin one."""
    if session_id is None:
        return Session(), []
    return await sessions.read(session_id, group_id=group_id, now=now)


def _for_this_call(settings: Settings, asked: Retrieval) -> Settings:
    given = {
        "default_token_budget": asked.max_tokens,
        "traversal_depth": asked.search_depth,
        "anchor_count": asked.anchor_count,
        "staleness_threshold": asked.staleness_threshold,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    return reweighed(settings, asked.profile, asked.weights).model_copy(update=changes)


async def _hits(
    graph: Graph,
    embedder: Embedder,
    settings: Settings,
    question: str,
    asked: Retrieval,
    *,
    group_id: str,
    now: datetime,
) -> list[Hit]:
    """Search; by the default profile those met only around others come without what they tell."""
    limit = settings.retrieval_candidates
    if asked.profile is Profile.RECALL:
        best = await search.best(
            graph,
            embedder,
            settings,
            question,
            group_id=group_id,
            now=now,
            limit=limit,
            filters=asked,
            tell=True,
        )
        return [
            Hit(m.memory_id, m.similarity, score, why, m.told, m.related) for m, score, why in best
        ]
    found = await search.search(
        graph,
        embedder,
        settings,
        question,
        group_id=group_id,
        now=now,
        limit=limit,
        filters=asked,
        profile=asked.profile,
    )
    return [
        Hit(hit.memory.memory_id, hit.similarity, hit.score, hit.components, hit.memory)
        for hit in found
    ]


async def _read(
    graph: Graph,
    settings: Settings,
    vector: Any,
    asked: Retrieval,
    hits: Sequence[Hit],
    begun: Sequence[Hit],
    again: Sequence[str],
    *,
    group_id: str,
    now: datetime,
) -> list[Candidate]:
    """Fetch what lies around the anchors, what changed, and of the hits what is not known yet.

    Where nothing is related, that is nothing.
    """
    begin = [hit.memory_id for hit in begun if hit.related]
    found = {hit.memory_id: hit.similarity for hit in hits if hit.memory is None}
    if not begin and not again and not found:
        return []
    fading = {"decay": policies.rules(settings)}
    scoring: dict[Profile, dict[str, Any]] = {
        Profile.RECALL: {"density_boost": 0.0},
        Profile.WEIGHTED: {"density_boost": 0.0, **weighing(settings), **fading},
        Profile.HYBRID: nearness(settings) | fading,
    }
    statement = {
        Profile.RECALL: "search/retrieval/neighbours_recall",
        Profile.WEIGHTED: "search/retrieval/neighbours_weighted",
        Profile.HYBRID: "search/retrieval/neighbours_hybrid",
    }
    parameters: dict[str, Any] = {
        "group_id": group_id,
        "vector": vector,
        "anchors": begin,
        "again": list(again),
        "found": list(found),
        "similarities": list(found.values()),
        "states": filtering.visible_states(asked, RECALLED_STATES),
        **filtering.filter_parameters(asked),
        "now": instant(now),
        **spreading(settings),
        **scoring[asked.profile],
    }
    return await graph.rows(statement[asked.profile], Candidate, **parameters)
