"""Memories that hooks add to a conversation, without a call of a tool by its model.

At the start of a session these are the important memories and the latest turns of its project; for
a prompt, those that bear on it. A session shows which memories the conversation holds already, its
own turns included. The result is one fenced text, the same for the same state of the graph, so that
the cache of a prompt stays valid.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from graph_memory.domain.fencing import fence, item
from graph_memory.domain.ids import short_ids
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
#: The beginning of a word at the end of a text that has words before it.
_LAST_WORD = re.compile(r"(?<=\S)\s+\S+\Z")

#: Important memories, and latest turns, among which the start of a session chooses.
_IMPORTANT = 10
_LATEST = 20

#: Share of the budget at the start of a session that important memories get at most.
_IMPORTANT_SHARE = 0.5

#: The beginning of the head of an item, with as many tokens as any.
_LONGEST_BEGINNING = "2026-11-25, conversation, by derived"

_STATEMENTS = tuple(kind for kind in MemoryType if kind is not MemoryType.CONVERSATION)


@dataclass(frozen=True, slots=True)
class Injection:
    """A text to add to the context of a conversation, and the memories in it."""

    text: str  #: empty if nothing is to be added
    memory_ids: list[str]


class ItemCounter(TokenCounter):
    """Counts the tokens of memories as items of a fence."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter

    async def count_contents(self, contents: Sequence[tuple[str, str]]) -> list[int]:
        """Count the tokens of each content, given with its id, with the head of its item."""
        ids = short_ids(id_ for id_, _ in contents)  # among fewer memories no id is longer
        return await self._counter.count(
            [item(f"{_LONGEST_BEGINNING}, {ids[id_]}", text) for id_, text in contents]
        )

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
    """Return the part of a prompt by which memories are found. It ends after a whole word."""
    cut = prompt[:_PROMPT_CHARACTERS]
    if cut == prompt or prompt[_PROMPT_CHARACTERS].isspace():
        return cut
    return _LAST_WORD.sub("", cut)


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
    listed = [*important, *latest]
    contents = {memory.memory_id: memory.content for memory in listed}
    counts = await counter.count_contents(list(contents.items()))
    costs = dict(zip(contents, counts, strict=True))
    chosen = _fitting(important, session, costs, int(max_tokens * _IMPORTANT_SHARE))
    chosen |= _fitting(latest, session, costs, max_tokens - sum(chosen.values()))
    memories = [memory for memory in listed if memory.memory_id in chosen]
    if memories:
        given = {memory.memory_id: memory.content for memory in memories}
        await hold(engine, scope, sessions, session_id, given, sum(chosen.values()))
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


def _fitting(
    memories: Sequence[BriefMemory], session: Session, costs: Mapping[str, int], budget: int
) -> dict[str, int]:
    """Return the tokens of the first memories that a session lacks and a budget allows, by id."""
    chosen: dict[str, int] = {}
    for memory in memories:
        id_, cost = memory.memory_id, costs[memory.memory_id]
        lacking = session.status(id_, version(memory.content), 0, _NEVER_STALE)
        if lacking and cost <= budget:
            chosen[id_] = cost
            budget -= cost
    return chosen


def _injection(memories: Iterable[BriefMemory]) -> Injection:
    """Return memories as a text, the earliest first.

    Their scores would change their order when other memories are added.
    """
    in_order = sorted(memories, key=lambda memory: (memory.created_at, memory.memory_id))
    ids = short_ids(memory.memory_id for memory in in_order)
    return Injection(
        fence(item(_head(memory, ids[memory.memory_id]), memory.content) for memory in in_order),
        [memory.memory_id for memory in in_order],
    )


def _head(memory: BriefMemory, short_id: str) -> str:
    authority = f"by {memory.authority}" if memory.authority else ""
    parts = (str(memory.created_at.date()), memory.memory_type, authority, short_id)
    return ", ".join(filter(None, parts))
