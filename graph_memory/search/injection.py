"""Memories that hooks add to a conversation, without a call of a tool by its model.

At the start of a session these are the important memories and the latest turns of its project; for
a prompt, those that bear on it. A session shows which memories the conversation holds already, its
own turns included. The result is one fenced text, the same for the same state of the graph, so that
the cache of a prompt stays valid.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graph_memory.domain.fencing import fence, item
from graph_memory.domain.inputs import Filters
from graph_memory.domain.models import RECALLED_STATES, BriefMemory, MemoryType, SortOrder
from graph_memory.domain.scope import CallScope
from graph_memory.engine import Engine
from graph_memory.inference.token_counter import TokenCounter
from graph_memory.search.budget import RetrievedMemory
from graph_memory.search.listing import list_memories
from graph_memory.search.retrieval import Retrieval
from graph_memory.search.session import Session, version
from graph_memory.search.session_store import SessionStore

#: Tokens after which a session may repeat a memory. A harness reports when it shortens its context,
#: and then the session begins again.
_NEVER_STALE = 1_000_000_000

#: Relations followed from a relevant memory: to what was stated just before and after it.
_DEPTH = 1

#: Characters of a prompt by which memories are found; the rest is often pasted.
_PROMPT_CHARACTERS = 2000

#: Important memories, and latest turns, among which the start of a session chooses.
_IMPORTANT = 10
_LATEST = 20

#: Share of the budget at the start of a session that important memories get at most.
_IMPORTANT_SHARE = 0.5

#: The head of an item with as many tokens as any: each character of an id may be one.
_LONGEST_HEAD = "2026-11-25, conversation, 1 a 2 b 3 c 4 d"
_ID_CHARACTERS = 8

_STATEMENTS = tuple(kind for kind in MemoryType if kind is not MemoryType.CONVERSATION)


@dataclass(frozen=True, slots=True)
class Injection:
    """A text to add to the context of a conversation, and the memories in it."""

    text: str  #: empty if nothing is to be added
    memory_ids: list[str]


class ItemCounter(TokenCounter):
    """Counts the tokens of texts as items of a fence."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter

    async def count(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text with the head of its item."""
        return await self._counter.count([item(_LONGEST_HEAD, text) for text in texts])

    async def left(self, max_tokens: int) -> int:
        """Return the part of a budget that the fence itself leaves for items."""
        (used,) = await self._counter.count([fence([""])])
        return max_tokens - used


def retrieval_for(session_id: str, max_tokens: int, least: float) -> Retrieval:
    """Return the options of the retrieval for a prompt.

    Args:
        session_id: The session of the conversation.
        max_tokens: Budget in tokens, for the items.
        least: Relevance that a memory needs.
    """
    return Retrieval(
        session_id=session_id,
        max_tokens=max_tokens,
        min_relevance=least,
        search_depth=_DEPTH,
        staleness_threshold=_NEVER_STALE,
    )


def question_of(prompt: str) -> str:
    """Return the part of a prompt by which memories are found."""
    return prompt[:_PROMPT_CHARACTERS]


def inject_retrieved(prompt: str, memories: Iterable[RetrievedMemory]) -> Injection:
    """Return retrieved memories as a text, without those that only repeat the prompt."""
    given = (each.memory for each in memories)
    return _injection(memory for memory in given if memory.content.strip() != prompt.strip())


async def inject_start(
    engine: Engine,
    scope: CallScope,
    counter: ItemCounter,
    sessions: SessionStore,
    session_id: str,
    *,
    project_id: str | None,
    max_tokens: int,
) -> Injection:
    """Return the important memories and the latest turns of a project, and note them as given.

    Args:
        engine: The database.
        scope: The tenant and the instant.
        counter: Counts the tokens of items.
        sessions: The store of sessions.
        session_id: The session that starts.
        project_id: The project; None for all memories of the group.
        max_tokens: Budget in tokens, for the items.
    """
    session, _ = await sessions.read(scope, session_id)
    important = await _listed(
        engine, scope, _STATEMENTS, SortOrder.IMPORTANCE, _IMPORTANT, project_id
    )
    latest = await _listed(
        engine, scope, (MemoryType.CONVERSATION,), SortOrder.CREATED_AT, _LATEST, project_id
    )
    chosen = await _fitting(important, session, counter, int(max_tokens * _IMPORTANT_SHARE))
    used = sum(chosen.values())
    chosen |= await _fitting(latest, session, counter, max_tokens - used)
    memories = [m for m in (*important, *latest) if m.memory_id in chosen]
    if memories:
        contents = {memory.memory_id: memory.content for memory in memories}
        await hold(engine, scope, sessions, session_id, contents, sum(chosen.values()))
    return _injection(memories)


async def hold(
    engine: Engine,
    scope: CallScope,
    sessions: SessionStore,
    session_id: str,
    contents: Mapping[str, str],
    tokens: int,
) -> None:
    """Note memories that a conversation holds without a retrieval, such as its own turns.

    Args:
        engine: The limits of a session.
        scope: The tenant and the instant.
        sessions: The store of sessions.
        session_id: The session of the conversation.
        contents: Contents by the id of their memory.
        tokens: Tokens of all contents.
    """
    written = False
    while not written:
        session, _ = await sessions.read(scope, session_id)
        following = session.after(
            {memory_id: version(content) for memory_id, content in contents.items()},
            position=session.total_tokens,
            tokens=tokens,
            settings=engine.settings,
        )
        written, _ = await sessions.write(scope, following)


async def _listed(
    engine: Engine,
    scope: CallScope,
    types: Sequence[MemoryType],
    sort: SortOrder,
    limit: int,
    project_id: str | None,
) -> Sequence[BriefMemory]:
    filters = Filters(memory_types=tuple(types), states=RECALLED_STATES, project_id=project_id)
    page = await list_memories(engine, scope, filters=filters, sort=sort, limit=limit)
    return page.memories


async def _fitting(
    memories: Sequence[BriefMemory], session: Session, counter: ItemCounter, budget: int
) -> dict[str, int]:
    """Return the tokens of the first memories that a session lacks and a budget allows, by id."""
    lacking = [
        memory
        for memory in memories
        if session.status(memory.memory_id, version(memory.content), 0, _NEVER_STALE)
    ]
    costs = await counter.count([memory.content for memory in lacking])
    chosen: dict[str, int] = {}
    for memory, cost in zip(lacking, costs, strict=True):
        if cost <= budget:
            chosen[memory.memory_id] = cost
            budget -= cost
    return chosen


def _injection(memories: Iterable[BriefMemory]) -> Injection:
    """Return memories as a text, the earliest first.

    Their scores would change their order when other memories are added.
    """
    in_order = sorted(memories, key=lambda memory: (memory.created_at, memory.memory_id))
    return Injection(
        fence(item(_head(memory), memory.content) for memory in in_order),
        [memory.memory_id for memory in in_order],
    )


def _head(memory: BriefMemory) -> str:
    kind, short_id = memory.memory_type, memory.memory_id[:_ID_CHARACTERS]
    return f"{memory.created_at.date()}, {kind}, {short_id}"
