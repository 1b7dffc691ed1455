"""A search of everything that a group has in the graph for what was erased from it.

It reads all properties of all nodes and relationships, whatever their labels and types, so that it
also finds what a later version stores. A first look reads bare texts, which is most of the work;
only nodes that concern the erased are then read with the names of their properties.
"""

import zlib
from collections import defaultdict
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from graph_memory.database.graph import Graph
from graph_memory.domain.encoding import decompress
from graph_memory.domain.names import Names, name_words
from graph_memory.domain.receipts import Keys, normal, spelled_out, words_of

VECTORS = "vectors"
RELATIONS = "relations"
ENTITIES = "entities"
PURGED = "purged memories"
SESSIONS = "sessions"
WAITING = "waiting writes"

#: Place of a node by its label; the first label that is listed counts.
_NODES = {
    "Memory": "memories",
    "PurgedMemory": PURGED,
    "MemoryVersion": "versions",
    "Passage": "passages",
    "WordVectors": "word vectors",
    "Proposal": "proposals",
    "NamedEntity": ENTITIES,
    "Session": SESSIONS,
    "Conversation": "conversations",
    "Lesson": "feedback",
    "MaintenanceChange": "records for undo",
    "LearningChange": "records of learning",
    "EntityBefore": "records of adoption",
    "Tombstone": "tombstones",
    "EpisodeJob": "queue of episodes",
    "PendingWrite": WAITING,
    "Episodic": "episodes",
    "Community": "communities",
    "Saga": "sagas",
    "Entity": "entities of Graphiti",
}

#: Place of the node at the end of a relationship from an erased memory.
_PARTS = {"HAS_VERSION": "versions", "HAS_PASSAGE": "passages", "HAS_WORDS": "word vectors"}

#: Place of a relationship by its type; all others are relations.
_EDGES = {
    "HAS_MENTION": "mentions",
    "HAD_MENTION": "mentions",
    "HAS_TURN": "conversations",
    "MENTIONS": "episodes",
    "HAS_PROPOSAL": "proposals",
}

#: All places of the graph, in the order of a receipt.
PLACES = (
    *("memories", PURGED, "versions", VECTORS, "passages", "word vectors"),
    *(RELATIONS, "mentions", ENTITIES, "proposals", SESSIONS, "conversations", "feedback"),
    *("records for undo", "records of learning", "records of adoption", "tombstones"),
    *("queue of episodes", WAITING, "episodes", "communities", "sagas", "entities of Graphiti"),
    "others",
)


@dataclass(frozen=True, slots=True)
class Trace:
    """A node or relationship that belongs to the erased, or holds its words.

    Attributes:
        place: Place, one of `PLACES`.
        element: Element id in Neo4j.
        id: Id of the memory or record; the element id without one.
        keys: Properties that hold erased words.
        words: The erased words in it.
        refers: Whether it is an erased memory, a part of one, or has the id of one.
        events: Items of the history of a session that hold erased words.
    """

    place: str
    element: str
    id: str
    keys: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    refers: bool = True
    events: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Glimpse:
    """A node that belongs to the erased or holds its words, as a first look shows it.

    Attributes:
        element: Element id in Neo4j.
        id: Id of the memory or record; the element id without one.
        memory: Whether it is a memory.
        words: The erased words in it.
        refers: Whether it is an erased memory, or has the id of one.
    """

    element: str
    id: str
    memory: bool
    words: frozenset[str]
    refers: bool


class Sought(Protocol):
    """Something to search for."""

    @property
    def ids(self) -> frozenset[str]:
        """Ids of erased memories."""
        ...

    @property
    def whole(self) -> bool:
        """True if all that the group has is to be found."""
        ...

    def words_in(self, text: str) -> set[str]:
        """Return what a text holds of the erased; empty for nothing."""
        ...

    def may_be_in(self, texts: Sequence[str]) -> bool:
        """Return False only if none of the texts holds anything of the erased."""
        ...


