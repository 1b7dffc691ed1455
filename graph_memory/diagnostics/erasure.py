"""Permanent deletion with a receipt: erase, search every place again, clear leftovers, and sign."""

import asyncio
import secrets
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from graph_memory import wording
from graph_memory.context import Context
from graph_memory.database.graph import Graph
from graph_memory.diagnostics import erasure_copies
from graph_memory.diagnostics.erasure_places import (
    NAMED,
    backup_places,
    elsewhere,
    graph_places,
    old_copy,
)
from graph_memory.diagnostics.traces import (
    ENTITIES,
    PURGED,
    RELATIONS,
    SESSIONS,
    WAITING,
    Glimpse,
    Plain,
    Trace,
    edges_with,
    find_traces,
    glimpses,
    traces_of,
)
from graph_memory.domain.batching import batched
from graph_memory.domain.encoding import decompress, group_key
from graph_memory.domain.names import Name, Names, name_words
from graph_memory.domain.receipts import Keys, Receipt, SearchedPlace, looks_random, words_of
from graph_memory.domain.scope import CallScope
from graph_memory.domain.timestamps import instant
from graph_memory.memories import tombstones, update
from graph_memory.memories.absent import not_found
from graph_memory.memories.standing import require_standing

#: Memories that one statement erases.
_BATCH = 100

#: Words of one query of the full-text index.
_QUERY_WORDS = 200

#: Other memories that may have a word which looks random, and still identifies the erased.
_RARE = 3

#: Places whose nodes are deleted if they hold erased words.
_CLEARED = {"queue of episodes", "feedback"}

#: Memories of a group whose texts one statement reads, or that it deletes.
_PORTION = 500

Progress = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class _Texts:
    memory_id: str
    texts: list[str]
    packed: str | None

    def contents(self) -> list[str]:
        """Return the texts of the memory, the compressed one included."""
        return [*self.texts, *([decompress(self.packed)] if self.packed else [])]


@dataclass(frozen=True, slots=True)
class Erased:
    """Facts about memories that are known before they are erased."""

    memory_ids: tuple[str, ...]
    contents: tuple[str, ...]
    words: frozenset[str]  #: words that only these memories have
    names: tuple[Name, ...] = ()  #: names by which they were selected
    purged: frozenset[str] = frozenset()  #: purged memories with one of the names
    whole: bool = False  #: whether they are all that the group has

    def sought(self) -> Plain:
        """Return what a search for leftovers looks for."""
        return Plain(self.memory_ids, self.words, self.contents, self.names, whole=self.whole)

    def spelled(self) -> set[str]:
        """Return the names as a search returns them."""
        return {" ".join(name) for name in self.names}


async def keys_of(graph: Graph) -> Keys:
    """Return the keys of a database; its first receipt makes them."""
    secret = await graph.one("diagnostics/erasure/key", str, secret=secrets.token_hex(32))
    return Keys(secret or "")


async def all_keys(graph: Graph) -> list[Keys]:
    """Return the keys of all receipts in a database.

    A group that was moved here has receipts with the keys of its earlier server.
    """
    await keys_of(graph)
    return [Keys(each) for each in await graph.rows("diagnostics/erasure/keys", str)]


def signing(keys: Sequence[Keys], receipt: Receipt) -> Keys:
    """Return the keys with which a receipt is signed; the first if none fits."""
    return next((each for each in keys if each.signed(receipt)), keys[0])


async def erase(
    context: Context,
    scope: CallScope,
    memory_ids: Sequence[str],
    selected: str = "memories",
    names: Sequence[str] = (),
    *,
    copies: bool = False,
) -> Receipt:
    """Erase memories, search every place for them again, and return the signed receipt.

    Args:
        context: The database, and the caller.
        scope: The tenant, the instant and the origin of the call.
        memory_ids: The memories.
        selected: How they were selected, for the receipt.
        names: Names that are erased with them, wherever they stand.
        copies: True to erase their copies before, which imports have made in any group.

    Raises:
        NotFoundError: The group has none of the memories.
    """
    split = tuple(dict.fromkeys(name_words(name) for name in names))
    erased, before = await _known(context.graph, scope.group_id, memory_ids, split)
    if not erased.memory_ids:
        raise await not_found(context.graph, scope.group_id, memory_ids[0])
    receipts = await _erase_copies(context, scope, erased.memory_ids) if copies else ()
    copied = await erasure_copies.place(context, scope.group_id, erased.memory_ids)
    await context.session_store.flush()  # no session is to be stored after
    for batch in batched(erased.memory_ids, _BATCH):
        left = await tombstones.rows_of(context.engine, scope, batch, tombstones.Cause.ERASED)
        await update.erase(context.graph, scope.group_id, batch, left)
    parts = _Parts(selected, copied, receipts)
    return await _finished(context, scope, erased, before, parts)


