"""Memories, relations and their vocabularies; no I/O."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from graph_memory.domain.attachments import StoredAttachments
from graph_memory.domain.briefs import StoredBrief
from graph_memory.domain.encoding import JsonObject, StoredContent, StoredTexts
from graph_memory.domain.origin import Authority, Origin
from graph_memory.domain.passages import Passage
from graph_memory.domain.timestamps import Instant

#: Without hyphens: the full-text analyser splits at them, and groups could see each other.
GROUP_ID_PATTERN = re.compile(r"[A-Za-z0-9_]{1,64}")


class MemoryType(StrEnum):
    """The type of a memory."""

    GENERAL = "general"
    FACT = "fact"
    PREFERENCE = "preference"
    CONVERSATION = "conversation"
    TASK = "task"
    EPHEMERAL = "ephemeral"
    CONCEPT = "concept"
    PROCEDURE = "procedure"
    CONTEXT = "context"


class LifecycleState(StrEnum):
    """The lifecycle state of a memory."""

    ACTIVE = "ACTIVE"
    DORMANT = "DORMANT"
    ARCHIVED = "ARCHIVED"
    EXPIRED = "EXPIRED"
    SOFT_DELETED = "SOFT_DELETED"


class RelationType(StrEnum):
    """The type of a relation, read from its start to its end."""

    REFERENCES = "references"
    CONTRADICTS = "contradicts"
    SUPPORTS = "supports"
    EXTENDS = "extends"
    CAUSES = "causes"
    CAUSED_BY = "caused_by"
    PRECEDES = "precedes"
    FOLLOWS = "follows"
    PART_OF = "part_of"
    CONTAINS = "contains"
    RELATES_TO = "relates_to"
    DEPENDS_ON = "depends_on"
    LEADS_TO = "leads_to"
    SUPERSEDES = "supersedes"


class ProposalKind(StrEnum):
    """The kind of a proposal: the relation of its first memory or entity to its second."""

    RELATES_TO = "relates_to"
    DUPLICATE_OF = "duplicate_of"
    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    SAME_AS = "same_as"  #: of two entities


class EntityKind(StrEnum):
    """The kind of an entity that memories mention."""

    NAME = "name"
    MAIL = "mail"
    URL = "url"
    PATH = "path"
    IDENTIFIER = "identifier"
    CODE = "code"
    DATE = "date"


class ProposalStatus(StrEnum):
    """The status of a proposal."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


class ClusterAction(StrEnum):
    """An action on all memories of a cluster."""

    PRESERVE = "preserve"
    TAG = "tag"
    OBSOLETE = "obsolete"


class ConflictKind(StrEnum):
    """The kind of a conflict: the effect of a new memory on an earlier one."""

    NEGATES = "negates"
    REPLACES = "replaces"


@dataclass(frozen=True, slots=True)
class CentralRelation:
    """A relation through which a memory gets a share of its centrality."""

    from_id: str
    relation_type: str
    share: float  #: 0 to 1, of what all relations of the memory give


class Source(StrEnum):
    """The origin of a memory."""

    USER = "user"
    SYSTEM = "system"
    DERIVED = "derived"