class Plain:
    """Erased memories by their ids, words, contents, and names of which they were selected.

    Args:
        ids: Ids of the memories.
        words: Words, in lower case.
        contents: Whole texts.
        names: Names, as `names.name_words` splits them.
        whole: True to find all that the group has.
    """

    def __init__(
        self,
        ids: Iterable[str],
        words: Iterable[str],
        contents: Iterable[str],
        names: Iterable[Sequence[str]] = (),
        *,
        whole: bool = False,
    ) -> None:
        self.ids = frozenset(ids)
        self.whole = whole
        self._words = set(words)
        self._names = Names(names)
        # A content is compared only with texts that have its longest word.
        self._contents: defaultdict[str, list[str]] = defaultdict(list)
        for content in contents:
            if given := words_of(content, 1):
                self._contents[max(given, key=len)].append(normal(content))

    def words_in(self, text: str) -> set[str]:
        """Return the erased words, contents and names in a text."""
        plain = spelled_out(text)
        present = words_of(plain, 1)
        found = present & self._words
        for word in present & self._contents.keys():
            found |= {each for each in self._contents[word] if each in normal(plain)}
        if self._names:
            found |= {" ".join(name) for name in self._names.held(name_words(plain))}
        return found

    def may_be_in(self, texts: Sequence[str]) -> bool:
        """Return False only if none of the texts holds anything of the erased.

        The texts are compared as one. Escapes and accents are left to `words_in`.
        """
        whole = "\n".join(texts)
        if self._names or "\\" in whole:
            return True
        present = words_of(whole, 1)
        return not (present.isdisjoint(self._words) and present.isdisjoint(self._contents))


class Digested:
    """Erased memories by their ids and by the digests of a receipt.

    Args:
        keys: The keys of the digests.
        ids: Ids of the memories.
        digests: Digests of words and contents.
        names: For each name the digests of its words.
    """

    whole = False

    def __init__(
        self,
        keys: Keys,
        ids: Iterable[str],
        digests: Iterable[str],
        names: Iterable[Sequence[str]] = (),
    ) -> None:
        self.ids = frozenset(ids)
        self._names = Names(names)
        self._keys = keys
        self._digests = frozenset(digests)

    def words_in(self, text: str) -> set[str]:
        """Return the digests of erased words in a text, and of the text if it was erased."""
        plain = spelled_out(text)
        texts = words_of(plain) | ({normal(text)} if text.strip() else set[str]())
        held = {found for each in texts if (found := self._keys.digest(each)) in self._digests}
        if self._names:
            words = [self._keys.digest(word) for word in name_words(plain)]
            held |= {" ".join(name) for name in self._names.held(words)}
        return held

    def may_be_in(self, texts: Sequence[str]) -> bool:
        """Return False only if none of the texts holds anything of the erased."""
        whole = "\n".join(texts)
        if self._names or "\\" in whole:
            return True
        digest, digests = self._keys.digest, self._digests
        return any(digest(each) in digests for each in (*words_of(whole), *texts))


async def find_traces(graph: Graph, group_id: str, sought: Sought) -> list[Trace]:
    """Return all nodes and relationships of a group that concern what is sought."""
    if sought.whole:
        rows = graph.stream("diagnostics/traces/nodes", group_id=group_id)
        nodes = await _of_nodes(rows, sought, group_id)
    else:
        nodes = await traces_of(graph, group_id, sought, await glimpses(graph, group_id, sought))
    return [*nodes, *await edges_with(graph, group_id, sought)]


async def glimpses(graph: Graph, group_id: str, sought: Sought) -> list[Glimpse]:
    """Return all nodes of a group that concern what is sought, without their properties."""
    found: list[Glimpse] = []
    async for block in graph.stream("diagnostics/traces/texts", group_id=group_id):
        for element, memory, own_id, packed, values in block:
            texts = _flat(values, group_id)
            refers = not sought.ids.isdisjoint(texts)
            if packed:
                texts.append(unpacked("content_gz", packed))
            if refers or sought.may_be_in(texts):
                words = frozenset[str]().union(*map(sought.words_in, texts))
                if refers or words:
                    found.append(Glimpse(element, own_id or element, memory, words, refers))
    return found


