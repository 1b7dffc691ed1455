"""What a reader tells of another store: memories and relations, in that store's own terms.

Ids, types, scales and instants stay as the source has them; `translate` turns them into ours.
"""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any


class Scale(Enum):
    """How a source grades importance, as it is shown."""

    UNIT = "0 to 1"
    FIVE = "1 to 5"
    TEN = "1 to 10"

    @property
    def highest(self) -> int:
        """The highest grade; it stands for 10 here, and the others in proportion."""
        return int(self.value.split()[-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRelation:
    """A relation as the source has it, from a memory that is told elsewhere."""

    target_id: str
    relation_type: str
    strength: Any = None
    bidirectional: bool = False
    created_at: Any = None
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceMemory:
    """A memory as the source has it; None is what it does not say."""

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
    """Something of the source that becomes no memory and no relation, and why."""

    reason: str


SourceItem = SourceMemory | LeftOut
Pair = tuple[str, SourceRelation]


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A store to import from.

    Attributes:
        description: What to give, in one line.
        read: Tells what a file or folder holds; raises `SourceFormatError` before the first memory.
        scale: Of importance; None where the source does not grade it.
        relation_types: What the source's own relation types mean here, where names differ.
        memory_types: The same of memory types.
    """

    description: str
    read: Callable[[Path], Iterator[SourceItem]]
    scale: Scale | None = None
    relation_types: Mapping[str, str] = field(default_factory=dict[str, str])
    memory_types: Mapping[str, str] = field(default_factory=dict[str, str])


def ended(at: Any, reason: str) -> dict[str, Any]:
    """Return what has happened to a memory that the source no longer holds to be true.

    It gives a reason and no instant for being obsolete: it is so here from the import on, and kept
    for as long as what was made obsolete here.
    """
    return {
        "lifecycle_state": "EXPIRED",
        "state_changed_at": at,
        "invalid_at": at,
        "ended_at": at,
        "obsolete_reason": reason,
    }


class SourceRelations:
    """The relations of a source by the memory they start from, without those that lead nowhere."""

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
        """Return the relations that start from a memory."""
        return self._by_start.get(source_id, [])