class Role(StrEnum):
    """The speaker of a turn of a conversation."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class Known(StrEnum):
    """The judgement of an answer: a group has the answer to a question, perhaps, or lacks it."""

    YES = "yes"
    PERHAPS = "perhaps"
    NO = "no"


class SortOrder(StrEnum):
    """The order of a list, highest first; ties by newer creation, then by smaller id."""

    IMPORTANCE = "importance"
    CREATED_AT = "created_at"


class ResultOrder(StrEnum):
    """The order of what a search or retrieval found: the best first, or the earliest first."""

    SCORE = "score"
    TIME = "time"


#: Default states of a search.
RECALLED_STATES = (LifecycleState.ACTIVE, LifecycleState.DORMANT)

#: Default states of a list.
LISTED_STATES = (*RECALLED_STATES, LifecycleState.ARCHIVED)

#: Default states of a search in the past: a memory that was superseded since is EXPIRED.
LASTING_STATES = (*LISTED_STATES, LifecycleState.EXPIRED)


@dataclass(frozen=True, slots=True)
class LearnedStrength:
    """The values from which the strength of a relation was learned."""

    given_strength: float  #: 0 to 1
    uses: int  #: sessions that used both memories
    last_used_at: Instant


_IfLearned = Annotated[LearnedStrength | None, Field(exclude_if=lambda value: value is None)]
_IfKnown = Annotated[Origin | None, Field(exclude_if=lambda value: value is None)]


@dataclass(frozen=True, slots=True)
class Relation:
    """A directed, typed edge between two memories."""

    from_id: str
    to_id: str
    relation_type: str
    strength: float  #: 0 to 1; learned, or else given
    fact: str
    metadata: JsonObject
    created_at: Instant
    valid_at: Instant | None
    invalid_at: Instant | None
    learned: _IfLearned = None  #: None, and left out of JSON, if nothing was learned
    origin: _IfKnown = None  #: None, and left out of JSON, if it was stored before origins were


@dataclass(frozen=True, slots=True)
class BriefMemory:
    """The fields of a memory in lists and results; `Memory` has the rest."""

    memory_id: str
    content: StoredContent
    memory_type: MemoryType
    tags: StoredTexts
    importance: float  #: 1 to 10
    lifecycle_state: LifecycleState
    created_at: Instant
    valid_at: Instant | None
    invalid_at: Instant | None
    attachments: StoredAttachments = field(default=(), kw_only=True)
    authority: Authority | None = field(default=None, kw_only=True)  #: of the text; None: unknown
    #: The sentences that answered most; None, and left out of JSON, if no run has learned them.
    brief: StoredBrief = field(default=None, kw_only=True)

    @property
    def told_at(self) -> datetime:
        """Start of validity, or else time of creation."""
        return self.valid_at or self.created_at


@dataclass(frozen=True, slots=True)
class Memory(BriefMemory):
    """A memory with all fields that tools and commands show."""

    importance_source: str
    stability: int  #: 1 volatile to 5 permanent
    confidence: float | None  #: 0 to 1
    source: Source
    metadata: JsonObject
    group_id: str
    project_id: str | None
    conversation_id: str | None
    parent_id: str | None
    superseded_by: str | None  #: id of the current successor
    decay_score: float  #: 0 fresh to 1 gone
    protection: str | None  #: reason why it does not fade: until, tag or permanent
    preserve_until: Instant | None
    decay_policy: str | None
    decay_rate: float | None  #: per day
    access_count: int
    last_accessed_at: Instant | None
    updated_at: Instant
    origin: Origin | None = None  #: None if it was stored before origins were
    copied_from: str | None = None  #: id of the memory, of any group, of which it is a copy


@dataclass(frozen=True, slots=True)
class PossibleConflict:
    """An earlier memory that a new one may contradict.

    Attributes:
        memory_id: The earlier memory.
        kind: The new memory negates the earlier one, or replaces a value of it.
        score: Probability of the kind, 0 to 1.
        passage: The part of the new memory that differs.
        earlier_passage: The part of the earlier memory that differs.
    """

    memory_id: str
    kind: ConflictKind
    score: float
    passage: Passage
    earlier_passage: Passage

    def __str__(self) -> str:
        """Return a sentence with the parts that differ."""
        verb = "negate" if self.kind is ConflictKind.NEGATES else "replace"
        earlier, new = self.earlier_passage.text, self.passage.text
        return f'It may {verb} memory {self.memory_id}: "{earlier}" by "{new}".'


@dataclass(frozen=True, slots=True, eq=False)
class _RemarkedMemory(Memory):
    """A memory with remarks, which comparisons leave out."""

    def __eq__(self, other: object) -> bool:
        """Compare the fields of a `Memory`."""
        if not isinstance(other, Memory):
            return NotImplemented
        return all(getattr(self, f.name) == getattr(other, f.name) for f in fields(Memory))

    __hash__ = Memory.__hash__


@dataclass(frozen=True, slots=True, eq=False)
class RecoveredMemory(_RemarkedMemory):
    """A recovered memory with a remark, which comparisons leave out.

    Attributes:
        lifted: Ids of the tombstones of its rejection, which its recovery has lifted.
    """

    lifted: tuple[str, ...] = ()

    @classmethod
    def of_recovery(cls, memory: Memory, lifted: Iterable[str]) -> "RecoveredMemory":
        """Return a memory with the tombstones that its recovery has lifted."""
        given = {f.name: getattr(memory, f.name) for f in fields(Memory)}
        return cls(**given, lifted=tuple(lifted))


@dataclass(frozen=True, slots=True, eq=False)
class AddedMemory(_RemarkedMemory):
    """A new memory with remarks, which comparisons leave out.

    Attributes:
        possible_conflicts: Earlier memories that it may contradict, the highest score first.
        masked: Kinds of the secrets that were masked in its content.
    """

    possible_conflicts: tuple[PossibleConflict, ...] = ()
    masked: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, memory: Memory, conflicts: Iterable[PossibleConflict], masked: Iterable[str]
    ) -> "AddedMemory":
        """Return a memory with its remarks."""
        given = {f.name: getattr(memory, f.name) for f in fields(Memory)}
        return cls(**given, possible_conflicts=tuple(conflicts), masked=tuple(masked))


@dataclass(frozen=True, slots=True)
class FoundMemory:
    """A search result: a memory with its score and the components of the score."""

    memory: Memory
    similarity: float | None  #: (1 + cosine) / 2 of question and content, 0 to 1
    score: float  #: 0 to 1; it orders the results of one question
    components: dict[str, float | None]
    #: Calibrated probability that the memory bears on the question, 0 to 1. None in the profiles
    #: weighted and hybrid, and for an embedding model without a calibration.
    relevance: float | None = None
    #: The part of a long content that matches best; None for a content without passages.
    passage: Passage | None = None


class SearchResults(list[FoundMemory]):
    """The memories that a search found, best first, and whether the group has an answer.

    Attributes:
        known: Whether the group has an answer. None in the profiles weighted and hybrid, and for an
            embedding model without a calibration.
        known_reason: The reason, as a sentence.
        left_out: Number of memories that were left out because of `min_relevance`.
    """

    def __init__(
        self,
        found: Iterable[FoundMemory] = (),
        *,
        known: Known | None = None,
        known_reason: str | None = None,
        left_out: int = 0,
    ) -> None:
        """Make a list of `found` with these attributes."""
        super().__init__(found)
        self.known = known
        self.known_reason = known_reason
        self.left_out = left_out
