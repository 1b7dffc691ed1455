"""The output of a reader of another store: memories and relations in the terms of that store.

Ids, types, scales and instants are those of the source; `translate` converts them.
"""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any


class Scale(Enum):
    """The scale of importance in a source; the value is shown to users."""

    UNIT = "0 to 1"
    FIVE = "1 to 5"
    TEN = "1 to 10"

    @property
    def highest(self) -> int:
        """The highest rating of the scale; it becomes 10, and the others in proportion."""
        return int(self.value.split()[-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRelation:
    """A relation in the terms of the source; `SourceMemory.relations` holds it at its start."""

    target_id: str
    relation_type: str
    strength: Any = None
    bidirectional: bool = False
    created_at: Any = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceMemory:
    """A memory in the terms of the source; None for values that it does not hold."""

    source_id: str
    content: Any
    memory_type: str | None = None
    title: str | None = None
    tags: Iterable[Any] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    importance: Any = None
    confidence: Any = None
    decay_rate: Any = None
    owner: str | None = None
    project_id: str | None = None
    parent_id: str | None = None
    conversation_id: str | None = None
    created_at: Any = None
    relations: Iterable[SourceRelation] = ()
    lifecycle: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An object of the source that is not imported, with the reason."""

    reason: str


SourceItem = SourceMemory | LeftOut
Pair = tuple[str, SourceRelation]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A store to import from.

    Attributes:
        description: The file or folder to import, in one line.
        read: A function that yields the contents of a file or folder; it raises
            `SourceFormatError` before the first memory.
        scale: The scale of importance; None if the source does not rate it.
        relation_types: Our relation types by the source's names, where they differ.
        memory_types: Our memory types by the source's names, where they differ.
    """

    description: str
    read: Callable[[Path], Iterator[SourceItem]]
    scale: Scale | None = None
    relation_types: Mapping[str, str] = field(default_factory=dict[str, str])
    memory_types: Mapping[str, str] = field(default_factory=dict[str, str])


def ended(at: Any, reason: str) -> dict[str, Any]:
    """Return the lifecycle of a memory that is obsolete in the source.

    It holds a reason and no instant: the memory counts as obsolete from the import on, and is kept
    as long as a memory made obsolete at that time.
    """
    return {
        "lifecycle_state": "EXPIRED",
        "state_changed_at": at,
        "invalid_at": at,
        "ended_at": at,
        "obsolete_reason": reason,
    }


class SourceRelations:
    """The relations of a source by their starting memory, without those with a missing end."""

    def __init__(self, pairs: Iterable[Pair], known: Container[str]) -> None:
        self.left_out: list[LeftOut] = []
        self._by_start: dict[str, list[SourceRelation]] = defaultdict(list)
        for start, relation in pairs:
            if start not in known or relation.target_id not in known:
                self.left_out.append(LeftOut("a relation with an end that is not there"))
            elif start == relation.target_id:
                self.left_out.append(LeftOut("a relation of a memory to itself"))
            else:
                self._by_start[start].append(relation)

    def of(self, source_id: str) -> list[SourceRelation]:
        """Return the relations that start at a memory."""
        return self._by_start.get(source_id, [])