def _flat(values: Iterable[str | list[str]], group_id: str) -> list[str]:
    """Return texts and the items of lists; texts without the id of the group, if it begins them."""
    prefix, texts = f"{group_id}|", list[str]()
    for value in values:
        if isinstance(value, str):
            texts.append(value.removeprefix(prefix))
        else:
            texts += value
    return texts


async def traces_of(
    graph: Graph, group_id: str, sought: Sought, seen: Iterable[Glimpse]
) -> list[Trace]:
    """Return nodes of a first look with their places and the properties that hold the erased."""
    elements = [each.element for each in seen]
    if not elements:
        return []
    rows = graph.stream("diagnostics/traces/chosen", group_id=group_id, nodes=elements)
    return await _of_nodes(rows, sought, group_id)


async def _of_nodes(
    rows: AsyncGenerator[list[list[Any]]], sought: Sought, group_id: str
) -> list[Trace]:
    return [
        trace async for block in rows for row in block for trace in _of_node(row, sought, group_id)
    ]


async def edges_with(graph: Graph, group_id: str, sought: Sought) -> list[Trace]:
    """Return all relationships of a group that concern what is sought."""
    return [
        trace
        async for block in graph.stream("diagnostics/traces/edges", group_id=group_id)
        for row in block
        if (trace := _of_edge(row, sought, group_id))
    ]


def _of_node(row: Sequence[Any], sought: Sought, group_id: str) -> list[Trace]:
    element, labels, own_id, vector, texts, lists = row
    given = _own_texts(texts, group_id)
    given += [(key, text) for key, many in lists for text in many]
    keys, words = matched(given, sought)
    refers = sought.whole or any(text in sought.ids for _, text in given)
    if not keys and not refers:
        return []
    place = next((_NODES[label] for label in _NODES if label in labels), "others")
    events = _events(given, sought) if place == SESSIONS and keys else ()
    found = [Trace(place, element, own_id or element, keys, words, refers, events)]
    if vector and own_id in sought.ids:
        found.append(Trace(VECTORS, element, own_id))
    return found


def _own_texts(texts: Iterable[Sequence[str]], group_id: str) -> list[tuple[str, str]]:
    """Return texts without the id of the group, which begins some keys."""
    prefix = f"{group_id}|"
    return [(key, text.removeprefix(prefix)) for key, text in texts if key != "group_id"]


def _events(given: Iterable[tuple[str, str]], sought: Sought) -> tuple[str, ...]:
    """Return the items of the history of a session that hold erased words."""
    return tuple(text for key, text in given if key == "history" and sought.words_in(text))


def _of_edge(row: Sequence[Any], sought: Sought, group_id: str) -> Trace | None:
    element, kind, from_id, to_id, to, own_id, texts = row
    keys, words = matched(_own_texts(texts, group_id), sought)
    if kind in _PARTS:
        of_erased = sought.whole or from_id in sought.ids
        return Trace(_PARTS[kind], to, to_id or to) if of_erased else None
    refers = sought.whole or not sought.ids.isdisjoint({from_id, to_id})
    if not keys and not refers:
        return None
    return Trace(_EDGES.get(kind, RELATIONS), element, own_id or element, keys, words, refers)


def matched(
    given: Iterable[Sequence[str]], sought: Sought
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the properties that hold erased words, and these words."""
    keys: set[str] = set()
    words: set[str] = set()
    for key, text in given:
        if found := sought.words_in(unpacked(key, text)):
            keys.add(key)
            words |= found
    return frozenset(keys), frozenset(words)


def unpacked(key: str, text: str) -> str:
    """Return the text of a property, decompressed if it is."""
    if key != "content_gz":
        return text
    try:
        return decompress(text)
    except (OSError, EOFError, ValueError, zlib.error):  # damaged: it holds nothing to read
        return ""