async def _erase_copies(
    context: Context, scope: CallScope, memory_ids: Sequence[str]
) -> tuple[Receipt, ...]:
    """Erase the copies of memories, copies of copies first; return a receipt for each group."""
    found = await erasure_copies.of_memories(context, scope.group_id, memory_ids)
    by_group: dict[str, list[str]] = {}
    for each in reversed(found):
        by_group.setdefault(each.group_id, []).append(each.memory_id)
    return tuple(
        [
            await erase(
                context.on(context.whole.of(group_id)),
                replace(scope, group_id=group_id),
                ids,
                "copies",
            )
            for group_id, ids in by_group.items()
        ]
    )


async def erase_all(
    context: Context,
    scope: CallScope,
    confirm: str,
    on_progress: Progress,
    *,
    copies: bool = False,
) -> Receipt:
    """Erase all that a group has, search every place again, and return the signed receipt.

    With `copies` their copies in any group are erased before.

    Raises:
        ConfirmationRequiredError: `confirm` is not `DELETE ALL`.
        ForbiddenError: Writes of the caller wait for a review.
    """
    graph, group_id = context.graph, scope.group_id
    update.require_confirmation(confirm, group_id)
    await require_standing(context.engine, scope, None)
    await context.session_store.flush()  # no session is to be stored after
    ids = await graph.rows("diagnostics/erasure/of_group", str, group_id=group_id)
    contents = await _contents(graph, group_id, ids)
    words = {word for text in contents for word in words_of(text) if looks_random(word)}
    erased = Erased(tuple(ids), tuple(contents), frozenset(words), whole=True)
    receipts = await _erase_copies(context, scope, ids) if copies else ()
    copied = await erasure_copies.place(context, group_id, ids)
    before = await find_traces(graph, group_id, Plain(ids, (), (), whole=True))
    for batch in batched(ids, _PORTION):
        await graph.run("diagnostics/erasure/portion", group_id=group_id, memory_ids=batch)
        on_progress(len(batch), len(ids))
    await update.delete_all(context.engine, scope, confirm=confirm, permanent=True)
    parts = _Parts("group", copied, receipts)
    return await _finished(context, scope, erased, before, parts)


async def _contents(graph: Graph, group_id: str, ids: Sequence[str]) -> list[str]:
    """Return the texts of many memories, each once."""
    contents: dict[str, None] = {}
    for batch in batched(ids, _PORTION):
        for row in await graph.rows(
            "diagnostics/erasure/texts", _Texts, group_id=group_id, memory_ids=batch
        ):
            contents |= dict.fromkeys(text for text in row.contents() if text)
    return list(contents)


@dataclass(frozen=True, slots=True)
class _Parts:
    """The parts of a receipt that are known before the erasure."""

    selected: str
    copied: SearchedPlace
    copies: tuple[Receipt, ...]


async def _finished(
    context: Context, scope: CallScope, erased: Erased, before: Sequence[Trace], parts: _Parts
) -> Receipt:
    """Remove what is left, search every place once more, and return the signed receipt."""
    after = await _left(context.graph, scope, erased)
    if await _clear(context.graph, scope.group_id, erased, after):
        after = await _left(context.graph, scope, erased)
    context.embedder.forget()
    places = [
        *graph_places(context.settings, before, after),
        await _full_text(context.graph, scope.group_id, erased),
        *await old_copy(context, scope.group_id, erased.memory_ids),
        parts.copied,
        *elsewhere(),
        *await asyncio.to_thread(
            backup_places,
            context.settings,
            set(erased.memory_ids),
            named=context.grant.groups is None,
        ),
    ]
    return await _signed(context, scope, erased, places, parts)


async def _known(
    graph: Graph, group_id: str, memory_ids: Sequence[str], names: tuple[Name, ...]
) -> tuple[Erased, list[Trace]]:
    """Return what identifies memories, and all that concerns them in the graph.

    Purged memories with one of the names count as well.
    """
    found = await graph.rows(
        "diagnostics/erasure/texts", _Texts, group_id=group_id, memory_ids=list(memory_ids)
    )
    ids = tuple(row.memory_id for row in found)
    contents = tuple(dict.fromkeys(text for row in found for text in row.contents() if text))
    candidates = {word for text in contents for word in words_of(text)}
    sought = Plain(ids, candidates, contents, names)
    seen = await glimpses(graph, group_id, sought)
    edges = await edges_with(graph, group_id, sought)
    words, named = _own_words(candidates, seen, set(ids)), {" ".join(name) for name in names}
    # Beside words, texts hold whole contents and names.
    held = words.union(named, *(each.words - candidates for each in (*seen, *edges)))
    chosen = [each for each in seen if each.refers or each.words & held]
    nodes = await traces_of(graph, group_id, sought, chosen)
    purged = {each.id for each in nodes if each.place == PURGED and each.words & named}
    erased = Erased((*ids, *sorted(purged)), contents, words, names, frozenset(purged))
    return erased, [each for each in (*nodes, *edges) if each.refers or each.words & held]


def _own_words(
    candidates: Iterable[str], seen: Iterable[Glimpse], ids: Collection[str]
) -> frozenset[str]:
    """Return the words that no other memory has, or few if they look random."""
    others: Counter[str] = Counter()
    for each in seen:
        if each.memory and each.id not in ids:
            others.update(each.words)
    return frozenset(
        word
        for word in candidates
        if not others[word] or (looks_random(word) and others[word] <= _RARE)
    )


