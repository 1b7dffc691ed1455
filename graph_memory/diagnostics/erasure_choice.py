"""The memories that an erasure by a name deletes."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from graph_memory.database.graph import Graph
from graph_memory.diagnostics.traces import unpacked
from graph_memory.domain.names import Name, Names, name_words
from graph_memory.domain.receipts import spelled_out
from graph_memory.errors import InvalidArgumentError
from graph_memory.search.other_names import merged_names

#: More pairs of names than a group has.
_ALL = 1_000_000_000


@dataclass(frozen=True, slots=True)
class NamedMemory:
    """A memory with a name in its texts."""

    memory_id: str
    lead: str  #: title of the memory, or the beginning of its content


@dataclass(frozen=True, slots=True)
class NamedMemories:
    """The memories that an erasure by a name would delete.

    Attributes:
        names: The name, and its accepted aliases.
        memories: The memories with one of the names in content, title, tags, metadata, attachments
            or an earlier version.
        confirmation: The text that confirms their erasure.
    """

    names: tuple[str, ...]
    memories: list[NamedMemory]
    confirmation: str


async def of_name(graph: Graph, group_id: str, name: str) -> NamedMemories:
    """List the memories of a group that have a name or one of its accepted aliases in a text.

    Raises:
        InvalidArgumentError: The name has no letter and no digit.
    """
    names = await _with_aliases(graph, group_id, name)
    sought = Names(names.values())
    found: list[NamedMemory] = []
    async for block in graph.stream("diagnostics/erasure_choice/texts", group_id=group_id):
        for memory_id, lead, packed, texts in block:
            held = [*texts, *([unpacked("content_gz", packed)] if packed else [])]
            if any(sought.held(name_words(spelled_out(text))) for text in held):
                found.append(NamedMemory(memory_id, lead))
    return NamedMemories(tuple(names), found, f"ERASE {len(found)}")


async def _with_aliases(graph: Graph, group_id: str, name: str) -> dict[str, Name]:
    """Return the words of a name and of its accepted aliases, by their spelling."""
    words = name_words(name)
    if not words:
        rule = "it has no letter and no digit; give the name as memories spell it"
        raise InvalidArgumentError("name", name, rule)
    pairs = await merged_names(graph, group_id, limit=_ALL)
    found = {name: words}
    while more := _next(pairs, found.values()):
        found |= more
    return found


def _next(pairs: Sequence[Sequence[str]], known: Collection[Name]) -> dict[str, Name]:
    """Return the aliases of known names that are not known."""
    ends = [(one, other) for pair in pairs for one, other in (pair, reversed(pair))]
    return {
        other: words
        for one, other in ends
        if name_words(one) in known and (words := name_words(other)) and words not in known
    }