async def _left(graph: Graph, scope: CallScope, erased: Erased) -> list[Trace]:
    return await find_traces(graph, scope.group_id, erased.sought())


async def _clear(graph: Graph, group_id: str, erased: Erased, left: Sequence[Trace]) -> bool:
    """Remove what holds erased words and is not a memory, and what changes an erased memory.

    Returns:
        Whether anything was to be removed.
    """
    nodes = [each.element for each in left if _goes(each, erased)]
    texts = _derived_texts(left)
    if nodes:
        await graph.run("diagnostics/erasure/clear_nodes", group_id=group_id, nodes=nodes)
    if any(texts.values()):
        revision = str(uuid.uuid4())
        await graph.run(
            "diagnostics/erasure/clear_texts", group_id=group_id, revision=revision, **texts
        )
    return bool(nodes) or any(texts.values())


def _derived_texts(left: Sequence[Trace]) -> dict[str, list[str]]:
    """Return the parameters of the statement that removes texts derived from erased ones."""
    sessions = [each for each in left if each.place == SESSIONS and each.keys]
    return {
        "labelled": [
            each.element
            for each in left
            if each.place == "memories" and "cluster_label" in each.keys
        ],
        "records": [
            each.element for each in left if each.place == "records of learning" and each.keys
        ],
        "facts": [each.element for each in left if each.place == RELATIONS and "fact" in each.keys],
        "sessions": [each.element for each in sessions],
        "events": sorted({event for each in sessions for event in each.events}),
    }


def _goes(trace: Trace, erased: Erased) -> bool:
    """Return whether a node is deleted for what it holds of the erased.

    An entity goes for its name only: other memories may mention one with another word.
    """
    if trace.place == PURGED:
        return trace.id in erased.purged
    if trace.place == ENTITIES:
        return not trace.words.isdisjoint(erased.spelled())
    return trace.place == WAITING or (trace.place in _CLEARED and bool(trace.keys))


async def _full_text(graph: Graph, group_id: str, erased: Erased) -> SearchedPlace:
    """Return what the full-text index finds for the erased words."""
    hits: set[str] = set()
    for words in batched(sorted(erased.words), _QUERY_WORDS):
        hits.update(
            await graph.rows(
                "diagnostics/erasure/full_text",
                str,
                group_id=group_id,
                words=" OR ".join(f'"{word}"' for word in words),
            )
        )
    hits.update(await _named_hits(graph, group_id, erased.names))
    count = len(erased.memory_ids)
    why, until = ("other memories hold the words", "they are erased") if hits else ("", "")
    named = tuple(sorted(hits)[:NAMED])
    return SearchedPlace(
        "full-text index", count + len(hits), count, len(hits), 0, why, until, named
    )


async def _named_hits(graph: Graph, group_id: str, names: Sequence[Name]) -> list[str]:
    """Return the memories that the full-text index finds for names, and that hold one."""
    if not names:
        return []
    phrases = " ".join(f'"{" ".join(name)}"' for name in names)
    query = f"+group_key:{group_key(group_id)}^0 +({phrases})"
    found = await graph.rows("diagnostics/erasure/full_text", str, group_id=group_id, words=query)
    rows = await graph.rows(
        "diagnostics/erasure/texts", _Texts, group_id=group_id, memory_ids=found
    )
    sought = Names(names)
    return [
        row.memory_id
        for row in rows
        if any(sought.held(name_words(text)) for text in row.contents())
    ]


async def _signed(
    context: Context,
    scope: CallScope,
    erased: Erased,
    places: Sequence[SearchedPlace],
    parts: _Parts,
) -> Receipt:
    """Return the signed receipt of an erasure, and keep it in the database."""
    keys = await keys_of(context.graph)
    unsigned = Receipt(
        receipt_id=str(uuid.uuid4()),
        at=instant(scope.now),
        by=f"{context.grant.caller}, {wording.way_in()}",
        group_id=scope.group_id,
        selected=parts.selected,
        memory_ids=erased.memory_ids,
        contents=keys.digests(erased.contents),
        words=keys.digests(erased.words),
        places=tuple(places),
        names=tuple(sorted(tuple(map(keys.digest, name)) for name in erased.names)),
        copies=parts.copies,
    )
    receipt = replace(unsigned, signature=keys.signature(unsigned))
    await context.graph.run(
        "diagnostics/erasure/record",
        receipt_id=receipt.receipt_id,
        group_id=scope.group_id,
        at=receipt.at,
        memory_ids=list(receipt.memory_ids),
        receipt=receipt.to_json(),
    )
    return receipt


async def of_conversation(graph: Graph, group_id: str, conversation_id: str) -> list[str]:
    """Return the ids of the memories of a conversation, the deleted ones included."""
    return await graph.rows(
        "diagnostics/erasure/of_conversation",
        str,
        group_id=group_id,
        conversation_id=conversation_id,
    )
